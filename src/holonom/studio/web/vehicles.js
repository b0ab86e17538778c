// The page of a vehicle file: hardpoints that are moved, kinematics and compliance before and after, standard manoeuvres with their metrics.
import { vehicle } from "./documents.js";
import { $, button, el, number, pretty, shown } from "./dom.js";

const image = (svg, alt) => el("img", { alt, src: `data:image/svg+xml;base64,${btoa(unescape(encodeURIComponent(svg)))}` });
const numbers = (v) => v.map((x) => shown(Math.abs(x) < 1e-12 ? 0 : x, 5)).join("   ");
const words = (name) => name.replaceAll("_", " ");

export class Vehicles {
  constructor(studio) { this.studio = studio; this.box = el("section", { id: "vehicles", "aria-label": "Vehicle page", hidden: true }); $("view").append(this.box); }
  close() { if (this.box.hidden) return; this.box.hidden = true; document.body.classList.remove("paged"); this.studio.view.dirty = true; }
  async open(file) { // of a vehicle file of the project, or the first that is shipped
    const s = this.studio, given = file || this.file || s.file.vehicles[0]; s.start.close(); s.studies.close();
    try { this.about = await s.link.ask("vehicle_page", { file: given }); } catch (e) { return s.tell(e.message); }
    this.file = given; this.points = {}; this.draw(); this.box.hidden = false; document.body.classList.add("paged"); this.box.scrollTop = 0;
  }
  draw() {
    const s = this.studio, a = this.about, pick = (id, list, on, more = {}) => el("select", { class: "box", id, onchange: on, ...more }, list.map((v) => el("option", { value: v, text: words(v) })));
    const files = pick("vehicle-file", [...new Set([this.file, ...s.file.vehicles])], () => this.open(files.value)); files.value = this.file;
    this.mode = pick("vehicle-mode", ["kinematic", "compliant"]); this.fault = el("div", { class: "fault", role: "alert", id: "vehicle-fault" }); this.kcBox = el("div", { id: "vehicle-kc" }); this.driveBox = el("div", { id: "vehicle-metrics" });
    this.axle = pick("vehicle-axle", Object.keys(a.axles), () => this.table()); this.pointBox = el("div", { class: "vehicle-points", tabindex: "0", role: "region", "aria-label": "Hardpoints" });
    const way = pick("vehicle-manoeuvre", Object.keys(a.ways), () => fill()), speed = el("input", { type: "text", id: "vehicle-speed", inputmode: "decimal" }), driver = pick("vehicle-driver", a.drivers), drivers = el("label", {}, "Driver", driver), speeds = el("label", {}, "Speed in km/h", speed);
    const fill = () => { const usual = a.ways[way.value]; speeds.hidden = usual === null; speed.value = usual ?? ""; drivers.hidden = way.value !== "lane-change"; }; fill();
    this.compare = el("input", { type: "checkbox", id: "vehicle-compare", checked: true });
    const work = (label, id, act) => { const b = button(label, async () => { const was = b.textContent, begun = performance.now(); b.disabled = true; b.lastChild.textContent = `${label} ...`; this.fault.textContent = ""; try { await act(); document.body.dataset[id.replace(/-(.)/g, (m, c) => c.toUpperCase())] = String(Math.round(performance.now() - begun)); } catch (e) { this.fault.textContent = e.message; } b.disabled = false; b.lastChild.textContent = was; }, { id, cls: "strong" }); return b; };
    this.box.replaceChildren(
      el("div", { class: "start-head" }, el("h2", { text: a.name }), el("label", {}, "File ", files), el("label", {}, "Suspension ", this.mode), button("Build the model ...", () => vehicle(s, this.file, this.points), { id: "vehicle-build", title: "A model of this vehicle, with the hardpoints as they are here, in a new file of the project" }), button("Close", () => this.close(), { ic: "close", text: false, cls: "flat", id: "vehicle-close", title: "Close the page (Escape)" })), this.fault,
      el("div", { class: "vehicle-columns" },
        el("div", {}, el("h3", { text: "Hardpoints" }), el("div", { class: "vehicle-row" }, el("label", {}, "Axle ", this.axle), el("span", { text: `x forward, y left, z up, in ${pretty(a.length)}` })), this.pointBox, el("div", { class: "vehicle-row" }, work("Kinematics and compliance", "vehicle-kc-run", () => this.kc()), button("All as in the file", () => { this.points = {}; this.table(); }, { id: "vehicle-reset" }), button("Save as a vehicle file ...", () => this.save(), { id: "vehicle-save" })),
          el("h3", { text: "Standard manoeuvre" }), el("div", { class: "vehicle-row" }, el("label", {}, "Manoeuvre", way), speeds, drivers, el("label", {}, this.compare, " Compare with the file"), work("Drive", "vehicle-drive", () => this.drive({ manoeuvre: way.value, speed: speed.value, driver: driver.value }))), this.driveBox),
        el("div", {}, el("h3", { text: "Characteristics at the design position" }), this.kcBox)));
    this.table(); this.kcBox.replaceChildren(el("p", { class: "help", text: "Kinematics and compliance sweeps both axles; after a hardpoint was moved, the values and curves of the file are shown as well." }));
  }
  table() { // the hardpoints of an axle
    const axle = this.axle.value, given = this.about.axles[axle];
    const field = (name, k) => { const path = `${axle}.${name}`, i = el("input", { type: "text", inputmode: "decimal", "aria-label": `${words(name)} ${"xyz"[k]}`, "data-point": path, "data-component": String(k), onchange: () => { const at = [...(this.points[path] || given[name])]; let x; try { x = number(i.value, words(name)); } catch (e) { this.fault.textContent = e.message; i.value = String(at[k]); return; } this.fault.textContent = ""; at[k] = x; if (at.every((v, n) => v === given[name][n])) delete this.points[path]; else this.points[path] = at; i.closest("tr").classList.toggle("moved", path in this.points); } }); i.value = String((this.points[path] || given[name])[k]); return el("td", {}, i); };
    this.pointBox.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ["Hardpoint", "x", "y", "z"].map((t) => el("th", { scope: "col", text: t })))), el("tbody", {}, Object.keys(given).map((name) => el("tr", { class: `${axle}.${name}` in this.points ? "moved" : "" }, el("th", { scope: "row", text: words(name) }), [0, 1, 2].map((k) => field(name, k)))))));
  }
  given(more) { return { file: this.file, mode: this.mode.value, points: this.points, ...more }; }
  async kc() {
    const r = await this.studio.link.ask("kc", this.given());
    const rows = (a) => a.rows.filter((row) => !Object.keys(this.points).length || row.changed !== undefined).map((row) => el("tr", { class: row.changed ? "moved" : "", "data-name": `${a.axle}.${row.name}` }, el("th", { scope: "row", text: words(row.name) }), el("td", { text: numbers(row.values), "data-value": String(row.values[0]) }), row.before ? el("td", { text: row.changed ? numbers(row.before) : "", "data-before": String(row.before[0]) }) : null, el("td", { text: pretty(row.unit) })));
    this.kcBox.replaceChildren(...r.axles.flatMap((a) => [el("div", { class: "vehicle-table", tabindex: "0", role: "region", "aria-label": `Characteristics of the ${a.axle} axle` }, el("table", {}, el("thead", {}, el("tr", {}, [`${a.axle} axle`, "left   right", ...(a.rows[0]?.before ? ["as in the file"] : []), "unit"].map((t) => el("th", { scope: "col", text: t })))), el("tbody", {}, rows(a)))), image(a.picture, `Curves of the ${a.axle} axle`)]));
  }
  async drive(more) {
    const r = await this.studio.link.ask("drive", this.given({ ...more, compare: this.compare.checked })), two = r.metrics.some((m) => m.before !== null), cell = (v) => el("td", { text: v === null ? "–" : shown(v, 5), "data-value": String(v) });
    this.driveBox.replaceChildren(...(r.stopped ? [el("p", { class: "help", text: r.stopped })] : []), el("div", { class: "vehicle-table", tabindex: "0", role: "region", "aria-label": "Metrics" }, el("table", {}, el("thead", {}, el("tr", {}, [r.name, "value", ...(two ? ["as in the file"] : [])].map((t) => el("th", { scope: "col", text: t })))), el("tbody", {}, r.metrics.map((m) => el("tr", { class: two && m.before !== null && Math.abs(m.value - m.before) > 1e-3 * Math.abs(m.before) ? "moved" : "" }, el("th", { scope: "row", text: m.name }), cell(m.value), two ? cell(m.before) : null))))), image(r.picture, `Curves of ${r.name}`));
  }
  save() {
    const f = this.studio.argument({ name: "file", kind: "name", label: "File", start: `${this.file.replace(/\.\w+$/, "").replace(/^.*\//, "")}_moved.json` }); let over = "";
    return this.studio.dialog("Save as a vehicle file", "The vehicle with its hardpoints as they are here, in the project's folder; tyre files that it names are copied.", [f], "Save", async () => { const file = f.read(), r = await this.studio.link.ask("save_vehicle", { source: this.file, file, points: this.points, over: over === file }); if (r.exists) { over = file; throw new Error(`${r.exists} is there already; press Save again to write over it`); } this.studio.tell(`Saved ${r.file}`); return true; });
  }
}
