// Plots over uPlot (vendor/, MIT): zoom, pan, values under the pointer, a cursor in common with others, curves worked on, pictures and numbers to keep.
//
//   const plot = holonomPlot.create(element, { x, series, units, ... })
//     x        numbers that never fall, of all curves without an x of their own
//     series   [{ name, y, x?, unit?, mode?: "line" | "steps" | "marks", run?: 0, 1, ... (dash), colour?: number, rows?: before thinning }]
//     units    { x: "s", y: "N" }
//     height   of the drawing: pixels, or a function that says them (default: of the width)
//     phase    true: curves over each other's values, each with its times t; the present time is a dot on each
//     second   a word for the axis on the right: curves whose unit is not the first one's stand on it (at most one other unit)
//     title, xword ("time"), yword ("force"), log, zero (the axis holds 0), file (name of what is saved), mark (called with x at a click),
//     changed (called with the state when change, filter, reference or log is set)
//   plot.setCursor(x | null)  the line of the present time;  plot.onCursor(f)  f(x) when a click, a drag of that line or a key sets it
//   plot.setZoom(low, high), plot.reset(), plot.set({ change, filter, width, reference, log }), plot.curves(), plot.svg(), plot.png(), plot.csv(), plot.destroy()
//
// Names are text everywhere: nothing here writes markup from them.  Colours come from --ink, --soft, --line, --back and --accent of the page.
(() => {
  "use strict";
  if (window.holonomPlot) return;
  const COLOURS = ["#3b82d6", "#e07b2f", "#3fa45b", "#cf4d5b", "#8a6fd1", "#2aa3a3", "#b9860f", "#c768a8"];
  const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
  const MOST = 16384; // points of an even grid for spectra and filters

  const make = (tag, parent, className, text) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };
  const minus = (text) => text.replace(/-/g, "−");
  const show = (x) => {
    if (x === null || x === undefined || Number.isNaN(x)) return "";
    if (x === 0) return "0";
    const a = Math.abs(x);
    return minus(a >= 1e6 || a < 1e-4 ? x.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e") : String(+x.toPrecision(5)));
  };
  const raised = (n) => String(n).replace(/-/g, "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);

  // ---- numbers ---------------------------------------------------------------------------------------------------------
  const place = (t, x) => { // row at or before x; of equal times the last
    let a = 0, z = t.length - 1;
    while (z - a > 1) { const m = (a + z) >> 1; if (t[m] <= x) a = m; else z = m; }
    return z > a && t[z] <= x ? z : a;
  };
  const value = (s, x) => { // between rows on the straight line, as it is drawn; NaN outside
    const { x: t, y } = s, n = t.length;
    if (!n || x < t[0] - 1e-9 * (t[n - 1] - t[0]) || x > t[n - 1] + 1e-9 * (t[n - 1] - t[0])) return NaN;
    const k = place(t, x);
    if (s.mode === "steps") return y[Math.min(n - 1, t[k] < x ? k + 1 : k)];
    if (k + 1 >= n || t[k + 1] <= t[k] || x <= t[k]) return y[k];
    return y[k] + ((y[k + 1] - y[k]) * (x - t[k])) / (t[k + 1] - t[k]);
  };
  const ticks = (lo, hi, count) => { // multiples of 1, 2 or 5 times a power of ten, three at least
    const rough = (hi - lo) / Math.max(1, count), p = 10 ** Math.floor(Math.log10(rough)), m = rough / p, steps = [0.2, 0.5, 1, 2, 5, 10];
    for (let n = m > 5 ? 5 : m > 2 ? 4 : m > 1 ? 3 : 2; ; n--) {
      const step = steps[n] * p, out = [];
      for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step && out.length < 100; k++) out.push(k * step);
      if (out.length > 2 || n === 0) return { step, out };
    }
  };
  const written = (values, step) => { // numbers of an axis, with a power of ten in common where they are long
    const top = Math.max(0, ...values.map(Math.abs)), power = top >= 1e5 || (top > 0 && top < 1e-3) ? 3 * Math.floor(Math.log10(top) / 3) : 0;
    const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step / 10 ** power) + 1e-9)));
    return { power, texts: values.map((v) => minus(Math.abs(v) < step * 1e-6 ? "0" : (v / 10 ** power).toFixed(digits))) };
  };
  const PREFIXES = { "-12": "p", "-9": "n", "-6": "µ", "-3": "m", 3: "k", 6: "M", 9: "G", 12: "T" }, BARE = /^(N|J|W|Pa|Hz|V|A|m|s|rad)(?![A-Za-z])/;
  const prefixed = (label, power) => { // "force (N)" in thousands is "force (kN)"; null where a unit takes no prefix, as kg or m²
    const found = /^(.*) \(([^()]*)\)$/.exec(label), prefix = PREFIXES[power];
    if (!found || !prefix || !BARE.test(found[2]) || /^[A-Za-z]+[²³⁴]/.test(found[2]) || (/^(s|rad)/.test(found[2]) && power > 0)) return null;
    return `${found[1]} (${prefix}${found[2]})`;
  };
  const merged = (list) => { // one column of x, repeated where a curve repeats it; rows that a curve does not have are undefined
    if (list.every((s) => s.x === list[0].x)) return [list[0].x, ...list.map((s) => s.y)];
    const at = list.map(() => 0), xs = [], ys = list.map(() => []);
    for (;;) {
      let x = Infinity;
      list.forEach((s, k) => { if (at[k] < s.x.length && s.x[at[k]] < x) x = s.x[at[k]]; });
      if (x === Infinity) return [xs, ...ys];
      const first = xs.length;
      let rows = 0;
      list.forEach((s, k) => {
        let n = 0;
        while (at[k] < s.x.length && s.x[at[k]] === x) ys[k][first + n++] = s.y[at[k]++];
        rows = Math.max(rows, n);
      });
      for (let n = 0; n < rows; n++) xs.push(x);
    }
  };
  const even = (s) => { // the curve on an even grid over its finite stretch: {t0, h, y}
    let a = 0, z = s.x.length - 1;
    while (a < z && !Number.isFinite(s.y[a])) a++;
    while (z > a && !Number.isFinite(s.y[z])) z--;
    const n = Math.min(MOST, Math.max(2, 2 ** Math.ceil(Math.log2(z - a + 1)))), t0 = s.x[a], h = (s.x[z] - t0) / (n - 1), y = new Float64Array(n);
    for (let k = 0; k < n; k++) { const v = value(s, t0 + k * h); y[k] = Number.isFinite(v) ? v : k ? y[k - 1] : 0; }
    return { t0, h, y };
  };
  const fourier = (re, im) => { // in place, length a power of two
    const n = re.length;
    for (let i = 1, j = 0; i < n; i++) {
      let bit = n >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) { [re[i], re[j]] = [re[j], re[i]]; [im[i], im[j]] = [im[j], im[i]]; }
    }
    for (let len = 2; len <= n; len <<= 1) {
      const w = (-2 * Math.PI) / len;
      for (let k = 0; k < len / 2; k++) {
        const c = Math.cos(w * k), s = Math.sin(w * k);
        for (let i = k; i < n; i += len) {
          const j = i + len / 2, a = re[j] * c - im[j] * s, b = re[j] * s + im[j] * c;
          re[j] = re[i] - a; im[j] = im[i] - b; re[i] += a; im[i] += b;
        }
      }
    }
  };
  const lowpass = (y, h, cut) => { // Butterworth of second order, forth and back: no phase
    const c = 1 / Math.tan(Math.PI * Math.min(0.499, cut * h)), d = 1 + Math.SQRT2 * c + c * c, b0 = 1 / d, a1 = (2 - 2 * c * c) / d, a2 = (1 - Math.SQRT2 * c + c * c) / d;
    const once = (v) => {
      const out = new Float64Array(v.length);
      let x1 = v[0], x2 = v[0], y1 = v[0], y2 = v[0];
      for (let k = 0; k < v.length; k++) {
        out[k] = b0 * (v[k] + 2 * x1 + x2) - a1 * y1 - a2 * y2;
        [x2, x1, y2, y1] = [x1, v[k], y1, out[k]];
      }
      return out.reverse();
    };
    const pad = Math.min(y.length - 1, Math.ceil(3 / (cut * h))), n = y.length, long = new Float64Array(n + 2 * pad); // odd ends, so that they do not ring
    for (let k = 0; k < pad; k++) { long[k] = 2 * y[0] - y[pad - k]; long[n + pad + k] = 2 * y[n - 1] - y[n - 2 - k]; }
    long.set(y, pad);
    return once(once(long)).subarray(pad, pad + n);
  };
  const welch = (g) => { // one-sided density, Hann, quarters of the record half over each other, their means taken off (Welch 1967; curves.psd)
    const n = Math.max(4, g.y.length >> 2), half = n >> 1, f = new Float64Array(half + 1), y = new Float64Array(half + 1), w = new Float64Array(n);
    let square = 0, pieces = 0;
    for (let k = 0; k < n; k++) { w[k] = 0.5 - 0.5 * Math.cos((2 * Math.PI * k) / n); square += w[k] * w[k]; }
    for (let at = 0; at + n <= g.y.length; at += half, pieces++) {
      const re = g.y.slice(at, at + n), im = new Float64Array(n), mean = re.reduce((a, b) => a + b, 0) / n;
      for (let k = 0; k < n; k++) re[k] = w[k] * (re[k] - mean);
      fourier(re, im);
      for (let k = 0; k <= half; k++) y[k] += re[k] * re[k] + im[k] * im[k];
    }
    for (let k = 0; k <= half; k++) { f[k] = k / (n * g.h); y[k] *= ((k && k < half ? 2 : 1) * g.h) / (square * (pieces || 1)); }
    return { x: f, y };
  };
  const CHANGES = { "": "as recorded", derivative: "derivative", integral: "integral", spectrum: "spectrum (amplitude)", psd: "power density (Welch)" };
  const FILTERS = { "": "none", lowpass: "low-pass (Butterworth)", mean: "moving mean" };

  const filtered = (s, kind, width) => {
    if (!kind || !(width > 0) || s.mode !== "line") return s;
    const g = even(s), n = g.y.length;
    let y;
    if (kind === "lowpass") y = lowpass(g.y, g.h, width);
    else { // mean over a time, less at the ends
      const half = Math.max(0, Math.round(width / g.h / 2)), sums = new Float64Array(n + 1);
      for (let k = 0; k < n; k++) sums[k + 1] = sums[k] + g.y[k];
      y = g.y.map((_, k) => { const r = Math.min(half, k, n - 1 - k); return (sums[k + r + 1] - sums[k - r]) / (2 * r + 1); });
    }
    const smooth = { x: Float64Array.from(y, (_, k) => g.t0 + k * g.h), y };
    return { ...s, y: Float64Array.from(s.x, (t, k) => (Number.isFinite(s.y[k]) ? value(smooth, Math.min(t, smooth.x[n - 1])) : NaN)) };
  };
  const changed = (s, kind) => {
    const { x, y } = s, n = x.length;
    if (s.mode !== "line" || !kind || n < 2) return s;
    if (kind === "derivative") { // of second order between unequal steps, one-sided at ends and jumps
      const d = Float64Array.from(x, (_, k) => {
        const a = k > 0 ? x[k] - x[k - 1] : 0, b = k + 1 < n ? x[k + 1] - x[k] : 0;
        const l = a > 0 ? (y[k] - y[k - 1]) / a : NaN, r = b > 0 ? (y[k + 1] - y[k]) / b : NaN;
        return a > 0 && b > 0 ? (l * b + r * a) / (a + b) : a > 0 ? l : r;
      });
      return { ...s, y: d };
    }
    if (kind === "integral") {
      let sum = 0;
      return { ...s, y: Float64Array.from(x, (_, k) => { if (k && Number.isFinite(y[k]) && Number.isFinite(y[k - 1])) sum += ((y[k] + y[k - 1]) * (x[k] - x[k - 1])) / 2; return sum; }) };
    }
    if (kind === "psd") return { ...s, ...welch(even(s)) };
    const g = even(s), m = g.y.length, mean = g.y.reduce((a, b) => a + b, 0) / m, re = new Float64Array(m), im = new Float64Array(m);
    let weight = 0;
    for (let k = 0; k < m; k++) { const w = 0.5 - 0.5 * Math.cos((2 * Math.PI * k) / m); weight += w; re[k] = w * (g.y[k] - mean); } // Hann
    fourier(re, im);
    const half = m / 2, f = new Float64Array(half), out = new Float64Array(half);
    for (let k = 0; k < half; k++) { f[k] = k / (m * g.h); out[k] = ((k ? 2 : 1) * Math.hypot(re[k], im[k])) / weight; }
    return { ...s, x: f, y: out };
  };

  // ---- one plot ----------------------------------------------------------------------------------------------------------
  const all = new Set();
  let together = false; // zoom of one is that of all plots over the same word

  class Plot {
    constructor(element, o) {
      Object.assign(this, { element, o, hidden: new Set(), now: null, heard: [], state: { change: "", filter: "", width: 0, reference: -1, log: !!o.log } });
      const units = o.units || {};
      this.unitx = units.x || "";
      this.unity = units.y || "";
      this.word = o.xword || "time";
      this.raw = o.series.map((s, k) => ({
        name: s.name || "", unit: s.unit, mode: s.mode || "line", run: s.run || 0, colour: s.colour === undefined ? k : s.colour, rows: s.rows || 0,
        x: s.x || o.x, y: s.y, t: s.t,
      }));
      this.other = o.second ? (this.raw.find((s) => s.unit && s.unit !== this.unity) || {}).unit || "" : ""; // unit of the axis on the right
      element.classList.add("plot");
      const head = this.head = make("div", element, "plot-head");
      if (o.caption) head.append(o.caption); else if (o.title) make("div", head, "plot-title", o.title);
      const tools = make("div", head, "plot-tools");
      const button = (text, hint, act, parent = tools) => {
        const b = make("button", parent, "plot-button", text);
        b.type = "button";
        b.title = hint;
        b.setAttribute("aria-label", hint);
        b.addEventListener("click", act);
        return b;
      };
      this.button = button;
      this.back = button("Whole", "Show the whole plot (double click)", () => this.reset());
      this.back.hidden = true;
      this.opener = button("⋯", "Zoom, change, filter, save", () => this.menu());
      this.opener.setAttribute("aria-expanded", "false");
      this.panel = null;
      this.ylabel = make("div", element, "plot-ylabel");
      this.stage = make("div", element, "plot-stage");
      this.stage.tabIndex = 0;
      this.stage.setAttribute("role", "group");
      this.stage.setAttribute("aria-label", `Plot of ${o.title || "curves"}; arrows move the time, plus and minus zoom, 0 shows the whole`);
      this.xlabel = make("div", element, "plot-xlabel");
      this.note = make("div", element, "plot-note");
      this.note.hidden = true;
      this.legend = make("div", element, "plot-legend");
      this.tip = make("div", this.stage, "plot-tip");
      this.tip.hidden = true;
      this.pinLine = make("div", null, "plot-pin");
      this.pinLine.hidden = true;
      this.line = make("div", null, "plot-now");
      this.line.hidden = true;
      this.stage.addEventListener("keydown", (e) => this.key(e));
      this.stage.addEventListener("pointerleave", () => { this.tip.hidden = true; });
      this.observer = new ResizeObserver(() => this.resize());
      this.observer.observe(this.stage);
      this.scheme = matchMedia("(prefers-color-scheme: dark)");
      this.recolour = () => this.u && this.u.redraw(false);
      this.scheme.addEventListener("change", this.recolour);
      all.add(this);
      this.build();
    }

    // -- what is drawn
    label(s) { return s.name || this.o.title || "curve"; }
    work() {
      const { change, filter, width, reference } = this.state, base = this.raw[reference];
      let list = this.raw.map((s, k) => ({ ...s, key: k }));
      if (base) {
        list = list.filter((s) => s.key !== reference && s.mode === "line" && this.right(s) === this.right(base)).map((s) => ({ ...s, name: `${this.label(s)} − ${this.label(base)}`, y: Float64Array.from(s.x, (t, k) => s.y[k] - value(base, t)) }));
      }
      if (change || filter) list = list.filter((s) => s.mode === "line");
      list = list.map((s) => changed(filtered(s, filter, width), change));
      return list;
    }
    right(s) { return !!this.other && s.unit === this.other; } // stands on the axis there
    words(y = this.unity, plain = this.o.yword || "value") { // of the axes
      const x = this.unitx, brackets = (u) => (u ? ` (${u})` : "");
      const { change, reference } = this.state, word = reference >= 0 ? `difference of ${plain}` : plain;
      const power = (n) => (n > 1 ? raised(n) : ""), found = y.match(new RegExp(`^(.*)/${x.replace(/[^\w]/g, "\\$&")}([²³]?)$`)), n = found ? 2 + "²³".indexOf(found[2] || "x") : 0; // "m/s" is a rate already
      const bare = y && y !== "–";
      if (this.o.unstated && (change === "derivative" || change === "integral")) return { x: this.word + brackets(x), y: `${change} of ${word}` };
      if (change === "derivative") return { x: this.word + brackets(x), y: `derivative of ${word}${brackets(!x ? y : found ? `${found[1]}/${x}${power(n + 1)}` : `${bare ? y : "1"}/${x}`)}` };
      if (change === "integral") return { x: this.word + brackets(x), y: `integral of ${word}${brackets(!x ? y : found ? (n > 1 ? `${found[1]}/${x}${power(n - 1)}` : found[1]) : bare ? `${y}·${x}` : x)}` };
      if (change === "spectrum") return { x: `frequency${brackets(x === "s" ? "Hz" : x ? `1/${x}` : "")}`, y: `amplitude of ${word}${brackets(y)}` };
      if (change === "psd") return { x: `frequency${brackets(x === "s" ? "Hz" : x ? `1/${x}` : "")}`, y: `power density of ${word}${brackets(`${!bare ? "1" : /[*·/^]/.test(y) ? `[${y}]²` : `${y}²`}/${x === "s" ? "Hz" : x ? `[1/${x}]` : "frequency"}`)}` };
      return { x: this.word + brackets(x), y: word + brackets(y) };
    }
    css(name, other) { return getComputedStyle(this.element).getPropertyValue(name).trim() || other; }
    colour(s) { return COLOURS[s.colour % COLOURS.length]; }
    dash(s) { return DASHES[(s.run + (s.colour >= COLOURS.length ? 1 : 0)) % DASHES.length]; }
    spread(lo, hi) { // limits of the upright axis
      if (!(hi >= lo)) return [0, 1];
      if (this.state.log) { const pad = Math.max(0.05, 0.5 * (0.3 - (hi - lo))); return [lo - pad, hi + pad]; }
      const zero = this.o.zero && !this.state.change && this.state.reference < 0;
      if (zero) { lo = Math.min(lo, 0); hi = Math.max(hi, 0); }
      if (hi - lo <= 1e-9 * Math.max(Math.abs(lo), Math.abs(hi)) || hi === lo) { const d = 0.05 * Math.max(Math.abs(lo), Math.abs(hi)) || 1; return [lo - d, hi + d]; }
      const pad = 0.04 * (hi - lo);
      return [zero && lo === 0 ? 0 : lo - pad, hi + pad];
    }
    upright(lo, hi, height) { // {at, texts, power}
      if (!this.state.log) { const f = ticks(lo, hi, height / 42); return { at: f.out, ...written(f.out, f.step) }; }
      const stride = Math.max(1, Math.ceil((hi - lo) / 5)), at = [];
      for (let k = Math.ceil(lo); k <= hi; k += stride) at.push(k);
      if (at.length >= 2) return { at, texts: at.map((v) => `10${raised(v)}`), power: 0 };
      const fine = ticks(lo, hi, 3).out;
      return { at: fine, texts: fine.map((v) => show(+(10 ** v).toPrecision(2))), power: 0 };
    }
    build() {
      if (this.u) { this.u.destroy(); this.u = null; }
      this.list = this.work();
      const shown = this.list.length ? this.list : [{ name: "", x: [0, 1], y: [NaN, NaN], mode: "line", run: 0, colour: 0, key: 0 }];
      const plain = (y) => Array.from(y, (v) => (Number.isFinite(v) ? (this.state.log ? (v > 0 ? Math.log10(v) : null) : v) : v === undefined ? undefined : null));
      const table = this.columns(shown);
      const data = [Array.from(table[0]), ...table.slice(1).map(plain)];
      const soft = () => this.css("--soft", "#5c6675"), line = () => this.css("--line", "#dfe3ea");
      const axis = { stroke: soft, font: `12px ${FONT}`, grid: { stroke: line, width: 1 }, ticks: { show: false } };
      const width = this.stage.clientWidth || 400, two = this.list.some((s) => this.right(s)), tall = (u) => u.over.clientHeight || this.height(width) - 34;
      const upward = (scale, more) => ({ ...axis, ...more, scale, gap: 5, size: (u, v) => 12 + 7 * Math.max(2, ...(v || []).map((t) => String(t).length)), splits: (u, i, a, b) => this.upright(a, b, tall(u)).at,
        values: (u) => { const f = this.upright(u.scales[scale].min, u.scales[scale].max, tall(u)); this[scale === "y" ? "power" : "power2"] = f.power; return f.texts; } });
      const options = {
        width, height: this.height(width), pxAlign: 0, legend: { show: false }, padding: [8, 16, 0, 0],
        cursor: {
          drag: { x: true, y: true, uni: 24, dist: 5, setScale: true }, points: { show: false },
          bind: { mousedown: (u, target, handler) => (e) => (this.press(e) ? null : handler(e)) },
        },
        scales: {
          x: { time: false, range: (u, a, b) => this.along(a, b) },
          y: { range: (u, a, b) => (a === null || a === undefined ? this.empty() : this.spread(a, b)) },
          ...(two ? { y2: { range: (u, a, b) => (a === null || a === undefined ? [0, 1] : this.spread(a, b)) } } : {}),
        },
        axes: [
          { ...axis, size: 26, gap: 4, splits: (u, i, a, b) => ticks(a, b, Math.max(2, u.over.clientWidth / 80 || 4)).out, values: (u, v) => this.across(v) },
          upward("y", { side: 3 }), ...(two ? [upward("y2", { side: 1, grid: { show: false } })] : []),
        ],
        series: [{}, ...shown.map((s) => ({
          label: this.label(s), scale: this.right(s) ? "y2" : "y", show: !this.hidden.has(s.key), stroke: this.colour(s), width: 1.7, dash: this.dash(s), spanGaps: false,
          points: s.mode === "marks" ? { show: true, size: 7, width: 1.5, fill: "transparent", stroke: this.colour(s) } : { show: s.x.length === 1, size: 6 },
          paths: this.o.phase ? () => this.path(s) : s.mode === "marks" ? () => null : s.mode === "steps" ? uPlot.paths.stepped({ align: -1 }) : undefined,
        }))],
        hooks: {
          setCursor: [() => this.point()],
          draw: [() => this.labels()],
          setScale: [(u, k) => { if (k === "x") this.zoomed(); }],
          ready: [() => this.move()],
        },
      };
      this.u = new uPlot(options, data, this.stage);
      this.u.over.append(this.pinLine, this.line);
      this.u.over.classList.add("plot-over");
      this.u.over.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
      this.u.over.addEventListener("dblclick", () => this.reset());
      this.chips();
      this.remark();
      this.move();
      this.statistics();
    }
    columns(list) { return merged(list); }
    along(a, b) { return b > a ? [a, b] : [a - (Math.abs(a) || 1) * 0.05, a + (Math.abs(a) || 1) * 0.05]; }
    empty() { return [0, 1]; }
    height(width) { const h = typeof this.o.height === "function" ? this.o.height() : this.o.height; return Math.round(h || Math.min(270, Math.max(180, width * 0.44))); }
    across(v) {
      const step = v.length > 1 ? v[1] - v[0] : Math.abs(v[0]) || 1, f = written(v, step);
      this.powerx = f.power;
      return f.texts;
    }
    labels() {
      const w = this.words(), times = (p) => (p ? ` × 10${raised(p)}` : "");
      const named = (text, power) => prefixed(text, power) ?? text + times(power);
      this.ylabel.textContent = named(w.y, this.power);
      if (this.list.some((s) => this.right(s))) make("span", this.ylabel, "plot-ylabel-right", named(this.words(this.other, this.o.second).y, this.power2));
      this.xlabel.textContent = named(w.x, this.powerx);
    }
    resize() {
      const width = Math.floor(this.stage.clientWidth), height = this.height(width);
      if (!this.u || !width || (width === this.u.width && height === this.u.height)) return;
      this.u.setSize({ width, height });
      this.move();
    }
    chips() {
      this.legend.textContent = "";
      if (this.list.length === 1 && !this.list[0].name) return;
      for (const s of this.list) {
        const chip = make("button", this.legend, "plot-chip"), swatch = make("span", chip, "plot-swatch");
        chip.type = "button";
        swatch.style.borderColor = this.colour(s);
        if (this.dash(s).length) swatch.style.borderTopStyle = "dashed";
        if (s.mode === "marks") swatch.classList.add("plot-marks");
        make("span", chip, "plot-name", this.label(s) + (this.right(s) ? " →" : "")).title = this.label(s) + (this.right(s) ? ", axis on the right" : "");
        chip.setAttribute("aria-pressed", String(!this.hidden.has(s.key)));
        chip.addEventListener("click", () => {
          if (this.hidden.has(s.key)) this.hidden.delete(s.key); else this.hidden.add(s.key);
          chip.setAttribute("aria-pressed", String(!this.hidden.has(s.key)));
          this.u.setSeries(this.list.indexOf(s) + 1, { show: !this.hidden.has(s.key) });
          this.statistics();
        });
      }
    }
    remark() {
      const thinned = this.raw.filter((s) => s.rows > s.x.length), { change, filter } = this.state, said = [];
      if (thinned.length && (change || filter)) said.push(`Worked out from ${Math.max(...thinned.map((s) => s.x.length))} points of ${Math.max(...thinned.map((s) => s.rows))}; exact in Python (holonom.results.curves).`);
      if (change === "psd") said.push("Welch: quarters half over each other, Hann window.");
      if (change === "spectrum") said.push("Mean taken off, Hann window.");
      this.note.textContent = said.join(" ");
      this.note.hidden = !said.length;
    }

    // -- values and cursor
    point() {
      if (!this.u) return;
      const { left, top } = this.u.cursor;
      if (left === null || left === undefined || left < 0) { this.tip.hidden = true; return; }
      const x = this.u.posToVal(left, "x"), unit = this.words().x.match(/\(([^()]*)\)$/);
      this.tip.textContent = "";
      const pinned = this.pinned !== undefined && this.timed && !this.o.phase, more = (a, b) => (pinned ? `  Δ ${show(+(a - b).toPrecision(6))}` : "");
      make("b", this.tip, "", `${show(+x.toPrecision(6))} ${unit ? unit[1] : ""}${more(x, this.pinned)}`);
      for (const s of this.list) {
        if (this.hidden.has(s.key) || s.mode === "marks") continue;
        const row = make("div", this.tip), swatch = make("span", row, "plot-swatch");
        swatch.style.borderColor = this.colour(s);
        if (this.dash(s).length) swatch.style.borderTopStyle = "dashed";
        make("span", row, "plot-name", this.label(s));
        make("span", row, "plot-value", show(value(s, x)) + more(value(s, x), value(s, this.pinned)) + (this.other ? ` ${s.unit || ""}` : ""));
      }
      this.tip.hidden = false;
      const at = left + this.u.over.offsetLeft, width = this.stage.clientWidth, over = left > this.u.over.clientWidth / 2;
      this.tip.style.maxWidth = `${Math.max(120, (over ? at : width - at) - 20)}px`;
      this.tip.style.left = over ? "" : `${at + 14}px`;
      this.tip.style.right = over ? `${width - at + 14}px` : "";
      this.tip.style.top = `${Math.max(0, Math.min(top - 20, this.stage.clientHeight - this.tip.offsetHeight))}px`;
    }
    get timed() { return this.state.change !== "spectrum" && this.state.change !== "psd"; }
    move() {
      const { u, now } = this;
      if (!u) return;
      const { min, max } = u.scales.x;
      const at = this.pinned; this.pinLine.hidden = at === undefined || !this.timed || !(at >= min && at <= max);
      if (!this.pinLine.hidden) this.pinLine.style.transform = `translateX(${u.valToPos(at, "x")}px)`;
      this.line.hidden = now === null || !this.timed || !(now >= min && now <= max);
      if (!this.line.hidden) this.line.style.transform = `translateX(${u.valToPos(now, "x")}px)`;
    }
    setCursor(x) { this.now = x; this.move(); }
    onCursor(f) { this.heard.push(f); return this; }
    tell(x) {
      if (!this.timed) return;
      const t = this.raw[0] ? this.raw[0].x : [x];
      const low = Math.min(...this.raw.map((s) => s.x[0])), high = Math.max(...this.raw.map((s) => s.x[s.x.length - 1]));
      x = t.length ? Math.min(high, Math.max(low, x)) : x;
      this.setCursor(x);
      for (const f of this.heard) f(x);
    }
    press(e) { // a click sets the time, a drag of its line moves it, shift or the middle button moves the axes; the rest is uPlot's zoom
      const u = this.u, box = u.over.getBoundingClientRect(), x0 = e.clientX, y0 = e.clientY;
      const grabs = e.button === 0 && !e.shiftKey && !this.line.hidden && Math.abs(u.valToPos(this.now, "x") - (x0 - box.left)) < 6;
      const pans = e.shiftKey || e.button === 1;
      if (e.button !== 0 && !pans) return true;
      const { x, y, y2 } = u.scales, from = { xa: x.min, xb: x.max, ya: y.min, yb: y.max, za: y2 && y2.min, zb: y2 && y2.max };
      const drag = (m) => {
        if (grabs) return this.tell(u.posToVal(Math.min(box.width, Math.max(0, m.clientX - box.left)), "x"));
        const dx = ((m.clientX - x0) / box.width) * (from.xb - from.xa), dy = ((m.clientY - y0) / box.height) * (from.yb - from.ya);
        u.batch(() => { u.setScale("x", { min: from.xa - dx, max: from.xb - dx }); u.setScale("y", { min: from.ya + dy, max: from.yb + dy }); if (y2) { const dz = (dy * (from.zb - from.za)) / (from.yb - from.ya); u.setScale("y2", { min: from.za + dz, max: from.zb + dz }); } });
      };
      const up = (m) => {
        document.removeEventListener("mousemove", drag);
        document.removeEventListener("mouseup", up);
        if (!pans && !grabs && Math.hypot(m.clientX - x0, m.clientY - y0) < 5) if (m.altKey) this.pin(u.posToVal(m.clientX - box.left, "x")); else this.tell(u.posToVal(m.clientX - box.left, "x"));
      };
      document.addEventListener("mouseup", up);
      if (grabs || pans) { document.addEventListener("mousemove", drag); this.stage.focus({ preventScroll: true }); return true; }
      this.stage.focus({ preventScroll: true });
      return false;
    }
    /** values are told with their differences from those at x; again, or without x: no longer */
    pin(x) { this.pinned = x === undefined || this.pinned !== undefined ? undefined : x; this.pinLine.hidden = true; this.move(); this.point(); }
    wheel(e) { // lets a page scroll until a plot was clicked on
      if (!e.ctrlKey && document.activeElement !== this.stage) return;
      e.preventDefault();
      const box = this.u.over.getBoundingClientRect();
      this.scale(Math.exp(Math.min(200, Math.max(-200, e.deltaY)) * 0.002), this.u.posToVal(e.clientX - box.left, "x"));
    }
    scale(factor, about) {
      const { min, max } = this.u.scales.x, c = about === undefined ? (min + max) / 2 : about;
      this.setZoom(c + (min - c) * factor, c + (max - c) * factor);
    }
    ends() { const x = this.u.data[0]; return [x[0], x[x.length - 1]]; }
    setZoom(low, high) {
      const [a, b] = this.ends(), least = 1e-7 * (b - a) || 1e-12;
      if (!(high - low > least)) return;
      if (high - low >= b - a) return this.reset();
      const shift = low < a ? a - low : high > b ? b - high : 0;
      this.u.setScale("x", { min: low + shift, max: high + shift });
    }
    reset() { this.u.setData(this.u.data, true); this.move(); }
    get zoom() { return [this.u.scales.x.min, this.u.scales.x.max]; }
    zoomed() {
      const u = this.u;
      if (!u || u.scales.x.min === null) return;
      const [a, b] = this.ends(), tiny = 1e-9 * (b - a);
      this.back.hidden = !(u.scales.x.min > a + tiny || u.scales.x.max < b - tiny);
      this.move();
      this.statistics();
      if (!together || Plot.spreading || !this.timed) return;
      Plot.spreading = true;
      const { min, max } = u.scales.x;
      for (const p of all) if (p !== this && p.timed && p.word === this.word && p.u) { if (this.back.hidden) p.reset(); else p.u.setScale("x", { min, max }); }
      Plot.spreading = false;
    }
    key(e) {
      if (e.target !== this.stage) return;
      const step = (d) => { const { min, max } = this.u.scales.x; this.tell((this.now === null ? min : this.now) + (d * (max - min)) / 100); };
      const act = { ArrowRight: () => step(1), ArrowLeft: () => step(-1), "+": () => this.scale(0.5, this.now === null ? undefined : this.now), "=": () => this.scale(0.5), "-": () => this.scale(2), 0: () => this.reset(), Home: () => this.tell(this.u.scales.x.min), End: () => this.tell(this.u.scales.x.max) }[e.key];
      if (act) { e.preventDefault(); act(); }
    }

    // -- the menu
    menu() {
      if (this.panel) { this.panel.remove(); this.panel = null; this.opener.setAttribute("aria-expanded", "false"); return; }
      this.opener.setAttribute("aria-expanded", "true");
      const panel = this.panel = make("div", null, "plot-panel"), row = () => make("div", panel, "plot-row");
      this.head.after(panel);
      panel.addEventListener("keydown", (e) => { if (e.key === "Escape") { e.stopPropagation(); this.menu(); this.opener.focus(); } });
      const first = row();
      this.button("+", "Zoom in", () => this.scale(0.5), first);
      this.button("−", "Zoom out", () => this.scale(2), first);
      this.button("Whole", "Show the whole plot", () => this.reset(), first);
      const check = (parent, text, on, act) => { const l = make("label", parent), b = make("input", l); b.type = "checkbox"; b.checked = on; l.append(text); b.addEventListener("change", () => act(b.checked)); };
      check(first, "Logarithmic", this.state.log, (on) => this.set({ log: on }, true));
      if (!this.o.phase) check(first, "Differences from the present time (Alt+click)", this.pinned !== undefined, (on) => { this.pinned = undefined; if (on) this.pin(this.now ?? this.zoom[0]); else this.pin(); });
      check(first, "Zoom all plots alike", together, (on) => { together = on; this.zoomed(); });
      const select = (parent, text, entries, chosen, act) => {
        const l = make("label", parent, "", text + " "), s = make("select", l);
        for (const [k, name] of entries) { const p = make("option", s, "", name); p.value = String(k); p.selected = String(k) === String(chosen); }
        s.addEventListener("change", () => act(s.value));
      };
      const second = row(), third = row();
      if (!this.o.phase) select(second, "Show", Object.entries(CHANGES), this.state.change, (v) => this.set({ change: v }, true));
      if (!this.o.phase && this.raw.filter((s) => s.mode === "line").length > 1)
        select(second, "less", [[-1, "nothing"], ...this.raw.map((s, k) => [k, this.label(s)]).filter(([k]) => this.raw[k].mode === "line")], this.state.reference, (v) => this.set({ reference: +v }, true));
      if (!this.o.phase) select(third, "Filter", Object.entries(FILTERS), this.state.filter, (v) => {
        const [a, b] = [this.raw[0].x[0], this.raw[0].x[this.raw[0].x.length - 1]];
        this.set({ filter: v, width: v === "lowpass" ? +(20 / (b - a)).toPrecision(2) : v === "mean" ? +((b - a) / 50).toPrecision(2) : 0 });
        const again = this.panel.querySelectorAll("select");
        again[again.length - 1].focus();
      });
      if (this.state.filter) {
        const unit = this.state.filter === "mean" ? this.unitx : this.unitx === "s" ? "Hz" : `1/${this.unitx}`;
        const l = make("label", third, "", (this.state.filter === "mean" ? "over " : "up to ")), n = make("input", l);
        l.append(` ${unit}`);
        Object.assign(n, { type: "number", min: 0, step: "any", value: this.state.width });
        n.addEventListener("change", () => { if (+n.value > 0) this.set({ width: +n.value }, true); });
      }
      const limits = row(), limit = (scale, which, label) => {
        const l = make("label", limits, "", `${label} `), n = make("input", l); n.type = "number"; n.step = "any"; const now = this.u.scales[scale][which]; n.value = Number.isFinite(now) ? +now.toPrecision(6) : ""; n.setAttribute("aria-label", `${label} of the ${scale === "x" ? "axis below" : "upright axis"}`);
        n.addEventListener("change", () => { const s = this.u.scales[scale], to = { min: s.min, max: s.max, [which]: +n.value }; if (n.value !== "" && to.max > to.min) { this.u.setScale(scale, to); this.back.hidden = false; } });
      };
      limit("x", "min", "From"); limit("x", "max", "to"); limit("y", "min", "upright from"); limit("y", "max", "to");
      const fourth = row();
      make("span", fourth, "plot-word", "Save");
      for (const kind of ["png", "svg", "csv"]) this.button(kind.toUpperCase(), `Save as ${kind.toUpperCase()}`, () => this.save(kind), fourth);
      this.table = make("div", panel, "plot-table");
      for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", "Values of the curves"]]) this.table.setAttribute(name, value); // it scrolls
      this.statistics();
    }
    statistics() { // of what is in view
      if (!this.panel || !this.u) return;
      const { min, max } = this.u.scales.x;
      this.table.textContent = "";
      const table = make("table", this.table), head = make("tr", make("thead", table)), body = make("tbody", table);
      ["In view", "Smallest", "Largest", "Mean", "R.m.s.", "At the largest size"].forEach((t, k) => { make("th", head, k ? "n" : "", t).scope = "col"; });
      for (const s of this.list) {
        if (this.hidden.has(s.key) || s.mode === "marks") continue;
        let lo = Infinity, hi = -Infinity, sum = 0, square = 0, span = 0, top = -1, at = NaN;
        for (let k = 0; k < s.x.length; k++) {
          const x = s.x[k], y = s.y[k];
          if (x < min || x > max || !Number.isFinite(y)) continue;
          lo = Math.min(lo, y);
          hi = Math.max(hi, y);
          if (Math.abs(y) > top) { top = Math.abs(y); at = x; }
          const y0 = s.y[k - 1], h = k && s.x[k - 1] >= min && Number.isFinite(y0) ? x - s.x[k - 1] : 0;
          if (h > 0) { sum += (h * (y + y0)) / 2; square += (h * (y * y + y * y0 + y0 * y0)) / 3; span += h; }
        }
        const row = make("tr", body);
        make("th", row, "", this.label(s)).scope = "row";
        for (const v of hi >= lo ? [lo, hi, span ? sum / span : lo, span ? Math.sqrt(square / span) : Math.abs(lo), at] : [NaN, NaN, NaN, NaN, NaN]) make("td", row, "n", show(v));
      }
    }
    set(changes, own) { // own: from the open menu, which shows it already
      const keep = this.zoom, timed = this.timed;
      Object.assign(this.state, changes);
      if (!(this.state.reference in this.raw)) this.state.reference = -1;
      const whole = this.back.hidden;
      this.build();
      if (!whole && timed === this.timed) this.u.setScale("x", { min: keep[0], max: keep[1] }); else this.back.hidden = true;
      if (this.panel && !own) { this.menu(); this.menu(); }
      if (this.o.changed) this.o.changed(this.state);
      return this;
    }
    /** what is drawn: [{name, x, y}] after difference, filter and change */
    curves() { return this.list.map((s) => ({ name: this.label(s), x: s.x, y: s.y })); }

    // -- to keep
    csv() {
      const cell = (text) => { const t = /^[=+\-@\t\r]/.test(text) && !/^-?[\d.]/.test(text) ? `'${text}` : text; return /[",\n\r]/.test(t) ? `"${t.replace(/"/g, '""')}"` : t; }; // no formula of a spreadsheet
      const { x } = this.words(), unit = (s) => ((this.right(s) ? this.words(this.other) : this.words()).y.match(/\(([^()]*)\)$/) || ["", ""])[1], list = this.list.filter((s) => !this.hidden.has(s.key));
      const [xs, ...ys] = list.length ? merged(list) : [[]], [min, max] = this.zoom, lines = [[x, ...list.map((s) => this.label(s) + (unit(s) ? ` (${unit(s)})` : ""))].map(cell).join(",")];
      for (let k = 0; k < xs.length; k++) if (xs[k] >= min && xs[k] <= max) lines.push([xs[k], ...ys.map((c) => (Number.isFinite(c[k]) ? c[k] : ""))].map((v) => (v === "" ? "" : String(+(+v).toPrecision(9)))).join(","));
      return lines.join("\r\n") + "\r\n";
    }
    svg() {
      const u = this.u, W = u.width, H = u.height + 44 + 18 * Math.ceil(this.list.length / 3), left = u.over.offsetLeft, top = 38 + u.over.offsetTop, w = u.over.clientWidth, h = u.over.clientHeight;
      const esc = (t) => String(t).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "");
      const ink = this.css("--ink", "#1d2430"), soft = this.css("--soft", "#5c6675"), grid = this.css("--line", "#dfe3ea"), X = (v) => left + u.valToPos(v, "x"), Y = (v, s) => top + u.valToPos(this.state.log ? Math.log10(v) : v, this.right(s) ? "y2" : "y"), two = u.scales.y2;
      const { x, y } = u.scales, up = this.upright(y.min, y.max, h), along = ticks(x.min, x.max, Math.max(2, w / 80)), names = this.across(along.out);
      const text = (px, py, t, more = "") => `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" ${more}>${esc(t)}</text>`;
      let out = `<svg xmlns="http://www.w3.org/2000/svg" width="${W}" height="${H}" viewBox="0 0 ${W} ${H}" font-family="${esc(FONT)}" font-size="12" fill="${soft}"><rect width="${W}" height="${H}" fill="${this.css("--back", "#fff")}"/>`;
      out += text(4, 16, this.o.title || "", `font-size="14" font-weight="600" fill="${ink}"`) + text(4, 34, this.ylabel.firstChild ? this.ylabel.firstChild.textContent : "", `fill="${ink}"`);
      if (two) {
        const r = this.upright(two.min, two.max, h);
        out += text(W - 4, 34, this.ylabel.lastChild.textContent, `text-anchor="end" fill="${ink}"`);
        r.at.forEach((v, k) => { out += text(left + w + 6, top + u.valToPos(v, "y2") + 4, r.texts[k]); });
      }
      up.at.forEach((v, k) => { const py = top + u.valToPos(v, "y"); out += `<path d="M${left} ${py.toFixed(1)}h${w}" stroke="${grid}"/>` + text(left - 6, py + 4, up.texts[k], 'text-anchor="end"'); });
      along.out.forEach((v, k) => { const px = X(v); out += `<path d="M${px.toFixed(1)} ${top}v${h}" stroke="${grid}"/>` + text(px, top + h + 16, names[k], 'text-anchor="middle"'); });
      out += text(left + w, top + h + 32, this.xlabel.textContent, `text-anchor="end" fill="${ink}"`) + `<clipPath id="c"><rect x="${left}" y="${top}" width="${w}" height="${h}"/></clipPath><g clip-path="url(#c)" fill="none" stroke-width="1.7" stroke-linejoin="round">`;
      const list = this.list.filter((s) => !this.hidden.has(s.key));
      for (const s of list) {
        let d = "", on = false, last = 0;
        for (let k = 0; k < s.x.length; k++) {
          if (!Number.isFinite(s.y[k]) || (this.state.log && !(s.y[k] > 0))) { on = false; continue; }
          const px = X(s.x[k]).toFixed(1), py = Y(s.y[k], s).toFixed(1);
          if (s.mode === "marks") d += `M${+px - 3} ${+py - 3}l6 6m0 -6l-6 6`;
          else if (s.mode === "steps" && on) d += `M${last} ${py}H${px}`;
          else d += `${on ? "L" : "M"}${px} ${py}`;
          on = true;
          last = px;
        }
        out += `<path d="${d}" stroke="${this.colour(s)}"${this.dash(s).length ? ` stroke-dasharray="${this.dash(s).join(" ")}"` : ""}/>`;
      }
      out += "</g>";
      list.forEach((s, k) => {
        const px = 8 + (k % 3) * (W / 3), py = top + h + 50 + 18 * Math.floor(k / 3);
        out += `<path d="M${px.toFixed(1)} ${py - 4}h18" stroke="${this.colour(s)}" stroke-width="3"${this.dash(s).length ? ' stroke-dasharray="5 3"' : ""}/>` + text(px + 24, py, this.label(s).slice(0, 60), `fill="${ink}"`);
      });
      return out + "</svg>";
    }
    png() { // a promise of an address of the picture, twice as fine
      const source = this.svg(), size = source.match(/width="([\d.]+)" height="([\d.]+)"/), image = new Image(), canvas = document.createElement("canvas");
      return new Promise((done, fail) => {
        image.onload = () => {
          canvas.width = 2 * size[1];
          canvas.height = 2 * size[2];
          canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
          done(canvas.toDataURL("image/png"));
        };
        image.onerror = () => fail(new Error("the picture cannot be made"));
        image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
      });
    }
    async save(kind) {
      const a = document.createElement("a"), name = (this.o.file || this.o.title || "plot").replace(/[^\w.-]+/g, "_").slice(0, 60) || "plot";
      a.href = kind === "png" ? await this.png() : URL.createObjectURL(new Blob([kind === "csv" ? `\ufeff${this.csv()}` : this.svg()], { type: kind === "csv" ? "text/csv" : "image/svg+xml" }));
      a.download = `${name}.${kind}`;
      a.click();
      if (a.href.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(a.href), 10000);
    }
    destroy() {
      this.observer.disconnect();
      this.scheme.removeEventListener("change", this.recolour);
      all.delete(this);
      if (this.u) this.u.destroy();
      this.u = null;
      this.element.textContent = "";
    }
  }

  class Phase extends Plot { // values of one curve over those of another; x may turn back
    work() { return this.raw.map((s, k) => ({ ...s, key: k })); }
    get timed() { return false; }
    columns(list) { // corners of each curve: what axes need to know; the way itself is `path`
      const ends = (v) => { let a = Infinity, b = -Infinity; for (const x of v) if (Number.isFinite(x)) { a = Math.min(a, x); b = Math.max(b, x); } return b >= a ? [a, b] : [0, 1]; };
      const xs = list.map((s) => ends(s.x));
      this.corners = list.map((s) => ends(s.y));
      return [[Math.min(...xs.map((e) => e[0])), Math.max(...xs.map((e) => e[1]))], ...this.corners];
    }
    along(a, b) { const d = 0.04 * (b - a) || Math.abs(a) * 0.05 || 1, [lo, hi] = this.u && this.u.data ? this.ends() : [a, b]; return a <= lo && b >= hi ? [a - d, b + d] : [a, b]; }
    empty() { return this.spread(Math.min(...this.corners.map((e) => e[0])), Math.max(...this.corners.map((e) => e[1]))); }
    path(s) {
      const stroke = new Path2D(), u = this.u;
      let on = false;
      for (let k = 0; u && k < s.x.length; k++) {
        const y = this.state.log ? Math.log10(s.y[k]) : s.y[k];
        if (!Number.isFinite(s.x[k]) || !Number.isFinite(y)) { on = false; continue; }
        const px = u.valToPos(s.x[k], "x", true), py = u.valToPos(y, "y", true);
        if (on) stroke.lineTo(px, py); else stroke.moveTo(px, py);
        on = true;
      }
      return { stroke, fill: null, clip: null, flags: 1 };
    }
    build() { super.build(); this.u.over.append(...this.dots()); this.move(); }
    dots() { return (this.points = this.list.map((s) => { const d = make("div", null, "plot-dot"); d.style.background = this.colour(s); return d; })); }
    place(s, t) { // where a curve is at a time
      if (!s.t || !s.t.length) return [NaN, NaN];
      const at = (y) => value({ x: s.t, y, mode: "line" }, Math.min(Math.max(t, s.t[0]), s.t[s.t.length - 1]));
      return [at(s.x), at(s.y)];
    }
    move() {
      if (!this.u || !this.points) return;
      this.list.forEach((s, k) => {
        const [x, y] = this.now === null ? [NaN, NaN] : this.place(s, this.now), px = this.u.valToPos(x, "x"), py = this.u.valToPos(this.state.log ? Math.log10(y) : y, "y");
        const seen = !this.hidden.has(s.key) && px >= 0 && py >= 0 && px <= this.u.over.clientWidth && py <= this.u.over.clientHeight;
        this.points[k].hidden = !seen;
        if (seen) this.points[k].style.transform = `translate(${px}px, ${py}px)`;
      });
    }
    nearest(left, top) { // [curve, row] next to a place of the drawing
      let best = null, least = Infinity;
      for (const s of this.list) {
        if (this.hidden.has(s.key)) continue;
        for (let k = 0; k < s.x.length; k++) {
          const d = (this.u.valToPos(s.x[k], "x") - left) ** 2 + (this.u.valToPos(this.state.log ? Math.log10(s.y[k]) : s.y[k], "y") - top) ** 2;
          if (d < least) { least = d; best = [s, k]; }
        }
      }
      return best;
    }
    point() {
      const { left, top } = this.u ? this.u.cursor : {}, found = left >= 0 ? this.nearest(left, top) : null;
      this.tip.hidden = !found;
      if (!found) return;
      const [s, k] = found, rows = [[this.label(s), ""], [this.o.tword || "time", s.t ? show(s.t[k]) : ""], [this.words().x, show(s.x[k])], [this.words().y, show(s.y[k])]];
      this.tip.textContent = "";
      for (const [name, v] of rows) { const row = make("div", this.tip); make("span", row, "plot-name", name); make("span", row, "plot-value", v); }
      const at = left + this.u.over.offsetLeft, over = left > this.u.over.clientWidth / 2;
      this.tip.style.maxWidth = `${Math.max(120, (over ? at : width - at) - 20)}px`;
      this.tip.style.left = over ? "" : `${at + 14}px`;
      this.tip.style.right = over ? `${this.stage.clientWidth - at + 14}px` : "";
      this.tip.style.top = `${Math.max(0, Math.min(top - 20, this.stage.clientHeight - this.tip.offsetHeight))}px`;
    }
    tell(t) { this.setCursor(t); for (const f of this.heard) f(t); }
    press(e) {
      if (e.button !== 0 || e.shiftKey) return super.press(e);
      const box = this.u.over.getBoundingClientRect(), up = (m) => {
        document.removeEventListener("mouseup", up);
        const found = Math.hypot(m.clientX - e.clientX, m.clientY - e.clientY) < 5 ? this.nearest(m.clientX - box.left, m.clientY - box.top) : null;
        if (found && found[0].t) this.tell(found[0].t[found[1]]);
      };
      document.addEventListener("mouseup", up);
      this.stage.focus({ preventScroll: true });
      return false;
    }
    key(e) {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[e.key], t = this.list[0] && this.list[0].t;
      if (e.target !== this.stage || !way || !t || !t.length) return super.key(e);
      const a = t[0], b = t[t.length - 1];
      e.preventDefault();
      this.tell(Math.min(b, Math.max(a, (this.now === null ? a : this.now) + (way * (b - a)) / 100)));
    }
    csv() {
      const cell = (text) => `"${String(text).replace(/"/g, '""').replace(/^(?=[=+\-@\t\r])/, "'")}"`, w = this.words(), list = this.list.filter((s) => !this.hidden.has(s.key));
      const lines = [list.flatMap((s) => [this.o.tword || "time", w.x, w.y].map((one) => cell(`${one}, ${this.label(s)}`))).join(",")], rows = Math.max(0, ...list.map((s) => s.x.length));
      for (let k = 0; k < rows; k++) lines.push(list.flatMap((s) => [s.t ? s.t[k] : "", s.x[k], s.y[k]].map((v) => (Number.isFinite(v) ? String(+v.toPrecision(9)) : ""))).join(","));
      return lines.join("\r\n") + "\r\n";
    }
  }

  window.holonomPlot = { create: (element, options) => (options.phase ? new Phase(element, options) : new Plot(element, options)), show, value, make, all, numbers: { lowpass, fourier, changed, filtered, merged }, get together() { return together; }, set together(on) { together = on; } };
})();
