// 1. What a link leads to, beside the link: the meaning of a term, the statement of a claim, a paper, a formula of this page.
document.addEventListener("DOMContentLoaded", () => {
  const note = document.createElement("div");
  note.className = "honest-preview";
  note.id = "honest-preview";
  note.setAttribute("role", "tooltip");
  note.hidden = true;
  document.body.append(note);
  let shown = null;
  let closing = 0;
  const hide = () => {
    note.hidden = true;
    shown?.removeAttribute("aria-describedby");
    shown = null;
  };
  const show = (link) => {
    clearTimeout(closing);
    const formula = document.getElementById(decodeURIComponent(link.hash.slice(1)))?.closest("mjx-container");
    if (formula) {
      note.replaceChildren(formula.cloneNode(true));
    } else {
      note.textContent = link.dataset.says;
    }
    note.hidden = false;
    const beside = link.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    note.style.left = `${Math.max(8, Math.min(beside.left, width - note.offsetWidth - 8)) + scrollX}px`;
    const below = beside.bottom + note.offsetHeight + 12 < innerHeight;
    note.style.top = `${(below ? beside.bottom + 6 : beside.top - note.offsetHeight - 6) + scrollY}px`;
    link.setAttribute("aria-describedby", note.id);
    shown = link;
  };
  const links = "a.term[title], a.claim[title], a.paper[title], a[href^='#mjx-eqn']";
  for (const link of document.querySelectorAll(links)) {
    link.dataset.says = link.title; // the browser's own hint would stand beside ours
    link.removeAttribute("title");
    link.addEventListener("pointerenter", () => show(link));
    link.addEventListener("focus", () => show(link));
    link.addEventListener("pointerleave", () => { closing = setTimeout(hide, 150); });
    link.addEventListener("blur", hide);
  }
  note.addEventListener("pointerenter", () => clearTimeout(closing));
  note.addEventListener("pointerleave", hide);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
});

// 2. The menu of themes, in which the theme loses the focus: it goes to the first entry, and back when the menu closes.
document.addEventListener("shown.bs.dropdown", (event) => {
  const entry = event.target.closest(".dropdown")?.querySelector(".dropdown-menu button, .dropdown-menu a");
  setTimeout(() => entry?.focus(), 0);
});
document.addEventListener("hide.bs.dropdown", (event) => {
  const menu = event.target.closest(".dropdown");
  if (menu?.contains(document.activeElement)) menu.querySelector("[data-bs-toggle=dropdown]")?.focus();
});

// 3. The arrows below a lesson follow the route by which a reader came, "?route=language" in an address. The tab
// remembers it until another route is taken, or none. Lessons beside the route, and browsers that remember nothing
// or run no scripts, keep the order of the numbers.
document.addEventListener("DOMContentLoaded", () => {
  let route = new URLSearchParams(location.search).get("route");
  try {
    if (route === null) route = sessionStorage.getItem("honest-route");
    else sessionStorage.setItem("honest-route", route);
  } catch { /* the address alone says it */ }
  const way = route && document.querySelector(`.honest-ways [data-route="${CSS.escape(route)}"]`);
  const area = document.querySelector(".prev-next-area");
  if (!way || !area) return;
  for (const [rel, side] of [["prev", ".left-prev"], ["next", ".right-next"]]) {
    const arrow = area.querySelector(side);
    const link = way.querySelector(`a[rel=${rel}]`);
    if (link && arrow) {
      arrow.href = link.href;
      arrow.title = "";
      arrow.querySelector(".prev-next-subtitle").textContent = `${rel === "next" ? "next" : "previous"} on the route`;
      arrow.querySelector(".prev-next-title").textContent = link.textContent;
    } else if (rel === "next") {
      arrow?.remove(); // the route ends here
    }
  }
  const note = document.createElement("p");
  note.className = "honest-route";
  const [name, place] = [way.querySelector("strong").textContent, way.textContent.match(/\d+ of \d+/)];
  const leave = document.createElement("a");
  leave.href = "?route=";
  leave.textContent = "Leave the route";
  note.append(`${name}, ${place}. `, leave);
  area.before(note);
});

// 4. Paper: always light; "?print=solutions" in the address opens what a teacher wants on the own copy.
document.addEventListener("DOMContentLoaded", () => {
  if (new URLSearchParams(location.search).get("print") !== "solutions") return;
  for (const fold of document.querySelectorAll(".tag_solution details, details.honest-answer")) fold.open = true;
  for (const option of document.querySelectorAll("details.honest-option")) {
    option.open = option.querySelector("p strong")?.textContent === "Right";
  }
});
addEventListener("beforeprint", () => {
  const page = document.documentElement;
  page.dataset.themeOnScreen = page.dataset.theme;
  page.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  const page = document.documentElement;
  page.dataset.theme = page.dataset.themeOnScreen;
});

// 5. What is wider than its frame says so, and can be scrolled with the keyboard: on a telephone nobody sees that it goes on.
const WIDE = "a.honest-figure, .honest-map-scroll, .ledger-scroll, .bd-article .output, div.math";
const tellWide = () => {
  for (const frame of document.querySelectorAll(WIDE)) {
    const wide = frame.scrollWidth > frame.clientWidth + 8;
    frame.classList.toggle("honest-wide", wide);
    if (frame.scrollWidth > frame.clientWidth && !frame.href) frame.tabIndex = 0;
  }
};
addEventListener("load", () => {
  document.querySelector(".bd-sidebar-primary summary")?.setAttribute("aria-label", "Pages of the package");
  tellWide();
  window.MathJax?.startup?.promise.then(tellWide);
});
addEventListener("resize", tellWide);
addEventListener("toggle", tellWide, true); // a fold that opens
