// Holonom's viewer: one scene, two painters (three.js over WebGL when it is on the page, else a 2D canvas).
// The scene is a list of items {kind: "mesh" | "lines", points, index, color, body | pose, visible, count}; a painter
// only adds, places and draws items, so everything else is written once.
(() => {
  "use strict";
  if (window.holonomViewers) return;
  window.holonomViewers = [];

  // ---- small mathematics: vectors [x, y, z], quaternions [w, x, y, z] --------------------------------------------
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const mul = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const norm = (a) => Math.hypot(a[0], a[1], a[2]);
  const unit = (a) => mul(a, 1 / (norm(a) || 1));
  const rotate = (q, v) => {
    const u = [q[1], q[2], q[3]], t = mul(cross(u, v), 2);
    return add(add(v, mul(t, q[0])), cross(u, t));
  };
  const slerp = (a, b, s) => {
    let d = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const sign = d < 0 ? -1 : 1;
    d = Math.min(1, Math.abs(d));
    let x = 1 - s, y = s * sign;
    if (d < 0.9995) {
      const w = Math.acos(d), n = Math.sin(w);
      x = Math.sin((1 - s) * w) / n;
      y = (Math.sin(s * w) / n) * sign;
    }
    const q = [0, 1, 2, 3].map((k) => x * a[k] + y * b[k]), n = Math.hypot(...q) || 1;
    return q.map((c) => c / n);
  };
  const zTo = (d) => { // shortest rotation that takes z to the direction d
    const u = unit(d);
    if (u[2] < -0.999999) return [0, 1, 0, 0];
    const q = [1 + u[2], -u[1], u[0], 0], n = Math.hypot(...q);
    return q.map((c) => c / n);
  };
  const matrix = (q) => {
    const x = rotate(q, [1, 0, 0]), y = rotate(q, [0, 1, 0]), z = rotate(q, [0, 0, 1]);
    return [x, y, z];
  };
  const clamp = (x, a, b) => Math.min(b, Math.max(a, x));
  const nice = (x) => { // 1, 2 or 5 times a power of ten, not above x
    const p = 10 ** Math.floor(Math.log10(x)), m = x / p;
    return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * p;
  };
  const show = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e6 || Math.abs(x) < 1e-4 ? x.toExponential(3) : String(+x.toPrecision(5))).replace(/-/g, "−");

  const unpack = window.holonomUnpack, moving = window.holonomMoving;
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));

  // ---- meshes made here --------------------------------------------------------------------------------------------
  const lathe = (profile, sides) => { // profile [[radius, z], ...] turned about z; hard edges between its pieces
    const points = [], index = [];
    for (let p = 0; p + 1 < profile.length; p++) {
      const base = points.length / 3;
      for (let k = 0; k <= sides; k++) {
        const c = Math.cos((2 * Math.PI * k) / sides), s = Math.sin((2 * Math.PI * k) / sides);
        for (const [r, z] of [profile[p], profile[p + 1]]) points.push(r * c, r * s, z);
        if (k < sides) {
          const n = base + 2 * k;
          index.push(n, n + 2, n + 1, n + 2, n + 3, n + 1);
        }
      }
    }
    return { points: new Float32Array(points), index: new Uint32Array(index) };
  };
  const ball = (r) => lathe([...Array(9).keys()].map((k) => [r * Math.sin((Math.PI * k) / 8), -r * Math.cos((Math.PI * k) / 8)]), 14);
  const coil = (turns, radius) => { // unit length along z
    const n = Math.max(2, Math.round(turns * 20)), pairs = [];
    const at = (k) => {
      const s = k / n, a = 2 * Math.PI * turns * s, r = radius * Math.min(1, s * 14, (1 - s) * 14);
      return [r * Math.cos(a), r * Math.sin(a), s];
    };
    for (let k = 0; k < n; k++) pairs.push(...at(k), ...at(k + 1));
    return new Float32Array(pairs);
  };

  // ---- painters ----------------------------------------------------------------------------------------------------
  class ThreePainter {
    constructor(canvas, up) {
      if (THREE.ColorManagement) THREE.ColorManagement.enabled = false;
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
      if ("outputColorSpace" in this.renderer) this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
      const power = parseInt(THREE.REVISION, 10) >= 155 ? Math.PI : 1;
      this.scene = new THREE.Scene();
      this.up = up;
      const sky = new THREE.HemisphereLight(0xffffff, 0x868d9b, 0.62 * power);
      sky.position.set(...up);
      this.scene.add(sky);
      this.lamp = new THREE.DirectionalLight(0xffffff, 0.3 * power); // moves with the eye
      this.sun = new THREE.DirectionalLight(0xffffff, 0.44 * power); // stands still and casts the shadows
      this.scene.add(this.lamp, this.lamp.target, this.sun, this.sun.target);
      for (const light of [sky, this.lamp, this.sun]) light.layers.enable(1);
      this.renderer.autoClear = false;
      this.renderer.shadowMap.enabled = true;
      this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
      this.sun.castShadow = true;
      this.sun.shadow.mapSize.set(2048, 2048);
      this.floor = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false }));
      this.floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...up));
      this.floor.receiveShadow = true;
      this.floor.frustumCulled = false;
      this.scene.add(this.floor);
      this.cameras = [new THREE.PerspectiveCamera(), new THREE.OrthographicCamera()];
      this.name = "three.js r" + THREE.REVISION;
    }
    add(item) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(item.points, 3));
      let object;
      if (item.kind === "grains") {
        geometry.setIndex(new THREE.BufferAttribute(item.index, 1));
        if (!item.flat) geometry.computeVertexNormals();
        object = new THREE.InstancedMesh(geometry, new THREE.MeshPhongMaterial({ color: item.color, shininess: 30, specular: 0x222222, flatShading: !!item.flat }), item.size.length);
        object.instanceColor = new THREE.InstancedBufferAttribute(item.shades, 3);
        object.castShadow = object.receiveShadow = true;
      } else if (item.kind === "mesh") {
        geometry.setIndex(new THREE.BufferAttribute(item.index, 1));
        if (!item.flat) geometry.computeVertexNormals();
        if (item.paint) geometry.setAttribute("color", new THREE.BufferAttribute(item.paint, 3));
        const material = new THREE.MeshPhongMaterial({
          color: item.paint ? 0xffffff : item.color, vertexColors: !!item.paint, shininess: item.paint ? 8 : 30, specular: 0x222222, side: THREE.DoubleSide, flatShading: !!item.flat,
          transparent: !!(item.glass || item.plane), opacity: item.glass ? 0.22 : item.plane ? 0.5 : 1,
          depthWrite: !item.glass && !item.plane, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
        });
        object = new THREE.Mesh(geometry, material);
        if (item.overlay) object.layers.set(1); // drawn over the rest: forces inside of bodies are seen too
        if (item.body >= 0 && !item.paint && !item.glass && !item.plane && item.index.length <= 240000) {
          const edges = new THREE.EdgesGeometry(geometry, 32);
          item.edges = new THREE.LineSegments(edges, new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.34 }));
          item.edges.frustumCulled = false;
          object.add(item.edges);
        }
        object.castShadow = !item.glass && !item.plane && !item.overlay;
        object.receiveShadow = !item.overlay;
      } else {
        const own = item.colors || item.paint, material = new THREE.LineBasicMaterial({ color: own ? 0xffffff : item.color, vertexColors: !!own });
        if (item.paint) geometry.setAttribute("color", new THREE.BufferAttribute(item.paint, 3));
        if (item.index) geometry.setIndex(new THREE.BufferAttribute(item.index, 1));
        if (item.colors) geometry.setAttribute("color", new THREE.BufferAttribute(item.colors, 3));
        object = new THREE.LineSegments(geometry, material);
      }
      object.frustumCulled = false;
      item.object = object;
      this.scene.add(object);
    }
    spread(item) { // one matrix a grain, by columns
      const m = item.object.instanceMatrix.array, { at, size, turn } = item;
      for (let k = 0; k < size.length; k++) {
        const o = 16 * k, there = at[3 * k] === at[3 * k], s = there ? size[k] : 0;
        if (turn && there) {
          matrix([turn[4 * k], turn[4 * k + 1], turn[4 * k + 2], turn[4 * k + 3]]).forEach((axis, c) => {
            for (let i = 0; i < 3; i++) m[o + 4 * c + i] = s * axis[i];
          });
        } else { m[o] = m[o + 5] = m[o + 10] = s; }
        for (let i = 0; i < 3; i++) m[o + 12 + i] = there ? at[3 * k + i] : 0;
        m[o + 15] = 1;
      }
      item.object.instanceMatrix.needsUpdate = true;
    }
    place(item, p, q, s) {
      item.object.position.set(p[0], p[1], p[2]);
      item.object.quaternion.set(q[1], q[2], q[3], q[0]);
      item.object.scale.set(s[0], s[1], s[2]);
    }
    resize(w, h, ratio) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(w, h, false);
    }
    draw(items, cam, back) {
      for (const item of items) {
        const o = item.object;
        o.visible = item.visible;
        if (!item.visible) continue;
        if (item.dirty) {
          o.geometry.attributes.position.needsUpdate = true;
          if (item.paint) o.geometry.attributes.color.needsUpdate = true;
          if (item.moving) o.geometry.computeVertexNormals();
          item.dirty = false;
        }
        if (item.count !== undefined) o.geometry.setDrawRange(0, item.count);
        if (item.shown !== item.color && !item.colors && !item.paint) { o.material.color.set(item.color); item.shown = item.color; }
        if (o.material.emissive) o.material.emissive.set(item.bright ? 0x55451c : 0x000000);
        if (item.edges) {
          item.edges.visible = item.bright || cam.edges;
          item.edges.material.color.set(item.bright ? 0xffb020 : 0x000000);
          item.edges.material.opacity = item.bright ? 1 : 0.34;
        }
      }
      this.renderer.setClearColor(back, 1);
      const c = this.cameras[cam.flat ? 1 : 0];
      if (cam.flat) {
        Object.assign(c, { left: -cam.half * cam.aspect, right: cam.half * cam.aspect, top: cam.half, bottom: -cam.half });
      } else Object.assign(c, { fov: cam.fov, aspect: cam.aspect });
      Object.assign(c, { near: cam.near, far: cam.far });
      c.updateProjectionMatrix();
      c.up.set(...cam.top);
      c.position.set(...cam.eye);
      c.lookAt(...cam.target);
      this.lamp.position.set(...add(cam.eye, add(mul(cam.top, 0.55 * cam.distance), mul(cam.right, 0.6 * cam.distance))));
      this.lamp.target.position.set(...cam.target);
      const half = Math.min(cam.reach, 0.75 * cam.distance), camera = this.sun.shadow.camera; // shadows around what is looked at
      this.sun.castShadow = cam.shadows;
      this.floor.visible = cam.shadows && !items.some((item) => item.plane && item.visible);
      this.sun.position.set(...add(cam.target, mul(cam.sun, 3 * cam.reach + half)));
      this.sun.target.position.set(...cam.target);
      Object.assign(camera, { left: -half, right: half, top: half, bottom: -half, near: 0.01 * half, far: 6 * cam.reach + 3 * half });
      camera.updateProjectionMatrix();
      this.sun.shadow.normalBias = half / 700;
      this.sun.shadow.bias = -2e-4;
      this.floor.position.set(...cam.ground);
      this.floor.scale.set(8 * half, 8 * half, 1);
      this.renderer.clear();
      c.layers.set(0);
      this.renderer.render(this.scene, c);
      if (items.some((item) => item.overlay && item.visible)) {
        this.renderer.clearDepth();
        this.renderer.shadowMap.autoUpdate = false;
        c.layers.set(1);
        this.renderer.render(this.scene, c);
        this.renderer.shadowMap.autoUpdate = true;
      }
    }
  }

  class CanvasPainter { // painter's algorithm: far triangles first
    constructor(canvas) {
      this.context = canvas.getContext("2d");
      this.name = "2D canvas";
    }
    add(item) { item.pose = { p: [0, 0, 0], q: [1, 0, 0, 0], s: [1, 1, 1] }; }
    place(item, p, q, s) { item.pose = { p: p.slice(), q: q.slice(), s: s.slice() }; }
    spread() {}
    resize(w, h, ratio) { Object.assign(this, { w, h, ratio }); }
    draw(items, cam, back) {
      const g = this.context, { w, h } = this, list = [];
      g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      g.fillStyle = back;
      g.fillRect(0, 0, w, h);
      const zoom = cam.flat ? h / 2 / cam.half : h / 2 / Math.tan((cam.fov * Math.PI) / 360);
      const light = unit(add(add(cam.back, mul(cam.top, 0.55)), mul(cam.right, 0.6)));
      for (const item of items) {
        if (!item.visible) continue;
        if (item.kind === "grains") { // discs
          const base = rgb(item.color), { at, size } = item;
          for (let k = 0; k < size.length; k++) {
            if (at[3 * k] !== at[3 * k]) continue;
            const v = [at[3 * k] - cam.eye[0], at[3 * k + 1] - cam.eye[1], at[3 * k + 2] - cam.eye[2]], z = -dot(v, cam.back);
            if (z < cam.near) continue;
            const fill = `rgb(${base.map((c) => Math.min(255, Math.round(c * item.shades[3 * k]))).join(",")})`;
            list.push([z, fill, [dot(v, cam.right), dot(v, cam.top), z], size[k] * item.reach]);
          }
          continue;
        }
        const n = item.points.length / 3, eye = new Float32Array(3 * n), [x, y, z] = matrix(item.pose.q), s = item.pose.s;
        for (let k = 0; k < n; k++) {
          const a = item.points[3 * k] * s[0], b = item.points[3 * k + 1] * s[1], c = item.points[3 * k + 2] * s[2];
          const v = [0, 1, 2].map((i) => item.pose.p[i] + a * x[i] + b * y[i] + c * z[i] - cam.eye[i]);
          eye[3 * k] = dot(v, cam.right);
          eye[3 * k + 1] = dot(v, cam.top);
          eye[3 * k + 2] = -dot(v, cam.back);
        }
        const base = rgb(item.color);
        const at = (k) => [eye[3 * k], eye[3 * k + 1], eye[3 * k + 2]];
        if (item.kind === "mesh") {
          for (let k = 0; k < item.index.length; k += 3) {
            const [a, b, c] = [at(item.index[k]), at(item.index[k + 1]), at(item.index[k + 2])];
            if (Math.min(a[2], b[2], c[2]) < cam.near) continue;
            const m = unit(cross(sub(b, a), sub(c, a)));
            const l = Math.abs(dot(m, [dot(light, cam.right), dot(light, cam.top), -dot(light, cam.back)]));
            const f = 0.5 + 0.55 * l + (item.bright ? 0.25 : 0), n = [0, 1, 2].map((i) => 3 * item.index[k + i]);
            const tint = item.paint ? [0, 1, 2].map((i) => 85 * (item.paint[n[0] + i] + item.paint[n[1] + i] + item.paint[n[2] + i])) : base;
            const fill = `rgba(${tint.map((v) => Math.min(255, Math.round(v * f))).join(",")},${item.glass ? 0.2 : item.plane ? 0.5 : 1})`;
            list.push([item.overlay ? -1 : item.plane ? 1e300 : (a[2] + b[2] + c[2]) / 3, fill, a, b, c]);
          }
        } else {
          const count = item.index ? item.index.length : item.count === undefined ? n : item.count;
          for (let k = 0; k + 1 < count; k += 2) {
            const i0 = item.index ? item.index[k] : k, i1 = item.index ? item.index[k + 1] : k + 1, shade = item.colors || item.paint;
            let [a, b] = [at(i0), at(i1)];
            if (a[2] < cam.near && b[2] < cam.near) continue;
            if (a[2] < cam.near || b[2] < cam.near) { // cut at the near plane
              const cut = add(a, mul(sub(b, a), (cam.near - a[2]) / (b[2] - a[2])));
              if (a[2] < cam.near) a = cut; else b = cut;
            }
            const own = shade && [0, 1, 2].map((i) => Math.round(127.5 * (shade[3 * i0 + i] + shade[3 * i1 + i])));
            list.push([(a[2] + b[2]) / 2 - 1e-4 * cam.distance, `rgb(${(own || base).join(",")})`, a, b]);
          }
        }
      }
      list.sort((a, b) => b[0] - a[0]);
      const px = (v) => { const d = cam.flat ? 1 : v[2]; return [w / 2 + (zoom * v[0]) / d, h / 2 - (zoom * v[1]) / d]; };
      g.lineWidth = 1;
      for (const [, color, ...corners] of list) {
        g.beginPath();
        if (corners.length === 2 && corners[1].length === undefined) {
          const [c, r] = corners;
          g.arc(...px(c), (zoom * r) / (cam.flat ? 1 : c[2]), 0, 2 * Math.PI);
          g.fillStyle = color;
          g.fill();
          g.strokeStyle = "rgba(0,0,0,0.35)";
          g.stroke();
          continue;
        }
        corners.forEach((c, k) => (k ? g.lineTo(...px(c)) : g.moveTo(...px(c))));
        g.strokeStyle = color;
        if (corners.length === 3) { g.closePath(); g.fillStyle = color; g.fill(); }
        g.stroke();
      }
    }
  }

  // ---- the viewer --------------------------------------------------------------------------------------------------
  const make = (tag, parent, className, text) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };

  function start(root, data) {
    const nb = data.bodies.length, nf = data.frames;
    const time = unpack(data.time, Float64Array), motion = unpack(data.motion, Float32Array);
    const arrowValues = unpack(data.arrows.values, Float32Array), na = data.arrows.items.length;
    const touchValues = unpack(data.contacts.values, Float32Array), touchWhich = unpack(data.contacts.which, Int32Array), nc = data.contacts.slots;
    const P = data.bodies.map(() => [0, 0, 0]), Q = data.bodies.map(() => [1, 0, 0, 0]), force = data.arrows.items.map(() => [0, 0, 0]);
    const up = data.up, hidden = new Set(), items = [];
    let now = time[0], frame = 0, mix = 0, playing = false, chosen = -1, element = "", wanted = true;

    // -- page
    const stage = make("div", root, "hv-stage"), side = make("div", root, "hv-side"), bar = make("div", root, "hv-bar");
    let canvas = make("canvas", stage);
    make("div", stage, "hv-title", data.title);
    const note = make("div", stage, "hv-note"), views = make("div", stage, "hv-views"), tag = make("div", stage, "hv-label");
    tag.hidden = true;
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "3D view of " + data.model + "; drag to turn, shift-drag to move, wheel to zoom, click on a body to choose it");

    let painter;
    try {
      if (typeof THREE === "undefined") throw new Error("three.js is not on this page");
      painter = new ThreePainter(canvas, up);
    } catch (error) {
      const fresh = canvas.cloneNode(); // a canvas that was asked for WebGL gives no 2D context
      canvas.replaceWith(fresh);
      canvas = fresh;
      painter = new CanvasPainter(canvas);
      if (typeof THREE !== "undefined") data.missing.push("This browser gives no WebGL; drawn on a 2D canvas instead.");
    }
    const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
    let back = css("--hv-back");

    // -- items
    const item = (kind, points, more) => {
      const it = Object.assign({ kind, points, color: "#888888", body: -1, visible: true }, more);
      if (kind === "lines" && !it.colors && !points.length) it.points = new Float32Array(6), it.count = 0;
      painter.add(it);
      items.push(it);
      return it;
    };
    const place = (it, p, q = [1, 0, 0, 0], s = [1, 1, 1]) => painter.place(it, p, q, s);
    const world = (b, o) => add(P[b], rotate(Q[b], o));

    const bounds = data.bodies.map(() => ({ lo: [0, 0, 0], hi: [0, 0, 0], any: false }));
    const grow = (b, points) => {
      const box = bounds[b];
      for (let k = 0; k < points.length; k += 3)
        for (let i = 0; i < 3; i++) {
          box.lo[i] = box.any ? Math.min(box.lo[i], points[k + i]) : points[k + i];
          box.hi[i] = box.any ? Math.max(box.hi[i], points[k + i]) : points[k + i];
          if (i === 2) box.any = true;
        }
    };
    data.bodies.forEach((body, b) => {
      for (const mesh of body.meshes) {
        const points = unpack(mesh.p, Float32Array), index = unpack(mesh.t, mesh.wide ? Uint32Array : Uint16Array);
        if (!mesh.plane) grow(b, points); // a half-space does not decide the view
        item("mesh", points, { index, flat: mesh.flat, color: mesh.color || body.color, body: b, glass: ((body.ground && data.grains.length > 0) || !!body.soft) && !mesh.plane, plane: !!mesh.plane });
      }
      if (body.lines) {
        const points = unpack(body.lines, Float32Array);
        grow(b, points);
        item("lines", points, { color: body.color, body: b });
      }
    });

    // flexible bodies, rods and cables: their vertices move (moving.js)
    const { hue, bar: rampBar } = moving.colours(data.ramp), own = (b) => rgb(data.bodies[b].color).map((c) => c / 255);
    const soft = (data.flexible || []).map((given) => {
      const f = new moving.Bending(given, own(given.body)), { rest, triangles, pairs } = f, more = { paint: f.paint, flat: true, color: data.bodies[f.body].color, body: f.body };
      f.drawn = [];
      grow(f.body, rest);
      if (triangles.length) f.drawn.push(item("mesh", f.points, { ...more, index: triangles }));
      else if (pairs.length) f.drawn.push(item("lines", f.points, { ...more, index: pairs }));
      const ghost = { color: "#8a939e", body: f.body, layer: "ghost" };
      if (triangles.length) item("mesh", rest.slice(), { ...ghost, index: triangles, flat: true, glass: true });
      else if (pairs.length) item("lines", rest.slice(), { ...ghost, index: pairs });
      return f;
    });
    const tubes = (data.tubes || []).map((given) => {
      const t = new moving.Tube(given, own(given.body));
      for (const f of new Set([...Array(21).keys()].map((k) => Math.round((k * (nf - 1)) / 20)))) grow(t.body, t.path.subarray(3 * f * t.n, 3 * (f + 1) * t.n));
      for (let i = 0; i < 3; i++) { bounds[t.body].lo[i] -= t.thick; bounds[t.body].hi[i] += t.thick; }
      t.drawn = item("mesh", t.points, { paint: t.paint, flat: !t.smooth, moving: t.smooth, color: data.bodies[t.body].color, body: t.body, index: t.index });
      return t;
    });
    const pulled = tubes.filter((t) => t.force);
    const range = { stress: Math.max(0, ...[...soft, ...tubes].map((f) => f.top || 0)), displacement: Math.max(0, ...soft.map((f) => f.way)), low: Math.min(0, ...pulled.map((t) => t.low)), high: Math.max(0, ...pulled.map((t) => t.high)) };
    const knee = Math.max(1e-6 * range.stress, ...[...soft, ...tubes].map((f) => f.knee || 0));
    const bend = () => { // at the picture that is shown
      const next = Math.min(frame + 1, nf - 1), how = { paint: state.paint, hue, more: state.bend, low: state.paint === "force" ? range.low : 0,
        top: state.paint === "force" ? range.high : (range[state.paint] || 0) * (state.limit[state.paint] || 1) };
      for (const f of soft) { f.at(frame, next, mix, how); for (const it of f.drawn) it.dirty = true; }
      for (const t of tubes) { t.at(frame, next, mix, how); t.drawn.dirty = true; }
    };

    const bulk = data.grains.map((given) => { // grains: shades differ a little, so that one is told from the next
      const g = new moving.Grains(given), n = g.count, shades = new Float32Array(3 * n);
      for (let i = 0; i < n; i++) shades.fill(0.78 + 0.22 * ((i * 0.6180339887) % 1), 3 * i, 3 * i + 3);
      g.it = item("grains", g.surface, { index: g.index, flat: g.mesh.flat, color: g.color, size: g.size, reach: g.reach, at: new Float32Array(3 * n), turn: g.spins ? new Float32Array(4 * n) : null, shades });
      g.pad = Math.max(...g.size) * g.reach;
      return g;
    });
    const scatter = (next) => {
      for (const g of bulk) {
        g.at(frame, next, mix, g.it.at);
        if (g.it.turn) g.turns(frame, next, mix).forEach((v, k) => { g.it.turn[k] = v / 32767; });
        painter.spread(g.it);
      }
    };

    const L = data.size, axisLength = 0.05 * L, RGB = [[0.9, 0.25, 0.25], [0.2, 0.65, 0.25], [0.25, 0.45, 0.95]];
    data.bodies.forEach((body, b) => {
      const own = data.markers.filter((m) => m.body === b), points = [], colors = [];
      for (const m of own)
        matrix(m.q).forEach((axis, k) => {
          points.push(...m.o, ...add(m.o, mul(axis, axisLength)));
          colors.push(...RGB[k], ...RGB[k]);
        });
      if (own.length) item("lines", new Float32Array(points), { colors: new Float32Array(colors), body: b, layer: "markers" });
    });
    const triad = [], triadColors = [];
    RGB.forEach((c, k) => { triad.push(0, 0, 0, ...[0, 1, 2].map((i) => (i === k ? 0.18 * L : 0))); triadColors.push(...c, ...c); });
    place(item("lines", new Float32Array(triad), { colors: new Float32Array(triadColors), layer: "axes" }), mul(data.origin, -1));

    const damper = (r) => {
      const m = lathe([[0, 0], [r, 0], [r, 1], [0, 1]], 18);
      return item("mesh", m.points, { index: m.index, color: "#9aa3ad", layer: "springs" });
    };
    const springs = data.springs.map((s) => ({
      ...s,
      coil: s.coils > 0 && s.da > 0 ? item("lines", coil(s.coils, s.da / 2), { color: "#c0873c", layer: "springs" }) : null,
      ends: [[s.db, s.lc, s.la], [s.dc, s.ld, s.lb]].map(([d, length, gap]) =>
        d > 0 ? { mesh: damper(d / 2), length, gap } : null),
    }));
    const strands = data.strands.map((s) => ({
      ...s, line: item("lines", new Float32Array(6 * Math.max(1, s.a.length - 1)), { color: s.color || "#8d7cc8", layer: "springs", overlay: !!s.color }),
    }));
    const arrowMesh = lathe([[0, 0], [0.016, 0], [0.016, 0.8], [0.05, 0.8], [0, 1]], 12);
    const arrows = data.arrows.items.map((a) => ({
      ...a, mesh: item("mesh", arrowMesh.points, { index: arrowMesh.index, color: a.kind === "force" ? "#d9443f" : "#2f9e8f", layer: a.kind }),
    }));

    // a quantity of bodies: its size as colour, its vector as an arrow at the centre of mass
    const held = data.quantities || { vectors: {} }, vectors = {};
    for (const [name, v] of Object.entries(held.vectors)) vectors[name] = { ...v, values: unpack(v.values, Int16Array) };
    const loads = held.force ? { ...held.force, values: unpack(held.force.values, Uint16Array) } : null;
    const shown = { colors: held.colors || "", arrows: held.arrows || "", top: 1 };
    const pins = data.bodies.map((body, b) => (body.ground ? null : item("mesh", arrowMesh.points, { index: arrowMesh.index, color: "#7d3fd1", layer: "pins", overlay: true })));
    const between = (values, n, k) => { const a = values[frame * n + k]; return a + (values[Math.min(frame + 1, nf - 1) * n + k] - a) * mix; };
    const vectorOf = (v, b) => [0, 1, 2].map((i) => (between(v.values, 3 * nb, 3 * b + i) * 2 * v.common) / held.levels);
    const sizeOf = (b) => (shown.colors === "force" ? (loads ? (between(loads.values, nb, b) * 2 * loads.common) / held.levels : 0) : norm(vectorOf(vectors[shown.colors], b)));
    const dress = () => {
      const on = shown.colors === "force" ? loads : vectors[shown.colors], rgbOf = [0, 0, 0];
      for (const it of items) {
        if (it.body < 0 || it.paint || it.colors || it.plane || it.layer || data.bodies[it.body].ground) continue;
        if (it.own === undefined) it.own = it.color;
        if (on) { hue(sizeOf(it.body) / (on.common * shown.top), rgbOf, 0); it.color = "#" + rgbOf.map((c) => Math.round(255 * c).toString(16).padStart(2, "0")).join(""); } else it.color = it.own;
      }
      const v = vectors[shown.arrows];
      pins.forEach((pin, b) => {
        if (!pin) return;
        const a = v ? vectorOf(v, b) : [0, 0, 0], size = v ? (0.3 * L * state.arrow * norm(a)) / v.common : 0;
        pin.visible = size > 1e-3 * L && !hidden.has(b) && !data.bodies[b].soft;
        if (pin.visible) place(pin, P[b], zTo(a), [size, size, size]);
      });
    };

    const touchBall = ball(0.0085 * L);
    const touches = [...Array(nc).keys()].map(() => ({
      of: "", mesh: item("mesh", arrowMesh.points, { index: arrowMesh.index, color: "#e39a12", layer: "contact", overlay: true }),
      spot: item("mesh", touchBall.points, { index: touchBall.index, color: "#a3197f", layer: "spots", overlay: true }), f: [0, 0, 0], p: [0, 0, 0],
    }));

    // the trace of one point, as pairs of points; and a ball at its head
    const dotShape = ball(0.011 * L);
    const head = item("mesh", dotShape.points, { index: dotShape.index, color: "#d9443f", layer: "trace" });
    const trace = item("lines", new Float32Array(Math.max(2, 2 * (nf - 1)) * 3), { color: "#d9443f", layer: "trace" });
    let traced = null; // {body, o}

    // -- poses
    const poseAt = (f, b) => {
      const k = 7 * (f * nb + b);
      return [[motion[k], motion[k + 1], motion[k + 2]], [motion[k + 3], motion[k + 4], motion[k + 5], motion[k + 6]]];
    };
    const locate = (t) => { // frame and fraction; times may repeat
      let a = 0, z = nf - 1;
      while (z - a > 1) { const m = (a + z) >> 1; if (time[m] <= t) a = m; else z = m; }
      frame = nf > 1 ? a : 0;
      const span = nf > 1 ? time[frame + 1] - time[frame] : 0;
      mix = span > 0 ? clamp((t - time[frame]) / span, 0, 1) : 1; // of two rows at one time the later answers
    };
    const pose = () => {
      const next = Math.min(frame + 1, nf - 1);
      for (let b = 0; b < nb; b++) {
        const [p0, q0] = poseAt(frame, b), [p1, q1] = poseAt(next, b);
        P[b] = add(p0, mul(sub(p1, p0), mix));
        Q[b] = slerp(q0, q1, mix);
      }
      if (bulk.length) scatter(next);
      for (let k = 0; k < na; k++)
        for (let i = 0; i < 3; i++) {
          const a = arrowValues[3 * (frame * na + k) + i], z = arrowValues[3 * (next * na + k) + i];
          force[k][i] = a + (z - a) * mix;
        }
      touches.forEach((c, k) => { // places jump from contact to contact: those of the nearer row are shown
        const at = (mix < 0.5 ? frame : next) * nc + k, of = data.contacts.items[touchWhich[at]];
        c.of = of ? of.of : "";
        for (let i = 0; i < 3; i++) {
          c.p[i] = touchValues[6 * at + i];
          c.f[i] = of ? touchValues[6 * at + 3 + i] : 0;
        }
      });
    };

    const state = { markers: false, axes: true, grid: true, springs: true, force: na > 0 && data.arrows.items.some((a) => a.kind === "force"),
                    reaction: false, contact: true, spots: true, edges: true, shadows: true, trace: true, arrow: data.follow !== undefined ? 0.2 : 1, follow: false, loop: true, speed: 1,
                    ghost: false, bend: data.bend || 1, limit: { stress: knee < 0.4 * range.stress ? knee / range.stress : 1, displacement: 1 }, paint: range.stress > 0 ? "stress" : range.displacement > 0 ? "displacement" : range.high > range.low ? "force" : "none" };

    const arrange = () => {
      if (soft.length + tubes.length) bend();
      dress();
      for (const it of items) {
        if (it.body >= 0) {
          place(it, P[it.body], Q[it.body]);
          it.visible = !hidden.has(it.body) && (!it.layer || state[it.layer]);
          it.bright = it.body === chosen;
        } else if (it.layer && it.layer !== "pins") it.visible = state[it.layer];
      }
      for (const s of springs) {
        const a = world(s.i[0], s.i.slice(1)), b = world(s.j[0], s.j.slice(1)), d = sub(b, a), length = norm(d) || 1e-12, q = zTo(d);
        if (s.coil) place(s.coil, a, q, [1, 1, length]);
        s.ends.forEach((end, k) => {
          if (!end) return;
          const size = end.length || 0.6 * length;
          place(end.mesh, k ? sub(b, mul(unit(d), end.gap + size)) : add(a, mul(unit(d), end.gap)), q, [1, 1, size]);
        });
      }
      for (const s of strands) {
        s.a.slice(1).forEach((anchor, k) => {
          s.line.points.set(world(s.a[k][0], s.a[k].slice(1)), 6 * k);
          s.line.points.set(world(anchor[0], anchor.slice(1)), 6 * k + 3);
        });
        s.line.dirty = true;
      }
      arrows.forEach((a, k) => {
        const size = ((0.35 * L * state.arrow) / (data.arrows.largest || 1)) * norm(force[k]);
        a.mesh.bright = element !== "" && a.of === element;
        a.mesh.visible = (state[a.kind] || a.mesh.bright) && size > 1e-6 * L;
        if (a.mesh.visible) place(a.mesh, world(a.body, a.o), zTo(force[k]), [size, size, size]);
      });
      for (const c of touches) {
        const size = 0.3 * L * state.arrow * Math.min(2, norm(c.f) / (data.contacts.scale || 1)), here = norm(c.f) > 1e-9 * data.contacts.scale;
        c.mesh.bright = c.spot.bright = c.of !== "" && c.of === element;
        c.mesh.visible = (state.contact || c.mesh.bright) && here && size > 1e-4 * L;
        c.spot.visible = (state.spots || c.mesh.bright) && here;
        if (c.mesh.visible) place(c.mesh, c.p, zTo(c.f), [size, size, size]);
        if (c.spot.visible) place(c.spot, c.p);
      }
      head.visible = trace.visible = state.trace && !!traced;
      if (traced) {
        const p = world(traced.body, traced.o);
        place(head, p);
        trace.count = 2 * (frame + 1);
        trace.points.set(p, 3 * (2 * frame + 1)); // the last piece ends at the moving point
        if (lastFrame >= 0 && lastFrame !== frame) trace.points.set(tracePoint(lastFrame + 1), 3 * (2 * lastFrame + 1));
        lastFrame = frame;
        trace.dirty = true;
      }
    };
    let lastFrame = -1;
    const tracePoint = (f) => { const [p, q] = poseAt(f, traced.body); return add(p, rotate(q, traced.o)); };
    const setTrace = (choice) => {
      traced = choice;
      lastFrame = -1;
      if (traced) for (let f = 0; f + 1 < nf; f++) { trace.points.set(tracePoint(f), 6 * f); trace.points.set(tracePoint(f + 1), 6 * f + 3); }
    };

    // -- camera: turns about a target; "up" stays up
    const side1 = unit(cross(up, Math.abs(up[0]) > 0.5 ? [0, 1, 0] : up[1] > 0.5 || up[1] < -0.5 ? [0, 0, 1] : [1, 0, 0]));
    const side0 = cross(side1, up); // side0, side1, up: right-handed; azimuth is measured from side0 towards side1
    const cam = { target: [0, 0, 0], distance: 3 * L, azimuth: 0, elevation: 0.3, flat: false, fov: 32, aspect: 1 };
    const aim = () => {
      const c = Math.cos(cam.elevation), dir = add(mul(up, Math.sin(cam.elevation)),
        add(mul(side0, c * Math.cos(cam.azimuth)), mul(side1, c * Math.sin(cam.azimuth))));
      cam.back = dir;
      cam.right = unit(cross(up, dir));
      if (c < 1e-6) cam.right = add(mul(side1, Math.cos(cam.azimuth)), mul(side0, -Math.sin(cam.azimuth)));
      cam.top = cross(dir, cam.right);
      cam.eye = add(cam.target, mul(dir, cam.distance));
      cam.half = cam.distance * Math.tan((cam.fov * Math.PI) / 360);
      cam.near = cam.distance * 0.01;
      cam.far = cam.distance * 60;
      if (cam.flat) cam.near = -cam.distance * 30;
    };
    const extent = (frames, loose) => { // centre and radius of the visible bodies over some frames; loose: without ground
      const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
      const moving = bulk.length > 0 || data.bodies.some((body, b) => !body.ground && !hidden.has(b));
      for (const g of bulk)
        for (let i = 0; i < 3; i++) { lo[i] = Math.min(lo[i], g.view[0][i] - g.pad); hi[i] = Math.max(hi[i], g.view[1][i] + g.pad); }
      for (const f of frames)
        for (let b = 0; b < nb; b++) {
          if (hidden.has(b) || (loose && data.bodies[b].ground) || (data.bodies[b].ground && !bounds[b].any) || (data.bodies[b].ground && moving && big(b))) continue;
          const [p, q] = poseAt(f, b), box = bounds[b];
          for (let k = 0; k < 8; k++) {
            const v = add(p, rotate(q, [0, 1, 2].map((i) => (k & (1 << i) ? box.hi[i] : box.lo[i]))));
            for (let i = 0; i < 3; i++) { lo[i] = Math.min(lo[i], v[i]); hi[i] = Math.max(hi[i], v[i]); }
          }
        }
      if (!(hi[0] >= lo[0])) return { lo: [-L, -L, -L], hi: [L, L, L], centre: [0, 0, 0], radius: L, low: 0 };
      return { lo, hi, centre: mul(add(lo, hi), 0.5), radius: Math.max(norm(sub(hi, lo)) / 2, 1e-9 * L, 0.02 * L),
               low: Math.min(dot(lo, up), dot(hi, up)) };
    };
    const big = (b) => norm(sub(bounds[b].hi, bounds[b].lo)) > 8 * L; // a road or floor does not decide the view
    const sampled = () => [...new Set([...Array(41).keys()].map((k) => Math.round((k * (nf - 1)) / 40)))];
    const fit = () => {
      const along = data.follow !== undefined && state.follow && traced;
      const here = extent([frame], along), all = along ? here : extent(sampled());
      const e = all.radius < 3.5 * here.radius ? all : here;
      cam.target = e.centre;
      cam.distance = e.radius;
      aim();
      const tan = Math.tan((cam.fov * Math.PI) / 360) / 1.15, margin = 0.06 * e.radius;
      for (let k = 0; k < 8; k++) {
        const v = sub([0, 1, 2].map((i) => (k & (1 << i) ? e.hi[i] : e.lo[i])), e.centre);
        const wide = (Math.abs(dot(v, cam.right)) + margin) / cam.aspect, high = Math.abs(dot(v, cam.top)) + margin;
        cam.distance = Math.max(cam.distance, Math.max(wide, high) / tan + dot(v, cam.back));
      }
      wanted = true;
    };
    const flatness = () => {
      if (bulk.length) return null; // look along the direction in which nothing moves, if there is one
      const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
      for (const f of sampled())
        for (let b = 0; b < nb; b++) {
          if (data.bodies[b].ground) continue;
          const [p] = poseAt(f, b);
          for (let i = 0; i < 3; i++) { lo[i] = Math.min(lo[i], p[i]); hi[i] = Math.max(hi[i], p[i]); }
        }
      const span = sub(hi, lo), k = span.indexOf(Math.min(...span));
      return Math.max(...span) > 0 && span[k] < 1e-3 * Math.max(...span) && Math.abs(up[k]) < 0.5 ? [0, 1, 2].map((i) => (i === k ? 1 : 0)) : null;
    };
    const look = (azimuth, elevation) => { cam.azimuth = azimuth; cam.elevation = elevation; wanted = true; };
    const home = () => {
      const normal = flatness();
      if (!normal) return look(-0.9, 0.42);
      const a = Math.atan2(dot(normal, side1), dot(normal, side0));
      look(a + 0.42, 0.3);
    };

    // -- grid below the machine, spaced 1, 2 or 5, wide as the view
    const cells = 40, gridPoints = [];
    for (let k = -cells / 2; k <= cells / 2; k++)
      for (const [u, v] of [[side0, side1], [side1, side0]])
        for (let n = -cells / 2; n < cells / 2; n++) // in pieces: some drivers drop a line that passes behind the eye
          gridPoints.push(...add(mul(u, k), mul(v, n)), ...add(mul(u, k), mul(v, n + 1)));
    const grid = item("lines", new Float32Array(gridPoints), { color: css("--hv-grid"), layer: "grid" });
    let floor = 0;
    const layGrid = () => {
      const step = nice(cam.distance / 8), c = add(cam.target, data.origin);
      const snap = (axis) => Math.round(dot(c, axis) / step) * step - dot(data.origin, axis);
      place(grid, add(add(mul(side0, snap(side0)), mul(side1, snap(side1))), mul(up, floor)), [1, 0, 0, 0], [step, step, step]);
      const flat = sub(cam.target, mul(up, dot(cam.target, up)));
      cam.ground = add(flat, mul(up, floor));
      cam.shadows = state.shadows;
      cam.edges = state.edges;
      cam.sun = unit(add(mul(up, 1), add(mul(side0, 0.45), mul(side1, -0.3))));
      note.textContent = (state.grid ? `grid ${show(step)} ${data.units.length}` : "") + (data.rows > nf ? `  ·  ${nf} of ${data.rows} outputs` : "") + `  ·  ${painter.name}`;
    };

    // -- controls
    const toggle = (parent, text, key) => {
      const label = make("label", parent), box = make("input", label);
      box.type = "checkbox";
      box.checked = state[key];
      label.append(text);
      box.addEventListener("change", () => { state[key] = box.checked; wanted = true; });
      return box;
    };
    const button = (parent, text, hint, act) => {
      const b = make("button", parent, "", text);
      b.type = "button";
      b.title = hint;
      b.addEventListener("click", act);
      return b;
    };
    button(views, "Fit", "Show everything (F)", fit);
    button(views, "Home", "First view", () => { home(); fit(); });
    const sideAzimuth = (axis) => Math.atan2(dot(axis, side1), dot(axis, side0));
    for (const [name, axis] of [["X", [1, 0, 0]], ["Y", [0, 1, 0]], ["Z", [0, 0, 1]]])
      button(views, name, `Look against the ${name} axis`, () => {
        if (Math.abs(dot(axis, up)) > 0.5) look(-Math.PI / 2, dot(axis, up) > 0 ? Math.PI / 2 : -Math.PI / 2);
        else look(sideAzimuth(axis), 0);
      });
    const lens = button(views, "Persp.", "Perspective or parallel", () => { cam.flat = !cam.flat; lens.textContent = cam.flat ? "Parallel" : "Persp."; wanted = true; });
    button(views, "PNG", "Save this picture", () => {
      draw();
      const a = document.createElement("a");
      a.href = canvas.toDataURL("image/png"); // right after drawing: later the buffer is empty
      a.download = `${data.model.replace(/[^\w.-]+/g, "_").slice(0, 60) || "holonom"}_${show(now)}.png`;
      a.click();
    });
    button(views, "☰", "Show or hide the side panel", () => { side.hidden = !side.hidden; });

    const play = make("button", bar, "hv-play", "Play");
    play.type = "button";
    play.title = "Play or pause (space)";
    const slider = make("input", bar, "hv-slider");
    Object.assign(slider, { type: "range", min: 0, max: 1, step: "any", value: 0 });
    slider.setAttribute("aria-label", "Time");
    const clock = make("output", bar, "hv-time");
    const speedLabel = make("label", bar), duration = time[nf - 1] - time[0];
    speedLabel.append("Speed");
    const speed = make("select", speedLabel);
    const speeds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
    const seconds = { s: 1, ms: 1e-3, min: 60, h: 3600 }[data.units.time] || 1;
    const best = speeds.reduce((a, b) => (Math.abs(Math.log((duration * seconds) / b / 8)) < Math.abs(Math.log((duration * seconds) / a / 8)) ? b : a), 1);
    state.speed = duration * seconds >= 0.8 && duration * seconds <= 40 ? 1 : best;
    for (const s of speeds) { const o = make("option", speed, "", `${s}×`); o.value = s; o.selected = s === state.speed; }
    speed.addEventListener("change", () => { state.speed = +speed.value; });
    toggle(bar, "Loop", "loop");

    make("h3", side, "", "Show");
    const group = make("div", side, "hv-group");
    toggle(group, "Grid", "grid");
    toggle(group, "Ground axes", "axes");
    if (painter instanceof ThreePainter) { toggle(group, "Shadows", "shadows"); toggle(group, "Edges", "edges"); }
    if (data.markers.length) toggle(group, "Markers", "markers");
    if (springs.length + strands.length) toggle(group, "Springs and beams", "springs");
    if (arrows.some((a) => a.kind === "force")) toggle(group, "Applied forces", "force");
    if (arrows.some((a) => a.kind === "reaction")) toggle(group, "Reactions of joints", "reaction");
    if (nc) { toggle(group, "Contact forces (on the I side)", "contact"); toggle(group, "Contact points", "spots"); }
    if (arrows.length + nc) {
      const label = make("label", group, "", "Arrows"), range = make("input", label);
      Object.assign(range, { type: "range", min: -2, max: 2, step: 0.05, value: 0, title: "Length of arrows" });
      range.value = 2 * Math.log10(state.arrow);
      range.addEventListener("input", () => { state.arrow = 10 ** (range.value / 2); wanted = true; });
      const words = [];
      if (arrows.length) words.push(`longest ${show(data.arrows.largest)} ${data.units.force}`);
      if (nc) words.push(`contacts: ${show(data.contacts.largest)} ${data.units.force} at most`);
      make("div", group, "hv-small", words.join("; "));
    }
    const legend = make("div", stage, "hv-legend");
    legend.hidden = true;
    if (soft.length + tubes.length) {
      make("h3", side, "", "Flexible bodies");
      const box = make("div", side, "hv-group"), paints = make("select", box);
      paints.setAttribute("aria-label", "Colours of flexible bodies");
      for (const [value, text, there] of [["stress", "Von Mises stress", range.stress > 0], ["displacement", "Displacement", range.displacement > 0], ["force", "Axial force", range.high > range.low], ["none", "Colour of the part", true]])
        if (there) { const o = make("option", paints, "", text); o.value = value; o.selected = state.paint === value; }
      const scaleLabel = make("label", box, "", "Scale"), scale = make("input", scaleLabel), told = make("div", box, "hv-small");
      const best = range.displacement > 0 ? Math.max(...soft.map((f) => f.size)) / range.displacement : 1;
      Object.assign(scale, { type: "range", min: 0, max: Math.max(1, Math.min(8, Math.log10(Math.max(1, best)))), step: 0.01, value: Math.log10(state.bend), title: "Displacements are drawn larger by this factor" });
      scale.setAttribute("aria-label", "Scale of displacements");
      scaleLabel.hidden = told.hidden = !soft.length;
      const limitLabel = make("label", box, "", "Colours"), limit = make("input", limitLabel);
      Object.assign(limit, { type: "range", min: -2, max: 0, step: 0.01, value: Math.log10(state.limit[state.paint] || 1), title: "Largest value of the colours" });
      limit.setAttribute("aria-label", "Largest value of the colours");
      const bar = make("div", legend, "hv-ramp");
      bar.style.background = rampBar;
      const words = make("div", legend, "hv-range"), low = make("span", words), what = make("span", words), high = make("span", words);
      const tell = () => {
        told.textContent = `×${show(+state.bend.toPrecision(3))}; largest displacement ${show(range.displacement)} ${data.units.length}`;
        legend.hidden = state.paint === "none";
        const number = (x) => show(+x.toPrecision(3)).replace(/\.?0+e/, "e");
        low.textContent = state.paint === "force" ? number(range.low) : "0";
        what.textContent = state.paint === "stress" ? `von Mises, ${data.units.stress || ""}` : state.paint === "force" ? `axial force, ${data.units.force}` : `displacement, ${data.units.length}`;
        const part = state.limit[state.paint] || 1;
        high.textContent = (part < 1 ? "≥ " : "") + number(state.paint === "force" ? range.high : (range[state.paint] || 0) * part);
        if (data.relative) high.textContent = part < 1 ? `${(100 * part).toPrecision(2)} % of the largest` : "largest"; // a mode has no size of its own
        legend.title = part < 1 ? `largest: ${number(range[state.paint])}` : "";
        if (part < 1 && !data.relative) what.textContent += ` (largest ${number(range[state.paint])})`;
        limit.value = Math.log10(part);
        limitLabel.hidden = state.paint === "none" || state.paint === "force";
        wanted = true;
      };
      limit.addEventListener("input", () => { if (state.paint !== "none") state.limit[state.paint] = 10 ** limit.value; tell(); });
      scale.addEventListener("input", () => { state.bend = 10 ** scale.value; tell(); });
      paints.addEventListener("change", () => { state.paint = paints.value; tell(); });
      if (soft.length) toggle(box, "Undeformed", "ghost");
      tell();
    }
    if (Object.keys(vectors).length || loads) {
      make("h3", side, "", "Quantity of bodies");
      const box = make("div", side, "hv-group"), key = make("div", stage, "hv-legend hv-key"), strip = make("div", key, "hv-ramp");
      strip.style.background = rampBar;
      const words = make("div", key, "hv-range"), low = make("span", words, "", "0"), what = make("span", words), high = make("span", words);
      const choice = (text, which, entries) => {
        const l = make("label", box, "hv-choice"), s = make("select", l);
        l.prepend(make("span", null, "", text));
        for (const [value, name] of [["", "none"], ...entries]) { const o = make("option", s, "", name); o.value = value; o.selected = shown[which] === value; }
        s.addEventListener("change", () => { shown[which] = s.value; explain(); });
        return s;
      };
      const picks = {
        colors: choice("Colours", "colors", [...Object.entries(vectors).map(([k, v]) => [k, v.colour]), ...(loads ? [["force", loads.colour]] : [])]),
        arrows: choice("Arrows", "arrows", Object.entries(vectors).map(([k, v]) => [k, v.words])),
      };
      const line = make("div", box, "hv-small"), topLabel = make("label", box, "", "Top"), slide = make("input", topLabel);
      Object.assign(slide, { type: "range", min: -2, max: 0.3, step: 0.01, value: 0, title: "Value of the last colour" });
      slide.setAttribute("aria-label", "Value of the last colour");
      slide.addEventListener("input", () => { shown.top = 10 ** slide.value; explain(); });
      const explain = () => {
        const on = shown.colors === "force" ? loads : vectors[shown.colors], v = vectors[shown.arrows], n = (x) => show(+x.toPrecision(3));
        key.hidden = topLabel.hidden = !on;
        key.classList.toggle("hv-raised", !legend.hidden);
        if (on) {
          what.textContent = `${on.colour.toLowerCase()}, ${on.unit.replace(/\*/g, "·").replace("^2", "²")}`;
          high.textContent = (on.common * shown.top < on.top ? "≥ " : "") + n(on.common * shown.top);
          key.title = `largest: ${n(on.top)}`;
        }
        line.textContent = v ? `arrow of common length: ${n(v.common)} ${v.unit.replace(/\*/g, "·").replace("^2", "²")}; largest ${n(v.top)}` : "";
        wanted = true;
      };
      shown.set = (which, name) => { shown[which] = name; picks[which].value = name; explain(); };
      explain();
    }
    make("h3", side, "", "Trace of a point");
    const traceGroup = make("div", side, "hv-group"), pick = make("select", traceGroup);
    pick.setAttribute("aria-label", "Point to trace");
    make("option", pick, "", "none").value = "";
    const centres = make("optgroup", pick), places = make("optgroup", pick);
    centres.label = "Centres of mass";
    places.label = "Markers";
    data.bodies.forEach((b, k) => { if (!b.ground) make("option", centres, "", b.name).value = "b" + k; });
    data.markers.forEach((m, k) => { if (!data.bodies[m.body].ground) make("option", places, "", `${m.name} (${data.bodies[m.body].name})`).value = "m" + k; });
    const here = make("output", traceGroup, "hv-here");
    pick.addEventListener("change", () => {
      const k = +pick.value.slice(1);
      setTrace(!pick.value ? null : pick.value[0] === "b" ? { body: k, o: [0, 0, 0] } : { body: data.markers[k].body, o: data.markers[k].o });
      wanted = true;
    });
    if (data.follow !== undefined) { // the camera goes along with this body at first
      pick.value = "b" + data.follow;
      setTrace({ body: data.follow, o: [0, 0, 0] });
      state.follow = true;
    }
    toggle(traceGroup, "Camera follows it", "follow");
    make("h3", side, "", "Bodies");
    const list = make("ul", side, "hv-bodies");
    data.bodies.forEach((body, b) => {
      const row = make("li", list), box = make("input", row);
      if (body.soft && !body.meshes.length && !body.lines) row.style.display = "none"; // a node of a part that bends: nothing to show or hide
      box.type = "checkbox";
      box.checked = true;
      box.setAttribute("aria-label", "Show " + body.name);
      box.addEventListener("change", () => { if (box.checked) hidden.delete(b); else hidden.add(b); wanted = true; });
      make("span", row, "hv-swatch").style.background = body.color;
      const name = make("button", row, "", body.name);
      name.type = "button";
      name.title = `${body.kind}/${body.id} ${body.name}` + (body.skeleton ? " (no graphic in the model: drawn as a skeleton)" : "");
      name.addEventListener("click", () => choose(chosen === b ? -1 : b));
    });
    const choose = (b, quiet) => {
      chosen = b;
      element = "";
      [...list.children].forEach((li, k) => {
        li.classList.toggle("hv-on", k === chosen);
        if (k === chosen) list.scrollTop = Math.max(0, Math.min(list.scrollTop, li.offsetTop - list.offsetTop));
      });
      wanted = true;
      const body = data.bodies[b];
      if (body && !quiet) document.dispatchEvent(new CustomEvent("holonom-select", { detail: { kind: body.kind, id: body.id } }));
    };
    const select = (kind, id) => { // a body is marked; of a joint, force or contact its arrows
      choose(data.bodies.findIndex((b) => b.kind === kind && b.id === id), true);
      if (chosen < 0) element = `${kind}/${id}`;
    };
    const ray = (x, y) => { // origin and direction of what is seen at a place of the stage
      const nx = (2 * x) / stage.clientWidth - 1, ny = 1 - (2 * y) / stage.clientHeight, tan = Math.tan((cam.fov * Math.PI) / 360);
      aim();
      if (cam.flat) return [add(cam.eye, add(mul(cam.right, nx * cam.half * cam.aspect), mul(cam.top, ny * cam.half))), mul(cam.back, -1)];
      return [cam.eye, unit(add(mul(cam.back, -1), add(mul(cam.right, nx * tan * cam.aspect), mul(cam.top, ny * tan))))];
    };
    const seen = (p) => { // place on the stage of a point, or null behind the eye
      const v = sub(p, cam.eye), depth = -dot(v, cam.back), h = stage.clientHeight / 2;
      if (!cam.flat && depth < cam.near) return null;
      const zoom = cam.flat ? h / cam.half : h / Math.tan((cam.fov * Math.PI) / 360) / depth;
      return [stage.clientWidth / 2 + zoom * dot(v, cam.right), h - zoom * dot(v, cam.top)];
    };
    const pickAt = (x, y) => { // body whose surface is nearest to the eye there, else one whose line passes near; -1: none
      const [eye, to] = ray(x, y);
      let best = Infinity, found = -1;
      for (const it of items) {
        if (it.kind !== "mesh" || it.body < 0 || !it.visible) continue;
        const q = Q[it.body], turn = [q[0], -q[1], -q[2], -q[3]], o = rotate(turn, sub(eye, P[it.body])), d = rotate(turn, to), v = it.points;
        if (!it.plane) {
          const box = bounds[it.body];
          let enter = -Infinity, leave = Infinity;
          for (let i = 0; i < 3; i++) {
            const a = (box.lo[i] - o[i]) / d[i], z = (box.hi[i] - o[i]) / d[i];
            if (Number.isNaN(a) || Number.isNaN(z)) continue;
            enter = Math.max(enter, Math.min(a, z));
            leave = Math.min(leave, Math.max(a, z));
          }
          if (enter > leave * (1 + 1e-6) + 1e-9 * L || enter > best) continue;
        }
        for (let k = 0; k < it.index.length; k += 3) {
          const a = 3 * it.index[k], b = 3 * it.index[k + 1], c = 3 * it.index[k + 2];
          const e1 = [v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]], e2 = [v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2]];
          const n = cross(d, e2), det = dot(e1, n);
          if (det === 0) continue;
          const s = [o[0] - v[a], o[1] - v[a + 1], o[2] - v[a + 2]], u = dot(s, n) / det;
          if (u < 0 || u > 1) continue;
          const m = cross(s, e1), w = dot(d, m) / det;
          if (w < 0 || u + w > 1) continue;
          const t = dot(e2, m) / det;
          if (t > 0 && t < best) { best = t; found = it.body; }
        }
      }
      if (found >= 0 && !data.bodies[found].ground) return found;
      let near = 7;
      for (const it of items) {
        if (it.kind !== "lines" || it.body < 0 || !it.visible || it.layer) continue;
        for (let k = 0; k + 5 < it.points.length; k += 6) {
          const [a, b] = [0, 3].map((n) => seen(world(it.body, [it.points[k + n], it.points[k + n + 1], it.points[k + n + 2]])));
          if (!a || !b) continue;
          const e = [b[0] - a[0], b[1] - a[1]], f = clamp(((x - a[0]) * e[0] + (y - a[1]) * e[1]) / (e[0] ** 2 + e[1] ** 2 || 1), 0, 1);
          const away = Math.hypot(x - a[0] - f * e[0], y - a[1] - f * e[1]);
          if (away < near) { near = away; found = it.body; }
        }
      }
      return found;
    };
    const label = () => {
      const box = chosen >= 0 ? bounds[chosen] : null, at = box && !hidden.has(chosen) ? seen(world(chosen, data.bodies[chosen].ground ? [0, 0, 0] : mul(add(box.lo, box.hi), 0.5))) : null;
      tag.hidden = !at;
      if (!at) return;
      const p = add(P[chosen], data.origin).map((x) => show(Math.abs(x) < 1e-7 * L ? 0 : x)).join(", "); // 32 bits do not tell more
      tag.textContent = "";
      make("b", tag, "", data.bodies[chosen].name);
      if (!data.bodies[chosen].ground) make("div", tag, "", `${p} ${data.units.length}`);
      const w = stage.clientWidth, h = stage.clientHeight;
      tag.style.left = `${clamp(at[0] + 14, 4, Math.max(4, w - tag.offsetWidth - 4))}px`;
      tag.style.top = `${clamp(at[1] - tag.offsetHeight - 12, 4, Math.max(4, h - tag.offsetHeight - 4))}px`;
    };
    for (const g of bulk) {
      const row = make("li", list), box = make("input", row);
      box.type = "checkbox";
      box.checked = true;
      box.setAttribute("aria-label", "Show " + g.name);
      box.addEventListener("change", () => { g.it.visible = box.checked; wanted = true; });
      make("span", row, "hv-swatch").style.background = g.color;
      make("span", row, "", `${g.name} (${g.count})`);
    }
    if (data.missing.length) {
      const more = make("details", side), n = data.missing.length;
      make("summary", more, "", n === 1 ? "One note on this picture" : `${n} notes on this picture`);
      const ul = make("ul", more, "hv-missing");
      data.missing.slice(0, 60).forEach((text) => make("li", ul, "", text));
      if (data.missing.length > 60) make("li", ul, "", `and ${data.missing.length - 60} more`);
    }

    // -- time
    const setTime = (t, keep) => {
      const before = state.follow && traced ? world(traced.body, traced.o) : null;
      now = clamp(t, time[0], time[nf - 1]);
      locate(now);
      pose();
      if (before) cam.target = add(cam.target, sub(world(traced.body, traced.o), before));
      if (!keep) slider.value = duration > 0 ? (now - time[0]) / duration : 0;
      clock.textContent = `${show(now)} / ${show(time[nf - 1])} ${data.units.time}`;
      if (traced) here.textContent = add(world(traced.body, traced.o), data.origin).map((x) => show(Math.abs(x) < 1e-7 * L ? 0 : x)).join(",  ") + " " + data.units.length;
      else here.textContent = "";
      wanted = true;
      document.dispatchEvent(new CustomEvent("holonom-time", { detail: { time: now } }));
    };
    const setPlaying = (on) => {
      playing = on && nf > 1;
      play.textContent = playing ? "Pause" : "Play";
      if (playing && now >= time[nf - 1]) setTime(time[0]);
    };
    play.addEventListener("click", () => setPlaying(!playing));
    slider.addEventListener("input", () => { setPlaying(false); setTime(time[0] + slider.value * duration, true); });
    root.addEventListener("keydown", (e) => {
      if (/^(SELECT|INPUT|BUTTON)$/.test(e.target.tagName) && e.key !== "f") return;
      const act = { " ": () => setPlaying(!playing), ArrowRight: () => setTime(time[Math.min(nf - 1, frame + 1)]),
                    ArrowLeft: () => setTime(time[Math.max(0, mix > 0 ? frame : frame - 1)]), Home: () => setTime(time[0]),
                    End: () => setTime(time[nf - 1]), f: fit }[e.key];
      if (act) { e.preventDefault(); act(); }
    });

    // -- pointer: drag turns, shift or right drag moves, wheel zooms; two fingers move and zoom
    const fingers = new Map();
    const shift = (dx, dy) => {
      const s = (2 * cam.half) / (stage.clientHeight || 1);
      cam.target = add(cam.target, add(mul(cam.right, -dx * s), mul(cam.top, dy * s)));
    };
    const zoom = (factor) => { cam.distance = clamp(cam.distance * factor, 1e-4 * L, 1e5 * L); wanted = true; };
    let pressed = null; // where a press began that may become a click
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      pressed = fingers.size === 1 && e.button === 0 ? [e.clientX, e.clientY] : null;
    });
    canvas.addEventListener("pointerup", (e) => {
      if (!pressed || Math.hypot(e.clientX - pressed[0], e.clientY - pressed[1]) > 4) return;
      const box = canvas.getBoundingClientRect(), b = pickAt(e.clientX - box.left, e.clientY - box.top);
      choose(b === chosen ? -1 : b);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!fingers.has(e.pointerId)) return;
      const old = fingers.get(e.pointerId), dx = e.clientX - old[0], dy = e.clientY - old[1];
      if (fingers.size === 2) {
        const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
        const d0 = Math.hypot(old[0] - other[0], old[1] - other[1]), d1 = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
        if (d0 > 0 && d1 > 0) zoom(d0 / d1);
        shift(dx / 2, dy / 2);
      } else if (e.shiftKey || e.buttons & 6) shift(dx, dy);
      else {
        cam.azimuth -= dx * 0.008;
        cam.elevation = clamp(cam.elevation + dy * 0.008, -Math.PI / 2, Math.PI / 2);
      }
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      wanted = true;
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (e) => fingers.delete(e.pointerId));
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("wheel", (e) => {
      if (root.dataset.wheel === "focus" && document.activeElement !== canvas && !e.ctrlKey) return; // let a report scroll
      e.preventDefault();
      zoom(Math.exp(clamp(e.deltaY, -200, 200) * 0.0016));
    }, { passive: false });

    // -- drawing
    let measured = false; // frames of notebooks have no width before they are seen
    const resize = () => {
      if (!measured && root.clientWidth) { measured = true; side.hidden = root.clientWidth < 560; }
      const w = stage.clientWidth, h = stage.clientHeight, ratio = Math.min(window.devicePixelRatio || 1, 2);
      if (!w || !h) return;
      if (painter instanceof CanvasPainter) { canvas.width = w * ratio; canvas.height = h * ratio; }
      painter.resize(w, h, ratio);
      cam.aspect = w / h;
      wanted = true;
    };
    const draw = () => {
      arrange();
      aim();
      layGrid();
      painter.draw(items, cam, back);
      label();
      wanted = false;
    };
    let last = 0;
    const tick = (stamp) => {
      const dt = Math.min(0.1, (stamp - last) / 1000);
      last = stamp;
      if (playing) {
        let t = now + (dt * state.speed) / seconds;
        if (t > time[nf - 1]) { if (state.loop) t = time[0] + (duration > 0 ? (t - time[0]) % duration : 0); else { t = time[nf - 1]; setPlaying(false); } }
        setTime(t);
      }
      if (wanted) draw();
      requestAnimationFrame(tick);
    };
    const theme = () => { back = css("--hv-back"); grid.color = css("--hv-grid"); wanted = true; };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme);
    new ResizeObserver(resize).observe(stage);
    resize();
    setTime(time[0]);
    const whole = extent(sampled());
    floor = whole.low - 0.003 * whole.radius;
    cam.reach = 1.3 * whole.radius;
    home();
    fit();
    requestAnimationFrame(tick);
    return { shown, setTime, play: () => setPlaying(true), pause: () => setPlaying(false), get time() { return now; }, get playing() { return playing; },
             fit, look, state, cam, draw, select, pickAt, seen: (b) => { aim(); return seen(P[b]); }, get chosen() { return chosen; }, painter: painter.name, setTrace, soft, tubes, range, bent: bend, redraw: () => { wanted = true; } };
  }

  const boot = () => {
    for (const root of document.querySelectorAll("[data-holonom-viewer]")) {
      try {
        window.holonomViewers.push(start(root, JSON.parse(document.getElementById(root.id + "-data").textContent)));
        root.dataset.ready = "yes";
      } catch (error) {
        root.dataset.ready = "failed";
        const p = document.createElement("p");
        p.style.padding = "1em";
        p.textContent = "The animation cannot be shown: " + error.message;
        root.append(p);
        console.error(error);
      }
    }
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", boot);
  else boot();
})();
