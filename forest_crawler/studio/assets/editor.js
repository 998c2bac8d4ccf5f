// The editor: clicks and XPaths go to the server, rules and effects come back.
import { connect, post, showProblem, text } from "./pointing.js";

const editor = document.getElementById("editor");
const frame = document.getElementById("frame");
const undoButton = document.getElementById("undo");
const FIELDS = ["title", "author", "date"];
const inputs = Object.fromEntries(["body", "strip", ...FIELDS].map((it) => [it, document.getElementById(it)]));
let shown = editor.dataset.page;
let clicks = [];
let typed = null; // XPaths by hand; clicks are applied to them
const history = [];
let latest = 0;

function lines(name) {
  return inputs[name].value.split("\n").map((it) => it.trim()).filter(Boolean);
}

function readTyped() {
  const row = { body: lines("body"), strip: lines("strip") };
  for (const name of FIELDS) row[name] = inputs[name].value.trim();
  return row;
}

function remember() {
  history.push({ clicks: [...clicks], typed });
  undoButton.disabled = false;
}

async function update({ keepInputs = false } = {}) {
  const number = ++latest;
  editor.setAttribute("aria-busy", "true");
  const row = { base: editor.dataset.base, typed, clicks, shown };
  const found = await post(editor.dataset.draft, row);
  if (number !== latest) return;
  editor.dataset.steps = history.length; // what is shown now is the result of so many steps
  editor.setAttribute("aria-busy", "false");
  showProblem(found.error);
  document.getElementById("pin-button")?.toggleAttribute("disabled", Boolean(found.error));
  if (found.error) return;
  if (!keepInputs) showRules(found.rules);
  listRules(found.rules, found.pages.length);
  showNotes(found.notes);
  showEffects(found);
  mark(found.marks);
}

function showRules(rules) {
  const of = (role) => rules.filter((it) => it.role === role).map((it) => it.xpath);
  for (const name of ["body", "strip"]) inputs[name].value = of(name).join("\n");
  for (const name of FIELDS) inputs[name].value = of(name)[0] || "";
}

function listRules(rules, pages) {
  const rows = rules.map(({ role, css, xpath, pages: number }) => {
    const row = text("li", "", `of-${role}`);
    const count = text("small", `${number} of ${pages}`, number ? "" : "warn");
    row.append(text("span", role, "role"), text("code", css || xpath), count);
    return row;
  });
  if (!rows.length) rows.push(text("li", "No rule yet: click the article's text.", "note"));
  document.getElementById("rules").replaceChildren(...rows);
}

function showNotes(notes) {
  document.getElementById("notes").replaceChildren(...notes.slice(-2).map((it) => text("p", it, "notice")));
}

function list(label, items, className) {
  const box = document.createElement("ul");
  box.className = `diff ${className}`;
  for (const item of items) {
    const row = text("li", "", className);
    row.append(text("span", `${label}: `, "hidden"), item);
    box.append(row);
  }
  return box;
}

function nameOf(page) {
  const options = [...document.getElementById("page").options];
  return options.find((it) => it.value === page.key)?.text ?? page.url;
}

function showEffects(found) {
  const agreement = found.agreement === null ? "" : `agreement ${(100 * found.agreement).toFixed(1)} %`;
  const empty = found.empty ? `, empty on ${found.empty}` : "";
  document.getElementById("total").textContent = agreement + empty;
  const rows = found.pages.map((page) => {
    const made = document.createElement("details");
    const gains = page.gained.length ? ` +${page.gained.length}` : "";
    const losses = page.lost.length ? ` −${page.lost.length}` : "";
    const head = text("summary", `${(100 * page.agreement).toFixed(0)} %${gains}${losses} `);
    if (!page.words) head.append(text("span", "nothing selected", "warn"), " ");
    const name = text("bdi", nameOf(page));
    name.title = page.url;
    head.append(name);
    made.append(head, list("gained", page.gained, "new"), list("lost", page.lost, "old"));
    if (!gains && !losses) made.append(text("p", "Nothing changes.", "note"));
    return made;
  });
  document.getElementById("effects").replaceChildren(...rows);
}

function use(tool, dfs, isInstead) {
  remember();
  if (isInstead) clicks.pop();
  clicks.push({ page: shown, dfs, action: tool });
  update();
}

function undo() {
  const before = history.pop();
  if (!before) return;
  ({ clicks, typed } = before);
  undoButton.disabled = !history.length;
  update();
}

const mark = connect({ use, undo, ready: () => update() });

let typing = 0;
for (const input of Object.values(inputs)) {
  input.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      remember();
      typed = readTyped();
      clicks = [];
      update({ keepInputs: true });
    }, 350);
  });
}

document.getElementById("page").addEventListener("change", (event) => {
  shown = event.target.value;
  frame.src = `${frame.dataset.src}?${new URLSearchParams({ key: shown, edit: "1", wrapper: "0" })}`;
});

addEventListener("beforeunload", (event) => {
  if (history.length && !pinning) event.preventDefault();
});
let pinning = false;
document.getElementById("pin").addEventListener("submit", () => { pinning = true; });

update(); // the frame may have reported that it is ready before this script ran
