"""The stand-in for a model: what it says is what is known, and its process never outlives its parent."""

import json
import math
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import openai
import pandas as pd
import pytest
from answer_server import answer_server
from collect_child import serve
from forks import SERVER
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers._stand_in.model import Sentences, generator, invent, read_task, tokens
from helpers.llm.server_process import run_server
from helpers.llm.testing import known_answers, stand_in

QUESTIONS = ["What is the capital of France?", "How many legs has a spider?", "Who wrote Faust?"]
REFERENCES = ["Paris", "8", "Goethe"]
KNOWN = known_answers(QUESTIONS, REFERENCES, seed=3)


@pytest.fixture(scope="module")
def server():
    with stand_in(KNOWN, cases={"age: 40": 0.25, "age: 41": 1.0}) as running:
        yield running


def client(server, key="none"):
    return openai.OpenAI(base_url=server.base_url, api_key=key, max_retries=0, timeout=10)


CLIENTS = {}


@pytest.fixture(scope="module", autouse=True)
def close():
    yield
    for talker in CLIENTS.values():
        talker.close()


def ask(server, task, user, **options):
    messages = [{"role": "system", "content": f"Task: {task}\nAnswer briefly."}, {"role": "user", "content": user}]
    options = {"model": "stand-in", "temperature": 1.0, "logprobs": True, "top_logprobs": 20} | options
    talker = CLIENTS.get(server.base_url) or CLIENTS.setdefault(server.base_url, client(server))
    return talker.chat.completions.create(messages=messages, **options)


def texts(answer):
    return [choice.message.content for choice in answer.choices]


def far(count, n, p):
    """Distance from what is expected, in standard errors; infinite for what cannot happen."""
    se = np.sqrt(n * p * (1 - p))
    return np.divide(np.abs(count - n * p), se, out=np.where(np.abs(count - n * p) > 1e-9, np.inf, 0.0), where=se > 0)


# ---- what is drawn --------------------------------------------------------------------------------------------------


def draws(server, question, rounds, **options):
    return [
        text for _ in range(rounds) for text in texts(ask(server, "answer", f"Question: {question}", n=100, **options))
    ]


def test_frequencies_are_the_known_probabilities(server):
    for question, rows in KNOWN.groupby("question"):
        said = pd.Series(draws(server, question, 15, logprobs=False, top_logprobs=None)).value_counts()
        assert set(said.index) <= set(rows["text"])
        count = said.reindex(rows["text"], fill_value=0).to_numpy()
        p = rows["probability"].to_numpy()
        assert far(count, 1500, p).max() < 4
        assert far(count, 1500, np.roll(p, 1)).max() > 8  # other probabilities would be seen


def test_log_probabilities_are_those_of_the_texts(server):
    posterior = KNOWN.set_index(["question", "text"])["posterior"]
    for question in QUESTIONS:
        for choice in ask(server, "answer", f"Question: {question}", n=60).choices:
            content = choice.logprobs.content
            assert "".join(one.token for one in content) == choice.message.content
            found = math.exp(sum(one.logprob for one in content))
            assert found == pytest.approx(posterior[question, choice.message.content], rel=1e-12)
            for one in content:
                rivals = [rival.logprob for rival in one.top_logprobs]
                assert rivals == sorted(rivals, reverse=True) and sum(map(math.exp, rivals)) < 1 + 1e-12
                assert one.logprob in rivals and bytes(one.bytes).decode() == one.token


def test_spellings_of_made_up_answers_do_not_begin_each_other():
    words = KNOWN[~KNOWN["meaning"].str.isdecimal()]
    assert np.allclose(words["posterior"], words["probability"], rtol=1e-12, atol=0)


def test_the_posterior_of_a_beginning_is_that_of_all_it_begins():
    tree = Sentences({"Paris": 0.5, "Paris, France": 0.3, "Rome": 0.2})
    assert [round(tree.posterior(text), 12) for text in ("Paris", "Paris, France", "Rome", "Oslo")] == [
        0.8,
        0.3,
        0.2,
        0,
    ]
    assert tree.steps(("Paris",)) == [(None, pytest.approx(0.625)), (",", pytest.approx(0.375))]


@given(st.dictionaries(st.text("ab c.", min_size=1, max_size=12), st.floats(0.01, 1), min_size=1, max_size=8))
def test_the_tree_holds_every_text_once_and_all_the_mass(probabilities):
    tree = Sentences(probabilities)
    total = sum(probabilities.values())
    found = {}

    def walk(before, p):
        for piece, q in tree.steps(before):
            if piece is None:
                found["".join(before)] = found.get("".join(before), 0) + p * q
            else:
                walk((*before, piece), p * q)

    walk((), 1.0)
    assert found == {text: pytest.approx(p / total) for text, p in probabilities.items()}
    assert all("".join(tokens(text)) == text for text in probabilities)


def test_temperature_sharpens_what_is_drawn_but_not_what_is_reported(server):
    question = QUESTIONS[0]
    rows = KNOWN[KNOWN["question"] == question]
    cold = ask(server, "answer", f"Question: {question}", n=20, temperature=0)
    assert set(texts(cold)) == {rows.loc[rows["probability"].idxmax(), "text"]}
    p = dict(Sentences(dict(zip(rows["text"], rows["probability"], strict=True))).steps(()))
    flat = {piece: q**0.5 / sum(r**0.5 for r in p.values()) for piece, q in p.items()}
    warm = [choice.logprobs.content[0] for _ in range(15) for choice in
            ask(server, "answer", f"Question: {question}", n=100, temperature=2).choices]  # fmt: skip
    count = np.array([sum(one.token == piece for one in warm) for piece in p])
    assert far(count, 1500, np.array([*flat.values()])).max() < 4
    assert far(count, 1500, np.array([*p.values()])).max() > 4
    assert all(one.logprob == pytest.approx(math.log(p[one.token])) for one in warm)


def test_a_seed_gives_the_same_answer_and_its_absence_another(server):
    first, again = (texts(ask(server, "answer", f"Question: {QUESTIONS[1]}", n=10, seed=5)) for _ in "ab")
    other = texts(ask(server, "answer", f"Question: {QUESTIONS[1]}", n=10, seed=6))
    assert first == again != other
    with stand_in(KNOWN) as one, stand_in(KNOWN, seed=1) as two:
        runs = [[*draws(s, QUESTIONS[0], 1), *draws(s, QUESTIONS[2], 1)] for s in (one, two)]
        with stand_in(KNOWN) as three:  # the order of the questions does not matter
            later = draws(three, QUESTIONS[2], 1)
            assert runs[0] == [*draws(three, QUESTIONS[0], 1), *later]
    assert runs[0] != runs[1]


def test_requests_for_one_answer_give_those_of_a_request_for_many():
    with stand_in(KNOWN) as many, stand_in(KNOWN, honour_n=False, logprobs=False) as single:
        together = ask(many, "answer", f"Question: {QUESTIONS[0]}", n=8)
        alone = [ask(single, "answer", f"Question: {QUESTIONS[0]}", n=8) for _ in range(8)]
        assert texts(together) == [text for one in alone for text in texts(one)]
        assert {len(one.choices) for one in alone} == {1} and alone[0].choices[0].logprobs is None
        assert many.stats() == single.stats() | {"answered": 1, "answered answer": 1, "tokens": many.stats()["tokens"]}
        assert single.stats()["choices"] == single.stats()["answered"] == 8


def test_usage_counts_what_is_sent_and_said(server):
    answer = ask(server, "answer", f"Question: {QUESTIONS[0]}", n=5)
    said = sum(len(choice.logprobs.content) for choice in answer.choices)
    assert answer.usage.completion_tokens == said
    sent = sum(len(tokens(text)) + 4 for text in ("Task: answer\nAnswer briefly.", f"Question: {QUESTIONS[0]}"))
    assert answer.usage.prompt_tokens == sent and answer.usage.total_tokens == said + sent


def test_an_answer_that_is_too_long_is_cut(server):
    long = {"A very long and winding name": 1.0}
    with stand_in(known_answers(["q"], probabilities={"q": long})) as winding:
        cut = ask(winding, "answer", "Question: q", max_tokens=2, seed=1).choices[0]
        whole = ask(winding, "answer", "Question: q", max_completion_tokens=50, seed=1).choices[0]
    assert cut.finish_reason == "length" and whole.finish_reason == "stop"
    assert len(cut.logprobs.content) == 2 and whole.message.content.startswith(cut.message.content)


# ---- confidences and judgements -------------------------------------------------------------------------------------


def normalized(answer, yes, no):
    """P(yes) / (P(yes) + P(no)) over spellings, as the definition has it."""
    mass = {yes.lower(): 0.0, no.lower(): 0.0}
    for one in answer.choices[0].logprobs.content[0].top_logprobs:
        if one.token.strip().lower() in mass:
            mass[one.token.strip().lower()] += math.exp(one.logprob)
    return mass[yes.lower()] / sum(mass.values()), sum(mass.values())


def test_is_true_is_known(server):
    for row in KNOWN.itertuples():
        answer = ask(server, "is_true", f"Question: {row.question}\nProposed answer: {row.text}")
        found, mass = normalized(answer, "True", "False")
        assert found == pytest.approx(row.is_true, abs=1e-12) and mass == pytest.approx(0.9)
        assert len(answer.choices[0].logprobs.content) == 1


@pytest.mark.parametrize(("case", "p"), [("age: 40", 0.25), ("age:\n  41", 1.0)])
def test_options_have_their_known_probability(server, case, p):
    answer = ask(server, "options", f"Case: {case}\nOptions: Yes, No")
    assert normalized(answer, "Yes", "No")[0] == pytest.approx(p)
    assert normalized(ask(server, "options", f"Case: {case}\nOptions: B, A"), "B", "A")[0] == pytest.approx(p)


def test_other_cases_get_a_probability_of_their_own(server):
    p = [normalized(ask(server, "options", f"Case: age: {k}\nOptions: Yes, No"), "Yes", "No")[0] for k in range(20)]
    assert len(set(np.round(p, 6))) > 10 and 0 < min(p) and max(p) < 1


def test_stated_confidences_are_known(server):
    rows = KNOWN.set_index(["question", "text"])
    for text in texts(ask(server, "verbalised", f"Question: {QUESTIONS[2]}", n=40)):
        answer, stated = text.removeprefix("Answer: ").split("\nConfidence: ")
        assert float(stated.rstrip("%")) / 100 == pytest.approx(rows.loc[(QUESTIONS[2], answer), "verbalised"])
    alone = ask(server, "verbalised", f"Question: {QUESTIONS[2]}\nProposed answer: It is Goethe.")
    assert texts(alone) == [f"Confidence: {100 * rows.loc[(QUESTIONS[2], 'Goethe'), 'verbalised']:.6g}%"]
    with stand_in(KNOWN, vague=0.5) as vague:
        said = texts(ask(vague, "verbalised", f"Question: {QUESTIONS[2]}", n=100))
    assert abs(sum("quite sure" in text for text in said) - 50) < 4 * 5


def test_the_judge_is_right(server):
    rows = KNOWN[KNOWN["question"] == QUESTIONS[0]].sample(frac=1, random_state=0)
    listed = "\n".join(f"{k}. {text}" for k, text in enumerate([*rows["text"], "No idea.", "no  idea"], 1))
    judged = json.loads(texts(ask(server, "partition", f"Question: {QUESTIONS[0]}\nAnswers:\n{listed}"))[0])["classes"]
    wanted = [(np.flatnonzero(rows["meaning"] == one) + 1).tolist() for one in rows["meaning"].unique()]
    assert judged == [*wanted, [len(rows) + 1, len(rows) + 2]]
    for row in rows.itertuples():
        prompt = f"Question: {row.question}\nProposed answer: {row.text}\nReference answer: Paris"
        grade = json.loads(texts(ask(server, "grade", prompt))[0])["grade"]
        assert grade == ("correct" if row.correct else "incorrect")


# ---- what it does with prompts it does not know ---------------------------------------------------------------------


def test_an_unknown_question_gets_what_known_answers_would_make_up():
    question = "Which hill is the highest?"
    wanted = known_answers([question], seed=4).set_index("text")["posterior"]
    with stand_in(KNOWN, seed=4) as server:
        for choice in ask(server, "answer", f"Question: {question}", n=40).choices:
            found = math.exp(sum(one.logprob for one in choice.logprobs.content))
            assert found == pytest.approx(wanted[choice.message.content])


def test_a_prompt_of_ones_own_is_an_answer_to_the_question_in_it(server):
    rows = KNOWN[KNOWN["question"] == QUESTIONS[0]]
    messages = [{"role": "user", "content": [{"type": "text", "text": f"Now tell me: {QUESTIONS[0]}\nBe brief."}]}]
    with client(server) as talker:
        answer = talker.chat.completions.create(model="stand-in", messages=messages, n=5)
    assert set(texts(answer)) <= set(rows["text"])


def test_fields_go_on_until_the_next_label():
    user = "Look.\nQuestion: a\nb: c\n\nProposed answer: d\nReference answer:\nOptions: Yes, No"
    task, fields, last = read_task([{"role": "system", "content": "Task: grade"}, {"role": "user", "content": user}])
    assert (task, last) == ("grade", user)
    assert fields == {"Question": "a\nb: c", "Proposed answer": "d", "Reference answer": "", "Options": "Yes, No"}
    assert read_task([{"role": "user", "content": "Task: dance"}])[0] == "answer"
    assert read_task([{"role": "system", "content": None}]) == ("answer", {}, "")


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ({"model": "gpt-17"}, 404, "model `gpt-17` does not exist"),
        ({"messages": []}, 400, "messages must be a list"),
        ({"n": "many"}, 400, "n must be 1 to 128"),
        ({"n": 200}, 400, "n must be 1 to 128"),
        ({"top_logprobs": 21, "logprobs": True}, 400, "top_logprobs 0 to 20"),
        ({"top_logprobs": 5}, 400, "with logprobs"),
    ],
)
def test_refusals(server, options, status, words):
    options = {"model": "stand-in", "messages": [{"role": "user", "content": "Question: a"}]} | options
    with client(server) as talker, pytest.raises(openai.APIStatusError) as caught:
        talker.chat.completions.create(**options)
    assert caught.value.status_code == status and words in str(caught.value)


def test_other_addresses_keys_and_bodies(server):
    with client(server) as talker:
        assert [model.id for model in talker.models.list()] == ["stand-in"]
        with pytest.raises(openai.NotFoundError):
            talker.embeddings.create(model="stand-in", input="a", encoding_format="float")
        for body in ("[1]", "{"):
            with pytest.raises(openai.BadRequestError):
                talker.post("/chat/completions", content=body.encode(), cast_to=object)
    with stand_in(key="right") as locked:
        with client(locked, key="wrong") as talker, pytest.raises(openai.AuthenticationError):
            talker.models.list()
        with client(locked, key="right") as talker:
            assert len(talker.models.list().data) == 1


# ---- the table of known answers -------------------------------------------------------------------------------------


def test_a_table_of_four_texts():
    known = known_answers(["q"], ["yes"], probabilities={"q": {"yes": 0.6, "12": 0.4}})
    assert known["text"].tolist() == [
        "yes",
        "the answer is yes",
        "It is yes.",
        "YES",
        "12",
        "the answer is 12",
        "It is 12.",
    ]
    assert known["probability"].round(12).tolist() == [0.36, 0.09, 0.09, 0.06, 0.28, 0.06, 0.06]
    assert known["correct"].tolist() == [True] * 4 + [False] * 3
    assert known["is_true"].round(4).unique().tolist() == [0.7548, 0.3264]
    assert known["verbalised"].unique().tolist() == [0.85, 0.75]


@settings(max_examples=20)
@given(
    st.lists(st.text(min_size=1).filter(str.strip), unique_by=lambda q: " ".join(q.split()), min_size=1, max_size=5),
    st.integers(2, 6),
)
def test_known_answers_are_distributions_with_one_right_meaning(questions, n_meanings):
    known = known_answers(questions, n_meanings=n_meanings, seed=1)
    sums = known.groupby("question")["probability"].sum()
    assert np.allclose(sums, 1) and set(sums.index) == set(questions)
    assert (known[known["correct"]].groupby("question")["meaning"].nunique() == 1).all()
    assert known.groupby("question")["meaning"].nunique().max() <= n_meanings
    back = known_answers(questions[::-1], n_meanings=n_meanings, seed=1)
    for question in questions:
        pieces = [table[table["question"] == question].reset_index(drop=True) for table in (known, back)]
        pd.testing.assert_frame_equal(*pieces)


@pytest.mark.parametrize("overconfidence", [1.0, 2.0])
def test_the_right_answer_is_as_likely_as_said(overconfidence):
    drawn = [invent(f"question {k}", overconfidence=overconfidence) for k in range(3000)]
    first = np.array([next(iter(shares)) == right for shares, right in drawn])
    p = np.array([np.array([*shares.values()]) ** (1 / overconfidence) for shares, _ in drawn], dtype=object)
    stated = np.array([one[0] / one.sum() for one in p])
    raw = np.array([next(iter(shares.values())) for shares, _ in drawn])
    se = np.sqrt((stated * (1 - stated)).sum())
    assert abs((first - stated).sum()) < 4 * se
    assert (abs((first - raw).sum()) > 8 * se) == (overconfidence == 2)


def test_references_are_the_right_answers_and_those_of_others_the_wrong_ones():
    known = known_answers([f"q{k}" for k in range(40)], [f"r{k}" for k in range(40)])
    right = known[known["correct"]].drop_duplicates("question")
    assert (right["meaning"] == "r" + right["question"].str[1:]).all()
    assert known["meaning"].str.match(r"r\d+").all()


def test_a_callers_table_is_used_and_left_alone():
    mine = pd.DataFrame(
        {"question": "q", "meaning": ["a", "a", "b"], "text": ["a", "A!", "b"], "probability": [0.5, 0.2, 0.3]}
    )
    before = mine.copy()
    with stand_in(mine) as server:
        pd.testing.assert_frame_equal(mine, before)
        assert server.known["is_true"].tolist() == pytest.approx([0.5690, 0.5690, 0.2539], abs=1e-4)
        assert server.known["posterior"].tolist() == pytest.approx([0.5, 0.2, 0.3])
        answers = draws(server, "q", 5)
    assert set(answers) == {"a", "A!", "b"} and far(answers.count("a"), 500, 0.5) < 4


ROW = {"question": ["q"], "meaning": ["a"], "text": ["a"], "probability": [1.0]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: known_answers([]), "questions must not be empty"),
        (lambda: known_answers(["a", " "]), r"questions must be texts that are not empty, but questions\[1\] is ' '"),
        (lambda: known_answers(["a", None]), r"questions\[1\] is None"),
        (lambda: known_answers(["a b", "a  b"]), r"questions must differ, but questions\[1\] is questions\[0\]"),
        (lambda: known_answers(["a"], ["b", "c"]), "references must be one a question, but they are 2 for 1"),
        (lambda: known_answers(["a"], n_meanings=1), "n_meanings must be a whole number of at least 2"),
        (lambda: known_answers(["a"], overconfidence=0), "overconfidence must be a positive number, but it is 0"),
        (lambda: known_answers(["a"], overconfidence=math.nan), "overconfidence must be a positive number"),
        (lambda: known_answers(["a"], probabilities={"a": {"b": 0.5}}), "must sum to 1, but those of 'a' sum to 0.5"),
        (lambda: known_answers(["a"], probabilities={"a": {"b": 1.5, "c": -0.5}}), r"probability must lie in \[0, 1\]"),
        (lambda: stand_in(pd.DataFrame({"question": []})).__enter__(), "'meaning' is absent"),
        (lambda: stand_in(pd.DataFrame({k: v * 2 for k, v in ROW.items()})).__enter__(), "must stand once, but 'a'"),
        (lambda: stand_in(pd.DataFrame(ROW | {"is_true": 2.0})).__enter__(), r"is_true must lie in \[0, 1\]"),
        (lambda: stand_in(cases={"a": 1.2}).__enter__(), r"cases must lie in \[0, 1\]"),
        (lambda: stand_in(vague=-0.1).__enter__(), r"vague must lie in \[0, 1\]"),
        (lambda: stand_in(faults=1.0).__enter__(), r"faults must lie in \[0, 0.9\]"),
        (lambda: stand_in(seconds=math.nan).__enter__(), r"seconds must lie in \[0, 3600\]"),
        (lambda: stand_in(seed=0.5).__enter__(), "seed must be a whole number"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_global_random_state_is_left_alone():
    before = random.getstate()
    known_answers(["a"]), generator("a").random()
    assert random.getstate() == before


# ---- the process ----------------------------------------------------------------------------------------------------


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_it_ends_with_its_block_also_after_an_error():
    with pytest.raises(KeyError), stand_in() as server:
        assert alive(server.pid)
        raise KeyError
    assert not alive(server.pid)


@pytest.mark.parametrize("hold_stdin", [False, True])
def test_it_ends_with_a_program_that_is_killed(hold_stdin):
    here, there = SERVER.Pipe()
    program = SERVER.Process(target=serve, args=(there, hold_stdin))
    program.start()
    pid = here.recv()
    assert alive(pid)
    program.kill()
    program.join()
    program.close()
    deadline = time.monotonic() + 3
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(pid)
    here.close(), there.close()


def test_a_server_that_cannot_start_is_said():
    too_much = {"known": "a" * 2**20}  # for a pipe: it is still being written when the process ends
    for options in ({}, too_much):
        with pytest.raises(RuntimeError, match="The stand-in did not start"), run_server(["-c", "1"], options):
            pass


def test_its_process_starts_with_the_standard_library_alone():
    code = "import sys, helpers._stand_in.server; print({'numpy', 'pandas', 'openai'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_it_says_that_it_is_no_model(server):
    assert "no language model" in str(server) and "3 known questions" in str(server)
    assert "It is no language model" in stand_in.__doc__.replace("is no model", "is no language model")
    assert "no language model" in sys.modules["helpers.llm.testing"].__doc__


# ---- the faults on request ------------------------------------------------------------------------------------------


def test_every_fault_is_what_its_name_says():
    script = ["429", "500", "slow", "truncated", "encoding", "cut", "hang up", "page", "no choices", "no content"]
    script += ["no logprobs", "fewer", "extra", None]
    seen = {}
    with answer_server(KNOWN, script=script, retry_after="0.25", slow_seconds=0.8) as server:
        for fault in script:
            try:
                options = {"logprobs": True, "n": 2, "timeout": 0.4 if fault == "slow" else 10}
                seen[fault] = ask(server, "answer", f"Question: {QUESTIONS[0]}", top_logprobs=None, **options)
            except Exception as error:
                seen[fault] = error
        stats = server.stats()
    assert isinstance(seen["429"], openai.RateLimitError) and seen["429"].response.headers["retry-after"] == "0.25"
    assert isinstance(seen["500"], openai.InternalServerError) and isinstance(seen["slow"], openai.APITimeoutError)
    assert isinstance(seen["cut"], openai.APIConnectionError) and isinstance(seen["hang up"], openai.APIConnectionError)
    assert isinstance(seen["truncated"], json.JSONDecodeError) and isinstance(seen["encoding"], UnicodeDecodeError)
    assert isinstance(seen["page"], str) and seen["no choices"].choices == []
    assert texts(seen["no content"]) == [None, None] and seen["no logprobs"].choices[0].logprobs is None
    assert [len(seen[fault].choices) for fault in ("fewer", "extra", None)] == [1, 3, 2]
    assert stats["asked"] == len(script) and stats["answered"] == 5 and sum(stats["given"].values()) == 10


def test_the_faults_of_the_stand_in_are_the_same_in_any_order():
    def run(order):
        with stand_in(KNOWN, faults=0.5) as server:
            tries = {}
            said = {}
            for k in order:
                while k not in said:
                    tries[k] = tries.get(k, 0) + 1
                    try:
                        said[k] = texts(ask(server, "answer", f"Question: {QUESTIONS[0]}", seed=k))
                    except (openai.APIError, ValueError):
                        pass
            return tries, said, {name: count for name, count in server.stats().items() if "fault" in name}

    first = run(range(40))
    second = run(range(39, -1, -1))
    assert first == second and set(first[2]) == {"fault busy", "fault broken", "fault cut", "fault truncated"}
    vain = sum(first[2].values())
    assert vain == sum(first[0].values()) - 40 and abs(vain - 40) < 4 * math.sqrt(40 * 0.5 / 0.25)
    with stand_in(KNOWN) as server:  # the answers are those of a server without faults
        assert first[1] == {k: texts(ask(server, "answer", f"Question: {QUESTIONS[0]}", seed=k)) for k in range(40)}


def test_invalid_partitions_do_not_fit():
    listed = "Answers:\n1. Paris\n2. Rome\n3. It is Paris."
    with answer_server(KNOWN, faults={"partition": 1.0}) as server:
        for _ in range(6):
            said = json.loads(texts(ask(server, "partition", f"Question: {QUESTIONS[0]}\n{listed}"))[0])["classes"]
            whole = [one for members in said for one in members] if isinstance(said, list) else said
            assert whole != [1, 3, 2] and (not isinstance(whole, list) or sorted(map(str, whole)) != ["1", "2", "3"] or
                                           not all(isinstance(one, int) for one in whole))  # fmt: skip
