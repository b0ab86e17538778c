// Forms that move, copy and mirror what is chosen, by numbers.
import { number } from "./dom.js";
import { split } from "./editor.js";
import { key } from "./tree.js";

const MOVABLE = ["PART", "POINT_MASS", "MARKER"];
export const movable = (k) => MOVABLE.includes(split(k)[0]);

function fields(studio, names) {
  const unit = studio.model.units.length, all = {
    by: { name: "by", kind: "vector", label: "Way (ground)", unit, start: [0, 0, 0] }, axis: { name: "axis", kind: "vector", label: "Axis of a turn (ground)", start: [0, 0, 1] },
    angle: { name: "angle", kind: "number", label: "Turn about it", unit: "degrees", start: 0 }, about: { name: "about", kind: "vector", label: "Through (ground)", unit },
    at: { name: "at", kind: "vector", label: "Point of the mirror (ground)", unit, start: [0, 0, 0] }, normal: { name: "normal", kind: "vector", label: "Its normal (ground)", start: [0, 1, 0] },
    name: { name: "name", kind: "name", label: "Name" },
  };
  return Object.fromEntries(names.map((n) => [n, studio.argument(all[n])]));
}
function placed(f) { // way, turn and point of a form
  const three = (v, name) => v?.map((x) => number(x, name)), out = {}, by = three(f.by.read(), "Way"), angle = f.angle.read().trim() ? number(f.angle.read(), "Turn about it", "degrees") : 0, axis = three(f.axis.read(), "Axis of a turn"), about = three(f.about.read(), "Through");
  if (by?.some(Boolean)) out.by = by;
  if (angle) { const n = Math.hypot(...(axis || [])); if (!(n > 0)) throw new Error("Give the axis of the turn"); out.turn = axis.map((v) => (v / n) * ((angle * Math.PI) / 180)); if (about) out.about = about; }
  return out;
}
const chosen = (r) => { const part = r.made.find(([k]) => k === "PART") || r.made.at(-1); return part && key(...part); };
const form = (studio, title, help, f, action, command) => studio.dialog(title, help, Object.values(f), action, async () => { const c = command(); if (!c) throw new Error("Give a way or an angle"); const r = await studio.edit(c, true), k = chosen(r); if (k) setTimeout(() => studio.choose([k], false, true), 0); return true; });

export function move(studio, ks) {
  const items = ks.filter(movable).map((k) => split(k)), f = fields(studio, ["by", "axis", "angle", "about"]);
  return form(studio, `Move ${items.length > 1 ? `${items.length} elements` : ks[0]}`, "First the turn, then the way. What lies on a part goes with it; joints open where the move does not leave them closed.", f, "Move", () => { const p = placed(f); return Object.keys(p).length ? { do: "move", items, ...p } : null; });
}
export function duplicate(studio, k) {
  const [kind, id] = split(k), place = movable(k), f = fields(studio, place ? ["name", "by", "axis", "angle", "about"] : ["name"]);
  return form(studio, `Copy ${k} ${studio.tree.items.get(k)?.[2] ?? ""}`, kind === "PART" ? "With its markers and shapes; joints and forces on it are not copied." : "", f, "Copy", () => ({ do: "duplicate", kind, id, name: f.name.read(), ...(place ? placed(f) : {}) }));
}
export function mirror(studio, k) {
  const [kind, id] = split(k), f = fields(studio, ["name", "at", "normal"]);
  return form(studio, `Mirror ${k} ${studio.tree.items.get(k)?.[2] ?? ""}`, "The mirror image in a plane, beside the part: with its markers, shapes and initial velocities.", f, "Mirror", () => ({ do: "mirror", kind, id, name: f.name.read(), at: f.at.read(), normal: f.normal.read() }));
}
