// Three drawings to move, a slider each. They stand in the page as they start; what is told stands there as data.
(() => {
  const set = (node, values) => Object.entries(values).forEach(([key, value]) => node.setAttribute(key, value));
  const words = (percent, digits = 0) => `${percent.toFixed(digits)}\u00a0%`;
  const sum = (values) => values.reduce((before, value) => before + value, 0);
  const across = (percent) => 44 + 2.6 * percent;

  // `start` gets the figure's parts and returns what draws them for a value of the slider, and says the numbers.
  const begin = (name, start) => document.querySelectorAll(`.drawing.${name}`).forEach((figure) => {
    const all = (selector, within = figure) => [...within.querySelectorAll(selector)];
    const [slider] = all("input[type=range]");
    const [numbers] = all(".drawing-numbers");
    const draw = (isAsked) => {
      const { says, value } = redraw(Number(slider.value));
      set(numbers, { "aria-live": isAsked === true ? "polite" : "off" }); // the slider itself says what it does
      numbers.textContent = says;
      set(slider, { "aria-valuetext": value });
    };
    const redraw = start({ figure, all, draw });
    slider.addEventListener("input", draw);
    all("form")[0].addEventListener("submit", (event) => event.preventDefault());
    for (const node of all("[hidden]")) node.hidden = false;
    draw();
  });

  begin("threshold", ({ figure, all }) => {
    const bill = Number(figure.dataset.bill);
    const down = (dollars) => 294 - (260 * dollars) / bill;
    const people = all(".person").map((node, i) => ({
      node, cost: all(".cost")[i], told: Number(node.dataset.told), truth: Number(node.dataset.true),
    }));
    return (price) => {
      const t = (100 * price) / bill;
      for (const node of all(".moves")) set(node, { transform: `translate(${across(t)} 0)` });
      set(all(".level-of-price")[0], { transform: `translate(0 ${down(price)})` });
      const wrong = people.filter((person) => {
        const { node, cost, told, truth } = person;
        person.excess = (told >= t) === (truth >= t) ? 0 : Math.abs((bill * truth) / 100 - price);
        for (const part of [node, cost]) part.classList.toggle("wrong", person.excess > 0);
        all(".dollars", node)[0].textContent = person.excess ? `${person.excess.toFixed(0)} dollars` : "";
        const [low, high] = [price, (bill * truth) / 100].sort((a, b) => a - b);
        set(all(".excess", cost)[0], { y: down(high), height: down(low) - down(high) });
        set(all(".best", cost)[0], { cy: down(low) });
        return person.excess > 0;
      });
      const mean = sum(people.map(({ excess }) => excess)) / people.length;
      return {
        says: `A nurse costs ${price} dollars, so the threshold is ${words(t)}. ${wrong.length} of ${people.length} ` +
          `decisions ${wrong.length === 1 ? "is" : "are"} wrong, and a person costs ${mean.toFixed(2)} dollars too ` +
          "much on average.",
        value: `${price} dollars, threshold ${words(t)}, wrong decisions ${wrong.length}, too much ${mean.toFixed(2)}`,
      };
    };
  });

  begin("refusal", ({ all }) => {
    const size = 25;
    const down = (bill) => 294 - 10.4 * bill;
    const over = (fee) => 44 + 4.2 * fee;
    const assistants = ["honest", "sure"].map((name) => ({
      name,
      curve: all(`.${name} .curve`)[0],
      now: all(`.${name} .now`)[0],
      paid: all(`.${name} .paid`)[0],
      blocks: all(`.${name} .block`).map((node) => {
        const { left, top, risk, wrong } = Object.fromEntries(
          Object.entries(node.dataset).map(([key, value]) => [key, Number(value)]));
        return { node, left, top, risk, wrong };
      }),
    }));
    const bill = ({ risk, wrong }, fee) => (risk <= fee ? wrong : (size * fee) / 100);
    const ink = (block, fee) => { // mistakes from the first square on, looks from the last one back
      const paid = bill(block, fee);
      return Array.from({ length: Math.ceil(paid) }, (_, k) => {
        const cell = block.risk <= fee ? k : size - 1 - k;
        const wide = 11 * Math.min(1, paid - k);
        const [x, y] = [block.left + 12 * (cell % 5) + 11 - wide, block.top + 12 * Math.floor(cell / 5) + 11];
        return `M${x} ${y}h${wide}v-11h-${wide}z`;
      }).join("");
    };
    let [least, most] = [Infinity, -Infinity]; // fees that the reader has been at: there the curves are drawn
    return (fee) => {
      [least, most] = [Math.min(least, fee), Math.max(most, fee)];
      const says = assistants.map(({ name, curve, now, paid, blocks }) => {
        const at = (some) => sum(blocks.map((block) => bill(block, some)));
        for (const block of blocks) {
          const follows = block.risk <= fee;
          block.node.classList.toggle("followed", follows);
          block.node.classList.toggle("refused", !follows);
          all(".fate", block.node)[0].textContent = follows ? "followed" : "looked at";
          set(all(".ink", block.node)[0], { d: ink(block, fee) });
        }
        const seen = Array.from({ length: most - least + 1 }, (_, k) => least + k);
        set(curve, { d: seen.map((some, k) => `${k ? "L" : "M"}${over(some)} ${down(at(some))}`).join("") });
        set(now, { transform: `translate(${over(fee)} ${down(at(fee))})` });
        paid.textContent = at(fee).toFixed(2);
        const followed = blocks.filter(({ risk }) => risk <= fee);
        return `${name === "honest" ? "Honest" : "Sure"}: ${size * followed.length} followed, ` +
          `${sum(followed.map(({ wrong }) => wrong))} of them wrongly, and ${size * (4 - followed.length)} looks, ` +
          `in all ${at(fee).toFixed(2)}. `;
      });
      const price = (fee / 100).toFixed(2);
      const [honest, sure] = assistants.map(({ paid }) => paid.textContent);
      return {
        says: `A look costs ${price}. ${says.join("")}A look at all: ${fee.toFixed(2)}.`,
        value: `${price}, paid by honest ${honest}, by sure ${sure}, by a look at all ${fee.toFixed(2)}`,
      };
    };
  });

  begin("agreement", ({ figure, all, draw }) => {
    const n = all(".sem1 .strokes rect").length;
    const MOST = 40; // nights
    const HIGH = 330; // pixels for all of them
    const BASE = 236;
    const draws = () => Array.from({ length: 2 * n }, Math.random);
    let nights = [figure.dataset.luck.split(" ").map(Number)]; // of each answer: below the truth it says 5 mg
    const law = (p) => { // chances of 0 .. n answers
      let chance = (1 - p) ** n;
      return Array.from({ length: n + 1 }, (_, k) => {
        const now = chance;
        chance *= ((n - k) / (k + 1)) * (p / (1 - p));
        return now;
      });
    };
    const count = (luck, truth) => {
      const [chose, measured] = [luck.slice(0, n), luck.slice(n)].map(
        (some) => some.filter((draw) => draw < truth / 100).length);
      return chose > n / 2 ? ["5 mg", chose, measured] : ["10 mg", n - chose, n - measured];
    };
    const add = (more) => {
      nights = [...nights, ...Array.from({ length: more }, draws)].slice(-MOST);
      draw(true);
    };
    for (const button of all("button")) button.addEventListener("click", () => add(button.name === "more" ? 20 : 1));
    return (truth) => {
      const [first, second] = [law(truth / 100), law(1 - truth / 100)];
      const won = first.map((chance, k) => (k > n / 2 ? chance + second[k] : 0));
      const wins = sum(first.filter((_, k) => k > n / 2));
      const measured = first.map((chance, k) => wins * chance + (1 - wins) * second[k]);
      const means = [won, measured].map((chances) => sum(chances.map((chance, k) => (100 * chance * k) / n)));
      const seen = nights.map((luck) => count(luck, truth));
      const [winner, ...agree] = seen.at(-1);
      [won, measured].forEach((chances, one) => {
        const part = (selector) => all(`.sem${one + 1} ${selector}`);
        part(".strokes rect").forEach((node, k) => node.classList.toggle("same", k < agree[one]));
        part(".law rect").forEach((node, k) => set(node, { y: BASE - HIGH * chances[k], height: HIGH * chances[k] }));
        const levels = new Map();
        const dots = seen.map((night) => {
          const level = levels.get(night[one + 1]) ?? 0;
          levels.set(night[one + 1], level + 1);
          const dot = part(".tonight")[0].cloneNode();
          set(dot, { class: "", cx: across((100 * night[one + 1]) / n), cy: BASE - (HIGH / MOST) * (level + 0.5) });
          return dot;
        });
        set(dots.at(-1), { class: "tonight" });
        part(".tonight")[0].replaceWith(dots.pop());
        part(".nights")[0].replaceChildren(...dots);
        set(part(".truth")[0], { d: `M${across(truth)} 24V${BASE}` });
        set(part(".mean")[0], { d: `M${across(means[one])} 78V${BASE}` });
        const [name, mean] = [part(".truth-name")[0], part(".mean-name")[0]];
        set(name, { x: across(truth) });
        name.textContent = `truth ${words(truth)}`;
        const isLeft = one === 1 || truth > 70; // of its line
        set(mean, { x: across(means[one] + (isLeft ? -2 : 2)) });
        mean.classList.toggle("end", isLeft);
        mean.textContent = `mean ${words(means[one], 1)}`;
      });
      const [one, two] = agree.map((k) => words((100 * k) / n));
      const off = [means[0] - truth, truth - means[1]].map((points) => Math.max(0, points).toFixed(1));
      return {
        says: `This night ${winner} wins with ${agree[0]} of ${n}, so Sem1 is ${one}; ${agree[1]} of ${n} others say ` +
          `the same, so Sem2 is ${two}. On average Sem1 is ${off[0]} points too high and Sem2 ${off[1]} points too low.`,
        value: `${words(truth)}, Sem1 too high by ${off[0]} points, Sem2 too low by ${off[1]}`,
      };
    };
  });
})();
