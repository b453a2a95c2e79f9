"""The catalog is whole: unique names, the default among them, sources in a form that download understands."""

from __future__ import annotations

import re

import pytest

from subagents.local.catalog import CATALOG, DEFAULT_MODEL, find_model
from subagents.local.errors import LocalModelUnknown


def test_names_and_files_are_unique() -> None:
    assert len({model.name for model in CATALOG}) == len({model.file for model in CATALOG}) == len(CATALOG)
    assert len({model.sha256 for model in CATALOG}) == len(CATALOG)


def test_the_default_comes_first_and_is_pinned_to_a_commit() -> None:
    model = find_model()
    assert model is CATALOG[0]
    assert model.name == DEFAULT_MODEL
    assert model.hub is not None
    assert re.fullmatch("[0-9a-f]{40}", model.hub.revision)


@pytest.mark.parametrize("model", CATALOG, ids=lambda model: model.name)
def test_every_package_is_pinned(model) -> None:
    assert all(re.fullmatch(r"[a-z0-9-]+==\d+\.\d+\.\d+", each) for each in model.packages.requirements)
    assert len(set(model.packages.requirements)) == len(model.packages.requirements)


def test_parts_are_in_numeric_order() -> None:
    numbers = [int(re.findall(r"part(\d+)", each)[0]) for each in find_model().packages.requirements]
    assert numbers == list(range(1, 23))


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(LocalModelUnknown, match=r"'gpt'.*qwen2\.5-coder-1\.5b, .*smollm2-135m"):
        find_model("gpt")
