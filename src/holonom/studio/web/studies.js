// The page of studies: those of the project, how far one is while it runs (here or in another process), why runs failed, its figures, and its designs as models.
import { change } from "./documents.js";
import { $, button, counted, download, el, fetched, pretty, shown } from "./dom.js";

const LOOK = 1000, REST = 4000; // ms between two looks at a study that runs, and at one that does not
const OWN_STYLE = "h2 { font-size: 15px; margin: 26px 0 8px; } p { max-width: 110ch; } figure:not(.plot) svg:not(.still) { background: var(--back); }";
const clock = (s) => { const n = Math.round(s), h = Math.floor(n / 3600), m = Math.floor((n % 3600) / 60), two = (v) => String(v).padStart(2, "0"); return h ? `${h}:${two(m)}:${two(n % 60)}` : `${m}:${two(n % 60)}`; };
const when = (t) => new Date(t * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
const value = (v) => (typeof v === "number" ? shown(v, 6) : String(v));
const values = (table) => Object.entries(table).map(([n, v]) => `${n} = ${value(v)}`).join(", ");

export class Studies {
  constructor(studio) {
    this.studio = studio; this.confirmed = new Set(); this.box = el("section", { id: "studies", "aria-label": "Studies", hidden: true }); document.querySelector("main").append(this.box);
    this.list = el("div", { class: "studies-list" }); this.head = el("div", { class: "vehicle-row" }); this.live = el("div", { id: "study-live" }); this.fault = el("div", { class: "fault", role: "alert", id: "study-fault" });
    this.figures = el("div", { id: "study-pictures" }); this.root = el("div", { class: "study-shadow" }); this.root.attachShadow({ mode: "open" }).addEventListener("click", (e) => this.picked(e.target.closest?.("[data-run]")?.dataset.run));
    this.design = el("div", { id: "study-design", role: "status", hidden: true });
    this.box.append(el("div", { class: "start-head" }, el("h2", { text: "Studies" }), button("Sweep the open model ...", () => { this.close(); studio.results.tab("parameters"); }, { id: "study-sweep", title: "A study of one or two parameters of the open model, in the panel Parameters" }), button("Close", () => this.close(), { ic: "close", text: false, cls: "flat", id: "studies-close", title: "Close the page (Escape)" })),
      el("div", { class: "studies-columns" }, el("nav", { "aria-label": "Studies of the project" }, this.list), el("div", {}, this.head, this.fault, this.live, this.figures, this.root)), this.design);
  }
  get on() { return !this.box.hidden; }
  close() { if (!this.on) return; this.box.hidden = true; clearTimeout(this.timer); document.body.classList.remove("paged"); this.studio.view.dirty = true; }
  async open(key) { // the page, with a study of this key, or the first of the list
    this.studio.start.close(); this.studio.vehicles.close(); this.box.hidden = false; document.body.classList.add("paged");
    await this.names(); const first = key || this.key || this.rows[0]?.key; if (first) await this.show(first); else this.empty();
  }
  async names() { // the list of studies
    try { const found = await this.studio.link.ask("studies"); this.rows = found.studies; this.shipped = found.shipped; } catch (e) { this.rows ||= []; this.shipped ||= []; this.fault.textContent = e.message; }
    const words = { running: "running", begun: "", ready: "not started" };
    const row = (key, text, about) => el("button", { type: "button", class: "study-name", "data-study": key, "aria-current": String(key === this.key), onclick: () => this.show(key) }, el("b", { text }), el("span", { text: about }));
    const own = this.rows.filter((r) => r.own), project = this.rows.filter((r) => !r.own), about = (r) => [r.fault && "cannot be read", words[r.state], r.time ? when(r.time) : ""].filter(Boolean).join(", ");
    const drawn = JSON.stringify([this.rows, this.key]); if (drawn === this.listed) return; this.listed = drawn; const at = document.activeElement?.dataset?.study, open = this.list.querySelector("details")?.open;
    this.list.replaceChildren(el("h3", { text: "In this project" }), ...(project.length ? project.map((r) => row(r.key, r.key, about(r))) : [el("p", { class: "help", text: "No study file (.yaml, .json) and no file of runs (.study) is in the project's folder." })]), ...(own.length ? [el("h3", { text: "Sweeps" }), ...own.map((r) => row(r.key, `Sweep ${parseInt(r.key.split("/").at(-1), 10)}`, about(r)))] : []), el("details", { open: open ?? !project.length }, el("summary", { text: "Studies that ship with Holonom" }), this.shipped.map(([name, text]) => row(name, name, text))));
    if (at) this.list.querySelector(`[data-study="${CSS.escape(at)}"]`)?.focus();
  }
  empty() { this.head.replaceChildren(); this.live.replaceChildren(el("p", { class: "help", text: "Choose a study. A study file describes parameters, measures and stages; the documentation of studies has examples." })); this.figures.replaceChildren(); this.root.shadowRoot.replaceChildren(); }
  async show(key) { // another study
    if (key !== this.key) { this.key = key; this.about = null; this.drawn = this.headed = this.tried = this.seen = undefined; this.live.replaceChildren(); this.figures.replaceChildren(); this.root.shadowRoot.replaceChildren(); this.picked(); this.fault.textContent = ""; }
    await this.look(); await this.names();
  }
  async look() { // its state now; again while the page is open
    clearTimeout(this.timer); const key = this.key; if (!this.on || !key) return; let about;
    try { about = await this.studio.link.ask("study_state", { study: key }); } catch (e) { this.fault.textContent = e.message; }
    if (key !== this.key || !this.on) return;
    if (about) { const before = this.about; this.about = about; this.key = about.key; this.fault.textContent = about.fault; this.header(); this.table(); if (before && this.busy(before) !== this.busy(about)) this.names(); this.pictures(); document.body.dataset.studyState = this.word(); document.body.dataset.studyRuns = String(this.done()); }
    this.timer = setTimeout(() => this.look(), about && this.busy(about) ? LOOK : REST);
  }
  get sweep() { return this.about.key.startsWith(".holonom/"); }
  busy(about) { return about.here || (about.state && about.state.writer !== null); }
  done() { return (this.about.state?.stages || []).reduce((n, s) => n + s.done, 0); }
  word() { // what a study is doing
    const a = this.about, s = a.state; if (a.here) return a.end === "stopping" ? "stopping" : s ? "running" : "starting"; if (!s) return "not started"; if (s.writer !== null) return this.sweep ? "running" : "running elsewhere";
    return s.stages.length && s.stages.every((t) => t.finished) && (!s.defined || a.end === "finished" || s.stages.length >= s.defined) ? "finished" : "interrupted";
  }
  header() {
    const a = this.about, word = this.word(), drawn = JSON.stringify([a.key, word, a.runs, a.source, a.state?.writer, this.accepts()]); if (drawn === this.headed) return; this.headed = drawn;
    const text = { "running elsewhere": `running in another process${a.state?.writer ? ` (${a.state.writer})` : ""}`, interrupted: "not finished" }[word] || word, begun = !!a.state, idle = !this.busy(a);
    this.head.replaceChildren(el("h3", { text: a.key }), el("span", { class: `study-word ${word.split(" ")[0]}`, id: "study-word", text }), el("span", { class: "why", text: [a.source, a.store !== a.key ? `runs in ${a.store}` : ""].filter(Boolean).join("; ") }),
      ...(a.runs && idle && !a.fault && word !== "finished" ? [button(begun ? "Continue" : "Start", () => this.start(false), { ic: "play", cls: "strong", id: "study-start", title: "Run the stages of the study file in processes of their own; finished runs are kept and not computed again" })] : []),
      ...(idle && this.accepts() ? [button("Continue with changed code", () => this.start(true), { id: "study-accept", title: "The file then has runs of both; each row has the hash of its code" })] : []),
      ...(a.here || (this.sweep && !idle) ? [button("Stop", () => this.ask(a.here ? "study_cancel" : "stop_study"), { ic: "stop", id: "study-stop", title: "End the study; finished runs are kept" })] : []),
      ...(begun ? [button("Page", () => download(`/study/page?study=${encodeURIComponent(a.key)}`, `${a.key.replace(/[^\w.-]+/g, "_")}.html`).catch((e) => (this.fault.textContent = e.message)), { ic: "save", id: "study-page", title: "The figures and runs as one file that needs no network" })] : []));
  }
  accepts() { return /accept.changes/i.test(this.about.end); } // the study was refused since its code has changed
  async ask(what, more = {}) { this.fault.textContent = ""; try { await this.studio.link.ask(what, { study: this.key, ...more }); } catch (e) { this.fault.textContent = e.message; } await this.look(); this.names(); }
  async start(accept) { // a study file runs Python of the project: it is asked once
    const a = this.about; if (/^function /.test(a.source) && !this.confirmed.has(a.key)) { const ok = await this.studio.dialog("Run this study?", `It runs Python code of the project: ${a.source}.`, [], "Run", async () => true); if (!ok) return; this.confirmed.add(a.key); }
    await this.ask("study_start", { accept });
  }
  // ---- the live table ----------------------------------------------------------------------------------------------
  table() {
    const a = this.about, drawn = JSON.stringify([a.state, a.lines, a.end, a.here]); if (drawn === this.drawn) return; this.drawn = drawn; const s = a.state, open = [...this.live.querySelectorAll("details")].map((d) => d.open);
    const parts = []; if (a.end && !["finished", "stopping"].includes(a.end)) parts.push(el("div", { class: "faults", id: "study-end", text: a.end }));
    if (!s) parts.push(el("p", { class: "help", text: a.here ? "The workers start; kernels that are not compiled yet take a while." : "It has no runs yet." }));
    else {
      const cells = (list, numbers = []) => list.map((t) => el("th", { scope: "col", class: numbers.includes(t) ? "n" : "", text: t }));
      parts.push(el("div", { class: "study-scroll", tabindex: "0", role: "region", "aria-label": "Stages" }, el("table", { class: "study-stages", id: "study-stages" }, el("caption", { class: "unseen", text: "Stages of the study" }), el("thead", {}, el("tr", {}, cells(["Stage", "Progress", "Runs", "ok", "failed", "refused", "Rate", "Left"], ["Runs", "ok", "failed", "refused", "Rate", "Left"]))), el("tbody", {}, s.stages.map((t) => this.stage(t))))));
      if (s.defined > s.stages.length) parts.push(el("p", { class: "help", text: `${counted(s.defined, "stage")} in the study file, ${s.stages.length} begun` }));
      for (const t of s.stages) parts.push(...this.found(t, s));
      if (s.failures.length) parts.push(el("h3", { text: "Why runs failed" }), el("div", { class: "study-scroll", tabindex: "0", role: "region", "aria-label": "Reasons of failures" }, el("table", { id: "study-failures" }, el("thead", {}, el("tr", {}, cells(["Runs", "Reason", "Parameters of these runs"]))), el("tbody", {}, s.failures.map((f) => el("tr", {}, el("td", { text: String(f.count) }), el("td", { class: "words", title: f.example, text: f.text }), el("td", { class: "words" }, f.deciding ? el("b", { text: f.deciding }) : null, f.deciding ? el("br") : null, f.at.map(([n, low, high]) => `${n} ${value(low)} to ${value(high)}`).join(", "))))))));
      if (s.warnings.length) parts.push(el("details", {}, el("summary", { text: `Warnings of ${counted(s.warnings.reduce((n, w) => n + w[0], 0), "run")}` }), s.warnings.map(([n, t]) => el("p", { class: "help", text: `${n} × ${t}` }))));
      if (s.losses) parts.push(el("p", { class: "help", text: `${counted(s.losses, "attempt")} ended with their worker process; the last: ${s.last_loss}` }));
    }
    if (a.lines.length) parts.push(el("details", { id: "study-lines" }, el("summary", { text: "What the study printed" }), el("pre", { tabindex: "0", "aria-label": "Output of the study", text: a.lines.join("\n") })));
    this.live.replaceChildren(...parts); [...this.live.querySelectorAll("details")].forEach((d, k) => (d.open = open[k] ?? d.open));
  }
  stage(t) {
    const c = t.counts, part = t.finished ? 1 : t.total ? t.done / t.total : 0, number = (v, cls = "") => el("td", { class: `n ${v ? cls : ""}`, text: v ? String(v) : "0" });
    return el("tr", { "data-stage": String(t.stage) }, el("th", { scope: "row", text: `${t.stage} ${t.name}`, title: Object.entries(t.options).map(([n, v]) => `${n.replaceAll("_", " ")} ${v}`).join(", ") }), el("td", {}, t.total || t.finished ? el("progress", { max: 1, value: part, "aria-label": `Progress of stage ${t.stage}` }) : "–"), el("td", { class: "n", text: t.finished || !t.total ? String(t.done) : `${t.done} of ${t.most ? "at most " : ""}${t.total}` }), number(c.ok), number(c.failed, "bad"), number(c.refused, "bad"), el("td", { class: "n", text: t.rate ? `${shown(t.rate, 3)}/s` : t.finished ? "finished" : "–" }), el("td", { class: "n", text: t.left === null ? (t.finished ? when(Date.parse(t.finished) / 1000) : "–") : `${t.most ? "≤ " : ""}${clock(t.left)}` }));
  }
  found(t, s) { // the best so far, the outcome, and ranges of measures of a stage
    const out = [], model = (p) => (this.about.model ? [" ", button("Open as a model", () => this.model(p), { cls: "flat", "data-design": String(t.stage), title: "The model at these values, in a new file of the project" })] : []), b = t.best, units = Object.fromEntries(s.parameters);
    if (b) { const p = Object.fromEntries(Object.entries(b.parameters).filter(([n]) => n in units)); out.push(el("p", { class: "study-best" }, el("b", { text: `Stage ${t.stage}, ${t.finished ? "best" : "best so far"}: ${b.of} = ${value(b.value)}` }), ` (run ${b.run}${b.feasible ? "" : ", does not meet the constraints"}${b.formulas ? "; constraints that are formulas are judged at the end" : ""}) at ${Object.entries(p).map(([n, v]) => `${n} = ${value(v)}${units[n] ? ` ${pretty(units[n])}` : ""}`).join(", ")}`, ...model(b.parameters))); }
    else if (t.outcome) out.push(el("p", { class: "study-best" }, el("b", { text: `Stage ${t.stage}: ` }), values(t.outcome), ...model(t.outcome)));
    if (t.message) out.push(el("p", { class: "help", text: t.message }));
    if (!b && t.ranges.length) out.push(el("details", { open: s.stages.length < 3 }, el("summary", { text: `Ranges of measures, stage ${t.stage}` }), el("table", { class: "study-ranges" }, el("thead", {}, el("tr", {}, ["Measure", "least", "of run", "largest", "of run"].map((h, k) => el("th", { scope: "col", class: k ? "n" : "", text: h })))), el("tbody", {}, t.ranges.map(([n, low, first, high, last]) => el("tr", {}, el("th", { scope: "row", text: n }), ...[value(low), first, value(high), last].map((v) => el("td", { class: "n", text: String(v) }))))))));
    return out;
  }
  // ---- figures and designs -----------------------------------------------------------------------------------------
  pictures() { // when it is opened and when it has ended; while it runs, on demand
    const n = this.done(), busy = this.busy(this.about), words = this.seen === undefined ? "" : n > this.seen ? `Figures of ${this.seen} of ${counted(n, "run")}` : `Figures of ${counted(n, "run")}`;
    if (!n) return; const again = this.figures.querySelector("button");
    if (!again) this.figures.replaceChildren(el("h3", { text: "Figures" }), el("div", { class: "vehicle-row" }, el("span", { id: "study-figures-of", text: words }), button("Draw again", () => this.draw(), { id: "study-draw", title: "Figures of all runs so far" }))); else $("study-figures-of").textContent = words;
    if (!this.drawing && (this.tried === undefined || (!busy && n > this.tried))) this.draw();
  }
  async draw() {
    if (this.drawing) return; this.drawing = true; const key = this.key; this.tried = this.done(); this.seen ??= 0; $("study-figures-of").textContent = "Figures are drawn ...";
    try {
      const found = await (await fetched(`/study/figures?study=${encodeURIComponent(key)}`)).json(); if (key !== this.key) return;
      const page = new DOMParser().parseFromString(found.html, "text/html"), root = this.root.shadowRoot; root.replaceChildren(el("style", { text: found.style + OWN_STYLE }), ...page.body.childNodes); this.designs = found.designs; this.seen = found.runs; this.picked();
      const n = this.done(); $("study-figures-of").textContent = n > found.runs ? `Figures of ${found.runs} of ${counted(n, "run")}` : `Figures of ${counted(found.runs, "run")}`; document.body.dataset.studyFigures = String(found.runs);
    } catch (e) { this.fault.textContent = e.message; } finally { this.drawing = false; }
  }
  picked(run) { // a run that is clicked is marked in all figures; its design can be opened
    for (const node of this.root.shadowRoot.querySelectorAll("[data-run]")) node.classList.toggle("picked", node.dataset.run === run);
    const text = run && this.designs?.[run]; this.design.hidden = !text; if (!text) return; const p = JSON.parse(text), title = this.root.shadowRoot.querySelector(`svg [data-run="${CSS.escape(run)}"] > title`)?.textContent;
    this.design.replaceChildren(el("pre", { text: title || values(p) }), el("div", { class: "vehicle-row" }, this.about?.model ? button("Open as a model", () => this.model(p), { id: "study-open", cls: "strong" }) : null, button("Copy the values", () => navigator.clipboard.writeText(`study.model(${text})`).then(() => this.studio.tell("copied"), () => this.studio.tell("the browser did not let it be copied")), { title: "As Python: study.model(...)" }), button("Close", () => this.picked(), { cls: "flat", ic: "close", text: false })));
  }
  async model(p) { try { this.studio.tell("The model is built ..."); if (await change(this.studio, "study_model", { study: this.key, values: p })) { this.close(); this.studio.tell(`The model has the values of this run: ${values(p)}`); } } catch (e) { this.fault.textContent = e.message; } }
}
