"""Values out of what models really write: fences, sentences, halves of JSON, and what only looks like an answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from subagents.reading import Mismatch, last_code_block, read
from subagents.shapes import parse_shape
from tests.subagents.calls import record, shape

VERDICT = record(verdict=["correct", "wrong"], reason="str")
GOOD = {"verdict": "wrong", "reason": "8 is not 6"}
MANY = [{"n": number} for number in range(300)]
TEXTS: JsonValue = {"kind": "list", "item": {"kind": "str"}}


def got(text: str, kind: JsonValue) -> object:
    return read(text, parse_shape(shape(kind))).value


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "wrong", "reason": "8 is not 6"}',
        '```json\n{"verdict": "wrong", "reason": "8 is not 6"}\n```',
        'Let me see: {x} or [1].\n```\n{"verdict": "wrong", "reason": "8 is not 6"}\n```\nI hope this helps {you}!',
        'First I thought {"verdict": "correct", "reason": "ok"}, but {"verdict": "WRONG", "reason": "8 is not 6"}.',
        '<think>{"verdict": "correct", "reason": "?"}</think>{"verdict": "wrong", "reason": "8 is not 6"}',
        '{"verdict": "wrong", "reason": "8 is not 6"}{"verdict": "?"}',
    ],
)
def test_json_is_found(text: str) -> None:
    assert got(text, VERDICT) == GOOD


@pytest.mark.parametrize(
    "text",
    [
        "{'verdict': 'wrong', 'reason': '8 is not 6'}",
        '{"verdict": "wrong", "reason": "8 is not 6",}',
        '{"verdict": "wrong", "reason": "8 is not 6"',
        '{verdict: "wrong", reason: "8 is not 6"}',
    ],
)
def test_malformed_json_is_repaired_and_said_so(text: str) -> None:
    found = read(text, parse_shape(VERDICT))
    assert (found.value, found.repaired) == (GOOD, "the JSON was malformed")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("The answer is 12.", "int", 12),
        ("12", "int", 12),
        ('"12"', "int", 12),
        ('{"value": 12}', "int", 12),
        ("She pays 8 dollars of 20.\n**Answer:** $12", "int", 12),
        ("Answer: 20 - 8 = 12\nThat uses 3 pens each.", "int", 12),
        ("It is \\boxed{1,200}", "int", 1200),
        ("Verdict: 12%", "int", 12),
        ("20 - 8 = 12", "int", 12),
        ("It is -$5.", "int", -5),
        ("Two steps.\n\nAnswer:\n\n12 dollars.", "int", 12),
        ('{"answer": 12}', "int", 12),
        ("about -2.50 degrees", "float", -2.5),
        ("The probability is 3/4.", "float", 0.75),
        ("Yes, it is.", "bool", True),
        ("No. There is no doubt, true.", "bool", False),
        ("That is true.", "bool", True),
        ("The answer is no", "bool", False),
        ("The verdict: Correct.", ["correct", "incorrect"], "correct"),
        ("My result: 12\nProposed: 13\n**Verdict:** wrong, step 2 is wrong", ["correct", "wrong"], "wrong"),
        ("Verdict: correct. Nothing is wrong.", ["correct", "wrong"], "correct"),
        ("Answer: B) Paris", ["A", "B"], "B"),
        ("The answer is (b)", ["a", "b"], "b"),
        ("Verdict: supported", ["supported", "unsupported"], "supported"),
        ('{"verdict": "supported"}', ["supported", "unsupported"], "supported"),
        ("It is incorrect", ["correct", "incorrect"], "incorrect"),
        ("It is not supported", ["supported", "not supported"], "not supported"),
        ('["a", "b"]', TEXTS, ["a", "b"]),
        ('Here they are: ["a", "b"].', TEXTS, ["a", "b"]),
        ('{"questions": ["a", "b"]}', TEXTS, ["a", "b"]),
        ("['a', 'b']", TEXTS, ["a", "b"]),
        (f"So: {json.dumps(MANY)}", "any", MANY),
        (f"\\frac{{1}}{{2}} {'{x}' * 300} {json.dumps(GOOD)}", VERDICT, GOOD),
        ('```\n{"value": ["a"]}\n```', TEXTS, ["a"]),
        ('{"value": 5}', {"kind": "union", "options": [record(value="int"), {"kind": "none"}]}, {"value": 5}),
        ("null", {"kind": "union", "options": [{"kind": "int"}, {"kind": "none"}]}, None),
        ('{"a": "\\ud83d"}', record(a="str"), {"a": "�"}),
    ],
)
def test_a_value_in_plain_words(text: str, kind: JsonValue, value: object) -> None:
    assert got(text, kind) == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "int"),
        ("I cannot tell.", "int"),
        ("It is 12.5.", "int"),
        ("between 3-5", "int"),
        ("The answer cannot be 12.", "int"),
        ("The answer is not 12.", "int"),
        ("Answer: 12 (20 - 8)", "int"),
        ("Answer: 12 of 20", "int"),
        ("x = 3, y = 4", "int"),
        ("1.200,50", "float"),
        ("12 thousand", "int"),
        ("as [p7] says", "int"),
        (
            "She had 20 dollars and paid 8 dollars, as was said in the beginning, and so there were some left, namely 12.",
            "int",
        ),
        ("3/0", "float"),
        ("9" * 400, "float"),
        ("yes and no", "bool"),
        ("There is no proof.", "bool"),
        ("It is not true.", "bool"),
        ("either correct or wrong", ["correct", "wrong"]),
        ("It isn't correct.", ["correct", "wrong"]),
        ("It is hardly correct.", ["correct", "wrong"]),
        ("Is it correct?", ["correct", "wrong"]),
        ("Verdict: correct if both say the same, otherwise wrong", ["correct", "wrong"]),
        ("The claim is not supported.", ["supported", "unsupported"]),
        ("It is unsupported.", ["supported", "sound"]),
        ("It would be wrong to say so.\nAll steps hold.", ["correct", "wrong"]),
        ("A circle is round", ["A", "B"]),
        ("It is 12.5", [12, 13]),
        ("The facts [1] and [2] say so.", TEXTS),
        ("I think [this] and that", TEXTS),
        ("NaN", "any"),
        ('{"verdict": "maybe", "reason": ""}', VERDICT),
        ("I think it is wrong because 8 is not 6.", VERDICT),
        ("[" * 100_000, TEXTS),
        ("{" * 3_000, VERDICT),
        ("answer" + "\n" * 60_000, "int"),
        ("yes " * 15_000, "bool"),
        ("correct " * 8_000, ["correct", "wrong"]),
    ],
)
def test_what_is_no_answer(text: str, kind: JsonValue) -> None:
    with pytest.raises(Mismatch, match="Write only"):
        got(text, kind)


@given(st.text(), st.sampled_from(["int", "float", "bool", ["yes", "no"], TEXTS, VERDICT, "any"]))
def test_any_text_is_read_or_refused(text: str, kind: JsonValue) -> None:
    try:
        value = got(text, kind)
    except Mismatch:
        return
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


@given(st.text(st.characters(exclude_characters="{}[]`<")), st.text(st.characters(exclude_characters="{}[]`")))
def test_json_in_any_prose_is_found(before: str, after: str) -> None:
    assert got(f"{before}{json.dumps(GOOD)}{after}", VERDICT) == GOOD
    assert got(f"{before}\n```json\n{json.dumps(GOOD, indent=1)}\n```\n{after}", VERDICT) == GOOD


@given(st.text(alphabet='{}[]",:\\ab1.-`\n '))
def test_what_looks_like_json_is_read_or_refused(text: str) -> None:
    try:
        got(text, VERDICT)
    except Mismatch:
        return


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("print(1)", "print(1)"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("```py\na\n```\nthen\n```python\nprint(1)\n```\nEnjoy.", "print(1)"),
        ("```python\na\n```\nbetter:\n```python\nprint(1)\n", "print(1)"),
        ("<think>```\nno\n```</think>print(1)", "print(1)"),
        ("```python\nprint(1)\n```\nOutput:\n```\n1\n```", "print(1)"),
        ("```python\nprint(1)\n```\nThat is all. ```", "print(1)"),
        ("```\nprint(1)\n```\n```text\n \n```", "print(1)"),
        ("```print(1)```", "print(1)"),
        ("print(1)\n```", "print(1)"),
    ],
)
def test_the_last_code_block(text: str, block: str) -> None:
    assert last_code_block(text) == block
