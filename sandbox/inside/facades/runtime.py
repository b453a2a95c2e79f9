"""What the facades may ask of the runtime of a program."""

from __future__ import annotations

from typing import Protocol

from sandbox.inside.classes import Classes


class Runtime(Protocol):
    """The world of one program, as far as the modules of the language need it."""

    @property
    def seed(self) -> int: ...

    @property
    def classes(self) -> Classes: ...

    @property
    def aware(self) -> set[object]:
        """Functions that are given handles as they are."""
        ...

    def now(self) -> float: ...

    def sleep(self, seconds: float) -> None: ...

    def call(self, function: object, *args: object, **kwargs: object) -> object: ...

    def value(self, thing: object) -> object: ...

    def getattr(self, thing: object, name: str) -> object: ...

    def is_program_class(self, cls: object) -> bool: ...

    def print(self, text: str) -> None: ...
