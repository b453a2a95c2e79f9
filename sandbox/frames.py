"""The wire between host and child: strict JSON objects, each behind four bytes of big-endian length.

Strict means: UTF-8, no NaN or infinity, no lone surrogates, one object a frame, nesting and size capped.
There is no pickle and no second format. Whatever does not fit is a `ProtocolError` for the reader, never
an exception of another kind. Both sides use this module, so it imports nothing but the standard library.
"""

from __future__ import annotations

import json
import math
import os
import struct
from typing import NoReturn, cast

from sandbox.errors import ProtocolError

Frame = dict[str, object]

HEADER = struct.Struct(">I")
MAX_DEPTH = 64
CONTROL_BYTES = 24
"""Length of a message to the zygote: a word and a number, padded with blanks."""


def encode(frame: Frame, limit: int) -> bytes:
    """The bytes of a frame. Raises `ValueError` if it holds what strict JSON cannot, or is over `limit` bytes."""
    text = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    body = text.encode("utf-8")
    if len(body) > limit:
        raise ValueError(f"a frame of {len(body)} bytes is over the limit of {limit}")
    return HEADER.pack(len(body)) + body


def decode(body: bytes) -> Frame:
    """The frame in a body. Raises `ProtocolError` for anything that is no strict JSON object."""
    try:
        frame = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite)
        if b"\\u" in body:  # an escape is the only way for half a surrogate pair to get in
            json.dumps(frame, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a frame is no strict JSON: {error}") from None
    if not isinstance(frame, dict):
        raise ProtocolError(f"a frame must be an object, not {type(frame).__name__}")
    if _too_deep(frame):
        raise ProtocolError(f"a frame is nested deeper than {MAX_DEPTH}")
    return cast("Frame", frame)


def body_length(header: bytes, limit: int) -> int:
    """The length that a header announces. Raises `ProtocolError` if it is over `limit`."""
    length = cast("int", HEADER.unpack(header)[0])
    if length > limit:
        raise ProtocolError(f"a frame announces {length} bytes, over the limit of {limit}")
    return length


def send(descriptor: int, frame: Frame, limit: int) -> None:
    """Write one frame to a blocking descriptor."""
    left = memoryview(encode(frame, limit))
    while left:
        left = left[os.write(descriptor, left) :]


def receive(descriptor: int, limit: int) -> Frame:
    """Read one frame from a blocking descriptor. Raises `EOFError` when the peer has gone."""
    length = body_length(_exactly(descriptor, HEADER.size), limit)
    return decode(_exactly(descriptor, length))


def _exactly(descriptor: int, count: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < count:
        piece = os.read(descriptor, min(count - len(pieces), 65_536))
        if not piece:
            raise EOFError("the peer closed the connection")
        pieces += piece
    return bytes(pieces)


def _too_deep(value: object) -> bool:
    """Whether containers are nested deeper than `MAX_DEPTH`; walks level by level, so it cannot overflow."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            item
            for container in level
            for item in (container.values() if isinstance(container, dict) else cast("list[object]", container))
            if isinstance(item, (dict, list))
        ]
        if not level:
            return False
    return True


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no finite number")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
