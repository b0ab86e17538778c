// Parameters of the model in a table: design variables, and the numbers of forces and contacts, with sliders; and a sweep of one of them.
import { $, button, el, pretty, shown } from "./dom.js";
import { redraw } from "./redraw.js";

export class Parameters {
  constructor(studio) { this.studio = studio; this.filter = ""; this.box = $("parameters"); this.fill = () => {}; } // fill: first values of the sweep, where there are parameters
  async show() {
    let rows; try { rows = (await this.studio.link.ask("parameters")).rows; } catch (e) { this.drawn = null; return this.box.replaceChildren(el("div", { class: "empty", text: e.message })); }
    const drawn = JSON.stringify(rows.map(([key, name, , unit]) => [key, name, unit])); this.rows = rows; this.pick ??= rows[0]?.[0];
    if (drawn === this.drawn) return this.renew();
    this.drawn = drawn; this.cells = new Map();
    if (!rows.length) return this.box.replaceChildren(el("div", { class: "empty", text: "The model has no design variables, and no forces with numbers. Create, Variable makes one: a function that is a number; forces and motions read it as VARVAL(id)." }));
    const search = el("input", { type: "search", class: "box", placeholder: "Filter parameters", "aria-label": "Filter parameters", "data-taken": "", oninput: (e) => { this.filter = e.target.value.toLowerCase(); list(); } }); search.value = this.filter;
    const body = el("tbody"), list = () => body.replaceChildren(...this.rows.filter((r) => `${r[1]} ${r[0]}`.toLowerCase().includes(this.filter)).slice(0, 300).map((r) => this.row(r))); list();
    redraw(this.box, [el("div", { class: "chart-tools" }, search, this.sweepBar(rows)), el("table", { class: "parameters" }, el("caption", { class: "unseen", text: "Parameters of the model" }), el("thead", {}, el("tr", {}, ["Parameter", "Value", "Slider", "Unit"].map((t) => el("th", { scope: "col", text: t })))), body)], "parameters");
  }
  renew() { for (const [key, , value] of this.rows) this.cells.get(key)?.(value); this.fill(); } // the same rows with other values: nothing is drawn again, so that the focus, the caret and what is half typed stay
  row([key, name, value, unit]) {
    let entered; const number = el("input", { type: "text", inputmode: "decimal", "aria-label": `${name}, value`, "data-parameter": key, onchange: () => { entered = number.value; this.set(key, number.value); } });
    const rounded = () => String(+(+slider.value).toPrecision(5)), slider = el("input", { type: "range", "aria-label": name, oninput: () => (number.value = rounded()), onchange: () => this.set(key, rounded()) });
    const fill = (v) => {
      if (document.activeElement !== number || number.value === entered) number.value = entered = String(v);
      if (slider.min === "" || v < +slider.min || v > +slider.max) { const least = v > 0 ? 0 : v < 0 ? 2 * v : -1, most = v > 0 ? 2 * v : v < 0 ? 0 : 1; Object.assign(slider, { min: String(least), max: String(most), step: String((most - least) / 200) }); }
      slider.value = String(v);
    }; fill(value); this.cells.set(key, fill);
    return el("tr", { "data-key": key }, el("th", { scope: "row" }, el("button", { class: "link", type: "button", text: name, title: key, onclick: () => this.studio.choose([key.split(".")[0]], false, true) })), el("td", {}, number), el("td", {}, slider), el("td", { text: pretty(unit) }));
  }
  async command(key, value) { // the edit that gives a parameter a value
    const [element, field, place] = key.split("."), [kind, id] = element.split("/"); if (!field) return { do: "set", kind, id: +id, field: "function", value: String(value) };
    if (place === undefined) return { do: "set", kind, id: +id, field, value };
    const { element: e } = await this.studio.link.ask("element", { kind, id: +id }), all = [...e.rows.find((r) => r.name === field).value]; all[+place] = value; return { do: "set", kind, id: +id, field, value: all };
  }
  async set(key, value) { const v = Number(value); if (!isFinite(v) || !String(value).trim()) { this.studio.tell(`A parameter is a number, got '${value}'`); return this.renew(); } try { await this.studio.edit(await this.command(key, String(v)), true); } catch (e) { this.studio.tell(e.message); } if (this.studio.results.open === "parameters") this.show(); }
  sweepBar(rows) {
    const pick = el("select", { class: "box", id: "sweep-key", "aria-label": "Parameter of the sweep", onchange: () => { this.pick = pick.value; typed.delete(from); typed.delete(to); this.fill(); } }, rows.slice(0, 500).map((r) => el("option", { value: r[0], text: r[1] }))); if (rows.some((r) => r[0] === this.pick)) pick.value = this.pick;
    const field = (id, label) => el("input", { type: "text", id, class: "box", "aria-label": label, title: label, size: 7, "data-draft": "", oninput: (e) => typed.add(e.target) }), from = field("sweep-from", "From"), to = field("sweep-to", "To"), count = field("sweep-count", "Number of runs"); const typed = new Set();
    this.fill = () => { const v = this.rows.find((r) => r[0] === pick.value)?.[2] ?? 0; for (const [f, text] of [[from, shown(0.5 * v, 4)], [to, shown(1.5 * v, 4)], [count, "3"]]) if (!typed.has(f)) f.value = text; }; this.fill();
    const go = button("Sweep", () => this.sweep(pick.value, +from.value, +to.value, +count.value), { ic: "play", id: "sweep", title: "Run the model once for each value; the curves of all runs are drawn over each other, and the model is as before" });
    return el("span", { class: "sweep" }, el("span", { class: "why", text: "Sweep" }), pick, " from ", from, " to ", to, " in ", count, " runs ", go);
  }
  async sweep(key, from, to, count) {
    const s = this.studio; if (this.sweeping || s.running) return s.tell("A run is in progress; stop it first"); if (![from, to].every(isFinite) || !(Number.isInteger(count) && count >= 2 && count <= 50)) return s.tell("Give two values, and a whole number of runs from 2 to 50");
    this.sweeping = true; const name = this.rows.find((r) => r[0] === key)?.[1] ?? key, done = [];
    try {
      for (let k = 0; k < count; k++) {
        const value = from + ((to - from) * k) / (count - 1), text = String(+value.toPrecision(7)); await s.edit(await this.command(key, text), true);
        const { number } = await s.link.ask("run", { settings: s.settings() }); await new Promise((end) => { const look = setInterval(() => { if (!s.running && (s.results.runs.has(number) || document.body.dataset.problem)) { clearInterval(look); end(); } }, 60); });
        await s.link.ask("undo"); if (!s.results.runs.has(number)) throw new Error(`The sweep ended at ${name} = ${text}: the run failed`);
        done.push(number); s.results.labels.set(number, `${name} = ${text}`);
      }
      for (const n of done) s.results.pages.compare.add(n); s.tell(`${count} runs of ${name}: their curves are drawn over each other in Plots`); s.results.tab("plots");
    } catch (e) { s.tell(e.message); } finally { this.sweeping = false; document.body.dataset.sweep = done.join(","); }
  }
}
