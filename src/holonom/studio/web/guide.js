// A guided mechanism: each step says what to click, shows where, and is done when the model has it.
import { button, el } from "./dom.js";
import { EARTH, gravity } from "./start.js";

const count = (s, kind) => [...s.tree.items.values()].filter((r) => r[0] === kind).length;
const parts = (s) => count(s, "PART") - 1;
const tool = (s) => s.draw.tool?.name;
const choice = (d, name, v) => { d.values[name] = v; d.show(); };
const STEPS = [
  { text: "Click Link in the tool bar: a rod from point to point.", look: "#tool-link", done: (s) => tool(s) === "link" || parts(s) > 0, act: (s) => s.draw.start("link") },
  { text: "The crank: click the origin (0, 0, 0), where the axes meet, then (0.1, 0, 0) on its right. The point under the pointer is written next to it; Point takes typed coordinates.", look: "#d-point", done: (s) => parts(s) >= 1, act: (s) => s.draw.put("link", [0, 0, 0], [0.1, 0, 0]) },
  { text: "The connecting rod: click the end of the crank, which attracts the pointer, then (0.4, 0, 0).", look: "#d-point", done: (s) => parts(s) >= 2, act: (s) => s.draw.put("link", [0.1, 0, 0], [0.4, 0, 0]) },
  { text: "The slider: choose Box and click two corners around the end of the rod: (0.36, 0, -0.02) and (0.44, 0, 0.02).", look: "#tool-box", done: (s) => parts(s) >= 3, act: (s) => s.draw.put("box", [0.36, 0, -0.02], [0.44, 0, 0.02]) },
  { text: "Choose Joint. For the main bearing set Drive to constant speed, then click the origin: a point on one part joins it to ground.", look: "#tool-joint", done: (s) => count(s, "JOINT") >= 1 && count(s, "MOTION") >= 1, act: (s) => { s.draw.start("joint"); choice(s.draw, "drive", "speed"); return s.draw.put(null, [0, 0, 0]); } },
  { text: "Set Drive back to none and click the pin between crank and rod, (0.1, 0, 0).", look: "#d-drive", done: (s) => count(s, "JOINT") >= 2, act: (s) => { s.draw.start("joint"); return s.draw.put(null, [0.1, 0, 0]); } },
  { text: "Click the pin between rod and slider, (0.4, 0, 0).", look: "#draw-hint", done: (s) => count(s, "JOINT") >= 3, act: (s) => { s.draw.start("joint"); return s.draw.put(null, [0.4, 0, 0]); } },
  { text: "The guide: Type translational, First the slider, Second ground, Axis x. Click (0.4, 0, 0) again.", look: "#d-type", done: (s) => count(s, "JOINT") >= 4, act: (s) => { const box = [...s.tree.items.values()].find((r) => r[0] === "PART" && r[2].startsWith("box")) || [...s.tree.items.values()].filter((r) => r[0] === "PART").at(-1); s.draw.start("joint"); Object.assign(s.draw.values, { type: "translational", first: `PART/${box[1]}`, second: "PART/1", axis: "x" }); s.draw.show(); return s.draw.put(null, [0.4, 0, 0]); } },
  { text: "Click Run. The machine moves while it is computed.", look: "#run", done: (s) => s.results.runs.size > 0, act: (s) => s.run() },
  { text: "Click Peaks: the largest force of each joint, with its time. That is the whole way from a drawing to a number.", look: "#tab-peaks", done: (s) => s.results.open === "peaks", act: (s) => s.results.tab("peaks") },
];

export class Guide {
  constructor(studio) { this.studio = studio; this.box = el("section", { id: "guide", "aria-label": "Guided slider-crank", hidden: true }); document.body.append(this.box); setInterval(() => this.look(), 250); }
  async begin() { const s = this.studio; try { if (!(await s.fresh({ name: "slider-crank", ...EARTH }))) return; await gravity(s); } catch (e) { return s.tell(e.message); } s.start.close(); this.n = 0; this.box.hidden = false; this.show(); }
  end() { this.box.hidden = true; for (const x of document.querySelectorAll(".guided")) x.classList.remove("guided"); }
  look() { if (this.box.hidden) return; const s = this.studio, before = this.n; while (this.n < STEPS.length && STEPS[this.n].done(s)) this.n++; if (this.n !== before) this.show(); else this.mark(); }
  mark() { for (const x of document.querySelectorAll(".guided")) x.classList.remove("guided"); const at = STEPS[this.n]?.look; if (at) document.querySelector(at)?.classList.add("guided"); }
  show() {
    const step = STEPS[this.n], s = this.studio, close = button("End the guide", () => this.end(), { ic: "close", text: false, cls: "flat", id: "guide-end" });
    if (!step) { this.mark(); this.box.replaceChildren(el("div", { class: "draw-row" }, el("b", { text: "Done" }), close), el("p", { text: "The model is saved with Ctrl+S. Change a number in the properties and run again; both runs can be drawn over each other in Plots." })); return; }
    this.box.replaceChildren(el("div", { class: "draw-row" }, el("b", { text: `Step ${this.n + 1} of ${STEPS.length}` }), el("span", { class: "grow" }), close), el("p", { role: "status", text: step.text }), button("Do this step for me", async () => { try { await step.act(s); } catch (e) { s.tell(e.message); } }, { id: "guide-do" }));
    this.mark();
  }
}
