// The page of a report: its plots (plots.js) from the packed numbers, one time for all of them and the picture, and the values of one chosen element.
(() => {
  "use strict";
  const source = document.getElementById("holonom-curves");
  if (!source) return;
  const data = JSON.parse(source.textContent), { show, value, create, make } = window.holonomPlot, unpack = window.holonomUnpack, runs = data.runs || [];

  // ---- numbers ---------------------------------------------------------------------------------------------------------
  const times = (text) => Float64Array.from(unpack(text, Float32Array), (t) => data.start + t);
  const common = data.time ? times(data.time) : null, ready = new Map();
  const series = (k) => {
    if (!ready.has(k)) {
      const s = data.series[k], raw = unpack(s.y, Float32Array);
      ready.set(k, { x: s.t ? times(s.t) : s.r ? Float64Array.from(unpack(s.r, data.wide ? Uint32Array : Uint16Array), (k) => common[k]) : common, y: Float64Array.from(raw, (v) => v + s.o), lo: s.lo, hi: s.hi, end: s.end, rows: s.n || 0, also: s.also || [] });
    }
    return ready.get(k);
  };

  // ---- plots -----------------------------------------------------------------------------------------------------------
  const drawn = new Set(); // of plots on the page, to move their line of time
  let now = null;
  const tell = (x) => { // a plot sets the time, of the picture where there is one
    const viewers = window.holonomViewers || [];
    for (const v of viewers) { v.pause(); v.setTime(x); }
    if (!viewers.length) at(x);
  };
  const at = (x) => {
    now = x;
    for (const plot of drawn) plot.setCursor(now);
    refresh();
  };
  const split = (text) => { const found = text.match(/^(.*) \(([^()]*)\)$/); return found ? [found[1], found[2]] : [text, ""]; };
  const plotted = (figure, spec) => {
    const [yword, unit] = split(spec.y), list = [];
    spec.curves.forEach(([name, k], n) => {
      const s = series(k), mode = (spec.modes || [])[n] || "line", own = name || (spec.curves.length > 1 || s.also.length ? spec.title : "");
      list.push({ name: s.also.length ? `${own} · ${runs[0]}` : own, x: s.x, y: s.y, mode, colour: n, rows: s.rows });
      for (const [run, other] of s.also) { const o = series(other); list.push({ name: `${own} · ${runs[run]}`, x: o.x, y: o.y, mode, colour: n, run, rows: o.rows }); }
    });
    const caption = figure.querySelector("figcaption");
    const plot = create(figure, {
      series: list, units: { x: data.second, y: unit === "unit not stated" ? "" : unit }, title: spec.title, yword: unit === "unit not stated" ? spec.y : yword,
      unstated: unit === "unit not stated", log: !!spec.log, zero: !!spec.zero, caption, file: `${data.model}_${spec.title}`,
    });
    plot.onCursor(tell);
    plot.setCursor(now);
    drawn.add(plot);
    return plot;
  };
  const waiting = new Map([...document.querySelectorAll("figure[data-plot]")].map((f) => [f, data.plots[+f.dataset.plot]]));
  const begin = (figure) => {
    const spec = waiting.get(figure);
    if (!spec) return;
    waiting.delete(figure);
    watch.unobserve(figure);
    plotted(figure, spec);
  };
  const watch = new IntersectionObserver((seen) => { for (const e of seen) if (e.isIntersecting) begin(e.target); }, { rootMargin: "600px" });
  for (const figure of waiting.keys()) watch.observe(figure);
  const finish = () => { for (const figure of [...waiting.keys()]) begin(figure); };
  const fitted = (on) => { document.body.classList.toggle("printing", on); for (const plot of drawn) plot.resize(); }; // plots are drawn anew at the width of the paper
  window.addEventListener("beforeprint", () => { finish(); fitted(true); });
  window.addEventListener("afterprint", () => fitted(false));
  const sides = () => { for (const box of document.querySelectorAll(".scroll")) box.classList.toggle("more", box.scrollWidth - box.clientWidth - box.scrollLeft > 3); }; // whether there is more on the right
  document.addEventListener("scroll", (e) => { if (e.target.classList?.contains("scroll")) sides(); }, true);
  window.addEventListener("resize", sides);
  document.addEventListener("toggle", sides, true);
  new MutationObserver(() => requestAnimationFrame(sides)).observe(document.body, { childList: true, subtree: true });
  sides();

  // ---- one element -------------------------------------------------------------------------------------------------------
  const inspector = document.getElementById("holonom-inspector");
  let chosen = -1, own = [], cells = [];
  const find = (kind, id) => data.elements.findIndex((e) => e.kind === kind && e.id === id);
  const choose = (n, silent) => {
    chosen = n;
    for (const plot of own) { drawn.delete(plot); plot.destroy(); }
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
      frame.tabIndex = 0;
      for (const [k, text] of ["Value", "Now", "Smallest", "Largest", "End"].entries()) make("th", top, k ? "n" : "", text).scope = "col";
      const seen = {}; // short names that serve more than once need their plot's title
      for (const p of element.plots) for (const [name] of data.plots[p].curves) seen[name] = (seen[name] || 0) + 1;
      for (const p of element.plots) {
        const spec = data.plots[p], unit = split(spec.y)[1];
        for (const [n, [name, k]] of spec.curves.entries()) {
          const s = { ...series(k), mode: (spec.modes || [])[n] }, row = make("tr", rows), title = make("th", row, "", name.toLowerCase() === spec.title.toLowerCase() ? `${spec.title} (${unit})` : seen[name] > 1 ? `${spec.title}: ${name} (${unit})` : `${name} (${unit})`);
          title.scope = "row";
          title.title = spec.title;
          cells.push([make("td", row, "n"), s]);
          for (const v of [s.lo, s.hi, s.end]) make("td", row, "n", show(v));
        }
      }
      const grid = make("div", both, "figures");
      for (const p of element.plots) {
        const figure = make("figure", grid, "plot");
        make("figcaption", figure, "", data.plots[p].title);
        own.push(plotted(figure, data.plots[p]));
      }
    } else make("p", body, "note", "Nothing of it differs from zero.");
    if (element.quiet && element.plots.length) make("p", body, "note quiet", element.quiet);
    refresh();
    if (!silent) for (const v of window.holonomViewers || []) if (v.select) v.select(element.kind, element.id);
  };
  const refresh = () => {
    for (const [cell, s] of cells) cell.textContent = show(now === null ? s.y[0] : value(s, Math.min(Math.max(now, s.x[0]), s.x[s.x.length - 1])));
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
    choose(data.first || 0, true);
  }

  // ---- with the picture ----------------------------------------------------------------------------------------------------
  document.addEventListener("holonom-time", (e) => at(e.detail.time));
  document.addEventListener("holonom-select", (e) => {
    const n = find(e.detail.kind, e.detail.id);
    if (n >= 0 && n !== chosen) choose(n, true);
  });
  window.holonomPlots = { choose, find, drawn, finish, tell, series, get now() { return now; }, get chosen() { return data.elements[chosen] || null; } };
  const first = (window.holonomViewers || [])[0];
  if (first) at(first.time);
})();
