"""The templates of the page of measurements; a name that a template does not get is an error."""

from pathlib import Path

import jinja2

ENVIRONMENT = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(name, **values):
    """The text of a template of this folder."""
    return ENVIRONMENT.get_template(name).render(**values)
