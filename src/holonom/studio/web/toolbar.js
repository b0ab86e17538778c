// The tool bar that creates, and the palette that finds every command by its name.
import { $, PATHS, button, el, icon } from "./dom.js";
import { key } from "./tree.js";
import { TOOLS } from "./tools.js";

Object.assign(PATHS, {
  dock: "M3 3h12v12H3zM3 7h12M8 7v8",
  link: "M4 14a2 2 0 1 1 2-2l6-6a2 2 0 1 1 2-2M5 11l6-6M7 13l6-6", box: "M3 6l6-3 6 3v6l-6 3-6-3zM3 6l6 3 6-3M9 9v6", cylinder: "M4 5a5 2 0 1 0 10 0a5 2 0 1 0-10 0v8a5 2 0 0 0 10 0V5", disc: "M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3M9 8a1 1 0 1 0 0 2 1 1 0 0 0 0-2",
  ball: "M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3M3 9c3 2.5 9 2.5 12 0", cone: "M9 2 3.5 13.5c2 2 9 2 11 0z", torus: "M9 4a7 5 0 1 0 0 10A7 5 0 0 0 9 4M9 7.5a3 1.6 0 1 0 0 3.2 3 1.6 0 0 0 0-3.2", extrusion: "M3 12V7l4-3h4v4l4 1v5H7zM3 7h4v3M7 4v0",
  revolution: "M9 2v14M11 4c4 1 4 3 2 5s-2 4 1 5h-3M7 4C3 5 3 7 5 9s2 4-1 5h3", bowl: "M2 6c0 11 14 11 14 0M4.5 6c0 7.500 9 7.500 9 0M2 6h2.500M13.500 6H16", floor: "M2 12h14M4 12l-2 3M8 12l-2 3M12 12l-2 3M16 12l-2 3M9 3v6M7 7l2 2 2-2", mass: "M9 5a4 4 0 1 0 0 8 4 4 0 0 0 0-8M9 9h.1",
  spring: "M9 1v2l4 1.500-8 2 8 2-8 2 8 2-4 1.500v2", copy: "M3 3h8v8H3zM7 11v4h8V7h-4", move: "M9 2v14M2 9h14M9 2 7 4M9 2l2 2M9 16l-2-2M9 16l2-2M2 9l2-2M2 9l2 2M16 9l-2-2M16 9l-2 2", mirror: "M9 2v14M7 5 2 13h5zM11 5l5 8h-5z", row: "M2 6h3.500v6H2zM7.300 6h3.500v6H7.300zM12.500 6H16v6h-3.500z", ring: "M9 2a1.600 1.600 0 1 0 .1 0M14 10a1.600 1.600 0 1 0 .1 0M4 10a1.600 1.600 0 1 0 .1 0M9 9h.1", search: "M8 3a5 5 0 1 0 0 10A5 5 0 0 0 8 3M12 12l4 4", grow: "M3 7V3h4M11 3h4v4M15 11v4h-4M7 15H3v-4",
});

export class Toolbar {
  constructor(studio) {
    this.studio = studio; this.box = $("create-bar"); this.buttons = new Map(); let group = null, parts = [];
    for (const t of TOOLS) {
      if (t.group !== group) { group = t.group; parts.push(el("span", { class: "group", text: group })); }
      const b = button(t.title, () => (studio.draw.tool?.name === t.name ? studio.draw.stop() : studio.draw.start(t.name)), { ic: t.icon, text: false, cls: "flat", id: `tool-${t.name}`, title: t.title, "aria-pressed": "false" }); this.buttons.set(t.name, b); parts.push(b);
    }
    const find = button("Find a command", () => palette(studio), { ic: "search", cls: "flat", id: "find-command", title: "Every command, element and example by its name (Ctrl+K)" }); find.append(el("kbd", { text: "Ctrl+K" }));
    this.box.prepend(el("div", { class: "create-row", role: "toolbar", "aria-label": "Tools that create" }, parts, el("span", { class: "grow" }), find));
    this.box.addEventListener("keydown", (e) => { if (e.target.closest("#draw-bar")) return; const all = [...this.buttons.values(), find], k = all.indexOf(document.activeElement), go = { ArrowRight: k + 1, ArrowLeft: k - 1, Home: 0, End: all.length - 1 }[e.key]; if (go === undefined) return; e.preventDefault(); const to = all[(go + all.length) % all.length]; for (const b of all) b.tabIndex = b === to ? 0 : -1; to.focus(); });
    [...this.buttons.values()].forEach((b, n) => (b.tabIndex = n ? -1 : 0)); find.tabIndex = -1; // one stop of Tab; arrows go on
    addEventListener("keydown", (e) => { if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k" && !document.querySelector("dialog[open]")) { e.preventDefault(); palette(studio); } });
  }
  mark(name) { for (const [n, b] of this.buttons) b.setAttribute("aria-pressed", String(n === name)); }
}

export function commands(s) { // rows: group, text, further words, what it does, key
  const out = [], add = (group, text, act, words = "", k = "", ic = "list") => out.push({ group, text, act, words, k, ic });
  for (const t of TOOLS) add("Draw", t.title, () => s.draw.start(t.name), `${t.words} ${t.group}`, "", t.icon);
  for (const [n, f] of Object.entries(s.forms || {})) add("Create by numbers", f.title, () => s.create(n), `${n} ${f.group} ${f.help}`, "", "plus");
  for (const [k, [title, g]] of Object.entries(s.fields || {})) add("Create by numbers", title, () => s.another(k), `${k} ${g}`, "", "plus");
  add("File", "New model", () => s.newFile(), "", "", "file"); add("File", "Open", () => s.openFile(), "load", "Ctrl+O", "file"); add("File", "Import a STEP file", () => s.step(), "CAD stp solid assembly", "", "file"); add("File", "Vehicle page: hardpoints, kinematics and compliance, manoeuvres", () => s.vehicles.open(), "car suspension K&C drive", "", "file"); add("File", "Studies: progress, failures, figures, designs", () => s.studies.open(), "optimisation parameters runs best sweep", "", "curve"); add("File", "Save", () => s.save(), "", "Ctrl+S", "save"); add("File", "Save as", () => s.save(true), "", "Ctrl+Shift+S", "save"); add("File", "Save as a Python script", () => s.saveScript(), "", "", "save"); add("File", "Start page", () => s.start.open(), "examples templates recent welcome", "", "home");
  for (const n of s.examples || []) add("Example", n.replaceAll("_", " "), () => s.openExample(n), "example model", "", "file");
  add("Edit", "Undo", () => s.undo("undo"), "", "Ctrl+Z", "undo"); add("Edit", "Redo", () => s.undo("redo"), "", "Ctrl+Y", "redo"); add("Edit", "Delete what is chosen", () => s.remove(), "remove", "Delete", "trash");
  add("Edit", "Properties of the model (gravity, units, integrator)", () => s.choose(["model"], false, true), "settings", "", "gear");
  add("Run", "Run", () => s.run(), "simulate start compute", "Ctrl+Enter", "play"); for (const o of s.kind.options) add("Run", `Run: ${o.text}`, () => { s.kind.value = o.value; s.head(); s.run(); }, "analysis simulate", "", "play");
  for (const id of ["console", "plots", "peaks", "script", "parameters"]) if ($(`tab-${id}`)) add("Panel", $(`tab-${id}`).textContent, () => s.results.tab(id), "show tab panel", "", "list");
  for (const [text, act] of s.layout.commands()) add("Panel", text, act, "layout dock panel", "", "list");
  for (const b of $("view-tools").querySelectorAll("button")) add("View", b.getAttribute("aria-label"), () => b.click(), b.title, "", "eye");
  add("View", "Light or dark theme", () => s.themeButton.click(), "", "", "moon"); add("Help", "Keys", () => s.help(), "shortcuts keyboard", "?", "help"); add("Help", "Guided slider-crank", () => s.guide.begin(), "tutorial lesson", "", "help");
  for (const r of s.tree.items.values()) add("Element", r[2], () => s.choose([key(r[0], r[1])], false, true), `${r[0]}/${r[1]} ${r[0]}`, "", "part");
  return out;
}

export function palette(s) {
  const all = commands(s), input = el("input", { type: "text", id: "palette-input", class: "box", placeholder: "What do you want to do? link, hinge, spring, run, ...", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-label": "Find a command", autocomplete: "off", spellcheck: "false" });
  const list = el("div", { id: "palette-list", role: "listbox", "aria-label": "Commands" }), d = el("dialog", { id: "palette", "aria-label": "Commands" }, input, list); let shown = [], at = 0;
  const act = (c) => { d.close(); d.remove(); c.act(); };
  const fill = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean), score = (c) => { const text = c.text.toLowerCase(), more = `${text} ${c.words} ${c.group}`.toLowerCase(); if (!words.every((w) => more.includes(w))) return -1; return (words.length && text.startsWith(words[0]) ? 8 : 0) + (words.every((w) => text.includes(w)) ? 4 : 0) + (c.group === "Element" ? 0 : 1) + (c.group === "Draw" ? 1 : 0); };
    shown = all.map((c) => [score(c), c]).filter(([n, c]) => n >= 0 && (words.length || c.group !== "Element")).sort((a, b) => b[0] - a[0]).slice(0, 60).map(([, c]) => c); at = 0;
    list.replaceChildren(...(shown.length ? shown.map((c, n) => el("div", { class: "command", role: "option", id: `command-${n}`, "aria-selected": String(n === 0), onclick: () => act(c), onpointermove: () => mark(n) }, icon(c.ic), el("span", { class: "name", text: c.text }), el("span", { class: "more", text: c.group }), c.k ? el("kbd", { text: c.k }) : null)) : [el("div", { class: "empty", text: `No command contains '${input.value}'.` })]));
    input.setAttribute("aria-activedescendant", shown.length ? "command-0" : "");
  };
  const mark = (n) => { if (!shown.length) return; list.children[at]?.setAttribute("aria-selected", "false"); at = (n + shown.length) % shown.length; list.children[at].setAttribute("aria-selected", "true"); list.children[at].scrollIntoView({ block: "nearest" }); input.setAttribute("aria-activedescendant", `command-${at}`); };
  input.addEventListener("input", fill);
  input.addEventListener("keydown", (e) => { if (e.key === "ArrowDown" || e.key === "ArrowUp") { e.preventDefault(); mark(at + (e.key === "ArrowDown" ? 1 : -1)); } else if (e.key === "Enter") { e.preventDefault(); if (shown[at]) act(shown[at]); } });
  d.addEventListener("click", (e) => { if (e.target === d) d.close(); }); d.addEventListener("close", () => d.remove());
  fill(); document.body.append(d); d.showModal(); input.focus();
}
