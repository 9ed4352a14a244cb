"""Known questions, known answers, known probabilities: what the stand-in server draws its replies from.

Standard library only. `helpers.llm.testing.stand_in` has the public door.
"""

import hashlib
import json
import math
import random
import re

SPELLINGS = (("{}", 0.5), ("the answer is {}", 0.15), ("It is {}.", 0.15), ("{lower}", 0.1), ("{upper}", 0.1))

TOKEN = re.compile(r"\s*\S{1,5}|\s+$")

_SYLLABLES = ("ba", "do", "fi", "gu", "ka", "lo", "mi", "ne", "po", "ra", "su", "te", "va", "zo")


def plain(text):
    """A text with single spaces, as questions and answers are looked up."""
    return " ".join(text.split())


def tokens(text):
    """Pieces of at most five signs, each with the white space before it; joined they are the text.

    >>> tokens("It is Bucharest.")
    ['It', ' is', ' Bucha', 'rest.']
    """
    return TOKEN.findall(text)


def generator(*parts):
    """Random numbers that depend on nothing but the parts."""
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))


def spell(meaning, spellings=SPELLINGS):
    """{text: probability} of the spellings of a meaning; equal texts are one.

    >>> spell("12")
    {'12': 0.7, 'the answer is 12': 0.15, 'It is 12.': 0.15}
    """
    said = {}
    for pattern, share in spellings:
        text = pattern.format(meaning, lower=meaning.lower(), upper=meaning.upper())
        said[text] = round(said.get(text, 0.0) + share, 12)
    return said


def invent(question, seed=0, *, reference=None, others=(), n_meanings=4, overconfidence=1.5):
    """({meaning: probability}, the right one) for a question nobody has described; probabilities are hundredths.

    The right one is drawn with probabilities proportional to p^(1/overconfidence).
    """
    rng = generator("question", seed, plain(question))
    lead = rng.randint(30, 95)
    cuts = sorted(rng.randint(0, 100 - lead) for _ in range(n_meanings - 2)) if n_meanings > 1 else []
    parts = [b - a for a, b in zip([0, *cuts], [*cuts, 100 - lead], strict=True)] if n_meanings > 1 else []
    shares = sorted([lead, *parts] if n_meanings > 1 else [100], reverse=True)
    shares = [share / 100 for share in shares if share]
    right = rng.choices(range(len(shares)), [share ** (1 / overconfidence) for share in shares])[0]
    words = [other for other in others if other != reference]
    words = rng.sample(words, min(len(words), len(shares)))
    while len(words) < len(shares):
        word = "".join(rng.choice(_SYLLABLES) for _ in range(3)).capitalize()
        words += [word] * (word not in words and word != reference)
    if reference is not None:
        words[right] = reference
    return dict(zip(words, shares, strict=False)), words[right]


def _expit(x):
    return 1 / (1 + math.exp(-x))


def default_is_true(probability, correct):
    """P(True) of a meaning: it knows more than the frequencies do, and is too mild.

    >>> default_is_true(0.5, True), default_is_true(0.5, False)
    (0.69, 0.4013)
    """
    p = min(max(probability, 0.01), 0.99)
    return round(_expit(0.8 * math.log(p / (1 - p)) + (0.8 if correct else -0.4)), 4)


def default_verbalised(probability):
    """Stated confidence of a meaning: a log-odds of 1.5 too high, in steps of five per cent.

    >>> default_verbalised(0.5), default_verbalised(0.9)
    (0.8, 1.0)
    """
    p = min(max(probability, 0.01), 0.99)
    return round(20 * _expit(math.log(p / (1 - p)) + 1.5)) / 20


def rows_of(question, shares, right, spellings=SPELLINGS):
    """Rows [question, meaning, text, probability, correct, is_true, verbalised] of one question."""
    return [
        [
            question,
            meaning,
            text,
            p * share,
            meaning == right,
            default_is_true(p, meaning == right),
            default_verbalised(p),
        ]
        for meaning, p in shares.items()
        for text, share in spell(meaning, spellings).items()
    ]


class Sentences:
    """A distribution over texts as a tree of tokens, so that each token has a probability given those before it."""

    def __init__(self, probabilities):
        self.ends, self.mass = {}, {}
        for text, probability in probabilities.items():
            pieces = tuple(tokens(text))
            self.ends[pieces] = self.ends.get(pieces, 0.0) + probability
            for k in range(len(pieces) + 1):
                self.mass[pieces[:k]] = self.mass.get(pieces[:k], 0.0) + probability
        self.next = {}
        for pieces in self.mass:
            if pieces:
                self.next.setdefault(pieces[:-1], []).append(pieces[-1])

    def steps(self, before):
        """[(token or None for the end, probability)] after some tokens, likeliest first."""
        whole = self.mass[before]
        found = [(piece, self.mass[(*before, piece)] / whole) for piece in self.next.get(before, ())]
        if before in self.ends:
            found.append((None, self.ends[before] / whole))
        return sorted(found, key=lambda one: (-one[1], str(one[0])))

    def posterior(self, text):
        """Product of the token probabilities a server reports: the end of the text is not among them."""
        return self.mass.get(tuple(tokens(text)), 0.0) / self.mass[()]

    def draw(self, rng, temperature=1.0):
        """[(token, log-probability, [(token, log-probability)] of the rivals)] of one text, at a temperature.

        Tokens are drawn with probabilities proportional to p^(1/temperature); what is reported is log p.
        """
        before, said = (), []
        while True:
            steps = self.steps(before)
            if temperature > 0:
                weights = [(p / steps[0][1]) ** (1 / temperature) for _, p in steps]
                piece, p = rng.choices(steps, weights)[0]
            else:
                piece, p = steps[0]
            if piece is None:
                return said
            said.append((piece, math.log(p), [(rival, math.log(q)) for rival, q in steps if rival is not None]))
            before = (*before, piece)
