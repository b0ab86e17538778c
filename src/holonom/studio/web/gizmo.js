// Handles that move and turn what is chosen, in the picture: a preview while they are dragged, one edit when they are let go.
import * as T from "./vendor/three.module.min.js";
import { TransformControls } from "./vendor/TransformControls.js";
import { split } from "./editor.js";
import { key } from "./tree.js";

const MOVABLE = ["PART", "POINT_MASS", "MARKER"];

export class Gizmo {
  constructor(view) {
    this.view = view; this.studio = view.studio; this.mode = null;
    this.proxy = new T.Object3D(); view.scene.add(this.proxy);
    const c = (this.controls = new TransformControls(view.camera, view.canvas)); view.scene.add(c.getHelper()); c.getHelper().visible = false; c.enabled = false; c.setSize(0.85);
    c.addEventListener("change", () => (view.dirty = true));
    c.addEventListener("dragging-changed", (e) => { view.controls.enabled = !e.value; if (e.value) this.begin(); });
    c.addEventListener("objectChange", () => this.preview());
    c.addEventListener("mouseUp", () => this.end());
    addEventListener("keydown", (e) => { if (e.key === "Shift") this.snap(true); }); addEventListener("keyup", (e) => { if (e.key === "Shift") this.snap(false); });
  }
  get busy() { return this.controls.dragging || (this.mode && this.controls.axis !== null); } // a click belongs to the handles
  snap(on) { this.controls.setTranslationSnap(on ? this.view.step / 10 : null); this.controls.setRotationSnap(on ? Math.PI / 12 : null); }
  set(mode) { // "translate", "rotate" or null
    this.mode = this.mode === mode ? null : mode;
    if (this.mode) { this.studio.results.play(false); this.view.home(); this.controls.setMode(this.mode); if (!this.items().length) this.studio.tell("Choose a part or a marker; handles are drawn on it"); }
    this.again();
  }
  items() { // chosen elements that have a place; markers of chosen parts go with these
    const ks = [...this.studio.chosen].filter((k) => MOVABLE.includes(split(k)[0])), out = [];
    for (const k of ks) {
      if (k.startsWith("MARKER/")) { const i = this.markerItem(k); if (i && !ks.includes(key(this.view.bodies[i.body].kind, this.view.bodies[i.body].id))) out.push({ k, item: i }); }
      else { const n = this.view.index.get(k); if (n !== undefined && !this.view.bodies[n].ground) out.push({ k, body: n }); }
    }
    return out;
  }
  markerItem(k) { for (const m of this.view.symbols || []) if (m.userData.marker) return m.userData.items.find((i) => key(i.kind, i.id) === k); return null; }
  again() { // put the handles where what is chosen is
    const items = this.mode && !this.studio.running ? this.items() : [], on = items.length > 0;
    this.view.moveButton?.setAttribute("aria-pressed", String(this.mode === "translate")); this.view.turnButton?.setAttribute("aria-pressed", String(this.mode === "rotate"));
    this.controls.enabled = on; this.controls.getHelper().visible = on; this.controls.camera = this.view.camera;
    if (on && !this.controls.dragging) { const f = items.at(-1), m = f.item ? new T.Matrix4().multiplyMatrices(this.view.matrices[f.item.body], f.item.local) : this.view.matrices[f.body]; m.decompose(this.proxy.position, this.proxy.quaternion, this.proxy.scale); this.proxy.scale.set(1, 1, 1); this.proxy.updateMatrixWorld(); this.controls.attach(this.proxy); }
    else if (!on) this.controls.detach();
    this.view.dirty = true;
  }
  begin() {
    this.moved = this.items(); this.from = { p: this.proxy.position.clone(), q: this.proxy.quaternion.clone() };
    for (const m of this.moved) m.start = m.item ? { local: m.item.local.clone(), body: this.view.matrices[m.item.body].clone() } : this.view.matrices[m.body].clone();
  }
  preview() {
    if (!this.from) return; const { p, q } = this.from, turn = this.proxy.quaternion.clone().multiply(q.clone().invert());
    const d = new T.Matrix4().makeTranslation(this.proxy.position).multiply(new T.Matrix4().makeRotationFromQuaternion(turn)).multiply(new T.Matrix4().makeTranslation(p.clone().negate()));
    for (const m of this.moved) { if (m.item) m.item.local.copy(m.start.body).invert().multiply(d).multiply(m.start.body).multiply(m.start.local); else this.view.matrices[m.body].multiplyMatrices(d, m.start); }
    const s = this.view.table.units.length, by = this.proxy.position.clone().sub(p), angle = 2 * Math.acos(Math.min(1, Math.abs(turn.w)));
    this.studio.tell(this.mode === "rotate" ? `${((angle * 180) / Math.PI).toFixed(2)}°` : `x ${this.short(by.x)}, y ${this.short(by.y)}, z ${this.short(by.z)} ${s}`);
    this.view.place();
  }
  short(v) { return +v.toFixed(Math.min(15, Math.max(0, Math.ceil(5 - Math.log10(this.view.size))))); } // no digits that nobody meant
  end() {
    if (!this.from) return; const { p, q } = this.from, turn = this.proxy.quaternion.clone().multiply(q.clone().invert()); this.from = null;
    const by = this.proxy.position.clone().sub(p).toArray().map((v) => this.short(v)); if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
    const angle = 2 * Math.acos(Math.min(1, turn.w)), axis = new T.Vector3(turn.x, turn.y, turn.z).normalize(), vector = axis.multiplyScalar(angle).toArray().map((v) => +v.toFixed(9));
    const command = { do: "move", items: this.moved.map((m) => { const [kind, id] = split(m.k); return [kind, id]; }) };
    if (angle > 1e-7) { command.turn = vector; command.about = p.clone().add(new T.Vector3(...this.view.table.origin)).toArray().map((v) => +v.toPrecision(9)); } else if (by.some(Boolean)) command.by = by; else return;
    for (const m of this.moved) if (!m.item) this.view.design[m.body].copy(this.view.matrices[m.body]); // until the picture comes anew
    this.studio.edit(command).catch(() => this.studio.loadScene(true));
  }
}
