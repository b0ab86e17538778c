// The lower panel and the player: console, curves, peaks, script.
import { $, block, button, el, icon, later, pretty, shown } from "./dom.js";
import { key } from "./tree.js";

const COLOURS = { light: ["#1d5fbf", "#c2571a", "#1d7a3c", "#a3278f", "#0e7f8c", "#8a6d00", "#b3261e", "#5a4fcf"], dark: ["#7fb2ff", "#ffa25c", "#79d294", "#f08be0", "#5fd3df", "#e5c653", "#ff8a80", "#b0a6ff"] };
const NAMED = /\b([A-Z][A-Z_]+)\/(\d+)\b/g;

export class Results {
  constructor(studio) {
    this.studio = studio; this.runs = new Map(); this.chosen = new Map(); this.time = 0; this.speed = 1; this.loop = true; this.filter = ""; this.data = new Map(); this.motions = new Map(); this.sort = ["force", -1];
    const tabs = { console: "Console", plots: "Plots", peaks: "Peaks", script: "Script" };
    for (const [id, text] of Object.entries(tabs)) $("tabs").append(el("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": id, "aria-selected": "false", tabindex: "-1", text, onclick: () => this.tab(id) }));
    $("tabs").addEventListener("keydown", (e) => { const ids = Object.keys(tabs), k = ids.indexOf(this.open), go = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: 3 }[e.key]; if (go === undefined) return; e.preventDefault(); const id = ids[(go + 4) % 4]; this.tab(id); $(`tab-${id}`).focus(); });
    for (const id of Object.keys(tabs)) $(id).setAttribute("aria-labelledby", `tab-${id}`);
    this.buildPlots(); this.buildPlayer(); this.tab("console");
    new ResizeObserver(later(() => this.plot && this.draw(), 60)).observe(this.canvas);
    let last = performance.now(); const tick = (now) => { requestAnimationFrame(tick); const dt = (now - last) / 1000; last = now; if (this.playing) this.advance(dt); }; requestAnimationFrame(tick);
  }
  tab(id) {
    this.open = id; for (const t of ["console", "plots", "peaks", "script"]) { $(t).hidden = t !== id; const b = $(`tab-${t}`); b.setAttribute("aria-selected", String(t === id)); b.tabIndex = t === id ? 0 : -1; }
    if (id === "plots") this.list(), this.draw(); if (id === "peaks") this.peaks(); if (id === "script") this.script();
  }
  // ---- console -----------------------------------------------------------------------------------------------------
  lines(all) { $("console").replaceChildren(); all.forEach((m) => this.line(m)); }
  line(m) {
    const box = $("console"), end = box.scrollTop + box.clientHeight > box.scrollHeight - 30, parts = []; let at = 0;
    for (const f of m.text.matchAll(NAMED)) { const k = key(f[1], +f[2]); if (!this.studio.tree?.items.has(k)) continue; parts.push(m.text.slice(at, f.index), el("button", { class: "link", type: "button", text: f[0], onclick: () => this.studio.choose([k], false, true) })); at = f.index + f[0].length; }
    parts.push(m.text.slice(at)); box.append(el("div", { class: `line ${m.kind}` }, el("time", { text: new Date(m.time * 1000).toLocaleTimeString([], { hour12: false }) }), el("span", {}, parts)));
    while (box.childElementCount > 1500) box.firstChild.remove(); if (end) box.scrollTop = box.scrollHeight;
  }
  // ---- runs --------------------------------------------------------------------------------------------------------
  load(runs) { this.runs = new Map(runs.map((r) => [r.number, r])); this.data.clear(); this.motions.clear(); this.chosen.clear(); this.peaksOf = null; if (runs.length) this.current(runs.at(-1).number); else { $("player").hidden = true; this.run = this.motion = this.peaksOf = null; this.tab(this.open); } }
  add(run) { this.runs.set(run.number, run); if (this.chosen.size) { const old = [...this.chosen.values()].filter((c) => c.run === this.run?.number); const again = new Map(); for (const c of old) { const q = run.quantities.find((x) => x[1] === c.name); if (q) again.set(`${run.number}:${q[0]}.${c.component}`, { ...c, run: run.number, q: q[0] }); } if (!this.overlay?.checked) this.chosen.clear(); for (const [k, v] of again) this.chosen.set(k, v); } return this.current(run.number); }
  async current(number) {
    this.run = this.runs.get(number); if (!this.run) return;
    this.pickRun.replaceChildren(...[...this.runs.keys()].map((n) => el("option", { value: String(n), text: `Run ${n}` }))); this.pickRun.value = String(number);
    if (!this.motions.has(number)) { try { const { table, data, at } = await block(`/motion/${number}`); this.motions.set(number, { keys: table.keys, n: table.frames, times: new Float64Array(data.slice(at, at + 8 * table.frames)), poses: new Float32Array(data.slice(at + 8 * table.frames)) }); if (this.motions.size > 4) this.motions.delete(this.motions.keys().next().value); } catch (e) { this.studio.tell(e.message); return; } }
    this.motion = this.motions.get(number); $("player").hidden = false; this.slider.min = String(this.run.begin); this.slider.max = String(this.run.end); this.slider.step = String((this.run.end - this.run.begin) / 2000 || 1); this.seek(this.run.end); if (this.open !== "console" && this.open !== "script") this.tab(this.open);
  }
  buildPlayer() {
    this.playButton = button("Play", () => this.play(!this.playing), { ic: "play", text: false, title: "Play or pause (space)", id: "play" });
    this.slider = el("input", { type: "range", "aria-label": "Time", oninput: (e) => { this.play(false); this.seek(+e.target.value); } }); this.out = el("output", { "aria-label": "Time of the picture" });
    this.speedPick = el("select", { class: "box", "aria-label": "Speed", onchange: (e) => (this.speed = +e.target.value) }, [0.1, 0.25, 0.5, 1, 2, 5, 10].map((v) => el("option", { value: String(v), text: `${v}×`, selected: v === 1 })));
    this.loopBox = el("input", { type: "checkbox", checked: true, onchange: (e) => (this.loop = e.target.checked) });
    this.pickRun = el("select", { class: "box", "aria-label": "Run", onchange: (e) => this.current(+e.target.value) });
    $("player").append(button("Design position", () => { this.play(false); this.studio.view.home(); }, { ic: "home", text: false, title: "Show the machine as it is drawn" }), this.playButton, this.slider, this.out, this.speedPick, el("label", {}, this.loopBox, " Loop"), this.pickRun);
  }
  play(on) { this.playing = on && !!this.motion; if (this.playing && this.time >= this.run.end) this.time = this.run.begin; this.playButton.replaceChildren(icon(this.playing ? "pause" : "play")); this.playButton.setAttribute("aria-label", this.playing ? "Pause the player" : "Play"); }
  advance(dt) { let t = this.time + dt * this.speed * (this.run.span || 1); if (t > this.run.end) { if (!this.loop) { this.seek(this.run.end); this.play(false); return; } t = this.run.begin; } this.seek(t); }
  seek(t) {
    const m = this.motion; if (!m) return; this.time = t; this.slider.value = String(t); this.out.textContent = `${shown(t, 4)} ${this.run.unit}`;
    let a = 0, b = m.n - 1; while (b - a > 1) { const c = (a + b) >> 1; m.times[c] <= t ? (a = c) : (b = c); }
    const w = m.n > 1 && m.times[b] > m.times[a] ? Math.min(1, Math.max(0, (t - m.times[a]) / (m.times[b] - m.times[a]))) : 0, n = 7 * m.keys.length, out = (this.buffer?.length === n ? this.buffer : (this.buffer = new Float32Array(n))), p = m.poses;
    for (let k = 0, o = a * n, q = b * n; k < n; k += 7) {
      for (let j = 0; j < 3; j++) out[k + j] = p[o + k + j] + w * (p[q + k + j] - p[o + k + j]);
      let s = 0, l = 0; for (let j = 3; j < 7; j++) s += p[o + k + j] * p[q + k + j]; for (let j = 3; j < 7; j++) { out[k + j] = p[o + k + j] * (1 - w) + (s < 0 ? -w : w) * p[q + k + j]; l += out[k + j] ** 2; } l = Math.sqrt(l) || 1; for (let j = 3; j < 7; j++) out[k + j] /= l;
    }
    this.studio.view.pose(out, m.keys); this.mark();
  }
  // ---- curves ------------------------------------------------------------------------------------------------------
  buildPlots() {
    const search = el("input", { type: "search", class: "box", placeholder: "Filter quantities", "aria-label": "Filter quantities", oninput: (e) => { this.filter = e.target.value.trim().toLowerCase(); this.list(); } });
    this.listBox = el("div", { class: "list", tabindex: "0", "aria-label": "Quantities" }); this.canvas = el("div", { class: "canvas" });
    this.overlay = el("input", { type: "checkbox", title: "Keep curves of earlier runs when a run ends" });
    const tools = el("div", { class: "chart-tools" }, button("Clear", () => { this.chosen.clear(); this.list(); this.draw(); }), button("Whole range", () => this.draw(true)), button("CSV", () => this.csv(), { title: "Curves of this run as a table" }), button("PNG", () => this.png()), el("label", {}, this.overlay, " Overlay runs"), el("span", { class: "why widest", text: "drag to zoom, double click for all, click to move the machine there" }));
    $("plots").append(el("div", { class: "pick" }, el("div", { class: "head" }, search), this.listBox), el("div", { class: "chart" }, tools, this.canvas));
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
      for (const [q, name, , , components, units] of rows) {
        const what = name.slice(name.lastIndexOf(".") + 1), put = (c, text) => { const id = `${this.run.number}:${q}.${c}`; parts.push(el("label", {}, el("input", { type: "checkbox", checked: this.chosen.has(id), "data-curve": `${name}${c < 0 ? ".|mag|" : components[c] ? `.${components[c]}` : ""}`, onchange: (e) => { e.target.checked ? this.chosen.set(id, { run: this.run.number, q, component: c, name }) : this.chosen.delete(id); this.draw(true); } }), el("span", { text: `${text}` }), el("span", { class: "unit", style: "color:var(--soft)", text: pretty(units[Math.max(c, 0)]) }))); };
        if (components.length === 3 && components[0] === "x") put(-1, `${what} |magnitude|`);
        components.forEach((c, n) => put(n, c ? `${what}.${c}` : what));
      }
    }
    if (!parts.length) parts.push(el("div", { class: "empty", text: f ? "Nothing fits." : chosen.size ? "The chosen element has no curves in this run; choose a part, joint, motion or force, or filter by name." : "Choose an element, or filter by name." }));
    this.listBox.replaceChildren(...parts);
  }
  async series(c) { const id = `${c.run}:${c.q}.${c.component}`; if (!this.data.has(id)) { const { table, data, at } = await block(`/curves/${c.run}?q=${c.q}.${c.component}`); const v = new Float64Array(data.slice(at)); this.data.set(id, { label: table.labels[0], unit: table.units[0], t: v.subarray(0, table.rows), y: v.subarray(table.rows) }); if (this.data.size > 300) this.data.delete(this.data.keys().next().value); } return this.data.get(id); }
  async draw(whole) {
    if (this.open !== "plots") return; const turn = (this.turn = (this.turn || 0) + 1);
    if (!this.chosen.size) { this.plot?.destroy(); this.plot = null; this.canvas.replaceChildren(el("div", { class: "empty", text: this.run ? "Tick quantities on the left." : "Run the model; its curves are here then." })); return; }
    let found; try { found = await Promise.all([...this.chosen.values()].map(async (c) => ({ ...(await this.series(c)), run: c.run }))); } catch (e) { this.studio.tell(e.message); return; } if (turn !== this.turn) return;
    const range = !whole && this.plot ? [this.plot.scales.x.min, this.plot.scales.x.max] : null; this.plot?.destroy(); this.canvas.replaceChildren();
    const css = getComputedStyle(document.documentElement), ink = css.getPropertyValue("--text").trim(), line = css.getPropertyValue("--line").trim(), colours = COLOURS[document.documentElement.classList.contains("dark") ? "dark" : "light"];
    const data = uPlot.join(found.map((s) => [Array.from(s.t), Array.from(s.y, (y) => (isFinite(y) ? y : null))])), units = [...new Set(found.map((s) => s.unit))].slice(0, 4), many = new Set(found.map((s) => s.run)).size > 1, font = "12px system-ui, DejaVu Sans, sans-serif";
    const axis = (k) => ({ scale: units[k] || "y", side: k % 2 ? 1 : 3, stroke: ink, font, labelFont: font, label: pretty(units[k]) || " ", labelSize: 18, size: 66, gap: 4, grid: { show: k === 0, stroke: line, width: 1 }, ticks: { stroke: line }, values: (u, v) => v.map((x) => shown(x, 4)) });
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight - 30;
    this.plot = new uPlot({ width: Math.max(width, 160), height: Math.max(height, 90), scales: { x: { time: false } }, cursor: { drag: { x: true, y: false } }, legend: { live: true },
      axes: [{ stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, values: (u, v) => v.map((x) => `${shown(x, 4)}`) }, ...units.map((_, k) => axis(k))],
      series: [{ label: this.run?.unit ? `time [${this.run.unit}]` : "time", value: (u, v) => shown(v, 6) }, ...found.map((s, n) => ({ label: `${s.label}${s.unit ? ` [${pretty(s.unit)}]` : ""}${many ? ` run ${s.run}` : ""}`, stroke: colours[n % colours.length], width: 1.6, scale: units.includes(s.unit) ? s.unit || "y" : units[0], value: (u, v) => shown(v, 7), points: { show: false }, spanGaps: true }))] }, data, this.canvas);
    const plot = this.plot; // the legend has its height when the plot has been laid out
    requestAnimationFrame(() => { if (plot === this.plot) { plot.setSize({ width: Math.max(width, 160), height: Math.max(90, this.canvas.clientHeight - plot.root.querySelector(".u-legend").offsetHeight - 6) }); this.mark(); } });
    if (range) this.plot.setScale("x", { min: range[0], max: range[1] });
    this.cursor = el("div", { class: "u-time" }); this.plot.over.append(this.cursor); let down = 0;
    this.plot.over.addEventListener("mousedown", (e) => (down = e.clientX)); this.plot.over.addEventListener("mouseup", (e) => { if (Math.abs(e.clientX - down) < 3) { const t = this.plot.posToVal(e.offsetX, "x"); this.play(false); this.seek(Math.min(this.run.end, Math.max(this.run.begin, t))); } });
    this.mark();
  }
  mark() { if (this.plot && this.cursor) { const x = this.plot.valToPos(this.time, "x"); this.cursor.style.left = `${x}px`; this.cursor.style.display = x < 0 || x > this.plot.over.clientWidth ? "none" : ""; } }
  csv() { const mine = [...this.chosen.values()].filter((c) => c.run === this.run?.number); if (!mine.length) return this.studio.tell("Tick curves of this run first."); save(`/csv/${this.run.number}?q=${mine.map((c) => `${c.q}.${c.component}`).join(",")}`, `run${this.run.number}.csv`); }
  png() { if (!this.plot) return this.studio.tell("There is no plot yet."); const from = this.plot.ctx.canvas, c = el("canvas", {}); c.width = from.width; c.height = from.height; const x = c.getContext("2d"); x.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--panel"); x.fillRect(0, 0, c.width, c.height); x.drawImage(from, 0, 0); save(c.toDataURL("image/png"), "plot.png"); }
  // ---- peaks -------------------------------------------------------------------------------------------------------
  async peaks() {
    const box = $("peaks"); if (!this.run) { box.replaceChildren(el("div", { class: "empty", text: "Run the model; the largest reactions and forces are here then." })); return; }
    if (this.peaksOf !== this.run.number) { try { this.peakData = (await this.studio.link.ask("peaks", { run: this.run.number })).peaks; this.peaksOf = this.run.number; } catch (e) { box.replaceChildren(el("div", { class: "empty", text: e.message })); return; } }
    const d = this.peakData, [by, way] = this.sort, columns = [["name", "Element"], ["force", `Peak force [${pretty(d.force)}]`], ["force_time", `at [${d.time}]`], ["torque", `Peak torque [${pretty(d.torque)}]`], ["torque_time", `at [${d.time}]`]];
    const least = (k) => 1e-12 * Math.max(...d.rows.map((r) => r[k])), word = (r, k) => (r[k] && (k === "force" || k === "torque") && r[k] < least(k) ? "≈ 0" : shown(r[k], 6));
    const rows = [...d.rows].sort((a, b) => (a[by] < b[by] ? -way : a[by] > b[by] ? way : 0)).slice(0, 1000);
    box.replaceChildren(el("table", {}, el("caption", { class: "help", style: "text-align:left", text: `Run ${this.run.number}: largest length of force and torque on I of each constraint and applied force` }), el("thead", {}, el("tr", {}, columns.map(([k, t]) => el("th", { scope: "col", "aria-sort": k === by ? (way < 0 ? "descending" : "ascending") : undefined }, el("button", { type: "button", text: t + (k === by ? (way < 0 ? " ▾" : " ▴") : ""), onclick: () => { this.sort = [k, k === by ? -way : k === "name" ? 1 : -1]; this.peaks(); } }))))),
      el("tbody", {}, rows.map((r) => el("tr", { "data-element": key(r.kind, r.id), class: this.studio.chosen.has(key(r.kind, r.id)) ? "chosen" : "" }, el("td", {}, el("button", { class: "link", type: "button", text: r.name, title: `${r.kind}/${r.id}`, onclick: () => { this.studio.choose([key(r.kind, r.id)], false, true); this.play(false); this.seek(r.force > 0 ? r.force_time : r.torque_time); this.peaks(); } }), ` ${r.kind}/${r.id}`), ...["force", "force_time", "torque", "torque_time"].map((k) => el("td", { text: word(r, k), title: String(r[k]), "data-value": String(r[k]) })))))));
  }
  // ---- script ------------------------------------------------------------------------------------------------------
  async script() {
    const box = $("script"); let text; try { text = (await this.studio.link.ask("script", { settings: this.studio.settings() })).text; } catch (e) { text = `# ${e.message}`; }
    box.replaceChildren(el("div", { class: "chart-tools" }, button("Save as a script", () => this.studio.saveScript(), { ic: "save" }), button("Copy", () => navigator.clipboard.writeText(text).then(() => this.studio.tell("copied"), () => this.studio.tell("the browser did not let it be copied")))), el("pre", { text, tabindex: "0", "aria-label": "Script" }));
  }
}
function save(url, name) { const a = el("a", { href: url, download: name }); document.body.append(a); a.click(); a.remove(); }
