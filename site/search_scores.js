// The order of what the search finds: explanations first, then lessons, then the package; checks and tables last.
var Scorer = {
  score: ([page, , , , score]) => {
    const kinds = [["glossary", 25], ["index", 12], ["notebooks/checks/", -12], ["notebooks/", 8], ["teachers", -8], ["benchmarks", -8], ["ledger", -8]];
    const kind = kinds.find(([start]) => page.startsWith(start));
    return score + (kind ? kind[1] : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
