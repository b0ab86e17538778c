// Numbers of a spline, a matrix or the points of a curve in a table with its picture; a spreadsheet's cells can be pasted into it.
import { button, el, later, number, pretty, wanted } from "./dom.js";

const MOST = 2000; // rows that are edited here
const field = (e, name) => e.rows.find((r) => r.name === name)?.value;
export const tabulated = (e) => (e.kind === "SPLINE" || e.kind === "MATRIX" ? !field(e, "file") && !field(e, "routine") : e.kind === "CURVE" && !!field(e, "matrix"));

function columns(e) { // heads, rows of texts
  if (e.kind === "SPLINE") { const x = field(e, "x") || [], y = field(e, "y") || [], z = field(e, "z") || []; return { heads: ["x", ...y.map((_, k) => (z.length ? `y at z = ${z[k]}` : "y"))], rows: x.map((v, n) => [v, ...y.map((r) => r[n])].map(String)) }; }
  const c = field(e, "columns"), values = field(e, "values") || []; return { heads: Array.from({ length: c }, (_, k) => (c === 3 ? "xyz"[k] : `column ${k + 1}`)), rows: Array.from({ length: field(e, "rows") }, (_, n) => values.slice(c * n, c * (n + 1)).map(String)) };
}
export async function tabulate(studio, e) {
  if (e.kind === "CURVE") { try { e = (await studio.link.ask("element", { kind: "MATRIX", id: field(e, "matrix") })).element; } catch (x) { return studio.tell(x.message); } }
  let numbers; try { numbers = (await studio.link.ask("numbers", { kind: e.kind, id: e.id })).numbers; } catch (x) { return studio.tell(x.message); }
  for (const r of e.rows) if (r.name in numbers) r.value = numbers[r.name];
  const { heads, rows } = columns(e); if (rows.length > MOST) return studio.tell(`${e.name} has ${rows.length} rows; a table here has ${MOST} at most: give it a file, or edit it in Python`);
  const body = el("tbody"), box = el("div", { class: `table-plot${heads.length === 2 || e.kind !== "SPLINE" ? " one" : ""}` }), fault = el("div", { class: "fault", role: "alert" }); let plot = null;
  const cells = () => [...body.rows].map((r) => [...r.querySelectorAll("input")].map((i) => i.value.trim())), parsed = () => cells().map((r) => r.map((v) => { try { return number(v, ""); } catch { return NaN; } }));
  const at = (i) => { const tr = i.closest("tr"); return [tr.sectionRowIndex, [...tr.querySelectorAll("input")].indexOf(i)]; }, cell = (r, c) => body.rows[r]?.querySelectorAll("input")[c];
  const add = (values, after = body.rows.length - 1) => { const tr = el("tr", {}, heads.map((h, k) => { const i = el("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" }); i.value = values?.[k] ?? ""; return el("td", {}, i); })); body.rows[after] ? body.rows[after].after(tr) : body.append(tr); return tr; };
  const relabel = () => [...body.rows].forEach((r, n) => r.querySelectorAll("input").forEach((i, k) => i.setAttribute("aria-label", `${heads[k]}, row ${n + 1}`)));
  const draw = () => {
    const v = parsed(), bad = v.flatMap((r, n) => r.map((x, k) => (Number.isFinite(x) ? null : `${heads[k]}, row ${n + 1}: ${wanted(cell(n, k).value)}`))).find(Boolean), fall = e.kind === "SPLINE" ? v.findIndex((r, n) => n && !(r[0] > v[n - 1][0])) : -1;
    fault.textContent = bad || (fall > 0 ? `x must rise: row ${fall + 1} follows ${v[fall - 1][0]}` : v.length < 2 && e.kind === "SPLINE" ? "give two rows or more" : ""); if (fault.textContent) return;
    plot?.destroy(); plot = null; box.replaceChildren(); const col = (k) => v.map((r) => r[k]);
    if (e.kind === "SPLINE" && heads.length > 1) plot = holonomPlot.create(box, { x: col(0), series: heads.slice(1).flatMap((h, k) => [{ name: heads.length > 2 ? h : "", y: col(k + 1), colour: k }, { name: "", y: col(k + 1), colour: k, mode: "marks" }]), units: { x: "", y: pretty(field(e, "view_units") || "") }, xword: "x", yword: "y", height: 230, title: "Points, straight lines between them" });
    else if (heads.length === 3 && v.length > 1) plot = holonomPlot.create(box, { phase: true, x: col(0), series: [{ name: "", x: col(0), y: col(1), t: v.map((_, n) => n), colour: 0 }], units: { x: "", y: "" }, xword: "x", yword: "y", height: 230, title: "Points: y over x" });
  };
  const changed = later(draw, 120);
  body.addEventListener("input", changed);
  body.addEventListener("paste", (x) => {
    const text = x.clipboardData.getData("text/plain").replace(/\r/g, "").replace(/\n+$/, ""); if (!/[\n\t]/.test(text)) return; x.preventDefault(); const [r0, c0] = at(x.target);
    text.split("\n").slice(0, MOST - r0).forEach((line, n) => { if (!body.rows[r0 + n]) add(); line.split("\t").forEach((v, k) => { const i = cell(r0 + n, c0 + k); if (i) i.value = v.trim(); }); }); relabel(); changed();
  });
  body.addEventListener("keydown", (x) => { const go = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }[x.key]; if (!go || !x.target.matches("input")) return; x.preventDefault(); const [r, c] = at(x.target); if (x.key === "Enter" && !body.rows[r + 1]) { add(); relabel(); } cell(r + go, c)?.focus(); });
  let last = 0; body.addEventListener("focusin", (x) => (last = at(x.target)[0]));
  for (const r of rows) add(r); relabel();
  const grid = el("div", { class: "table-grid" }, el("table", {}, el("caption", { class: "unseen", text: `Numbers of ${e.name}` }), el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col", text: h })))), body));
  const tools = el("div", { class: "chart-tools" }, button("Add row", () => { if (body.rows.length >= MOST) return; add(null, last).querySelector("input").focus(); relabel(); changed(); }, { ic: "plus", id: "table-add", title: "A row below the one with the cursor" }), button("Remove row", () => { if (body.rows.length < 2) return; body.rows[Math.min(last, body.rows.length - 1)].remove(); cell(Math.min(last, body.rows.length - 1), 0).focus(); relabel(); changed(); }, { ic: "trash", id: "table-remove" }), el("span", { class: "why", text: "cells of a spreadsheet can be pasted" }));
  const done = studio.dialog(`${e.kind}/${e.id} ${e.name}`, "", [el("div", { class: "table-editor" }, tools, grid, box, fault)], "Take over", async () => {
    draw(); if (fault.textContent) throw new Error("Correct the table first"); const v = cells();
    const values = e.kind === "SPLINE" ? { x: v.map((r) => r[0]), y: heads.slice(1).map((_, k) => v.map((r) => r[k + 1])) } : { rows: v.length, columns: heads.length, values: v.flat() };
    await studio.edit({ do: "fields", kind: e.kind, id: e.id, values }, true); return true;
  });
  requestAnimationFrame(draw); await done; plot?.destroy();
}
