"""What the stand-in server replies: the task and the fields of a prompt, and a reply of known probability. No model.

Standard library only, so that the server starts at once. `helpers.llm.testing.stand_in` has the public door.
"""

import json
import re
import threading
import time

from helpers.llm.testing.words import TOKEN, Sentences, generator, invent, plain, rows_of, spell, tokens

NAME = "stand-in"

TASKS = ("answer", "verbalised", "is_true", "options", "partition", "grade")

ONE_WORD = (("{}", 0.6), (" {}", 0.15), ("{lower}", 0.1), (" {lower}", 0.05))  # the other tenth says something else

SMALL_TALK = (("I", 0.06), ("The", 0.04))

MOST_CHOICES, MOST_TOP = 128, 20  # as the best-known endpoint has it

_FIELD = re.compile(r"^(Question|Proposed answer|Reference answer|Case|Options|Answers):[ \t]*", re.MULTILINE)

_NUMBERED = re.compile(r"^\s*(\d+)\.[ \t]*(.*)$", re.MULTILINE)


class Refusal(Exception):
    """An answer that is an error: HTTP status, message, and the code of the error body."""

    def __init__(self, status, message, code=None):
        super().__init__(message)
        self.status, self.code = status, code


def read_task(messages):
    """(task, fields, last user message) of a request: the line `Task: NAME` and the labelled lines of our prompts."""
    texts = [(one.get("role"), _content(one)) for one in messages]
    named = re.search(r"^Task: (\w+)", "\n".join(text for _, text in texts), re.MULTILINE)
    task = named[1] if named and named[1] in TASKS else "answer"
    last = next((text for role, text in reversed(texts) if role == "user"), "")
    pieces = _FIELD.split(last)[1:]
    return task, dict(zip(pieces[::2], map(str.strip, pieces[1::2]), strict=True)), last


def _content(message):
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


class StandInModel:
    """Answers chat requests from known distributions; `settings` as `helpers.llm.testing.stand_in` writes them."""

    def __init__(self, settings):
        self.seed, self.honour_n, self.logprobs = settings["seed"], settings["honour_n"], settings["logprobs"]
        self.cases = {plain(text): p for text, p in settings["cases"].items()}
        self.vague = settings["vague"]
        self.rows, self.trees, self.drawn, self.lock = {}, {}, {}, threading.Lock()
        for row in settings["known"]:
            self.rows.setdefault(plain(row[0]), []).append(row)

    def complete(self, request):
        """The body of a chat completion; Refusal where a server would answer with an error."""
        messages, n = request.get("messages"), request.get("n") or 1
        top, most = request.get("top_logprobs") or 0, request.get("max_completion_tokens") or request.get("max_tokens")
        if request.get("model") != NAME:
            raise Refusal(404, f"The model `{request.get('model')}` does not exist.", "model_not_found")
        if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) for one in messages):
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
        said = [self._say(task, fields, last, rng, temperature) for rng in self._generators(request, asked, n)]
        choices = [self._choice(k, one, most, top, request.get("logprobs")) for k, one in enumerate(said)]
        sent = sum(len(tokens(_content(one))) + 4 for one in messages)
        used = sum(min(len(one), most or len(one)) for one in said)
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

    def _choice(self, index, said, most, top, wanted):
        short = said[:most] if most else said
        logprobs = None
        if wanted and self.logprobs:
            content = [
                _entry(token, p) | {"top_logprobs": [_entry(*one) for one in top_of[:top]]}
                for token, p, top_of in short
            ]
            logprobs = {"content": content, "refusal": None}
        message = {"role": "assistant", "content": "".join(token for token, _, _ in short), "refusal": None}
        reason = "length" if len(short) < len(said) else "stop"
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
        said = [] if proposed else tree.draw(rng, temperature)
        text = proposed or plain("".join(token for token, _, _ in said))
        stated = f"{100 * row[text][6] if text in row else 50:.6g}%"
        stated = _certain(f"Confidence: {'quite sure' if rng.random() < self.vague else stated}")
        return stated if proposed else _certain("Answer: ") + said + _certain("\n") + stated

    def _known(self, fields, last):
        """(rows, tree) of the question that a prompt asks; invented where nobody has described it."""
        question = plain(fields.get("Question", last))
        with self.lock:
            if question not in self.rows:  # a prompt of the reader's own may say more than the question
                question = max((one for one in self.rows if one in question), key=len, default=question)
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
    said = dict(SMALL_TALK)
    for word, share in ((yes, p), (no, 1 - p)):
        for text, part in spell(word, ONE_WORD).items():
            if share > 0:
                said[text] = said.get(text, 0.0) + share * part
    return Sentences(said)


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
