"""When two answers are the same: texts turned into one spelling, or into nothing."""

import re
from collections import Counter
from functools import partial
from importlib.util import find_spec

import numpy as np
import pandas as pd

from helpers.answers.notations import (
    CURRENCIES,
    DATE,
    MATHEMATICS,
    MISSING,
    SCALES,
    either_way,
    is_formula,
    plain,
    read_date,
    read_formula,
    read_letter,
    read_number,
    read_quantity,
    spell_date,
    unit_of,
    with_signs,
    without_layout,
)
from helpers.checks import check_one_of

__all__ = ["RULES", "plain", "spell_answers"]

RULES = ("exact", "normalized", "numeric", "date", "day-first", "letter", "quantity", "math", "class")

# ---- what is said, without what is only thought ---------------------------------------------------------------------

_TAG = r"(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis)"

_THOUGHT = re.compile(rf"[<\[◁|]({_TAG})[>\]▷|].*?[<\[◁|]/\1[>\]▷|]", re.IGNORECASE | re.DOTALL)

_BEFORE_THOUGHT_ENDS = re.compile(rf"\A.*[<\[◁|]/{_TAG}[>\]▷|]", re.IGNORECASE | re.DOTALL)

_UNFINISHED_THOUGHT = re.compile(rf"[<\[◁|]{_TAG}[>\]▷|].*\Z", re.IGNORECASE | re.DOTALL)


def without_thoughts(text):
    """A reply without what stands in thinking tags, also where one of a pair is missing."""
    if not re.search(_TAG, text, re.IGNORECASE):
        return text
    text = _BEFORE_THOUGHT_ENDS.sub("", _THOUGHT.sub(" ", text))
    return _UNFINISHED_THOUGHT.sub("", text)


_LEARNT_UNTIL = re.compile(  # "my data end in 2023", "my knowledge cutoff is May 2021", "I was trained up to 2023"
    r"\b(?:my (?:[\w-]+ ){0,3}?(?:(?:cut-?off|update)\b"
    r"|(?:data|knowledge|training|information)\b[^.;!?\n]{0,40}?"
    r"\b(?:ends?|ended|stops?|stopped|cuts? off|goes|go|extends?|limited|current|up to|until|as of)\b)"
    r"|I (?:was|am|have been) (?:last |only )?(?:trained|updated)\b"
    r"|I only (?:know|have)\b[^.;!?\n]{0,40}?\b(?:up to|until)\b)"
    r"[^.;!?\n\d]{0,40}(?:\d{1,2}[ /-])?(?:19|20)\d\d\b(?:-\d\d)*",
    re.IGNORECASE,
)


def without_limits(text):
    """A reply without the year until which a model says that it learnt, which is no answer."""
    return _LEARNT_UNTIL.sub(" ", text)


# ---- where the answer stands in a reply -----------------------------------------------------------------------------

_ANSWER_TAG = re.compile(r"<answer>(.*?)(?:</answer>|\Z)", re.IGNORECASE | re.DOTALL)

_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")

_MARK = re.compile(
    r"####|\b(?:answer|antwort|réponse|respuesta|risposta)(?:\s+(?:to|of|in|for)\b[^.:\n]{0,60}?)?[\s*_\"']*"
    r"(?:\s(?:is|are|would be|must be|should be|ist|lautet|est|es|è)(?![^\W\d_])|[=:：])[\s:：]*"
    r"|答案\s*(?:应该|應該)?\s*[是为為]?\s*[:：]?",
    re.IGNORECASE,
)


_NEXT_QUESTION = re.compile(r"\n\s*(?:Question|Q|Problem|User|Human)\s*:")


def final_part(text, boxes=True):
    """(what a reply says is its answer, whether it says so): from a box, a tag, or behind "the answer is"; or all.

    What a model writes after its answer as the next question is no part of it.
    """
    own, *_ = _NEXT_QUESTION.split(text, maxsplit=1)
    if own.strip():
        text = own
    boxes = list(_BOX.finditer(text)) if boxes else []
    if boxes:
        start = boxes[-1].end()
        depth = 1
        for place in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            if not depth:
                return text[start:place], True
        return "", True  # cut off
    tags = _ANSWER_TAG.findall(text)
    if tags:
        return final_part(tags[-1])[0], True
    marks = list(_MARK.finditer(text))
    if marks and text[marks[-1].end() :].strip():
        return text[marks[-1].end() :], True
    return text, False


# ---- texts ----------------------------------------------------------------------------------------------------------

_SILENT = re.compile(r"['’‘`´\"“”„«»]|(?<=[^\W\d])\.|\.(?!\d)")

_SPACED = re.compile(r"[!?;()\[\]{}*_~|\\…·¿¡]|(?<!\d)[,:/\-]|[,:/](?!\d)|(?<=\d)-(?!\d)")

_MINUS = re.compile(r"(?<![\w)])\s*-(?=[\d.])")

_ARTICLE = re.compile(r"\b(?:a|an|the)\s+(?=\S)")


def _normalized(text):
    """Without case, punctuation, leading articles and superfluous white space; None if nothing remains."""
    text = _MINUS.sub(" \0", plain(text))
    text = _SPACED.sub(" ", _SILENT.sub("", text)).replace("\0", "-")
    return " ".join(_ARTICLE.sub("", text).split()) or None


# ---- numbers --------------------------------------------------------------------------------------------------------

_EDGE_BEFORE = "([{\"'“‘*_~≈¿¡=:;,#|"

_EDGE_BEHIND = ")]}\"'”’*_.,;:!?…|"

_IS_NUMERIC = re.compile(
    r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR)?[^\w\s]*\d|[A-Z]{1,2}\$\d|[^\W\d_]\w*=.*\d|.*[\\√π≤≥±]|[<>]=?$", re.DOTALL
)

_ALWAYS_JOIN = frozenset({"+", "×", "*", "/", "^", "=", "±", "÷", "%", "+/-"})

_MAY_JOIN = frozenset("- : x to or and through bis in outof".split())  # between two numbers

_BEHIND = CURRENCIES | frozenset(
    "% K k M B b T bn mn mio mrd Mio Mrd x y z squared cubed factorial dozen hundredths tenths".split()
)


def _strip(word):
    return word.lstrip(_EDGE_BEFORE).rstrip(_EDGE_BEHIND)


def _numbers(line):
    """Runs of words of a line that stand for numbers, each with everything that belongs to its notation."""
    words = with_signs(line).replace("out of", "outof").split()
    numeric = [bool(_IS_NUMERIC.match(_strip(word))) for word in words]
    place = 0
    while place < len(words):
        if not numeric[place]:
            place += 1
            continue
        end = place + 1
        while end < len(words):
            following = end + 1 < len(words) and numeric[end + 1]
            if words[end - 1][-1:] in ".;!?":  # a sentence ends
                break
            bare = words[end].rstrip(_EDGE_BEHIND)
            if numeric[end] or bare in _BEHIND or bare.lower() in SCALES:
                end += 1
            elif words[end] in _ALWAYS_JOIN or (words[end].lower() in _MAY_JOIN and following):
                end = min(end + 2, len(words))
            else:
                break
        yield " ".join(words[place:end]), " ".join(words[:place])
        place = end


def read_runs(line):
    """The runs of a line alone, without marks around them."""
    return [_strip(run) for run, _ in _numbers(without_layout(line))]


_HEDGE = re.compile(
    r"(?:\b(?:about|approximately|roughly|around|exactly|only|just|therefore|thus|so|then)\b|[\W_])*", re.IGNORECASE
)


def _run_of(text, runs):
    """The run of words that holds the answer: the one right behind "the answer is", else the last; None without one."""
    part, is_stated = final_part(text)
    found = [list(runs(line)) for line in without_layout(part).splitlines() if line.strip()]
    if is_stated and found and found[0] and _HEDGE.fullmatch(found[0][0][1]):
        return _strip(found[0][0][0])
    flat = [run for line in found for run, _ in line]
    return _strip(flat[-1]) if flat else None


def _numeric(text):
    """The number that a reply states, else the last in it; None where there is none or it may be read in two ways."""
    text = without_limits(text)
    part, _ = final_part(text)
    whole = read_number(part)
    if whole is not None:
        return whole
    run = _run_of(text, _numbers)
    return None if run is None else read_number(run)


# ---- dates ----------------------------------------------------------------------------------------------------------


def _date(text, day_first=False):
    """The last date that a reply states, else the last in it, as MM/DD/YYYY; of several kinds one such as 5/3/1914."""
    text = without_limits(text)
    dates = list(DATE.finditer(without_layout(final_part(text)[0]))) or list(DATE.finditer(without_layout(text)))
    dates = [match for match in dates if match["slashed"]] or dates
    return spell_date(dates[-1], day_first) if dates else None


# ---- letters --------------------------------------------------------------------------------------------------------

_END = (  # what may follow the letter of an option, so that it is none in "a dog"
    r"(?=[\s*_\"')\]}.,:;!?$]*(?:$|\n)|[)\]}.,:;!?*\"']"
    r"|\s+(?:-|(?:because|since|as|is (?:the )?(?:correct|right|best))\b))"
)

_LETTER_SAID = re.compile(rf"[\W_]*(?:(?:is|be|option|choice|letter)\b[\W_]*)*([A-P]){_END}", re.IGNORECASE)

_NOT_RIGHT = r"(?!\W* is (?:not|wrong|incorrect|false)\b)"

_LETTER_FIRST = re.compile(rf"^[\W_]*([A-Pa-p])[).:]{_NOT_RIGHT}\s", re.MULTILINE)

_LETTER_RIGHT = re.compile(r"\W*(?:[Oo]ption |[Cc]hoice )?\(?([A-P])\)? is (?:the )?(?:correct|right|best)\b")

_CONCLUDED = re.compile(
    r"(?:\b(?:therefore|thus|hence|so|choose|pick|select|it(?: is|'s|’s)|(?:is|be|correct) option|"
    r"(?:choice|option|letter) is)|选择?|故)"
    rf"[\s,:*_(]*(?:option\s*)?([A-P]){_END}",
    re.IGNORECASE,
)  # fmt: skip

_LETTER_NAMED = re.compile(
    rf"(?:\b[Oo]ption|\b[Cc]hoice|\b[Ll]etter)\s*\W{{0,3}}([A-Pa-p])(?![\w'’]){_NOT_RIGHT}|\(([A-P])\){_NOT_RIGHT}"
)

_ANOTHER = re.compile(r"[\s)*_]*(?:,|/|&|\band\b|\bor\b)\s*\W*[A-P]\b(?!['’])", re.IGNORECASE)


def _letter(text):
    """The letter of an option, A to P: the one that a reply states, or the only one that it names; None without one."""
    for boxes in (True, False):  # what stands in a box may be none
        part, is_stated = final_part(text, boxes)
        part = without_layout(part)
        alone = read_letter(part)
        if alone:
            return alone
        said = _LETTER_SAID.match(part) if is_stated else None
        if said:
            return None if _ANOTHER.match(part, said.end(1)) or _is_word(part, said) else said[1].upper()
    text = without_layout(text)
    concluded = list(_CONCLUDED.finditer(text))
    if concluded:
        return None if _ANOTHER.match(text, concluded[-1].end(1)) else concluded[-1][1].upper()
    right = _LETTER_RIGHT.match(text)
    if right:
        return right[1].upper()
    first = _LETTER_FIRST.match(text)
    firsts = {letter.upper() for letter in _LETTER_FIRST.findall(text)}
    if first and len(firsts) == 1 and not _ANOTHER.match(text, first.end(1)):
        return first[1].upper()
    named = {(a or b).upper() for a, b in _LETTER_NAMED.findall(text)}
    return named.pop() if len(named) == 1 else None


def _is_word(part, said):
    """Whether a letter is the word "a" or "I" before others."""
    return (
        said[1] in "aAiI"
        and bool(re.match(r"\s+[^\W\d_]{2,}", part[said.end(1) :]))
        and not re.match(r"\s+(?:because|since|as|is)\b", part[said.end(1) :])
    )


def letter_of(text, options):
    """The letter of the option that a text names, or is; None without one, and for a letter beyond the options."""
    part = spell_text(final_part(without_thoughts(text))[0], "normalized")
    same = [part is not None and spell_text(str(option), "normalized") == part for option in options]
    letter = chr(ord("A") + same.index(True)) if sum(same) == 1 else spell_text(text, "letter")
    return letter if letter is not None and ord(letter) - ord("A") < len(options) else None


# ---- quantities and formulas ----------------------------------------------------------------------------------------


def _quantities(line):
    """Runs of words of a line that are a number with a unit, or a number."""
    words = line.split()
    runs = list(_numbers(line))
    for run, before in runs:
        start = len(before.split()) + len(run.split())
        units = (words[start:end] for end in range(min(start + 4, len(words)), start, -1))
        unit = next((words for words in units if unit_of(" ".join(words).rstrip(_EDGE_BEHIND))), [])
        yield " ".join([run, *unit]), before


def _quantity(text):
    """The quantity that a reply states, else the last, in base units; a bare number as it is, None without either."""
    text = without_limits(text)
    part, _ = final_part(text)
    whole = read_quantity(part) or read_number(part, units=False)
    if whole is not None:
        return whole
    for line in reversed(without_layout(part).splitlines()):
        runs = list(_quantities(line))
        if not runs:
            continue
        for (one, before), (_, next_before) in zip(runs, runs[1:], strict=False):
            if next_before.split() == (before + " " + one).split():
                return None  # 5 ft 3 in
        run = _run_of(text, _quantities)
        return read_quantity(run) or read_number(run, units=False)
    return None


def _formula(text):
    """The value of the formula that a reply states, else of the last in it; None without one."""
    part, is_stated = final_part(text)
    whole = read_formula(part.strip())
    if whole is not None:
        return whole
    found = MATHEMATICS.findall(part)
    if found:
        return read_formula(next(filter(None, found[0 if is_stated else -1])).strip())
    sentence = re.split(r"(?<=[^\d\s])\.\s|\n", part.strip(), maxsplit=1)[0]
    if is_stated and is_formula(sentence):
        return read_formula(sentence.strip())
    return _numeric(text)


_SPELLINGS = {
    "exact": lambda text: text, "normalized": _normalized, "numeric": _numeric, "date": _date,
    "day-first": partial(_date, day_first=True), "letter": _letter, "quantity": _quantity, "math": _formula,
}  # fmt: skip

# A reference is of the first of these kinds that reads it wholly.
_WHOLLY = {
    "date": read_date, "numeric": partial(read_number, units=False), "quantity": read_quantity,
    "math": lambda text: read_formula(text) if is_formula(text) else None,
}  # fmt: skip

_OPTION = re.compile(r"\(?([A-Pa-p])[).]?")

_OPTION_WITH_TEXT = re.compile(r"\(?([A-P])[).:]\s.*", re.DOTALL)

_INITIALS = re.compile(r"\(?[A-P]\. [A-Z]\..*", re.DOTALL)  # J. F. Kennedy

FEW_OPTIONS = 5  # of more, half of the letters up to the last must occur


def _are_options(letters):
    """Whether the letters before some texts are those of options, A to the last, and no initials of names."""
    last = max(map(ord, letters)) - ord("A") + 1
    return last <= FEW_OPTIONS or 2 * len(letters) >= last


_REFERENCE_MARK = re.compile(r"####|\\(?:boxed|fbox)\s*\{|\banswer\s*:", re.IGNORECASE)


def reference_part(text):
    """A right answer without its derivation, where a mark ends it as in GSM8K (####), MATH (a box), or "answer:"."""
    part = final_part(text)[0].strip() if _REFERENCE_MARK.search(text) else ""
    return part or text


def rules_of(references):
    """(the rule that reads each of some lists of right answers, sentences about libraries that are missing).

    Letters of options, alone or all as in "B. Paris", only if all are, and more than one: "A" may be an article. Of
    letters before texts, hardly any up to the last may be missing: "J. Kennedy" has an initial. "normalized" where no
    kind reads all of a list.
    """
    texts = [[reference_part(_text(value)).strip() for value in several] for several in references]
    each = [text for several in texts for text in several]
    for option in (_OPTION, _OPTION_WITH_TEXT):
        letters = [option.fullmatch(text) for text in each]
        if not each or not all(letters) or len(found := {letter[1].upper() for letter in letters}) == 1:
            continue
        if option is _OPTION or (_are_options(found) and not all(map(_INITIALS.fullmatch, each))):
            return ["letter"] * len(texts), []
    missing = {}
    rules = [_kind_of(several, missing) for several in texts]
    if "date" in rules and find_spec("dateparser") is None:
        missing[f"Months are read in English alone; dateparser reads others: {MISSING}"] = None
    return rules, list(missing)


def _kind_of(texts, missing):
    """The rule that reads all of some texts; what a library that is not installed would say is put into `missing`."""
    for rule, read in _WHOLLY.items():
        try:
            if texts and all(read(text) is not None for text in texts):
                return rule
        except ImportError as error:
            missing[str(error)] = None
    return "normalized"


ENOUGH = 0.6  # share of the answers that a rule must read wholly if no right answer shows what they are


def rule_of_answers(answers):
    """(the rule that reads most of the answers wholly, a note with its count), where no right answer is known."""
    texts = [without_thoughts(_text(answer)) for answer in pd.Series(answers).dropna()]
    parts = Counter(final_part(text)[0].strip() for text in texts)
    letters = {part: read_letter(part) for part in parts}
    readers = {**_WHOLLY, "letter": letters.get if len({*letters.values()} - {None}) > 1 else lambda part: None}
    n_read = {}
    for rule, read in readers.items():
        try:
            n_read[rule] = sum(count for part, count in parts.items() if read(part) is not None)
        except ImportError:
            n_read[rule] = 0
    rule = max(n_read, key=n_read.get)
    if n_read[rule] < ENOUGH * len(texts):
        return "normalized", "no right answers to go by, and the answers are of no one kind: rule 'normalized'"
    return rule, f"no right answers to go by: rule {rule!r}, which reads {n_read[rule]:,} of {len(texts):,} answers"


def first_is_day(answers, others):
    """(whether dates such as 3/5/1914 have the day first, as some of all these texts must; how many answers may)."""
    found = Counter(map(either_way, answers))
    shown = found + Counter(map(either_way, others))
    return shown[1] > 0 and not shown[-1], found[0]


def spell_answers(answers, rule="normalized"):
    r"""Each answer in the one spelling of its class; None where the rule finds no answer.

    Parameters
    ----------
    answers : array of str or numbers, shape (n,)
        Missing and blank ones hold no answer under any rule.
    rule : str, function or array of str (n,), default "normalized"
        "exact" (the text as it is), "class" (the same, for labels that a judge has given),
        "normalized" (case, Unicode compatibility forms, punctuation, leading articles and white space do not count;
        signs right before a digit, decimal points and symbols such as % + # do),
        "numeric" (the number that is stated as the answer, else the last: 1,000 = 1 000 = 1.000,0, 5 % = 0.05,
        1/4 = 0.25, 2 1/2, 10^3, $2 million = $2M; currencies and units do not count; a range, a sum, ±, and what may be
        read in two ways such as 3,5 or 6 B are none),
        "date" (1914-05-03, May 3, 1914, 3 May 1914, 3.5.1914, 3. Mai 1914, 5/3/1914, the last if there are several),
        "day-first" (the same, but 3/5/1914 is in May),
        "letter" (of an option, A to P: alone as in "(b)", before the answer as in "B) Paris", stated as in
        "ANSWER: B" or "Therefore, B.", else the only one that is named as in "(B)"),
        "quantity" (a number with a unit, 5 km = 5000 m; needs Pint), "math" (a formula, by its value; needs
        math-verify), or a function of one text that returns its spelling, or None; it is called once for each distinct
        text. An array has a rule for each answer.
        A rule reads what a reply states as its answer (in \boxed{}, in <answer>, behind "the answer is" or ####) if it
        does, and nothing inside thinking tags. What it has no notation for is None, and never another value.

    Returns
    -------
    array of object, shape (n,)
        Spellings.

    Examples
    --------
    >>> spell_answers(["The Eiffel Tower.", "eiffel  tower", "C++", " "]).tolist()
    ['eiffel tower', 'eiffel tower', 'c++', None]
    >>> spell_answers(["about $1,000", 1000.0, "5%", "3,5"], "numeric").tolist()
    ['1000', '1000', '0.05', None]
    >>> spell_answers(["3. Mai 1914", "<think>B?</think> So it is (c)."], ["date", "letter"]).tolist()
    ['05/03/1914', 'C']
    """
    if isinstance(rule, str) or callable(rule):
        return _spelled_by(rule, answers)
    answers = pd.Series(answers, dtype=None if len(answers) else object).reset_index(drop=True)
    rules = pd.Series(rule, dtype=object).reset_index(drop=True)
    if len(rules) != len(answers):
        raise ValueError(f"rule must be one for each of the {len(answers):,} answers, but there are {len(rules):,}.")
    spelled = np.full(len(answers), None, dtype=object)
    for name in rules.unique():
        rows = (rules == name).to_numpy()
        spelled[rows] = _spelled_by(name, answers[rows])
    return spelled


def spell_references(references, rule="normalized"):
    """Right answers in their spelling, (n,): a frozenset where a cell holds a list; None where none can be read."""
    references = pd.Series(references, dtype=object).reset_index(drop=True).map(_without_derivation)
    is_list = references.map(lambda cell: isinstance(cell, list | tuple | np.ndarray)).to_numpy()
    if not is_list.any():
        return spell_answers(references, rule)
    each = references.explode()
    one_rule = isinstance(rule, str) or callable(rule)
    spelled = pd.Series(spell_answers(each, rule if one_rule else np.asarray(rule, object)[each.index]), each.index)
    several = spelled.dropna().groupby(level=0).agg(frozenset).reindex(references.index)
    single = spelled[~spelled.index.duplicated()]
    read = np.where(is_list, several, single)
    read[pd.isna(read)] = None
    return read


def _without_derivation(cell):
    """A right answer, or each of several, by `reference_part`; what is no text as it is."""
    if isinstance(cell, list | tuple | np.ndarray):
        return [_without_derivation(one) for one in cell]
    return reference_part(cell) if isinstance(cell, str) else cell


def _spelled_by(rule, answers):
    """Spellings by one rule."""
    if not callable(rule):
        check_one_of(rule, "rule", RULES)
    try:
        codes, distinct = pd.factorize(pd.Series(answers, dtype=None if len(answers) else object))
    except (TypeError, ValueError) as error:
        raise ValueError(f"answers must be texts or numbers, one a row, but {str(error).rstrip('.')}.") from None
    spell = rule if callable(rule) else _SPELLINGS.get(rule, _SPELLINGS["exact"])
    texts = [_text(value) for value in distinct]
    if rule in _SPELLINGS:
        texts = [without_thoughts(text) for text in texts]
    spelled = [spell(text) if text.strip() else None for text in texts]
    spelled = [None if pd.isna(spelling) else spelling for spelling in spelled]
    return np.array([*spelled, None], dtype=object)[codes]  # a missing answer has code -1


def spell_text(text, rule):
    """The spelling of one text by the name of a rule; None where it finds nothing."""
    return _SPELLINGS[rule](without_thoughts(text)) if text.strip() else None


def _text(value):
    """A number as a reader would write it (5.0 as 5), anything else as it is."""
    if isinstance(value, float | np.floating):
        return f"{value:.15g}"
    return str(value)
