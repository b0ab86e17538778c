// A hand in a run that is being computed: sliders of inputs, and a body dragged by a spring.
import * as T from "./vendor/three.module.min.js";
import { $, el, shown } from "./dom.js";
import { key } from "./tree.js";

const RATE = 33; // milliseconds between two places of the hand that are told

export class Live {
  constructor(studio) {
    this.studio = studio; this.rows = new Map(); this.box = el("section", { id: "live", "aria-label": "Inputs of the run", hidden: true }); $("view").append(this.box);
    this.canvas = $("canvas"); this.held = null;
    this.canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
    this.canvas.addEventListener("pointermove", (e) => this.move(e)); this.canvas.addEventListener("pointerup", (e) => this.up(e)); this.canvas.addEventListener("pointercancel", (e) => this.up(e));
  }
  get on() { return this.studio.running?.settings?.kind === "interactive"; }
  show() { // the panel of the present run
    const r = this.studio.running; this.box.hidden = !this.on; if (!this.on) { this.rows.clear(); this.box.replaceChildren(); this.drop(); return; }
    if (this.of === r.number && this.rows.size) return; this.of = r.number; this.rows.clear();
    const rows = (r.inputs || []).map(([id, name, value]) => this.row(id, name, value));
    this.box.replaceChildren(el("h3", { text: "Inputs" }), ...rows, el("div", { class: "help", text: rows.length ? "Drag a body in the picture to pull it by a spring." : "The model has no inputs (Create, Input). Drag a body in the picture to pull it by a spring." }));
  }
  row(id, name, value) {
    const reach = Math.abs(value) > 0 ? 2 * Math.abs(value) : 1, field = (v, label, act) => { const i = el("input", { type: "text", inputmode: "decimal", "aria-label": label, onchange: () => act(+i.value) }); i.value = String(v); return i; };
    const range = el("input", { type: "range", min: String(-reach), max: String(reach), step: String(reach / 500), "aria-label": name, "data-input": String(id), oninput: () => this.tell(id, +range.value) }); range.value = String(value);
    const number = field(value, `${name}, value`, (v) => { if (isFinite(v)) { this.widen(id, v); this.tell(id, v); } }), low = field(-reach, `${name}, least`, (v) => isFinite(v) && (range.min = String(v))), high = field(reach, `${name}, most`, (v) => isFinite(v) && (range.max = String(v)));
    this.rows.set(id, { range, number, low, high });
    return el("div", { class: "live-row" }, el("label", { text: name }), number, low, range, high);
  }
  widen(id, v) { const r = this.rows.get(id); if (v < +r.range.min) { r.range.min = String(v); r.low.value = String(v); } if (v > +r.range.max) { r.range.max = String(v); r.high.value = String(v); } }
  tell(id, value) { this.said = { id, value }; this.studio.link.ask("input", { id, value }).catch((e) => this.studio.tell(e.message)); }
  heard(m) { const r = this.rows.get(m.id); if (!r) return; this.widen(m.id, m.value); if (document.activeElement !== r.range) r.range.value = String(m.value); if (document.activeElement !== r.number) r.number.value = shown(m.value, 6); }
  // ---- a hand --------------------------------------------------------------------------------------------------------
  at(e, plane) { const v = this.studio.view, r = this.canvas.getBoundingClientRect(), ray = new T.Raycaster(); ray.setFromCamera(new T.Vector2(((e.clientX - r.left) / r.width) * 2 - 1, 1 - ((e.clientY - r.top) / r.height) * 2), v.camera); return ray.ray.intersectPlane(plane, new T.Vector3()); }
  ground(p) { return p.clone().add(new T.Vector3(...this.studio.view.table.origin)).toArray(); }
  down(e) {
    if (!this.on || e.button !== 0 || e.ctrlKey || e.shiftKey || e.altKey || this.studio.view.gizmo.busy) return;
    const v = this.studio.view, hit = v.hit(e.clientX, e.clientY), n = hit ? v.index.get(hit.key) : undefined; if (n === undefined || v.bodies[n].ground) return;
    const b = v.bodies[n], point = hit.point.clone().applyMatrix4(v.matrices[n].clone().invert()), plane = new T.Plane().setFromNormalAndCoplanarPoint(v.camera.getWorldDirection(new T.Vector3()), hit.point);
    v.controls.enabled = false; this.canvas.setPointerCapture(e.pointerId); this.held = { n, point, plane, to: hit.point.clone(), last: 0, k: key(b.kind, b.id) };
    this.studio.link.ask("grab", { kind: b.kind, id: b.id, point: point.toArray(), at: this.ground(hit.point) }).catch((x) => { this.studio.tell(x.message); this.drop(); });
    this.draw();
  }
  move(e) {
    const h = this.held; if (!h) return; const p = this.at(e, h.plane); if (!p) return; h.to = p; this.draw();
    const now = performance.now(); if (now - h.last < RATE) { clearTimeout(h.later); h.later = setTimeout(() => this.held === h && this.pull(), RATE); return; } this.pull();
  }
  pull() { const h = this.held; h.last = performance.now(); this.studio.link.ask("drag", { at: this.ground(h.to) }).catch(() => this.drop()); }
  up() { if (!this.held) return; this.studio.link.ask("release").catch(() => {}); this.drop(); }
  drop() { if (this.held) { clearTimeout(this.held.later); this.held = null; this.studio.view.controls.enabled = true; } this.draw(); }
  draw() { // the spring of the hand
    const v = this.studio.view, h = this.held; if (!h && !this.line) return;
    if (!this.line) { this.line = new T.Line(new T.BufferGeometry().setFromPoints([new T.Vector3(), new T.Vector3()]), new T.LineBasicMaterial({ color: 0xe0301e, depthTest: false })); this.line.frustumCulled = false; this.line.renderOrder = 9; v.scene.add(this.line); }
    this.line.visible = !!h; v.dirty = true; if (!h) return;
    const a = h.point.clone().applyMatrix4(v.matrices[h.n]), at = this.line.geometry.attributes.position; at.setXYZ(0, a.x, a.y, a.z); at.setXYZ(1, h.to.x, h.to.y, h.to.z); at.needsUpdate = true;
  }
}
