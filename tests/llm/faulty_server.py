"""The process of `answer_server`: the stand-in's, with faults on request, and a count of what it sent."""

import json
import random
import threading
import time

from helpers._stand_in import server as _stand_in_server

ANSWERED = ("partition", "verdict", "no content", "no logprobs", "fewer", "extra", "echo answer")
# Faulty, but whole: what was paid for has come
PARTITIONS = (
    lambda classes: classes[1:] or [[]],
    lambda classes: [*classes, classes[0]],
    lambda classes: [*classes, [99]],
    lambda classes: [[0, *classes[0]], *classes[1:]],
    lambda classes: [[str(one) for one in members] for members in classes],
    lambda classes: "I would say they are all the same.",
)


class FaultyHandler(_stand_in_server.Handler):
    def answer(self, request):
        self.server.count("asked")
        if "response_format" in request:
            self.server.count("schemas")
            if "schema" in self.server.named:
                self.server.count("fault schema")
                return self.send_error_body(400, "Unknown field: response_format.")
        fault = self.server.next_fault()
        if fault is None:
            return super().answer(request)
        self.server.count(f"fault {fault}")
        if fault.isdecimal():
            headers = {"Retry_After": self.server.settings["retry_after"]} if fault == "429" else {}
            return self.send_error_body(int(fault), f"A fault on request: {fault}.", **headers)
        if fault.startswith("echo") and fault != "echo answer":
            return self.send_error_body(int(fault.split()[1]), self.told())
        if fault == "slow":
            time.sleep(self.server.settings["slow_seconds"])
        if fault == "hang up":
            self.close_connection = True
            return None
        body = self.server.model.complete(request | ({"n": 1} if fault == "fewer" else {}))
        return self.spoil(fault, request, body)

    def told(self):
        """What a careless server repeats."""
        said = self.headers.get("Authorization", "")
        host = self.headers["Host"]
        return f"Wrong key {said} ({said.removeprefix('Bearer ')}) for http://{host}{self.path} in /home/me/a"

    def spoil(self, fault, request, body):
        text = json.dumps(body, ensure_ascii=False).encode()
        if fault == "truncated":
            return self.send(200, text[: len(text) // 2])
        if fault == "encoding":
            return self.send(200, text.replace(b'"content": "', b'"content": "\xff\xfe\xe9', 1))
        if fault == "page":
            return self.send(200, b"<html><body>Bad gateway</body></html>", Content_Type="text/html")
        if fault == "cut":
            self.close_connection = True
            return self.send(200, text[: len(text) // 2], Content_Length=str(len(text)))
        choices = body["choices"]
        for choice in choices:
            if fault == "no logprobs":
                choice["logprobs"] = None
            if fault == "echo answer":
                choice["message"]["content"] = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if fault == "verdict":
                choice["message"]["content"] = "It is correct, I would say."
            if fault == "no content":
                choice["message"]["content"] = None
            if fault == "partition":
                classes = json.loads(choice["message"]["content"])["classes"]
                bad = PARTITIONS[self.server.counts["fault partition"] % len(PARTITIONS)](classes)
                choice["message"]["content"] = json.dumps({"classes": bad})
        if fault == "extra":
            choices.append(choices[0] | {"index": len(choices)})
        if fault in ANSWERED:
            self.count_answer(request, body)
        return self.send(200, body | {"choices": [] if fault == "no choices" else choices})

    def count_answer(self, request, body):
        super().count_answer(request, body)
        self.server.note(request, len(body["choices"]))


class FaultyServer(_stand_in_server.Server):
    def __init__(self, settings, handler):
        super().__init__(settings, handler)
        self.named = settings["named_faults"]
        self.script = list(settings["script"])
        self.random = random.Random(settings["seed"])
        self.drawing = threading.Lock()
        self.given = {}

    def next_fault(self):
        with self.drawing:
            if self.script:
                return self.script.pop(0)
            drawn = self.random.random()
            for name, probability in self.named.items():
                drawn -= probability
                if drawn < 0:
                    return name
            return None

    def note(self, request, choices):
        asked = json.dumps(request["messages"])
        with self.drawing:
            self.given[asked] = self.given.get(asked, 0) + choices

    def stats(self):
        with self.drawing:
            return super().stats() | {"given": dict(self.given)}


if __name__ == "__main__":
    _stand_in_server.main(FaultyHandler, FaultyServer)
