// A hand in a run that is being computed: sliders of inputs and parameters, and a body dragged by a spring.
import * as T from "./vendor/three.module.min.js";
import { $, el, number as numberOf, pretty, shown } from "./dom.js";
import { key } from "./tree.js";

const RATE = 33; // milliseconds between two places of the hand that are told

export class Live {
  constructor(studio) {
    this.studio = studio; this.rows = new Map(); this.wanted = []; // keys of parameters that have sliders, also in the next run
    this.box = el("section", { id: "live", "aria-label": "Inputs of the run", hidden: true }); $("view").append(this.box);
    this.canvas = $("canvas"); this.held = null;
    this.canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
    this.canvas.addEventListener("pointermove", (e) => this.move(e)); this.canvas.addEventListener("pointerup", (e) => this.up(e)); this.canvas.addEventListener("pointercancel", (e) => this.up(e));
  }
  get on() { return this.studio.running?.settings?.kind === "interactive"; }
  show() { // the panel of the present run
    const r = this.studio.running; this.box.hidden = !this.on; if (!this.on) { this.rows.clear(); this.box.replaceChildren(); this.drop(); return; }
    if (this.of === r.number && this.box.childElementCount) return; this.of = r.number; this.rows.clear();
    const inputs = (r.inputs || []).map(([id, name, value]) => this.row(`VARIABLE/${id}`, name, value, "", { id })), all = new Map((r.parameters || []).map((p) => [p[0], p]));
    this.wanted = [...this.wanted].filter((k) => all.has(k)); this.list = el("div", {}, inputs, this.wanted.map((k) => this.parameter(all.get(k))));
    const name = (p) => `${p[1]}  (${p[0]})`, add = el("input", { type: "text", class: "box", list: "parameters", id: "live-add", "aria-label": "Add a slider for a parameter", placeholder: "add a slider: stiffness, damping, ...", autocomplete: "off", spellcheck: "false" });
    add.addEventListener("change", () => { const p = [...all.values()].find((x) => name(x) === add.value || x[0] === add.value.trim()); if (!p) return this.studio.tell(add.value ? `There is no parameter ${add.value}` : ""); add.value = ""; if (this.rows.has(p[0])) return this.rows.get(p[0]).range.focus(); this.wanted.push(p[0]); this.list.append(this.parameter(p)); this.rows.get(p[0]).range.focus(); });
    this.box.replaceChildren(el("h3", { text: "Inputs and parameters" }), this.list, all.size ? el("datalist", { id: "parameters" }, [...all.values()].map((p) => el("option", { value: name(p) }))) : "", all.size ? add : "",
      el("div", { class: "help", text: inputs.length || all.size ? "Drag a body in the picture to pull it by a spring." : "The model has no inputs (Create, Input) and no forces with numbers. Drag a body in the picture to pull it by a spring." }));
  }
  parameter([key, name, value, unit]) { return this.row(key, name, value, unit, { key }); }
  row(key, name, value, unit, of) {
    const reach = Math.abs(value) > 0 ? 2 * Math.abs(value) : 1, least = of.key && value > 0 ? 0 : -reach, field = (v, label, act) => { const i = el("input", { type: "text", inputmode: "decimal", "aria-label": label, onchange: () => { try { act(numberOf(i.value, label, unit)); } catch (e) { this.studio.tell(e.message); i.value = was; } }, onfocus: () => (was = i.value) }); let was = (i.value = String(v)); return i; };
    const range = el("input", { type: "range", min: String(least), max: String(reach), step: "any", "aria-label": name, "data-input": key, oninput: () => this.tell(key, of, +range.value) }); range.value = String(value);
    range.addEventListener("keydown", (e) => { const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[e.key]; if (!way) return; e.preventDefault(); range.value = String(+range.value + (way * (+range.max - +range.min)) / 100); this.tell(key, of, +range.value); });
    const number = field(value, `${name}, value`, (v) => { this.widen(key, v); this.tell(key, of, v); }), low = field(least, `${name}, least`, (v) => (range.min = String(v))), high = field(reach, `${name}, most`, (v) => (range.max = String(v)));
    this.rows.set(key, { range, number, low, high });
    return el("div", { class: "live-row" }, el("label", { title: key }, name, unit ? el("span", { class: "unit", text: ` ${pretty(unit)}` }) : null), number, low, range, high);
  }
  widen(key, v) { const r = this.rows.get(key); if (v < +r.range.min) { r.range.min = String(v); r.low.value = String(v); } if (v > +r.range.max) { r.range.max = String(v); r.high.value = String(v); } }
  tell(key, of, value) { this.said = { key, value }; this.studio.link.ask(of.key ? "parameter" : "input", { ...of, value }).catch((e) => this.studio.tell(e.message)); }
  heard(m) { const k = m.key || `VARIABLE/${m.id}`, r = this.rows.get(k); if (!r) return; this.widen(k, m.value); if (document.activeElement !== r.range) r.range.value = String(m.value); if (document.activeElement !== r.number) r.number.value = shown(m.value, 6); }
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
