// names for parts of the theme that assistive technology would meet without one
(function () {
  const search = document.querySelector(".md-search[role=dialog]");
  if (search && !search.getAttribute("aria-label")) search.setAttribute("aria-label", "Search");
  const name = () => {
    document.querySelectorAll(".md-code__nav").forEach((nav, k) => nav.setAttribute("aria-label", `Tools of code block ${k + 1}`));
    document.querySelectorAll(".md-typeset__scrollwrap, .highlight pre > code").forEach((box) => {
      if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
    });
    document.querySelectorAll(".md-typeset th").forEach((head) => {  // an empty heading is a plain cell
      if (!head.textContent.trim() && !head.children.length) head.replaceWith(document.createElement("td"));
    });
    const seen = new Set();
    document.querySelectorAll("nav[aria-labelledby]").forEach((nav) => {  // one landmark of each name
      const of = nav.getAttribute("aria-labelledby"), text = (document.getElementById(of)?.textContent || of).trim();
      nav.removeAttribute("aria-labelledby");
      nav.setAttribute("aria-label", seen.has(text) ? `${text} (${of.replace(/\D+/g, " ").trim() || "section"})` : text);
      seen.add(text);
    });
    const labels = new Set();
    document.querySelectorAll("nav[aria-label]").forEach((nav) => {  // a module and its class differ in case alone
      const text = nav.getAttribute("aria-label").trim();
      let label = text;
      for (let n = 2; labels.has(label.toLowerCase()); n++) label = `${text} (${n})`;
      labels.add(label.toLowerCase());
      if (label !== text) nav.setAttribute("aria-label", label);
    });
  };
  name();
  new MutationObserver((changes) => changes.some((c) => c.addedNodes.length) && name()).observe(document.body, { childList: true, subtree: true });
})();
