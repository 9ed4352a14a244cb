// The page "Audit a table here". The engine starts when a table comes, and never before.
(() => {
"use strict";
const here = document.currentScript.src; // a plain script: modules do not load on a page opened from a file

const MOST = 100e6; // bytes of a table: pandas takes several times as much, and a page some gigabytes at most
const at = (id) => document.getElementById(id);
const tell = (words) => { at("status").textContent = words; };
let engine = null;
let path = null;
let columns = null;
let busy = false;

// Runs Python, gives what it printed; an error of Python becomes one here, with the last line of its traceback.
async function ask(source) {
  let text = "";
  let error = null;
  await engine.run_cell(source, (output) => {
    if (output.stream) text += output.stream;
    if (output.log) { // progress: "groups (3 of 7, 00:12)"
      const step = output.log.split(/[\r\n]+/).filter((line) => /^\w.* \(\d+ of \d+/.test(line)).pop();
      if (step) tell(`The report is being made: ${step}`);
    }
    if (output.error) error = output.error;
  });
  if (error) throw new Error(error.trim().split("\n").pop().replace(/^ValueError: /, ""));
  return text;
}

// From a file a browser loads no module, so that this sentence must stand here.
function load(module) {
  if (location.protocol !== "file:") return import(new URL(module, here));
  throw new Error("A page that was opened from a file cannot run: make live-serve shows the site so that it can.");
}

async function once(work) {
  if (busy) { tell("It is at work already; Stop ends it."); return; }
  busy = true;
  at("stop").hidden = false;
  try { await work(); } catch (error) { tell(error.message); } finally {
    busy = false;
    at("stop").hidden = true;
  }
}

async function take(file) {
  at("result").hidden = at("choice").hidden = true;
  if (file.size > MOST) {
    tell(`${file.name} has ${(file.size / 1e6).toFixed(0)} MB, and a browser holds tables of up to ${MOST / 1e6} MB. On this `
      + `machine, outside of the browser: honest-confidence notebooks/13_audit_your_scores.ipynb (or 14_audit_your_answers.ipynb) -p path ${file.name} --output out/`);
    return;
  }
  let data = await file.arrayBuffer();
  let name = file.name.replace(/[/\\]/g, "_");
  if (/\.parquet$/i.test(name)) {
    const { parquetAsText } = await load("parquet.js");
    data = new TextEncoder().encode(await parquetAsText(data));
    name += ".csv"; // so the report says what was read
  }
  if (!engine || engine.ended) {
    const { start } = await load("engine.js");
    engine = await start(tell);
    tell("Loading the package ...");
    await ask(await (await fetch(new URL("audit.py", here))).text());
  }
  path = `/work/${name}`;
  await engine.files.write(path, new Uint8Array(data));
  tell(`Reading ${file.name} ...`);
  columns = JSON.parse(await ask(`look(${JSON.stringify(path)})`));
  const fill = (select, names, chosen) => {
    select.replaceChildren(...names.map((name) => new Option(name || "(look for such a column)", name)));
    select.value = chosen;
  };
  const { guess, names } = columns;
  for (const role of ["label", "score", "question", "answer"]) fill(at(role), names, guess[role]);
  for (const role of ["reference", "confidence"]) {
    fill(at(role), ["", ...names], guess[role]);
    at(role).firstChild.textContent = "none";
  }
  fill(at("group"), ["", ...names, "none"], "");
  at("group").lastChild.textContent = "none: cases are independent";
  at("kind").value = columns.kind;
  showKind();
  at("seen").textContent = `${file.name}: ${columns.rows.toLocaleString("en")} rows, ${columns.names.length} columns. `
    + "The columns below are a guess: change them where it is wrong.";
  showEvent();
  at("choice").hidden = false;
  tell("");
  at("go").focus();
}

function showKind() {
  for (const kind of ["scores", "answers"]) at(kind).hidden = at("kind").value !== kind;
}

// Labels other than 0 and 1: only the reader knows which of the two the score speaks of.
function showEvent() {
  const two = columns.two[at("label").value] ?? [];
  const words = two.join() === "0,1" || two.join() === "False,True" ? [] : two;
  at("event").replaceChildren(...words.map((word) => new Option(word, word)));
  at("event").selectedIndex = words.length - 1;
  at("event-label").hidden = !words.length;
}

async function audit() {
  at("result").hidden = true;
  if (engine.ended) throw new Error("The engine was stopped: choose the file once more.");
  const begin = performance.now();
  tell("The report is being made ...");
  const [report, ...roles] = at("kind").value === "scores" ? ["report", "label", "score", "event", "group"]
    : ["report_answers", "question", "answer", "reference", "confidence"];
  const given = [path, ...roles.map((role) => at(role).value)];
  await ask(`${report}(${given.map((value) => JSON.stringify(value)).join(", ")})`);
  const files = { ...await engine.files.read("/work/archive"), ...await engine.files.read("/work/report") };
  for (const link of at("files").querySelectorAll("a")) URL.revokeObjectURL(link.href);
  at("files").replaceChildren("Save: ", ...Object.entries(files).map(([name, data]) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([data]));
    link.download = name;
    link.textContent = name === "report.zip" ? "all files (report.zip)" : name;
    return link;
  }));
  at("report").srcdoc = new TextDecoder().decode(files["report.html"]);
  at("result").hidden = false;
  at("result").scrollIntoView(); // on a phone it would be below the screen
  tell(`Made in ${((performance.now() - begin) / 1000).toFixed(0)} s, on this machine alone.`);
}

at("file").onchange = ({ target }) => { if (target.files[0]) once(() => take(target.files[0])); };
at("label").onchange = showEvent;
at("kind").onchange = showKind;
at("choice").onsubmit = (event) => { event.preventDefault(); once(audit); };
at("stop").onclick = () => { engine?.stop(); engine = null; tell("Stopped. Choose the file again to go on."); };
for (const name of ["dragover", "dragleave", "drop"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    at("drop").classList.toggle("over", name === "dragover");
    if (name === "drop" && event.dataTransfer.files[0]) once(() => take(event.dataTransfer.files[0]));
  });
}

window.honestLive = { get engine() { return engine; } }; // for the tests
})();
