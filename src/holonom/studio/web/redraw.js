// Panels that are drawn anew while somebody works in them: what is half typed, the focus, the caret, marked text, scroll positions and what is folded out stay.
const half = new WeakSet(); // fields with text that no change has taken
const built = new WeakMap(); // fields that were given half a text -> the value they were drawn with
const drawnOf = new WeakMap(); // boxes -> what they show
const WORKED = "input, select, textarea, button, summary, [tabindex]", SCROLLED = "div, pre, textarea, section";

let drawing = false;

// A browser ends what is typed in a field that is removed, as if its user had left it: not where it is drawn anew.
for (const what of ["change", "focusout", "blur"]) document.addEventListener(what, (e) => drawing && e.stopImmediatePropagation(), true);
// Of fields with data-taken each key is taken at once; those with data-draft are read by a button, no change takes them.
document.addEventListener("input", (e) => e.target.dataset?.taken === undefined && half.add(e.target), true);
document.addEventListener("change", (e) => e.target.dataset?.draft === undefined && half.delete(e.target), true);
export const refused = (field) => field && half.add(field); // its change was not taken: the text stays until it is
export const dropped = (field) => field && half.delete(field); // its text may be replaced

export const pending = (field) => half.has(field);
export function retake(field) { if (half.has(field)) { built.delete(field); field.dispatchEvent(new Event("change", { bubbles: true })); } } // what could not be sent is sent again
export function leave(field) { // what is typed in the field with the focus is taken, as if its user had left it; the focus and the caret stay
  if (!half.has(field)) return; const at = caret(field); field.blur(); field.focus({ preventScroll: true });
  if (at) { try { field.setSelectionRange(...at); } catch { /* a field without a caret */ } }
}

// A browser sends no change for text that a script has put there: what was begun before a panel was drawn anew is taken as if it had not been.
const take = (field) => { if (half.has(field) && built.has(field) && field.dataset.draft === undefined && field.value !== built.get(field)) { built.delete(field); field.dispatchEvent(new Event("change", { bubbles: true })); } };
document.addEventListener("focusout", (e) => take(e.target), true);
document.addEventListener("keydown", (e) => e.key === "Enter" && e.target.matches?.("input") && take(e.target), true);

const nameOf = (e) => e.id || [e.tagName, e.type, e.getAttribute("aria-label"), ...Object.entries(e.dataset).filter(([k]) => k !== "dirty" && k !== "all").flat(), /^(BUTTON|SUMMARY)$/.test(e.tagName) ? e.textContent.replace(/\d+/g, "") : ""].join(" ");
function named(box, what) { // name -> element, for those that are found again after the box is drawn anew
  const found = new Map(), count = new Map();
  for (const e of box.querySelectorAll(what)) { const name = nameOf(e), n = count.get(name) || 0; count.set(name, n + 1); found.set(`${name} ${n}`, e); }
  return found;
}
const caret = (e) => { try { return e.selectionStart === null ? null : [e.selectionStart, e.selectionEnd, e.selectionDirection]; } catch { return null; } };
function marked(box) { // text that is marked in a box: its place and the text
  const s = getSelection(); if (!s.rangeCount || s.isCollapsed || !box.contains(s.anchorNode) || !box.contains(s.focusNode)) return null;
  const r = s.getRangeAt(0), before = document.createRange(); before.setStart(box, 0); before.setEnd(r.startContainer, r.startOffset);
  return { at: before.toString().length, text: r.toString() };
}
function mark(box, { at, text }) {
  if (box.textContent.slice(at, at + text.length) !== text) return;
  const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), r = document.createRange(); let n = 0, begun = false;
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const m = n + node.length; if (!begun && at < m) { r.setStart(node, at - n); begun = true; }
    if (begun && at + text.length <= m) { r.setEnd(node, at + text.length - n); getSelection().removeAllRanges(); getSelection().addRange(r); return; }
    n = m;
  }
}
export function forget(box) { // says what was typed and not taken in a box that will show something else
  for (const e of box.querySelectorAll("input, textarea")) if (half.delete(e) && e.dataset.draft === undefined) document.dispatchEvent(new CustomEvent("forgotten", { detail: { text: e.value, label: e.getAttribute("aria-label") || e.labels?.[0]?.firstChild?.textContent.trim() || "a field" } }));
}
export function redraw(box, nodes, of = "") { // the children of a box become these nodes; ``of``: what they show, so that nothing typed for one element gets into another
  const same = drawnOf.get(box) === of; drawnOf.set(box, of);
  if (!same) forget(box);
  const active = document.activeElement, before = box.contains(active) || same ? named(box, WORKED) : new Map(), kept = [], open = new Map(), folded = []; let focus = null;
  for (const [name, e] of before) {
    if (e === active) focus = [name, caret(e), e.scrollLeft];
    if (same && half.has(e) && "value" in e) kept.push([name, e.type === "checkbox" ? e.checked : e.value]);
    if (same && e.getAttribute("aria-expanded") === "true" && e.hasAttribute("aria-controls")) folded.push(name);
  }
  for (const [name, e] of same ? named(box, "details") : []) open.set(name, e.open);
  const scrolls = [...(same ? named(box, SCROLLED) : [])].filter(([, e]) => e.scrollTop || e.scrollLeft).map(([name, e]) => [name, e.scrollTop, e.scrollLeft]), own = [box.scrollTop, box.scrollLeft], text = same ? marked(box) : null;
  drawing = same; try { box.replaceChildren(...nodes.flat().filter(Boolean)); } finally { drawing = false; }
  if (!before.size && !scrolls.length && !text && !own[0] && !own[1]) return;
  const after = named(box, WORKED);
  for (const [name, v] of kept) {
    const e = after.get(name); if (!e) continue; built.set(e, e.value);
    if (e.type === "checkbox") e.checked = v; else e.value = v;
    e.dispatchEvent(new Event("input", { bubbles: true })); // it is checked again, against the model as it is now
  }
  if (open.size) for (const [name, e] of named(box, "details")) if (open.has(name)) e.open = open.get(name);
  for (const name of folded) { const e = after.get(name); if (e?.getAttribute("aria-expanded") === "false") e.click(); }
  if (scrolls.length) { const all = named(box, SCROLLED); for (const [name, y, x] of scrolls) { const e = all.get(name); if (e) [e.scrollTop, e.scrollLeft] = [y, x]; } }
  [box.scrollTop, box.scrollLeft] = own;
  const e = focus && after.get(focus[0]);
  if (e) { e.focus({ preventScroll: true }); if (focus[1] && same) { try { e.setSelectionRange(...focus[1]); } catch { /* a field without a caret */ } e.scrollLeft = focus[2]; } }
  if (text) mark(box, text);
}
