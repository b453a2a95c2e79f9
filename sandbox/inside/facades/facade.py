"""What a program gets in the place of a module: an immutable namespace of chosen members."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import NoReturn


class Facade:
    """A module of the workflow language. Its members are its only public attributes."""

    __slots__ = ("__name__", "_members")
    __name__: str
    _members: Mapping[str, object]

    def __init__(self, name: str, members: Mapping[str, object]) -> None:
        object.__setattr__(self, "__name__", name)
        object.__setattr__(self, "_members", dict(members))

    def __getattr__(self, name: str) -> object:
        try:
            return self._members[name]
        except KeyError:
            close = difflib.get_close_matches(name, self._members, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            message = f"the module {self.__name__!r} of the workflow language has no {name!r}{hint}"
            raise AttributeError(message, name=name) from None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise TypeError(f"the module {self.__name__!r} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise TypeError(f"the module {self.__name__!r} cannot be changed")

    def __dir__(self) -> list[str]:
        return sorted(self._members)

    def __repr__(self) -> str:
        return f"<module {self.__name__!r}>"
