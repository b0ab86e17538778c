// The model's tree: only rows that are seen exist, so that it may be as long as it wants.
import { $, el, icon } from "./dom.js";

const ROW = 24;
const GROUPS = [
  ["Bodies", "part", ["PART", "POINT_MASS", "SLIDING_MASS", "FLEX_BODY", "FE_PART", "FLEXIBILITY", "ATTACHMENT", "GRAINS"]], ["Joints", "joint", ["JOINT", "JPRIM", "COUPLER", "GEAR", "PTCV", "CVCV", "GCON", "UCON"]],
  ["Motions", "motion", ["MOTION"]], ["Forces", "force", ["SFORCE", "VFORCE", "VTORQUE", "GFORCE", "SPRINGDAMPER", "BUSHING", "FIELD", "BEAM", "MFORCE", "FRICTION", "TIRE", "TYRE"]], ["Contacts", "contact", ["CONTACT"]],
  ["Control", "gear", ["CONTROL", "FMU"]],
  ["Functions", "curve", ["VARIABLE", "SPLINE", "DIFF", "LSE", "GSE", "TFSISO", "ARRAY", "MATRIX", "STRING", "CURVE", "SENSOR", "SWITCH"]], ["Requests", "list", ["REQUEST"]], ["Shapes", "shape", ["GRAPHICS"]],
];
const GROUP_OF = Object.fromEntries(GROUPS.flatMap(([g, , kinds]) => kinds.map((k) => [k, g])));
const ICON = Object.fromEntries([...GROUPS.map(([g, i]) => [g, i]), ["Other", "list"]]);
export const key = (kind, id) => `${kind}/${id}`;

export class Tree {
  constructor(studio) {
    this.studio = studio; this.box = $("tree"); this.open = new Set(["Bodies", "Joints", "Motions", "Forces"]); this.items = new Map(); this.rows = []; this.current = "model"; this.filter = "";
    this.inner = el("div", { role: "presentation" }); this.box.append(this.inner);
    this.box.addEventListener("scroll", () => this.draw()); new ResizeObserver(() => this.draw()).observe(this.box);
    this.box.addEventListener("click", (e) => this.clicked(e)); this.box.addEventListener("keydown", (e) => this.typed(e));
    this.box.addEventListener("contextmenu", (e) => { const r = e.target.closest(".row"); if (!r) return; e.preventDefault(); this.clicked(e); studio.context({ left: e.clientX, bottom: e.clientY, getBoundingClientRect: null, focus: () => this.box.focus() }); });
    this.box.addEventListener("dragstart", (e) => { const r = this.rows[+e.target.closest?.(".row")?.dataset.n]; if (!r || !this.items.has(r.key)) return e.preventDefault(); e.dataTransfer.setData("application/x-holonom-element", r.key); e.dataTransfer.effectAllowed = "copy"; });
    this.box.addEventListener("dblclick", (e) => { if (e.target.closest(".row")) studio.view.fit([...studio.chosen]); });
    $("search").addEventListener("input", (e) => { this.filter = e.target.value.trim().toLowerCase(); this.layout(); });
    $("search").addEventListener("keydown", (e) => { if (e.key === "ArrowDown") { e.preventDefault(); this.box.focus(); } if (e.key === "Escape") { e.target.value = ""; this.filter = ""; this.layout(); } });
  }
  empty() { $("search").value = this.filter = ""; } // a filter of the model before would hide the next one
  load(outline) { this.items = new Map(outline.map((r) => [key(r[0], r[1]), r])); this.layout(); }
  change(rows) { for (const r of rows) r[2] === null ? this.items.delete(key(r[0], r[1])) : this.items.set(key(r[0], r[1]), r); this.layout(); }
  layout() {
    const groups = new Map([...GROUPS.map(([g]) => [g, []]), ["Other", []]]), markers = new Map(), out = [{ key: "model", name: this.studio.model?.name || "model", level: 1, icon: "gear", group: true, leaf: true }];
    for (const r of this.items.values()) {
      if (r[0] === "MARKER") { const k = key(...r[4]); (markers.get(k) || markers.set(k, []).get(k)).push(r); }
      else groups.get(GROUP_OF[r[0]] || "Other").push(r);
    }
    const f = this.filter, fits = (r) => !f || `${r[2]} ${r[0]}/${r[1]} ${typeof r[4] === "string" ? r[4] : ""}`.toLowerCase().includes(f);
    for (const [g, rows] of groups) {
      const inner = [];
      for (const r of rows) {
        const k = key(r[0], r[1]), own = markers.get(k) || [], some = own.filter(fits), here = fits(r);
        if (!here && !(f && some.length)) continue;
        const opened = f && some.length && !here ? true : this.open.has(k);
        inner.push({ key: k, name: r[2], level: 2, icon: ICON[g], more: typeof r[4] === "string" ? r[4].toLowerCase() : r[0] === "PART" || r[0] === "JOINT" ? "" : r[0].toLowerCase(), off: !r[3], leaf: !own.length, opened });
        if (opened) for (const m of f && !here ? some : own) inner.push({ key: key(m[0], m[1]), name: m[2], level: 3, icon: "marker", more: `${m[1]}`, off: !m[3], leaf: true });
      }
      if (!inner.length) continue;
      const opened = f ? true : this.open.has(g);
      out.push({ key: g, name: g, level: 1, icon: ICON[g], group: true, opened, more: String(rows.length) });
      if (opened) for (const row of inner) out.push(row);
    }
    this.rows = out; this.inner.style.height = `${out.length * ROW}px`; this.draw();
  }
  draw() {
    const top = this.box.scrollTop, h = this.box.clientHeight, a = Math.max(0, Math.floor(top / ROW) - 4), b = Math.min(this.rows.length, Math.ceil((top + h) / ROW) + 4), chosen = this.studio.chosen, hidden = this.studio.view?.hidden;
    const parts = [];
    for (let n = a; n < b; n++) {
      const r = this.rows[n];
      parts.push(el("div", { class: `row${r.group ? " group" : ""}${r.off ? " off" : ""}${r.key === this.current ? " current" : ""}${hidden?.has(r.key) ? " hidden-body" : ""}`, role: "treeitem", draggable: r.group ? undefined : "true", id: `row-${n}`, "data-n": String(n), "aria-level": String(r.level), "aria-expanded": r.leaf ? undefined : String(!!r.opened), "aria-selected": String(chosen.has(r.key)), style: `top:${n * ROW}px;padding-left:${4 + 14 * (r.level - 1)}px` },
        el("span", { class: "twist", text: r.leaf ? "" : r.opened ? "▾" : "▸", "aria-hidden": "true" }), icon(r.icon), el("span", { class: "name", text: r.name }), r.more ? el("span", { class: "more", text: r.more }) : null));
    }
    this.inner.replaceChildren(...parts);
    const k = this.rows.findIndex((r) => r.key === this.current);
    if (k >= a && k < b) this.box.setAttribute("aria-activedescendant", `row-${k}`); else this.box.removeAttribute("aria-activedescendant");
  }
  clicked(e) {
    const row = e.target.closest(".row"); if (!row) return;
    const r = this.rows[+row.dataset.n];
    if (e.target.closest(".twist") && !r.leaf) return this.turn(r, !r.opened);
    this.current = r.key;
    if (r.group && r.key !== "model") return this.turn(r, !r.opened);
    this.studio.choose([r.key], e.ctrlKey || e.metaKey || e.shiftKey);
  }
  turn(r, on) { on ? this.open.add(r.key) : this.open.delete(r.key); this.layout(); }
  typed(e) {
    const n = this.rows.findIndex((r) => r.key === this.current), r = this.rows[n], page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const go = { ArrowDown: n + 1, ArrowUp: n - 1, Home: 0, End: this.rows.length - 1, PageDown: n + page, PageUp: n - page }[e.key];
    if (go !== undefined) { e.preventDefault(); this.walk(Math.min(this.rows.length - 1, Math.max(0, go)), e.shiftKey); }
    else if (e.key === "ArrowRight" && r && !r.leaf) { e.preventDefault(); r.opened ? this.walk(n + 1) : this.turn(r, true); }
    else if (e.key === "ArrowLeft" && r) { e.preventDefault(); if (!r.leaf && r.opened) this.turn(r, false); else { let k = n - 1; while (k > 0 && this.rows[k].level >= r.level) k--; this.walk(Math.max(0, k)); } }
    else if ((e.key === "Enter" || e.key === " ") && r) { e.preventDefault(); if (r.group && r.key !== "model") this.turn(r, !r.opened); else { this.studio.choose([r.key]); if (e.key === "Enter") this.studio.editor.shown.then(() => this.studio.editor.focus()); } }
    else if (e.key === "ContextMenu" || (e.key === "F10" && e.shiftKey)) { e.preventDefault(); const b = $(`row-${n}`)?.getBoundingClientRect(); this.studio.context({ left: (b?.left || 0) + 40, bottom: b?.bottom || 100, focus: () => this.box.focus() }); }
  }
  walk(n, more) { const r = this.rows[n]; if (!r) return; this.current = r.key; this.see(n); if (!r.group || r.key === "model") this.studio.choose([r.key], more); else this.draw(); }
  see(n) { const y = n * ROW; if (y < this.box.scrollTop) this.box.scrollTop = y; else if (y + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = y + ROW - this.box.clientHeight; this.draw(); }
  show(k) {
    // Make the row of an element visible: open what it lies in.
    const r = this.items.get(k);
    if (r) { const owner = r[0] === "MARKER" ? this.items.get(key(...r[4])) : r; if (owner) this.open.add(GROUP_OF[owner[0]] || "Other"); if (r[0] === "MARKER") this.open.add(key(...r[4])); }
    this.current = k; this.layout();
    const n = this.rows.findIndex((row) => row.key === k); if (n >= 0) this.see(n);
  }
}
