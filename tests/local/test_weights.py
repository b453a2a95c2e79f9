"""Which file is used, and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from subagents.errors import EndpointUnknown
from subagents.local.catalog import find_model
from subagents.local.errors import LocalModelMissing, LocalSettingWrong
from subagents.local.weights import cache_path, weights_path


def test_missing_weights_say_the_two_ways_out(cache: Path) -> None:
    with pytest.raises(LocalModelMissing) as caught:
        weights_path()
    assert isinstance(caught.value, EndpointUnknown)
    for way in ("dynaflow models pull`", "dynaflow-orchestrator[local]", "--model openai:", "--model http://"):
        assert way in str(caught.value)


def test_another_model_than_the_default_is_named_in_the_command(cache: Path) -> None:
    with pytest.raises(LocalModelMissing, match="`dynaflow models pull smollm2-135m`"):
        weights_path("smollm2-135m")


def test_a_file_of_another_size_is_not_taken(cache: Path) -> None:
    path = cache_path(find_model())
    path.parent.mkdir(parents=True)
    path.write_bytes(b"GGUF")
    with pytest.raises(LocalModelMissing):
        weights_path()


def test_a_given_file_wins(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tmp_path / "mine.gguf"
    given.write_bytes(b"GGUF")
    monkeypatch.setenv("DYNAFLOW_LOCAL_MODEL", str(given))
    assert weights_path() == weights_path("smollm2-135m") == given


def test_a_given_file_that_is_not_there_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNAFLOW_LOCAL_MODEL", "/nowhere/mine.gguf")
    with pytest.raises(LocalModelMissing, match=r"DYNAFLOW_LOCAL_MODEL names '/nowhere/mine\.gguf'"):
        weights_path()


def test_a_setting_that_cannot_be_read_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNAFLOW_LOCAL_SLOTS", "many")
    with pytest.raises(LocalSettingWrong, match="DYNAFLOW_LOCAL_SLOTS is 'many'"):
        weights_path()
