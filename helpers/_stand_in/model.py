"""What the stand-in server replies: known questions, known answers, known probabilities. It is no language model.

A prompt is taken apart into a task and fields, the question is looked up (or invented), and a reply of known
probability is drawn. Standard library only; `helpers.llm.testing` has the public door.
"""

import hashlib
import json
import math
import random
import re
import threading
import time

NAME = "stand-in"

TASKS = ("answer", "verbalised", "is_true", "options", "partition", "grade")

ONE_WORD = (("{}", 0.6), (" {}", 0.15), ("{lower}", 0.1), (" {lower}", 0.05))  # the other tenth says something else

SMALL_TALK = (("I", 0.06), ("The", 0.04))

MOST_CHOICES = 128  # as the best-known endpoint has it

MOST_TOP = 20

_FIELD = re.compile(r"^(Question|Proposed answer|Reference answer|Case|Options|Answers):[ \t]*", re.MULTILINE)

_NUMBERED = re.compile(r"^\s*(\d+)\.[ \t]*(.*)$", re.MULTILINE)

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
    shares = {}
    for pattern, share in spellings:
        text = pattern.format(meaning, lower=meaning.lower(), upper=meaning.upper())
        shares[text] = round(shares.get(text, 0.0) + share, 12)
    return shares


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
        if word not in words and word != reference:
            words.append(word)
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
        self.ends = {}  # {tokens: probability of the text that they are}
        self.mass = {}  # {tokens: probability of all texts that begin so}
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
        mass = self.mass[before]
        steps = [(piece, self.mass[(*before, piece)] / mass) for piece in self.next.get(before, ())]
        if before in self.ends:
            steps.append((None, self.ends[before] / mass))
        return sorted(steps, key=lambda step: (-step[1], str(step[0])))

    def posterior(self, text):
        """Product of the token probabilities a server reports: the end of the text is not among them."""
        return self.mass.get(tuple(tokens(text)), 0.0) / self.mass[()]

    def draw(self, rng, temperature=1.0):
        """[(token, log-probability, [(token, log-probability)] of the rivals)] of one text, at a temperature.

        Tokens are drawn with probabilities proportional to p^(1/temperature); what is reported is log p.
        """
        before = ()
        drawn = []
        while True:
            steps = self.steps(before)
            if temperature > 0:
                weights = [(p / steps[0][1]) ** (1 / temperature) for _, p in steps]
                piece, p = rng.choices(steps, weights)[0]
            else:
                piece, p = steps[0]
            if piece is None:
                return drawn
            drawn.append((piece, math.log(p), [(rival, math.log(q)) for rival, q in steps if rival is not None]))
            before = (*before, piece)


class Refusal(Exception):
    """An answer that is an error: HTTP status, message, and the code of the error body."""

    def __init__(self, status, message, code=None):
        super().__init__(message)
        self.status = status
        self.code = code


def read_task(messages):
    """(task, fields, last user message) of a request: the line `Task: NAME` and the labelled lines of our prompts."""
    texts = [(message.get("role"), _content(message)) for message in messages]
    named = re.search(r"^Task: (\w+)", "\n".join(text for _, text in texts), re.MULTILINE)
    task = named[1] if named and named[1] in TASKS else "answer"
    last = next((text for role, text in reversed(texts) if role == "user"), "")
    pieces = _FIELD.split(last)[1:]
    return task, dict(zip(pieces[::2], map(str.strip, pieces[1::2]), strict=True)), last


def _content(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class StandInModel:
    """Answers chat requests from known distributions; `settings` as `helpers.llm.testing` writes them."""

    def __init__(self, settings):
        self.seed = settings["seed"]
        self.honour_n = settings["honour_n"]
        self.logprobs = settings["logprobs"]
        self.cases = {plain(text): p for text, p in settings["cases"].items()}
        self.vague = settings["vague"]
        self.rows = {}
        self.trees = {}
        self.drawn = {}  # how often something was asked
        self.lock = threading.Lock()
        for row in settings["known"]:
            self.rows.setdefault(plain(row[0]), []).append(row)

    def complete(self, request):
        """The body of a chat completion; Refusal where a server would answer with an error."""
        messages = request.get("messages")
        n = request.get("n") or 1
        top = request.get("top_logprobs") or 0
        most = request.get("max_completion_tokens") or request.get("max_tokens")
        if request.get("model") != NAME:
            raise Refusal(404, f"The model `{request.get('model')}` does not exist.", "model_not_found")
        if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
            raise Refusal(400, "messages must be a list of messages that is not empty.")
        if (
            not isinstance(n, int)
            or not 1 <= n <= MOST_CHOICES
            or not 0 <= top <= MOST_TOP
            or (top and not request.get("logprobs"))
        ):
            raise Refusal(400, f"n must be 1 to {MOST_CHOICES}; top_logprobs 0 to {MOST_TOP}, with logprobs.")
        task, fields, last = read_task(messages)
        n = n if self.honour_n else 1
        temperature = request.get("temperature")
        temperature = 1.0 if temperature is None else temperature
        asked = [task, *(sorted(map(list, fields.items())) or [last])]
        replies = [self._say(task, fields, last, rng, temperature) for rng in self._generators(request, asked, n)]
        choices = [self._choice(k, reply, most, top, request.get("logprobs")) for k, reply in enumerate(replies)]
        sent = sum(len(tokens(_content(message))) + 4 for message in messages)
        used = sum(min(len(reply), most or len(reply)) for reply in replies)
        usage = {"prompt_tokens": sent, "completion_tokens": used, "total_tokens": sent + used}
        head = {"object": "chat.completion", "created": int(time.time()), "model": NAME}
        return {"id": f"chatcmpl-{time.monotonic_ns():x}", **head, "choices": choices, "usage": usage}

    def _generators(self, request, asked, n):
        """Random numbers for each choice, from the request's seed, or from how often this was asked before."""
        if request.get("seed") is not None:
            return [generator(self.seed, asked, "seed", request["seed"], k) for k in range(n)]
        with self.lock:
            before = self.drawn.get(str(asked), 0)
            self.drawn[str(asked)] = before + n
        return [generator(self.seed, asked, "count", before + k) for k in range(n)]

    def _choice(self, index, reply, most, top, wanted):
        short = reply[:most] if most else reply
        logprobs = None
        if wanted and self.logprobs:
            content = [
                _entry(token, p) | {"top_logprobs": [_entry(*rival) for rival in rivals[:top]]}
                for token, p, rivals in short
            ]
            logprobs = {"content": content, "refusal": None}
        message = {"role": "assistant", "content": "".join(token for token, _, _ in short), "refusal": None}
        reason = "length" if len(short) < len(reply) else "stop"
        return {"index": index, "message": message, "logprobs": logprobs, "finish_reason": reason}

    def _say(self, task, fields, last, rng, temperature):
        """[(token, log-probability, rivals)] of one reply."""
        if task == "options":
            case = plain(fields.get("Case", last))
            names = [name.strip() for name in fields.get("Options", "Yes, No").split(",")]
            p = self.cases.get(case)
            p = generator("case", self.seed, case).randint(5, 95) / 100 if p is None else p
            return _one_word(names[0], names[1], p).draw(rng, temperature)
        rows, tree = self._known(fields, last)
        proposed = plain(fields.get("Proposed answer", ""))
        row = {plain(row[2]): row for row in rows}
        if task == "is_true":
            return _one_word("True", "False", row[proposed][5] if proposed in row else 0.5).draw(rng, temperature)
        if task == "partition":
            return _certain(_partition(fields.get("Answers", ""), row))
        if task == "grade":
            right = row[proposed][4] if proposed in row else _same(proposed, fields.get("Reference answer", ""))
            return _certain(json.dumps({"grade": "correct" if right else "incorrect"}))
        if task == "answer":
            return tree.draw(rng, temperature)
        answer = [] if proposed else tree.draw(rng, temperature)
        text = proposed or plain("".join(token for token, _, _ in answer))
        stated = f"{100 * row[text][6] if text in row else 50:.6g}%"
        stated = _certain(f"Confidence: {'quite sure' if rng.random() < self.vague else stated}")
        return stated if proposed else _certain("Answer: ") + answer + _certain("\n") + stated

    def _known(self, fields, last):
        """(rows, tree) of the question that a prompt asks; invented where nobody has described it."""
        question = plain(fields.get("Question", last))
        with self.lock:
            if question not in self.rows:  # a prompt of the reader's own may say more than the question
                question = max((known for known in self.rows if known in question), key=len, default=question)
            if question not in self.rows:
                self.rows[question] = rows_of(question, *invent(question, self.seed))
            if question not in self.trees:
                self.trees[question] = Sentences({row[2]: row[3] for row in self.rows[question]})
            return self.rows[question], self.trees[question]


def _entry(token, logprob):
    return {"token": token, "bytes": list(token.encode()), "logprob": logprob}


def _certain(text):
    return [(token, 0.0, [(token, 0.0)]) for token in TOKEN.findall(text)]


def _one_word(yes, no, p):
    """Next tokens of a question with two options: several spellings of each, and some tokens that are neither."""
    masses = dict(SMALL_TALK)
    for word, share in ((yes, p), (no, 1 - p)):
        for text, part in spell(word, ONE_WORD).items():
            if share > 0:
                masses[text] = masses.get(text, 0.0) + share * part
    return Sentences(masses)


def _partition(listed, row):
    """The classes of numbered answers as JSON; answers nobody has described are alike if their letters are."""
    classes = {}
    for number, text in _NUMBERED.findall(listed):
        known = row.get(plain(text))
        classes.setdefault(("known", known[1]) if known else ("other", _letters(text)), []).append(int(number))
    return json.dumps({"classes": list(classes.values())})


def _letters(text):
    return re.sub(r"\W+", "", text.casefold())


def _same(answer, reference):
    return bool(_letters(reference)) and _letters(reference) in _letters(answer)
