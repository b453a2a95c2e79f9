"""Conversations of a child that has got past its runtime: frames that are right, nearly right and wrong, and any bytes.

Most frames are right in form, so that a conversation goes on for a while before the host ends it. What may be wrong: types,
numbers (huge, negative, used before), unknown functions and types, missing fields, shapes, half surrogates, NaN, depth, length.
"""

from __future__ import annotations

import json
import struct

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from sandbox import Limits

LIMITS = Limits(
    cpu_seconds=1.0, wall_seconds=10.0, frame_bytes=20_000, outstanding_calls=20, printed_chars=3_000,
    printed_kept=1_000, instruction_bytes=2_000, reply_bytes=2_000,
)  # fmt: skip
_SPEAK = """
import os
data = bytes.fromhex({data!r})
while data:
    data = data[os.write(fd, data):]
"""

WORDS = st.sampled_from(
    ["", "ask", "share", "recall", "solver", "nobody", "calls", "0", "\ud800", "é" * 50, "x" * 3_000]
)
NUMBERS = st.sampled_from([0, 1, -1, 2, 7, 2**31, 2**53, 2**53 + 1, -(2**63), 2**64, 10**30]) | st.integers(-5, 50)
LEAVES = (
    st.none() | st.booleans() | NUMBERS | WORDS | st.text(max_size=5)
    | st.sampled_from([0.5, -1.0, 1e308, float("nan"), float("inf"), float("-inf")])
)  # fmt: skip
ODD = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=5
)
RARELY = st.integers(0, 59).map(lambda n: n == 0)
SHAPES = st.recursive(
    st.sampled_from(["str", "int", "float", "bool", "any", "none"]).map(lambda kind: {"kind": kind})
    | st.builds(lambda values: {"kind": "literal", "values": values}, st.lists(LEAVES, max_size=3)),
    lambda inner: st.one_of(
        inner.map(lambda item: {"kind": "list", "item": item}),
        inner.map(lambda value: {"kind": "dict", "value": value}),
        st.lists(inner, max_size=3).map(lambda options: {"kind": "union", "options": options}),
        inner.map(lambda s: {"kind": "record", "name": None, "fields": {"a": {"shape": s, "required": True}}}),
    ),
    max_leaves=3,
)


@st.composite
def conversations(draw: DrawFn) -> str:
    """A program for a raw child that writes up to twenty frames and, perhaps, something that is none."""
    numbers = [0]
    pieces = [_packed(draw(_frames(numbers))) for _ in range(draw(st.integers(1, 25)))]
    pieces.append(draw(st.one_of(_garbage(), _ends().map(_packed), st.just(b""))))
    return _SPEAK.format(data=b"".join(pieces).hex())


def _frames(numbers: list[int]) -> SearchStrategy[object]:
    unknown = st.builds(lambda word, fields: {**fields, "type": word}, WORDS, st.dictionaries(WORDS, ODD, max_size=2))
    right = _calls(numbers) | _printed()
    return RARELY.flatmap(lambda rare: unknown | _ends() if rare else right)


@st.composite
def _calls(draw: DrawFn, numbers: list[int]) -> object:
    frame: dict[str, object] = {
        "type": "calls",
        "requests": [draw(_request(numbers)) for _ in range(draw(st.integers(0, 3)))],
        "withdrawn": draw(st.lists(NUMBERS.filter(lambda n: abs(n) <= 2**53), max_size=3)),
        "deadlines": draw(st.lists(_deadline(), max_size=2)),
    }
    return draw(_spoilt(frame))


@st.composite
def _request(draw: DrawFn, numbers: list[int]) -> object:
    step = draw(st.sampled_from([0, -1, 2**53, 5])) if draw(RARELY) else draw(st.integers(1, 2))
    numbers[0] += step
    call = numbers[0]
    function, arguments = draw(
        st.sampled_from(
            [
                ("ask", {"agent": "solver", "instruction": "q"}),
                ("ask", {"agent": "critic", "instruction": None, "inputs": [1, {"a": None}]}),
                ("share", {"id": "a", "value": 1}),
                ("recall", {"id": "a"}),
            ]
        )
    )
    arguments = dict(arguments)
    if function == "ask" and draw(RARELY):
        arguments["returns"] = draw(SHAPES)
    sources = [{"argument": "inputs", "path": ["a", 0], "call": call - 1}] if call > 1 and draw(st.booleans()) else []
    request = {
        "call": call, "function": function, "arguments": draw(_spoilt(arguments)), "branch": "0.1",
        "line": draw(st.none() | st.integers(0, 9)), "sources": [draw(_spoilt(source)) for source in sources],
    }  # fmt: skip
    return draw(_spoilt(request))


def _deadline() -> SearchStrategy[object]:
    seconds = st.sampled_from([0, 0.001, 1, -3, 10**12, 1e300])
    return st.builds(lambda n, s: {"deadline": n, "seconds": s}, st.integers(-3, 2**53), seconds)


def _printed() -> SearchStrategy[object]:
    return st.builds(lambda text: {"type": "printed", "text": text}, st.text(max_size=30)).flatmap(_spoilt)


def _ends() -> SearchStrategy[object]:
    error = {
        "kind": "LimitExceeded",
        "message": "m",
        "line": 1,
        "source_line": "x",
        "hint": None,
        "limit": "cpu",
        "value": 1.0,
    }
    use = {"steps": 1, "cpu_seconds": 0.1, "peak_bytes": 5}
    return st.one_of(
        ODD.map(lambda value: {"type": "finished", "value": value, **use}),
        _spoilt(error).map(lambda e: {"type": "failed", "error": e, **use}),
    ).flatmap(_spoilt)


@st.composite
def _spoilt(draw: DrawFn, frame: dict[str, object]) -> dict[str, object]:
    """The frame, rarely with a field left out, odd, or too many."""
    if not frame or not draw(RARELY):
        return frame
    key = draw(st.sampled_from(sorted(frame)))
    how = draw(st.integers(0, 3))
    if how == 0:
        return {name: value for name, value in frame.items() if name != key}
    return {**frame, (key if how < 3 else draw(WORDS)): draw(ODD)}


def _packed(frame: object) -> bytes:
    body = json.dumps(frame).encode()  # with NaN as it is, and surrogates as escapes
    return struct.pack(">I", len(body)) + body


def _garbage() -> SearchStrategy[bytes]:
    deep = st.integers(50, 3_000).map(lambda n: b'{"a":' * n + b"1" + b"}" * n)
    wide = st.sampled_from(
        [b"[1]", b"", b'{"a":1}}', b'{"type":"printed","text":"' + b"9" * 19_000, b"\xff\xfe", b'{"type":1e999}']
    )
    framed = (deep | wide | st.binary(max_size=60)).map(lambda body: struct.pack(">I", len(body)) + body)
    lying = st.builds(lambda n, body: struct.pack(">I", n) + body, st.integers(0, 2**32 - 1), st.binary(max_size=60))
    return framed | lying | st.binary(max_size=20)
