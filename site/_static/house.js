// 1. The menu of themes, in which the theme loses the focus: it goes to the first entry, and back when the menu closes.
document.addEventListener("shown.bs.dropdown", (event) => {
  const entry = event.target.closest(".dropdown")?.querySelector(".dropdown-menu button, .dropdown-menu a");
  setTimeout(() => entry?.focus(), 0);
});
document.addEventListener("hide.bs.dropdown", (event) => {
  const menu = event.target.closest(".dropdown");
  if (menu?.contains(document.activeElement)) menu.querySelector("[data-bs-toggle=dropdown]")?.focus();
});

// 2. The arrows below a lesson follow the route by which a reader came, "?route=language" in an address. The tab
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

// 3. Paper: always light; "?print=solutions" in the address opens what a teacher wants on the own copy.
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

// 4. What is wider than its frame says so, and can be scrolled with the keyboard: on a telephone nobody sees that it goes on.
const WIDE = "a.honest-figure, a.image-reference, .honest-map-scroll, .ledger-scroll, .pst-scrollable-table-container, .bd-article .output, div.math";
const tellWide = () => {
  for (const frame of document.querySelectorAll(WIDE)) {
    const wide = frame.scrollWidth > frame.clientWidth + 8;
    frame.classList.toggle("honest-wide", wide);
    if (frame.scrollWidth > frame.clientWidth && !frame.href) frame.tabIndex = 0;
  }
};
// A formula keeps the stop or comma behind it on its line.
const keepStops = () => {
  for (const formula of document.querySelectorAll("span.math:has(mjx-container)")) {
    const words = formula.nextSibling;
    const stop = words?.nodeType === Node.TEXT_NODE && words.data.match(/^[.,;:!?)]+/);
    if (!stop) continue;
    words.splitText(stop[0].length);
    const together = document.createElement("span");
    together.style.whiteSpace = "nowrap";
    formula.before(together);
    together.append(formula, words);
  }
};
addEventListener("load", () => {
  for (const fold of document.querySelectorAll(".bd-sidebar-primary li.has-children > details > summary")) {
    const page = fold.closest("li").querySelector("a").textContent.trim();
    fold.setAttribute("aria-label", `Pages below ${page}`);
  }
  tellWide();
  window.MathJax?.startup?.promise.then(() => { keepStops(); tellWide(); });
});
addEventListener("resize", tellWide);
addEventListener("toggle", tellWide, true); // a fold that opens
