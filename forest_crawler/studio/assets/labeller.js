// The labeller: what is pointed at becomes the gold text of a page.
import { connect, post, showProblem, text } from "./pointing.js";

const labeller = document.getElementById("labeller");
const undoButton = document.getElementById("undo");
let body = null; // dfs numbers; the server proposes the first ones
let strip = [];
const history = [];

async function update() {
  const found = await post(labeller.dataset.preview, { key: labeller.dataset.page, body, strip });
  labeller.dataset.steps = history.length;
  showProblem(found.error);
  if (found.error) return;
  body = found.body;
  strip = found.strip;
  document.getElementById("body").value = body.join(",");
  document.getElementById("strip").value = strip.join(",");
  const rows = found.text.split("\n").map((line) => text("p", line));
  rows.push(...found.images.map((it) => text("p", `Picture: ${it}`, "note")));
  document.getElementById("gold").replaceChildren(...rows);
  document.getElementById("total").textContent = `${found.text.length} characters, ${found.images.length} picture${found.images.length === 1 ? "" : "s"}`;
  mark(found.marks);
}

function use(tool, dfs, isInstead) {
  if (!body) return;
  history.push({ body, strip });
  if (isInstead && history.length > 1) ({ body, strip } = history.at(-2));
  undoButton.disabled = false;
  const without = (numbers) => numbers.filter((it) => it !== dfs);
  if (tool === "body") {
    strip = without(strip);
    body = [...without(body), dfs];
  } else if (body.includes(dfs)) {
    body = without(body);
  } else {
    strip = [...strip, dfs];
  }
  update();
}

function undo() {
  const before = history.pop();
  if (!before) return;
  ({ body, strip } = before);
  undoButton.disabled = !history.length;
  update();
}

const mark = connect({ use, undo, ready: update });

document.getElementById("page").addEventListener("change", (event) => {
  location.search = new URLSearchParams({ key: event.target.value });
});

update(); // the frame may have reported that it is ready before this script ran
