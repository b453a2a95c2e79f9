"""A folder of tiny wheels that the real pip takes as its index, and a cache folder of its own for every test."""

from __future__ import annotations

import hashlib
from pathlib import Path
from zipfile import ZipFile

import pytest

from subagents.local.catalog import HubSource, LocalModel, PackageSource

VERSION = "1.0"


class Wheels:
    """The packages that pip finds, each with one part of a model."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, number: int, payload: bytes, member: str = "part{:02}.bin") -> Path:
        """Publish the package of one part."""
        module = f"dynaflow_test_part{number}"
        info = f"{module}-{VERSION}.dist-info"
        path = self.folder / f"{module}-{VERSION}-py3-none-any.whl"
        with ZipFile(path, "w") as wheel:
            wheel.writestr(f"{module}/__init__.py", "raise ImportError('a stranger was imported')\n")
            wheel.writestr(f"{module}/data/{member.format(number)}", payload)
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {module}\nVersion: {VERSION}\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        return path

    def model(self, content: bytes, *, parts: int, hub: HubSource | None = None) -> LocalModel:
        """A model of that content, in that many packages of which none is published yet."""
        return LocalModel(
            name="tiny",
            file="tiny.gguf",
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            licence="Apache-2.0",
            context=2048,
            hub=hub,
            packages=PackageSource(
                requirements=tuple(f"dynaflow-test-part{number}=={VERSION}" for number in range(1, parts + 1)),
                payload="*/data/part*.bin",
            ),
        )


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and no model given by hand."""
    monkeypatch.setenv("DYNAFLOW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("DYNAFLOW_LOCAL_MODEL", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheels:
    """pip finds these wheels and nothing else."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return Wheels(folder)
