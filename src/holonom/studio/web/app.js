// The Studio: what is chosen, what is asked of the server, menus, dialogs, the run, and what is told.
import { $, Link, button, counted, el, icon, later, popup, pretty, shown, uploaded } from "./dom.js";
import { duplicate, mirror, movable, move } from "./arrange.js";
import { change, locked, newFile, openFile, recovered, save, vehicle } from "./documents.js";
import { Editor, split } from "./editor.js";
import { Draw } from "./draw.js";
import { Guide } from "./guide.js";
import { Layout } from "./layout.js";
import { Live } from "./live.js";
import { leave, pending, retake } from "./redraw.js";
import { Results } from "./results.js";
import { Start } from "./start.js";
import { Studies } from "./studies.js";
import { Toolbar } from "./toolbar.js";
import { Tree, key } from "./tree.js";
import { Vehicles } from "./vehicles.js";
import { View } from "./view.js";

const STEP = [".step", ".stp"]; // CAD files: their solids become bodies
const LINES = ["points", "points2", "grid", "values", "signals", "texts", "pairs", "data"]; // of several lines each
const LEAVING = ["run", "save", "script", "study", "undo", "redo", "open", "new", "recover", "vehicle", "study_model"]; // commands of the whole model
const NOT_DONE = { run: "The run has not started", save: "The model was not saved", script: "The script was not saved", study: "The study has not started" };
const MESHES = [".stl", ".obj", ".ply", ".off", ".glb", ".gltf"];

class Studio {
  constructor() {
    this.chosen = new Set(); this.edits = new Set(); this.state = {}; this.theme(localStorage.getItem("holonom-theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    document.body.append(el("datalist", { id: "names" }));
    this.bar(); this.layout = new Layout(this); this.tree = new Tree(this); this.editor = new Editor(this); this.view = new View(this); this.live = new Live(this); this.results = new Results(this); this.draw = new Draw(this); this.start = new Start(this); this.vehicles = new Vehicles(this); this.studies = new Studies(this); this.guide = new Guide(this); this.toolbar = new Toolbar(this); this.panels(); this.splits(); this.drops(); this.keys(); this.editor.show(null);
    this.link = new Link((m) => this.hear(m), (data) => this.pose(data), (on) => this.connected(on), (what, given) => this.settle(what, given)); addEventListener("beforeunload", (e) => this.unload(e));
  }
  // ---- what the server says ----------------------------------------------------------------------------------------
  hear(m) {
    if (m.event === "hello") this.hello(m);
    else if (m.event === "changed") { this.file = { ...this.file, ...m }; this.results.staleness(); if (m.model) { this.model = m.model; } this.tree.change(m.rows); const keys = new Set(m.rows.map((r) => key(r[0], r[1]))); for (const r of m.rows) if (r[2] === null) this.chosen.delete(key(r[0], r[1])); if (this.editor.key && !["model"].includes(this.editor.key) && !this.tree.items.has(this.editor.key)) this.choose([]); else if (m.model || keys.size) this.editor.refresh(m.model ? null : new Set([...keys, ...this.touching(keys)])); if (m.rows.some((r) => ["PART", "POINT_MASS", "MARKER", "GRAPHICS", "JOINT"].includes(r[0])) && !this.running) { this.results.play(false); this.view.home(); } if (this.results.open === "script") this.results.script(); if (this.results.open === "parameters") later(() => this.results.parameters.show(), 150)(); this.head(); }
    else if (m.event === "scene") m.same === this.view.version && !this.loading ? this.sameScene(m.version) : this.loadScene(true);
    else if (m.event === "state") { this.state = m.state; this.status(); }
    else if (m.event === "progress") { const r = this.running; if (r) { Object.assign(r, { time: m.t, h: m.h, part: m.end ? m.t / m.end : 0 }); r.since ??= [performance.now(), m.t]; this.progress(); } }
    else if (m.event === "message") { this.results.line(m); if (m.actions && this.running) this.advise(m); if (m.kind === "error") this.tell(m.text); }
    else if (m.event === "input") this.live.heard(m);
    else if (m.event === "pages") this.results.pages.take(m.pages);
    else if (m.event === "run") this.ran(m);
    else if (m.event === "lock") locked(this, m);
    else if (m.event === "study") this.results.parameters.heard(m);
  }
  touching(keys) { return this.editor.key && [...keys].some((k) => k !== this.editor.key) ? [this.editor.key] : []; }
  async hello(m) {
    const again = this.lost && this.file && m.file === this.file.file && m.project === this.file.project; this.lost = false; const kept = again ? { run: this.settings(), chosen: [...this.chosen], filter: this.tree.filter, unsent: [...$("editor").querySelectorAll("input, select, textarea")].filter((f) => pending(f) && f.dataset.dirty !== "1").map((f) => f.id) } : null; // the same model after the server was away
    const lost = this.running && m.running?.number !== this.running.number && !m.runs.some((r) => r.number === this.running.number) ? this.running.number : 0; // a run that ended with its server
    this.file = m; this.model = m.model; this.forms = m.forms; this.fields = m.fields; this.picked_ = m.picked; this.examples = m.examples; this.running = m.running; this.state = m.state; this.chosen.clear(); this.view.hidden.clear(); this.view.clear.clear(); this.view.last = null; this.view.keysOf = null; this.results.play(false); this.tree.current = "model";
    this.tree.empty(); this.tree.load(m.outline); this.results.lines(m.console); this.kind.replaceChildren(...m.analyses.map((a) => el("option", { value: a, text: a[0].toUpperCase() + a.slice(1) })));
    this.integrator.replaceChildren(el("option", { value: "", text: "Integrator" }), ...Object.entries(m.integrators).map(([n, w]) => el("option", { value: n, text: n, title: w })));
    this.kind.value = m.settings.kind || "auto"; this.end.value = m.settings.end ?? 1; this.steps.value = m.settings.steps ?? 200; this.integrator.value = m.settings.integrator || ""; this.error.value = m.settings.error ?? ""; this.coordinates = m.settings.coordinates || "";
    if (kept) { this.kind.value = kept.run.kind; this.end.value = kept.run.end; this.steps.value = kept.run.steps; this.integrator.value = kept.run.integrator; this.error.value = kept.run.error; this.coordinates = kept.run.coordinates; $("search").value = this.tree.filter = kept.filter || ""; this.tree.layout(); }
    locked(this, m); this.live.show(); this.head(); this.status(); this.choose(kept?.chosen.filter((k) => k === "model" || this.tree.items.has(k)) || []); await this.loadScene(false); this.results.load(m.runs); this.results.parameters.measures = null; this.results.parameters.drawn = null; this.results.parameters.heard(m.study); this.results.pages.take(m.pages); this.ready = true; this.draw.stop(); this.vehicles.close(); if (this.file.file || this.file.steps) this.start.close(); await this.start.first(); if (m.first_study && !this.studies.key) await this.studies.open(m.first_study); else if (!again) this.studies.close(); document.body.dataset.ready = "1";
    this.progress(); this.advise(null); if (lost) { document.body.dataset.run = "ended"; const text = `Run ${lost} ended with its server; its rows to then are in Plots, Runs, Earlier runs`; this.results.line({ kind: "warning", text, time: Date.now() / 1000 }); this.tell(text); }
    if (kept) { await this.editor.shown; kept.unsent.forEach((id) => retake($(id))); } // edits that the lost server did not hear
  }
  sameScene(version) { this.view.version = version; document.body.dataset.scene = String(+(document.body.dataset.scene || 0) + 1); } // an edit that moves nothing in the picture
  async loadScene(keep) { if (this.loading) { this.again = true; return; } this.loading = true; try { await this.view.load(keep); this.view.refresh(); await this.draw.refresh(); } catch (e) { this.tell(e.message); } this.loading = false; document.body.dataset.scene = String(+(document.body.dataset.scene || 0) + 1); if (this.again) { this.again = false; this.loadScene(true); } }
  connected(on) { if (!on && this.ready) this.lost = true; document.body.dataset.connected = on ? "1" : ""; this.status(on ? null : "The server does not answer. Start `holonom studio` in this project again; this window connects by itself."); }
  tell(text) { $("notice").textContent = text; clearTimeout(this.told); this.told = setTimeout(() => ($("notice").textContent = ""), 6000); }
  // ---- what is chosen ----------------------------------------------------------------------------------------------
  choose(keys, more = false, show = false) {
    if (this.picking && keys[0]) { if (this.picking.kinds.includes(split(keys[0])[0])) { const p = this.picking; this.picking = null; this.tell(""); p.done(keys[0]); return; } return this.tell(`Pick a ${this.picking.kinds.join(" or ")}; Escape ends it`); }
    if (!more) this.chosen.clear(); for (const k of keys) more && this.chosen.has(k) ? this.chosen.delete(k) : this.chosen.add(k);
    if (show && keys[0]) this.tree.show(keys[0]); else this.tree.draw();
    this.view.refresh(); this.view.gizmo.again(); this.editor.shown = this.editor.show([...this.chosen].at(-1) || null); if (this.results.open === "plots") this.results.list();
  }
  picked(k, more) { if (!k) { if (!this.picking && !more) this.choose([]); return; } this.choose([k], more, true); }
  pick(kinds, done) { this.picking = { kinds, done }; this.tell(`Pick a ${kinds.join(" or ")} in the tree or in the picture; Escape ends it`); if (kinds.includes("MARKER")) { this.view.show.markers = true; this.view.refresh(); } }
  point(what, done, again) { this.pointing = { what, done, again }; this.tell(what === "point" ? "Click a point on the machine; a marker or joint gives its origin; Escape ends it" : "Click a surface (its normal), a marker or a joint (its z axis); Escape ends it"); $("canvas").focus(); }
  pointed(hit) { const p = this.pointing; if (!hit) return this.tell(`There is nothing there; click a ${p.what} on the machine`); this.pointing = null; this.tell(""); p.done(p.what === "point" ? hit.ground : hit.normal); }
  nameOf(kind, id) { const r = this.tree.items.get(key(kind, id)); return `${id} ${r ? r[2] : "(is not there)"}`; }
  named(text, kind) { const n = /^\s*(\d+)\b/.exec(text); if (n) return +n[1]; for (const r of this.tree.items.values()) if (r[0] === kind && r[2].toLowerCase() === text.toLowerCase()) return r[1]; return text; }
  offer(kinds, text) { const all = [kinds].flat(), f = text.toLowerCase().trim(), out = []; for (const r of this.tree.items.values()) if (all.includes(r[0]) && `${r[1]} ${r[2]}`.toLowerCase().includes(f) && out.push(r) >= 60) break; $("names").replaceChildren(...out.map((r) => el("option", { value: all.length > 1 ? `${r[0]}/${r[1]} ${r[2]}` : `${r[1]} ${r[2]}` }))); }
  context(at, under = []) { // the menu of what is chosen; ``under``: what else lies under the pointer
    const name = (k) => { const r = this.tree.items.get(k); return r ? `${r[2]}  ${k}` : k; }; under = under.filter((k) => !this.chosen.has(k) && this.tree.items.has(k)).slice(0, 10);
    const ks = [...this.chosen], k = ks.at(-1); if (!k || k === "model") return; const bodies = ks.filter((x) => this.view.index.has(x));
    popup(at, [this.tree.items.get(k)?.[2] || k, ...(bodies.length ? [["Hide or show", () => this.view.hide(bodies, !this.view.hidden.has(bodies[0])), "H"], ["Isolate", () => this.view.isolate(bodies), "I"], ["Transparent", () => this.view.glassy(bodies), "T"], ["Show everything", () => this.view.all(), "Shift+H"], ["Fit to it", () => this.view.fit(bodies)], null] : []), ["Properties", () => this.editor.focus()], ...this.results.overTime(ks), ...(bodies.length ? [[this.view.followed === bodies.at(-1) ? "Stop following" : "Follow with the camera", () => this.view.follow(bodies.at(-1))], [this.view.traces.has(bodies.at(-1)) ? "Remove its trace" : "Trace its path", () => this.view.trace(bodies.at(-1))]] : []), ...(movable(k) ? [["Move and turn ...", () => move(this, ks), "G, R"]] : []), ["Copy ...", () => duplicate(this, k), "Ctrl+D"], ...(split(k)[0] === "PART" ? [["Mirror ...", () => mirror(this, k)]] : []), null, ["Rename", () => $("p-name")?.focus(), "F2"], ["Delete", () => this.remove(), "Del"], ...(under.length ? [null, "Under the pointer", ...under.map((k) => [name(k), () => this.choose([k], false, true)])] : [])], "Element");
  }
  // ---- edits -------------------------------------------------------------------------------------------------------
  async edit(command, quiet) { try { return await this.under(this.link.ask("edit", { command })); } catch (e) { if (!quiet) this.tell(e.message); throw e; } }
  under(work) { this.edits.add(work); const end = () => this.edits.delete(work); work.then(end, end); return work; } // an edit on its way to the model
  refusals() { return [...$("editor").querySelectorAll("[aria-invalid]")].filter(pending).map((field) => ({ field, label: $("editor").querySelector(`label[for="${field.id.replace(/-\d+$/, "")}"]`)?.firstChild.textContent || field.getAttribute("aria-label") || field.id, value: field.value, why: $(field.getAttribute("aria-describedby"))?.textContent || "" })); }
  settle(what, given) { return LEAVING.includes(what) && (what !== "script" || given.file) ? this.taken(what) : null; }
  async taken(what) { // a command is about the values that are shown: first the field with the focus is taken; a run and a file never leave out a refused value silently
    const active = document.activeElement, before = this.refusals().filter((r) => r.field !== active); leave(active);
    const ended = await Promise.allSettled([...this.edits]); if (!NOT_DONE[what]) return;
    const [r] = [...before, ...this.refusals()], why = ended.find((e) => e.reason)?.reason.message;
    if (r) { r.field.focus(); throw new Error(`${NOT_DONE[what]}: ${r.label} does not take '${r.value}'${r.why ? ` (${r.why})` : ""}. Correct it, or press Escape in the field`); }
    if (why) throw new Error(`${NOT_DONE[what]}: ${why}`);
  }
  unload(e) { const refused = this.refusals(); leave(document.activeElement); if (refused.length || (this.edits.size && this.link.socket?.readyState !== 1)) e.preventDefault(); } // the page is left: what is typed is sent; the browser asks where that is not possible
  async undo(what) { try { const r = await this.link.ask(what); this.tell(r.words ? `${what === "undo" ? "Undone" : "Done again"}: ${r.words}` : `Nothing to ${what}`); } catch (e) { this.tell(e.message); } }
  async remove() {
    const ks = [...this.chosen].filter((k) => k !== "model"); if (!ks.length) return;
    const k = ks.at(-1), [kind, id] = split(k); let e; try { e = (await this.link.ask("element", { kind, id })).element; } catch (x) { return this.tell(x.message); }
    const n = e.users.length + e.more_users;
    if (n) { const ok = await this.dialog(`Delete ${kind}/${id} ${e.name}?`, `${n} ${n === 1 ? "element names" : "elements name"} it and would go with it: ${e.users.slice(0, 12).map((u) => `${u[0]}/${u[1]} ${u[2]}`).join(", ")}${n > 12 ? " ..." : ""}`, [], "Delete", async () => true); if (!ok) return; }
    try { await this.edit({ do: "remove", kind, id }); this.choose([]); } catch { /* told */ }
  }
  create(name, file) { // ``file``: a mesh that was dropped into the picture
    const f = this.forms[name], fields = f.arguments.map((a) => this.argument(a)), [first] = [...this.chosen].filter((k) => k !== "model");
    for (const [k, field] of [...this.chosen].map((c, n) => [c, fields.filter((x) => x.kinds)[n]])) if (field?.kinds?.includes(split(k)[0])) field.set(k);
    void first; if (file) fields.find((x) => x.give)?.give(file);
    return this.dialog(f.title, f.help, fields, "Create", async () => {
      const args = {}; f.arguments.forEach((a, n) => { const v = fields[n].read(); if (v !== null && v !== "") args[a.name] = v; });
      const r = await this.edit({ do: "create", method: name, arguments: args }, true);
      const mine = f.group === "Control" ? r.made.filter(([k]) => k !== "VARIABLE") : r.made.filter(([k]) => k !== "MARKER" || name === "marker_at"); if (mine.length) setTimeout(() => this.choose([key(...mine.at(f.group === "Bodies" && name !== "marker_at" ? 0 : -1))], false, true), 0);
      return true;
    });
  }
  step() { const i = el("input", { type: "file", id: "step-file", accept: STEP.join(), hidden: true, onchange: () => { const f = i.files[0]; i.remove(); if (f) this.solids(f); } }); document.body.append(i); i.click(); }
  async solids(file) { // bodies of a STEP file, one for each of its solids
    this.tell(`Reading ${file.name} ...`); let found; try { found = await uploaded(file); } catch (e) { return this.tell(e.message); } this.tell("");
    const boxes = found.solids.map((s, n) => el("input", { type: "checkbox", id: `solid-${n}`, checked: !s.closed })), density = this.argument(this.forms.part_mesh.arguments.find((a) => a.name === "density")), size = (s) => s.size.map((v) => shown(v * found.scale, 4)).join(" × ");
    const rows = found.solids.map((s, n) => el("div", { class: "field" }, el("label", { for: `solid-${n}`, text: s.name }), el("div", { class: "value" }, boxes[n], el("span", { text: `${size(s)} ${pretty(this.model.units.length)}, volume ${shown(s.volume * found.scale ** 3, 5)}${s.closed ? `; ${s.closed}` : ""}` }))));
    return this.dialog(`Bodies of ${file.name}`, "Each solid becomes a body at its position in the assembly; mass and inertia follow from the density and its triangles.", [density, ...rows], "Create", async () => {
      const rho = density.read(), commands = found.solids.filter((s, n) => boxes[n].checked).map((s) => ({ do: "create", method: "part_mesh", arguments: { name: s.name, mesh: s.file, scale: found.scale, density: rho } })); if (!commands.length) throw new Error("Choose a solid");
      const { made } = await this.edit({ do: "several", commands }, true), mine = made.filter(([k]) => k === "PART"); setTimeout(() => { this.choose(mine.map((m) => key(...m)), false, true); this.view.fit(); }, 300); return true;
    });
  }
  async another(kind) { // an element by its fields
    let form; try { form = await this.link.ask("blank", { kind }); } catch (e) { return this.tell(e.message); }
    const name = this.argument({ name: "name", kind: "name", label: "Name" }), made = form.rows.map((r) => [r, this.editor.row(r, { kind: `new-${kind}`, id: 0 }, () => {})]).filter(([, node]) => node.editable), first = made.map(([, node]) => JSON.stringify(node.read()));
    const often = made.filter(([r]) => !r.optional && ["reference", "references", "formula", "choice"].includes(r.kind)), rest = made.filter((m) => !often.includes(m)), nodes = (list) => list.map(([, node]) => node);
    return this.dialog(this.fields[kind][0], form.help, [name, ...nodes(often), often.length && rest.length > 6 ? el("details", { class: "more", open: true }, el("summary", { text: `${rest.length} more properties` }), nodes(rest)) : el("div", {}, nodes(rest))], "Create", async () => {
      const values = {}; made.forEach(([r, node], n) => { const v = node.read(); if (JSON.stringify(v) !== first[n]) values[r.name] = v; });
      const { made: all } = await this.edit({ do: "add", kind, name: name.read(), values }, true); setTimeout(() => this.choose([key(...all.at(-1))], false, true), 0); return true;
    });
  }
  argument(a) {
    const id = `a-${a.name}`, unit = a.unit ? el("span", { class: "unit", text: pretty(a.unit) }) : null, label = el("label", { for: id }, a.label, " ", unit), text = (v, more = {}) => { const i = el("input", { type: "text", spellcheck: "false", autocomplete: "off", ...more }); i.value = v ?? ""; return i; };
    let inputs, read, set; const kinds = this.picked_[a.kind];
    if (kinds && a.kind === "joint+joint") { const two = [0, 1].map((n) => this.reference(n ? `${id}-${n}` : id, kinds, a.label)); inputs = two.map((t) => t.node); read = () => { const v = two.map((t) => t.read()); return v.every(Boolean) ? v : null; }; }
    else if (kinds) { const r = this.reference(id, kinds, a.label); inputs = [r.node]; read = r.read; set = r.set; }
    else if (a.kind.startsWith("vector")) {
      const n = +(a.kind.slice(6) || 3), v = Array.from({ length: n }, (_, k) => text(a.start?.[k], { id: k ? `${id}-${k}` : id, "aria-label": `${a.label} ${"xyz"[k] || k + 1}` })), what = a.label.includes("(ground)") && n === 3 ? (a.unit ? "point" : "direction") : "";
      const b = what ? button(`Pick ${a.label}`, () => { const d = b.closest("dialog"); d.close("picking"); this.point(what, (p) => { p.forEach((x, k) => (v[k].value = String(+x.toPrecision(7)))); d.showModal(); b.focus(); }, () => d.showModal()); }, { ic: "pick", text: false, title: `Click the ${what} in the picture` }) : null;
      inputs = [el("span", { class: "vector" }, v, b)]; read = () => (v.every((i) => !i.value.trim()) ? null : v.map((i) => i.value));
    }
    else if (a.kind.includes("|")) { const q = el("select", { id }, a.kind.split("|").map((w) => el("option", { value: w, text: w.toLowerCase() || "(by the joint)" }))); inputs = [q]; read = () => q.value || null; }
    else if (LINES.includes(a.kind)) { const t = el("textarea", { id, rows: String(Math.max(2, Math.min(6, String(a.start ?? "").split("\n").length + 1))), spellcheck: "false" }); t.value = a.start ?? ""; inputs = [t]; read = () => t.value; }
    else if (a.kind === "flag") { const i = el("input", { type: "checkbox", id, checked: !!a.start }); inputs = [i]; read = () => i.checked; }
    else if (a.kind === "mesh") { // a file below the folder of the model, or one of this computer
      const i = text(a.start, { id, placeholder: "meshes/part.stl" }), about = el("div", { class: "about", id: `${id}-about`, role: "status", hidden: true }), given = el("input", { type: "file", id: `${id}-file`, accept: MESHES.join(), hidden: true, onchange: () => given.files[0] && set(given.files[0]) });
      set = async (file) => { about.hidden = false; about.textContent = `Reading ${file.name} ...`; try { const m = await uploaded(file), size = m.size.map((v) => shown(v, 4)).join(" × "); i.value = m.file; about.textContent = `${m.triangles} triangles, ${size} in the lengths of the file; this model is in ${pretty(this.model.units.length)}.${m.closed ? ` It encloses no solid: ${m.closed}` : ""}`; about.classList.toggle("fault", !!m.closed); } catch (e) { about.textContent = e.message; about.classList.add("fault"); } };
      const drop = (e) => { const f = e.dataTransfer?.files?.[0]; if (f) { e.preventDefault(); set(f); } }; i.addEventListener("dragover", (e) => e.preventDefault()); i.addEventListener("drop", drop);
      inputs = [i, button("Choose a file ...", () => given.click(), { id: `${id}-choose`, title: "A mesh of this computer; a copy is kept beside the model" }), given]; read = () => i.value;
      return { node: el("div", { class: "field" }, label, el("div", { class: "value" }, inputs), about), read, set: null, give: set, kinds };
    }
    else { const i = text(a.start, { id }); inputs = [i]; read = () => i.value; }
    return { node: el("div", { class: "field" }, label, el("div", { class: "value" }, inputs)), read, set, kinds };
  }
  reference(id, kinds, label) {
    const i = el("input", { type: "text", id, list: "names", autocomplete: "off", spellcheck: "false", placeholder: kinds.join(" or ").toLowerCase().replaceAll("_", " ") }); i.addEventListener("focus", () => this.offer(kinds, i.value)); i.addEventListener("input", () => this.offer(kinds, i.value));
    const set = (k) => { const [kind, n] = split(k); i.value = kinds.length > 1 ? `${kind}/${n} ${this.tree.items.get(k)?.[2] ?? ""}` : this.nameOf(kind, n); };
    const read = () => {
      const t = i.value.trim(); if (!t) return null; const m = /^([A-Z_]+)\/(\d+)\b/.exec(t); if (m) return [m[1], +m[2]]; if (kinds.length === 1) return [kinds[0], this.named(t, kinds[0])];
      for (const kind of kinds) { const n = this.named(t, kind); if (typeof n === "number" && this.tree.items.has(key(kind, n)) && !/^\d/.test(t)) return [kind, n]; } return t;
    };
    const b = button(`Pick ${label}`, () => { const d = b.closest("dialog"); d.close("picking"); this.pick(kinds, (k) => { set(k); d.showModal(); b.focus(); }); this.picking.again = () => d.showModal(); }, { ic: "pick", text: false, title: "Pick it in the tree or in the picture" });
    return { node: el("span", { class: "vector" }, i, b), read, set };
  }
  dialog(title, help, fields, action, done) {
    return new Promise((end) => {
      const fault = el("div", { class: "fault", role: "alert" }), d = el("dialog", { "aria-label": title }), ok = el("button", { type: "submit", class: "button strong", text: action, id: "dialog-ok" });
      d.append(el("form", { method: "dialog", onsubmit: async (e) => { e.preventDefault(); ok.disabled = true; try { const r = await done(); if (r) { end(r); d.close("done"); } } catch (x) { fault.textContent = x.message; } ok.disabled = false; } }, el("h2", { text: title }), help ? el("div", { class: "help", text: help }) : null, el("div", { class: "body" }, fields.map((f) => f.node || f)), fault, el("div", { class: "end" }, button("Cancel", () => d.close("no")), ok)));
      d.addEventListener("close", () => { if (d.returnValue !== "picking") { d.remove(); end(null); } });
      d.addEventListener("cancel", () => (d.returnValue = "no")); document.body.append(d); d.showModal(); (d.querySelector(".body input, .body select, .body button") || ok).focus();
    });
  }
  // ---- files -------------------------------------------------------------------------------------------------------
  openFile() { return openFile(this); }
  newFile() { return newFile(this); }
  save(as) { return save(this, as); }
  fresh(given) { return change(this, "new", given); } // a new model; false where somebody would rather keep the present one
  openExample(name) { return change(this, "open", { example: name }).catch((e) => this.tell(e.message)); }
  saveScript() { return this.fileDialog("Save as a Python script", "It reads the model's file, does what was done here, runs it with the settings of the tool bar, and prints the peak forces and torques.", `${(this.file.file || this.model.name).replace(/\.\w+$/, "")}_studio.py`, "script", { settings: this.settings() }); }
  fileDialog(title, help, start, what, more) {
    const f = this.argument({ name: "file", kind: "name", label: "File", start }); let over = "";
    return this.dialog(title, help, [f], "Save", async () => { const file = f.read(), r = await this.link.ask(what, { file, over: over === file, ...more }); if (r.exists) { over = file; throw new Error(`${r.exists} is there already; press Save again to write over it`); } this.tell(`Saved ${r.file}`); return true; });
  }
  // ---- the run -----------------------------------------------------------------------------------------------------
  settings() { return { kind: this.kind.value, end: this.end.value, steps: this.steps.value, integrator: this.integrator.value, error: this.error.value, coordinates: this.coordinates }; }
  runSettings() { // those of the next run that the bar has no place for, at every width
    const pick = (id, label, options, value) => { const q = el("select", { id }, options.map(([v, text]) => el("option", { value: v, text }))); q.value = value; return [q, el("div", { class: "field" }, el("label", { for: id, text: label }), el("div", { class: "value" }, q))]; };
    const [integrator, a] = pick("r-integrator", "Integrator", [...this.integrator.options].map((o) => [o.value, o.value ? `${o.value}: ${o.title}` : "Automatic"]), this.integrator.value), error = el("input", { id: "r-error", inputmode: "decimal", placeholder: "default" }); error.value = this.error.value;
    const [coordinates, c] = pick("r-coordinates", "Coordinates", [["", "Of all bodies (default)"], ["joint", "Of the joints (explicit integrators)"], ["auto", "Of the joints where that is possible"]], this.coordinates);
    return this.dialog("Run settings", "Settings of dynamic runs. Joint coordinates solve chains and trees of many bodies in less time; loops are closed by constraints.", [a, el("div", { class: "field" }, el("label", { for: "r-error", text: "Integration error" }), el("div", { class: "value" }, error)), c], "Use", async () => { if (error.value.trim() && !(+error.value > 0)) throw new Error("The integration error is a positive number, or empty"); this.integrator.value = integrator.value; this.error.value = error.value.trim(); this.coordinates = coordinates.value; this.head(); return true; });
  }
  async run() { if (this.running) return; this.results.play(false); try { await this.link.ask("run", { settings: this.settings() }); } catch (e) { this.tell(e.message); } }
  async control(what) { try { await this.link.ask(what); } catch (e) { this.tell(e.message); } }
  pose(data) { const head = new Float64Array(data, 0, 2); this.poses = (this.poses || 0) + 1; if (this.running) this.running.since ??= [performance.now(), head[0]]; if (this.running?.keys) { this.view.pose(new Float32Array(data, 16), this.running.keys); this.live.draw(); this.running.time = head[0]; this.running.part = head[1]; this.progress(); } }
  ran(m) {
    if (m.stale) { this.file = { ...this.file, stale: m.stale }; this.results.staleness(); }
    if (m.state === "begun") { this.view.overlay.none(); this.running = { number: m.number, part: 0, settings: m.settings, inputs: m.inputs, parameters: m.parameters, begun: performance.now() }; this.advise(null); clearInterval(this.beat); this.beat = setInterval(() => (this.running ? this.progress() : clearInterval(this.beat)), 1000); this.view.gizmo.again(); document.body.dataset.run = "running"; }
    else if (m.state === "started" && this.running) this.running.keys = m.keys;
    else if (m.state === "pause" || m.state === "step") { if (this.running) this.running.paused = true; } else if (m.state === "resume") { if (this.running) this.running.paused = false; } else if (m.state === "stop") { if (this.running) this.running.stopping = true; }
    else if (m.state === "fetched") { this.results.runs.set(m.results.number, m.results); this.results.pages.heads(); return; }
    else if (m.state === "ended") { this.running = null; this.advise(null); document.body.dataset.run = "ended"; document.body.dataset.problem = m.problem || ""; if (m.results) this.results.add(m.results).then(() => (document.body.dataset.results = String(m.number))); this.tell(m.problem ? m.problem.split("\n")[0] : m.stopped || `Run ${m.number} has ended`); }
    this.live.show(); this.head(); this.progress();
  }
  pace() { // how fast the run is, and how long it will take
    const r = this.running, end = +r.settings?.end, unit = { s: 1, ms: 1e-3, min: 60, h: 3600 }[this.model.units.time] || 1; if (!r.since || !(r.time > 0) || r.settings?.kind === "interactive") return "";
    const wall = (performance.now() - r.since[0]) / 1000, way = r.time - r.since[1], factor = wall / (way * unit); if (wall < 0.5 || !(way > 0)) return "";
    const left = end > r.time ? (wall * (end - r.time)) / way : 0, words = (s) => (s < 90 ? `${Math.ceil(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`);
    return `${r.h > 0 ? `, step ${shown(r.h, 2)}` : ""}, ${factor >= 1 ? `${shown(factor, 2)}× slower` : `${shown(1 / factor, 2)}× faster`} than real time${left > 0 ? `, ${words(left)} left` : ""}`;
  }
  advise(m) { // a bar while a run takes long: what the solver advises, each by a button
    const was = $("advice"), actions = m && JSON.stringify(m.actions);
    if (m && was?.dataset.actions === actions) { was.firstChild.textContent = `${m.text}.`; return; } // its buttons stay: a click is a press and a release
    was?.remove(); if (!m) return;
    const bar = el("div", { id: "advice", role: "status" }, el("span", { text: `${m.text}.` }), m.actions.map((a) => this.remedy(a)), button("Close", () => this.advise(null), { ic: "close", text: false, cls: "flat" }));
    bar.dataset.actions = actions; $("view").append(bar);
  }
  remedy(a) { return button(a.label, () => this.follow(a), { cls: "remedy", title: "Ends the run in progress (its results are kept), changes this and runs again" }); }
  async follow(a) { // an action of the solver's advice
    try {
      if (this.running) { const begun = performance.now(); await this.link.ask("stop"); while (this.running) { await new Promise((done) => setTimeout(done, 60)); if (performance.now() - begun > 15000) { await this.link.ask("kill"); break; } } while (this.running) await new Promise((done) => setTimeout(done, 60)); }
      for (const command of a.commands) await this.edit(command, true); for (const [name, value] of Object.entries(a.settings)) this[name].value = value; await this.run();
    } catch (e) { this.tell(e.message); }
  }
  progress() { const r = this.running; this.meter.hidden = !r; if (r) { this.meter.value = r.part || 0; this.clock.textContent = `${shown(r.time || 0, 4)} ${this.model.units.time}${r.paused ? ", paused" : r.stopping ? ", stopping" : r.since ? this.pace() : `, preparing for ${Math.round((performance.now() - r.begun) / 1000)} s`}`; } else this.clock.textContent = ""; }
  // ---- bars --------------------------------------------------------------------------------------------------------
  bar() {
    const t = $("tools"), gap = () => el("span", { class: "gap", "aria-hidden": "true" });
    const file = button("File", () => popup(file, [["New model ...", () => this.newFile()], ["Open ...", () => this.openFile(), "Ctrl+O"], ["Import a STEP file ...", () => this.step()], ["Vehicle ...", () => vehicle(this)], ["Vehicle page ...", () => this.vehicles.open()], ["Studies ...", () => this.studies.open()], ["Save", () => this.save(), "Ctrl+S"], ["Save as ...", () => this.save(true), "Ctrl+Shift+S"], ["Recovered models ...", () => recovered(this)], null, ["Start page", () => this.start.open()], ["Save as a Python script ...", () => this.saveScript()], ["Show the script", () => this.results.tab("script")]], "File"), { cls: "flat", ic: "file", id: "menu-file", "aria-haspopup": "menu" });
    const add = button("Create", () => { const items = []; let group = ""; for (const [n, f] of Object.entries(this.forms || {})) { if (f.group !== group) items.push((group = f.group)); items.push([f.title, () => this.create(n)]); }
      const groups = new Map(); for (const [k, [title, g]] of Object.entries(this.fields || {})) groups.set(g, [...(groups.get(g) || []), [title, () => this.another(k)]]); for (const [g, list] of groups) items.push(`More ${g.toLowerCase()}`, ...list); popup(add, items, "Create"); }, { cls: "flat", ic: "plus", id: "menu-create", "aria-haspopup": "menu" });
    const show = button("Show", () => { const b = [...this.chosen].filter((k) => this.view.index.has(k)); popup(show, [["Hide or show what is chosen", () => this.view.hide(b, !this.view.hidden.has(b[0])), "H", !!b.length], ["Isolate what is chosen", () => this.view.isolate(b), "I", !!b.length], ["Make what is chosen transparent", () => this.view.glassy(b), "T", !!b.length], ["Show everything", () => this.view.all(), "Shift+H"], null, ["Move and turn ...", () => move(this, [...this.chosen].filter(movable)), "G, R", [...this.chosen].some(movable)], ["Design position", () => this.view.home()], null, ...this.layout.hidden(), ["Panels as delivered", () => this.layout.reset()]], "Show"); }, { cls: "flat", ic: "eye", id: "menu-show", "aria-haspopup": "menu" });
    this.undoButton = button("Undo", () => this.undo("undo"), { cls: "flat", ic: "undo", text: false, id: "undo" }); this.redoButton = button("Redo", () => this.undo("redo"), { cls: "flat", ic: "redo", text: false, id: "redo" });
    this.kind = el("select", { id: "run-kind", "aria-label": "Analysis", onchange: () => this.head() }); this.end = el("input", { id: "run-end", inputmode: "decimal" }); this.steps = el("input", { id: "run-steps", inputmode: "numeric" }); this.integrator = el("select", { id: "run-integrator", "aria-label": "Integrator", onchange: () => this.head() }); this.coordinates = ""; this.error = el("input", { id: "run-error", "aria-label": "Integration error", placeholder: "default" });
    for (const i of [this.end, this.steps, this.error]) i.addEventListener("keydown", (e) => { if (e.key === "Enter") this.run(); });
    this.runButton = button("Run", () => this.run(), { cls: "strong", ic: "play", id: "run", title: "Run (Ctrl+Enter)" }); this.pauseButton = button("Pause", () => this.control(this.running?.paused ? "resume" : "pause"), { cls: "flat", ic: "pause", text: false, id: "pause" }); this.stepButton = button("One row", () => this.control("step"), { cls: "flat", ic: "step", text: false, id: "step", title: "One output row further" }); this.stopButton = button("Stop and keep", () => this.control("stop"), { cls: "flat", ic: "stop", text: false, id: "stop" });
    this.meter = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Progress of the run" }); this.clock = el("span", { id: "run-time", style: "min-width:86px" }); this.line = el("span", { id: "status-line" }); $("status").append(this.line, this.meter, this.clock);
    this.moreButton = button("Run settings", () => this.runSettings(), { cls: "flat", ic: "gear", text: false, id: "run-settings", "aria-haspopup": "dialog" });
    this.themeButton = button("Light or dark", () => { this.theme(document.documentElement.classList.contains("dark") ? "light" : "dark"); localStorage.setItem("holonom-theme", document.documentElement.classList.contains("dark") ? "dark" : "light"); }, { cls: "flat", ic: "moon", text: false, id: "theme" });
    t.append(file, this.undoButton, this.redoButton, add, show, gap(), this.kind, el("label", { for: "run-end" }, "End", this.end), el("label", { for: "run-steps" }, "Steps", this.steps), el("span", { class: "wide" }, this.integrator), el("label", { class: "widest", for: "run-error" }, "Error", this.error), this.moreButton, el("span", { class: "run" }, this.runButton, this.pauseButton, this.stepButton, this.stopButton), el("span", { class: "grow" }), this.themeButton, button("Keys", () => this.help(), { cls: "flat", ic: "help", text: false, id: "help", title: "Keys (?)" }));
  }
  help() { const rows = [["Ctrl+Z, Ctrl+Y", "undo, redo"], ["Ctrl+S, Ctrl+O", "save, open"], ["Ctrl+Enter", "run"], ["Space (picture)", "play or pause"], [", and .", "one output row back, on (Shift: ten)"], ["[ and ] and \\", "begin, end of the loop, whole run"], ["Ctrl+M", "the lower panel, or the picture, alone"], ["Ctrl+K", "find every command"], ["Ctrl+F", "filter the model"], ["F2, Delete", "rename, delete what is chosen"], ["G, R", "handles that move, turn (Shift: in steps)"], ["Ctrl+D", "copy what is chosen"], ["H, I, T", "hide, isolate, transparent (Shift+H: show everything)"], ["1 2 3 4", "front, right, top, iso (picture)"], ["5, F, M", "projection, fit, measure (picture)"], ["Arrows", "tree: walk; picture: pan; + and - zoom"], ["F6", "next area"], ["Escape", "nothing chosen; end picking"]]; this.dialog("Keys", "", [el("table", { style: "margin:0 12px;width:auto" }, el("tbody", {}, rows.map((r) => el("tr", {}, el("td", { style: "padding:2px 14px 2px 4px;font-weight:600;white-space:nowrap", text: r[0] }), el("td", { text: r[1] })))))], "Close", async () => true); }
  head() {
    const f = this.file; if (!f) return; document.title = `${f.changed ? "• " : ""}${this.model.name} – Holonom Studio`;
    this.undoButton.disabled = !f.undo; this.undoButton.title = f.undo ? `Undo: ${f.undo} (Ctrl+Z)` : "Nothing to undo"; this.redoButton.disabled = !f.redo; this.redoButton.title = f.redo ? `Redo: ${f.redo} (Ctrl+Y)` : "Nothing to redo";
    const r = this.running; this.runButton.disabled = !!r; for (const b of [this.pauseButton, this.stepButton, this.stopButton]) b.disabled = !r; const still = ["statics", "initial", "modes", "modes at equilibrium"].includes(this.kind.value); this.end.disabled = this.steps.disabled = still; const own = [this.integrator.value && `integrator ${this.integrator.value}`, this.error.value && `error ${this.error.value}`, this.coordinates && `coordinates: ${this.coordinates}`].filter(Boolean); this.moreButton.classList.toggle("own", !!own.length); this.moreButton.title = `Run settings${own.length ? `: ${own.join(", ")}` : ""}`; this.status();
    this.pauseButton.replaceChildren(icon(r?.paused ? "play" : "pause")); this.pauseButton.setAttribute("aria-label", r?.paused ? "Go on" : "Pause"); this.pauseButton.title = r?.paused ? "Go on" : "Pause";
  }
  status(problem) {
    const s = this.state || {}, f = this.file || {}, parts = [], b = (n, t) => el("span", {}, el("b", { text: String(n) }), ` ${t}`), link = (text, cls) => el("button", { class: `link ${cls}`, type: "button", text, onclick: () => this.results.tab("console") });
    if (problem) { this.line.replaceChildren(el("span", { class: "bad", text: problem })); return; }
    parts.push(el("span", { text: `${f.file || "not saved yet"}${f.changed ? " (changed)" : ""}` }), el("span", { class: "grow" }));
    if (s.faults?.length || s.missing?.length) parts.push(link(`${counted(s.faults.length + (s.missing?.length || 0), "fault")}: the model cannot run as it is`, "bad"));
    else if (s.degrees_of_freedom !== undefined && s.degrees_of_freedom !== null) parts.push(b(s.degrees_of_freedom, s.degrees_of_freedom === 1 ? "degree of freedom" : "degrees of freedom"), s.redundant?.length ? link(counted(s.redundant.length, "redundant constraint"), "unsure") : b(0, "redundant constraints"), s.opened ? link("joints are open as drawn", "unsure") : null, b(s.bodies, s.bodies === 1 ? "moving body" : "moving bodies"), el("span", { class: "wide" }, b(s.equations, s.equations === 1 ? "equation" : "equations")));
    else parts.push(el("span", { text: "checking the model ..." }));
    if (this.model) parts.push(el("span", { class: "wide", text: Object.values(this.model.units).map(pretty).join(" · ") }));
    this.line.replaceChildren(...parts.filter(Boolean)); document.body.dataset.dof = String(s.degrees_of_freedom ?? ""); document.body.dataset.faults = String(s.faults?.length ?? ""); document.body.dataset.checked = String(s.version ?? "");
  }
  maximise(what) { // the picture or the lower panel alone, until it is asked for again; kept for the next time
    const root = document.body, now = root.dataset.max === what ? "" : what; now ? (root.dataset.max = now) : delete root.dataset.max; localStorage.setItem("holonom-max", now);
    this.maxView?.setAttribute("aria-pressed", String(now === "view")); this.maxBottom?.setAttribute("aria-pressed", String(now === "bottom")); requestAnimationFrame(() => { this.view.resize(); this.results.mark(); });
  }
  theme(t) { document.documentElement.classList.toggle("dark", t === "dark"); if (this.view?.table) { this.view.grid(); this.view.refresh(); this.results?.pages.recolour(); } }
  panels() {
    this.maxView = button("Maximise the picture", () => this.maximise("view"), { ic: "grow", text: false, id: "max-view", title: "The picture alone (Ctrl+M)", "aria-pressed": "false" }); $("view-tools").append(this.maxView);
    this.maxBottom = button("Maximise the lower panel", () => this.maximise("bottom"), { ic: "grow", text: false, cls: "flat", id: "max-bottom", title: "The lower panel alone (Ctrl+M)", "aria-pressed": "false" }); $("bottom").append(this.maxBottom);
    const kept = localStorage.getItem("holonom-max"); if (kept === "view" || kept === "bottom") this.maximise(kept);
  }
  drops() { // a mesh that is dropped into the picture becomes a body
    const view = $("view"), files = (e) => [...(e.dataTransfer?.items || [])].some((i) => i.kind === "file");
    view.addEventListener("dragover", (e) => { if (files(e)) { e.preventDefault(); e.dataTransfer.dropEffect = "copy"; } });
    view.addEventListener("drop", (e) => { const f = e.dataTransfer?.files?.[0]; if (!f) return; e.preventDefault(); const ends = (all) => all.some((end) => f.name.toLowerCase().endsWith(end)); if (ends(STEP)) this.solids(f); else if (ends(MESHES)) this.create("part_mesh", f); else this.tell(`${f.name} is not a mesh; drop a file that ends in ${[...MESHES, ...STEP].join(", ")}`); });
  }
  splits() {
    const drag = (id, name, axis, sign, low, start) => {
      const s = $(id), root = document.documentElement; let v = +localStorage.getItem(`holonom${name}`) || 0; const put = (x) => { v = Math.round(Math.max(low, Math.min(x, axis === "x" ? innerWidth * 0.45 : innerHeight * 0.7))); root.style.setProperty(name, `${v}px`); localStorage.setItem(`holonom${name}`, String(v)); s.setAttribute("aria-valuenow", String(v)); s.setAttribute("aria-valuemin", String(low)); s.setAttribute("aria-valuemax", "2000"); };
      const now = () => v || start(); if (v) put(v); else s.setAttribute("aria-valuenow", String(low));
      s.addEventListener("pointerdown", (e) => { s.setPointerCapture(e.pointerId); const from = axis === "x" ? e.clientX : e.clientY, old = now(); s.onpointermove = (m) => put(old + sign * ((axis === "x" ? m.clientX : m.clientY) - from)); s.onpointerup = () => (s.onpointermove = null); });
      s.addEventListener("keydown", (e) => { const d = { ArrowLeft: -16, ArrowRight: 16, ArrowUp: -16, ArrowDown: 16 }[e.key]; if (d) { e.preventDefault(); put(now() + sign * d); } });
    };
    drag("split-left", "--left", "x", 1, 140, () => $("left").clientWidth); drag("split-right", "--right", "x", -1, 180, () => $("right").clientWidth); drag("split-bottom", "--bottom", "y", -1, 60, () => $("bottom").clientHeight);
  }
  keys() {
    document.addEventListener("forgotten", ({ detail: { text, label } }) => this.tell(`'${text}' was typed in ${label} and not taken: another element or model is shown now`));
    addEventListener("keydown", (e) => {
      const a = document.activeElement, typing = a && /INPUT|TEXTAREA|SELECT/.test(a.tagName) && a.type !== "range" && a.type !== "checkbox", c = e.ctrlKey || e.metaKey, k = e.key.toLowerCase(), ks = [...this.chosen].filter((x) => this.view.index.has(x)), stop = () => e.preventDefault();
      if (document.querySelector("dialog[open]")) return;
      if (e.key === "Escape" && this.draw.active) { this.draw.escape(); return stop(); }
      if (e.key === "Escape" && !this.vehicles.box.hidden && !typing) { this.vehicles.close(); return stop(); }
      if (e.key === "Escape" && this.studies.on && !typing) { this.studies.close(); return stop(); }
      if (e.key === "Escape" && !this.start.box.hidden) { this.start.close(); return stop(); }
      if (e.key === "Enter" && this.draw.active && !typing && a?.tagName !== "BUTTON") { this.draw.finish(); return stop(); }
      if (e.key === "Escape" && this.pointing) { const p = this.pointing; this.pointing = null; this.tell(""); p.again?.(); return stop(); }
      if (e.key === "Escape" && this.picking) { const p = this.picking; this.picking = null; this.tell(""); p.again?.(); return stop(); }
      if (c && k === "m") { stop(); this.maximise($("bottom").contains(a) ? "bottom" : "view"); }
      if (c && k === "s") { stop(); this.save(e.shiftKey); } else if (c && k === "o") { stop(); this.openFile(); } else if (c && e.key === "Enter") { stop(); this.run(); } else if (c && k === "f") { stop(); $("search").focus(); } else if (c && k === "d") { stop(); const last = [...this.chosen].filter((x) => x !== "model").at(-1); if (last) duplicate(this, last); }
      else if (c && k === "z" && !(typing && a.dataset.dirty === "1")) { stop(); this.undo(e.shiftKey ? "redo" : "undo"); } else if (c && k === "y" && !(typing && a.dataset.dirty === "1")) { stop(); this.undo("redo"); }
      else if (e.key === "F6") { stop(); const areas = [$("menu-file"), $("search"), $("tree"), $("canvas"), $("tab-" + this.results.open), $("right").querySelector("input,select,textarea,button")].filter(Boolean), n = areas.findIndex((x) => x === a || x.contains(a)); areas[(n + (e.shiftKey ? areas.length - 1 : 1)) % areas.length].focus(); }
      else if (typing || c || e.altKey) return; else if (e.key === "F2") { stop(); $("p-name")?.focus(); } else if (e.key === "Delete") { stop(); this.remove(); } else if (e.key === "?") this.help();
      else if (k === "h") { stop(); e.shiftKey ? this.view.all() : ks.length && this.view.hide(ks, !this.view.hidden.has(ks[0])); } else if (k === "i" && ks.length) { stop(); this.view.isolate(ks); } else if (k === "t" && ks.length) { stop(); this.view.glassy(ks); } else if (k === "g") { stop(); this.view.gizmo.set("translate"); } else if (k === "r") { stop(); this.view.gizmo.set("rotate"); }
      else if ((e.key === "," || e.key === ".") && this.results.motion) { stop(); this.results.step(e.key === "." ? 1 : -1); } else if (e.key === "[" || e.key === "]" || e.key === "\\") { stop(); this.results.mark_range(e.key); }
      else if ((e.key === "<" || e.key === ">") && this.results.motion) { stop(); this.results.step(e.key === ">" ? 10 : -10); }
      else if (e.key === " " && (a === $("canvas") || a === document.body)) { stop(); this.results.play(!this.results.playing); }
    });
  }
}
window.studio = new Studio();
void later;
