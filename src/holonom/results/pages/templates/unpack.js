// Reads the packed numbers of a page: plain base64, or differences split by bytes and compressed (see page_data.py).
(() => {
  "use strict";
  if (window.holonomUnpack) return;
  const bytesOf = (text) => {
    const raw = atob(text), bytes = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
    return bytes;
  };
  const words = (text, size) => { // bytes of words back in their places
    const raw = fflate.unzlibSync(bytesOf(text)), n = raw.length / size, out = new Uint8Array(raw.length);
    for (let b = 0; b < size; b++) for (let k = 0; k < n; k++) out[k * size + b] = raw[b * n + k];
    return out;
  };
  window.holonomUnpack = (text, Type) => {
    if (text[0] !== "~") return new Type(bytesOf(text).buffer);
    const cut = text.indexOf(";"), head = text.slice(2, cut).split(","), body = text.slice(cut + 1);
    if (text[1] === "q") { // whole numbers of a step, differences of first or second order, sign in the lowest bit
      const z = new Uint32Array(words(body, 4).buffer), whole = new Int32Array(z.length), out = new Type(z.length), step = +head[1];
      for (let k = 0; k < z.length; k++) whole[k] = (z[k] >>> 1) ^ -(z[k] & 1);
      for (let o = +head[0]; o > 0; o--) for (let k = 1; k < whole.length; k++) whole[k] += whole[k - 1];
      for (let k = 0; k < z.length; k++) out[k] = whole[k] * step;
      return out;
    }
    const [size, columns, order] = head.map(Number), Word = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[size], from = words(body, size);
    const rows = from.length / size / columns, turned = new Uint8Array(from.length);
    if (!Word) { // of eight bytes: no differences
      for (let c = 0; c < columns; c++) for (let r = 0; r < rows; r++) turned.set(from.subarray((c * rows + r) * size, (c * rows + r + 1) * size), (r * columns + c) * size);
      return new Type(turned.buffer);
    }
    const a = new Word(from.buffer), b = new Word(turned.buffer);
    for (let c = 0; c < columns; c++) {
      if (order) for (let r = 1; r < rows; r++) a[c * rows + r] += a[c * rows + r - 1];
      for (let r = 0; r < rows; r++) b[r * columns + c] = a[c * rows + r];
    }
    return new Type(turned.buffer);
  };
  window.holonomScript = (id) => { // runs a compressed script of this page
    const source = document.getElementById(id), script = document.createElement("script");
    script.textContent = new TextDecoder().decode(fflate.unzlibSync(bytesOf(source.textContent)));
    document.head.append(script);
  };
})();
