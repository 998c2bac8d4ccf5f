// Runs in the sandboxed frame of a page: reports the elements that a person points at, by their dfs
// numbers, and shows the marks that the page around it sends.
(() => {
  "use strict";
  const MARKS = ["forest-body", "forest-strip", "forest-title", "forest-author", "forest-date"];
  const style = document.createElement("style");
  style.textContent =
    "[data-dfs]{cursor:pointer}.forest-cursor{outline:3px solid #d9480f!important;outline-offset:1px}" +
    ".forest-hover{outline:2px dashed #d9480f;outline-offset:1px}";
  document.head.append(style);
  document.body.tabIndex = 0;
  let cursor = null;
  let hover = null;

  const tell = (message) => parent.postMessage(message, "*");
  const numberOf = (element) => Number(element.dataset.dfs);
  const nearest = (node) => (node instanceof Element ? node.closest("[data-dfs]") : null);

  const nameOf = (element) => (element.dataset.tag || element.localName) + (element.dataset.name || "");

  function describe(element) {
    const name = nameOf(element);
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
    return `${name}: ${text || "no text"}`;
  }

  // The element and those around it, outermost first; a rule is often better for one of them.
  function pathOf(element) {
    const path = [];
    for (let it = element; it && path.length < 12; it = outward(it)) {
      path.unshift({ dfs: numberOf(it), name: nameOf(it) });
    }
    return path;
  }

  function point(element) {
    if (!element) return;
    cursor?.classList.remove("forest-cursor");
    cursor = element;
    cursor.classList.add("forest-cursor");
    cursor.scrollIntoView({ block: "nearest" });
    tell({ forest: "cursor", dfs: numberOf(cursor), text: describe(cursor), path: pathOf(cursor) });
  }

  function use(element) {
    if (element) tell({ forest: "use", dfs: numberOf(element) });
  }

  const pointable = (element) => element && (element.dataset?.dfs ? element : null);
  function inward(element) {
    return element.querySelector("[data-dfs]");
  }
  function outward(element) {
    return element.parentElement?.closest("[data-dfs]");
  }
  function sideways(element, step) {
    let next = element[step];
    while (next && !pointable(next)) next = inward(next) || next[step];
    return next;
  }

  const MOVES = {
    ArrowRight: (it) => inward(it),
    ArrowLeft: (it) => outward(it),
    ArrowDown: (it) => sideways(it, "nextElementSibling") || inward(it),
    ArrowUp: (it) => sideways(it, "previousElementSibling") || outward(it),
  };

  document.addEventListener("click", (event) => {
    event.preventDefault();
    const element = nearest(event.target);
    point(element);
    use(element);
  });
  document.addEventListener("mouseover", (event) => {
    hover?.classList.remove("forest-hover");
    hover = nearest(event.target);
    hover?.classList.add("forest-hover");
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = MOVES[event.key];
    if (move) {
      event.preventDefault();
      point(cursor ? move(cursor) : document.body);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      use(cursor);
    } else if (event.key === "Escape" || event.key.length === 1) {
      tell({ forest: "key", key: event.key });
    }
  });
  addEventListener("message", (event) => {
    if (event.source !== parent) return;
    if (event.data?.forest === "point") {
      point(document.querySelector(`[data-dfs="${Number(event.data.dfs)}"]`));
    }
    if (event.data?.forest !== "marks") return;
    for (const element of document.querySelectorAll("[data-dfs]")) {
      element.classList.remove(...MARKS);
    }
    for (const [mark, numbers] of Object.entries(event.data.marks)) {
      if (!MARKS.includes(mark)) continue;
      for (const number of numbers) {
        document.querySelector(`[data-dfs="${Number(number)}"]`)?.classList.add(mark);
      }
    }
  });
  tell({ forest: "ready" });
})();
