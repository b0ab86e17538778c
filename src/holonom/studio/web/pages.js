// Pages of plots: which curves of which runs stand where, kept with the project.  Drawing, zoom, values and what is worked out of curves are the report's.
import { $, button, download, el, later, popup, pretty } from "./dom.js";
import { redraw } from "./redraw.js";
import { key } from "./tree.js";

const MIME = "application/x-holonom-curves", MAGNITUDE = "|magnitude|";
const MOST = { pages: 20, plots: 12, curves: 24 };
//: what is drawn of an element that is dropped into a plot: the first of these that it has
const FIRST = { PART: ["position"], POINT_MASS: ["position"], JOINT: ["force"], JPRIM: ["force"], MOTION: ["effort", "torque", "force"], CONTACT: ["force"] };

//: pages or curves as text, without what the server adds: units of curves, empty settings
const plain = (pages) => JSON.stringify(pages, (k, v) => (k === "unit" || (k === "state" && v && !Object.values(v).some((x) => x && x !== -1)) ? undefined : v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort()) : v));

export class Pages {
  constructor(results) {
    this.results = results; this.studio = results.studio; this.compare = new Set(); this.drawn = []; this.at = 0; this.active = 0; this.turn = 0; this.filter = "";
    this.pages = [{ name: "Page 1", plots: [] }];
    this.build();
  }
  get page() { return this.pages[Math.min(this.at, this.pages.length - 1)]; }
  get plot() { return this.page.plots[this.active] || null; }
  get run() { return this.results.run; }

  // ---- the panel ---------------------------------------------------------------------------------------------------
  build() {
    const search = el("input", { type: "search", class: "box", placeholder: "Filter quantities", "aria-label": "Filter quantities", oninput: (e) => { this.filter = e.target.value.trim().toLowerCase(); this.list(); } });
    this.listBox = el("div", { class: "list", tabindex: "0", "aria-label": "Quantities" });
    this.listBox.addEventListener("dragstart", (e) => { const from = e.target.closest?.("[data-row]"); if (from) { e.dataTransfer.setData(MIME, JSON.stringify([from.curve])); e.dataTransfer.effectAllowed = "copy"; } });
    this.tabs = el("span", { class: "page-tabs", role: "group", "aria-label": "Pages of plots" });
    this.runBox = el("details", { class: "runs" }, el("summary", { class: "button", text: "Runs" }), (this.runList = el("div", { class: "run-list" })));
    addEventListener("click", (e) => { if (this.runBox.open && !this.runBox.contains(e.target)) this.runBox.open = false; });
    const tools = el("div", { class: "chart-tools" }, this.tabs, button("New plot", () => this.newPlot(), { ic: "plus", id: "plot-new", title: "Another plot on this page" }), this.runBox,
      button("CSV", () => this.csv(), { title: "Curves of the chosen plot as a table, all digits" }), button("Clear", () => this.clear(), { title: "Take all plots off this page" }),
      el("span", { class: "why widest", text: "drag quantities or elements here; on the axis below a plot: over each other" }));
    this.grid = el("div", { class: "canvas" });
    this.grid.addEventListener("dragover", (e) => { if (!this.carries(e)) return; e.preventDefault(); e.dataTransfer.dropEffect = "copy"; this.over(e.target.closest(".cell"), e.target.closest(".cell-axis")); });
    this.grid.addEventListener("dragleave", (e) => { if (!this.grid.contains(e.relatedTarget)) this.over(null); });
    this.grid.addEventListener("drop", (e) => { if (!this.carries(e)) return; e.preventDefault(); this.over(null); this.drop(e.dataTransfer, e.target.closest(".cell"), !!e.target.closest(".cell-axis")); });
    $("plots").append(el("div", { class: "pick" }, el("div", { class: "head" }, search), this.listBox), el("div", { class: "chart" }, tools, this.grid));
    new ResizeObserver(later(() => this.drawn.forEach((d) => d?.resize()), 60)).observe(this.grid);
    this.heads();
  }
  heads() {
    redraw(this.tabs, [...this.pages.map((p, n) => button(p.name, () => this.open(n), { cls: "flat", "aria-pressed": String(n === this.at), title: `${p.name}: double click or F2 names it`, ondblclick: () => this.name(n), onkeydown: (e) => { if (e.key === "F2") { e.stopPropagation(); this.name(n); } else if (e.key === "Delete") { e.stopPropagation(); this.removePage(n); } } })),
      button("New page", () => this.newPage(), { cls: "flat", ic: "plus", text: false, id: "page-new" })]);
    const runs = [...this.results.runs.keys()], now = this.run?.number;
    redraw(this.runList, [...runs.map((n) => el("label", {}, el("input", { type: "checkbox", "data-run": String(n), checked: n === now || this.compare.has(n), disabled: n === now, onchange: (e) => { e.target.checked ? this.compare.add(n) : this.compare.delete(n); this.draw(); } }), n === now ? ` Run ${n} (shown)` : ` Run ${n}`)),
      button("Earlier runs ...", () => { this.runBox.open = false; this.results.earlier(); }, { cls: "flat", id: "runs-earlier", title: "Runs of this project that were computed before" })]);
  }
  open(n) { this.at = Math.max(0, Math.min(n, this.pages.length - 1)); this.active = 0; this.heads(); this.list(); this.draw(); }
  newPage() { if (this.pages.length >= MOST.pages) return this.studio.tell(`There are ${MOST.pages} pages already`); this.pages.push({ name: `Page ${this.pages.length + 1}`, plots: [] }); this.keep(); this.open(this.pages.length - 1); }
  async removePage(n) { if (this.pages.length < 2) return; this.pages.splice(n, 1); this.keep(); this.open(Math.min(this.at, this.pages.length - 1)); }
  name(n) { const f = this.studio.argument({ name: "page", kind: "name", label: "Name", start: this.pages[n].name }); return this.studio.dialog("Name of the page", "Pages are kept with the project; Delete on its tab takes one away.", [f], "Name it", async () => { const v = f.read().trim().slice(0, 60); if (!v) throw new Error("Give a name"); this.pages[n].name = v; this.keep(); this.heads(); return true; }); }
  newPlot() { if (this.page.plots.length >= MOST.plots) return this.studio.tell(`A page has ${MOST.plots} plots at most`); this.page.plots.push({ curves: [], x: null, state: {} }); this.active = this.page.plots.length - 1; this.keep(); this.list(); this.draw(); }
  removePlot(n) { this.page.plots.splice(n, 1); this.active = Math.max(0, Math.min(this.active, this.page.plots.length - 1)); this.keep(); this.list(); this.draw(); }
  clear() { this.page.plots = []; this.active = 0; this.keep(); this.list(); this.draw(); }
  activate(n) { if (n === this.active) return; this.active = n; [...this.grid.querySelectorAll(".cell")].forEach((c, k) => c.classList.toggle("active", k === n)); this.list(); }
  take(pages) { // from the server: those of the project, or of another window
    if (!pages?.length) pages = [{ name: "Page 1", plots: [] }];
    if (plain(pages) === plain(this.pages)) return;
    this.pages = pages; this.at = Math.min(this.at, pages.length - 1); this.active = 0; this.heads(); this.list(); this.draw();
  }
  keep() { this.studio.link.ask("pages", { pages: this.pages }).catch((e) => this.studio.tell(e.message)); }

  // ---- curves ------------------------------------------------------------------------------------------------------
  find(run, c) { // [number of the quantity, component] of a curve in a run, null where it has none of this name
    const q = run?.quantities.find((r) => r[1] === c.name); if (!q) return null;
    const k = c.part === MAGNITUDE ? -1 : q[4].indexOf(c.part);
    return k < 0 && c.part !== MAGNITUDE ? null : [q[0], k, q[5][Math.max(k, 0)]];
  }
  text(c) { return c.part ? (c.part === MAGNITUDE ? `${c.name} ${MAGNITUDE}` : `${c.name}.${c.part}`) : c.name; }
  same(a, b) { return a.name === b.name && a.part === b.part; }
  has(c) { return !!this.plot?.curves.some((o) => this.same(o, c)); }
  unit(c) { return this.find(this.run, c)?.[2] ?? c.unit ?? ""; }
  put(curves, n = this.active, apart = true) { // into a plot; what has another unit gets a plot of its own, with "second" the axis on the right where that is free
    const page = this.page; if (!page.plots.length) page.plots.push({ curves: [], x: null, state: {} });
    let at = Math.min(n, page.plots.length - 1), said = false;
    for (const c of curves) {
      const unit = this.unit(c), plot = page.plots[at];
      const units = new Set(plot.curves.map((o) => this.unit(o))), fits = !units.size || units.has(unit) || (apart === "second" && unit && units.size < 2 && !plot.x);
      if (apart && !fits) {
        let other = page.plots.findIndex((p) => p.curves.length && !p.x && this.unit(p.curves[0]) === unit);
        if (other < 0) { if (page.plots.length >= MOST.plots) { this.studio.tell(`A page has ${MOST.plots} plots at most`); break; } page.plots.push({ curves: [], x: null, state: {} }); other = page.plots.length - 1; }
        at = other; said = true;
      }
      const mine = page.plots[at].curves; if (!mine.some((o) => this.same(o, c)) && mine.length < MOST.curves) mine.push({ ...c, unit });
    }
    this.active = at; if (said) this.studio.tell("Another unit: it has a plot of its own");
    this.keep(); this.list(); this.draw();
  }
  off(c) { const p = this.plot; if (!p) return; p.curves = p.curves.filter((o) => !this.same(o, c)); if (!p.curves.length) { p.x = null; p.state = {}; } this.keep(); this.draw(); }
  across(n, c) { const p = this.page.plots[n]; if (!p) return; p.x = c ? { ...c, unit: this.unit(c) } : null; p.state = {}; this.active = n; this.keep(); this.draw(); }
  carries(e) { return e.dataTransfer.types.includes(MIME) || e.dataTransfer.types.includes("application/x-holonom-element"); }
  over(cell, axis) { for (const c of this.grid.querySelectorAll(".drop")) c.classList.remove("drop"); this.grid.classList.toggle("drop", cell === undefined); (axis || cell)?.classList.add("drop"); }
  drop(data, cell, axis) {
    let curves = [];
    try { curves = JSON.parse(data.getData(MIME) || "[]"); } catch { /* none of ours */ }
    const element = data.getData("application/x-holonom-element"); if (!curves.length && element) curves = this.ofElement(element);
    if (!curves.length) return this.studio.tell("This element has no curves in the shown run");
    const n = cell ? +cell.dataset.n : this.page.plots.length; if (axis) return this.across(n, curves[0]);
    if (!cell) { if (this.page.plots.length >= MOST.plots) return this.studio.tell(`A page has ${MOST.plots} plots at most`); this.page.plots.push({ curves: [], x: null, state: {} }); }
    this.put(curves, n, this.page.plots[n]?.x ? false : cell ? "second" : true);
  }
  ofElement(k) {
    const mine = (this.run?.quantities || []).filter((q) => q[2] && key(...q[2]) === k); if (!mine.length) return [];
    const wanted = FIRST[k.slice(0, k.indexOf("/"))] || ["force", "torque"], q = wanted.map((w) => mine.find((m) => m[1].endsWith(`.${w}`))).find(Boolean) || mine[0], vector = q[4].length === 3 && q[4][0] === "x";
    return vector && q[1].endsWith(".force") ? [{ name: q[1], part: MAGNITUDE }] : q[4].slice(0, 3).map((part) => ({ name: q[1], part }));
  }
  list() {
    if (!this.run) { this.listBox.replaceChildren(el("div", { class: "empty", text: "Run the model first." })); return; }
    const chosen = this.studio.chosen, f = this.filter, own = new Map();
    for (const q of this.run.quantities) {
      const k = q[2] ? key(...q[2]) : q[3], mine = chosen.has(k), fits = f ? q[1].toLowerCase().includes(f) || k.toLowerCase().includes(f) : chosen.size && [...chosen].some((c) => c !== "model") ? mine : q[3] === "energy" || q[3] === "request" || q[3] === "variable" || q[3] === "state";
      if (fits) (own.get(k) || own.set(k, []).get(k)).push(q);
    }
    const parts = []; let n = 0;
    for (const [k, rows] of own) {
      if ((n += rows.length) > 300) { parts.push(el("div", { class: "empty", text: "More fit; filter further." })); break; }
      parts.push(el("h3", { text: rows[0][2] ? `${this.studio.tree.items.get(k)?.[2] ?? ""} ${k}` : k }));
      for (const [, name, , , components, units] of rows) {
        const what = name.slice(name.lastIndexOf(".") + 1), put = (part, text, unit) => {
          const curve = { name, part }, row = el("label", { draggable: "true", "data-row": `${name}${part === MAGNITUDE ? ".|mag|" : part ? `.${part}` : ""}` }, el("input", { type: "checkbox", checked: this.has(curve), "data-curve": `${name}${part === MAGNITUDE ? ".|mag|" : part ? `.${part}` : ""}`, onchange: (e) => (e.target.checked ? this.put([curve]) : this.off(curve)) }), el("span", { text }), el("span", { class: "unit", style: "color:var(--soft)", text: pretty(unit) }));
          row.curve = curve; parts.push(row);
        };
        if (components.length === 3 && components[0] === "x") put(MAGNITUDE, `${what} ${MAGNITUDE}`, units[0]);
        components.forEach((c, k) => put(c, c ? `${what}.${c}` : what, units[k]));
      }
    }
    if (!parts.length) parts.push(el("div", { class: "empty", text: f ? "Nothing fits." : chosen.size ? "The chosen element has no curves in this run; choose a part, joint, motion or force, or filter by name." : "Choose an element, or filter by name." }));
    redraw(this.listBox, parts, [...chosen].join());
  }

  // ---- drawing -----------------------------------------------------------------------------------------------------
  async draw() {
    if (this.results.open !== "plots") return;
    const turn = ++this.turn, page = this.page, runs = this.run ? [this.run, ...[...this.compare].filter((n) => n !== this.run.number).map((n) => this.results.runs.get(n)).filter(Boolean)] : [];
    this.heads();
    if (!page.plots.length || !runs.length) { this.destroy(); this.grid.replaceChildren(el("div", { class: "empty", text: this.run ? "Tick quantities on the left, or drag them here." : "Run the model; its curves are here then." })); this.grid.dataset.count = "0"; return; }
    let found; try { found = await Promise.all(page.plots.map((p) => this.gather(p, runs))); } catch (e) { this.studio.tell(e.message); return; }
    if (turn !== this.turn) return;
    const was = this.drawn.filter(Boolean).map((d) => ({ curves: plain(d.of.curves), zoom: d.back.hidden ? null : d.zoom, panel: !!d.panel, at: d.panel ? [...d.panel.querySelectorAll("select, input")].indexOf(document.activeElement) : -1 }));
    this.destroy(); this.grid.dataset.count = String(page.plots.length);
    const cells = page.plots.map((p, n) => this.cell(p, n, found[n])); this.grid.replaceChildren(...cells.map((c) => c.cell));
    cells.forEach((c, n) => { this.drawn[n] = c.make ? c.make() : null; if (this.drawn[n]) this.restore(this.drawn[n], was.find((w) => w.curves === plain(page.plots[n].curves))); });
    this.mark();
  }
  restore(drawn, was) { // zoom and open settings of a plot that was drawn before
    if (was?.zoom) drawn.setZoom(...was.zoom);
    if (was?.panel) { drawn.menu(); if (was.at >= 0) [...drawn.panel.querySelectorAll("select, input")][was.at]?.focus(); }
  }
  async gather(p, runs) {
    const out = { series: [], unit: "", missing: [] };
    for (const [m, run] of runs.entries()) {
      const x = p.x && this.find(run, p.x), xs = x && (await this.results.series({ run: run.number, q: x[0], component: x[1] }));
      for (const [k, c] of p.curves.entries()) {
        const at = this.find(run, c); if (!at || (p.x && !x)) { out.missing.push(`${this.text(p.x && !x ? p.x : c)} (run ${run.number})`); continue; }
        const s = await this.results.series({ run: run.number, q: at[0], component: at[1] });
        if (!out.series.length) out.unit = s.unit; out.xunit = x ? xs.unit : run.unit;
        out.series.push({ name: `${this.text(c)}${runs.length > 1 ? ` · ${this.results.labels.get(run.number) || `run ${run.number}`}` : ""}`, x: p.x ? xs.y : s.t, y: s.y, t: s.t, run: m, colour: k, unit: pretty(s.unit) });
      }
    }
    return out;
  }
  cell(p, n, found) {
    const box = el("div", {}), cell = el("div", { class: `cell${n === this.active ? " active" : ""}`, "data-n": String(n), onpointerdown: () => this.activate(n), onfocusin: () => this.activate(n) }, box);
    if (!found.series.length) { box.append(el("div", { class: "cell-head" }, el("span", { class: "plot-title", text: "Empty plot" }), this.close(n)), el("div", { class: "empty", text: p.curves.length ? `This run has no ${found.missing[0]}` : "Tick quantities on the left, or drag them here." })); return { cell }; }
    const what = p.curves.length === 1 ? this.text(p.curves[0]) : this.titled(p), title = p.x ? `${what} over ${this.text(p.x)}` : what;
    const axis = el("button", { type: "button", class: "link cell-axis", text: p.x ? `over ${this.text(p.x)}` : "over time", title: "What stands on the axis below; drop a quantity here", onclick: () => popup(axis, [["time", () => this.across(n, null)], ...this.choices(p).map((c) => [this.text(c), () => this.across(n, c)]), ...this.rights(p, n)], "Axes") });
    const caption = el("div", { class: "cell-head" }, el("span", { class: "plot-title", text: title, title }), axis, this.close(n));
    if (found.missing.length) caption.title = `not in this run: ${found.missing.join(", ")}`;
    const make = () => {
      if (found.series.length === 1) found.series[0].name = ""; // the title says it
      const o = { x: found.series[0].x, series: found.series, units: { x: found.xunit, y: pretty(found.unit) }, title, caption, yword: this.word(p.curves.filter((c) => p.x || this.unit(c) === found.unit)), second: p.x ? "" : this.word(p.curves.filter((c) => this.unit(c) !== found.unit)), xword: p.x ? this.text(p.x) : "time", phase: !!p.x, file: title, tword: `time (${this.run.unit})`,
        height: () => Math.max(90, cell.clientHeight - (box.clientHeight - (drawn?.stage.clientHeight ?? 0)) - 4), changed: (state) => { p.state = { change: state.change, filter: state.filter, width: state.width, reference: state.reference, log: state.log }; this.keep(); } };
      if (p.x) o.units.x = pretty(found.xunit);
      let drawn = null; drawn = holonomPlot.create(box, o);
      drawn.of = p; drawn.onCursor((t) => { this.results.play(false); this.results.seek(Math.min(this.results.end, Math.max(this.results.begin, t))); });
      const state = p.state || {}; if (Object.values(state).some((v) => v && v !== -1)) { delete o.changed; drawn.set(state); drawn.o.changed = (s) => { p.state = { change: s.change, filter: s.filter, width: s.width, reference: s.reference, log: s.log }; this.keep(); }; }
      requestAnimationFrame(() => drawn.u && drawn.resize());
      return drawn;
    };
    return { cell, make };
  }
  close(n) { return button("Remove this plot", (e) => { e.stopPropagation(); this.removePlot(n); }, { cls: "flat cell-close", ic: "close", text: false }); }
  rights(p, n) { // rows of a menu: what may stand on the axis on the right
    const own = new Set(p.curves.map((c) => this.unit(c))), more = p.x ? [] : this.choices(p).filter((c) => !p.curves.some((o) => this.same(o, c)) && this.unit(c) && (own.size < 2 ? !own.has(this.unit(c)) : this.unit(c) === [...own][1]));
    return more.length ? ["Axis on the right", ...more.map((c) => [`${this.text(c)} (${pretty(this.unit(c))})`, () => this.put([c], n, "second")])] : [];
  }
  choices(p) { const own = this.run.quantities.filter((q) => q[2] && p.curves.some((c) => this.run.quantities.find((r) => r[1] === c.name)?.[2]?.join() === q[2].join())); return own.flatMap((q) => q[4].map((part) => ({ name: q[1], part }))).slice(0, 40); }
  titled(p) { const names = [...new Set(p.curves.map((c) => c.name))]; return names.length === 1 ? names[0] : names.length < 4 ? names.join(", ") : `${names.length} quantities`; }
  word(curves) { const words = [...new Set(curves.map((c) => c.name.slice(c.name.lastIndexOf(".") + 1).replaceAll("_", " ")))]; return words.length === 1 && curves.every((c) => c.name.includes(".")) ? words[0] : "value"; }
  destroy() { for (const d of this.drawn) d?.destroy(); this.drawn = []; }
  recolour() { for (const d of this.drawn) d?.u?.redraw(false); }
  mark() { for (const d of this.drawn) d?.setCursor(this.results.time); }
  csv() {
    const mine = (this.plot?.curves || []).map((c) => this.find(this.run, c)).filter(Boolean); if (!mine.length) return this.studio.tell("Choose a plot with curves of the shown run first.");
    download(`/csv/${this.run.number}?q=${mine.map((m) => `${m[0]}.${m[1]}`).join(",")}`, `run${this.run.number}.csv`).catch((e) => this.studio.tell(e.message));
  }
}
