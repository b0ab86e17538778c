// Opening, saving and recovering models: what is asked where something could be lost, and which server may write.
import { $, button, el } from "./dom.js";

const when = (t) => new Date(t * 1000).toLocaleString();

export async function change(studio, what, given) { // another model instead of the present one; asks where that would lose edits
  const r = await studio.link.ask(what, given);
  if (r.vehicle) { studio.studies.close(); studio.vehicles.open(r.vehicle); return true; }
  if (r.study) { studio.studies.open(r.study); return true; }
  if (!r.unsaved) return true;
  const lose = await studio.dialog("Edits would be lost", r.unsaved, [], "Lose the edits", async () => true);
  return lose ? !(await studio.link.ask(what, { ...given, lose: true })).unsaved : false;
}
export function openFile(studio) {
  const list = el("div", { class: "files" });
  const fill = async (folder) => {
    try {
      const r = await studio.link.ask("files", { folder }), at = (n) => (r.folder === "." ? n : `${r.folder}/${n}`);
      list.replaceChildren(...(r.folder !== "." ? [el("button", { type: "button", text: "..", onclick: () => fill(r.folder.includes("/") ? r.folder.slice(0, r.folder.lastIndexOf("/")) : ".") })] : []),
        ...r.files.map(([n, dir]) => el("button", { type: "button", text: dir ? `${n}/` : n, onclick: () => (dir ? fill(at(n)) : go({ file: at(n) })) })), r.files.length ? "" : el("div", { class: "empty", text: "No models here." }));
    } catch (e) { list.replaceChildren(el("div", { class: "fault", text: e.message })); }
  };
  const go = async (what) => { const d = list.closest("dialog"); try { if (await change(studio, "open", what)) d.close("done"); } catch (e) { d.querySelector(".fault").textContent = e.message; } };
  const pick = el("select", { class: "box", id: "a-example", "aria-label": "Example" }, ["", ...studio.examples].map((n) => el("option", { value: n, text: n || "an example ..." })));
  fill(".");
  return studio.dialog("Open a model", `Files in the project's folder '${studio.file.project}'. Unsaved edits of the present model are kept; they come back when it is opened again.`, [list, el("div", { class: "field" }, el("span", { class: "label", text: "or" }), pick)], "Open example", async () => { if (!pick.value) throw new Error("Choose a file, or an example"); return change(studio, "open", { example: pick.value }); });
}
const MODES = "kinematic|compliant";
export function vehicle(studio, file, points = {}) { // a model of a vehicle file that drives; ``points``: hardpoints that were moved
  const all = [...new Set([...(file ? [file] : []), ...studio.file.vehicles])], ways = studio.file.manoeuvres, names = Object.keys(ways);
  const [which, mode, manoeuvre, speed, size] = [{ name: "file", kind: all.join("|"), label: "Vehicle" }, { name: "mode", kind: MODES, label: "Suspension" }, { name: "manoeuvre", kind: names.join("|"), label: "Manoeuvre" }, { name: "speed", kind: "number", label: "Speed", unit: "km/h", start: "80" }, { name: "size", kind: "number", label: "Size", start: "0" }].map((a) => studio.argument(a));
  const pick = manoeuvre.node.querySelector("select"), label = size.node.querySelector("label"), field = size.node.querySelector("input"), fill = () => { const [words, usual] = ways[pick.value]; size.node.hidden = !words; label.textContent = words; field.value = String(usual); }; pick.addEventListener("change", fill); fill();
  return studio.dialog("Vehicle", "The car on its tyres at rest, rolling straight for a second before the manoeuvre; a model in a new file of the project, whose markers at hardpoints have their names.", [which, mode, manoeuvre, speed, size], "Build", () => change(studio, "vehicle", { file: which.read(), mode: mode.read(), manoeuvre: manoeuvre.read(), speed: speed.read(), size: size.read(), points }));
}
export function newFile(studio) {
  const [name, units, gravity, up] = [{ name: "name", kind: "name", label: "Name", start: "model" }, { name: "units", kind: "SI|mm|inch", label: "Units" }, { name: "gravity", kind: "number", label: "Gravity (0: none)", unit: "m/s^2", start: "9.80665" }, { name: "up", kind: "+z|+y|+x|-z|-y|-x", label: "Upward axis" }].map((a) => studio.argument(a));
  return studio.dialog("New model", "An empty model with a ground. Gravity acts against the upward axis.", [name, units, gravity, up], "Create", () => change(studio, "new", { name: name.read(), units: units.read(), gravity: gravity.read(), up: up.read() }));
}
export async function save(studio, as) {
  const f = studio.file;
  if (as || !f.file || /\.(cmd|urdf|mjcf|xml|sdf|h5)$/.test(f.file)) return studio.fileDialog("Save the model as", "A name that ends in .adm (Adams dataset) or .json (Holonom), in the project's folder.", (/\.h5$/.test(f.file || "") ? "" : (f.file || "").replace(/\.(cmd|urdf|mjcf|xml|sdf)$/, ".adm")) || `${studio.model.name}.json`, "save", {});
  try {
    const r = await studio.link.ask("save"); if (r.foreign) return foreign(studio, r);
    studio.tell(`Saved ${r.file}`);
  } catch (e) { studio.tell(e.message); }
}
function foreign(studio, r) { // the file on disk is not the one that was opened
  const lines = el("pre", { class: "difference", tabindex: "0", "aria-label": "Difference", hidden: true });
  const compare = button("Compare", async () => { try { const c = await studio.link.ask("compare"); lines.textContent = c.lines.length ? c.lines.join("\n") : "Both hold the same model."; } catch (e) { lines.textContent = e.message; } lines.hidden = false; }, { id: "foreign-compare" });
  const other = button("Save as ...", () => { lines.closest("dialog").close("no"); save(studio, true); }, { id: "foreign-as" });
  return studio.dialog("The file has changed on disk", `${r.foreign}. Overwriting loses those changes.`, [el("div", { class: "field" }, compare, other), lines], "Overwrite", async () => { const s = await studio.link.ask("save", { over: true }); studio.tell(`Saved ${s.file}`); return true; });
}
export async function recovered(studio) {
  let rows; try { rows = (await studio.link.ask("unsaved")).unsaved; } catch (e) { return studio.tell(e.message); }
  const list = el("div", { class: "files", id: "recovered" }), fault = (e) => (list.closest("dialog").querySelector(".fault").textContent = e.message);
  const row = (r) => {
    const line = el("div", { class: "field" }), words = `${r.name}${r.file ? `, ${r.file}` : ", never saved"}${r.elsewhere ? " (in another folder)" : ""}: ${r.damaged ? "damaged, cannot be read" : r.steps === null ? "whole model" : `${r.steps} ${r.steps === 1 ? "edit" : "edits"}`}, ${when(r.time)}`;
    line.append(button(words, async () => { try { if (await change(studio, "recover", { key: r.key })) list.closest("dialog").close("done"); } catch (e) { fault(e); } }, { cls: "flat", "data-key": r.key }), button("Discard", async () => { if (!confirm(`Discard '${r.name}' for good?`)) return; try { await studio.link.ask("discard", { key: r.key }); line.remove(); } catch (e) { fault(e); } }, { cls: "flat", ic: "trash", text: false, title: "Remove it for good" }));
    return line;
  };
  list.append(...(rows.length ? rows.map(row) : [el("div", { class: "empty", text: "There are none." })]));
  return studio.dialog("Recovered models", "Models with edits that were not saved, from this project. A click opens one; the present model is kept here, too.", [list], "Close", async () => true);
}
export function locked(studio, { locked: words, moved }) { // a bar while nothing can be saved: another server may write this project, or its folder was moved
  document.getElementById("locked")?.remove(); document.body.dataset.locked = words ? "1" : "";
  if (!words) return;
  $("bar").after(el("div", { id: "locked", role: "alert" }, el("span", { text: moved ? `${words[0].toUpperCase()}${words.slice(1)}.` : `Read-only: ${words}.` }), moved ? null : button("Take over", async () => { try { await studio.link.ask("take_over"); } catch (e) { studio.tell(e.message); } }, { id: "take-over", title: "This window saves from now on; the other Studio becomes read-only" })));
}
