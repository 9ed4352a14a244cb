// Hold the promise, move the people: two halves of those who were told 70 %, whose mean must stay there.
(() => {
  const STATED = 70; // per cent, as all that is dragged and drawn; an interval has shares
  const MOST = 1000; // people
  const PIXELS = 2.6; // for a point
  const words = (percent) => `${percent}\u00a0%`;
  const height = (percent) => 34 + PIXELS * (100 - percent);

  // Share of successes at which at least k of n come out with probability 2.5 %: the lower end of the exact 95 %
  // interval (Clopper and Pearson), by halving [0, k / n]. In between the terms of the sum fall from k on.
  const lowEnd = (k, n) => {
    if (k === 0) return 0;
    let choose = 0; // the logarithm of "n choose k"
    for (let i = 0; i < k; i++) choose += Math.log((n - i) / (k - i));
    let [low, high] = [0, k / n];
    for (let halving = 0; halving < 60; halving++) {
      const p = (low + high) / 2;
      let term = Math.exp(choose + k * Math.log(p) + (n - k) * Math.log1p(-p));
      let tail = 0;
      for (let i = k; i <= n && term > 0; i++) {
        tail += term;
        term *= ((n - i) / (i + 1)) * (p / (1 - p));
      }
      if (tail < 0.025) low = p;
      else high = p;
    }
    return (low + high) / 2;
  };
  const exactInterval = (k, n) => [100 * lowEnd(k, n), 100 - 100 * lowEnd(n - k, n)];

  const start = (figure) => {
    const find = (selector) => figure.querySelector(selector);
    const all = (selector) => [...figure.querySelectorAll(selector)];
    const set = (node, values) => Object.entries(values).forEach(([key, value]) => node.setAttribute(key, value));
    const [diagram, people, handle, controls, numbers] = ["diagram", "people", "handle", "controls", "numbers"].map(
      (name) => find(`.promise-${name}, .drawing-${name}, .${name}`));
    const { audit, coin, n } = controls.elements;
    const still = diagram.getAttribute("aria-label");
    let ada = 85;
    let luck; // of each half one number between 0 and 1 a person: whoever's is below the rate has a complication
    const nextMonth = () => { luck = [0, 1].map(() => Array.from({ length: MOST / 2 }, Math.random)); };

    const drawTruth = () => {
      const ben = 2 * STATED - ada;
      const points = ada - STATED;
      const rates = coin.checked ? [ada, ben, ada, ben] : [ada, ada, ben, ben];
      const halves = coin.checked ? ["Heads", "Tails"] : ["Ada's half", "Ben's half"];
      all(".truth > g:not(.handle)").forEach((group, i) => {
        const [gap, line] = group.children;
        set(gap, { y: height(Math.max(rates[i], STATED)), height: PIXELS * points });
        set(line, { y: height(rates[i]) - 2 });
      });
      all(".half").forEach((text, i) => { text.textContent = halves[i]; });
      const [up, down] = all(".truth > .middle");
      const left = coin.checked ? 70 : 89; // in the middle of Ada's first people
      up.textContent = words(ada);
      down.textContent = words(ben);
      set(up, { x: left, y: height(ada) - 16 });
      set(down, { x: coin.checked ? 200 : 181, y: height(ben) + 18 });
      set(handle, {
        transform: `translate(${left} ${height(ada)})`,
        "aria-valuenow": ada,
        "aria-valuetext": `${words(ada)}, Ben's half ${words(ben)}, typical error ${points} points`,
      });
      const side = PIXELS * points;
      set(find(".square"), { y: height(STATED) - side, width: side, height: side });
      const loss = (points / 100) ** 2;
      find(".side").textContent = `${points} points`;
      find(".area").textContent = loss.toFixed(4);
      const both = `${words(ada)} and ${words(ben)}`;
      return coin.checked
        ? `Heads and tails hold people with ${both} alike, so both halves have ${words(STATED)}, and the square is still there.`
        : `The mean of ${both} is ${words(STATED)}. The grouping loss is ${(points / 100).toFixed(2)}² = ${loss.toFixed(4)}.`;
    };

    const drawSeen = () => {
      const half = n.value / 2;
      const rates = coin.checked ? [STATED, STATED] : [ada, 2 * STATED - ada];
      const counts = luck.map((draws, i) => draws.slice(0, half).filter((draw) => draw < rates[i] / 100).length);
      const show = (node, k, size) => {
        const [low, high] = exactInterval(k, size);
        set(node.querySelector(".interval"), { y: height(high), height: PIXELS * (high - low) });
        set(node.querySelector(".rate"), { cy: height((100 * k) / size) });
        return `${k} of ${size}, ${words(((100 * k) / size).toFixed(0))} [${low.toFixed(0)}, ${high.toFixed(0)}]`;
      };
      find("label span").textContent = n.value;
      const halves = all("g.seen:not(.months)").map((node, i) => show(node, counts[i], half));
      const together = show(diagram, counts[0] + counts[1], 2 * half);
      const [first, second] = all(".half").map((text) => text.textContent);
      set(diagram, { "aria-label": `Calibration diagram: stated ${words(STATED)}, observed ${together}.` });
      return `${first}: ${halves[0]}. ${second}: ${halves[1]}. Together: ${together}. Brackets and bars: exact ${words(95)} intervals.`;
    };

    const draw = () => {
      const truth = drawTruth();
      set(numbers, { "aria-live": audit.checked ? "polite" : "off" }); // the handle itself says what it does
      figure.classList.toggle("audits", audit.checked);
      set(find(".promise-diagram .rate"), { cy: height(STATED) });
      set(diagram, { "aria-label": still });
      numbers.textContent = audit.checked ? drawSeen() : truth;
    };

    // What was seen in earlier months stays as pale dots, as long as nothing but luck changes.
    const months = find(".months");
    const forget = () => { months.replaceChildren(); draw(); };
    const remember = () => {
      for (const dot of all("g.seen:not(.months) .rate")) {
        const pale = dot.cloneNode();
        set(pale, { class: "earlier", r: 4 });
        months.append(pale);
      }
      nextMonth();
      draw();
    };

    const move = (percent) => {
      ada = Math.round(Math.min(100, Math.max(STATED, percent)));
      forget();
    };
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5, Home: -100, End: 100 };
    handle.addEventListener("keydown", (event) => {
      if (!(event.key in steps)) return;
      event.preventDefault();
      move(ada + steps[event.key]);
    });
    let grip; // points between the pointer and the handle
    const pointed = (event) => {
      const { top, height: pixels } = people.getBoundingClientRect();
      return 100 - (((event.clientY - top) * people.viewBox.baseVal.height) / pixels - height(100)) / PIXELS;
    };
    // Without this a finger moves the page: "touch-action: none" is not heard inside an SVG.
    handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      grip = ada - pointed(event);
    });
    handle.addEventListener("pointermove", (event) => {
      if (handle.hasPointerCapture(event.pointerId)) move(pointed(event) + grip);
    });
    controls.addEventListener("input", forget);
    controls.addEventListener("submit", (event) => event.preventDefault());
    find("button").addEventListener("click", remember);

    set(people, { role: "group", "aria-label": "The two halves" });
    set(handle, {
      role: "slider", tabindex: 0, "aria-label": "Ada's half", "aria-orientation": "vertical",
      "aria-valuemin": STATED, "aria-valuemax": 100,
    });
    for (const node of all("[hidden]")) node.hidden = false;
    nextMonth();
    draw();
  };
  document.querySelectorAll(".promise").forEach(start);
})();
