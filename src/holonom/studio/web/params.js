// Parameters of the model in a table: design variables, and the numbers of forces and contacts, with sliders; and a sweep of one of them.
import { $, button, el, pretty, shown } from "./dom.js";

export class Parameters {
  constructor(studio) { this.studio = studio; this.filter = ""; this.box = $("parameters"); }
  async show() {
    const s = this.studio, active = document.activeElement?.dataset?.parameter; let rows; try { rows = (await s.link.ask("parameters")).rows; } catch (e) { return this.box.replaceChildren(el("div", { class: "empty", text: e.message })); }
    this.rows = rows; this.pick ??= rows[0]?.[0];
    if (!rows.length) return this.box.replaceChildren(el("div", { class: "empty", text: "The model has no design variables, and no forces with numbers. Create, Variable makes one: a function that is a number; forces and motions read it as VARVAL(id)." }));
    const search = el("input", { type: "search", class: "box", placeholder: "Filter parameters", "aria-label": "Filter parameters", oninput: (e) => { this.filter = e.target.value.toLowerCase(); list(); } }); search.value = this.filter;
    const body = el("tbody"), list = () => body.replaceChildren(...rows.filter((r) => `${r[1]} ${r[0]}`.toLowerCase().includes(this.filter)).slice(0, 300).map((r) => this.row(r))); list();
    this.box.replaceChildren(el("div", { class: "chart-tools" }, search, this.sweepBar(rows)), el("table", { class: "parameters" }, el("caption", { class: "unseen", text: "Parameters of the model" }), el("thead", {}, el("tr", {}, ["Parameter", "Value", "Slider", "Unit"].map((t) => el("th", { scope: "col", text: t })))), body));
    if (active) this.box.querySelector(`[data-parameter="${CSS.escape(active)}"]`)?.focus();
  }
  row([key, name, value, unit]) {
    const least = value > 0 ? 0 : value < 0 ? 2 * value : -1, most = value > 0 ? 2 * value : value < 0 ? 0 : 1, number = el("input", { type: "text", inputmode: "decimal", "aria-label": `${name}, value`, "data-parameter": key, onchange: () => this.set(key, number.value) }); number.value = String(value);
    const slider = el("input", { type: "range", min: String(least), max: String(most), step: String((most - least) / 200), "aria-label": name, oninput: () => (number.value = String(+(+slider.value).toPrecision(5))), onchange: () => this.set(key, String(+(+slider.value).toPrecision(5))) }); slider.value = String(value);
    return el("tr", { "data-key": key }, el("th", { scope: "row" }, el("button", { class: "link", type: "button", text: name, title: key, onclick: () => this.studio.choose([key.split(".")[0]], false, true) })), el("td", {}, number), el("td", {}, slider), el("td", { text: pretty(unit) }));
  }
  async command(key, value) { // the edit that gives a parameter a value
    const [element, field, place] = key.split("."), [kind, id] = element.split("/"); if (!field) return { do: "set", kind, id: +id, field: "function", value: String(value) };
    if (place === undefined) return { do: "set", kind, id: +id, field, value };
    const { element: e } = await this.studio.link.ask("element", { kind, id: +id }), all = [...e.rows.find((r) => r.name === field).value]; all[+place] = value; return { do: "set", kind, id: +id, field, value: all };
  }
  async set(key, value) { const v = Number(value); if (!isFinite(v) || !String(value).trim()) { this.studio.tell(`A parameter is a number, got '${value}'`); return this.show(); } try { await this.studio.edit(await this.command(key, String(v)), true); } catch (e) { this.studio.tell(e.message); } if (this.studio.results.open === "parameters") this.show(); }
  sweepBar(rows) {
    const pick = el("select", { class: "box", id: "sweep-key", "aria-label": "Parameter of the sweep", onchange: () => { this.pick = pick.value; fill(); } }, rows.slice(0, 500).map((r) => el("option", { value: r[0], text: r[1] }))); if (rows.some((r) => r[0] === this.pick)) pick.value = this.pick;
    const field = (id, label) => el("input", { type: "text", id, class: "box", "aria-label": label, title: label, size: 7 }), from = field("sweep-from", "From"), to = field("sweep-to", "To"), count = field("sweep-count", "Number of runs"); count.value = "3";
    const fill = () => { const v = rows.find((r) => r[0] === pick.value)?.[2] ?? 0; from.value = shown(0.5 * v, 4); to.value = shown(1.5 * v, 4); }; fill();
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
