"""What is done and what it cost so far, on stderr: one line, rewritten in a terminal, else one in ten seconds."""

import shutil
import sys
import time


class Progress:
    """Tells about one step of a collection; silent unless `told`."""

    def __init__(self, told, what, endpoint):
        self.told, self.what, self.endpoint = told, what, endpoint
        self.rewrite = told and sys.stderr.isatty()
        self.start = self.last = time.monotonic()
        self.before = None

    def tell(self, tally, left):
        """Update the line: requests done in this step, what is left, cost so far, time that is left."""
        if not self.told:
            return
        now = time.monotonic()
        done = tally.answered + tally.failed
        self.before = done - 1 if self.before is None else self.before
        done -= self.before
        if self.rewrite:
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write(f"\r\033[K{self.status(tally, done, left, now)[:width]}")
        elif now - self.last > 10:
            sys.stderr.write(self.status(tally, done, left, now) + "\n")
            self.last = now
        sys.stderr.flush()

    def status(self, tally, done, left, now):
        """The line itself."""
        cost = f", cost so far {tally.cost:.4g}" * self.endpoint.prices_known
        tokens = f", {tally.tokens_in:,} tokens in and {tally.tokens_out:,} out"
        again = f", {sum(tally.retries.values()):,} tries in vain" * bool(tally.retries)
        seconds = (now - self.start) / max(done, 1) * left
        about = f"{seconds / 60:,.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
        return f"{self.what}: {done:,} of {done + left:,} requests{tokens}{cost}{again}; about {about} left"

    def stopping(self, count):
        """Say that requests under way are waited for."""
        if self.told and count:
            end = "\n" if self.rewrite else ""
            sys.stderr.write(f"{end}Stopping once the {count:,} requests under way are back: they are paid for.\n")
            sys.stderr.flush()

    def end(self):
        """Leave the terminal with a whole line."""
        if self.rewrite:
            sys.stderr.write("\n")
            sys.stderr.flush()
