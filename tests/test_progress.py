"""What long work says: lines in a log, a line on a terminal, nothing where it would be stored or was not asked for."""

import io
import threading
import time
from contextlib import redirect_stderr

import numpy as np
import pandas as pd
import pytest

from helpers import _progress
from helpers.practice.reports import answers, audit_answers, audit_scores, read_table, scores
from helpers.practice.tables import read_answers


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def short_times(monkeypatch):
    """Between lines."""
    for name in ("LOG_SECONDS", "TERMINAL_SECONDS"):
        monkeypatch.setattr(_progress, name, 0.02)


def work(stream, progress=None, until=lambda: True):
    """Two steps, of which the second has parts; `stream` is stderr."""
    with redirect_stderr(stream), _progress.told(2, progress):
        _progress.step("averages")
        _progress.step("groups")
        _progress.part("groups, 7 of 9 drawn tables")
        end = time.monotonic() + 10
        while not until() and time.monotonic() < end:
            time.sleep(0.01)


def test_a_log_gets_a_line_each_time_that_names_step_part_and_time(capsys):
    stream = io.StringIO()
    work(stream, until=lambda: stream.getvalue().count("\n") >= 2)
    lines = stream.getvalue().splitlines()
    assert len(lines) >= 2 and set(lines) == {"groups, 7 of 9 drawn tables (2 of 2, 00:00)"}
    assert capsys.readouterr().out == ""
    assert not any(thread.name == "progress" for thread in threading.enumerate())


def test_work_that_ends_before_the_first_line_says_nothing(monkeypatch):
    monkeypatch.setattr(_progress, "LOG_SECONDS", 30.0)
    stream = io.StringIO()
    work(stream)
    assert stream.getvalue() == ""


def test_a_terminal_has_one_line_that_is_cleared_at_the_end():
    stream = Terminal()
    work(stream, until=lambda: "groups" in stream.getvalue())
    shown = stream.getvalue()
    assert "\n" not in shown and "\rgroups, 7 of 9 drawn tables (2 of 2, 00:00)" in shown
    assert shown.rsplit("\r", 2)[1].strip() == "" and shown.endswith("\r")


def test_nothing_is_said_unless_asked_for():
    stream = io.StringIO()
    work(stream, progress=False, until=lambda: time.sleep(0.1) is None)
    _progress.step("alone")
    assert stream.getvalue() == ""
    with pytest.raises(ValueError, match="progress must"):
        work(stream, progress="yes")


class OfKernel(io.StringIO):
    __module__ = "ipykernel.iostream"


def test_a_notebook_stores_nothing_unless_asked_to():
    stream = OfKernel()
    work(stream, until=lambda: time.sleep(0.1) is None)
    assert stream.getvalue() == ""
    work(stream, progress=True, until=lambda: "groups" in stream.getvalue())
    assert "groups" in stream.getvalue()


def test_an_error_ends_the_lines_and_work_inside_of_work_is_a_part_of_it():
    stream = io.StringIO()
    with pytest.raises(ZeroDivisionError), redirect_stderr(stream), _progress.told(5):
        _progress.step("outer")
        work(stream, until=lambda: "groups" in stream.getvalue())
        raise ZeroDivisionError
    assert "(3 of 5" in stream.getvalue()
    assert not any(thread.name == "progress" for thread in threading.enumerate())


def test_a_report_names_its_sections_and_leaves_nothing_to_compute(monkeypatch):
    said = []
    monkeypatch.setattr(_progress, "step", said.append)
    monkeypatch.setattr(_progress, "part", lambda words: said.append(words.partition(",")[0]))
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(20, 60, 600), "sex": rng.choice(["f", "m"], 600)})
    p = rng.uniform(0.2, 0.8, 600)
    table = read_table(X.assign(y=(rng.random(600) < p).astype(int), p=p), "y", "p")
    report = audit_scores(table, cost=[[0, 1], [1, 0]], rng=0, progress=False)
    assert list(dict.fromkeys(said)) == ["columns", *scores.SECTIONS.values()]
    assert {*scores.SECTIONS, "found"} <= set(vars(report))
    with pytest.raises(ValueError, match="progress must"):
        audit_scores(table, progress=1.5)


def test_a_report_on_answers_names_its_steps(monkeypatch):
    said = []
    monkeypatch.setattr(_progress, "step", said.append)
    audit_answers(read_answers(), n_resamples=100, rng=0, progress=False)
    assert len(said) == answers.N_STEPS


def test_where_no_thread_starts_a_terminal_still_names_the_steps(monkeypatch):
    class NoThread(threading.Thread):
        def start(self):
            raise RuntimeError("can't start new thread")  # as Python does in a browser

    monkeypatch.setattr(_progress, "Thread", NoThread)
    stream = Terminal()
    with redirect_stderr(stream), _progress.told(2):
        for words in ("averages", "groups"):
            time.sleep(0.2)  # tqdm draws no faster
            _progress.step(words)
    assert "groups (2 of 2" in stream.getvalue()
