"""Firefox, driven by the protocol that it speaks itself (WebDriver BiDi): pages are opened, and scripts run in them."""

import json
import os
import re
import shutil
import subprocess
import time

import websocket  # comes with JupyterLab

ADDRESS = re.compile(r"WebDriver BiDi listening on (ws://127\.0\.0\.1:\d+)")


def find_firefox():
    """The program: the variable FIREFOX, or what is installed; None without one."""
    names = (os.environ.get("FIREFOX", ""), "firefox", "firefox-esr")
    return next((found for name in names if (found := shutil.which(name))), None)


class Firefox:
    """One window of a new profile in the folder `profile`; `asked` has the addresses that were requested."""

    def __init__(self, profile):
        command = [find_firefox(), "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        self.process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        lines = iter(self.process.stderr.readline, "")
        address = next(found[1] for line in lines if (found := ADDRESS.search(line)))
        self.socket = websocket.create_connection(f"{address}/session", timeout=120, suppress_origin=True)
        self.number = 0
        self.asked = []
        self.send("session.new", capabilities={})
        self.send("session.subscribe", events=["network.beforeRequestSent"])
        self.window = self.send("browsingContext.getTree")["contexts"][0]["context"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)
        self.process.stderr.close()

    def send(self, method, **parameters):
        """The result of a command; RuntimeError with what Firefox says against it."""
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("method") == "network.beforeRequestSent":
                self.asked.append(answer["params"]["request"]["url"])
            elif answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    def open(self, url):
        """Load a page whole."""
        self.send("browsingContext.navigate", context=self.window, url=url, wait="complete")

    def ask(self, expression):
        """The value of an expression of JavaScript, or of what it promises."""
        words = f"Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))"
        target = {"context": self.window}
        found = self.send("script.evaluate", expression=words, target=target, awaitPromise=True)
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def wait_for(self, expression, pattern, seconds):
        """The text that an expression has as soon as the pattern is found in it; TimeoutError if it never is."""
        end = time.monotonic() + seconds
        while not re.search(pattern, text := self.ask(expression)):
            if time.monotonic() > end:
                raise TimeoutError(text)
            time.sleep(0.2)
        return text
