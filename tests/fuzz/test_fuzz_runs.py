"""Any reply of a server: one sentence, never a traceback."""

import json

from hypothesis import strategies as st
from strategies import json_values, tries

from helpers.llm.reply import Reply, Unreadable, read_reply

BODY = {
    "choices": [{
        "index": 0, "finish_reason": "stop", "message": {"content": "Paris"},
        "logprobs": {"content": [{"logprob": -0.1, "top_logprobs": [{"token": "Paris", "logprob": -0.1}]}]},
    }],
    "model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 1},
}  # fmt: skip


def _places(value, path=()):
    """All places in nested lists and dictionaries."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _places(inner, (*path, key))


def _with(value, path, new):
    """A copy with another value at one place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _with(copy[path[0]], path[1:], new)
    return copy


def _changed(path, new):
    return json.dumps(_with(BODY, path, new)).encode()


bodies = st.builds(_changed, st.sampled_from(list(_places(BODY))), json_values)


@tries(200, bodies | json_values.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40))
def test_any_reply(body):
    try:
        reply = read_reply(body)
    except Unreadable as error:
        assert str(error)
        return
    assert isinstance(reply, Reply) and reply.choices
    for choice in reply.choices:
        assert choice["text"] is None or isinstance(choice["text"], str)
        assert choice["logprobs"] is None or all(value <= 1e-4 for value in choice["logprobs"])
        json.dumps(choice)
