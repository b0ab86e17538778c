// Drawing by clicks: a tool collects points in the picture, which snap to markers, joints, ends, centres and a grid, and makes an element of them.
import * as T from "./vendor/three.module.min.js";
import { $, button, el, number, pretty, shown } from "./dom.js";
import { split } from "./editor.js";
import { redraw } from "./redraw.js";
import { key } from "./tree.js";
import { TOOLS } from "./tools.js";

const NEAR = 11; // pixels within which a point snaps
const PLANES = { XY: [0, 1], XZ: [0, 2], YZ: [1, 2] };
const unit = (k) => new T.Vector3(...[0, 1, 2].map((c) => +(c === k)));
const tidy = (v) => +(+v.toPrecision(9)) + 0;
export const nice = (x) => { const p = 10 ** Math.floor(Math.log10(x)), f = x / p; return +(p * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10)).toPrecision(3); };

export class Draw {
  constructor(studio) {
    this.studio = studio; this.view = studio.view; this.tool = null; this.points = []; this.values = {}; this.keep = true;
    this.bar = el("section", { id: "draw-bar", "aria-label": "Drawing tool", hidden: true });
    this.tip = el("div", { id: "snap", hidden: true, "aria-hidden": "true" });
    $("create-bar").append(this.bar); $("view").append(this.tip);
    for (const { canvas } of [this.view.first, this.view.second.eye]) this.listen(canvas);
    this.line = new T.Line(new T.BufferGeometry(), new T.LineBasicMaterial({ color: 0xe0301e, depthTest: false, transparent: true }));
    this.line.renderOrder = 9; this.line.frustumCulled = false; this.line.visible = false; this.view.scene.add(this.line);
  }
  listen(canvas) {
    canvas.addEventListener("pointermove", (e) => { if (this.tool && !e.buttons) { this.at = e; if (!this.waiting) { this.waiting = true; requestAnimationFrame(() => { this.waiting = false; if (this.tool) this.hover(); }); } } });
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("dblclick", () => { if (this.tool?.many) this.finish(); });
  }

  // ---- the tool ------------------------------------------------------------------------------------------------------
  get active() { return !!this.tool; }
  start(name) {
    const tool = TOOLS.find((t) => t.name === name); if (!tool) return;
    if (this.studio.running) return this.studio.tell("A run is in progress; stop it first");
    this.studio.start?.close(); this.studio.results.play(false); this.view.home();
    if (this.view.gizmo.mode) this.view.gizmo.set(this.view.gizmo.mode);
    if (this.view.measuring) this.view.measureStart();
    this.tool = tool; this.points = []; this.values = { ...Object.fromEntries((tool.options || []).map((o) => [o.name, typeof o.start === "function" ? o.start(this) : o.start])), name: "" };
    if (!this.view.bodies.some((b) => !b.ground) && !this.looked) { this.looked = true; this.view.look("Front"); this.view.projection(false); this.view.fit(); }
    this.show(); this.refresh(); $("canvas").focus(); document.body.dataset.tool = name; this.studio.toolbar?.mark(name);
  }
  async refresh() { // points of the shapes that are drawn now
    const v = this.view, table = v.table; if (!this.tool || !table || this.snapsOf === table || this.asked === table) return; this.asked = table;
    try { const { snaps } = await this.studio.link.ask("snaps", { bodies: table.bodies.map((b) => [b.kind, b.id]) }); if (v.table === table) { this.snaps = snaps; this.snapsOf = table; } } catch (e) { this.studio.tell(e.message); }
  }
  stop() {
    if (!this.tool) return; this.tool = null; this.points = []; this.bar.hidden = this.tip.hidden = true; this.line.visible = false; this.view.dirty = true; delete document.body.dataset.tool; this.studio.toolbar?.mark(null);
  }
  escape() { if (this.points.length) { this.points = []; this.hover(); this.say(); } else this.stop(); }
  need() { const n = this.tool.clicks; return typeof n === "function" ? n(this) : n; }
  say(text) {
    if (!this.tool) return; // drawing was ended while an edit was on its way
    const n = this.points.length, lines = typeof this.tool.help === "function" ? this.tool.help(this) : this.tool.help;
    this.hint.textContent = text || (Array.isArray(lines) ? lines[Math.min(n, lines.length - 1)] : lines);
  }
  show() {
    const t = this.tool, option = (o) => {
      const id = `d-${o.name}`, label = (...more) => el("label", { for: id, title: o.help || o.label }, o.label, o.unit ? el("span", { class: "unit", text: ` ${pretty(o.unit(this))}` }) : null, " ", ...more), set = (v) => { this.values[o.name] = v; this.say(); o.changed?.(this, v); };
      if (o.choices) { const rows = typeof o.choices === "function" ? o.choices(this) : o.choices, q = el("select", { id, onchange: () => set(q.value) }, rows.map(([v, text]) => el("option", { value: v, text }))); q.value = this.values[o.name] ?? ""; return label(q); }
      if (o.flag) { const i = el("input", { type: "checkbox", id, checked: !!this.values[o.name], onchange: () => set(i.checked) }); return label(i); }
      const i = el("input", { type: "text", id, autocomplete: "off", spellcheck: "false", placeholder: o.placeholder || "auto", "data-taken": "", oninput: () => set(i.value) }); i.value = this.values[o.name] ?? ""; return label(i);
    };
    const plane = el("select", { id: "d-plane", title: "Plane in which free points lie; auto: the one that faces you", onchange: () => { this.plane = plane.value; this.hover(); } }, ["auto", ...Object.keys(PLANES)].map((p) => el("option", { value: p, text: p }))); plane.value = this.plane || "auto";
    const step = el("input", { type: "text", id: "d-step", inputmode: "decimal", placeholder: "auto", title: "Grid step; empty: follows the zoom", "data-taken": "", oninput: () => (this.step = +step.value > 0 ? +step.value : 0) }); step.value = this.step || "";
    const typed = el("input", { type: "text", id: "d-point", placeholder: "x, y, z", autocomplete: "off", title: "A point by its coordinates in ground; Enter takes it", onkeydown: (e) => { if (e.key !== "Enter") return; e.preventDefault(); let p = []; try { p = typed.value.split(/[\s,;]+/).filter(Boolean).map((x) => number(x, "Point")); } catch { p = []; } if (p.length !== 3) return this.say(`Give x, y and z as three numbers in ${this.studio.model.units.length}, with decimal points and without units`); typed.value = ""; this.take(this.exact(p)); } });
    this.hint = el("span", { id: "draw-hint", role: "status" });
    redraw(this.bar, [el("div", { class: "draw-row" }, el("b", { text: t.title }), this.hint, button("Finish", () => this.finish(), { id: "draw-finish", cls: t.many ? "strong" : "", title: "Finish the outline (Enter, double click)" }), button("End", () => this.stop(), { ic: "close", text: false, cls: "flat", id: "draw-end", title: "End drawing (Escape)" })),
      el("div", { class: "draw-row options" }, t.unnamed ? null : option({ name: "name", label: "Name" }), (t.options || []).map(option), el("label", { for: "d-plane" }, "Plane ", plane), el("label", { for: "d-step" }, "Grid ", step), el("label", { for: "d-point" }, "Point ", typed))], t.title);
    $("draw-finish").hidden = !t.many; this.bar.hidden = false; this.say();
  }

  // ---- points --------------------------------------------------------------------------------------------------------
  get origin() { return new T.Vector3(...this.view.table.origin); }
  frame() { // of the drawing plane: u, v, n = u x v
    let name = this.plane; if (!PLANES[name]) { const d = this.view.active.camera.getWorldDirection(new T.Vector3()), k = [0, 1, 2].sort((a, b) => Math.abs(d.getComponent(b)) - Math.abs(d.getComponent(a)))[0]; name = ["YZ", "XZ", "XY"][k]; }
    const [a, b] = PLANES[name], u = unit(a), v = unit(b); return { name, u, v, n: u.clone().cross(v), out: 3 - a - b };
  }
  grid() { return this.step || nice((9 * this.view.active.height()) / this.view.canvas.clientHeight); }
  ray(e) { return this.view.eyeAt(e.clientX, e.clientY).ray(e.clientX, e.clientY); }
  pixel(p) { return this.view.active.pixel(p); }
  *candidates() { // points that snap: [place in the picture, what it is, body, element]
    const v = this.view, hidden = (n) => v.hiddenBody(n);
    for (const [n, b] of v.bodies.entries()) if (!b.ground && !hidden(n)) yield [new T.Vector3().setFromMatrixPosition(v.matrices[n]), `centre of ${b.name}`, n, null, 2];
    for (const [n, x, y, z, word] of (this.snapsOf === v.table && this.snaps) || []) if (!hidden(n)) yield [new T.Vector3(x, y, z).applyMatrix4(v.matrices[n]), `${word} of ${v.bodies[n].name}`, n, null, 0];
    for (const mesh of v.symbols || []) for (const i of mesh.userData.items) if (!hidden(i.body)) yield [new T.Vector3().setFromMatrixPosition(i.local).applyMatrix4(v.matrices[i.body]), `${i.kind.toLowerCase()} ${this.studio.tree.items.get(key(i.kind, i.id))?.[2] ?? i.id}`, i.body, key(i.kind, i.id), i.kind === "MARKER" ? 3 : 1];
    yield [this.origin.negate(), "origin of ground", -1, null, 4];
    for (const [k, p] of this.points.entries()) yield [p.p, k ? "a point of this outline" : "the first point", -1, null, 0];
  }
  under(ray) { // bodies under the pointer, the nearest first
    const v = this.view, out = [], found = [];
    for (const b of [v.batch, v.glass]) if (b?.visible) for (const h of ray.intersectObject(b)) { const i = v.instances.find((q) => (b === v.batch ? q.id : q.gid) === h.batchId); if (i) found.push([h.distance, i.body]); }
    for (const [, n] of found.sort((a, b) => a[0] - b[0])) if (!out.includes(n)) out.push(n);
    return out;
  }
  spot(e) { // what a click here means
    const ray = this.ray(e), under = this.under(ray), f = this.frame(); let best = null;
    for (const [p, word, body, element, rank] of this.candidates()) { const q = this.pixel(p); if (!q) continue; const d = Math.hypot(q[0] - e.clientX, q[1] - e.clientY); if (d <= NEAR && (!best || d + rank < best.d)) best = { p, word, body, element, d: d + rank }; }
    if (!best) {
      const base = this.points[0]?.p || this.origin.negate(), plane = new T.Plane().setFromNormalAndCoplanarPoint(f.n, base), hit = ray.ray.intersectPlane(plane, new T.Vector3());
      if (!hit) return null; const o = this.origin, step = this.grid();
      for (const w of [f.u, f.v]) { const g = hit.dot(w) + o.dot(w); hit.addScaledVector(w, Math.round(g / step) * step - g); }
      best = { p: hit, word: `grid ${shown(step, 3)}`, body: -1, element: null, free: true };
    }
    const bodies = [...under], near = 1e-6 * this.view.size;
    for (const [p, , body] of this.candidates()) if (body >= 0 && !bodies.includes(body) && p.distanceTo(best.p) <= near) bodies.push(body);
    return { ...best, bodies, ground: best.p.clone().add(this.origin).toArray().map((v) => (Math.abs(v) < 1e-9 * this.view.size ? 0 : tidy(v))) }; // no rounding residue
  }
  exact(ground) { const p = new T.Vector3(...ground).sub(this.origin), near = 1e-6 * this.view.size, bodies = []; for (const [q, , body] of this.candidates()) if (body >= 0 && !bodies.includes(body) && q.distanceTo(p) <= near) bodies.push(body); const at = this.pixel(p); if (at) for (const n of this.under(this.ray({ clientX: at[0], clientY: at[1] }))) if (!bodies.includes(n)) bodies.push(n); return { p, ground: ground.map(tidy), word: "typed", bodies, body: -1, element: null }; }
  hover() {
    const spot = this.at && this.spot(this.at), q = spot && this.pixel(spot.p); if (!q) { this.tip.hidden = true; return; } // nothing there, or beyond what the camera sees
    const r = $("view").getBoundingClientRect(), u = pretty(this.view.table.units.length);
    this.tip.hidden = false; this.tip.classList.toggle("on", !spot.free);
    const last = this.points.at(-1), far = last ? `, ${shown(last.p.distanceTo(spot.p), 4)} ${u}` : "";
    this.tip.textContent = `${spot.ground.map((v) => shown(v, 4)).join(", ")}${far}  ${spot.word}`;
    this.tip.style.left = `${Math.min(q[0] - r.left + 14, r.width - 20 - this.tip.offsetWidth)}px`; this.tip.style.top = `${Math.min(q[1] - r.top + 12, r.height - 30)}px`;
    this.preview(spot);
  }
  preview(spot) {
    const all = [...this.points, spot], pts = all.map((s) => s.p.clone()), f = this.frame();
    if (this.tool.shape === "circle" && this.points.length) { const r = pts[0].distanceTo(pts[1]), c = pts[0]; pts.length = 0; for (let k = 0; k <= 48; k++) pts.push(c.clone().addScaledVector(f.u, r * Math.cos((k * Math.PI) / 24)).addScaledVector(f.v, r * Math.sin((k * Math.PI) / 24))); }
    else if (this.tool.shape === "box" && this.points.length) { const [a, b] = pts, d = b.clone().sub(a); pts.splice(1, 1, a.clone().addScaledVector(f.u, d.dot(f.u)), b, a.clone().addScaledVector(f.v, d.dot(f.v)), a.clone()); }
    else if (this.tool.many && pts.length > 2) pts.push(pts[0].clone());
    const s = 0.6 * this.grid(); for (const w of [f.u, f.v]) pts.push(spot.p.clone(), spot.p.clone().addScaledVector(w, s), spot.p.clone().addScaledVector(w, -s), spot.p.clone());
    this.line.geometry.dispose(); this.line.geometry = new T.BufferGeometry().setFromPoints(pts); this.line.visible = true; this.view.dirty = true;
  }
  click(e) { const spot = this.spot(e); if (!spot) return this.say("The plane is seen from its edge; turn the view or choose another plane"); this.at = e; return this.take(spot); }
  take(spot) {
    const first = this.points[0], near = 1e-9 * this.view.size;
    if (this.tool.many) { if (this.points.length >= 3 && spot.p.distanceTo(first.p) <= near) return this.finish(); if (this.points.length && this.points.at(-1).p.distanceTo(spot.p) <= near) return; }
    else if (this.points.length && this.points.at(-1).p.distanceTo(spot.p) <= near && !this.tool.same) return this.say("This is the same point again; click another one");
    this.points.push(spot); if (!this.tool.many && this.points.length >= this.need()) return this.finish();
    this.say(); if (this.at) this.hover();
  }
  async finish() {
    const tool = this.tool, points = this.points; if (!tool) return;
    if (tool.many && points.length < tool.many) return this.say(`Click ${tool.many} points at least`);
    if (!tool.many && points.length < this.need()) return this.say();
    this.points = []; this.line.visible = false; this.view.dirty = true;
    try {
      const commands = await tool.make(this, points); if (!commands) return;
      let chosen = null;
      for (const c of [commands].flat()) { const command = typeof c === "function" ? c(chosen) : c; if (!command) continue; const r = await this.studio.edit(command, true), made = r.made.filter(([k]) => k !== "MARKER" || tool.name === "marker"); if (made.length && !chosen) chosen = key(...(made.find(([k]) => k === "PART" || k === "JOINT") || made.at(-1))); }
      if (chosen) { this.studio.choose([chosen], false, true); document.body.dataset.made = chosen; }
      this.values.name = ""; const name = $("d-name"); if (name) name.value = "";
      if (this.tool === tool) { if (tool.chain && this.values.chain) this.points = [points.at(-1)]; this.show(); }
    } catch (x) { this.say(x.message); this.studio.tell(x.message); }
  }

  async put(name, ...points) { if (name) this.start(name); await this.refresh(); const last = points.pop(); this.points = points.map((p) => this.exact(p)); this.points.push(this.exact(last)); return this.finish(); } // as if these points of ground had been clicked

  // ---- what tools ask for --------------------------------------------------------------------------------------------
  number(name, auto) { const text = String(this.values[name] ?? "").trim(); return text ? number(text, name) : auto; }
  named(word) { if (this.values.name.trim()) return this.values.name.trim(); const taken = new Set([...this.studio.tree.items.values()].map((r) => r[2].toLowerCase())); let n = 1; while (taken.has(n === 1 ? word : `${word} ${n}`)) n++; return n === 1 ? word : `${word} ${n}`; }
  parts() { return [["", "auto"], ...this.view.bodies.map((b) => [key(b.kind, b.id), b.ground ? "ground" : b.name])]; }
  ref(n) { const b = n >= 0 ? this.view.bodies[n] : this.view.bodies.find((x) => x.ground); if (!b) throw new Error("The model has no ground; make a new model"); return [b.kind, b.id]; }
  bodyAt(spot, moving = false) { const n = spot.bodies.find((k) => !this.view.bodies[k].ground); return n !== undefined ? this.ref(n) : moving ? null : this.ref(-1); }
  pair(spot, first, second) { // the two parts that a joint at a point connects
    const chosen = (v) => (v ? split(v) : null), under = spot.bodies.filter((n) => !this.view.bodies[n].ground).map((n) => this.ref(n)), same = (a, b) => a && b && a[0] === b[0] && a[1] === b[1]; let a = chosen(first), b = chosen(second);
    a ??= under.find((r) => !same(r, b)) ?? null; b ??= under.find((r) => !same(r, a)) ?? this.ref(-1);
    if (!a || same(a, b)) throw new Error("There is no part under this point; click a point on a part, or choose the parts above");
    return [a, b];
  }
  start_(form, name) { return this.studio.forms[form].arguments.find((a) => a.name === name)?.start; }
  length(metres) { const u = this.view.table.units.length; return metres * ({ mm: 1000, cm: 100, km: 1e-3, inch: 39.37007874, ft: 3.280839895, foot: 3.280839895 }[u] || 1); }
}
