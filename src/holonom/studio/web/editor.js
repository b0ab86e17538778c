// The property editor: rows from the model's own declarations, its own sentences while somebody types.
import { $, button, el, later, numeral, pretty, typed } from "./dom.js";
import { duplicate, mirror } from "./arrange.js";
import { tabulate, tabulated } from "./table.js";
import { dropped, forget, redraw, refused } from "./redraw.js";
import { key } from "./tree.js";

export class Editor {
  constructor(studio) { this.studio = studio; this.box = $("editor"); this.n = 0; }
  focus() { this.box.querySelector("input, select, textarea, button")?.focus(); }
  async show(k) {
    const n = ++this.n, s = this.studio; this.key = k;
    if (!k) { forget(this.box); this.box.replaceChildren(el("div", { class: "empty" }, el("p", { text: "Nothing is chosen. Click a part, a joint or a force in the picture or in the tree; its properties are shown here." }), button("Properties of the model", () => s.choose(["model"], false, true), { title: "Name, gravity, settings of analyses" }))); return; }
    try {
      if (k === "model") { const { model } = await s.link.ask("model"); if (n === this.n) this.model(model); return; }
      const [kind, id] = split(k), { element } = await s.link.ask("element", { kind, id }); if (n === this.n) this.element(element);
    } catch (e) { if (n === this.n) { forget(this.box); this.box.replaceChildren(el("div", { class: "empty", text: e.message })); } }
  }
  refresh(keys) { if (this.key && (!keys || keys.has(this.key))) this.shown = this.show(this.key); }
  put(parts) { redraw(this.box, parts, this.key); }
  element(e) {
    const s = this.studio, body = s.view.index.has(key(e.kind, e.id)), k = key(e.kind, e.id);
    const name = el("input", { class: "box", id: "p-name", value: e.name, "aria-label": "Name", "aria-describedby": "p-name-fault", onchange: () => s.edit({ do: "rename", kind: e.kind, id: e.id, name: name.value }).catch(() => (name.value = e.name)) }), shared = el("div", { class: "shared", role: "alert", id: "p-name-fault", text: e.name_shared || "" }); name.value = e.name;
    const acts = [body ? button(s.view.hidden.has(k) ? "Show" : "Hide", () => { s.view.hide([k], !s.view.hidden.has(k)); this.show(k); }) : null, body ? button("Isolate", () => s.view.isolate([k])) : null, body ? button("Transparent", () => s.view.glassy([k])) : null, tabulated(e) ? button("Table ...", () => tabulate(s, e), { id: "p-table", title: "Its numbers in a table, with their curve" }) : null, e.ground ? null : button("Copy", () => duplicate(s, k)), e.kind === "PART" && !e.ground ? button("Mirror", () => mirror(s, k)) : null, e.ground ? null : button("Delete", () => s.remove(), { ic: "trash", id: "p-delete" })];
    const often = [], seldom = [], unused = []; let group = "";
    for (const r of e.rows) if (r.used === false && same(r.value, r.default)) unused.push(this.row(r, { kind: e.kind, id: e.id })); else (same(r.value, r.default) && !["formula", "choice", "number"].includes(r.kind) && !(r.kind === "reference") ? seldom : same(r.value, r.default) && r.optional ? { push: (node) => seldom.push(node) } : { push: (node) => { if (r.group && r.group !== group) often.push(el("div", { class: "section", text: (group = r.group) })); often.push(node); } }).push(this.row(r, { kind: e.kind, id: e.id }));
    this.put([
      el("div", { class: "top" }, el("div", { class: "kind", text: `${e.kind}/${e.id}${e.source ? `  ·  ${e.source}` : ""}` }), name, shared, el("div", { class: "acts" }, acts)),
      e.faults.length ? el("div", { class: "faults", role: "alert" }, e.faults.map((f) => el("div", {}, f, this.remedies(e, f)))) : null, ...often,
      seldom.length ? el("details", { class: "more", open: this.openMore, ontoggle: (x) => (this.openMore = x.target.open) }, el("summary", { text: `${seldom.length} more properties at their defaults` }), seldom) : null,
      unused.length ? el("details", { class: "more", id: "p-unused" }, el("summary", { text: `${unused.length} ${unused.length === 1 ? "property" : "properties"} that this type does not use` }), unused) : null,
      e.users.length ? el("div", { class: "section", text: `Named by ${e.users.length + e.more_users}` }) : null, el("div", { class: "users" }, e.users.map((u) => el("button", { class: "link", type: "button", text: `${u[0]}/${u[1]} ${u[2]}`, onclick: () => s.choose([key(u[0], u[1])], false, true) }))),
      el("div", { class: "help", text: e.help }),
    ].filter(Boolean));
  }
  remedies(e, fault) { // buttons that do what a sentence asks for: a word to choose
    const s = this.studio, out = [];
    for (const r of e.rows) if (r.kind === "choice" && r.used !== false) for (const w of r.words) if (w && w !== r.value && new RegExp(`\\b${w}\\b`).test(fault) && out.length < 4) out.push(button(`Choose ${w}`, () => s.edit({ do: "set", kind: e.kind, id: e.id, field: r.name, value: w }), { cls: "remedy", "data-value": w, title: `${r.label || r.name}: ${w}` }));
    return out.length ? el("div", { class: "remedies" }, out) : null;
  }
  row(r, of, send) {
    const s = this.studio, id = `p-${of.kind}-${r.name}`, fault = el("div", { class: "fault", role: "alert", id: `${id}-fault` }), unit = r.unit ? el("span", { class: "unit", text: pretty(r.unit) }) : null; let inputs = [];
    const read = () => {
      if (r.kind === "flag") return inputs[0].checked;
      if (r.kind === "vector") { const v = inputs.map(typed); return r.optional && v.every((x) => !x.trim()) ? null : r.labels?.length ? v.map((x) => x.trim() || "0") : v; }
      if (r.kind === "list") return inputs[0].value.trim() ? inputs[0].value.split(/[,\n]/).map((x) => x.trim()) : [];
      if (r.kind === "texts") return inputs.map((i) => i.value.trim());
      if (r.kind === "table") return Object.fromEntries(inputs.map((i) => [i.dataset.name, typed(i)]));
      if (r.kind === "references") return inputs[0].value.split(",").map((x) => x.trim()).filter(Boolean).map((x) => s.named(x, r.reference));
      if (r.kind === "reference") { const v = inputs[0].value.trim(); return v === "" ? null : s.named(v, r.reference); }
      if (r.kind === "choice" && inputs[0].value === "" && r.optional) return null;
      return typed(inputs[0]);
    };
    const say = (f) => { fault.textContent = f.join(" "); inputs.forEach((i) => { i.classList.toggle("wrong", !!f.length); f.length ? i.setAttribute("aria-invalid", "true") : i.removeAttribute("aria-invalid"); }); };
    const trial = later(async () => { if (send) return; try { say((await s.link.ask("try", { ...of, field: r.name, value: read() })).faults); } catch (e) { say([e.message]); } }, 90);
    let sent = JSON.stringify(send || r.kind !== "formula" ? undefined : r.value);
    const commit = async (e) => { if (e?.target?.dataset) e.target.dataset.dirty = ""; const now = JSON.stringify(read()); if (now === sent) return; sent = now; try { await (send ? send(read()) : s.edit({ do: "set", ...of, field: r.name, value: read() }, true)); say([]); } catch (x) { say([x.message]); sent = undefined; refused(e?.target || inputs[0]); } };
    const on = { oninput: (e) => { const back = JSON.stringify(read()) === begun && (sent === undefined || sent === begun); e.target.dataset.dirty = back ? "" : "1"; if (back) dropped(e.target); trial(); }, onchange: commit, "aria-describedby": `${id}-fault`, onkeydown: (e) => { if (e.key === "Escape" && e.target.dataset.dirty === "1") { e.target.dataset.dirty = ""; dropped(e.target); this.show(this.key); } } };
    const text = (v, more = {}) => { const i = numeral(el("input", { type: "text", spellcheck: "false", autocomplete: "off", ...on, ...more }), v); inputs.push(i); return i; };
    const word = (v) => (v === null || v === undefined ? "" : Array.isArray(v) ? v.join(", ") : String(v));
    let value; const label = r.label || r.name.replaceAll("_", " ");
    if (r.kind === "flag") value = [el("input", { type: "checkbox", id, checked: !!r.value, onchange: commit })], inputs.push(value[0]);
    else if (r.kind === "choice") { const q = el("select", { id, onchange: commit }, (r.optional ? ["", ...r.words] : r.words).map((w) => el("option", { value: w, text: w || "(none)" }))); q.value = r.value ?? ""; inputs.push(q); value = [q]; }
    else if (r.kind === "formula") { const a = el("textarea", { id, rows: String(Math.min(5, 1 + Math.floor(word(r.value).length / 26))), spellcheck: "false", ...on }); a.value = word(r.value); a.addEventListener("keydown", (e) => { if (e.key === "Enter" && !e.shiftKey) { e.preventDefault(); a.dispatchEvent(new Event("change")); } }); inputs.push(a); value = [a]; }
    else if (r.kind === "vector") value = [el("span", { class: "vector" }, Array.from({ length: r.size }, (_, n) => { const of = r.labels?.[n], i = text(r.value?.[n], { "aria-label": of || `${label} ${"xyz"[n] || n + 1}`, id: n ? `${id}-${n}` : id }); return of ? el("span", { class: "component" }, el("small", { text: of, "aria-hidden": "true" }), i) : i; }))];
    else if (r.kind === "list") value = [text(word(r.value), { id })];
    else if (r.kind === "texts") value = [el("span", { class: "ports" }, (r.value || []).map((v, n) => { const of = r.labels?.[n] || `${label} ${n + 1}`, i = text(v, { "aria-label": of, id: n ? `${id}-${n}` : id }); return el("span", {}, el("small", { text: of, "aria-hidden": "true" }), i); }))];
    else if (r.kind === "table") value = Object.keys(r.value || {}).length ? [el("span", { class: "ports" }, Object.entries(r.value).map(([k, v], n) => el("span", {}, el("small", { text: k, "aria-hidden": "true" }), !plain(v) ? el("output", { text: JSON.stringify(v).slice(0, 300) }) : text(typeof v === "number" ? v : word(v), { "data-name": k, "aria-label": `${label} ${k}`, title: k, id: n ? `${id}-${n}` : id }))))] : [el("output", { text: "–" })];
    else if (r.kind === "reference") { const i = text(r.value ? s.nameOf(r.reference, r.value) : "", { id, list: "names", title: r.value ? s.nameOf(r.reference, r.value) : undefined, onfocus: () => s.offer(r.reference, i.value), placeholder: r.optional ? "none" : r.reference.toLowerCase() }); i.addEventListener("input", () => s.offer(r.reference, i.value)); value = [i, this.picker(r.reference, (k) => { i.value = s.nameOf(...split(k)); commit(); })]; }
    else if (r.kind === "references") { const i = text((r.value || []).join(", "), { id, placeholder: `ids or names of ${r.reference}, with commas` }); value = [i, this.picker(r.reference, (k) => { i.value += `${i.value.trim() ? ", " : ""}${split(k)[1]}`; commit(); })]; }
    else if (r.kind === "number" || r.kind === "whole" || r.kind === "text") value = [text(r.kind === "number" ? r.value : word(r.value), { id, inputmode: r.kind === "text" ? undefined : "decimal", placeholder: r.optional ? "none" : undefined })];
    else value = [el("output", { id, text: typeof r.value === "object" && r.value !== null ? JSON.stringify(r.value).slice(0, 300) : word(r.value) || "–" })];
    const begun = inputs.length ? JSON.stringify(read()) : "", head = inputs.length ? el("label", { for: id, text: label, title: r.help || undefined }) : el("span", { class: "label", text: label });
    if (r.label && r.label.toLowerCase() !== r.name) head.append(" ", el("span", { class: "keyword", text: r.name.toUpperCase() }));
    const about = r.help ? el("div", { class: "about", id: `${id}-about`, hidden: true, text: r.help }) : null;
    if (unit && head) head.append(" ", unit);
    return Object.assign(el("div", { class: r.kind === "vector" || (r.kind === "text" && word(r.value).length > 18) ? "field across" : r.kind === "reference" || (r.kind === "choice" && r.words.some((w) => w.length > 9)) ? "field named" : "field" }, head, el("div", { class: "value" }, value, about ? button(`Help on ${label}`, (x) => { about.hidden = !about.hidden; x.currentTarget.setAttribute("aria-expanded", String(!about.hidden)); }, { ic: "help", text: false, cls: "flat why", title: "What this is", "aria-expanded": "false", "aria-controls": `${id}-about` }) : null), about, fault), { read, editable: inputs.length > 0 });
  }
  picker(kind, done) { // a cross that picks in the tree or the picture, out of a dialog too
    const s = this.studio, b = button("Pick", () => { const d = b.closest("dialog"); d?.close("picking"); s.pick([kind], (k) => { done(k); d?.showModal(); }); if (d) s.picking.again = () => d.showModal(); }, { ic: "pick", text: false, title: `Pick the ${kind} in the tree or the picture` }); return b;
  }
  model(m) {
    const s = this.studio, of = { kind: "MODEL", id: 0 }, plain = (name, kind, value, unit, send) => this.row({ name, label: name[0].toUpperCase() + name.slice(1), kind, size: 3, value, unit, words: [], optional: false }, of, send);
    const to = (field) => (value) => s.edit({ do: "model", field, value }, true);
    const groups = Object.entries(m.settings).map(([g, { rows, help }]) => el("details", { class: "more", open: g === "integrator" && this.openSettings, ontoggle: (e) => g === "integrator" && (this.openSettings = e.target.open) }, el("summary", { text: { integrator: "Integrator", equilibrium: "Static equilibrium", kinematics: "Kinematics", initial: "Initial conditions", rigid: "Contacts as constraints" }[g] || g }), el("div", { class: "help", text: help }), rows.map((r) => this.row(r, { kind: g, id: 0 }, (value) => s.edit({ do: "settings", group: g, field: r.name, value }, true)))));
    this.put([el("div", { class: "top" }, el("div", { class: "kind", text: "Model" }), el("div", { style: "font-weight:600;font-size:14px", text: m.name })), plain("name", "text", m.name, "", to("name")), plain("title", "text", m.title, "", to("title")), plain("gravity", "vector", m.gravity, m.gravity_unit, to("gravity")),
      el("div", { class: "field" }, el("span", { class: "label", text: "Units" }), el("output", { text: Object.values(m.units).map(pretty).join(", ") })), ...groups]);
  }
}
export function split(k) { const n = k.lastIndexOf("/"); return [k.slice(0, n), +k.slice(n + 1)]; }
const plain = (v) => typeof v !== "object" || v === null || (Array.isArray(v) && v.length < 100 && v.every((x) => typeof x === "number")); // what a field of a table can hold as a text
function same(a, b) { return JSON.stringify(a) === JSON.stringify(b) || (Array.isArray(a) && !a.length && (b === null || b === undefined || !b.length)) || (a && typeof a === "object" && !Array.isArray(a) && !Object.keys(a).length); }
