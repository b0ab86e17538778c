// A second view of the machine beside the first: the same scene by a camera of its own, drawn by the one renderer and copied.
import { $, button, el } from "./dom.js";
import { Eye, VIEWS } from "./eye.js";

const KEPT = "holonom-second"; // the view that it shows, empty: none

export class Second {
  constructor(view) {
    this.view = view; this.on = false; this.canvas = el("canvas", { id: "second", tabindex: "0", "aria-label": "Second picture of the machine", hidden: true }); $("canvas").after(this.canvas);
    this.eye = new Eye(this.canvas, () => (view.dirty = true)); this.paper = this.canvas.getContext("2d");
    this.pick = el("select", { class: "box", id: "second-pick", "aria-label": "Second view", onchange: () => this.look(this.pick.value) }, Object.keys(VIEWS).map((v) => el("option", { value: v, text: v })));
    this.parallel = button("Perspective", () => this.projection(), { id: "second-projection", title: "Perspective or parallel projection of the second view (5)", "aria-pressed": "true" });
    this.bar = el("div", { id: "second-tools", role: "toolbar", "aria-label": "Second view", hidden: true }, this.pick, button("Fit", () => view.fit(null, this.eye), { title: "Fit everything into the second view (F)" }), this.parallel, button("Close", () => this.toggle(false), { ic: "close", text: false, title: "Close the second view" }));
    this.button = button("Two views", () => this.toggle(!this.on), { id: "two-views", title: "A second view beside the first", "aria-pressed": "false" });
    this.canvas.addEventListener("keydown", (e) => view.key(e, this.eye)); $("view").append(this.bar);
  }
  begin() { const kept = localStorage.getItem(KEPT); if (kept in VIEWS) { this.pick.value = kept; this.toggle(true); } } // as it was left
  toggle(on) {
    this.on = on; this.canvas.hidden = this.bar.hidden = !on; $("view").classList.toggle("two", on); this.button.setAttribute("aria-pressed", String(on)); localStorage.setItem(KEPT, on ? this.pick.value : "");
    this.view.resize(); if (on) { this.view.fit(); this.look(this.pick.value, true); } else if (document.activeElement === document.body) this.button.focus();
  }
  look(name, whole = false) { if (!this.view.table) return; this.pick.value = name; localStorage.setItem(KEPT, name); this.eye.look(name, this.view.up, this.view.size); if (whole) this.view.fit(null, this.eye); }
  projection() { this.eye.projection(this.eye.camera === this.eye.ortho); this.parallel.setAttribute("aria-pressed", String(this.eye.camera === this.eye.perspective)); }
  draw(paint) { // ``paint``: draws the scene into the renderer's canvas
    if (!this.on) return; const from = this.view.canvas, c = this.canvas; if (c.width !== from.width || c.height !== from.height) Object.assign(c, { width: from.width, height: from.height });
    paint(this.eye); this.paper.clearRect(0, 0, c.width, c.height); this.paper.drawImage(from, 0, 0);
  }
}
