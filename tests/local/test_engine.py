"""The engine's process: how it fails without a model, and one question to the real one."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
import pytest
from openai import AsyncOpenAI

from subagents.local.engine import LocalEngine, open_engine
from subagents.local.errors import LocalEngineFailed, LocalEngineMissing, LocalModelMissing
from subagents.local.weights import weights_path

pytestmark = pytest.mark.anyio


@pytest.fixture
def bogus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is no model."""
    path = tmp_path / "bogus.gguf"
    path.write_text("this is no model\n")
    monkeypatch.setenv("DYNAFLOW_LOCAL_MODEL", str(path))
    return path


async def test_a_file_that_is_no_model_gives_the_engines_reason(bogus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    with pytest.raises(LocalEngineFailed, match=r"bogus\.gguf.*status 1; .*invalid magic.*name another file"):
        async with open_engine():
            pytest.fail("it was opened")
    assert capfd.readouterr() == ("", "")


async def test_without_the_engine_the_message_says_what_to_install(
    bogus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(LocalEngineMissing, match=r"pip install 'dynaflow-orchestrator\[local\]'"):
        async with open_engine():
            pytest.fail("it was opened")


@pytest.mark.model
async def test_the_real_model_answers_and_its_engine_is_shared() -> None:
    pytest.importorskip("xllamacpp", reason="needs the extra `local`")
    try:
        weights_path()
    except LocalModelMissing as missing:
        pytest.skip(str(missing))
    async with open_engine() as engine, open_engine() as same:
        assert same == engine
        assert engine.context_tokens >= 4096
        assert "4" in await ask(engine, "What is 2 + 2? Reply with the number only.")
    port = int(engine.base_url.removesuffix("/v1").rpartition(":")[2])
    with pytest.raises(OSError, match="connection attempts failed"):
        await anyio.connect_tcp("127.0.0.1", port)


async def ask(engine: LocalEngine, question: str) -> str:
    text, tokens = "", 0
    headers = {"Connection": "close"}
    async with AsyncOpenAI(base_url=engine.base_url, api_key="none", default_headers=headers, max_retries=0) as client:
        stream = await client.chat.completions.create(
            model=engine.model,
            messages=[{"role": "user", "content": question}],
            temperature=0,
            max_tokens=8,
            stream=True,
            stream_options={"include_usage": True},
        )
        async for chunk in stream:
            text += "".join(choice.delta.content or "" for choice in chunk.choices)
            tokens += chunk.usage.completion_tokens if chunk.usage else 0
    assert tokens > 0
    return text
