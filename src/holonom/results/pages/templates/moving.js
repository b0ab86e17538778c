// Grains, flexible bodies, and rods of a run at each picture, from what `animation.scene` packs: of animations, reports and the Studio.
// Pictures lie between rows a and b of what is stored, ``mix`` of the way from a to b; nothing here knows how a page draws.
(() => {
  "use strict";
  if (window.holonomMoving) return;
  const unpack = window.holonomUnpack, clamp = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]], mul = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2], cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => mul(a, 1 / (Math.sqrt(dot(a, a)) || 1));

  // The colours of a quantity from none to the largest: ``ramp`` [[r, g, b], ...] of 0 to 255; ``power`` takes a channel from 0 to 1 to what the painter wants.
  const colours = (ramp, power = 1) => ({
    hue: (x, out, at) => {
      const s = clamp(x, 0, 1) * (ramp.length - 1), k = Math.min(ramp.length - 2, Math.floor(s)), f = s - k;
      for (let i = 0; i < 3; i++) { const c = (ramp[k][i] + (ramp[k + 1][i] - ramp[k][i]) * f) / 255; out[at + i] = power === 1 ? c : c ** power; }
    },
    bar: `linear-gradient(to right, ${ramp.map((c) => `rgb(${c.join(",")})`).join(",")})`,
  });

  // Stress of a coded point at a picture, in units of the model; NaN where it is not known.  Codes are roots of parts of ``top``, every ``step`` rows.
  const stresses = (o, count, a, b, mix) => {
    if (!o.vm) return () => NaN;
    const rows = o.vm.length / count, row = (r) => Math.min(Math.round(r / o.step), rows - 1) * count, r0 = row(a), r1 = row(b);
    return (k) => { const i = o.vm[r0 + k], j = o.vm[r1 + k]; return i < 255 && j < 255 ? ((i + (j - i) * mix) / 254) ** 2 * o.top : NaN; };
  };
  // Paints a point: its place in the range of colours, or the part's own colour where there is none.
  const put = (x, paint, at, own, hue) => { if (x === x) hue(x, paint, at); else { paint[at] = own[0]; paint[at + 1] = own[1]; paint[at + 2] = own[2]; } };

  // A flexible body: points in its axes, u = sum q phi (`results.flexible_surface`); ``own``: its colour as the painter takes it.
  class Bending {
    constructor(f, own) {
      Object.assign(this, f); this.own = own; this.rest = unpack(f.p, Float32Array); this.points = this.rest.slice(); this.paint = new Float32Array(this.points.length);
      this.triangles = unpack(f.t, f.wide ? Uint32Array : Uint16Array); this.pairs = unpack(f.l, Uint16Array); this.q = unpack(f.q, Float32Array); this.phi = unpack(f.phi, Int16Array); this.vm = f.vm ? unpack(f.vm, Uint8Array) : null;
    }
    // ``more``: times larger than it is; ``paint``: "stress", "displacement" or "none"; ``top``: value at the end of the colours.
    at(a, b, mix, { more = 1, paint, top, hue }) {
      const n = this.modes.length, v = 3 * this.count, u = new Float32Array(v), stress = stresses(this, this.count, a, b, mix);
      for (let j = 0; j < n; j++) {
        const s = this.q[a * n + j], c = (s + (this.q[b * n + j] - s) * mix) * this.unit[j], o = j * v;
        if (c !== 0) for (let k = 0; k < v; k++) u[k] += c * this.phi[o + k];
      }
      for (let k = 0; k < v; k++) this.points[k] = this.rest[k] + more * u[k];
      const value = paint === "stress" ? stress : paint === "displacement" ? (k) => Math.hypot(u[3 * k], u[3 * k + 1], u[3 * k + 2]) : () => NaN;
      for (let k = 0; k < this.count; k++) put(top > 0 ? value(k) / top : NaN, this.paint, 3 * k, this.own, hue);
    }
  }

  // A rod or cable: rings along a smooth curve (cubic Hermite) through its stations, about its middle in axes of ground (`results.tubes`).
  class Tube {
    constructor(t, own) {
      Object.assign(this, t); this.own = own; this.K = t.ring.length / 2; const K = this.K, pieces = (t.closed ? t.n : t.n - 1) * t.sub, m = (this.m = pieces + (t.closed ? 0 : 1)), index = [];
      for (let r = 0; r < pieces; r++)
        for (let k = 0; k < K; k++) {
          const a = r * K + k, b = r * K + ((k + 1) % K), c = ((r + 1) % m) * K + k, d = ((r + 1) % m) * K + ((k + 1) % K);
          index.push(a, b, d, a, d, c);
        }
      if (!t.closed) for (let k = 1; k + 1 < K; k++) index.push(0, k + 1, k, (m - 1) * K, (m - 1) * K + k, (m - 1) * K + k + 1);
      this.index = new Uint32Array(index); this.points = new Float32Array(3 * m * K); this.paint = new Float32Array(3 * m * K); this.thick = Math.max(...t.ring.map(Math.abs));
      this.path = unpack(t.path, Float32Array); this.side = unpack(t.side, Int16Array); this.force = t.force ? unpack(t.force, Float32Array) : null; this.vm = t.vm ? unpack(t.vm, Uint8Array) : null;
    }
    // ``paint``: "stress", "force" or "none"; colours go from ``low`` to ``top``.
    at(a, b, mix, { paint, low = 0, top, hue }) {
      const { n, K, points, own } = this, wrap = (i) => (this.closed ? (i + n) % n : clamp(i, 0, n - 1)), mixed = (v, k, width) => v[a * n * width + k] + (v[b * n * width + k] - v[a * n * width + k]) * mix;
      const at = [...Array(n).keys()].map((i) => [0, 1, 2].map((c) => mixed(this.path, 3 * i + c, 3))), across = at.map((_, i) => [0, 1, 2].map((c) => mixed(this.side, 3 * i + c, 3)));
      const slope = at.map((_, i) => mul(sub(at[wrap(i + 1)], at[wrap(i - 1)]), this.closed || (i > 0 && i < n - 1) ? 0.5 : 1)), stress = stresses(this, n * K, a, b, mix);
      const value = paint === "stress" ? (i, k) => stress(i * K + k) : paint === "force" && this.force ? (i) => mixed(this.force, i, 1) : () => NaN;
      for (let r = 0; r < this.m; r++) {
        const i = Math.min(Math.floor(r / this.sub), n - 1), j = wrap(i + 1), u = r / this.sub - i;
        const h = [1 - 3 * u * u + 2 * u ** 3, u - 2 * u * u + u ** 3, 3 * u * u - 2 * u ** 3, u ** 3 - u * u], g = [6 * u * u - 6 * u, 1 - 4 * u + 3 * u * u, 6 * u - 6 * u * u, 3 * u * u - 2 * u];
        const sum = (w) => add(add(mul(at[i], w[0]), mul(slope[i], w[1])), add(mul(at[j], w[2]), mul(slope[j], w[3])));
        const p = sum(h), along = unit(sum(g)), raw = add(mul(across[i], 1 - u), mul(across[j], u)), y = unit(sub(raw, mul(along, dot(raw, along)))), z = cross(along, y);
        for (let k = 0; k < K; k++) {
          const o = 3 * (r * K + k), c = this.ring[2 * k], d = this.ring[2 * k + 1];
          for (let s = 0; s < 3; s++) points[o + s] = p[s] + c * y[s] + d * z[s];
          put(top > low ? (value(i, k) * (1 - u) + value(j, k) * u - low) / (top - low) : NaN, this.paint, o, own, hue);
        }
      }
    }
  }

  // Grains: places about the origin of the run; NaN where one is not there.  Quaternions in 1/32767, those of the nearer row.
  class Grains {
    constructor(g) { Object.assign(this, g); this.size = unpack(g.s, Float32Array); this.surface = unpack(g.mesh.p, Float32Array); this.index = unpack(g.mesh.t, Uint16Array); this.code = unpack(g.p, Uint16Array); this.spins = g.q ? unpack(g.q, Int16Array) : null; }
    at(a, b, mix, out) {
      const n = 3 * this.count, code = this.code;
      for (let k = 0; k < this.count; k++) {
        const p = n * a + 3 * k, q = n * b + 3 * k, here = code[p] !== 65535, there = code[q] !== 65535, s = here && there ? mix : here ? 0 : 1;
        for (let i = 0; i < 3; i++) out[3 * k + i] = here || (there && mix === 1) ? this.low[i] + (this.span[i] * (s === 0 ? code[p + i] : s === 1 ? code[q + i] : code[p + i] + (code[q + i] - code[p + i]) * s)) / 65534 : NaN;
      }
      return out;
    }
    turns(a, b, mix) { const row = mix < 0.5 ? a : b; return this.spins && this.spins.subarray(4 * this.count * row, 4 * this.count * (row + 1)); }
  }

  window.holonomMoving = { colours, Bending, Tube, Grains };
})();
