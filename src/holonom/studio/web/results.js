// The lower panel and the player: console, curves, peaks, script.
import { $, block, button, counted, download, el, icon, popup, pretty, shown } from "./dom.js";
import { Pages } from "./pages.js";
import { Parameters } from "./params.js";
import { redraw } from "./redraw.js";
import { key } from "./tree.js";

const CONSTRAINTS = ["JOINT", "JPRIM", "MOTION", "COUPLER", "GEAR"];
const NAMED = /\b([A-Z][A-Z_]+)\/(\d+)\b/g;

export class Results {
  constructor(studio) {
    this.studio = studio; this.runs = new Map(); this.time = 0; this.speed = 1; this.loop = true; this.data = new Map(); this.motions = new Map(); this.sort = ["force", -1];
    const tabs = { console: "Console", plots: "Plots", peaks: "Peaks", parameters: "Parameters", script: "Script" };
    for (const [id, text] of Object.entries(tabs)) $("tabs").append(el("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": id, "aria-selected": "false", tabindex: "-1", text, onclick: () => this.tab(id) }));
    $("tabs").addEventListener("keydown", (e) => { const ids = Object.keys(tabs), k = ids.indexOf(this.open), go = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: ids.length - 1 }[e.key]; if (go === undefined) return; e.preventDefault(); const id = ids[(go + ids.length) % ids.length]; this.tab(id); $(`tab-${id}`).focus(); });
    for (const id of Object.keys(tabs)) $(id).setAttribute("aria-labelledby", `tab-${id}`);
    this.labels = new Map(); this.pages = new Pages(this); this.parameters = new Parameters(studio); this.buildPlayer(); this.tab("console");
    let last = performance.now(); const tick = (now) => { requestAnimationFrame(tick); const dt = (now - last) / 1000; last = now; if (this.playing) this.advance(dt); }; requestAnimationFrame(tick);
  }
  tab(id) {
    this.open = id; for (const t of ["console", "plots", "peaks", "parameters", "script"]) { $(t).hidden = t !== id; const b = $(`tab-${t}`); b.setAttribute("aria-selected", String(t === id)); b.tabIndex = t === id ? 0 : -1; }
    if (id === "plots") this.list(), this.draw(); if (id === "peaks") this.peaks(); if (id === "parameters") this.parameters.show(); if (id === "script") this.script();
  }
  // ---- console -----------------------------------------------------------------------------------------------------
  lines(all) { $("console").replaceChildren(); all.forEach((m) => this.line(m)); }
  links(text) { // elements in a message, as they stand there: JOINT/3, and in one about redundant constraints their names
    const items = this.studio.tree?.items, out = []; if (!items) return out;
    for (const f of text.matchAll(NAMED)) { const k = key(f[1], +f[2]); if (items.has(k)) out.push([f.index, f[0], k]); }
    if (text.startsWith("redundant: ")) for (const [kind, id, name] of items.values()) if (CONSTRAINTS.includes(kind) && name) for (let n = text.indexOf(name, 11); n >= 0; n = text.indexOf(name, n + name.length)) if (!/\w/.test(text[n - 1] || " ") && !/\w/.test(text[n + name.length] || " ")) out.push([n, name, key(kind, id)]);
    return out.sort((a, b) => a[0] - b[0] || b[1].length - a[1].length);
  }
  line(m) {
    const box = $("console"), end = box.scrollTop + box.clientHeight > box.scrollHeight - 30, parts = []; let at = 0;
    for (const [index, text, k] of this.links(m.text)) { if (index < at) continue; parts.push(m.text.slice(at, index), el("button", { class: "link", type: "button", text, onclick: () => this.studio.choose([k], false, true) })); at = index + text.length; }
    parts.push(m.text.slice(at)); box.append(el("div", { class: `line ${m.kind}` }, el("time", { text: new Date(m.time * 1000).toLocaleTimeString([], { hour12: false }) }), el("span", {}, parts, m.actions ? el("span", { class: "remedies" }, m.actions.map((a) => this.studio.remedy(a))) : null)));
    while (box.childElementCount > 1500) box.firstChild.remove(); if (end) box.scrollTop = box.scrollHeight;
  }
  // ---- runs --------------------------------------------------------------------------------------------------------
  load(runs) { this.runs = new Map(runs.map((r) => [r.number, r])); this.data.clear(); this.motions.clear(); this.pages.compare.clear(); this.peaksOf = null; if (runs.length) this.current(runs.at(-1).number); else { this.studio.view.overlay.none(); this.studio.view.overlay.run = null; $("player").hidden = true; this.run = this.motion = this.peaksOf = null; this.tab(this.open); } }
  add(run) { const first = this.run?.number; this.runs.set(run.number, run); if (first !== undefined && this.overlay.checked) this.pages.compare.add(first); return this.current(run.number); }
  async current(number) {
    this.run = this.runs.get(number); if (!this.run) return;
    this.pickRun.replaceChildren(...[...this.runs.keys()].map((n) => el("option", { value: String(n), text: `Run ${n}` }))); this.pickRun.value = String(number); this.staleness();
    this.modeShown = this.run.modes?.rows.length ? (this.modeShown || 1) : 0; if (this.modeShown > (this.run.modes?.rows.length || 0)) this.modeShown = this.run.modes ? 1 : 0;
    const found = await this.moves(this.modeShown); this.studio.view.overlay.load(this.run, this.modeShown); if (!found || this.run.number !== number) return;
    $("player").hidden = false; this.pages.heads(); this.seek(this.modeShown ? this.begin : this.end); if (this.run.modes && this.open !== "peaks") this.tab("peaks"); else if (this.open !== "console" && this.open !== "script") this.tab(this.open);
    if (this.modeShown || this.still) { this.play(true); if (this.still) this.loopBox.checked = this.loop = false; }
  }
  async moves(mode) { // the motion of the run, of one of its modes, or from the drawing to its equilibrium
    this.range = null; this.rangeButton.hidden = true; const run = this.run, id = mode ? `${run.number}:${mode}` : run.number;
    if (!this.motions.has(id)) { try { const { table, data, at } = await block(`/motion/${run.number}${mode ? `?mode=${mode}` : ""}`); this.motions.set(id, { keys: table.keys, n: table.frames, times: new Float64Array(data.slice(at, at + 8 * table.frames)), poses: new Float32Array(data.slice(at + 8 * table.frames)) }); if (this.motions.size > 4) this.motions.delete(this.motions.keys().next().value); } catch (e) { this.studio.tell(e.message); return null; } }
    let m = this.motions.get(id); this.still = !mode && m.n === 1 && run.settings.kind === "statics";
    if (this.still) { const first = this.studio.view.places(m.keys), poses = new Float32Array(2 * first.length); poses.set(first.map((v, k) => (isFinite(v) ? v : m.poses[k]))); poses.set(m.poses, first.length); m = { keys: m.keys, n: 2, times: Float64Array.of(0, 1), poses }; }
    this.motion = m; [this.begin, this.end] = mode || this.still ? [m.times[0], m.times[m.n - 1]] : [run.begin, run.end];
    this.slider.min = String(this.begin); this.slider.max = String(this.end); this.slider.step = String((this.end - this.begin) / 2000 || 1); return m;
  }
  async mode(k) { this.modeShown = k; if (await this.moves(k)) { this.studio.view.overlay.load(this.run, k); this.seek(this.begin); this.loopBox.checked = this.loop = true; this.play(true); this.peaks(); } }
  buildPlayer() {
    this.playButton = button("Play", () => this.play(!this.playing), { ic: "play", text: false, title: "Play or pause (space)", id: "play" });
    this.slider = el("input", { type: "range", "aria-label": "Time", oninput: (e) => { this.play(false); this.seek(+e.target.value); } }); this.out = el("output", { "aria-label": "Time of the picture" });
    this.speedPick = el("select", { class: "box", "aria-label": "Speed", onchange: (e) => (this.speed = +e.target.value) }, [0.1, 0.25, 0.5, 1, 2, 5, 10].map((v) => el("option", { value: String(v), text: `${v}×`, selected: v === 1 })));
    this.loopBox = el("input", { type: "checkbox", checked: true, onchange: (e) => (this.loop = e.target.checked) });
    this.overlay = el("input", { type: "checkbox", title: "Keep the curves of this run beside those of the next" });
    this.exportButton = button("Export", () => this.exports(), { ic: "save", id: "export", "aria-haspopup": "menu", title: "Film, glTF, report, tables of this run" });
    this.pickRun = el("select", { class: "box", "aria-label": "Run", onchange: (e) => this.current(+e.target.value) });
    this.staleMark = el("span", { class: "stale", id: "stale", hidden: true, text: "edited since" });
    $("player").append(button("Design position", () => { this.play(false); this.studio.view.home(); }, { ic: "home", text: false, title: "Show the machine as it is drawn" }), this.playButton, this.slider, this.out, this.speedPick, el("label", {}, this.loopBox, " Loop"), (this.rangeButton = el("button", { type: "button", class: "button", id: "loop-range", hidden: true, title: "Range of the loop ([ and ] set it); a click removes it", onclick: () => this.mark_range("\\") })), el("label", { class: "widest" }, this.overlay, " Overlay runs"), this.pickRun, this.staleMark, this.exportButton);
  }
  since(n) { return this.studio.file?.stale?.[n] || []; }
  staleness() { // whether the shown run is that of the model as it is now
    const words = this.run ? this.since(this.run.number) : []; this.staleMark.hidden = !words.length; this.staleMark.title = words.length ? `The model was edited since this run:\n${words.join("\n")}` : ""; document.body.dataset.stale = words.length ? String(this.run.number) : "";
    for (const o of this.pickRun.options) o.textContent = `Run ${o.value}${this.since(o.value).length ? " (edited since)" : ""}`;
    const note = document.getElementById("stale-note"); if (note) note.textContent = this.staleWords();
  }
  staleWords() { const words = this.run ? this.since(this.run.number) : []; return words.length ? `The model was edited since this run: ${words.slice(0, 3).join("; ")}${words.length > 3 ? " ..." : ""}` : ""; }
  play(on) { this.playing = on && !!this.motion; if (this.playing && this.time >= this.end) this.time = this.begin; this.playButton.replaceChildren(icon(this.playing ? "pause" : "play")); this.playButton.setAttribute("aria-label", this.playing ? "Pause the player" : "Play"); }
  step(n) { // output rows on
    const m = this.motion; if (!m) return; this.play(false); let k = 0; while (k + 1 < m.n && m.times[k + 1] <= this.time + 1e-12 * (this.end - this.begin)) k++;
    if (n < 0 && m.times[k] < this.time - 1e-9 * (this.end - this.begin)) n++; this.seek(m.times[Math.max(0, Math.min(m.n - 1, k + n))]);
  }
  mark_range(k) { // of the loop: [ begins it, ] ends it, \ is the whole run
    if (!this.motion) return; const [a, b] = this.range || [this.begin, this.end];
    this.range = k === "\\" ? null : k === "[" ? [Math.min(this.time, b), b] : [a, Math.max(this.time, a)]; if (this.range && !(this.range[1] > this.range[0])) this.range = null;
    this.rangeButton.hidden = !this.range; this.rangeButton.textContent = this.range ? `loop ${shown(this.range[0], 4)} to ${shown(this.range[1], 4)} ${this.run.unit}  ×` : "";
  }
  overTime(ks) { // rows of a menu: what a joint, force or pair of markers does over time
    const markers = ks.filter((k) => k.startsWith("MARKER/")), last = ks.at(-1), out = [];
    if (markers.length === 2) out.push(["Measure their distance over time", () => this.measure(markers)]);
    if (this.run) for (const what of ["force", "torque", "angle", "displacement", "length", "position", "velocity", "effort"]) { const q = this.run.quantities.find((r) => r[2] && key(...r[2]) === last && r[1].endsWith(`.${what}`)); if (q && out.length < 5) out.push([`Plot its ${what} over time`, () => { this.tab("plots"); const vector = q[4].length === 3 && q[4][0] === "x"; this.pages.put(vector ? [{ name: q[1], part: "|magnitude|" }] : q[4].map((part) => ({ name: q[1], part }))); }]); }
    return out.length ? [...out, null] : [];
  }
  async measure([a, b]) { // a request, whose curve the next run has
    try { await this.studio.edit({ do: "create", method: "request", arguments: { name: `distance ${a.slice(7)} to ${b.slice(7)}`, kind: "DISPLACEMENT", i: ["MARKER", +b.slice(7)], j: ["MARKER", +a.slice(7)] } }, true); this.studio.tell("A request was made: run the model, then its curve is under Plots, Requests"); } catch (e) { this.studio.tell(e.message); }
  }
  advance(dt) { let t = this.time + dt * this.speed * (this.modeShown ? 0.5 * (this.end - this.begin) : 1); const [first, last] = this.range || [this.begin, this.end]; if (t > last) { if (!this.loop && !this.range) { this.seek(last); this.play(false); return; } t = first; } this.seek(t); }
  seek(t) {
    const m = this.motion; if (!m) return; this.time = t; this.slider.value = String(t); this.out.textContent = this.still ? (t < 1 ? `as drawn ${Math.round(100 * t)} %` : "equilibrium") : this.modeShown ? `mode ${this.modeShown}` : `${shown(t, 4)} ${this.run.unit}`;
    let a = 0, b = m.n - 1; while (b - a > 1) { const c = (a + b) >> 1; m.times[c] <= t ? (a = c) : (b = c); }
    const w = m.n > 1 && m.times[b] > m.times[a] ? Math.min(1, Math.max(0, (t - m.times[a]) / (m.times[b] - m.times[a]))) : 0, n = 7 * m.keys.length, out = (this.buffer?.length === n ? this.buffer : (this.buffer = new Float32Array(n))), p = m.poses;
    for (let k = 0, o = a * n, q = b * n; k < n; k += 7) {
      for (let j = 0; j < 3; j++) out[k + j] = p[o + k + j] + w * (p[q + k + j] - p[o + k + j]);
      let s = 0, l = 0; for (let j = 3; j < 7; j++) s += p[o + k + j] * p[q + k + j]; for (let j = 3; j < 7; j++) { out[k + j] = p[o + k + j] * (1 - w) + (s < 0 ? -w : w) * p[q + k + j]; l += out[k + j] ** 2; } l = Math.sqrt(l) || 1; for (let j = 3; j < 7; j++) out[k + j] /= l;
    }
    this.studio.view.pose(out, m.keys); this.studio.view.moved(); this.studio.view.overlay.seek(t); this.mark();
  }
  // ---- curves ------------------------------------------------------------------------------------------------------
  list() { this.pages.list(); }
  draw() { this.pages.draw(); }
  mark() { this.pages.mark(); }
  async series(c) { const id = `${c.run}:${c.q}.${c.component}`; if (!this.data.has(id)) { const { table, data, at } = await block(`/curves/${c.run}?q=${c.q}.${c.component}`); const v = new Float64Array(data.slice(at)), y = v.subarray(table.rows); if (y.every((x) => !(Math.abs(x) > table.noise[0]))) y.forEach((x, k) => x === x && (y[k] = 0)); this.data.set(id, { label: table.labels[0], unit: table.units[0], t: v.subarray(0, table.rows), y }); if (this.data.size > 300) this.data.delete(this.data.keys().next().value); } return this.data.get(id); }
  async earlier() { // runs of this project that an earlier session has left
    let runs; try { runs = (await this.studio.link.ask("runs")).runs.filter((r) => !this.runs.has(r.number)); } catch (e) { return this.studio.tell(e.message); }
    const boxes = runs.map((r) => el("input", { type: "checkbox", id: `earlier-${r.number}` }));
    const rows = runs.map((r, n) => el("div", { class: "field" }, el("label", { for: `earlier-${r.number}`, text: `Run ${r.number}` }), el("div", { class: "value" }, boxes[n], el("span", { text: `${r.model || ""} ${r.words || ""} ${new Date(r.time * 1000).toLocaleString()}` }))));
    return this.studio.dialog("Earlier runs", runs.length ? "Their curves can then be drawn over those of the present run." : "There are no others in this project.", rows, "Open", async () => { for (const [n, r] of runs.entries()) if (boxes[n].checked) { await this.studio.link.ask("fetch", { run: r.number }); this.pages.compare.add(r.number); } this.pages.draw(); return true; });
  }
  // ---- what is written to files ------------------------------------------------------------------------------------
  save(url, name) { return download(url, name).catch((e) => this.studio.tell(e.message)); }
  exports() {
    const items = [["Film (GIF) ...", () => this.film("gif")], ["Film (MP4) ...", () => this.film("mp4")], ["Motion as glTF (.glb) ...", () => this.write("glb", "The bodies and their motion for Blender, web viewers and slides.", [], () => ({}))], ["Report (HTML) ...", () => this.write("html", "One page with curves, tables and the animation, which needs no Studio.", [], () => ({}))], ["Table of reactions (CSV)", () => this.save(`/reactions/${this.run.number}`, `run${this.run.number}_reactions.csv`)], null, ["Picture of the machine (PNG)", () => this.studio.view.picture().then((url) => this.save(url, `${this.studio.model.name.replace(/[^\w.-]+/g, "_")}.png`))]];
    popup(this.exportButton, items, "Export");
  }
  film(kind) {
    const of = (name, label, start) => this.studio.argument({ name, kind: "number", label, start }), speed = of("speed", "Speed (1: real time)", "1"), fps = of("fps", "Pictures a second", "20"), size = this.studio.argument({ name: "size", kind: "640 x 480|1280 x 720|1920 x 1080", label: "Pixels" }), arrows = this.studio.argument({ name: "arrows", kind: "none|contacts|forces|all", label: "Forces as arrows" });
    return this.write(kind, "The motion of the run as it is seen from here, by a camera that holds still.", [speed, fps, size, arrows], () => ({ arrows: arrows.read(), speed: speed.read(), fps: fps.read(), size: size.read().split(" x ").map(Number), eye: this.studio.view.eye() }));
  }
  write(kind, help, fields, more) {
    const f = this.studio.argument({ name: "file", kind: "name", label: "File", start: `${(this.studio.file.file || this.studio.model.name).replace(/\.\w+$/, "")}_run${this.run.number}.${kind}` }); let over = "";
    return this.studio.dialog(`Export run ${this.run.number}`, help, [f, ...fields], "Write", async () => { const file = f.read(), r = await this.studio.link.ask("export", { run: this.run.number, file, over: over === file, ...more() }); if (r.exists) { over = file; throw new Error(`${r.exists} is there already; press Write again to write over it`); } this.studio.tell(`Written: ${r.file}`); return true; });
  }
  // ---- tables ------------------------------------------------------------------------------------------------------
  async peaks() {
    const box = $("peaks"); if (!this.run) { box.replaceChildren(el("div", { class: "empty", text: "Run the model; the largest reactions and forces are here then." })); return; }
    if (this.run.modes) return this.modeTable(box);
    if (this.peaksOf !== this.run.number) { try { this.peakData = (await this.studio.link.ask("peaks", { run: this.run.number })).peaks; this.peaksOf = this.run.number; } catch (e) { box.replaceChildren(el("div", { class: "empty", text: e.message })); return; } }
    const d = this.peakData, table = this.table || "peaks"; let columns, rows = d.rows, caption;
    const components = (of) => ["x", "y", "z"].map((c, k) => [`${of}.${k}`, `${of === "force" ? "F" : "T"}${c} [${pretty(d[of])}]`]);
    if (table === "now") {
      const at = this.time; try { rows = (await this.studio.link.ask("wrenches", { run: this.run.number, time: at })).rows; } catch (e) { return this.studio.tell(e.message); }
      columns = [...components("force"), ...components("torque")]; caption = `Run ${this.run.number} at ${shown(at, 6)} ${d.time}: on I, axes of ground`;
    } else if (table === "reactions") { columns = [["force", `Peak force [${pretty(d.force)}]`], ["force_time", `at [${d.time}]`], ...components("force_at").map(([k, t], n) => [k, `F${"xyz"[n]} then`]), ["force_rms", "r.m.s."], ["torque", `Peak torque [${pretty(d.torque)}]`], ["torque_time", `at [${d.time}]`], ...components("torque_at").map(([k], n) => [k, `T${"xyz"[n]} then`]), ["torque_rms", "r.m.s."]]; caption = `Run ${this.run.number}: on I, axes of ground; root mean squares over the time of the run`; }
    else { columns = [["force", `Peak force [${pretty(d.force)}]`], ["force_time", `at [${d.time}]`], ["torque", `Peak torque [${pretty(d.torque)}]`], ["torque_time", `at [${d.time}]`], ...(d.rows.some((r) => r.place) ? [["place", `where [${d.length}]`]] : []), ...(d.rows.some((r) => r.impacts) ? [["impulse", `Largest impulse [${pretty(d.momentum)}]`], ["impacts", "Impacts"]] : [])]; caption = `Run ${this.run.number}: largest force and torque on I of each constraint, applied force and contact, ${d.along ? "along the steps of the solver; * output rows miss it" : "at output rows: shorter peaks are missed"}`; }
    if (!rows.length) { redraw(box, [el("div", { class: "empty", text: `Run ${this.run.number} has no joints, motions, forces or contacts, so there are no loads to list.` }), el("div", { class: "stale-note", id: "stale-note", text: this.staleWords() })], `${this.run.number} none`); return; }
    columns = [["name", "Element"], ...columns];
    const read = (r, k) => k.split(".").reduce((o, p) => o?.[p], r), [by, way] = columns.some(([k]) => k === this.sort[0]) ? this.sort : [columns[1][0], -1];
    const least = (k) => d.noise[k], whole = (r, of) => (Array.isArray(r[of]) ? Math.hypot(...r[of]) : r[of]), part = /^(force|torque)(_at)?\.\d$/;
    const seen = (r, k) => (k === "force" || k === "torque") && table !== "now" && r[k] > 1.05 * r[`row_${k}`] && r[k] > least(k);
    const word = (r, k) => { const v = read(r, k), of = part.exec(k)?.[1]; if (k === "place") return v?.every((x) => x !== null) ? v.map((x) => shown(x, 4)).join(", ") : ""; if (k === "impulse" || k === "impacts") return v === undefined ? "" : shown(v, 6); return v && ((k === "force" || k === "torque") && v < least(k) || of && Math.abs(v) < 1e-12 * whole(r, of)) ? "≈ 0" : shown(v, 6); };
    rows = [...rows].sort((a, b) => { const x = read(a, by), y = read(b, by); return x < y ? -way : x > y ? way : 0; }).slice(0, 1000);
    const pick = el("select", { class: "box", id: "table-pick", "aria-label": "Table", onchange: (e) => { this.table = e.target.value; this.sort = ["force", -1]; this.peaks(); } }, [["peaks", "Peaks"], ["reactions", "Peaks with components and r.m.s."], ["now", "At the present time"]].map(([v, t]) => el("option", { value: v, text: t, selected: v === table })));
    redraw(box, [el("div", { class: "chart-tools" }, pick, button("CSV", () => this.save(`/reactions/${this.run.number}`, `run${this.run.number}_reactions.csv`), { title: "Peaks with components and r.m.s. of all joints, motions and forces" }), el("span", { class: "why", text: caption })),
      el("div", { class: "stale-note", id: "stale-note", text: this.staleWords() }),
      el("table", {}, el("caption", { class: "unseen", text: caption }), el("thead", {}, el("tr", {}, columns.map(([k, t]) => el("th", { scope: "col", "aria-sort": k === by ? (way < 0 ? "descending" : "ascending") : undefined }, el("button", { type: "button", text: t + (k === by ? (way < 0 ? " ▾" : " ▴") : ""), onclick: () => { this.sort = [k, k === by ? -way : k === "name" ? 1 : -1]; this.peaks(); } }))))),
        el("tbody", {}, rows.map((r) => el("tr", { "data-element": key(r.kind, r.id), class: this.studio.chosen.has(key(r.kind, r.id)) ? "chosen" : "" }, el("td", {}, el("button", { class: "link", type: "button", text: r.name, title: `${r.kind}/${r.id}`, onclick: () => { this.studio.choose([key(r.kind, r.id)], false, true); if (table !== "now") { this.play(false); this.seek(r.force > 0 ? r.force_time : r.torque_time); } this.peaks(); } }), ` ${r.kind}/${r.id}`), ...columns.slice(1).map(([k]) => el("td", { text: word(r, k) + (seen(r, k) ? " *" : ""), title: seen(r, k) ? `${read(r, k)}; output rows show ${shown(r[`row_${k}`], 4)} at most: more steps draw this peak` : String(read(r, k) ?? ""), "data-value": String(read(r, k)) }))))))], `${this.run.number} ${table}`);
  }
  modeTable(box) {
    const m = this.run.modes, caption = `Run ${this.run.number}: ${counted(m.rows.length, "mode")} about ${shown(m.time, 4)} ${this.run.unit}; a click shows one, slowed`, cell = (v) => el("td", { text: v === null ? "–" : shown(v, 6), "data-value": String(v) });
    redraw(box, [el("table", {}, el("caption", { class: "help", style: "text-align:left", text: caption }), el("thead", {}, el("tr", {}, ["Mode", `Frequency [${m.unit}]`, "Damping ratio", `Real part [1/${this.run.unit}]`, `Imaginary part [rad/${this.run.unit}]`, `Time constant [${this.run.unit}]`, "Kind", "Stability"].map((t) => el("th", { scope: "col", text: t })))),
      el("tbody", {}, m.rows.slice(0, 500).map((r) => el("tr", { class: r.mode === this.modeShown ? "chosen" : "", "data-mode": String(r.mode) }, el("td", {}, el("button", { class: "link", type: "button", text: `mode ${r.mode}`, onclick: () => this.mode(r.mode) })), cell(r.undamped_frequency), cell(r.damping_ratio), cell(r.real), cell(r.imaginary), cell(r.time_constant), el("td", { text: r.kind }), el("td", { text: r.stability })))))], `${this.run.number} modes`);
  }
  // ---- script ------------------------------------------------------------------------------------------------------
  async script() {
    const box = $("script"); let text; try { text = (await this.studio.link.ask("script", { settings: this.studio.settings() })).text; } catch (e) { text = `# ${e.message}`; }
    if (text === this.scripted && box.childElementCount) return; this.scripted = text;
    redraw(box, [el("div", { class: "chart-tools" }, button("Save as a script", () => this.studio.saveScript(), { ic: "save" }), button("Copy", () => navigator.clipboard.writeText(text).then(() => this.studio.tell("copied"), () => this.studio.tell("the browser did not let it be copied")))), el("pre", { text, tabindex: "0", "aria-label": "Script" })], "script");
  }
}
