// Small helpers: elements made without markup (texts are texts), icons, the websocket, numbers in words.
export const PATHS = {
  file: "M4 2h6l4 4v10H4zM10 2v4h4", undo: "M4 7h7a4 4 0 0 1 0 8H7M4 7l3-3M4 7l3 3", redo: "M14 7H7a4 4 0 0 0 0 8h4M14 7l-3-3M14 7l-3 3", plus: "M9 4v10M4 9h10",
  play: "M5 3.5v11l9-5.5z", pause: "M6 4v10M12 4v10", step: "M4 4v10l7-5zM13.5 4v10", stop: "M4.5 4.5h9v9h-9z", moon: "M14.5 10.5A6 6 0 1 1 7.5 3.5a5 5 0 0 0 7 7z",
  gear: "M9 6.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM9 2v2M9 14v2M2 9h2M14 9h2M4 4l1.5 1.5M12.5 12.5 14 14M4 14l1.5-1.5M12.5 5.5 14 4",
  part: "M9 2l6 3.5v7L9 16l-6-3.5v-7zM3 5.5 9 9l6-3.5M9 9v7", marker: "M4 14V5M4 14h9M4 14l5-5", joint: "M9 6a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM9 2v4M9 12v4",
  motion: "M3 12a6 6 0 0 1 11-4M14 4v4h-4", force: "M3 15 14 4M14 4v6M14 4H8", contact: "M6 9a3 3 0 1 0 0 .1M12 9a3 3 0 1 0 0 .1", curve: "M3 14c4 0 4-10 12-10", list: "M4 5h10M4 9h10M4 13h7",
  shape: "M3 14 9 3l6 11z", eye: "M2 9s3-5 7-5 7 5 7 5-3 5-7 5-7-5-7-5zM9 7a2 2 0 1 0 0 4 2 2 0 0 0 0-4", trash: "M4 5h10M7 5V3h4v2M5.5 5l.5 10h6l.5-10", pick: "M9 2v4M9 12v4M2 9h4M12 9h4", help: "M7 7a2 2 0 1 1 3 1.7c-.8.5-1 .8-1 1.8M9 13v.2M9 2a7 7 0 1 0 0 14A7 7 0 0 0 9 2",
  save: "M3 3h10l2 2v10H3zM6 3v4h5V3M6 15v-5h6v5", close: "M5 5l8 8M13 5l-8 8", home: "M3 9 9 3l6 6M5 8v7h8V8",
};
export function el(tag, given = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(given)) {
    if (v === undefined || v === null || v === false) continue;
    if (k === "text") e.textContent = v;
    else if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k in e && typeof v !== "string" && k !== "list") e[k] = v;
    else e.setAttribute(k, v === true ? "" : v);
  }
  e.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return e;
}
export function icon(name) {
  const s = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  s.setAttribute("viewBox", "0 0 18 18"); s.setAttribute("aria-hidden", "true");
  const p = document.createElementNS("http://www.w3.org/2000/svg", "path");
  p.setAttribute("d", PATHS[name] || PATHS.list); s.append(p);
  return s;
}
export const button = (label, on, { ic, title, cls = "", id, text = true, ...more } = {}) =>
  el("button", { type: "button", class: `button ${cls}`, onclick: on, title: title || label, "aria-label": label, id, ...more }, ic ? icon(ic) : null, text ? el("span", { text: label }) : null);
export const counted = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
export const $ = (id) => document.getElementById(id);
export const shown = (x, n = 5) => (x === null || x === undefined || !isFinite(x) ? "–" : Math.abs(x) !== 0 && (Math.abs(x) >= 1e6 || Math.abs(x) < 1e-3) ? x.toExponential(n - 1) : String(+x.toPrecision(n)));
// A number in a field: in nine characters at most while nobody types, so that no exponent is cut off; all digits with the cursor in it and as a tip.
const brief = (t) => { const x = Number(t); if (t.length <= 9 || !isFinite(x)) return t; for (let n = 9; n > 2; n--) { const s = Math.abs(x) < 1e-3 ? x.toExponential(n - 1).replace(/\.?0+e/, "e") : String(+x.toPrecision(n)); if (s.length <= 9) return s; } return x.toExponential(3).replace("e+", "e"); };
export function numeral(i, v) {
  if (typeof v !== "number") { i.value = v ?? ""; return i; }
  const all = String(v); i.value = brief(all); i.title = i.dataset.all = all;
  i.addEventListener("focus", () => { if (i.value === brief(all) && i.value !== all) { i.value = all; i.select(); } }); i.addEventListener("blur", () => { if (i.value === all) i.value = brief(all); });
  return i;
}
export const typed = (i) => (i.dataset.all !== undefined && i.value === brief(i.dataset.all) ? i.dataset.all : i.value); // what a field holds, all digits
export function wanted(text, unit = "") { // what to give in place of a text that is not a number (as `forms.wanted_number`)
  const m = /^\s*([-+]?\d*)([.,]?)(\d*(?:[eE][-+]?\d+)?)\s*([^\d\s,;.][^\d,;]*)?$/.exec(text); if (!m || !(/\d/.test(m[1]) || m[3])) return "give a number";
  if (m[4]) return `the Studio takes numbers in units of the model, so write only the number${unit ? `, in ${pretty(unit)}` : ""}`;
  return m[2] === "," ? `write it with a decimal point, ${m[1] || "0"}${m[3] ? "." : ""}${m[3]}` : Number(text) === 0 ? "it is closer to zero than a number can be; give 0" : "give a number";
}
export function number(text, name, unit = "") { // a number that somebody typed (as `forms.typed`); throws the sentence for what is none
  const t = String(text).trim(), v = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(t) ? Number(t) : NaN;
  if (!isFinite(v) || (v === 0 && /[1-9]/.test(t.split(/e/i)[0]))) throw new Error(`${name} is '${text}'; ${wanted(t, unit)}`);
  return v + 0;
}
export const pretty = (u) => (u || "").replaceAll("*", "·").replaceAll("^2", "²").replaceAll("^3", "³").replaceAll("^4", "⁴");
export function later(work, ms) { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => work(...a), ms); }; }

// The token of the address: in the storage of this tab alone, not in its history and not in a cookie.
const KEY = "holonom-token", given = new URLSearchParams(location.search).get("token");
if (given) { sessionStorage.setItem(KEY, given); history.replaceState(null, "", location.pathname); }
export const token = () => sessionStorage.getItem(KEY) || "";
export async function fetched(url) { const r = await fetch(url, { headers: { Authorization: `Bearer ${token()}` } }); if (!r.ok) throw new Error(await r.text()); return r; }
export async function download(url, name) { // a file of the server, or one that is here already
  const own = /^(blob|data):/.test(url), href = own ? url : URL.createObjectURL(await (await fetched(url)).blob()), a = el("a", { href, download: name });
  document.body.append(a); a.click(); a.remove(); if (!own) setTimeout(() => URL.revokeObjectURL(href), 60000);
}
export async function uploaded(file) { // a mesh of this computer, into the folder of the model
  const r = await fetch(`/mesh?name=${encodeURIComponent(file.name)}`, { method: "POST", headers: { Authorization: `Bearer ${token()}` }, body: file });
  if (!r.ok) throw new Error(await r.text()); return r.json();
}
const REFUSED = 4403;

export class Link {
  // Requests and answers over one websocket; it comes back by itself when the server does.
  constructor(hear, pose, state, settle) { Object.assign(this, { hear, pose, state, settle, n: 0, waiting: new Map() }); this.open(); } // settle: a promise of what precedes a request, or null
  open() {
    if (!token()) return this.enter("Paste the address that the terminal of the Studio shows.");
    const s = (this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/talk`));
    s.binaryType = "arraybuffer";
    s.onopen = () => { s.send(JSON.stringify({ do: "enter", token: token() })); this.state(true); };
    s.onmessage = (e) => {
      if (typeof e.data !== "string") return this.pose(e.data);
      const m = JSON.parse(e.data);
      if ("re" in m && this.waiting.has(m.re)) { const w = this.waiting.get(m.re); this.waiting.delete(m.re); m.error ? w.no(new Error(m.error)) : w.yes(m); }
      else this.hear(m);
    };
    s.onclose = (e) => {
      this.state(false); for (const w of this.waiting.values()) w.no(new Error("the server does not answer")); this.waiting.clear();
      if (e.code === REFUSED) this.enter("This Studio has another address now: paste the one that its terminal shows."); else setTimeout(() => this.open(), 1000);
    };
  }
  enter(words) { // a page that asks for the address
    document.getElementById("enter")?.remove();
    const field = el("input", { type: "text", class: "box", id: "enter-address", autocomplete: "off", spellcheck: "false", "aria-label": "Address" }), fault = el("div", { class: "fault", role: "alert" });
    const d = el("dialog", { id: "enter", "aria-label": "Connect" }, el("form", { method: "dialog", onsubmit: (e) => {
      e.preventDefault(); const t = field.value.trim(), found = /[?&]token=([^&#\s]+)/.exec(t), host = /^https?:\/\/([^/?#]+)/.exec(t);
      if (!found) { fault.textContent = "This address has no token; it is of the form http://127.0.0.1:PORT/?token=..."; return; }
      if (host && host[1] !== location.host) { location.href = t; return; }
      sessionStorage.setItem(KEY, found[1]); d.remove(); this.open();
    } }, el("h2", { text: "Connect to the Studio" }), el("div", { class: "help", text: words }), el("div", { class: "body" }, field), fault, el("div", { class: "end" }, el("button", { type: "submit", class: "button strong", text: "Connect" }))));
    d.addEventListener("cancel", (e) => e.preventDefault()); document.body.append(d); d.showModal(); document.body.dataset.enter = "1";
  }
  ask(what, given = {}) { const first = this.settle(what, given); return first ? first.then(() => this.send(what, given)) : this.send(what, given); }
  send(what, given = {}) {
    return new Promise((yes, no) => {
      if (this.socket?.readyState !== 1) return no(new Error("the server does not answer; the window tries again"));
      const n = ++this.n; this.waiting.set(n, { yes, no }); this.socket.send(JSON.stringify({ n, do: what, ...given }));
    });
  }
}
export async function block(url) {
  // Length of a table, the table, and numbers behind it.
  const data = await (await fetched(url)).arrayBuffer(), n = new DataView(data).getUint32(0, true);
  return { table: JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, n))), data, at: 4 + n };
}
export function popup(anchor, items, label) {
  // A menu below a button: [label, action, key] rows, strings are titles, null is a line.
  document.querySelector(".menu")?.remove();
  const m = el("div", { class: "menu", role: "menu", "aria-label": label, popover: "auto" });
  for (const item of items) {
    if (item === null) m.append(el("hr"));
    else if (typeof item === "string") m.append(el("div", { class: "title", text: item, role: "presentation" }));
    else m.append(el("button", { class: "item", role: "menuitem", type: "button", disabled: item[3] === false, onclick: () => { m.hidePopover(); item[1](); } }, el("span", { text: item[0] }), item[2] ? el("kbd", { text: item[2] }) : null));
  }
  m.addEventListener("keydown", (e) => {
    const all = [...m.querySelectorAll(".item:not(:disabled)")], k = all.indexOf(document.activeElement);
    const go = { ArrowDown: k + 1, ArrowUp: k - 1, Home: 0, End: all.length - 1 }[e.key];
    if (go !== undefined) { e.preventDefault(); all[(go + all.length) % all.length]?.focus(); }
    else if (e.key.length === 1 && !e.ctrlKey) { const f = all.find((b, n) => n > k && b.textContent.toLowerCase().startsWith(e.key.toLowerCase())) || all.find((b) => b.textContent.toLowerCase().startsWith(e.key.toLowerCase())); f?.focus(); }
  });
  m.addEventListener("toggle", (e) => { if (e.newState === "closed") { m.remove(); anchor.focus?.(); } });
  document.body.append(m); m.showPopover();
  const a = anchor.getBoundingClientRect ? anchor.getBoundingClientRect() : anchor;
  m.style.left = `${Math.min(a.left, innerWidth - m.offsetWidth - 6)}px`; m.style.top = `${Math.min(a.bottom + 2, innerHeight - m.offsetHeight - 6)}px`;
  m.querySelector(".item:not(:disabled)")?.focus();
}
