"""What is said to the main agent, as Jinja templates in the folder `prompts`.

A name that a template uses and nobody gave is an error, never an empty text. The templates are plain text, so nothing
is escaped; values of models are put in as they are and are never read as templates.
"""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape


def render(name: str, **values: object) -> str:
    """The text of the template `prompts/{name}.j2` with these values, without white space around it."""
    return _environment().get_template(f"{name}.j2").render(values).strip()


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("dynaflow", "prompts"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(()),
        trim_blocks=True,
        lstrip_blocks=True,
    )
