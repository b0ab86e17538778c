// Where the panels are docked: left or right of the picture, or below it; kept for the next time.
import { $, button, el, popup } from "./dom.js";

const KEPT = "holonom-docks", PANELS = { left: "Model", right: "Properties", bottom: "Results" }; // sections of the page -> what they are
const DOCKS = { left: "Left", right: "Right", below: "Below the picture" }, START = { left: "left", right: "right", bottom: "below", hidden: [] };

export class Layout {
  constructor(studio) {
    this.studio = studio; this.buttons = {};
    for (const [panel, name] of Object.entries(PANELS)) {
      const b = (this.buttons[panel] = button(`Dock ${name}`, () => this.menu(panel), { ic: "dock", text: false, cls: "flat dock-button", id: `dock-of-${panel}`, title: `${name}: dock it elsewhere or hide it; drag it to a side`, "aria-haspopup": "menu" }));
      b.addEventListener("pointerdown", (e) => this.grab(panel, e)); $(panel).append(b);
    }
    let kept = {}; try { kept = JSON.parse(localStorage.getItem(KEPT)) || {}; } catch { /* as it is delivered */ }
    this.at = { ...START }; for (const p of Object.keys(PANELS)) if (kept[p] in DOCKS) this.at[p] = kept[p];
    this.at.hidden = Array.isArray(kept.hidden) ? kept.hidden.filter((p) => p in PANELS) : []; this.put();
    new ResizeObserver(() => { const { clientWidth: w, clientHeight: h } = $("bottom"); $("bottom").classList.toggle("narrow", w < 560 && h > 0.8 * w); }).observe($("bottom"));
  }
  put() { // panels into their docks, in the order of PANELS
    for (const panel of Object.keys(PANELS)) { const dock = $(`dock-${this.at[panel]}`), section = $(panel), hidden = this.at.hidden.includes(panel); if (section.parentElement !== dock || dock.lastElementChild !== section) dock.append(section); section.hidden = hidden; }
    for (const dock of Object.keys(DOCKS)) document.body.classList.toggle(`no-${dock}`, ![...$(`dock-${dock}`).children].some((c) => !c.hidden));
    document.body.dataset.docks = Object.keys(PANELS).map((p) => (this.at.hidden.includes(p) ? "hidden" : this.at[p])).join(" ");
  }
  keep() { localStorage.setItem(KEPT, JSON.stringify(this.at)); this.put(); this.studio.tree?.draw(); if (this.studio.results?.open) this.studio.results.tab(this.studio.results.open); }
  dock(panel, where) { this.at = { ...this.at, [panel]: where, hidden: this.at.hidden.filter((p) => p !== panel) }; if (this.studio.maximise && document.body.dataset.max) this.studio.maximise(document.body.dataset.max); this.keep(); }
  hide(panel, on) { this.at = { ...this.at, hidden: [...this.at.hidden.filter((p) => p !== panel), ...(on ? [panel] : [])] }; this.keep(); }
  reset() { this.at = { ...START }; for (const name of ["--left", "--right", "--bottom"]) { document.documentElement.style.removeProperty(name); localStorage.removeItem(`holonom${name}`); } this.keep(); }
  rows(panel) { return [...Object.entries(DOCKS).map(([where, words]) => [words, () => this.dock(panel, where), "", this.at[panel] !== where || this.at.hidden.includes(panel)]), ["Hide", () => this.hide(panel, true), "", !this.at.hidden.includes(panel)]]; }
  commands() { return [...Object.entries(PANELS).flatMap(([panel, name]) => [...Object.entries(DOCKS).map(([where, words]) => [`Dock ${name}: ${words.toLowerCase()}`, () => this.dock(panel, where)]), [`${this.at.hidden.includes(panel) ? "Show" : "Hide"} ${name}`, () => this.hide(panel, !this.at.hidden.includes(panel))]]), ["Panels as delivered", () => this.reset()]]; }
  hidden() { return this.at.hidden.map((p) => [`Show ${PANELS[p]}`, () => this.hide(p, false)]); } // rows of a menu
  menu(panel) { if (!this.dragged) popup(this.buttons[panel], [PANELS[panel], ...this.rows(panel), null, ["Panels as delivered", () => this.reset()]], "Dock"); }
  grab(panel, e) { // a panel is dragged by its button to one of the docks
    const b = this.buttons[panel], from = [e.clientX, e.clientY]; let zones = null; this.dragged = false; b.setPointerCapture(e.pointerId);
    const over = (m) => [...zones.children].find((z) => { const r = z.getBoundingClientRect(); return m.clientX >= r.left && m.clientX <= r.right && m.clientY >= r.top && m.clientY <= r.bottom; });
    const move = (m) => {
      if (!zones && Math.hypot(m.clientX - from[0], m.clientY - from[1]) > 8) { this.dragged = true; zones = el("div", { id: "zones" }, Object.entries(DOCKS).map(([where, words]) => el("div", { class: `zone ${where}`, "data-dock": where, text: words }))); document.querySelector("main").append(zones); }
      if (zones) for (const z of zones.children) z.classList.toggle("over", z === over(m));
    };
    const end = (m) => { for (const [what, on] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) b.removeEventListener(what, on); const where = zones && m.type === "pointerup" && over(m)?.dataset.dock; zones?.remove(); if (where) this.dock(panel, where); setTimeout(() => (this.dragged = false), 0); };
    for (const [what, on] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) b.addEventListener(what, on);
  }
}
