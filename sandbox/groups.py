"""Task groups wrap whatever ends them; callers want the error itself."""

from __future__ import annotations


def only(several: BaseExceptionGroup[BaseException]) -> BaseException:
    """The exception of a group that holds one, however deep; the group itself if it holds more."""
    inner: BaseException = several
    while isinstance(inner, BaseExceptionGroup) and len(inner.exceptions) == 1:
        inner = inner.exceptions[0]
    return inner
