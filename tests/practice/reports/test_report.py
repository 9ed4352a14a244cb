"""The report on a table of scores: what it finds in tables of every kind, and what it leaves unsaid."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from scipy.stats import binom

from helpers.calibration import PlattCalibrator
from helpers.datasets import DATA_FOLDER
from helpers.grouping import GroupingLoss, StackedGroupingLoss
from helpers.notebook.display import collected
from helpers.practice.reports import audit_scores, negative_control, read_table
from helpers.practice.reports.average import OTHERS, measure_average, residual_of_score
from helpers.practice.reports.control import control_rows
from helpers.practice.reports.document import Report
from helpers.practice.reports.drift import measure_drifts
from helpers.practice.reports.findings import Finding, Kind, Part, Words, fill
from helpers.practice.reports.intake import find_limitation, likely_groups
from helpers.practice.reports.single_cases import measure_loss
from helpers.practice.tables import answer_layouts, read_answers
from helpers.practice.tables.scores import ScoreTable

ROOT = Path(__file__).resolve().parents[3]


def make(kind="perfect", n=1500, seed=0):
    """A small table with known truth."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    q = expit(X["a"] + 0.5 * X["b"]).to_numpy()
    p = q
    weight = None
    groups = None
    if kind == "loss":
        p = expit(X["a"]).to_numpy()
    elif kind == "shifted":
        p = expit(X["a"] + 0.5 * X["b"] + 0.8).to_numpy()
    elif kind == "inverted":
        p = 1 - q
    elif kind == "decisions":
        p = (q > 0.5).astype(float)
    elif kind == "heap":
        q = np.where(X["a"] > 1, q, 0.1)
        p = q
    elif kind == "rare":
        p = q = expit(X["a"].to_numpy() - 4)
    elif kind == "kinked":
        q = np.clip(np.where(p > 0.5, 0.9, 0.3 * p), 0, 1)
    elif kind == "hospitals":
        groups = np.arange(n) % 8
    elif kind == "useless":
        p = rng.random(n)
    elif kind == "constant":
        p = np.full(n, 0.5)
    elif kind == "drifting":
        X = X.assign(day=pd.date_range("2024-01-01", periods=n, freq="h"))
        p = expit(logit(q) + np.linspace(-1.5, 1.5, n))
    elif kind == "no features":
        X = X[[]]
    elif kind == "mixed":
        job = np.where(X["b"] > 0, "smith", "cook").astype(object)
        job[::7] = None
        X = X.assign(b=X["b"].where(X["b"] < 1), job=pd.Categorical(job), old=X["c"] > 0)
    if kind in ("weighted", "weighted people"):
        weight = rng.lognormal(0, 1, n)
    if kind in ("people", "weighted people"):
        groups = np.arange(n) // 3
    y = (rng.random(n) < q).astype(np.int8)
    return ScoreTable("my.csv", "y", "p", y, p, X, weight, groups)


KINDS = [
    "perfect", "loss", "shifted", "inverted", "decisions", "heap", "rare", "kinked", "weighted", "people", "hospitals",
    "no features", "mixed", "useless", "constant", "drifting",
]  # fmt: skip


WITH_COSTS = ("hospitals", "no features")

BY_TREE = ("perfect", "shifted", "inverted", "heap", "useless", "drifting")

STACK_ROWS = "helpers.practice.reports.single_cases.STACK_ROWS"  # with 0 a tree estimates the loss, as in large tables

FOUND = {  # kinds that must be found in a table made to show them, in the order of KINDS, and nowhere else
    "reversed": ["inverted"],
    "knows_nothing": ["useless"],
    "constant": ["constant"],
    "drifts": ["drifting"],
    "only_decisions": ["decisions"],
    "certified_loss": [],
    "certified_loss_of_groups": ["loss", "decisions", "useless", "constant", "drifting"],
    "groups_unknown": ["hospitals", "no features"],
    "people": ["people", "hospitals"],
    "few_people": ["hospitals"],
    "slope": ["drifting"],
    "falls": [],
    "as_they_are": ["perfect", "heap", "rare", "weighted", "people", "mixed"],
    "no_knows_nothing": ["useless"],
    "no_reversed": ["inverted"],
    "after_recalibration": ["shifted", "kinked"],
}


@pytest.fixture
def by_tree(monkeypatch):
    """In half of the time that several learners take."""
    monkeypatch.setattr(STACK_ROWS, 0)


@pytest.fixture(scope="module")
def reports():
    @cache
    def report(kind, n):
        cost = [[0, 1], [1, 0]] if n < 1000 or kind in WITH_COSTS else None  # a repair takes a second
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(STACK_ROWS, 0 if kind in BY_TREE else 20_000)
            return audit_scores(make(kind, n), cost=cost, rng=0)

    return lambda kind, n=1500: report(kind, n)


def kinds_of(report):
    return [finding.kind for finding in report.found]


@pytest.mark.nightly
def test_each_kind_is_found_where_a_table_was_made_to_show_it_and_nowhere_else(reports):
    found = {kind: set(kinds_of(reports(kind))) for kind in KINDS}
    where = {name: [kind for kind in KINDS if name in found[kind]] for name in FOUND}
    assert where == FOUND


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n"), [*[(kind, 1500) for kind in KINDS], ("perfect", 60), ("decisions", 300)])
def test_every_table_gets_one_use_whole_sentences_and_tables(reports, kind, n):
    report = reports(kind, n)
    found = report.found
    assert [report.words.kinds[finding.kind].part for finding in found].count("use") == 1
    grave = [finding.severity for finding in found[1:]]
    assert grave == sorted(grave, reverse=True)
    frames = [
        getattr(report, item[6:]) for part in report.words.parts.values() for item in part.shows if item[:5] == "table"
    ]
    texts = [*report.findings["sentence"], *report.steps.index, *report.steps["How"], str(report)]
    pictures = {name: (picture.title, picture.alt) for name, picture in report.words.figures.items()}
    texts += [cell for frame in frames if frame is not None for cell in frame.astype(str).to_numpy().ravel()]
    texts += [fill(text, report=report) for name in report.figure_names for text in pictures[name]]
    titles = [fill(pictures[name][0], report=report) for name in report.figure_names]
    assert all(len(title) > 20 and title[0].isupper() and title[-1] not in ".:,;" for title in titles), titles
    for text in texts:
        assert "nan" not in text and "e-" not in text.replace("re-", "") and "None" not in text.split(), text
    metrics = report.metrics()
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics and metrics["n"] == n
    assert len(report.on_top) <= 9 and report.headline == report.findings["sentence"].iloc[0]


@pytest.mark.slow
def test_grouping_loss_is_certified_with_its_size(reports):
    report = reports("loss")
    table = report.table
    truth = float(np.mean((expit(table.X["a"] + 0.5 * table.X["b"]) - table.p) ** 2))
    assert report.certified and report.loss.low < truth and report.audit.to_add(report.audit.significant)[0] == "b"
    assert any("use b," in step for step in report.steps.index)


def test_a_group_that_is_right_as_stated_is_not_said_to_be_wrong(by_tree):
    """Scores are too high but for cooks: once they are recalibrated, those of cooks are too low."""
    rng = np.random.default_rng(1)
    cook = rng.random(3000) < 0.3
    odds = rng.normal(0, 1, 3000)
    y = (rng.random(3000) < expit(odds)).astype(np.int8)
    p = expit(odds + np.where(cook, 0, 1.2))
    X = pd.DataFrame({"job": np.where(cook, "cook", rng.choice(["smith", "none"], 3000))})
    report = audit_scores(ScoreTable("t", "y", "p", y, p, X), rng=0)
    groups = {finding.subject: finding for finding in report.found if finding.subject.startswith("job")}
    assert groups["job is cook"].kind == "spoiled" and groups["job is cook"].low < 0 < groups["job is cook"].high
    assert groups["job is cook"].more["residual_gap"] > 0.05
    assert report.found[0].kind == "mend_but_not_for" and "where job is cook" in report.headline
    assert "Recalibrate the scores, but not where job is cook." in report.steps.index
    assert not any("people decide" in step for step in report.steps.index)  # their scores stay as they are


@pytest.mark.slow
def test_a_gap_that_changes_over_time_is_found_before_recalibration(reports):
    report = reports("drifting")
    (drift,) = [finding for finding in report.found if finding.kind == "drifts"]
    assert drift.subject == "day" and drift.low > 0.2 and report.found[0].kind == "no_drifts"
    gaps = report.drifts[0].table["gap"]
    assert gaps.iloc[0] > 0.1 and gaps.iloc[-1] < -0.1 and len(report.drift_table) == 8
    X = make(n=299).X.assign(day=pd.date_range("2024-01-01", periods=299, freq="h"), year=np.arange(299) // 70 + 2000)
    steady = audit_scores(replace(make(n=299), X=X), rng=0)
    assert [drift.column for drift in steady.drifts] and "steady" in kinds_of(steady)


@pytest.mark.slow
def test_drift_is_rarely_found_where_there_is_none():
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(100):
        q = rng.random(500)
        days = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=500, freq="D")})
        table = ScoreTable("t", "y", "p", (rng.random(500) < q) * 1.0, q, days).checked()
        alarms += measure_drifts(table)[0].p_value < 0.05
    assert alarms <= binom(100, 0.05).isf(0.001)


FALLING = {"wave": lambda p: 0.5 + 0.3 * np.sin(6 * p), "fall": lambda p: np.where(p > 0.75, 0.4, p)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["jump", *FALLING])
def test_what_the_score_alone_tells_is_no_grouping_loss(kind, monkeypatch):
    """Features are noise; labels jump from 0 to 1, or somewhere they are fewer for higher scores."""
    for seed in range(2):
        monkeypatch.setattr(STACK_ROWS, 0 if seed else 20_000)
        rng = np.random.default_rng(seed)
        p = expit(1.2 * rng.normal(size=3000)).round(4)
        q = (p > 0.5) * 1.0 if kind == "jump" else FALLING[kind](p)
        X = pd.DataFrame({"a": rng.normal(size=3000), "b": rng.choice(list("xyz"), 3000)})
        report = audit_scores(ScoreTable("t", "y", "p", (rng.random(3000) < q).astype(int), p, X), rng=0)
        assert not report.certified and report.average.is_miscalibrated
        assert report.average.no_curve_fits == (kind != "jump") == bool({"falls", "reversed"} & set(kinds_of(report)))
        if kind == "jump":
            assert report.average.kind == "isotonic" and report.loss.value < 1e-6


@pytest.mark.slow
def test_several_learners_certify_more_than_a_tree_and_neither_more_than_there_is(monkeypatch):
    """A score that knows one of four columns that count."""
    lows = np.empty((3, 2))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(600, 6)), columns=list("abcdef"))
        q = expit(X["a"] + 0.7 * (X["b"] + X["c"] + X["d"])).to_numpy()
        p = expit(0.8 * X["a"]).to_numpy()
        table = ScoreTable("blind", "y", "p", rng.random(600) < q, p, X).checked()
        losses = [measure_loss(table, "platt", by_tree=by_tree, rng=seed) for by_tree in (False, True)]
        lows[seed] = [loss.low / np.mean((q - p) ** 2) for loss in losses]
    assert isinstance(losses[0], StackedGroupingLoss) and losses[1].splits.size == 5
    assert (lows < 1).all() and lows[:, 0].mean() > lows[:, 1].mean() + 0.1
    monkeypatch.setattr(STACK_ROWS, table.n - 1)
    assert isinstance(measure_loss(table, "platt", rng=0), GroupingLoss)


@pytest.mark.slow
def test_a_column_that_gives_the_outcome_away_is_in_no_sentence_but_those_on_it(by_tree, tmp_path):
    table = make()
    frame = table.X.assign(y=table.y, p=table.p, end=np.where(table.y, "ill", "well"))
    frame.to_csv(tmp_path / "my.csv", index=False)
    report = audit_scores(read_table(tmp_path / "my.csv", "y", "p"), rng=0)
    assert report.table.features == ["a", "b", "c"] and not report.certified
    assert [finding.subject for finding in report.found if finding.kind == "known_before"] == ["end"]


@pytest.mark.slow
def test_calibrator_bends_only_where_it_must(by_tree):
    kinked = make("kinked").checked()
    assert measure_average(kinked, rng=0).kind == "isotonic"
    assert measure_average(kinked, try_isotonic=False, rng=0).kind == "platt"
    tables = [make("shifted", 1000, seed).checked() for seed in range(100)]
    left = [residual_of_score(table, PlattCalibrator().fit(table.p, table.y))[0] for table in tables]
    assert sum(p_value < OTHERS for p_value in left) <= binom(100, OTHERS).isf(0.001)
    tiny = ScoreTable("t", "y", "p", np.array([0, 1] * 30), np.tile([0, 1e-9], 30), pd.DataFrame(index=range(60)))
    assert measure_average(tiny.checked(), rng=0).line is None
    seldom = make("perfect")
    seldom = replace(seldom, p=np.where(np.arange(seldom.n) < 3, 1.0, 0.0))  # a half may hold zeros alone
    assert audit_scores(seldom, rng=0).average.kind == "isotonic"


@pytest.mark.slow
def test_columns_that_are_named_are_shown_level_by_level():
    table = make("mixed", 290)
    report = audit_scores(table, check=["job", "a"], rng=0)
    levels = ["job is cook", "job is missing", "job is smith"]
    assert report.checked["rule"].tolist()[:3] == levels and len(report.checked) == 8
    assert report.checked["n"].sum() == 2 * table.n and report.checked_table["cases where"].tolist()[:3] == levels
    assert audit_scores(make("mixed", 90), check="old", rng=0).checked["rule"].str.startswith("old").all()
    few = audit_scores(make("perfect", 60), check="a", rng=0)
    assert few.limitation and len(few.checked) == 5  # shown although nothing else is
    with pytest.raises(ValueError, match="check .*did you mean 'job'"):
        audit_scores(table, check=["jbo"])
    streets = replace(table, X=table.X.assign(street=[f"s{k % 1000}" for k in range(table.n)]))
    with pytest.raises(ValueError, match="check .*'street'"):
        audit_scores(streets, check="street")


@pytest.mark.parametrize(
    ("kind", "n", "words"),
    [
        ("perfect", 299, "299 cases; below 300"),
        ("weighted", 500, "with their weights worth"),
        ("rare", 310, "have the rarer label; at least 20 are needed: at this rate, about 6"),
        ("hospitals", 3000, "only 8 people or places; at least 40"),
        ("no features", 3000, "no features"),
    ],
)
def test_obstacles_leave_calibration_only(kind, n, words):
    table = make(kind, n)
    assert words in find_limitation(table)[0]
    report = audit_scores(table, rng=0)
    assert report.loss is None and report.audit is None and not report.certified
    assert negative_control(report) is None
    assert "groups_unknown" in kinds_of(report)
    assert "grouping_loss" not in report.metrics() and report.metrics()["limitation"]


@pytest.mark.slow
def test_rows_of_weight_zero_are_left_out_and_the_others_keep_their_numbers(by_tree):
    table = make("weighted")
    weight = np.where(np.arange(table.n) % 10 == 3, 0, table.weight)
    kept = np.flatnonzero(weight)
    part = ScoreTable("my.csv", "y", "p", table.y[kept], table.p[kept], table.X.iloc[kept], weight[kept])
    whole = audit_scores(replace(table, weight=weight), rng=0)
    assert whole.table.n == kept.size and (whole.table.row == kept + 1).all()
    assert whole.metrics() == audit_scores(part, rng=0).metrics()


@pytest.mark.nightly
@pytest.mark.parametrize(("kind", "calibrator"), [("loss", "isotonic"), ("weighted people", "platt")])
def test_control_finds_nothing(reports, kind, calibrator):
    assert reports(kind).average.kind == calibrator
    control = negative_control(reports(kind), draws=5, rng=1)
    assert control.draws == 5 and max(control.alarms, control.named) <= 2  # three by chance in one of 900 controls
    assert control.value < 4 * control.error + 1e-4
    assert control.alarms <= control.most_alarms


@pytest.mark.slow
def test_control_takes_whole_groups_and_some_rows(reports):
    report = reports("people")
    rows = control_rows(report, 1000, np.random.default_rng(0))
    assert rows.size in (999, 1000) and rows.size % 3 == 0
    assert np.unique(np.bincount(report.table.groups[rows])).tolist() == [0, 3]
    assert control_rows(reports("rare"), 100, np.random.default_rng(0)).size > 1000


@pytest.mark.parametrize("cost", [[[0, 0], [0, 0]], [[0, np.nan], [1, 0]], [[0, 1]], "ab"])
def test_bad_costs(cost):
    with pytest.raises(ValueError, match="cost"):
        audit_scores(make(), cost=cost)


@pytest.mark.slow
def test_the_parameters_that_lesson_19_says_are_set_are_those_in_use():
    cells = nbformat.read(ROOT / "notebooks/19_read_a_report_on_answers.ipynb", as_version=4).cells
    (text,) = [cell.source for cell in cells if "sets five parameters" in cell.source]
    said = dict(re.findall(r'`(\w+)="(\w+)"`', text.partition("sets five parameters")[2]))
    read = read_answers("data/smollm2_answers.jsonl.gz")
    assert len(said) == 5 and read.columns.items() <= (answer_layouts.DEFAULTS | said).items()
    assert (said["rule"], said["system"]) == (read.rule, answer_layouts.RECORDED_SYSTEM)


@pytest.mark.slow
def test_groups_are_set_for_the_table_of_the_book_and_for_no_other(tmp_path):
    table = read_table("data/rand_scores.csv.gz")
    assert table.group_name == "family" and "person" not in table.features
    own = tmp_path / "rand_scores.csv.gz"
    own.write_bytes((DATA_FOLDER / "rand_scores.csv.gz").read_bytes())
    mine = read_table(own)
    assert mine.groups is None and mine.group_name == "" and "person" in mine.features
    assert likely_groups(mine) == ["person", "family"]
    report = audit_scores(mine.checked().take(np.arange(290)), rng=0)
    assert {"likely_people", "assumed_groups", "may_depend", "assumed_equal"} & set(kinds_of(report))


def test_of_two_levels_the_one_that_is_stated_wrongly_is_named(by_tree):
    """Once the scores are recalibrated, both levels of a column are off as surely; as stated, one of them is right."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 1500)
    odds = rng.normal(-3, 1, 1500)
    y = (rng.random(1500) < expit(odds + 1.5 * (sex == "m"))).astype(np.int8)
    report = audit_scores(ScoreTable("t", "y", "p", y, expit(odds), pd.DataFrame({"sex": sex})), rng=0)
    assert report.audit.significant["rule"].tolist() == ["sex is m"] == report.audit.search.selected["rule"].tolist()
    assert report.audit.share(report.audit.significant) == pytest.approx(np.mean(sex == "m"))
    assert [finding.subject for finding in report.found if finding.kind == "too_low"] == ["sex is m"]


class Four(Report):
    """Four groups, of which two are told, and a sentence on all of them that stands in no table."""

    words = Words(
        "", {"group": Kind("groups", "{{ subject }}."), "all": Kind("groups", "All.")}, {"groups": Part(most=2)}, {}
    )
    names = ("a", "b", "c", "d")
    rows = pd.DataFrame({"cases where": names})

    def find(self):
        return [*(Finding("group", name) for name in self.names), Finding("all")]


@pytest.mark.parametrize(("shows", "more"), [("table:rows", ["2 more: see the table."]), ("figure:none", [])])
def test_of_what_a_part_does_not_tell_what_its_tables_hold_is_counted(shows, more, monkeypatch):
    monkeypatch.setattr(Four, "figure_names", (), raising=False)
    monkeypatch.setitem(Four.words.parts, "groups", Part(shows=(shows,), most=2))
    with collected() as outputs:
        Four().show("groups", titles=False)
    assert outputs[0][0]["text/plain"].split("\n\n") == ["a.", "b.", *more]


ODD = "{{ 7 * 7 }} {% raw %}  two  spaces\n\n## <b onclick=x>name</b>"


def test_texts_of_a_user_come_through_letter_by_letter(by_tree):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({ODD: rng.choice([ODD, "no"], 2000), "b": rng.normal(size=2000)})
    y = (rng.random(2000) < np.where(X[ODD] == ODD, 0.8, 0.2)).astype(np.int8)
    p = rng.uniform(0.4, 0.6, 2000)
    table = ScoreTable(ODD, ODD, ODD, y, p, X.astype({ODD: "category"}), dropped={ODD: "constant"}, note=ODD)
    report = audit_scores(table, rng=0)
    assert ODD in "".join(report.sentences("read")) and ODD in "".join(report.on_top)
    page = report._repr_html_()
    assert "&lt;b onclick=x&gt;" in page and "<b onclick" not in page
