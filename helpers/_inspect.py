"""Inspect, where the extra `llm` is installed, and the names under which it finds what this package adds to it."""

from functools import update_wrapper

try:
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.scorer import scorer
except ImportError as error:
    message = 'Asking a model, and reading what Inspect logged, needs Inspect: pip install "honest-confidence[llm]"'
    raise ImportError(message) from error

__all__ = ["PROJECT", "GenerateConfig", "get_model", "read_eval_log", "registered"]

PROJECT = "honest_confidence"  # the name of the entry point in pyproject.toml


def registered(decorator, **options):
    """One of Inspect's decorators (`metric`, `scorer`, ...) that registers under PROJECT/name.

    By itself Inspect puts the name of the folder before it, and only where that was copied at installation: a log
    from one installation could not be scored anew in another one. A log names its scorers without the project, and
    `inspect score` looks for them so: a scorer has both names.
    """

    def register(build):
        home = build.__module__
        build.__module__ = PROJECT  # no module has this name, so Inspect adds nothing
        if decorator is scorer:
            decorator(name=build.__name__, **options)(build)
        made = decorator(name=f"{PROJECT}/{build.__name__}", **options)(build)
        update_wrapper(made, build)
        made.__module__ = home
        return made

    return register
