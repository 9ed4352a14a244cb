// What a reader has answered on a page: kept in this browser alone, and saved as a file when the reader asks for it.
// A quiz is answered by opening one of its answers, an exercise by running its check (page.js tells of it), and a
// question of the concept test by choosing. Nothing is loaded, and nothing is sent.
(() => {
"use strict";
const script = document.currentScript;
const article = document.querySelector(".bd-article");
const lesson = location.pathname.split("/").pop().replace(/\.html$/, "");
const isTest = lesson === "concept_test";
const make = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};

// ---- what is kept: {who, occasion, marks: {page: {item: {right, tries, answer}}}} ----

const KEY = "honest-marks";
let memory = null; // of this page, in a browser that keeps nothing

function read() {
  try { memory = JSON.parse(localStorage.getItem(KEY)); } catch { /* what the page remembers */ }
  return { who: "", occasion: "before", marks: {}, ...memory };
}

// Reads anew before it writes: another tab may have changed something.
function change(edit) {
  const kept = read();
  edit(kept);
  memory = kept;
  try { localStorage.setItem(KEY, JSON.stringify(kept)); } catch {
    note.textContent = "This browser keeps nothing: save your marks before you leave the page.";
  }
  show();
}

const page = () => (isTest ? `${lesson}_${read().occasion}` : lesson);

// One more answer to an item; after the right one nothing counts, unless the mind may be `changed`.
function mark(item, right, answer, changed = false) {
  change((kept) => {
    const items = kept.marks[page()] ??= {};
    const { right: was, tries } = items[item] ?? { tries: 0 };
    if (!was || changed) items[item] = { right, tries: tries + 1, answer };
  });
}

// ---- quizzes: a click, for a script opens answers, too, where a page is printed ----

const quizzes = [...article.querySelectorAll(".honest-quiz")];
quizzes.forEach((quiz, number) => {
  quiz.querySelectorAll("details.honest-option").forEach((option) => {
    let seen = false;
    option.querySelector("summary").addEventListener("click", () => {
      if (option.open || seen) return;
      seen = true;
      const right = option.querySelector("p strong").textContent === "Right";
      mark(`quiz ${number + 1}`, right, option.querySelector("summary").textContent.slice(1, 2));
    });
  });
});

// ---- exercises; the same answer, run once more, is no other try ----

const checks = "exercises" in script.dataset ? [...article.querySelectorAll(".cell.tag_check")] : [];
const typed = {};
document.addEventListener("honest-check", ({ detail: { box, state } }) => {
  const number = checks.indexOf(box);
  const answer = article.querySelectorAll(".cell.tag_exercise")[number]?.querySelector("textarea")?.value;
  if (number < 0 || !["right", "wrong"].includes(state) || typed[number] === answer) return;
  typed[number] = answer;
  mark(`exercise ${number + 1}`, state === "right", "");
});

// ---- the concept test: its lists become choices, and a look at the solution ends a question ----

const questions = isTest ? [...article.querySelectorAll("details.honest-fold")] : [];
questions.forEach((fold, number) => {
  const list = fold.previousElementSibling;
  const right = fold.querySelector("p strong").textContent.slice(1, 2);
  list.previousElementSibling.id = `question-${number + 1}`;
  list.setAttribute("role", "radiogroup");
  list.setAttribute("aria-labelledby", `question-${number + 1}`);
  list.classList.add("honest-choice-list");
  for (const line of list.querySelectorAll("li > p")) {
    const letter = line.textContent.slice(1, 2);
    const choice = make("input", { type: "radio", name: `question ${number + 1}`, value: letter });
    choice.onchange = () => mark(choice.name, letter === right, letter, true);
    line.replaceChildren(make("label", {}, choice, " ", ...line.childNodes));
    line.parentElement.setAttribute("role", "presentation");
  }
  fold.addEventListener("toggle", () => { if (fold.open) choices(number).forEach((one) => { one.disabled = true; }); });
});
const choices = (number) => [...questions[number].previousElementSibling.querySelectorAll("input")];

function turn(occasion) {
  change((kept) => { kept.occasion = occasion; });
  questions.forEach((fold, number) => {
    fold.open = false;
    for (const choice of choices(number)) {
      choice.disabled = false;
      choice.checked = read().marks[page()]?.[choice.name]?.answer === choice.value;
    }
  });
}

// ---- what the page shows of it ----

const count = make("strong", { role: "status" });
const note = make("span");
const who = make("input", { required: true, maxLength: 40, size: 12, pattern: ".*\\S.*", autocomplete: "off" });
const forget = make("button", { type: "button", textContent: "Forget all marks" });
const form = make("form", { className: "honest-live honest-marks" }, count,
  make("label", {}, "Your code ", who), make("button", { textContent: "Save my marks" }), forget, note);
const total = quizzes.length + checks.length + questions.length;

function show() {
  const kept = read();
  const items = Object.values(kept.marks[page()] ?? {});
  const right = items.filter((item) => item.right).length;
  count.textContent = !isTest ? `${right} of ${total} right on this page`
    : items.length < total ? `${items.length} of ${total} answered` : `${right} of ${total} right`;
  who.value = kept.who;
}

who.onchange = () => change((kept) => { kept.who = who.value.trim(); });
who.title = "A word under which your teacher knows you; it need not be your name";

// One line an item, of all pages.
form.onsubmit = (event) => {
  event.preventDefault();
  const kept = read();
  const lines = Object.entries(kept.marks).flatMap(([of, items]) => Object.entries(items).map(
    ([item, { right, tries, answer }]) => `${JSON.stringify({ who: kept.who, page: of, item, right, tries, answer })}\n`));
  const link = make("a", { href: URL.createObjectURL(new Blob(lines)) });
  link.download = `marks_${kept.who.replace(/[^\p{L}\p{N}-]/gu, "_")}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  note.textContent = `${link.download} has your marks of all pages in this browser.`;
};
forget.onclick = () => {
  if (!confirm("Forget the marks of all pages in this browser?")) return;
  change((kept) => { kept.marks = {}; kept.who = ""; });
  turn("before");
};

if (total) {
  note.textContent = "Your marks stay in this browser: nothing is sent. The file is for your teacher, if you have one.";
  const last = (questions.at(-1) ?? quizzes.at(-1)?.closest(".cell") ?? checks.at(-1));
  last.after(form);
  if (isTest) {
    const occasion = make("select", { onchange: () => turn(occasion.value) },
      new Option("before the course", "before"), new Option("after the course", "after"));
    article.querySelector("#question-1").before(make("p", { className: "honest-live" },
      make("label", {}, "I answer these questions ", occasion)));
    occasion.value = read().occasion;
    turn(occasion.value);
  }
  show();
  addEventListener("storage", ({ key }) => { if (key === KEY) show(); }); // another tab
}
})();
