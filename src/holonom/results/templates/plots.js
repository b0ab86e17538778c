// Plots of a report: SVG drawn in the page at the width that there is, so that letters keep their size; a legend whose names
// show and hide curves, values under the pointer, the time of the picture as a line; and the values of one chosen element.
(() => {
  "use strict";
  const source = document.getElementById("holonom-curves");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const COLOURS = ["#3b82d6", "#e07b2f", "#3fa45b", "#cf4d5b", "#8a6fd1", "#2aa3a3", "#b9860f", "#c768a8"];
  const NS = "http://www.w3.org/2000/svg";
  const unpack = (text) => {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
    return new Float32Array(bytes.buffer);
  };
  const make = (tag, parent, className, text) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };
  const svg = (tag, parent, attributes, text) => {
    const e = document.createElementNS(NS, tag);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
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

  // ---- numbers ---------------------------------------------------------------------------------------------------------
  const common = data.time ? unpack(data.time) : null;
  const ready = new Map();
  const series = (k) => {
    if (!ready.has(k)) {
      const s = data.series[k], t = s.t ? unpack(s.t) : common, raw = unpack(s.y), y = new Float64Array(raw.length);
      for (let n = 0; n < y.length; n++) y[n] = raw[n] + s.o;
      ready.set(k, { t, y, lo: s.lo, hi: s.hi, end: s.end });
    }
    return ready.get(k);
  };
  const place = (t, x) => { // row at or before x
    let a = 0, z = t.length - 1;
    while (z - a > 1) { const m = (a + z) >> 1; if (t[m] <= x) a = m; else z = m; }
    return z > a && t[z] <= x ? z : a;
  };
  const value = (s, x) => {
    const k = place(s.t, x);
    if (k + 1 >= s.t.length || s.t[k + 1] <= s.t[k] || x <= s.t[k]) return s.y[k];
    return s.y[k] + ((s.y[k + 1] - s.y[k]) * (x - s.t[k])) / (s.t[k + 1] - s.t[k]);
  };
  const ticks = (lo, hi, count) => {
    const rough = (hi - lo) / Math.max(1, count), p = 10 ** Math.floor(Math.log10(rough)), m = rough / p;
    const step = (m > 5 ? 10 : m > 2 ? 5 : m > 1 ? 2 : 1) * p, out = [];
    for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++) out.push(k * step);
    return { step, out };
  };
  const written = (values, step) => { // numbers of an axis, with a power of ten in common where they are long
    const top = Math.max(...values.map(Math.abs)), power = top >= 1e5 || (top > 0 && top < 1e-3) ? 3 * Math.floor(Math.log10(top) / 3) : 0;
    const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step / 10 ** power) + 1e-9)));
    return { power, texts: values.map((v) => minus(Math.abs(v) < step * 1e-6 ? "0" : (v / 10 ** power).toFixed(digits))) };
  };
  const raised = (n) => String(n).replace(/-/g, "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);

  // ---- one plot ----------------------------------------------------------------------------------------------------------
  const drawn = new Set(); // of plots on the page, to move their line of time
  let now = null;
  let number = 0;

  class Plot {
    constructor(figure, spec) {
      Object.assign(this, { figure, spec, hidden: new Set(), clip: `clip-${++number}` });
      this.stage = make("div", figure, "plot-stage");
      this.legend = make("div", figure, "plot-legend");
      this.tip = make("div", this.stage, "plot-tip");
      this.tip.hidden = true;
      spec.curves.forEach(([name], k) => {
        if (!name && spec.curves.length === 1) return;
        const chip = make("button", this.legend, "plot-chip");
        chip.type = "button";
        const swatch = make("span", chip, "plot-swatch");
        swatch.style.borderColor = this.colour(k);
        if (this.mode(k) === "marks") swatch.classList.add("plot-marks");
        make("span", chip, "plot-name", name);
        chip.setAttribute("aria-pressed", "true");
        chip.addEventListener("click", () => {
          if (this.hidden.has(k)) this.hidden.delete(k); else this.hidden.add(k);
          chip.setAttribute("aria-pressed", String(!this.hidden.has(k)));
          this.draw(true);
        });
      });
      this.stage.addEventListener("pointermove", (e) => this.point(e));
      this.stage.addEventListener("pointerleave", () => { this.tip.hidden = true; if (this.cross) this.cross.setAttribute("visibility", "hidden"); });
      this.stage.addEventListener("click", (e) => {
        const x = this.time(e);
        if (x !== null) for (const v of window.holonomViewers || []) { v.pause(); v.setTime(data.start + x); }
      });
      drawn.add(this);
      this.observer = new ResizeObserver(() => this.draw());
      this.observer.observe(figure);
      this.draw();
    }
    end() { this.observer.disconnect(); drawn.delete(this); }
    colour(k) { return COLOURS[k % COLOURS.length]; }
    mode(k) { return (this.spec.modes || [])[k] || "line"; }
    draw(anew) {
      const width = Math.floor(this.stage.clientWidth), height = Math.round(Math.min(270, Math.max(190, width * 0.46)));
      if (!width || (width === this.width && !anew)) return;
      this.width = width;
      if (this.picture) this.picture.remove();
      const { spec } = this, lines = spec.curves.map(([, n], k) => [k, series(n)]).filter(([k]) => !this.hidden.has(k));
      let lo = Math.min(...lines.map(([, s]) => s.lo)), hi = Math.max(...lines.map(([, s]) => s.hi));
      if (!lines.length) { lo = 0; hi = 1; }
      if (spec.log) { lo = Math.log10(lo) - 0.05; hi = Math.log10(hi) + 0.05; }
      else {
        if (spec.zero) lo = Math.min(lo, 0);
        if (hi - lo <= 1e-9 * Math.max(Math.abs(lo), Math.abs(hi))) { const d = 0.05 * Math.max(Math.abs(lo), Math.abs(hi)) || 1; lo -= d; hi += d; }
        const pad = 0.04 * (hi - lo);
        if (!(spec.zero && lo === 0)) lo -= pad;
        hi += pad;
      }
      if (spec.log && hi - lo < 0.3) { lo -= 0.15; hi += 0.15; }
      let axis, texts, power = 0;
      if (spec.log) {
        const stride = Math.max(1, Math.ceil((hi - lo) / 5));
        axis = [];
        for (let k = Math.ceil(lo); k <= hi; k += stride) axis.push(k);
        if (axis.length < 2) { axis = ticks(lo, hi, 3).out; texts = axis.map((v) => show(+(10 ** v).toPrecision(2))); }
        else texts = axis.map((v) => `10${raised(v)}`);
      } else {
        const found = ticks(lo, hi, height / 45);
        axis = found.out;
        ({ texts, power } = written(axis, found.step));
      }
      const left = 12 + 7.2 * Math.max(...texts.map((t) => t.length), 2), right = 22, top = 26, bottom = 40;
      const x1 = width - right, y1 = height - bottom, span = data.span || 1;
      const X = (t) => left + ((x1 - left) * t) / span, Y = (v) => y1 - ((y1 - top) * ((spec.log ? Math.log10(v) : v) - lo)) / (hi - lo);
      Object.assign(this, { left, x1, X });
      const g = svg("svg", null, { width, height, role: "img", "aria-label": `${spec.title}: ${spec.y} over time` });
      this.stage.prepend(g);
      this.picture = g;
      const clip = svg("clipPath", svg("defs", g), { id: this.clip });
      svg("rect", clip, { x: left, y: top - 3, width: Math.max(1, x1 - left), height: y1 - top + 6 });
      svg("text", g, { x: 2, y: 14, class: "plot-axis" }, power ? `${spec.y} × 10${raised(power)}` : spec.y);
      axis.forEach((v, k) => {
        const y = y1 - ((y1 - top) * (v - lo)) / (hi - lo);
        svg("line", g, { x1: left, x2: x1, y1: y, y2: y, class: "plot-grid" });
        svg("text", g, { x: left - 6, y: y + 4, "text-anchor": "end" }, texts[k]);
      });
      const across = ticks(data.start, data.start + span, Math.max(2, (x1 - left) / 75)), names = written(across.out, across.step);
      across.out.forEach((v, k) => {
        const x = X(v - data.start);
        svg("line", g, { x1: x, x2: x, y1: top, y2: y1, class: "plot-grid" });
        svg("text", g, { x, y: y1 + 16, "text-anchor": "middle" }, names.texts[k]);
      });
      svg("line", g, { x1: left, x2: x1, y1, y2: y1, class: "plot-frame" });
      svg("line", g, { x1: left, x2: left, y1: top, y2: y1, class: "plot-frame" });
      svg("text", g, { x: x1, y: height - 6, "text-anchor": "end", class: "plot-axis" }, `time (${data.second})` + (names.power ? ` × 10${raised(names.power)}` : ""));
      const inside = svg("g", g, { "clip-path": `url(#${this.clip})` });
      for (const [k, s] of lines) {
        let d = "", on = false, before = 0;
        const marks = this.mode(k) === "marks", steps = this.mode(k) === "steps";
        for (let n = 0; n < s.t.length; n++) {
          if (Number.isNaN(s.y[n]) || (spec.log && !(s.y[n] > 0))) { on = false; continue; }
          const x = X(s.t[n]).toFixed(1), y = Y(s.y[n]).toFixed(1);
          if (marks) d += `M${+x - 3} ${+y - 3}l6 6m0 -6l-6 6`;
          else if (on && steps) d += `V${y}H${x}`;
          else d += `${on ? "L" : "M"}${x} ${y}`;
          if (steps && !on) d = d.replace(/M[^M]*$/, `M${X(n ? s.t[n - 1] : 0).toFixed(1)} ${y}H${x}`);
          on = true;
          before = n;
        }
        const dash = k >= COLOURS.length ? { "stroke-dasharray": "5 3" } : {};
        svg("path", inside, { d, class: "plot-curve", stroke: this.colour(k), ...dash });
        if (!marks && s.t.length === 1) svg("circle", inside, { cx: X(s.t[before]), cy: Y(s.y[before]), r: 3, fill: this.colour(k) });
      }
      this.line = svg("line", inside, { y1: top, y2: y1, class: "plot-now", visibility: "hidden" });
      this.cross = svg("line", inside, { y1: top, y2: y1, class: "plot-cross", visibility: "hidden" });
      this.move();
    }
    move() {
      if (!this.line || now === null) return;
      const x = this.X(now);
      this.line.setAttribute("x1", x);
      this.line.setAttribute("x2", x);
      this.line.setAttribute("visibility", "visible");
    }
    time(e) {
      const box = this.stage.getBoundingClientRect(), x = e.clientX - box.left;
      return x < this.left - 4 || x > this.x1 + 4 ? null : Math.min(1, Math.max(0, (x - this.left) / (this.x1 - this.left))) * data.span;
    }
    point(e) {
      const t = this.time(e);
      if (t === null) { this.tip.hidden = true; return; }
      this.tip.textContent = "";
      make("b", this.tip, "", `${show(data.start + t)} ${data.second}`);
      this.spec.curves.forEach(([name, n], k) => {
        if (this.hidden.has(k) || this.mode(k) === "marks") return;
        const row = make("div", this.tip);
        make("span", row, "plot-swatch").style.borderColor = this.colour(k);
        make("span", row, "plot-name", name || this.spec.title);
        make("span", row, "plot-value", show(value(series(n), t)));
      });
      this.tip.hidden = false;
      const x = this.X(t), over = x > this.width / 2;
      this.tip.style.left = over ? "" : `${x + 12}px`;
      this.tip.style.right = over ? `${this.width - x + 12}px` : "";
      this.cross.setAttribute("x1", x);
      this.cross.setAttribute("x2", x);
      this.cross.setAttribute("visibility", "visible");
    }
  }

  // ---- one element -------------------------------------------------------------------------------------------------------
  const inspector = document.getElementById("holonom-inspector");
  let chosen = -1, own = [], cells = [];
  const find = (kind, id) => data.elements.findIndex((e) => e.kind === kind && e.id === id);
  const choose = (n, silent) => {
    chosen = n;
    for (const plot of own) plot.end();
    own = [];
    cells = [];
    const element = data.elements[n], { body, pick } = inspector;
    pick.value = String(n);
    body.textContent = "";
    if (!element) return;
    const head = make("div", body, "inspector-head");
    make("h3", head, "", element.name);
    make("span", head, "note", `${element.kind}/${element.id}`);
    const near = (element.near || []).map((k) => [k, data.elements[k]]);
    if (near.length) {
      const row = make("div", body, "inspector-near");
      make("span", row, "note", "Acts with:");
      for (const [k, other] of near.slice(0, 24)) {
        const b = make("button", row, "", other.name);
        b.type = "button";
        b.title = `${other.kind}/${other.id}`;
        b.addEventListener("click", () => choose(k));
      }
      if (near.length > 24) make("span", row, "note", `and ${near.length - 24} more`);
    }
    if (element.plots.length) {
      const both = make("div", body, "inspector-both"), frame = make("div", both, "scroll"), table = make("table", frame), top = make("tr", make("thead", table)), rows = make("tbody", table);
      for (const [k, text] of ["Value", "Now", "Smallest", "Largest", "End"].entries()) make("th", top, k ? "n" : "", text);
      const times = {}; // short names that serve more than once need their plot's title
      for (const p of element.plots) for (const [name] of data.plots[p].curves) times[name] = (times[name] || 0) + 1;
      for (const p of element.plots) {
        const spec = data.plots[p], unit = (spec.y.match(/\(([^()]*)\)$/) || ["", ""])[1];
        for (const [name, k] of spec.curves) {
          const s = series(k), row = make("tr", rows);
          make("th", row, "", name.toLowerCase() === spec.title.toLowerCase() ? `${spec.title} (${unit})` : times[name] > 1 ? `${spec.title}: ${name} (${unit})` : `${name} (${unit})`).title = spec.title;
          cells.push([make("td", row, "n"), s]);
          for (const v of [s.lo, s.hi, s.end]) make("td", row, "n", show(v));
        }
      }
      const grid = make("div", both, "figures");
      for (const p of element.plots) {
        const figure = make("figure", grid, "plot");
        make("figcaption", figure, "", data.plots[p].title);
        own.push(new Plot(figure, data.plots[p]));
      }
    } else make("p", body, "note", "Nothing of it differs from zero.");
    if (element.quiet && element.plots.length) make("p", body, "note quiet", element.quiet);
    refresh();
    if (!silent) for (const v of window.holonomViewers || []) if (v.select) v.select(element.kind, element.id);
  };
  const refresh = () => {
    for (const [cell, s] of cells) cell.textContent = now === null ? show(s.y[0]) : show(value(s, now));
  };
  if (inspector && data.elements.length) {
    const label = make("label", inspector, "inspector-pick", "Element "), pick = make("select", label);
    const groups = new Map();
    data.elements.forEach((e, n) => {
      if (!groups.has(e.group)) { const g = make("optgroup", pick); g.label = e.group; groups.set(e.group, g); }
      make("option", groups.get(e.group), "", e.name).value = String(n);
    });
    inspector.pick = pick;
    inspector.body = make("div", inspector);
    pick.addEventListener("change", () => choose(+pick.value));
    choose(0, true);
  }

  // ---- with the picture ----------------------------------------------------------------------------------------------------
  document.addEventListener("holonom-time", (e) => {
    now = e.detail.time - data.start;
    for (const plot of drawn) plot.move();
    refresh();
  });
  document.addEventListener("holonom-select", (e) => {
    const n = find(e.detail.kind, e.detail.id);
    if (n >= 0 && n !== chosen) choose(n, true);
  });
  for (const figure of document.querySelectorAll("figure[data-plot]")) new Plot(figure, data.plots[+figure.dataset.plot]);
  window.holonomPlots = { choose, find, drawn, get chosen() { return data.elements[chosen] || null; } };
  const first = (window.holonomViewers || [])[0];
  if (first) { now = first.time - data.start; for (const plot of drawn) plot.move(); refresh(); }
})();
