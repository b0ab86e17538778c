// What a run has beside the motion of its bodies: grains, flexible bodies and rods with colours, forces and contacts as arrows.
import * as T from "./vendor/three.module.min.js";
import { $, button, el, fetched, pretty, shown } from "./dom.js";
import { key } from "./tree.js";

const COLOURS = { contact: 0xe0301e, force: 0xb8461b, reaction: 0x2a6fd0 }, LONG = 0.22, VALUES = 8; // arrows whose sizes are written; length of an arrow of the largest force, of the machine's size
const unpack = window.holonomUnpack, moving = window.holonomMoving; // those of reports and animations

export class Overlay {
  constructor(view) {
    this.view = view; this.studio = view.studio; this.group = new T.Group(); view.scene.add(this.group); this.arrows = "contacts"; this.paint = "stress"; this.scale = 1;
    this.arrowPick = el("select", { class: "box", "aria-label": "Forces as arrows", title: "Forces of the run as arrows", hidden: true, onchange: (e) => { this.arrows = e.target.value; this.again(); } }, [["none", "No arrows"], ["contacts", "Contacts"], ["forces", "Forces"], ["all", "Forces and reactions"]].map(([v, t]) => el("option", { value: v, text: t, selected: v === this.arrows })));
    this.longer = +localStorage.getItem("holonom-arrows") || 1; this.sizePick = el("select", { class: "box", "aria-label": "Length of arrows", title: "Length of arrows", hidden: true, onchange: (e) => { this.longer = +e.target.value; localStorage.setItem("holonom-arrows", e.target.value); this.seek(this.time); } }, [0.25, 0.5, 1, 2, 4, 8, 16].map((v) => el("option", { value: String(v), text: `×${v}`, selected: v === this.longer })));
    this.valued = false; this.valuesButton = button("Values", () => { this.valued = !this.valued; this.valuesButton.setAttribute("aria-pressed", String(this.valued)); this.seek(this.time); }, { id: "arrow-values", hidden: true, title: `Sizes of the ${VALUES} largest arrows`, "aria-pressed": "false" });
    this.tips = Array.from({ length: VALUES }, () => el("div", { class: "arrow-value", hidden: true })); $("view").append(...this.tips); this.sized = [];
    this.paintPick = el("select", { class: "box", "aria-label": "Colours of flexible bodies", hidden: true, onchange: (e) => { this.paint = e.target.value; this.seek(this.time); } }, [["stress", "Stress"], ["displacement", "Displacement"], ["force", "Axial force"], ["none", "No colours"]].map(([v, t]) => el("option", { value: v, text: t })));
    this.key = el("div", { id: "ramp", hidden: true }, (this.bar = el("div", { class: "bar" })), (this.words = el("div", { class: "ends" }))); $("view").append(this.key);
  }
  clear() { for (const o of [...this.group.children]) { this.group.remove(o); o.geometry?.dispose(); o.material?.dispose(); o.dispose?.(); } this.data = null; this.soft = []; this.tubes = []; this.grains = []; this.sets = []; this.of = null; this.sized = []; this.key.hidden = true; this.view.bent?.clear(); }
  get idle() { return !this.of && this.arrowPick.hidden && this.paintPick.hidden; }
  none() { this.clear(); this.arrowPick.hidden = this.sizePick.hidden = this.valuesButton.hidden = this.paintPick.hidden = true; this.view.designGrains(true); this.view.refresh(); }
  again() { if (this.run) this.load(this.run, this.mode); }
  async load(run, mode = 0) { // what there is of a run, or of one of its modes
    this.run = run; this.mode = mode; const has = run.shows || {}, id = `${run.number}:${mode}`; this.arrowPick.hidden = !(has.contacts || has.forces) || !!mode; this.paintPick.hidden = !(has.flexible || has.tubes); const can = (v) => v === "none" || (v === "contacts" ? has.contacts : has.forces);
    for (const o of this.arrowPick.options) o.hidden = !can(o.value); this.arrowPick.value = can(this.arrows) ? this.arrows : "none"; this.sizePick.hidden = this.valuesButton.hidden = this.arrowPick.hidden || this.arrowPick.value === "none";
    const wanted = has.grains || has.flexible || has.tubes || (!mode && ((has.contacts && this.arrows !== "none") || (has.forces && ["forces", "all"].includes(this.arrows))));
    if (!wanted) { this.clear(); this.view.designGrains(true); this.view.refresh(); return; }
    if (this.of !== id) {
      const turn = (this.turn = (this.turn || 0) + 1); let data; try { data = await (await fetched(`/shown/${run.number}${mode ? `?mode=${mode}` : ""}`)).json(); } catch (e) { return this.studio.tell(e.message); }
      if (turn !== this.turn) return; this.clear(); this.of = id; this.data = data; this.times = unpack(data.time, Float64Array); this.build();
      for (const text of data.missing) this.studio.results.line({ text, kind: "warning", time: Date.now() / 1000 });
    }
    this.view.designGrains(!this.data.grains.length); this.view.bent = new Set([...this.soft, ...this.tubes].map((f) => f.owner).filter((n) => n >= 0)); this.view.refresh(); this.seek(this.studio.results.time);
  }
  build() {
    const d = this.data, v = this.view; this.shift = new T.Vector3(...d.origin).sub(new T.Vector3(...v.table.origin)); this.index = d.bodies.map(([kind, id]) => v.index.get(key(kind, id)) ?? -1);
    this.values = d.arrows.items.length ? unpack(d.arrows.values, Float32Array) : null; this.which = d.contacts.slots ? unpack(d.contacts.which, Int32Array) : null; this.points = d.contacts.slots ? unpack(d.contacts.values, Float32Array) : null;
    const most = Math.max(1, d.arrows.items.length + d.contacts.slots), shape = v.unitArrow(), material = new T.MeshStandardMaterial({ roughness: 0.5, depthTest: false, transparent: true, opacity: 0.92 });
    this.lines = new T.InstancedMesh(shape, material, most); this.lines.frustumCulled = false; this.lines.renderOrder = 5; this.lines.count = 0; this.lines.setColorAt(0, new T.Color(COLOURS.contact)); this.group.add(this.lines);
    const c = moving.colours(d.ramp, 2.2), own = (b) => new T.Color(d.colors[b]).toArray(); this.hue = c.hue; this.bar.style.background = c.bar; // colours of vertices are linear here
    for (const f of d.flexible) { const s = new moving.Bending(f, own(f.body)), full = s.triangles.length > 0; this.soft.push(Object.assign(s, { owner: this.index[f.body], o: this.mesh(s, full ? s.triangles : s.pairs, !full) })); }
    for (const t of d.tubes) { const s = new moving.Tube(t, own(t.body)); s.o = this.mesh(s, s.index, false); s.o.material.flatShading = !t.smooth; this.tubes.push(Object.assign(s, { owner: this.index[t.body], middle: unpack(t.middle, Float32Array) })); }
    for (const g of d.grains) { const s = new moving.Grains(g), o = s.spins ? this.view.lumps(s.size, g.color, s.surface, Uint32Array.from(s.index), g.mesh.flat) : this.view.balls(s.size, g.color); this.group.add(o.object); this.grains.push(Object.assign(s, o, { places: new Float32Array(3 * g.count) })); }
    const pulled = this.tubes.filter((t) => t.force), peak = (list, k) => Math.max(0, ...list.map((f) => f[k] || 0));
    this.top = { stress: peak([...this.soft, ...this.tubes], "top"), displacement: peak(this.soft, "way"), force: peak(pulled, "high") }; this.low = { force: Math.min(0, ...pulled.map((t) => t.low)) };
    for (const o of this.paintPick.options) o.hidden = o.value !== "none" && !(this.top[o.value] > (this.low[o.value] || 0)); if (this.paintPick.selectedOptions[0]?.hidden) this.paintPick.value = this.paint = [...this.paintPick.options].find((o) => !o.hidden).value;
  }
  mesh(s, index, lines) { // of points that move
    const g = new T.BufferGeometry(), of = (a) => new T.BufferAttribute(a, 3).setUsage(T.DynamicDrawUsage); g.setAttribute("position", of(s.points)); g.setAttribute("color", of(s.paint)); g.setIndex(new T.BufferAttribute(index, 1));
    const o = lines ? new T.LineSegments(g, new T.LineBasicMaterial({ vertexColors: true })) : new T.Mesh(g, new T.MeshStandardMaterial({ vertexColors: true, roughness: 0.7, side: T.DoubleSide, flatShading: true }));
    o.frustumCulled = false; o.castShadow = o.receiveShadow = !lines; o.matrixAutoUpdate = false; this.group.add(o); return o;
  }
  // ---- at a time -----------------------------------------------------------------------------------------------------
  seek(t) {
    this.time = t; this.scale = this.studio.results.still ? Math.min(1, t) : 1; if (!this.data || !this.times?.length) return; const x = this.times; let a = 0, b = x.length - 1; while (b - a > 1) { const c = (a + b) >> 1; x[c] <= t ? (a = c) : (b = c); }
    const mix = b > a && x[b] > x[a] ? Math.min(1, Math.max(0, (t - x[a]) / (x[b] - x[a]))) : 0; this.place(a, b, mix);
    const top = this.top[this.paint] || 0, low = this.low[this.paint] || 0, how = { paint: this.paint, top, low, hue: this.hue, more: this.scale };
    for (const f of this.soft) { f.at(a, b, mix, how); this.moved(f); if (f.owner >= 0) f.o.matrix.copy(this.view.matrices[f.owner]); }
    for (const u of this.tubes) { u.at(a, b, mix, how); this.moved(u); if (u.smooth) u.o.geometry.computeVertexNormals(); u.o.matrix.makeTranslation(...[0, 1, 2].map((c) => this.shift.getComponent(c) + u.middle[3 * a + c] + mix * (u.middle[3 * b + c] - u.middle[3 * a + c]))); }
    for (const g of this.grains) { const at = g.at(a, b, mix, g.places), [x, y, z] = this.shift.toArray(); for (let k = 0; k < at.length; k += 3) { at[k] += x; at[k + 1] += y; at[k + 2] += z; } g.put(at, g.turns(a, b, mix)); }
    this.key.hidden = !(top > low); if (top > low) { const u = this.data.units, what = { stress: ["von Mises", u.stress], displacement: ["displacement", u.length], force: ["axial force", u.force] }[this.paint]; this.words.replaceChildren(el("span", { text: shown(low, 4) }), el("span", { text: `${what[0]} [${pretty(what[1])}]` }), el("span", { text: shown(top, 4) })); }
    this.view.dirty = true;
  }
  place(a, b, mix) { // arrows
    const d = this.data, v = this.view, size = LONG * v.size * this.longer, m = new T.Matrix4(), q = new T.Quaternion(), z = new T.Vector3(0, 0, 1), f = new T.Vector3(), p = new T.Vector3(), c = new T.Color(); let n = 0;
    this.sized = []; const broad = LONG * v.size;
    const put = (kind, scale, key) => { const force = f.length(), long = (force / scale) * size; if (!(long > 1e-3 * broad)) return; const w = 0.5 * broad * Math.min(1, Math.max(0.25, long / broad)); q.setFromUnitVectors(z, f.normalize()); this.sized.push({ force, key, tip: p.clone().addScaledVector(f, Math.min(long, 4 * size)) }); this.lines.setMatrixAt(n, m.compose(p, q, new T.Vector3(w, w, Math.min(long, 4 * size)))); this.lines.setColorAt(n++, c.set(COLOURS[kind])); };
    this.pointed = [];
    if (this.values && ["forces", "all"].includes(this.arrows) && !this.mode) d.arrows.items.forEach((i, k) => { const at = this.index[i.body]; if (at < 0 || (i.kind === "reaction" && this.arrows !== "all")) return; const N = d.arrows.items.length, o = 3 * (N * a + k), u = 3 * (N * b + k), s = this.values; f.set(s[o] + mix * (s[u] - s[o]), s[o + 1] + mix * (s[u + 1] - s[o + 1]), s[o + 2] + mix * (s[u + 2] - s[o + 2])); p.set(...i.o).applyMatrix4(v.matrices[at]); put(i.kind, d.arrows.largest || 1, i.name || ""); });
    if (this.points && this.arrows !== "none" && !this.mode) { const N = d.contacts.slots, row = mix > 0.5 ? b : a; for (let k = 0; k < N; k++) { if (this.which[N * row + k] < 0) continue; const o = 6 * (N * row + k), s = this.points; p.set(s[o], s[o + 1], s[o + 2]).add(this.shift); f.set(s[o + 3], s[o + 4], s[o + 5]); this.pointed.push([d.contacts.items[this.which[N * row + k]].of, f.toArray()]); put("contact", d.contacts.scale || 1, ""); } }
    this.sized.sort((a, b) => b.force - a.force).splice(VALUES);
    this.lines.count = n; this.lines.instanceMatrix.needsUpdate = true; if (this.lines.instanceColor) this.lines.instanceColor.needsUpdate = true; this.drawn = n;
  }
  label() { // sizes of the largest arrows, at their tips in the picture
    const on = this.valued && !this.arrowPick.hidden && this.arrowPick.value !== "none", w = this.view.canvas.clientWidth, h = this.view.canvas.clientHeight, at = new T.Vector3();
    this.tips.forEach((tip, n) => { const s = on ? this.sized[n] : null, p = s && at.copy(s.tip).project(this.view.camera), seen = p && Math.abs(p.x) < 1 && Math.abs(p.y) < 1 && p.z < 1; tip.hidden = !seen; if (!seen) return; tip.textContent = `${shown(s.force, 4)} ${pretty(this.data.units.force)}`; tip.dataset.force = String(s.force); tip.style.left = `${Math.min(((p.x + 1) / 2) * w + 6, w - 90)}px`; tip.style.top = `${((1 - p.y) / 2) * h - 9}px`; });
  }
  moved(f) { f.o.geometry.attributes.position.needsUpdate = f.o.geometry.attributes.color.needsUpdate = f.o.matrixWorldNeedsUpdate = true; }
}
