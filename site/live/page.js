// The button of a lesson's page. Until it is pressed nothing is loaded but this file.
// The page's own cells become editable and run in a worker (engine.js), and their outputs take the place of the stored.
(() => {
"use strict";
const here = document.currentScript.src; // a plain script: modules do not load on a page opened from a file

const name = location.pathname.split("/").pop().replace(/\.html$/, "");
const make = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// ---- the bar below the title ----

const status = make("span", { role: "status", className: "honest-live-status" });
const button = (text, press) => make("button", { type: "button", textContent: text, onclick: press });
const runAll = button("Run this page", () => run(cells ? cells.length - 1 : Infinity));
const stop = button("Stop", () => { engine?.stop(); });
const reset = button("Reset", () => { engine?.stop(); engine = null; restore(); tell("Reset: the page is as it was stored."); });
stop.hidden = reset.hidden = true;
const bar = make("div", { className: "honest-live" }, runAll, stop, reset, status);
const tell = (words) => { status.textContent = words; };
if (/^(13|18)_/.test(name)) {
  bar.append(make("a", { href: new URL("audit.html", here).href, textContent: "Audit a table of yours here" }));
}
document.querySelector(".bd-article h1")?.after(bar);

// ---- cells ----

let cells = null; // what build.py wrote: {source, shown}, here with the nodes of the page
let engine = null;
let busy = false;
let done = -1; // the last cell that has run since the engine started

async function readCells() {
  const answer = await fetch(new URL(`cells/${name}.json`, here));
  if (!answer.ok) throw new Error("This page has no cells to run: make live builds them.");
  const lesson = await answer.json();
  if (lesson.needs) {
    throw new Error(`This lesson does not run in a browser: it needs ${lesson.needs}. With the repository, make lab runs it.`);
  }
  const boxes = [...document.querySelectorAll(".bd-article div.cell")];
  const shown = lesson.cells.filter((cell) => cell.shown);
  if (boxes.length !== shown.length) throw new Error("The page and its cells are not of one build: make live builds them anew.");
  shown.forEach((cell, number) => open(cell, boxes[number]));
  return lesson.cells;
}

function open(cell, box) {
  const input = box.querySelector(".cell_input");
  let output = box.querySelector(".cell_output");
  if (!input) return; // a quiz: what it shows stays
  if (!output) {
    output = make("div", { className: "cell_output docutils container" });
    input.after(output);
  }
  Object.assign(cell, { box, output, stored: [...output.childNodes] });
  const code = input.querySelector("pre");
  cell.area = make("textarea", { value: cell.source, spellcheck: false, className: "honest-live-code" });
  cell.area.setAttribute("aria-label", "Code of this cell; Shift and Enter run it");
  cell.area.setAttribute("autocapitalize", "off");
  const fit = () => { cell.area.rows = cell.area.value.split("\n").length; };
  cell.area.oninput = fit;
  cell.area.onkeydown = (event) => {
    if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); runOne(cell); }
  };
  fit();
  const controls = make("div", { className: "honest-live-cell" },
    button(isExercise(cell) ? "Run and check" : "Run", () => runOne(cell)), button("Run to here", () => run(cells.indexOf(cell))));
  cell.highlighted = code.parentElement;
  cell.highlighted.replaceWith(cell.area);
  cell.area.after(controls);
  cell.controls = controls;
}

// An answer is checked at once: its check stands in a fold below it.
const isExercise = (cell) => cell.box.classList.contains("tag_exercise");
function runOne(cell) {
  const number = cells.indexOf(cell);
  return run(isExercise(cell) ? number + 1 : number, number);
}

function restore() {
  done = -1;
  for (const cell of cells ?? []) {
    if (!cell.area) continue;
    cell.area.value = cell.source;
    cell.area.oninput();
    cell.output.replaceChildren(...cell.stored);
    cell.box.classList.remove("honest-live-error");
  }
}

// ---- running ----

// From a file a browser loads no module, so that this sentence must stand here.
function load() {
  if (location.protocol !== "file:") return import(new URL("engine.js", here));
  throw new Error("A page that was opened from a file cannot run: make live-serve shows the site so that it can.");
}

// Runs up to a cell, from the top or from another one; of those before that one it runs what has not run yet.
async function run(last, from = 0) {
  if (busy) { tell("It is running already; Stop ends it."); return; }
  busy = true;
  runAll.disabled = true;
  stop.hidden = reset.hidden = false;
  const begin = performance.now();
  tell("Loading ...");
  const seconds = () => ((performance.now() - begin) / 1000).toFixed(0);
  try {
    if (location.protocol === "file:") await load();
    cells ??= await readCells();
    if (!engine || engine.ended) {
      engine = { stop: () => { engine = null; } };
      const { start } = await load();
      engine = await start(tell);
      done = -1;
    }
    last = Math.min(last, cells.length - 1);
    for (let number = Math.min(from, done + 1); number <= last; number++) {
      tell(`Cell ${number + 1} of ${last + 1} is running (${seconds()} s) ...`);
      const failed = await runCell(cells[number]);
      if (failed && !cells[number].raises) {
        for (const fold of cells[number].box?.querySelectorAll("details.hide") ?? []) fold.open = true;
        cells[number].box?.scrollIntoView({ block: "center" });
        tell(`Cell ${number + 1} stopped with an error, which stands below it. Mend it, and run it again.`);
        return;
      }
      done = Math.max(done, number);
    }
    tell(`Done in ${seconds()} s.`);
    document.dispatchEvent(new CustomEvent("honest-live-done"));
  } catch (error) {
    const again = engine?.ended || !engine ? " What you typed is still there; a run begins anew at the top." : "";
    tell(`${error.message}${cells ? again : ""}`);
  } finally {
    busy = false;
    runAll.disabled = false;
    runAll.textContent = "Run all";
    stop.hidden = true;
  }
}

async function runCell(cell) {
  let failed = false;
  let text = null;
  const shown = [];
  cell.box?.classList.add("honest-live-running");
  cell.output?.replaceChildren();
  cell.results = [];
  try {
    await engine.run_cell(cell.area ? cell.area.value : cell.source, (output) => {
      if ("log" in output) return; // what libraries say on stderr
      cell.results.push(output);
      failed ||= "error" in output;
      if (!cell.output) return;
      if ("stream" in output) {
        if (!text) cell.output.append(text = make("pre"));
        text.append(output.stream);
      } else {
        text = null;
        const node = show(output);
        shown.push(node);
        cell.output.append(node);
      }
    });
  } finally { cell.box?.classList.remove("honest-live-running"); }
  cell.box?.classList.toggle("honest-live-error", failed);
  if (shown.length) window.MathJax?.typesetPromise?.(shown);
  for (const { metadata } of cell.results) { // for marks.js
    const state = metadata?.honest?.exercise;
    if (state) document.dispatchEvent(new CustomEvent("honest-check", { detail: { box: cell.box, state } }));
  }
  return failed;
}

function show({ data, metadata, error }) {
  if (error !== undefined) return make("pre", { className: "honest-live-traceback", textContent: error });
  if (data["image/png"]) {
    const picture = { src: `data:image/png;base64,${data["image/png"]}`, alt: metadata.honest?.alt ?? "A figure" };
    return make("figure", {}, make("img", picture));
  }
  if (data["text/html"]) return make("div", { className: "output text_html", innerHTML: data["text/html"] });
  return make("pre", { textContent: data["text/plain"] });
}

window.honestLive = { run, get cells() { return cells; }, get engine() { return engine; } }; // for the tests
})();
