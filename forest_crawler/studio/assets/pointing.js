// What the editor and the labeller share: tools, keys, the frame, and requests with the token.
export const csrf = document.querySelector("meta[name=csrf]").content;

export async function post(address, row) {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: JSON.stringify(row),
  });
  const kind = answer.headers.get("content-type") || "";
  if (!kind.startsWith("application/json")) return { error: (await answer.text()).slice(0, 300) };
  return answer.json();
}

export function text(name, value, className = "") {
  const made = document.createElement(name);
  made.textContent = value;
  if (className) made.className = className;
  return made;
}

export function showProblem(message) {
  const box = document.getElementById("problem");
  box.hidden = !message;
  box.textContent = message || "";
}

// Connects tools, keyboard and frame; `use` gets a tool, a dfs number and whether the element is
// meant instead of the last one, `undo` gets nothing.
export function connect({ use, undo, ready }) {
  const frame = document.getElementById("frame");
  const tools = [...document.querySelectorAll("[data-tool]")];
  const around = document.getElementById("around");
  let chosen = tools[0].dataset.tool;
  let path = []; // the elements that have buttons, outermost first
  let used = null; // the last click: element and tool

  function choose(tool) {
    chosen = tool;
    for (const it of tools) {
      const isIt = it.dataset.tool === tool;
      it.setAttribute("aria-checked", String(isIt));
      it.tabIndex = isIt ? 0 : -1;
    }
  }

  // Buttons for an element and those around it: a mouse reaches only the innermost one.
  function showPath(next) {
    if (!Array.isArray(next)) return;
    const isWithin = next.every((it, number) => it.dfs === path[number]?.dfs);
    if (!isWithin) {
      path = next;
      around.replaceChildren(...path.map(({ name }) => text("button", String(name), "step")));
      path.forEach(({ dfs }, number) => {
        around.children[number].type = "button";
        around.children[number].dataset.dfs = dfs;
        around.children[number].addEventListener("click", () => useInstead(dfs));
      });
    }
    path.forEach(({ dfs }, number) => {
      around.children[number].setAttribute("aria-current", String(dfs === next.at(-1)?.dfs));
    });
  }

  function useInstead(dfs) {
    const isInstead = used?.tool === chosen && path.some((it) => it.dfs === used.dfs);
    used = { dfs, tool: chosen };
    frame.contentWindow.postMessage({ forest: "point", dfs }, "*");
    use(chosen, dfs, isInstead);
  }

  function stepBack() {
    used = null;
    undo();
  }

  function press(key) {
    const tool = tools.find((it) => it.querySelector("kbd").textContent === key);
    if (tool) choose(tool.dataset.tool);
    else if (key === "z") stepBack();
    else return false;
    return true;
  }

  tools.forEach((it, number) => {
    it.addEventListener("click", () => choose(it.dataset.tool));
    it.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const next = tools[(number + step + tools.length) % tools.length];
      choose(next.dataset.tool);
      next.focus();
    });
  });
  choose(chosen);
  document.getElementById("undo").addEventListener("click", stepBack);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select");
    if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) press(event.key);
  });
  addEventListener("message", (event) => {
    if (event.source !== frame.contentWindow || typeof event.data !== "object") return;
    const { forest, dfs, key } = event.data;
    if (forest === "ready") ready();
    else if (forest === "use" && Number.isInteger(dfs)) {
      used = { dfs, tool: chosen };
      use(chosen, dfs, false);
    } else if (forest === "cursor") {
      document.getElementById("cursor").textContent = String(event.data.text);
      showPath(event.data.path);
    } else if (forest === "key" && key === "Escape") tools.find((it) => it.tabIndex === 0).focus();
    else if (forest === "key") press(String(key));
  });
  return (marks) => frame.contentWindow.postMessage({ forest: "marks", marks }, "*");
}
