// Filter the ledger by paper, status and words; a paper's heading hides when none of its rows is left.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("table.ledger");
  if (!table) return;
  const paper = document.getElementById("ledger-paper");
  const status = document.getElementById("ledger-status");
  const words = document.getElementById("ledger-words");
  const count = document.getElementById("ledger-count");
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const body of table.tBodies) {
      let left = 0;
      for (const row of body.querySelectorAll("tr[data-status]")) {
        const text = row.textContent.toLowerCase();
        row.hidden = !((!paper.value || row.dataset.paper === paper.value)
          && (!status.value || row.dataset.status === status.value)
          && wanted.every((word) => text.includes(word)));
        left += row.hidden ? 0 : 1;
      }
      body.hidden = left === 0;
      shown += left;
    }
    count.textContent = `${shown} rows shown`;
  };
  for (const control of [paper, status, words]) control.addEventListener("input", apply);
  apply();
});
