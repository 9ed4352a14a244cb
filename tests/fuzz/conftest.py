"""Counts the inputs that were tried, for the long run."""

import strategies


def pytest_terminal_summary(terminalreporter):
    if strategies.LONG:
        terminalreporter.write_line(f"{strategies.tried} inputs tried")
