// The start page: a guided mechanism, templates, models of this project, and examples with pictures.
import { change, recovered } from "./documents.js";
import { $, button, el } from "./dom.js";

const at = (method, given) => ({ do: "create", method, arguments: given });
const link = (name, a, b, radius = 0.01) => at("part_link", { name, a, b, radius, density: 7850 });
const joint = (type, name, i, j, where, axis = [0, -1, 0]) => at(type, { name, i: ["PART", i], j: ["PART", j], at: where, axis });
export const EARTH = { gravity: 9.80665, up: "+z", units: "SI" };
//: name -> title, sentence, edits of an empty model in SI (ground is PART/1, so that the first part is PART/2)
export const TEMPLATES = {
  pendulum: ["Pendulum", "A rod on a hinge.", [link("rod", [0, 0, 0], [0.3, 0, 0]), joint("revolute", "hinge", 2, 1, [0, 0, 0])]],
  slider_crank: ["Slider-crank", "A crank at constant speed, a rod and a slider.", [link("crank", [0, 0, 0], [0.1, 0, 0]), link("rod", [0.1, 0, 0], [0.4, 0, 0]), at("part_box", { name: "slider", at: [0.4, 0, 0], size: [0.08, 0.04, 0.04], density: 7850 }), joint("revolute", "main bearing", 2, 1, [0, 0, 0]), joint("revolute", "crank pin", 2, 3, [0.1, 0, 0]), joint("revolute", "piston pin", 3, 4, [0.4, 0, 0]), joint("translational", "guide", 4, 1, [0.4, 0, 0], [1, 0, 0]), at("motion", { name: "drive", joint: ["JOINT", 1], function: "360D*TIME" })]],
  four_bar: ["Four-bar", "Crank, coupler and rocker.", [link("crank", [0, 0, 0], [0, 0, 0.1]), link("coupler", [0, 0, 0.1], [0.3, 0, 0.25]), link("rocker", [0.3, 0, 0.25], [0.4, 0, 0]), joint("revolute", "A", 2, 1, [0, 0, 0]), joint("revolute", "B", 2, 3, [0, 0, 0.1]), joint("revolute", "C", 3, 4, [0.3, 0, 0.25]), joint("revolute", "D", 4, 1, [0.4, 0, 0]), at("motion", { name: "drive", joint: ["JOINT", 1], function: "360D*TIME" })]],
  spring_mass: ["Mass on a spring", "A block that slides on a vertical guide, with a spring and a damper.", [at("part_box", { name: "block", at: [0, 0, 0.3], size: [0.1, 0.1, 0.1], density: 7850 }), joint("translational", "guide", 2, 1, [0, 0, 0.3], [0, 0, 1]), at("spring_damper", { name: "spring", i: ["PART", 2], j: ["PART", 1], stiffness: 2000, damping: 20, length: "drawn", at_i: [0, 0, 0.25], at_j: [0, 0, 0] })]],
  ball_on_floor: ["Ball on a floor", "A ball that falls on a plane, with contact and friction.", [at("part_sphere", { name: "ball", at: [0, 0, 0.3], radius: 0.05, density: 1000 }), at("plane", { name: "floor", body: ["PART", 1], at: [0, 0, 0], normal: [0, 0, 1] }), at("contact", { name: "contact", i: ["PART", 2], j: ["PART", 1], law: "IMPACT", stiffness: 1e6, exponent: 1.5, damping: 100, dmax: 0.001, mu: 0.3 })]],
};

export class Start {
  constructor(studio) { this.studio = studio; this.box = el("section", { id: "start", "aria-label": "Start page", hidden: true }); $("view").append(this.box); }
  first() { if (!this.seen) { this.seen = true; const s = this.studio; if (!s.file.file && !s.file.steps && ![...s.tree.items.values()].some((r) => r[0] !== "PART" || r[1] !== 1)) this.open(); } }
  close() { if (this.box.hidden) return; this.box.hidden = true; document.body.classList.remove("starting"); this.studio.view.dirty = true; }
  async open() {
    const s = this.studio; let found = { examples: [], models: [] }; let lost = []; try { found = await s.link.ask("start"); lost = (await s.link.ask("unsaved")).unsaved; } catch (e) { s.tell(e.message); }
    const card = (title, text, act, picture, id) => el("button", { type: "button", class: "card", id, onclick: act }, picture ? el("img", { src: picture, alt: "", width: 216, height: 135, loading: "lazy" }) : null, el("b", { text: title }), el("span", { text }));
    const when = (t) => new Date(t * 1000).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    this.box.replaceChildren(
      el("div", { class: "start-head" }, el("h2", { text: "Holonom Studio" }), button("Empty model ...", () => { this.close(); s.newFile(); }, { ic: "file", id: "start-new", cls: "strong" }), button("Open a file ...", () => s.openFile(), { ic: "file" }), button("Close", () => this.close(), { ic: "close", text: false, cls: "flat", id: "start-close", title: "Close the start page (Escape)" })),
      ...(lost.length ? [el("h3", { text: "Recovered models" }), el("div", { class: "cards small", id: "start-recovered" }, card(`${lost.length} ${lost.length === 1 ? "model" : "models"} with unsaved edits`, lost.slice(0, 4).map((r) => r.name).join(", "), () => recovered(s)))] : []),
      el("h3", { text: "Learn" }), el("div", { class: "cards" }, card("Draw a slider-crank", "Ten steps with the mouse: links, joints, a drive, a run and its peak forces. About five minutes.", () => s.guide.begin(), found.examples.some((x) => x.name === "slider_crank" && x.picture) ? "/web/examples/slider_crank.webp" : null, "start-guide")),
      el("h3", { text: "New from a template" }), el("div", { class: "cards small" }, Object.entries(TEMPLATES).map(([n, [title, text]]) => card(title, text, () => this.template(n), null, `template-${n}`))),
      ...(found.models.length ? [el("h3", { text: "Models of this project" }), el("div", { class: "cards small", id: "start-models" }, found.models.map((m) => card(m.file, when(m.time), async () => { try { if (await change(s, "open", { file: m.file })) this.close(); } catch (e) { s.tell(e.message); } })))] : []),
      el("h3", { text: "Examples" }), el("div", { class: "cards", id: "start-examples" }, found.examples.map((x) => card(x.name.replaceAll("_", " "), x.title, () => { this.close(); s.openExample(x.name); }, x.picture ? `/web/examples/${x.name}.webp` : null, `example-${x.name}`))));
    this.box.hidden = false; document.body.classList.add("starting"); this.box.scrollTop = 0;
  }
  async template(name) {
    const s = this.studio, [title, , commands] = TEMPLATES[name];
    try { if (!(await s.fresh({ name: title.toLowerCase(), ...EARTH }))) return; this.close(); await gravity(s); for (const command of commands) await s.edit(command, true); s.view.look("Front"); setTimeout(() => s.view.fit(), 400); } catch (e) { s.tell(e.message); }
  }
}
export async function gravity(s) { if (s.model.gravity.every((v) => !+v)) await s.edit({ do: "model", field: "gravity", value: [0, 0, -9.80665] }, true); } // where the new model has none
