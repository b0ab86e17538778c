// Parameters of the model in a table: design variables, and the numbers of forces and contacts, with sliders; and studies of one or two of them.
import { $, button, el, number, pretty, shown } from "./dom.js";
import { redraw } from "./redraw.js";

const PLAIN = ["peak", "max", "min", "range", "last", "mean", "rms", "std"]; // in the unit of what they reduce
const REDUCTIONS = [...PLAIN, "integral", "time of peak", "frequency"], LOADED = ["JOINT", "JPRIM", "SPRINGDAMPER", "MOTION", "SFORCE", "BUSHING", "CONTACT"];

export class Parameters {
  constructor(studio) { this.studio = studio; this.filter = ""; this.box = $("parameters"); this.fill = () => {}; this.picks = []; } // fill: first values of the sweep, where there are parameters
  async show() {
    let rows; try { rows = (await this.studio.link.ask("parameters")).rows; } catch (e) { this.drawn = null; return this.box.replaceChildren(el("div", { class: "empty", text: e.message })); }
    const drawn = JSON.stringify(rows.map(([key, name, , unit]) => [key, name, unit])); this.rows = rows;
    if (drawn === this.drawn) return this.renew();
    this.drawn = drawn; this.cells = new Map();
    if (!rows.length) return this.box.replaceChildren(el("div", { class: "empty", text: "The model has no design variables, and no forces with numbers. Create, Variable makes one: a function that is a number; forces and motions read it as VARVAL(id)." }));
    const search = el("input", { type: "search", class: "box", placeholder: "Filter parameters", "aria-label": "Filter parameters", "data-taken": "", oninput: (e) => { this.filter = e.target.value.toLowerCase(); list(); } }); search.value = this.filter;
    const body = el("tbody"), list = () => body.replaceChildren(...this.rows.filter((r) => `${r[1]} ${r[0]}`.toLowerCase().includes(this.filter)).slice(0, 300).map((r) => this.row(r))); list();
    redraw(this.box, [this.sweepBar(rows), el("div", { id: "study" }), el("div", { class: "chart-tools" }, search), el("table", { class: "parameters" }, el("caption", { class: "unseen", text: "Parameters of the model" }), el("thead", {}, el("tr", {}, ["Parameter", "Value", "Slider", "Unit"].map((t) => el("th", { scope: "col", text: t })))), body)], "parameters"); this.table();
  }
  renew() { for (const [key, , value] of this.rows) this.cells.get(key)?.(value); this.fill(); } // the same rows with other values: nothing is drawn again, so that the focus, the caret and what is half typed stay
  row([key, name, value, unit]) {
    let entered; const box = el("input", { type: "text", inputmode: "decimal", "aria-label": `${name}, value`, "data-parameter": key, onchange: () => { if (box.value === entered) return; entered = box.value; this.set(key, box.value); } });
    const rounded = () => String(+(+slider.value).toPrecision(5)), slider = el("input", { type: "range", "aria-label": name, oninput: () => (box.value = rounded()), onchange: () => this.set(key, rounded()) });
    const fill = (v) => {
      if (document.activeElement !== box || box.value === entered) { box.value = entered = String(+v.toPrecision(12)); box.title = String(v); }
      if (slider.min === "" || v < +slider.min || v > +slider.max) { const least = v > 0 ? 0 : v < 0 ? 2 * v : -1, most = v > 0 ? 2 * v : v < 0 ? 0 : 1; Object.assign(slider, { min: String(least), max: String(most), step: String((most - least) / 200) }); }
      slider.value = String(v);
    }; fill(value); this.cells.set(key, fill);
    return el("tr", { "data-key": key }, el("th", { scope: "row" }, el("button", { class: "link", type: "button", text: name, title: key, onclick: () => this.studio.choose([key.split(".")[0]], false, true) })), el("td", {}, box), el("td", {}, slider), el("td", { text: pretty(unit) }));
  }
  async command(key, value) { // the edit that gives a parameter a value
    const [element, field, place] = key.split("."), [kind, id] = element.split("/"); if (!field) return { do: "set", kind, id: +id, field: "function", value: String(value) };
    if (place === undefined) return { do: "set", kind, id: +id, field, value };
    const { element: e } = await this.studio.link.ask("element", { kind, id: +id }), all = [...e.rows.find((r) => r.name === field).value]; all[+place] = value; return { do: "set", kind, id: +id, field, value: all };
  }
  async given(key, value) { const [, name, , unit] = this.rows.find((r) => r[0] === key) || [key, key]; return this.studio.edit(await this.command(key, String(number(value, name, unit))), true); }
  async set(key, value) { try { await this.studio.under(this.given(key, value)); } catch (e) { this.studio.tell(e.message); this.renew(); } if (this.studio.results.open === "parameters") this.show(); }
  // ---- a study: one or two parameters over a grid of values ---------------------------------------------------------
  sweepBar(rows) {
    const typed = new Set(), field = (id, label) => el("input", { type: "text", id, class: "box", "aria-label": label, title: label, size: 7, "data-draft": "", oninput: (e) => typed.add(e.target) });
    const axis = (n, first) => {
      const id = n ? `sweep-${n + 1}` : "sweep", pick = el("select", { class: "box", id: `${id}-key`, "aria-label": n ? "Second parameter of the study" : "Parameter of the study", onchange: () => { this.picks[n] = pick.value; typed.delete(from); typed.delete(to); this.fill(); } }, [...(n ? [["", "(one parameter)"]] : []), ...rows.slice(0, 500)].map((r) => el("option", { value: r[0], text: r[1] })));
      if ([...pick.options].some((o) => o.value === this.picks[n])) pick.value = this.picks[n]; else if (first) pick.value = first;
      const from = field(`${id}-from`, "From"), to = field(`${id}-to`, "To"), count = field(`${id}-count`, "Number of values"), rest = el("span", { class: "sweep" }, " from ", from, " to ", to, " in ", count, n ? " values" : " runs");
      const fill = () => { const v = this.rows.find((r) => r[0] === pick.value)?.[2] ?? 0; for (const [f, text] of [[from, shown(0.5 * v, 4)], [to, shown(1.5 * v, 4)], [count, "3"]]) if (!typed.has(f)) f.value = text; rest.hidden = !pick.value; };
      return { node: el("span", { class: "sweep" }, pick, rest), fill, read: () => (pick.value ? { key: pick.value, from: from.value, to: to.value, count: count.value } : null) };
    };
    const axes = [axis(0, rows[0]?.[0]), axis(1, "")]; this.fill = () => axes.forEach((a) => a.fill()); this.fill();
    this.measures ||= this.firstMeasures(); const list = el("span", { class: "sweep", id: "study-measures", role: "group", "aria-label": "Measures of the study" }), names = el("datalist", { id: "quantities" }), draw = () => list.replaceChildren(names, ...this.measures.map((m, n) => this.measure(m, n, draw)), button("Measure", () => { this.measures.push({ of: "", reduce: "peak" }); draw(); list.querySelector("span:last-of-type input")?.focus(); }, { ic: "plus", id: "measure-add", title: "Another number of each run" })); draw();
    names.append(...this.quantities().slice(0, 1000).map((value) => el("option", { value })));
    this.go = button("Sweep", () => this.sweep(axes.map((a) => a.read()).filter(Boolean)), { ic: "play", cls: "strong", id: "sweep", title: "Run the model once for each value, in processes of their own; the model stays as it is" }); this.halt = button("Stop", () => this.studio.link.ask("stop_study"), { ic: "stop", id: "sweep-stop" }); this.count = el("span", { class: "why", role: "status", id: "sweep-state" }); this.buttons();
    return el("span", { class: "study-bar" }, el("b", { text: "Study" }), axes[0].node, el("span", { class: "sweep" }, "and ", axes[1].node), el("span", { class: "sweep" }, list, this.go, this.halt, this.count));
  }
  measure(m, n, draw) {
    const of = el("input", { type: "text", class: "box", list: "quantities", placeholder: "quantity", "aria-label": `Quantity of measure ${n + 1}`, "data-taken": "", oninput: () => (m.of = of.value) }), reduce = el("select", { class: "box", "aria-label": `Reduction of measure ${n + 1}`, onchange: () => (m.reduce = reduce.value) }, REDUCTIONS.map((r) => el("option", { value: r, text: r }))); of.value = m.of; reduce.value = m.reduce;
    return el("span", { class: "measure" }, reduce, " of ", of, button("Remove this measure", () => { this.measures.splice(n, 1); draw(); }, { ic: "close", text: false, cls: "flat" }));
  }
  quantities() { // histories by their names: of the shown run, else forces of joints
    const run = this.studio.results.run; if (run) return run.quantities.flatMap(([, name, , , parts]) => [name, ...parts.filter(Boolean).map((p) => `${name}.${p}`)]);
    return [...this.studio.tree.items.values()].filter((r) => LOADED.includes(r[0])).map((r) => `${r[2]}.force`);
  }
  firstMeasures() { const all = [...this.studio.tree.items.values()].filter((r) => LOADED.includes(r[0]) && r[3]); return all.slice(0, 2).map((r) => ({ of: `${r[2]}.force`, reduce: "peak" })); }
  async sweep(parameters) {
    const s = this.studio; try { const { of } = await s.link.ask("study", { parameters, measures: this.measures.filter((m) => m.of.trim()), settings: s.settings() }); this.sweeping = true; delete document.body.dataset.sweep; this.result = null; this.progress = `0 of ${of} runs`; this.buttons(); this.table(); } catch (e) { s.tell(e.message); }
  }
  buttons() { if (!this.go) return; this.go.disabled = !!this.sweeping; this.halt.hidden = !this.sweeping; this.count.textContent = this.sweeping ? this.progress : this.problem || ""; }
  heard(m) { // how a study goes on, and its table
    this.sweeping = !!m && !m.ended; this.progress = m ? `${m.done ?? 0} of ${m.of} runs` : ""; this.problem = m?.error || ""; if (m?.error) this.studio.tell(m.error);
    if (!m) this.result = null; else if (m.rows) {
      this.result = m; const name = (row) => m.varied.map((v) => `${v.name} = ${+row.values[v.name].toPrecision(6)}`).join(", ");
      for (const row of m.rows) if (m.runs[row.number]) this.studio.results.labels.set(m.runs[row.number], name(row));
      document.body.dataset.sweep = m.rows.map((r) => m.runs[r.number]).filter(Boolean).join(",");
    }
    if (m?.ended) document.body.dataset.study = m.error ? "failed" : "ended"; this.buttons(); this.table();
  }
  table() { // rows of the study, and its measures over the first parameter
    const box = $("study"); this.plot?.destroy(); this.plot = null; if (!box) return; const m = this.result; if (!m) return box.replaceChildren();
    const s = this.studio, kept = m.rows.map((r) => m.runs[r.number]).filter(Boolean), best = (k) => { const v = m.rows.map((r) => r.measures[k]).filter((x) => x !== undefined); return [Math.min(...v), Math.max(...v)]; };
    const over = button("Curves over each other", () => { for (const n of kept) s.results.pages.compare.add(n); s.results.current(kept.at(-1)).then(() => s.results.tab("plots")); }, { ic: "curve", id: "study-compare", title: "The curves of all runs of the study in Plots" });
    const use = (r) => async () => { try { const commands = []; for (const v of m.varied) commands.push(await this.command(v.key, String(r.values[v.name]))); await s.edit(commands.length > 1 ? { do: "several", commands } : commands[0], true); s.tell("The model has these values; Undo takes them back"); } catch (e) { s.tell(e.message); } };
    const figures = m.figures ? button("Figures", () => s.studies.open(`.holonom/studies/${m.figures}.study`), { ic: "curve", id: "study-figures", title: "Parallel coordinates, scatter matrix, contours and all runs of the study" }) : "";
    const pick = el("select", { class: "box", id: "study-measure", "aria-label": "Measure of the plot", onchange: () => { this.shownMeasure = pick.value; this.drawStudy(); } }, m.measures.map((k) => el("option", { value: k, text: k }))); if (m.measures.includes(this.shownMeasure)) pick.value = this.shownMeasure; else pick.value = this.shownMeasure = m.measures.find((k) => best(k)[1] > best(k)[0]) || m.measures[0];
    box.replaceChildren(el("div", { class: "chart-tools" }, el("b", { text: `${m.rows.length} runs` }), kept.length ? over : el("span", { class: "why", text: "Curves are kept of studies of 12 runs at most" }), figures, pick), el("div", { class: "study-both" },
      el("div", { class: "study-table", tabindex: "0", role: "region", "aria-label": "Table of the study" }, el("table", {}, el("caption", { class: "unseen", text: "Runs of the study" }), el("thead", {}, el("tr", {}, [...m.varied.map((v) => `${v.name}${v.unit ? ` [${pretty(v.unit)}]` : ""}`), ...m.measures.map((k) => `${k}${this.unit(k) ? ` [${pretty(this.unit(k))}]` : ""}`), "Run", "Model"].map((t) => el("th", { scope: "col", text: t })))),
        el("tbody", {}, m.rows.map((r) => el("tr", { "data-row": String(r.number) }, m.varied.map((v) => el("td", { text: shown(r.values[v.name], 6), title: String(r.values[v.name]) })), m.measures.map((k) => { const v = r.measures[k], [low, high] = best(k); return v === undefined ? el("td", { class: "bad", text: "failed", title: r.why }) : el("td", { class: v === high && low < high ? "most" : v === low && low < high ? "least" : "", text: shown(v, 6), title: `${v}${v === high ? ", the largest" : v === low ? ", the least" : ""}`, "data-value": String(v) }); }),
          el("td", {}, m.runs[r.number] ? el("button", { class: "link", type: "button", text: `run ${m.runs[r.number]}`, onclick: () => s.results.current(m.runs[r.number]) }) : r.status), el("td", {}, button("Use", use(r), { cls: "flat", title: "Give the model these values" }))))))), el("div", { class: "study-plot" })));
    this.drawStudy();
  }
  unit(measure) { // of the history that a measure reduces, from a run of the study
    const [, reduce, of] = /^(.+?) of (.+)$/.exec(measure) || [], run = Object.values(this.result.runs).map((n) => this.studio.results.runs.get(n)).find(Boolean) || this.studio.results.run; if (!run || !PLAIN.includes(reduce)) return "";
    for (const [, name, , , parts, units] of run.quantities) { if (name === of) return units[0]; const k = parts.findIndex((p) => p && `${name}.${p}` === of); if (k >= 0) return units[k]; }
    return "";
  }
  drawStudy() {
    const box = $("study").querySelector(".study-plot"), m = this.result; this.plot?.destroy(); this.plot = null; if (!box || !m) return; box.replaceChildren();
    const [a, b] = m.varied, rows = m.rows.filter((r) => r.measures[this.shownMeasure] !== undefined), groups = new Map(); for (const r of rows) { const k = b ? r.values[b.name] : 0; (groups.get(k) || groups.set(k, []).get(k)).push(r); }
    const x = [...new Set(rows.map((r) => r.values[a.name]))].sort((p, q) => p - q); if (x.length < 2) return;
    const series = [...groups].flatMap(([k, list], colour) => { const at = new Map(list.map((r) => [r.values[a.name], r.measures[this.shownMeasure]])), y = x.map((v) => at.get(v) ?? NaN); return b ? [{ name: `${b.name} = ${shown(k, 4)}`, y, colour }] : [{ name: "", y, colour }, { name: "", y, colour, mode: "marks" }]; });
    box.classList.toggle("one", !b);
    this.plot = holonomPlot.create(box, { x, series, units: { x: pretty(a.unit), y: pretty(this.unit(this.shownMeasure)) }, xword: a.name, yword: this.shownMeasure, height: 230, title: `${this.shownMeasure} over ${a.name}` });
  }
}
