"""Ask a language model on this machine whether two answers say the same, beside the rule that groups them.

    python data/scripts/make_judged_pairs.py                       # writes data/judged_pairs.csv
    python data/scripts/make_judged_pairs.py --model my.gguf --out mine.csv

Wang et al. (2026) let a model group answers by meaning; here rules do: two answers that are both right say the same,
and others where they have one spelling. Asked about are pairs of recorded answers of SmolLM2 with different spellings,
each in both orders: pairs of right answers, of a right and a wrong one, and of two wrong ones, drawn by chance.
"""

import argparse
from itertools import combinations

import pandas as pd
from make_acs12 import DATA, ask
from make_acs12_tables import DIGITS, mass_of

from helpers._progress import step, told
from helpers.answers import spell_answers
from helpers.datasets import load_smollm2_answers
from helpers.practice.llm.local import local_model

SEED = 20261129

DRAWN = {2: 40, 1: 20, 0: 20}  # right answers in a pair: how many pairs

MOST_LETTERS = 60  # of an answer; longer ones are cut replies

PROMPT = """Two answers to a question follow. Do they say the same thing, however they word it? Answer Yes or No.

Question: How many legs does a cat have?
Answer 1: It has four legs
Answer 2: 4
Same: Yes

Question: What is the capital of the Netherlands?
Answer 1: Amsterdam
Answer 2: Brussels
Same: No

Question: What is the opposite of soft?
Answer 1: hard
Answer 2: warm
Same: No

Question: Which animal barks?
Answer 1: dog
Answer 2: the dog
Same: Yes

Question: {question}
Answer 1: {first}
Answer 2: {second}
Same:"""


def draw_pairs():
    """Pairs of answers to one question in different spellings: DataFrame of question, answer_1, answer_2, n_right."""
    answers = load_smollm2_answers().query("sample > 0")
    answers = answers.assign(spelling=spell_answers(answers["answer"].tolist())).dropna(subset="spelling")
    answers = answers[answers["answer"].str.len().between(1, MOST_LETTERS)]
    answers = answers.drop_duplicates(["question", "spelling"]).sample(frac=1, random_state=SEED)
    pairs = []
    for n_right in DRAWN:
        for question, rows in answers.groupby("question", sort=False):
            couples = combinations(rows[["answer", "correct"]].itertuples(index=False), 2)
            fitting = [(a, b) for a, b in couples if a.correct + b.correct == n_right]
            if fitting:  # at most one of a kind for a question
                first, second = fitting[0]
                pairs.append((question, first.answer, second.answer, n_right))
    pairs = pd.DataFrame(pairs, columns=["question", "answer_1", "answer_2", "n_right"])
    drawn = [part.sample(DRAWN[n_right], random_state=SEED) for n_right, part in pairs.groupby("n_right")]
    return pd.concat(drawn[::-1], ignore_index=True)


def same_probability(model, question, first, second):
    """P(yes) among yes and no of the first token."""
    reply = ask(model, PROMPT.format(question=question, first=first, second=second), 1)
    yes, no = (mass_of(reply["tops"][0], word) for word in ("yes", "no"))
    return yes / (yes + no)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    add = parser.add_argument
    add("--model", default="qwen2.5-coder-1.5b", help="name or GGUF file of the judge (%(default)s)")
    add("--out", default=DATA / "judged_pairs.csv", help="the table that is written")
    options = parser.parse_args()
    pairs = draw_pairs()
    columns = {"p_same": [], "p_same_swapped": []}
    with local_model(options.model, n_threads=1, n_parallel=1, context=512) as judge, told(2 * len(pairs)):
        for row in pairs.itertuples():
            for name, answers in zip(
                columns, ((row.answer_1, row.answer_2), (row.answer_2, row.answer_1)), strict=True
            ):
                step(options.model)
                columns[name].append(same_probability(judge, row.question, *answers))
    table = pairs.assign(**columns).round(DIGITS)
    table.to_csv(options.out, index=False, lineterminator="\n")
    said = table[["p_same", "p_same_swapped"]].gt(0.5).assign(n_right=table["n_right"])
    print(said.groupby("n_right").mean().round(2).to_string())


if __name__ == "__main__":
    main()
