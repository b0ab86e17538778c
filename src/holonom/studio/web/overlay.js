// What a run has beside the motion of its bodies: grains, parts that bend and rods with colours, forces and contacts as arrows.
import * as T from "./vendor/three.module.min.js";
import { $, el, pretty, shown } from "./dom.js";
import { key } from "./tree.js";

const RAMP = [[48, 18, 59], [70, 107, 227], [40, 187, 236], [49, 242, 153], [162, 252, 60], [238, 207, 58], [251, 126, 33], [208, 47, 5], [122, 4, 3]]; // that of the report
const COLOURS = { contact: 0xe0301e, force: 0xb8461b, reaction: 0x2a6fd0 }, LONG = 0.22; // length of an arrow of the largest force, of the machine's size
const numbers = (text, Type) => { const raw = atob(text), bytes = new Uint8Array(raw.length); for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k); return new Type(bytes.buffer); };

export class Overlay {
  constructor(view) {
    this.view = view; this.studio = view.studio; this.group = new T.Group(); view.scene.add(this.group); this.arrows = "contacts"; this.paint = "stress"; this.scale = 1;
    this.arrowPick = el("select", { class: "box", "aria-label": "Forces as arrows", title: "Forces of the run as arrows", hidden: true, onchange: (e) => { this.arrows = e.target.value; this.again(); } }, [["none", "No arrows"], ["contacts", "Contacts"], ["forces", "Forces"], ["all", "Forces and reactions"]].map(([v, t]) => el("option", { value: v, text: t, selected: v === this.arrows })));
    this.paintPick = el("select", { class: "box", "aria-label": "Colours of parts that bend", hidden: true, onchange: (e) => { this.paint = e.target.value; this.seek(this.time); } }, [["stress", "Stress"], ["displacement", "Displacement"], ["none", "No colours"]].map(([v, t]) => el("option", { value: v, text: t })));
    this.key = el("div", { id: "ramp", hidden: true }, el("div", { class: "bar", style: `background:linear-gradient(to right, ${RAMP.map((c) => `rgb(${c.join(",")})`).join(",")})` }), (this.words = el("div", { class: "ends" }))); $("view").append(this.key);
  }
  clear() { for (const o of [...this.group.children]) { this.group.remove(o); o.geometry?.dispose(); o.material?.dispose(); o.dispose?.(); } this.data = null; this.soft = []; this.tubes = []; this.grains = []; this.sets = []; this.of = null; this.key.hidden = true; this.view.bent?.clear(); }
  none() { this.clear(); this.arrowPick.hidden = this.paintPick.hidden = true; this.view.designGrains(true); this.view.refresh(); }
  again() { if (this.run) this.load(this.run, this.mode); }
  async load(run, mode = 0) { // what there is of a run, or of one of its modes
    this.run = run; this.mode = mode; const has = run.shows || {}, id = `${run.number}:${mode}`; this.arrowPick.hidden = !(has.contacts || has.forces) || !!mode; this.paintPick.hidden = !(has.flexible || has.tubes);
    const wanted = has.grains || has.flexible || has.tubes || (!mode && ((has.contacts && this.arrows !== "none") || (has.forces && ["forces", "all"].includes(this.arrows))));
    if (!wanted) { this.clear(); this.view.designGrains(true); this.view.refresh(); return; }
    if (this.of !== id) {
      const turn = (this.turn = (this.turn || 0) + 1); let data; try { const r = await fetch(`/shown/${run.number}${mode ? `?mode=${mode}` : ""}`); if (!r.ok) throw new Error(await r.text()); data = await r.json(); } catch (e) { return this.studio.tell(e.message); }
      if (turn !== this.turn) return; this.clear(); this.of = id; this.data = data; this.times = numbers(data.time, Float64Array); this.build();
      for (const text of data.missing) this.studio.results.line({ text, kind: "warning", time: Date.now() / 1000 });
    }
    this.view.designGrains(!this.data.grains.length); this.view.bent = new Set([...this.soft, ...this.tubes].map((f) => f.n).filter((n) => n >= 0)); this.view.refresh(); this.seek(this.studio.results.time);
  }
  build() {
    const d = this.data, v = this.view; this.shift = new T.Vector3(...d.origin).sub(new T.Vector3(...v.table.origin)); this.index = d.bodies.map(([kind, id]) => v.index.get(key(kind, id)) ?? -1);
    this.values = d.arrows.items.length ? numbers(d.arrows.values, Float32Array) : null; this.which = d.contacts.slots ? numbers(d.contacts.which, Int32Array) : null; this.points = d.contacts.slots ? numbers(d.contacts.values, Float32Array) : null;
    const most = Math.max(1, d.arrows.items.length + d.contacts.slots), shape = v.unitArrow(), material = new T.MeshStandardMaterial({ roughness: 0.5, depthTest: false, transparent: true, opacity: 0.92 });
    this.lines = new T.InstancedMesh(shape, material, most); this.lines.frustumCulled = false; this.lines.renderOrder = 5; this.lines.count = 0; this.lines.setColorAt(0, new T.Color(COLOURS.contact)); this.group.add(this.lines);
    for (const f of d.flexible) this.soft.push(this.surface(f));
    for (const t of d.tubes || []) this.tubes.push(this.tube(t));
    for (const g of d.grains) this.grains.push(this.bulk(g));
    this.top = { stress: Math.max(0, ...[...this.soft, ...this.tubes].map((f) => f.top || 0)), displacement: Math.max(0, ...this.soft.map((f) => f.way || 0)) };
  }
  mesh(points, index, lines) {
    const g = new T.BufferGeometry(), paint = new Float32Array(points.length).fill(0.6); g.setAttribute("position", new T.BufferAttribute(points, 3).setUsage(T.DynamicDrawUsage)); g.setAttribute("color", new T.BufferAttribute(paint, 3).setUsage(T.DynamicDrawUsage)); g.setIndex(new T.BufferAttribute(index, 1));
    const o = lines ? new T.LineSegments(g, new T.LineBasicMaterial({ vertexColors: true })) : new T.Mesh(g, new T.MeshStandardMaterial({ vertexColors: true, roughness: 0.7, side: T.DoubleSide, flatShading: true }));
    o.frustumCulled = false; o.castShadow = o.receiveShadow = !lines; o.matrixAutoUpdate = false; this.group.add(o); return o;
  }
  surface(f) {
    const rest = numbers(f.p, Float32Array), t = numbers(f.t, Uint16Array), l = numbers(f.l, Uint16Array), o = this.mesh(rest.slice(), t.length ? t : l, !t.length);
    return { ...f, rest, o, n: this.index[f.body], q: numbers(f.q, Float32Array), phi: numbers(f.phi, Int16Array), vm: f.vm ? numbers(f.vm, Uint8Array) : null };
  }
  tube(t) { // rings at its stations, in ground
    const K = t.ring.length / 2, n = t.n, index = [], pieces = t.closed ? n : n - 1;
    for (let r = 0; r < pieces; r++) for (let k = 0; k < K; k++) { const a = r * K + k, b = r * K + ((k + 1) % K), c = ((r + 1) % n) * K + k, d = ((r + 1) % n) * K + ((k + 1) % K); index.push(a, b, d, a, d, c); }
    if (!t.closed) for (let k = 1; k + 1 < K; k++) index.push(0, k + 1, k, (n - 1) * K, (n - 1) * K + k, (n - 1) * K + k + 1);
    const o = this.mesh(new Float32Array(3 * n * K), new Uint32Array(index), false); o.material.flatShading = !t.smooth; o.matrix.identity();
    return { ...t, K, o, n: this.index[t.body], count: n * K, stations: n, path: numbers(t.path, Float32Array), side: numbers(t.side, Int16Array), middle: numbers(t.middle, Float32Array), vm: t.vm ? numbers(t.vm, Uint8Array) : null };
  }
  bulk(g) {
    const size = numbers(g.s, Float32Array), o = g.q ? this.view.lumps(size, g.color, numbers(g.mesh.p, Float32Array), Uint32Array.from(numbers(g.mesh.t, Uint16Array)), g.mesh.flat) : this.view.balls(size, g.color); this.group.add(o.object);
    return { ...g, ...o, code: numbers(g.p, Uint16Array), q: g.q ? numbers(g.q, Int16Array) : null };
  }
  // ---- at a time -----------------------------------------------------------------------------------------------------
  seek(t) {
    this.time = t; this.scale = this.studio.results.still ? Math.min(1, t) : 1; if (!this.data || !this.times?.length) return; const x = this.times; let a = 0, b = x.length - 1; while (b - a > 1) { const c = (a + b) >> 1; x[c] <= t ? (a = c) : (b = c); }
    const mix = b > a && x[b] > x[a] ? Math.min(1, Math.max(0, (t - x[a]) / (x[b] - x[a]))) : 0; this.place(a, b, mix);
    for (const f of this.soft) this.bend(f, a, b, mix); for (const u of this.tubes) this.sweep(u, a, b, mix);
    for (const g of this.grains) { const n = g.count, p = g.code, at = new Float32Array(3 * n); for (let k = 0; k < 3 * n; k++) { const i = p[3 * n * a + k], j = p[3 * n * b + k], c = k % 3; at[k] = i === 65535 ? NaN : this.shift.getComponent(c) + g.low[c] + ((j === 65535 ? i : i + mix * (j - i)) / 65534) * g.span[c]; } g.put(at, g.q ? g.q.subarray(4 * n * (mix > 0.5 ? b : a), 4 * n * ((mix > 0.5 ? b : a) + 1)) : null); }
    const top = this.top[this.paint] || 0; this.key.hidden = !(top > 0); if (top > 0) { const u = this.data.units; this.words.replaceChildren(el("span", { text: "0" }), el("span", { text: `${this.paint === "stress" ? "von Mises" : "displacement"} [${pretty(this.paint === "stress" ? u.stress : u.length)}]` }), el("span", { text: shown(top, 4) })); }
    this.view.dirty = true;
  }
  place(a, b, mix) { // arrows
    const d = this.data, v = this.view, size = LONG * v.size, m = new T.Matrix4(), q = new T.Quaternion(), z = new T.Vector3(0, 0, 1), f = new T.Vector3(), p = new T.Vector3(), c = new T.Color(); let n = 0;
    const put = (kind, scale) => { const long = (f.length() / scale) * size; if (!(long > 1e-3 * size)) return; const w = 0.5 * size * Math.min(1, Math.max(0.25, long / size)); q.setFromUnitVectors(z, f.normalize()); this.lines.setMatrixAt(n, m.compose(p, q, new T.Vector3(w, w, Math.min(long, 4 * size)))); this.lines.setColorAt(n++, c.set(COLOURS[kind])); };
    this.pointed = [];
    if (this.values && ["forces", "all"].includes(this.arrows) && !this.mode) d.arrows.items.forEach((i, k) => { const at = this.index[i.body]; if (at < 0 || (i.kind === "reaction" && this.arrows !== "all")) return; const N = d.arrows.items.length, o = 3 * (N * a + k), u = 3 * (N * b + k), s = this.values; f.set(s[o] + mix * (s[u] - s[o]), s[o + 1] + mix * (s[u + 1] - s[o + 1]), s[o + 2] + mix * (s[u + 2] - s[o + 2])); p.set(...i.o).applyMatrix4(v.matrices[at]); put(i.kind, d.arrows.largest || 1); });
    if (this.points && this.arrows !== "none" && !this.mode) { const N = d.contacts.slots, row = mix > 0.5 ? b : a; for (let k = 0; k < N; k++) { if (this.which[N * row + k] < 0) continue; const o = 6 * (N * row + k), s = this.points; p.set(s[o], s[o + 1], s[o + 2]).add(this.shift); f.set(s[o + 3], s[o + 4], s[o + 5]); this.pointed.push([d.contacts.items[this.which[N * row + k]].of, f.toArray()]); put("contact", d.contacts.scale || 1); } }
    this.lines.count = n; this.lines.instanceMatrix.needsUpdate = true; if (this.lines.instanceColor) this.lines.instanceColor.needsUpdate = true; this.drawn = n;
  }
  hue(x, out, at, own) { if (!(x === x)) { out[at] = own.r; out[at + 1] = own.g; out[at + 2] = own.b; return; } const s = Math.min(1, Math.max(0, x)) * (RAMP.length - 1), k = Math.min(RAMP.length - 2, Math.floor(s)), w = s - k; for (let i = 0; i < 3; i++) out[at + i] = ((RAMP[k][i] + (RAMP[k + 1][i] - RAMP[k][i]) * w) / 255) ** 2.2; }
  stress(f, a, b, mix) { // share of the largest, of a vertex: NaN where it is not known
    if (!f.vm) return () => NaN; const rows = f.vm.length / f.count, row = (r) => Math.min(Math.round(r / f.step), rows - 1) * f.count, r0 = row(a), r1 = row(b);
    return (k) => { const i = f.vm[r0 + k], j = f.vm[r1 + k]; return i < 255 && j < 255 ? (((i + (j - i) * mix) / 254) ** 2 * f.top) / (this.top.stress || 1) : NaN; };
  }
  bend(f, a, b, mix) { // u = sum q phi, as in results.flexible_surface
    const g = f.o.geometry, at = g.attributes.position.array, paint = g.attributes.color.array, n = f.modes.length, N = 3 * f.count, u = new Float32Array(N), stress = this.stress(f, a, b, mix), own = new T.Color(this.data.colors[f.body]);
    for (let j = 0; j < n; j++) { const s = f.q[a * n + j], c = (s + (f.q[b * n + j] - s) * mix) * f.unit[j]; if (c !== 0) for (let k = 0, o = j * N; k < N; k++) u[k] += c * f.phi[o + k]; }
    for (let k = 0; k < N; k++) at[k] = f.rest[k] + this.scale * u[k];
    for (let k = 0; k < f.count; k++) this.hue(this.paint === "stress" ? stress(k) : this.paint === "displacement" && this.top.displacement > 0 ? Math.hypot(u[3 * k], u[3 * k + 1], u[3 * k + 2]) / this.top.displacement : NaN, paint, 3 * k, own);
    g.attributes.position.needsUpdate = g.attributes.color.needsUpdate = true; if (f.n >= 0) { f.o.matrix.copy(this.view.matrices[f.n]); f.o.matrixWorldNeedsUpdate = true; }
  }
  sweep(t, a, b, mix) { // rings across the path
    const g = t.o.geometry, out = g.attributes.position.array, paint = g.attributes.color.array, n = t.stations, own = new T.Color(this.data.colors[t.body]), stress = this.stress(t, a, b, mix), P = [], mid = new T.Vector3(...[0, 1, 2].map((c) => t.middle[3 * a + c] + mix * (t.middle[3 * b + c] - t.middle[3 * a + c]))).add(this.shift), along = new T.Vector3(), y = new T.Vector3(), z = new T.Vector3(), mixed = (s, k, w) => s[a * n * w + k] + (s[b * n * w + k] - s[a * n * w + k]) * mix;
    for (let i = 0; i < n; i++) P.push(new T.Vector3(mixed(t.path, 3 * i, 3), mixed(t.path, 3 * i + 1, 3), mixed(t.path, 3 * i + 2, 3)).add(mid));
    for (let i = 0; i < n; i++) {
      const before = P[t.closed ? (i + n - 1) % n : Math.max(0, i - 1)], after = P[t.closed ? (i + 1) % n : Math.min(n - 1, i + 1)]; along.copy(after).sub(before).normalize(); y.set(mixed(t.side, 3 * i, 3), mixed(t.side, 3 * i + 1, 3), mixed(t.side, 3 * i + 2, 3)); y.addScaledVector(along, -y.dot(along)).normalize(); z.copy(along).cross(y);
      for (let k = 0; k < t.K; k++) { const o = 3 * (i * t.K + k), c = t.ring[2 * k], d = t.ring[2 * k + 1]; out[o] = P[i].x + c * y.x + d * z.x; out[o + 1] = P[i].y + c * y.y + d * z.y; out[o + 2] = P[i].z + c * y.z + d * z.z; this.hue(this.paint === "stress" ? stress(i * t.K + k) : NaN, paint, o, own); }
    }
    g.attributes.position.needsUpdate = g.attributes.color.needsUpdate = true; if (t.smooth) g.computeVertexNormals();
  }
}
