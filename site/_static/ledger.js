// Filter the ledger by paper, status and words; the filters live in the address, a row's name after "#" is shown.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("table.ledger");
  if (!table) return;
  const controls = {};
  for (const name of ["paper", "status", "words"]) controls[name] = document.getElementById(`ledger-${name}`);
  const count = document.getElementById("ledger-count");
  const apply = () => {
    const wanted = controls.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const body of table.tBodies) {
      let left = 0;
      for (const row of body.querySelectorAll("tr[data-status]")) {
        const text = row.textContent.toLowerCase();
        row.hidden = !((!controls.paper.value || row.dataset.paper === controls.paper.value)
          && (!controls.status.value || row.dataset.status === controls.status.value)
          && wanted.every((word) => text.includes(word)));
        left += row.hidden ? 0 : 1;
      }
      body.hidden = left === 0; // a paper's heading hides when none of its rows is left
      shown += left;
    }
    count.textContent = `${shown} rows shown`;
  };
  const remember = () => {
    const chosen = Object.entries(controls).filter(([, control]) => control.value);
    const query = new URLSearchParams(chosen.map(([name, control]) => [name, control.value])).toString();
    history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
    apply();
  };
  const asked = new URLSearchParams(location.search);
  for (const [name, control] of Object.entries(controls)) {
    control.value = asked.get(name) ?? "";
    control.addEventListener("input", remember);
  }
  apply();
});
