// Search in pages that are opened from the disk: browsers start no Worker there, so the worker's script runs in a hidden frame instead.
// The theme's search knows a class of this name and loads its parts beside the script.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.url = url;
      this.onerror = this.onmessage = this.onmessageerror = null;
      this.waiting = [];
      const frame = (this.frame = document.createElement("iframe"));
      frame.hidden = true;
      frame.title = "search";
      document.body.append(frame);
      const inside = frame.contentWindow, page = inside.document;
      page.open();
      page.write("<!doctype html><html><body></body></html>");
      page.close();
      const load = (source) => new Promise((done, failed) => {
        const script = page.createElement("script");
        script.onload = done;
        script.onerror = failed;
        script.src = source;
        page.body.append(script);
      });
      inside.importScripts = (...sources) => sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      inside.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      this.give = (data) => inside.dispatchEvent(new inside.MessageEvent("message", { data }));
      load(url).then(() => {
        const waiting = this.waiting;
        this.waiting = null;
        waiting.forEach(this.give);
      }, (event) => this.onerror && this.onerror(event));
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else setTimeout(() => this.give(data));
    }
    terminate() {
      this.frame.remove();
    }
  }
  window.IFrameWorker = IFrameWorker;
  window.Worker = IFrameWorker;
}
