"""Frames: whatever is encoded comes back, and whatever else arrives is a ProtocolError."""

from __future__ import annotations

import contextlib
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import frames
from sandbox.errors import ProtocolError

LIMIT = 100_000
text = st.text(st.characters(exclude_categories=["Cs"]))
data = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(text, data, max_size=5))
def test_round_trip(frame: dict[str, object]) -> None:
    encoded = frames.encode(frame, LIMIT)
    assert frames.body_length(encoded[:4], LIMIT) == len(encoded) - 4
    assert frames.decode(encoded[4:]) == frame


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_a_protocol_error(body: bytes) -> None:
    with contextlib.suppress(ProtocolError):
        assert isinstance(frames.decode(body), dict)


@pytest.mark.parametrize(
    "body", [b"[1]", b"NaN", b'{"a": NaN}', b'{"a": Infinity}', b"\xff", b"", b'{"a":' * 5000, b"[" * 100_000]
)
def test_refused(body: bytes) -> None:
    with pytest.raises(ProtocolError):
        frames.decode(body)


def test_too_deep() -> None:
    nested: object = 1
    for _ in range(frames.MAX_DEPTH + 1):
        nested = [nested]
    with pytest.raises(ProtocolError, match="nested deeper"):
        frames.decode(frames.encode({"a": nested}, LIMIT)[4:])


def test_too_large() -> None:
    with pytest.raises(ValueError, match="over the limit"):
        frames.encode({"a": "x" * LIMIT}, LIMIT)
    with pytest.raises(ProtocolError, match="announces"):
        frames.body_length(frames.HEADER.pack(2**31), LIMIT)


def test_nan_is_not_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        frames.encode({"a": float("nan")}, LIMIT)


def test_a_closed_socket_is_an_end_of_file() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frames.send(ours.fileno(), {"a": 1}, LIMIT)
        assert frames.receive(theirs.fileno(), LIMIT) == {"a": 1}
        ours.sendall(b"\x00\x00\x00\x09{}")
        ours.shutdown(socket.SHUT_WR)
        with pytest.raises(EOFError):
            frames.receive(theirs.fileno(), LIMIT)
