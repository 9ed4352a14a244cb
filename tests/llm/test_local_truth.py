"""A real model's log-probabilities: the same twice, as often drawn as stated, and their product is what is collected.

What bigger runs of the same have measured stands in data/README.md under smollm2_answers.jsonl.gz.
"""

import json
import urllib.request
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from collecting import why_no_model

from helpers.llm import collect_answers, local, plan_answers
from helpers.llm.client import Request, Sender

pytestmark = pytest.mark.skipif(bool(why_no_model()), reason=why_no_model())

SLOTS = 25  # answers that the model computes together

SAME = 0.002  # of a log-probability, between requests that both find their prompt in the cache (measured: 0)

NOISE = 0.3  # between a prompt that is read anew and one in the cache (measured: median 0.009, at most 0.14)

MESSAGES = [
    {"role": "user", "content": "Question: Which season comes after winter?"},
    {"role": "assistant", "content": "Answer:"},
]


@pytest.fixture(scope="module")
def endpoint():
    with local.local_model(n_threads=1, n_parallel=SLOTS, context=128) as endpoint:
        yield replace(endpoint, concurrency=1)


def ask(endpoint, n=1, **options):
    """The choices of one request."""
    request = Request("answer", "k", MESSAGES, samples=tuple(range(n)), logprobs=True, top=20, **options)
    with Sender(endpoint) as sender:
        return sender.send(request).choices


def test_a_second_request_states_the_same_within_the_noise_of_the_server(endpoint):
    uncached = replace(endpoint, extra_body={"cache_prompt": False})
    wheres = (uncached, uncached, endpoint, endpoint)
    anew, again, cached, repeated = (dict(ask(where, temperature=0.0, max_tokens=1)[0]["top"][0]) for where in wheres)
    for other, tolerance in ((again, SAME), (repeated, NOISE), (cached, NOISE)):
        common = anew.keys() & other.keys()
        assert len(common) >= 15  # the last of twenty may change places
        assert np.allclose([anew[token] for token in common], [other[token] for token in common], atol=tolerance)
    assert cached == pytest.approx(repeated, abs=SAME)


def test_the_first_token_is_drawn_as_often_as_is_stated(endpoint):
    draws = [choice for seed in range(8) for choice in ask(endpoint, n=SLOTS, max_tokens=1, seed=seed)]
    n = len(draws)
    assert sum(choice["logprobs"] is None for choice in draws) <= 3
    stated = dict(next(choice["top"][0] for choice in draws if choice["top"]))
    assert n == 8 * SLOTS
    listed = sum(map(np.exp, stated.values()))
    for token, logprob in sorted(stated.items(), key=lambda pair: -pair[1])[:3]:
        p = np.exp(logprob)
        share = np.mean([choice["text"].removeprefix("Answer:") == token for choice in draws])
        assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / n), token
    last_listed = min(stated.values()) - NOISE
    # A token that is part of a character has no text and no log-probability (1 draw of 1,500): it is not in the list.
    within = np.mean([choice["logprobs"] is not None and choice["logprobs"][0] >= last_listed for choice in draws])
    assert abs(within - listed) < 4 * np.sqrt(listed * (1 - listed) / n)


def test_the_collected_posterior_is_the_product_that_the_server_reports(endpoint, tmp_path):
    questions = pd.DataFrame({"question": ["What is frozen water called?"]})
    options = {"n_answers": 1, "temperature": 0.0, "max_tokens": 4, "confidences": ("posterior",)}
    plan = plan_answers(questions, endpoint, **options)
    request = plan.request("answer", plan.questions["question"].item(), (0,))
    product(endpoint, request)  # now the prompt is in the cache
    collected = collect_answers(plan, tmp_path / "a.jsonl", progress=False).answers["posterior"].item()
    assert np.log(collected) == pytest.approx(np.log(product(endpoint, request)), abs=4 * SAME)
    record = json.loads((tmp_path / "a.jsonl").read_text().splitlines()[1])
    assert collected == pytest.approx(np.prod(np.exp(record["choices"][0]["logprobs"])), rel=1e-12)


def product(endpoint, request):
    """The probability of a reply, from the very body of the server."""
    body = json.dumps(request.fields | {"model": endpoint.model}).encode()
    address = f"{endpoint.base_url}/chat/completions"
    sent = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(sent, timeout=60) as reply:
        tokens = json.load(reply)["choices"][0]["logprobs"]["content"]
    return np.prod([np.exp(token["logprob"]) for token in tokens])
