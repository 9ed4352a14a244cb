"""Words as numbers and dates: each reading is the only one, or there is none."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.partition.notation import decimal_sign, read_dates, read_numbers

READ = {  # words, and what they are whatever their file says
    ("1.299,99", "5"): [1299.99, 5],
    ("1.234.567", "2"): [1234567, 2],
    ("12,34,567", "1,00,000"): [1234567, 100000],
    ("0,300", "1,000"): [0.3, 1],
    ("1.5", "2.000"): [1.5, 2],
    ("1 234,5", "12,25"): [1234.5, 12.25],
    ("\u22125.5", "+3"): [-5.5, 3],
    ("-$5.00", "$-1,200.50"): [-5, -1200.5],
    ("1,5e-3", "2,0"): [0.0015, 2],
    ("1.234e5", "1.234"): [123400, 1.234],
    ("", "NA", "3"): [np.nan, np.nan, 3],
    (" 36 months", " 60 months"): [36, 60],  # Lending Club
    ("1.5kg", "12kg"): [1.5, 12],
    ("inf", "12.345"): [np.inf, 12.345],
    ("80.–", "1'200.–"): [80, 1200],
}


@pytest.mark.parametrize("words", READ)
def test_words_that_are_numbers(words):
    for decimal in ("", ".", ","):
        np.testing.assert_array_equal(read_numbers(words, decimal).values, READ[words])


NONE = [
    ("1,2", "3.4"),
    ("$1", "€2"),
    ("$1", "2"),
    ("5 km", "700 m"),
    ("1.2.3",),
    ("1.23.456",),
    ("(1,200.50)", "3"),
    ("12-34",),
]
NONE += [
    ("5", "<5"),
    ("1,2,3",),
    ("12.", "1,5"),
    ("ABC 12",),
    ("1st", "2nd"),
    ("person 7",),
    ("5 km", "7"),
    ("4G", "5G"),
    ("12*", "7"),
    ("NA", ""),
    ("1 2",),
]


@pytest.mark.parametrize("words", NONE)
def test_words_that_are_no_numbers(words):
    for decimal in ("", ".", ","):
        read = read_numbers(words, decimal)
        assert read.values is None and not read.undecided


@pytest.mark.parametrize("words", [("2.000", "12.500"), ("2,000", "12,500"), ("2.000", "800"), ("€ 2.000", "€ 800")])
def test_words_of_which_the_file_decides(words):
    assert read_numbers(words).undecided
    sign, other = (".", ",") if "." in words[0] else (",", ".")
    thousands = read_numbers(words, other).values
    assert thousands[0] == 2000
    alike = all(sign in word for word in words)
    decimals = read_numbers(words, sign)
    assert decimals.values[0] == thousands[0] / 1000 if alike else decimals.undecided


FORMATS = [  # of Python and of the countries where they are usual
    str,
    lambda x: f"{x:.2f}",
    lambda x: f"{x:,.2f}",
    lambda x: f"{x:,.2f}".translate(str.maketrans(",.", ".,")),
    lambda x: f"{x:,.2f}".translate(str.maketrans(",.", " ,")),
    lambda x: f"{x:,.2f}".replace(",", "\u2019"),
    lambda x: f"€ {x:,.2f}",
    lambda x: f"{x:.2f} %",
]


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=5),
    st.sampled_from(FORMATS),
    st.sampled_from(["", ".", ","]),
)
def test_numbers_written_in_one_way_come_back(hundredths, written, decimal):
    numbers = np.array(hundredths) / 100
    words = [written(number).replace("€ -", "-€ ") for number in numbers.tolist()]
    np.testing.assert_array_equal(read_numbers(words, decimal).values, numbers)


@given(st.lists(st.text("0123456789.,' -+%€e", max_size=7), min_size=1, max_size=4))
def test_no_word_has_two_readings(words):
    """Alone or beside others, in any file: whatever is read is read alike, but for words of which the file decides."""
    readings = [read_numbers(some, sign) for some in (words, words[:1]) for sign in ("", ".", ",")]
    first = {
        reading.values[0] for reading in readings if reading.values is not None and not np.isnan(reading.values[0])
    }
    assert len(first) <= 1 or read_numbers(words[:1]).undecided


@pytest.mark.parametrize(
    "cells, sign", [(["0.5", "7"], "."), (["0,5", "x"], ","), (["0.5", "0,5"], ""), (["2.000", "3"], "")]
)
def test_the_decimal_sign_of_cells(cells, sign):
    assert decimal_sign(cells) == sign


DATES = {
    ("31.01.2024 14:05", "01.02.2024 03:00"): "2024-01-31 14:05",
    ("12.01.2017 17:18", "15.04.2017 02:40"): "2017-01-12 17:18",  # 12 January, not 1 December
    ("27.03.2003 14:55:00.000",): "2003-03-27 14:55",
    ("1/31/2024 2:05 PM", "2/1/2024 11:00 AM"): "2024-01-31 14:05",
    ("2018-04-11  10:30:00", "2018-04-11 10:15:00"): "2018-04-11 10:30",
    ("January 31, 2024", "May 1, 2024"): "2024-01-31",
    ("05/05/2024",): "2024-05-05",  # day first or month first is the same
    ("01.2024", "12.2024"): "2024-01-01",
    ("31JAN2024", "01FEB2024"): "2024-01-31",  # of SAS
    ("31-JAN-2024", "01-FEB-2024"): "2024-01-31",  # of Oracle
}


@pytest.mark.parametrize("words", DATES)
def test_words_that_are_dates(words):
    assert read_dates(words).iloc[0] == pd.Timestamp(DATES[words])


@pytest.mark.parametrize(
    "words",
    [("01/02/2024",), ("01-02-2024",), ("31.01.24",), ("31 June 2024",), ("31.01.2024", "2024-01-31"), ("13.2024",)],
)
def test_words_that_are_no_dates_or_two(words):
    assert read_dates(words) is None


def test_every_order_of_words_is_read_alike():
    for words in itertools.permutations(["1.299,99", "2.000", "", "800"]):
        read = dict(zip(words, read_numbers(words).values, strict=True))
        assert (read["2.000"], read["800"], read["1.299,99"]) == (2000, 800, 1299.99)
