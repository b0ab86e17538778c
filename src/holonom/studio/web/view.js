// The picture: bodies in two batches (solid and transparent), symbols and edges as instances, one matrix a body.
import * as T from "./vendor/three.module.min.js";
import { $, block, button, el, pretty } from "./dom.js";
import { Eye, VIEWS } from "./eye.js";
import { Gizmo } from "./gizmo.js";
import { Overlay } from "./overlay.js";
import { Second } from "./second.js";
import { key } from "./tree.js";

const one = new T.Vector3(1, 1, 1), none = new T.Matrix4().makeScale(0, 0, 0);
const COARSE = [[1, 1], [0.71, 0.5], [0.5, 0.25], [0.5, 0.1]]; // while pictures come late: shares of pixels along a side, and of balls where there are many
const MANY = 5000; // balls of which some may be left out then
const EDGES_UP_TO = 400, SHADOWS_UP_TO = 300; // bodies for which they are drawn until somebody says otherwise

export class View {
  constructor(studio) {
    this.studio = studio; this.canvas = $("canvas");
    const gl = document.createElement("canvas").getContext("webgl2"), named = gl?.getExtension("WEBGL_debug_renderer_info");
    this.plain = /swiftshader|llvmpipe|software/i.test(named ? gl.getParameter(named.UNMASKED_RENDERER_WEBGL) : ""); // drawn by the processor: simpler light, no shadows of many
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
    this.renderer = new T.WebGLRenderer({ canvas: this.canvas, antialias: !this.plain, alpha: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.type = T.PCFSoftShadowMap; this.renderer.localClippingEnabled = true;
    this.scene = new T.Scene(); this.root = new T.Group(); this.scene.add(this.root);
    this.first = this.active = new Eye(this.canvas, () => (this.dirty = true)); // active: the one under the pointer
    this.hidden = new Set(); this.clear = new Set(); this.bodies = []; this.index = new Map(); this.matrices = []; this.show = { symbols: true, markers: false, edges: null, shadows: null, grid: true };
    this.lights();
    this.frames = 0; this.dirty = true; this.coarse = 0; this.late = 30; this.before = 0; this.rested = true; this.pixels = { value: 1 }; this.sectionPlane = new T.Plane(new T.Vector3(-1, 0, 0), 0); this.section = "off";
    this.axes = this.triad();
    this.second = new Second(this); this.gizmo = new Gizmo(this); this.overlay = new Overlay(this); this.tools(); this.pointer();
    new ResizeObserver(() => this.resize()).observe($("view")); this.resize();
    const tick = () => { requestAnimationFrame(tick); this.tick(); }; tick();
  }
  lights() {
    this.hemi = new T.HemisphereLight(0xffffff, 0x8890a0, 1.5); this.sun = new T.DirectionalLight(0xffffff, 1.9); this.sun.shadow.mapSize.set(1024, 1024); this.sun.shadow.radius = 5; this.sun.shadow.bias = -0.0008;
    this.fill = new T.DirectionalLight(0xffffff, 0.5); this.scene.add(this.hemi, this.sun, this.sun.target, this.fill);
  }
  triad() {
    const s = new T.Scene(), colours = [0xd04437, 0x3f9a52, 0x2f6fc4];
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((d, k) => s.add(new T.ArrowHelper(new T.Vector3(...d), new T.Vector3(), 1, colours[k], 0.32, 0.2)));
    s.add(new T.AmbientLight(0xffffff, 3)); this.triadCamera = new T.OrthographicCamera(-1.25, 1.25, 1.25, -1.25, -5, 5);
    return s;
  }
  get camera() { return this.first.camera; } get controls() { return this.first.controls; }
  eyeAt(x, y) { return this.second.on && this.second.eye.holds(x, y) ? this.second.eye : this.first; }
  tools() {
    const toggle = (name, title) => (this[`b_${name}`] = button(title, () => { this.show[name] = !this.shows(name); this.refresh(); }, { "aria-pressed": "false" }));
    this.persp = button("Perspective", () => this.projection(this.camera === this.first.ortho), { title: "Perspective or parallel projection (5)", "aria-pressed": "true" });
    this.sectionPick = el("select", { class: "box", "aria-label": "Section plane", title: "Section plane", onchange: (e) => { this.section = e.target.value; this.sectionRange.hidden = this.section === "off"; this.cut(); } }, ["off", "x", "y", "z"].map((v) => el("option", { value: v, text: v === "off" ? "No section" : `Section ${v}` })));
    this.sectionRange = el("input", { type: "range", min: "-100", max: "100", value: "0", hidden: true, "aria-label": "Place of the section", oninput: () => this.cut() });
    $("view-tools").append(
      button("Fit", () => this.fit(), { title: "Fit everything (F)" }), ...Object.keys(VIEWS).map((v, n) => button(v, () => this.look(v), { title: `${v} view (${n + 1})` })), this.persp,
      (this.moveButton = button("Move", () => this.gizmo.set("translate"), { title: "Handles that move what is chosen (G; Shift: in steps)", "aria-pressed": "false" })), (this.turnButton = button("Turn", () => this.gizmo.set("rotate"), { title: "Handles that turn what is chosen (R; Shift: in steps of 15 degrees)", "aria-pressed": "false" })),
      toggle("symbols", "Symbols"), toggle("markers", "Markers"), toggle("edges", "Edges"), toggle("shadows", "Shadows"), toggle("grid", "Grid"), this.overlay.arrowPick, this.overlay.sizePick, this.overlay.valuesButton, this.overlay.paintPick, this.sectionPick, this.sectionRange,
      (this.measureButton = button("Measure", () => this.measureStart(), { title: "Distance of two points that you click, and the angle at the second with a third (M)", "aria-pressed": "false" })));
    $("view-tools").append(this.second.button); this.canvas.addEventListener("keydown", (e) => this.key(e, this.first));
  }
  key(e, eye) { // in one of the pictures
    if (e.ctrlKey || e.metaKey || e.altKey) return; const v = Object.keys(VIEWS)[+e.key - 1], second = eye !== this.first;
    if (v) second ? this.second.look(v) : this.look(v); else if (e.key === "5") second ? this.second.projection() : this.projection(this.camera === this.first.ortho); else if (e.key === "f" || e.key === "F") this.fit(null, eye); else if (e.key === "m") this.measureStart(); else if (e.key === "Escape") this.studio.choose([]);
    else if (e.key === "+" || e.key === "-") eye.zoom(e.key === "+" ? 0.85 : 1.18); else return;
    e.preventDefault();
  }
  shows(name) { const n = this.bodies.length; return this.show[name] ?? (name === "edges" ? n <= (this.plain ? 60 : EDGES_UP_TO) : n <= (this.plain ? 60 : SHADOWS_UP_TO)); }

  // ---- the scene ---------------------------------------------------------------------------------------------------
  async load(keep) {
    const { table, data, at } = await block("/scene"); unfold(table, data, at);
    this.version = table.version; // of the model that is drawn
    this.table = table; const first = !this.bodies.length || !keep;
    for (const o of [...this.root.children]) { this.root.remove(o); o.traverse((c) => { c.geometry?.dispose?.(); c.dispose?.(); if (c.material) [c.material].flat().forEach((m) => m.dispose()); }); }
    this.bodies = table.bodies; this.index = new Map(table.bodies.map((b, n) => [key(b.kind, b.id), n])); this.matrices = table.bodies.map(() => new T.Matrix4());
    this.up = new T.Vector3(...table.up); this.size = table.size || 1; this.clip = [];
    const p = new T.Vector3(), q = new T.Quaternion();
    table.bodies.forEach((b, n) => { const v = b.place; this.matrices[n].compose(p.set(v[0], v[1], v[2]), q.set(v[4], v[5], v[6], v[3]), one); });
    this.design = this.matrices.map((m) => m.clone());
    this.build(table, data, at);
    this.grid(); this.refresh();
    if (first) { this.look("Iso"); this.fit(); if (this.opened) this.second.on && this.second.look(this.second.pick.value, true); else { this.opened = true; this.second.begin(); } }
    if (this.last) this.pose(...this.last);
    this.gizmo.again();
  }
  build(table, data, at) {
    const clip = this.clippers(), light = this.plain && table.bodies.length > 60 ? T.MeshLambertMaterial : T.MeshStandardMaterial, solid = new light({ side: T.DoubleSide, clippingPlanes: clip });
    const glass = new light({ transparent: true, opacity: 0.25, depthWrite: false, side: T.DoubleSide, clippingPlanes: clip });
    const f32 = (o, n) => new Float32Array(data, at + o, n), u32 = (o, n) => new Uint32Array(data, at + o, n);
    let points = 0, indices = 0, count = 0; const made = [];
    for (const m of table.meshes) {
      let g = new T.BufferGeometry(); g.setAttribute("position", new T.BufferAttribute(f32(m.p, 3 * m.np).slice(), 3)); g.setIndex(new T.BufferAttribute(u32(m.t, 3 * m.nt).slice(), 1));
      if (m.flat) { const f = g.toNonIndexed(); g.dispose(); g = f; g.setIndex([...Array(g.attributes.position.count).keys()]); }
      g.computeVertexNormals(); made.push(g); points += g.attributes.position.count; indices += g.index.count; count += m.of.length;
    }
    this.triangles = indices / 3; this.instances = []; this.batch = this.glass = null; this.edgeLines = [];
    if (count) {
      this.batch = new T.BatchedMesh(count, points, indices, solid); this.glass = new T.BatchedMesh(count, points, indices, glass);
      this.batch.castShadow = this.batch.receiveShadow = true;
      for (const b of [this.batch, this.glass]) { b.perObjectFrustumCulled = false; b.sortObjects = false; b.frustumCulled = false; }
      if (solid.isMeshStandardMaterial) { solid.roughness = 0.62; solid.metalness = 0.08; glass.roughness = 0.6; }
      made.forEach((g, n) => {
        const a = this.batch.addGeometry(g), c = this.glass.addGeometry(g);
        for (const [body, colour] of table.meshes[n].of) { this.instances.push({ body, soft: !!table.meshes[n].soft, colour: new T.Color(colour || table.bodies[body].color), id: this.batch.addInstance(a), gid: this.glass.addInstance(c) }); }
        this.edgeLines.push({ g, of: table.meshes[n].of.map((o) => o[0]) });
      });
      this.root.add(this.batch, this.glass);
    }
    this.byBody = table.bodies.map(() => []); this.instances.forEach((i) => this.byBody[i.body].push(i));
    this.edges = null; this.lineSets = [];
    const lineMaterial = new T.LineBasicMaterial({ color: 0x667080, clippingPlanes: clip });
    for (const l of table.lines) { const g = new T.BufferGeometry(); g.setAttribute("position", new T.BufferAttribute(f32(l.at, 3 * l.n).slice(), 3)); const s = new T.LineSegments(g, lineMaterial); s.matrixAutoUpdate = false; s.userData.body = l.body; s.frustumCulled = false; this.lineSets.push(s); this.root.add(s); }
    this.buildGrains(table, data, at); this.buildSprings(table, clip); this.buildSymbols(table, clip);
  }
  buildGrains(table, data, at) {
    const f32 = (o, n) => new Float32Array(data, at + o, n).slice(); this.bulk = [];
    for (const g of table.grains) {
      const size = f32(g.s, g.n), places = f32(g.at, 3 * g.n), o = g.q === undefined ? this.balls(size, g.color) : this.lumps(size, g.color, f32(g.p, 3 * g.np), new Uint32Array(data, at + g.t, 3 * g.nt).slice(), true);
      o.put(places, g.q === undefined ? null : Int16Array.from(f32(g.q, 4 * g.n), (v) => Math.round(32767 * v))); const box = new T.Box3().setFromArray(places), most = size.reduce((a, b) => Math.max(a, b), 0); box.expandByScalar(most); this.bulk.push({ object: o.object, box }); this.root.add(o.object);
    }
  }
  designGrains(on) { for (const b of this.bulk || []) b.object.visible = on; this.dirty = true; }
  balls(size, colour) { // many balls: a point each that looks like one, all of them in one call
    const n = size.length, g = new T.BufferGeometry(), places = new T.BufferAttribute(new Float32Array(3 * n), 3).setUsage(T.DynamicDrawUsage), radii = new T.BufferAttribute(new Float32Array(n), 1).setUsage(T.DynamicDrawUsage);
    g.setAttribute("position", places); g.setAttribute("radius", radii);
    const c = new T.Color(colour).convertLinearToSRGB(), material = new T.ShaderMaterial({ clipping: true, clippingPlanes: this.clippers(), uniforms: { c: { value: c }, pixels: this.pixels, swell: { value: 1 } },
      vertexShader: "attribute float radius;uniform float pixels,swell;varying float shade;\n#include <clipping_planes_pars_vertex>\nvoid main(){shade=.86+.28*fract(float(gl_VertexID)*.6180339);vec4 mvPosition=modelViewMatrix*vec4(position,1.);gl_Position=projectionMatrix*mvPosition;gl_PointSize=radius>0.?max(1.5,radius*swell*projectionMatrix[1][1]*pixels/gl_Position.w):0.;if(radius<=0.)gl_Position=vec4(2.,2.,2.,1.);\n#include <clipping_planes_vertex>\n}",
      fragmentShader: "uniform vec3 c;varying float shade;\n#include <clipping_planes_pars_fragment>\nvoid main(){\n#include <clipping_planes_fragment>\nvec2 v=gl_PointCoord*vec2(2.,-2.)+vec2(-1.,1.);float d=dot(v,v);if(d>1.)discard;float l=.5+.5*max(0.,dot(vec3(v,sqrt(1.-d)),vec3(.3015,.4264,.8528)));gl_FragColor=vec4(c*shade*l,1.);}" });
    const object = new T.Points(g, material); object.frustumCulled = false; object.raycast = () => {};
    const leap = n > MANY ? stride(n) : 1, seat = (k) => (k * leap) % n; // neighbours in the list lie apart, so that a part of it is spread over all
    object.userData.thin = (share) => { const some = n > MANY ? share : 1; g.setDrawRange(0, Math.ceil(n * some)); material.uniforms.swell.value = some ** (-1 / 3); };
    object.userData.thin(COARSE[this.coarse][1]);
    return { object, put: (at) => { const a = places.array, r = radii.array; for (let k = 0; k < n; k++) { const o = 3 * k, f = seat(k), i = 3 * f, there = at[i] === at[i]; r[k] = there ? size[f] : 0; a[o] = there ? at[i] : 0; a[o + 1] = there ? at[i + 1] : 0; a[o + 2] = there ? at[i + 2] : 0; } places.needsUpdate = radii.needsUpdate = true; } };
  }
  lumps(size, colour, points, index, flat) { // many of another shape; turns in 1/32767
    const n = size.length, g = new T.BufferGeometry(); g.setAttribute("position", new T.BufferAttribute(points, 3)); g.setIndex(new T.BufferAttribute(index, 1)); if (!flat) g.computeVertexNormals();
    const object = new T.InstancedMesh(g, new T.MeshStandardMaterial({ color: colour, roughness: 0.7, flatShading: flat, clippingPlanes: this.clippers() }), n), m = new T.Matrix4(), q = new T.Quaternion(), p = new T.Vector3(), s = new T.Vector3(); object.frustumCulled = false; object.castShadow = true; object.raycast = () => {};
    return { object, put: (at, turns) => { for (let k = 0; k < n; k++) { const there = at[3 * k] === at[3 * k]; if (turns) q.set(turns[4 * k + 1], turns[4 * k + 2], turns[4 * k + 3], turns[4 * k]).normalize(); object.setMatrixAt(k, there ? m.compose(p.set(at[3 * k], at[3 * k + 1], at[3 * k + 2]), q, s.setScalar(size[k])) : none); } object.instanceMatrix.needsUpdate = true; } };
  }
  unitArrow() { return merged([[new T.CylinderGeometry(0.055, 0.055, 0.74, 10).rotateX(Math.PI / 2).translate(0, 0, 0.37)], [new T.ConeGeometry(0.15, 0.26, 14).rotateX(Math.PI / 2).translate(0, 0, 0.87)]]); }
  buildSprings(table, clip) {
    // Coils and strands follow two bodies: their points are written anew with each pose.
    const items = [...table.springs.map((s) => ({ a: [s.i, s.j], coils: s.coils, d: s.d || 0.03 * this.size })), ...table.strands.map((s) => ({ a: s.a, coils: 0, d: 0 }))];
    this.strands = items; let n = 0;
    for (const s of items) { s.n = s.coils ? s.coils * 12 + 2 : s.a.length; n += 2 * (s.n - 1); }
    if (!n) { this.coils = null; return; }
    const g = new T.BufferGeometry(); g.setAttribute("position", new T.BufferAttribute(new Float32Array(3 * n), 3).setUsage(T.DynamicDrawUsage));
    this.coils = new T.LineSegments(g, new T.LineBasicMaterial({ color: 0xb07a28, clippingPlanes: clip })); this.coils.frustumCulled = false; this.root.add(this.coils);
  }
  buildSymbols(table, clip) {
    const many = table.symbols.length, s = 0.022 * this.size * Math.min(1, Math.max(0.3, Math.sqrt(30 / Math.max(many, 1)))), shapes = {
      turn: new T.CylinderGeometry(0.55 * s, 0.55 * s, 2.6 * s, 20).rotateX(Math.PI / 2), slide: new T.BoxGeometry(s, s, 3 * s), ball: new T.SphereGeometry(0.95 * s, 18, 12), fixed: new T.OctahedronGeometry(s),
      cross: new T.TorusGeometry(s, 0.28 * s, 8, 22), plane: new T.BoxGeometry(2.6 * s, 2.6 * s, 0.2 * s), ring: new T.TorusGeometry(1.7 * s, 0.2 * s, 8, 26, 4.9), arrow: arrowGeometry(s), marker: axesGeometry(1.6 * s),
    };
    const of = (t) => ({ REVOLUTE: "turn", CYLINDRICAL: "turn", SCREW: "turn", TRANSLATIONAL: "slide", RACKPIN: "slide", INLINE: "slide", SPHERICAL: "ball", ATPOINT: "ball", UNIVERSAL: "cross", HOOKE: "cross", CONVEL: "cross", PLANAR: "plane", INPLANE: "plane", MOTION_R: "ring", MOTION_T: "arrow", FORCE: "arrow", TORQUE: "ring" })[t] || "fixed";
    const colour = (k) => (k === "MOTION" ? 0xc2571a : k === "JOINT" || k === "JPRIM" ? 0x2a6fd0 : 0xb3261e);
    const groups = new Map(); this.symbols = [];
    const put = (shape, item) => (groups.get(shape) || groups.set(shape, []).get(shape)).push(item);
    for (const y of table.symbols) put(of(y.type), { ...y, colour: colour(y.kind) });
    for (const m of table.markers) put("marker", m);
    const p = new T.Vector3(), q = new T.Quaternion();
    for (const [shape, items] of groups) {
      const material = shape === "marker" ? new T.MeshBasicMaterial({ vertexColors: true, clippingPlanes: clip }) : new T.MeshStandardMaterial({ roughness: 0.45, depthTest: true, clippingPlanes: clip });
      const mesh = new T.InstancedMesh(shapes[shape], material, items.length); mesh.frustumCulled = false; mesh.userData = { items, marker: shape === "marker" };
      for (const i of items) { const v = i.place; i.local = new T.Matrix4().compose(p.set(v[0], v[1], v[2]), q.set(v[4], v[5], v[6], v[3]), one); }
      items.forEach((i, n) => mesh.setColorAt(n, new T.Color(i.colour)));
      this.symbols.push(mesh); this.root.add(mesh);
    }
  }
  buildEdges() {
    if (this.edges || !this.edgeLines) return; this.edges = [];
    for (const { g, of } of this.edgeLines) {
      const e = new T.EdgesGeometry(g, 28); if (!e.attributes.position.count) continue;
      const i = new T.InstancedBufferGeometry(); i.setAttribute("position", e.attributes.position); i.instanceCount = of.length;
      const m = new T.InstancedBufferAttribute(new Float32Array(16 * of.length), 16).setUsage(T.DynamicDrawUsage); const buffer = new T.InstancedInterleavedBuffer(m.array, 16, 1);
      ["m0", "m1", "m2", "m3"].forEach((n, k) => i.setAttribute(n, new T.InterleavedBufferAttribute(buffer, 4, 4 * k)));
      const material = new T.ShaderMaterial({ clipping: true, clippingPlanes: this.clippers(), uniforms: { c: { value: new T.Color(0x20262e) }, a: { value: 0.55 } }, transparent: true,
        vertexShader: "attribute vec4 m0,m1,m2,m3;\n#include <clipping_planes_pars_vertex>\nvoid main(){vec4 mvPosition=modelViewMatrix*(mat4(m0,m1,m2,m3)*vec4(position,1.));gl_Position=projectionMatrix*mvPosition;gl_Position.z-=1e-4*gl_Position.w;\n#include <clipping_planes_vertex>\n}",
        fragmentShader: "uniform vec3 c;uniform float a;\n#include <clipping_planes_pars_fragment>\nvoid main(){\n#include <clipping_planes_fragment>\ngl_FragColor=vec4(c,a);}" });
      const lines = new T.LineSegments(i, material); lines.frustumCulled = false; lines.userData = { of, buffer }; this.edges.push(lines); this.root.add(lines);
    }
  }
  clippers() { return this.section === "off" ? [] : [this.sectionPlane]; }
  cut() {
    const axis = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }[this.section];
    if (axis) { const box = this.box(), lo = new T.Vector3(...axis).dot(box.min), hi = new T.Vector3(...axis).dot(box.max), c = lo + ((+this.sectionRange.value + 100) / 200) * (hi - lo); this.sectionPlane.set(new T.Vector3(...axis).negate(), c); }
    this.root.traverse((o) => { if (o.material) [o.material].flat().forEach((m) => { m.clippingPlanes = this.clippers(); m.needsUpdate = true; }); });
    this.dirty = true;
  }
  grid() {
    this.floor && (this.scene.remove(this.floor), this.floor.traverse((o) => { o.geometry?.dispose(); o.material?.dispose?.(); }));
    const span = 2.2 * this.size, step = (this.step = nice(span / 24)), n = Math.max(4, Math.ceil(span / step / 2) * 2), dark = document.documentElement.classList.contains("dark");
    this.floor = new T.Group();
    const g = new T.GridHelper(n * step, n, dark ? 0x5b6675 : 0x8b95a3, dark ? 0x363e49 : 0xbfc7d1); g.material.transparent = true; g.material.opacity = 0.8; this.floor.add(g);
    const s = new T.Mesh(new T.PlaneGeometry(n * step, n * step).rotateX(-Math.PI / 2), new T.ShadowMaterial({ opacity: 0.2 })); s.receiveShadow = true; s.position.y = -0.0005 * this.size; this.floor.add(s); this.shadowFloor = s;
    this.floor.quaternion.setFromUnitVectors(new T.Vector3(0, 1, 0), this.up);
    const box = this.box(), low = Math.min(...corners(box).map((c) => c.dot(this.up))), centre = box.getCenter(new T.Vector3());
    const o = new T.Vector3(...this.table.origin).negate(); const ground = o.dot(this.up); // ground's origin in the picture
    const level = Math.abs(ground - low) < 0.5 * this.size ? Math.min(ground, low) : low;
    const flat = centre.clone().addScaledVector(this.up, -centre.dot(this.up)); flat.set(...[flat.x, flat.y, flat.z].map((v, k) => Math.round((v - o.getComponent(k)) / step) * step + o.getComponent(k))); flat.addScaledVector(this.up, -flat.dot(this.up));
    this.floor.position.copy(flat.addScaledVector(this.up, level)); this.scene.add(this.floor);
    $("scale").textContent = `grid ${+step.toPrecision(2)} ${pretty(this.table.units.length)}`;
  }
  box() {
    const b = new T.Box3(), v = new T.Vector3();
    for (const i of this.instances || []) { if (this.bodies[i.body].ground && (this.instances.length > this.byBody[i.body].length)) { if (this.planes?.has(i)) continue; } const g = this.batch.getBoundingBoxAt(this.batch.getGeometryIdAt(i.id), new T.Box3()); if (g && g.getSize(v).length() < 6 * this.size) b.union(g.applyMatrix4(this.matrices[i.body])); }
    for (const g of this.bulk || []) b.union(g.box);
    if (b.isEmpty()) { this.matrices?.forEach((m) => b.expandByPoint(v.setFromMatrixPosition(m))); b.expandByScalar(0.3 * (this.size || 1)); }
    return b;
  }
  // ---- state of the picture ----------------------------------------------------------------------------------------
  refresh() {
    if (!this.table) return;
    for (const n of ["symbols", "markers", "edges", "shadows", "grid"]) this[`b_${n}`].setAttribute("aria-pressed", String(!!this.shows(n)));
    const dark = document.documentElement.classList.contains("dark"), chosen = this.studio.chosen, tint = new T.Color(dark ? 0x7fb2ff : 0x2f7df0), c = new T.Color();
    if (this.shows("edges")) this.buildEdges();
    this.edges?.forEach((e) => { e.visible = this.shows("edges"); e.material.uniforms.c.value.set(dark ? 0x0b0d10 : 0x20262e); });
    for (const i of this.instances) {
      const k = key(this.bodies[i.body].kind, this.bodies[i.body].id), bent = !!this.bent?.has(i.body) || !!(this.bent?.size && this.bodies[i.body].soft), off = this.hidden.has(k) || (i.soft && bent), clear = this.clear.has(k) || bent;
      this.batch.setVisibleAt(i.id, !off && !clear); this.glass.setVisibleAt(i.gid, !off && clear);
      c.copy(i.colour); if (chosen.has(k)) c.lerp(tint, 0.62);
      this.batch.setColorAt(i.id, c); this.glass.setColorAt(i.gid, c);
    }
    if (this.glass) this.glass.visible = this.clear.size > 0 || this.bent?.size > 0;
    for (const m of this.symbols || []) {
      m.visible = m.userData.marker ? this.shows("markers") || [...chosen].some((k) => k.startsWith("MARKER/")) : this.shows("symbols");
      m.userData.items.forEach((i, n) => m.setColorAt(n, c.set(chosen.has(key(i.kind, i.id)) ? 0xff9d1c : i.colour)));
      if (m.instanceColor) m.instanceColor.needsUpdate = true;
    }
    this.renderer.shadowMap.enabled = this.sun.castShadow = this.shows("shadows"); this.shadowFloor.visible = this.shows("shadows"); this.floor.visible = this.shows("grid");
    this.place(); this.dirty = true;
  }
  place() {
    // Matrices of bodies to everything that hangs on them.
    const m = new T.Matrix4(), chosen = this.studio.chosen;
    for (const i of this.instances || []) { this.batch.setMatrixAt(i.id, this.matrices[i.body]); if (this.glass.visible) this.glass.setMatrixAt(i.gid, this.matrices[i.body]); }
    if (this.shows("edges")) this.edges?.forEach((e) => { e.userData.of.forEach((b, n) => (this.hiddenBody(b) ? none : this.matrices[b]).toArray(e.userData.buffer.array, 16 * n)); e.userData.buffer.needsUpdate = true; });
    for (const s of this.lineSets || []) { s.matrix.copy(this.matrices[s.userData.body]); s.matrixWorldNeedsUpdate = true; s.visible = !this.hiddenBody(s.userData.body); }
    for (const g of this.symbols || []) { if (!g.visible) continue; const only = g.userData.marker && !this.shows("markers"); g.userData.items.forEach((i, n) => g.setMatrixAt(n, this.hiddenBody(i.body) || (only && !chosen.has(key(i.kind, i.id))) ? none : m.multiplyMatrices(this.matrices[i.body], i.local))); g.instanceMatrix.needsUpdate = true; g.boundingSphere = null; }
    this.drawSprings(); this.dirty = true;
  }
  hiddenBody(n) { return this.hidden.has(key(this.bodies[n].kind, this.bodies[n].id)); }
  drawSprings() {
    if (!this.coils) return; const out = this.coils.geometry.attributes.position, v = (a) => new T.Vector3(a[1], a[2], a[3]).applyMatrix4(this.matrices[a[0]]); let k = 0;
    for (const s of this.strands) {
      let pts;
      if (!s.coils) pts = s.a.map(v);
      else {
        const a = v(s.a[0]), b = v(s.a[1]), d = b.clone().sub(a), x = new T.Vector3(0, 0, 1).cross(d); if (x.lengthSq() < 1e-12 * d.lengthSq() || !x.lengthSq()) x.set(1, 0, 0); x.normalize(); const y = d.clone().cross(x).normalize(), n = s.coils * 12;
        pts = [a]; for (let j = 0; j < n; j++) { const t = 0.12 + (0.76 * j) / (n - 1), w = (2 * Math.PI * s.coils * j) / (n - 1); pts.push(a.clone().addScaledVector(d, t).addScaledVector(x, 0.5 * s.d * Math.cos(w)).addScaledVector(y, 0.5 * s.d * Math.sin(w))); } pts.push(b);
      }
      for (let j = 0; j + 1 < pts.length; j++) { out.setXYZ(k++, pts[j].x, pts[j].y, pts[j].z); out.setXYZ(k++, pts[j + 1].x, pts[j + 1].y, pts[j + 1].z); }
    }
    out.needsUpdate = true;
  }
  pose(values, keys) {
    // values: f32 (n, 7) about the origin of the picture, in the order of keys
    if (!keys) return; this.last = [values, keys];
    if (this.keysOf !== keys) { this.keysOf = keys; this.order = keys.map((k) => this.index.get(key(k[0], k[1])) ?? -1); }
    const p = new T.Vector3(), q = new T.Quaternion();
    for (let n = 0; n < this.order.length; n++) { const b = this.order[n], o = 7 * n; if (b < 0 || !isFinite(values[o])) continue; this.matrices[b]?.compose(p.set(values[o], values[o + 1], values[o + 2]), q.set(values[o + 4], values[o + 5], values[o + 6], values[o + 3]), one); }
    this.place();
  }
  places(keys) { // of the drawing, as `pose` takes them
    const out = [], p = new T.Vector3(), q = new T.Quaternion(), s = new T.Vector3();
    for (const [kind, id] of keys) { const n = this.index.get(key(kind, id)); if (n === undefined) { out.push(NaN, NaN, NaN, NaN, NaN, NaN, NaN); continue; } this.design[n].decompose(p, q, s); out.push(p.x, p.y, p.z, q.w, q.x, q.y, q.z); }
    return out;
  }
  // ---- what follows the motion -------------------------------------------------------------------------------------
  follow(k) { this.followed = this.followed === k ? null : k; const n = this.index.get(this.followed); this.seen = n === undefined ? null : new T.Vector3().setFromMatrixPosition(this.matrices[n]); this.studio.tell(this.followed ? `The camera follows ${this.bodies[n].name}` : "The camera stays"); }
  moved() { // after each pose of the player: the camera goes with the body that it follows
    const n = this.index.get(this.followed); if (n === undefined || !this.seen) return; const p = new T.Vector3().setFromMatrixPosition(this.matrices[n]), by = p.clone().sub(this.seen); this.seen = p;
    if (by.lengthSq()) for (const eye of this.second.on ? [this.first, this.second.eye] : [this.first]) eye.shift(by);
  }
  trace(k) { // the path of a body's origin in the run that is shown
    const old = this.traces.get(k); if (old) { this.scene.remove(old); old.geometry.dispose(); old.material.dispose(); this.traces.delete(k); this.dirty = true; return; }
    const m = this.studio.results.motion, at = m ? m.keys.findIndex((q) => key(...q) === k) : -1; if (at < 0) return this.studio.tell("Run the model first; a trace is drawn of a run");
    const n = m.keys.length, pts = Array.from({ length: m.n }, (_, r) => new T.Vector3(...m.poses.subarray(7 * (r * n + at), 7 * (r * n + at) + 3)));
    const line = new T.Line(new T.BufferGeometry().setFromPoints(pts), new T.LineBasicMaterial({ color: 0xc2571a })); line.frustumCulled = false; this.scene.add(line); this.traces.set(k, line); this.dirty = true;
  }
  untrace() { for (const k of [...this.traces.keys()]) this.trace(k); this.followed = this.seen = null; }
  name(e) { // of what is under the pointer
    const box = this.hoverBox, quiet = () => (box.hidden = true); clearTimeout(this.hovering); if (e.buttons || this.studio.draw?.active || !this.table || this.triangles > 400000) return quiet();
    this.hovering = setTimeout(() => { const hit = this.hit(e.clientX, e.clientY); if (!hit) return quiet(); const [kind, id] = hit.key.split("/"), r = $("view").getBoundingClientRect(); box.textContent = `${this.studio.tree.items.get(hit.key)?.[2] ?? ""}  ${kind}/${id}`; box.hidden = false; box.style.left = `${Math.min(e.clientX - r.left + 14, r.width - box.offsetWidth - 8)}px`; box.style.top = `${Math.min(e.clientY - r.top + 14, r.height - 26)}px`; }, 120);
  }
  home() { // as it is drawn; nothing to do where no motion is shown
    if (!this.last && !this.traces.size && !this.followed && this.overlay?.idle && this.design?.every((m, n) => this.matrices[n].equals(m))) return;
    this.untrace(); this.overlay?.none(); this.last = null; this.keysOf = null; this.design?.forEach((m, n) => this.matrices[n].copy(m)); this.table && this.place();
  }
  // ---- camera ------------------------------------------------------------------------------------------------------
  resize() {
    const r = $("view").getBoundingClientRect(), w = this.second.on ? r.width / 2 : r.width; if (!r.width || !r.height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * COARSE[this.coarse][0]); this.renderer.setSize(w, r.height, false); this.pixels.value = this.canvas.height; this.first.resize(w / r.height); this.second.eye.resize(w / r.height); this.dirty = true;
  }
  look(name) { this.first.look(name, this.up || new T.Vector3(0, 0, 1), this.size); }
  projection(perspective) { if (!this.first.projection(perspective)) return; this.gizmo.again(); this.persp.setAttribute("aria-pressed", String(perspective)); }
  fit(keys, eye = this.first) {
    let b = new T.Box3(); const some = (keys || []).map((k) => this.index.get(k)).filter((n) => n !== undefined && !this.bodies[n].ground);
    for (const n of some) for (const i of this.byBody[n]) { const g = this.batch.getBoundingBoxAt(this.batch.getGeometryIdAt(i.id), new T.Box3()); if (g) b.union(g.applyMatrix4(this.matrices[n])); }
    if (b.isEmpty()) b = this.box();
    const c = b.getCenter(new T.Vector3()), r = Math.max(0.5 * b.getSize(new T.Vector3()).length(), 1e-6 * this.size); eye.frame(c, r);
    const s = this.sun.shadow.camera; Object.assign(s, { left: -1.6 * r, right: 1.6 * r, top: 1.6 * r, bottom: -1.6 * r, near: 0.1 * r, far: 10 * r }); s.updateProjectionMatrix();
    this.sun.target.position.copy(c); const side = new T.Vector3(0.5, -0.75, 0).applyQuaternion(new T.Quaternion().setFromUnitVectors(new T.Vector3(0, 0, 1), this.up || new T.Vector3(0, 0, 1)));
    this.sun.position.copy(c).addScaledVector(this.up || new T.Vector3(0, 0, 1), 3 * r).addScaledVector(side, 2.2 * r); this.fill.position.copy(c).addScaledVector(side, -3 * r); this.hemi.position.copy(this.up || new T.Vector3(0, 0, 1)); this.dirty = true;
  }
  pace() { // while it moves and pictures come late, fewer pixels and balls; all of them again when it rests
    const now = performance.now(), late = now - this.before, rested = this.rested; this.before = now; this.rested = false; if (rested) return;
    this.late = 0.7 * this.late + 0.3 * late;
    if (this.late > 45 && this.coarse < COARSE.length - 1) this.resolve(this.coarse + 1); else if (this.late < 15 && this.coarse) this.resolve(this.coarse - 1);
  }
  resolve(n) { this.coarse = n; this.late = 30; this.resize(); this.scene.traverse((o) => o.userData.thin?.(COARSE[n][1])); }
  tick() {
    if (!this.dirty || !this.table) { this.rested = true; if (!this.coarse || performance.now() - this.before < 300) return; this.resolve(0); }
    this.dirty = false; this.frames++; this.pace();
    this.second.draw((eye) => { const helper = this.gizmo.controls.getHelper(), on = helper.visible; helper.visible = false; this.paint(eye); helper.visible = on; }); // handles are those of the first view
    this.paint(this.first); this.overlay.label();
  }
  paint(eye) {
    const r = this.renderer, w = this.canvas.clientWidth, h = this.canvas.clientHeight, s = 76; r.setViewport(0, 0, w, h); r.setScissorTest(false); r.autoClear = true; r.render(this.scene, eye.camera);
    r.autoClear = false; r.setViewport(6, 6, s, s); r.setScissor(6, 6, s, s); r.setScissorTest(true); r.clearDepth(); this.triadCamera.position.copy(eye.away()); this.triadCamera.up.copy(eye.camera.up); this.triadCamera.lookAt(0, 0, 0); r.render(this.axes, this.triadCamera); r.setScissorTest(false);
  }
  eye() { return this.first.away().toArray(); } // to the eye, axes of ground
  picture() { // an address of the picture as it is now
    this.resolve(0); this.tick(); const from = this.canvas, c = document.createElement("canvas"); c.width = from.width; c.height = from.height;
    const x = c.getContext("2d"), css = getComputedStyle(document.documentElement), g = x.createLinearGradient(0, 0, 0, c.height); g.addColorStop(0, css.getPropertyValue("--sky").trim()); g.addColorStop(1, css.getPropertyValue("--sky-low").trim());
    x.fillStyle = g; x.fillRect(0, 0, c.width, c.height); x.drawImage(from, 0, 0);
    return new Promise((done) => c.toBlob((b) => { const url = URL.createObjectURL(b); setTimeout(() => URL.revokeObjectURL(url), 20000); done(url); }, "image/png"));
  }
  // ---- picking -----------------------------------------------------------------------------------------------------
  pointer() {
    this.traces = new Map(); this.hoverBox = el("div", { id: "hover", hidden: true, "aria-hidden": "true" }); $("view").append(this.hoverBox);
    for (const eye of [this.first, this.second.eye]) this.pointerOf(eye);
  }
  pointerOf(eye) { // what a pointer does in one of the pictures
    let down = null; const canvas = eye.canvas;
    for (const what of ["pointermove", "pointerdown"]) canvas.addEventListener(what, () => (this.active = eye), { capture: true });
    canvas.addEventListener("pointermove", (e) => this.name(e)); canvas.addEventListener("pointerleave", () => { clearTimeout(this.hovering); this.hoverBox.hidden = true; });
    canvas.addEventListener("pointerdown", (e) => { down = [e.clientX, e.clientY]; canvas.focus({ preventScroll: true }); });
    canvas.addEventListener("pointerup", (e) => {
      if (!down || e.button !== 0 || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return; down = null;
      if (this.gizmo.busy) return;
      if (this.studio.draw.active) return this.studio.draw.click(e);
      const hit = this.hit(e.clientX, e.clientY);
      if (this.studio.pointing) return this.studio.pointed(hit);
      if (this.measuring) return this.measureAt(hit);
      this.studio.picked(hit?.key || null, e.ctrlKey || e.metaKey || e.shiftKey);
    });
    canvas.addEventListener("contextmenu", (e) => { if (this.studio.draw.active) { if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) <= 4) this.studio.draw.tool.many ? this.studio.draw.finish() : this.studio.draw.escape(); return; } if (!down || Math.hypot(e.clientX - down[0], e.clientY - down[1]) > 4) return; const under = this.hits(e.clientX, e.clientY).map((h) => h.key); if (!under.length) return; if (!(this.studio.chosen.size > 1 && this.studio.chosen.has(under[0]))) this.studio.choose([under[0]]); this.studio.context({ left: e.clientX, bottom: e.clientY, focus: () => canvas.focus() }, [...new Set(under)].slice(1)); });
  }
  hit(x, y) { return this.hits(x, y)[0] || null; }
  hits(x, y) { // elements under the pointer, the nearest first
    if (!this.table) return []; const ray = this.eyeAt(x, y).ray(x, y);
    const seen = (h) => this.section === "off" || this.sectionPlane.distanceToPoint(h.point) >= 0, out = [];
    if (!this.measuring || this.shows("markers")) for (const m of this.symbols) if (m.visible) for (const h of ray.intersectObject(m)) if (seen(h)) { const i = m.userData.items[h.instanceId]; const at = new T.Matrix4().multiplyMatrices(this.matrices[i.body], i.local); out.push({ d: h.distance - 0.03 * this.size, key: key(i.kind, i.id), point: new T.Vector3().setFromMatrixPosition(at), normal: new T.Vector3().setFromMatrixColumn(at, 2) }); }
    for (const b of [this.batch, this.glass]) if (b?.visible) for (const h of ray.intersectObject(b)) if (seen(h)) { const i = this.instances.find((q) => (b === this.batch ? q.id : q.gid) === h.batchId), body = this.bodies[i.body]; out.push({ d: h.distance, key: key(body.kind, body.id), point: h.point, normal: h.face.normal.clone().transformDirection(this.matrices[i.body]) }); }
    const best = out.sort((a, c) => a.d - c.d)[0];
    if (best) { best.ground = best.point.clone().add(new T.Vector3(...this.table.origin)).toArray(); best.normal = best.normal.normalize().toArray().map((v) => +v.toFixed(9) + 0); }
    return out;
  }
  measureStart() { this.measuring = this.measuring ? null : []; this.measureButton.setAttribute("aria-pressed", String(!!this.measuring)); this.rule([]); $("notice").textContent = this.measuring ? "Click two points on the machine; a third one gives the angle at the second" : ""; }
  rule(points) {
    if (this.ruler) { this.scene.remove(this.ruler); this.ruler.geometry.dispose(); this.ruler.material.dispose(); this.ruler = null; }
    if (points.length > 1) { this.ruler = new T.Line(new T.BufferGeometry().setFromPoints(points), new T.LineBasicMaterial({ color: 0xe0301e, depthTest: false })); this.ruler.renderOrder = 9; this.scene.add(this.ruler); }
    this.dirty = true;
  }
  measureAt(hit) {
    if (!hit) return; if (this.measuring.length === 3) this.measuring = []; this.measuring.push(hit.point.clone()); const [a, b, c] = this.measuring, u = pretty(this.table.units.length), n = (v) => String(+v.toPrecision(5));
    clearTimeout(this.studio.told); this.rule(this.measuring);
    if (!b) { $("notice").textContent = "Click the second point"; return; }
    const d = b.clone().sub(a); this.measured = { distance: d.length() };
    if (c) { this.measured.angle = (a.clone().sub(b).angleTo(c.clone().sub(b)) * 180) / Math.PI; $("notice").textContent = `angle ${n(this.measured.angle)}° at the second point; its sides ${n(d.length())} and ${n(c.distanceTo(b))} ${u}`; return; }
    $("notice").textContent = `distance ${n(d.length())} ${u} (x ${n(d.x)}, y ${n(d.y)}, z ${n(d.z)}); a third point gives the angle`;
  }
  hide(keys, on) { for (const k of keys) on ? this.hidden.add(k) : this.hidden.delete(k); this.refresh(); this.studio.tree.draw(); }
  isolate(keys) { this.hidden = new Set(this.bodies.map((b) => key(b.kind, b.id)).filter((k) => !keys.includes(k))); this.refresh(); this.studio.tree.draw(); }
  glassy(keys) { for (const k of keys) this.clear.has(k) ? this.clear.delete(k) : this.clear.add(k); this.refresh(); }
  all() { this.hidden.clear(); this.clear.clear(); this.refresh(); this.studio.tree.draw(); }
}
function unfold(table, data, at) { // positions, which are numbers behind the table, to the rows that they belong to
  const places = (o, n) => { const all = new Float32Array(data, at + o, 7 * n); return (k) => all.subarray(7 * k, 7 * k + 7); }, bodies = places(table.places, table.bodies.length), { rows } = table.symbols, symbols = places(table.symbols.places, rows.length), { n, ids, bodies: on, places: there } = table.markers, markers = places(there, n), id = new Uint32Array(data, at + ids, n), body = new Uint32Array(data, at + on, n);
  table.bodies.forEach((b, k) => (b.place = bodies(k))); table.symbols = rows.map(([kind, id, type, body], k) => ({ kind, id, type, body, place: symbols(k) }));
  table.markers = Array.from({ length: n }, (_, k) => ({ kind: "MARKER", id: id[k], body: body[k], place: markers(k), colour: 0xffffff }));
}
function stride(n) { let s = Math.round(0.6180339 * n) | 1; const prime = (a, b) => (b ? prime(b, a % b) : a === 1); while (!prime(n, s)) s++; return s; }
function nice(x) { const p = 10 ** Math.floor(Math.log10(x)), f = x / p; return p * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10); }
function corners(b) { const out = []; for (const x of [b.min.x, b.max.x]) for (const y of [b.min.y, b.max.y]) for (const z of [b.min.z, b.max.z]) out.push(new T.Vector3(x, y, z)); return out; }
function merged(parts) {
  const at = [], normal = [], colour = [];
  for (const [g, c] of parts) { const f = g.index ? g.toNonIndexed() : g; at.push(...f.attributes.position.array); normal.push(...f.attributes.normal.array); if (c) for (let n = 0; n < f.attributes.position.count; n++) colour.push(...new T.Color(c).toArray()); }
  const out = new T.BufferGeometry(); out.setAttribute("position", new T.Float32BufferAttribute(at, 3)); out.setAttribute("normal", new T.Float32BufferAttribute(normal, 3)); if (colour.length) out.setAttribute("color", new T.Float32BufferAttribute(colour, 3)); return out;
}
function arrowGeometry(s) { return merged([[new T.CylinderGeometry(0.16 * s, 0.16 * s, 2.6 * s, 10).rotateX(Math.PI / 2).translate(0, 0, 1.3 * s)], [new T.ConeGeometry(0.5 * s, 1.2 * s, 14).rotateX(Math.PI / 2).translate(0, 0, 3.1 * s)]]); }
function axesGeometry(s) { const rod = () => new T.CylinderGeometry(0.045 * s, 0.045 * s, s, 6); return merged([[rod().rotateZ(-Math.PI / 2).translate(s / 2, 0, 0), 0xd04437], [rod().translate(0, s / 2, 0), 0x3f9a52], [rod().rotateX(Math.PI / 2).translate(0, 0, s / 2), 0x2f6fc4]]); }
