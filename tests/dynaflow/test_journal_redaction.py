"""What must not reach the journal, and what must."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynaflow.errors import SettingError
from dynaflow.events import CallFinished, CallStarted
from dynaflow.journal import Journal
from dynaflow.journal_rows import decode, encode
from dynaflow.redaction import MARK, Redactor, Rules, redactor_of

pytestmark = pytest.mark.anyio

BUILT_IN = Redactor()
SECRETS = [
    "sk-proj-abcd1234abcd1234abcd",
    "Bearer abcdef0123456789abcdef",
    "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "postgresql://user:hunter2@host/db",
    "ghp_0123456789abcdefghij0123456789abcdef",
    "hf_0123456789abcdefghij0123456789",
    "AKIAABCDEFGHIJKLMNOP",
    "AIzaSyA-0123456789abcdefghij0123456789a",
    "xoxb-0123456789-abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE0123\n-----END RSA PRIVATE KEY-----",
    "api_key = 'abcdef012345'",
]
HARMLESS = [
    "sk-learn-compatible-estimators-are-fine", "risk-0123456789abcdef0123", "the bearer of bad news", "a basic question",
    "mail me@example.org or see http://example.org:8000/a", "password: str", "token = tokens[0]", "api_key = os.environ['KEY']",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", ["{}", "before\n{}\nafter", 'quoted "{}" é \\'])
def test_secrets_of_well_known_make_are_taken_out(secret: str, around: str):
    text, count = BUILT_IN(json.dumps({"value": [around.format(secret)]}))
    assert count == 1
    assert MARK in json.loads(text)["value"][0]
    harmless = ("PRIVATE", "://", "Authorization:")
    assert not any(
        part in text for part in secret.split() if len(part) > 12 and not any(word in part for word in harmless)
    )
    assert "hunter2" not in text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_a_little_like_a_secret_stays(text: str):
    assert BUILT_IN(json.dumps({"value": text})) == (json.dumps({"value": text}), 0)


def test_fields_are_known_by_name_at_any_depth():
    value = {"a": [{"API-Key": "x", "password": {"old": "y", "new": ["z"]}, "number": 1}], "secret": 7}
    text, count = BUILT_IN(json.dumps(value))
    inside = {"API-Key": MARK, "password": {"old": MARK, "new": [MARK]}, "number": 1}
    assert (json.loads(text), count) == ({"a": [inside], "secret": 7}, 3)


def test_what_was_redacted_is_not_counted_again():
    once, _ = BUILT_IN(json.dumps({"value": SECRETS, "secret": "x"}))
    assert BUILT_IN(once) == (once, 0)


def test_the_keys_of_the_environment_are_secrets(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOME_API_KEY", 'quite "secret" words')
    text, count = redactor_of(None, "postgresql://u:long-password-1@h/d")(
        json.dumps({"value": 'it is quite "secret" words', "text": "long-password-1"})
    )
    assert (json.loads(text), count) == ({"value": f"it is {MARK}", "text": MARK}, 2)


def test_a_users_rules_are_added(tmp_path: Path):
    file = tmp_path / "rules.yaml"
    file.write_text("patterns: ['\\b\\d{3}-\\d{2}\\b', '[a-z]+']\nfields: [ward, status]\n")
    event = CallFinished(
        turn=1, call=1, status="delivered", value={"ward": "NINE", "n": ["123-45", 5]}, text='A "b" C\n'
    )
    encoded = encode([event], redactor_of(file))[0]
    back = decode(encoded.body, encoded.large)
    assert isinstance(back, CallFinished)
    assert (back.status, back.value, back.text) == ("delivered", {"ward": MARK, "n": [MARK, 5]}, f'A "{MARK}" C\n')
    assert encoded.redacted == 3


@pytest.mark.parametrize("rules", ["patterns: ['(']", "fields: 3", "words: []", "[", None])
def test_rules_that_cannot_be_read_are_refused(tmp_path: Path, rules: str | None, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "rules.yaml"
    if rules is not None:
        file.write_text(rules)
    monkeypatch.setenv("DYNAFLOW_REDACT", str(file))
    with pytest.raises(SettingError, match=r"(?s)cannot read the redaction rules in .*`patterns` and `fields`"):
        Journal.open(tmp_path / "journal.db")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(SECRETS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.just("api_key"), inner, max_size=3),
    max_leaves=12,
)


@given(value=_JSON, instruction=st.text() | st.sampled_from(SECRETS))
def test_an_event_stays_an_event_and_holds_no_secret(value: object, instruction: str):
    event = CallStarted.model_validate(
        {"turn": 1, "call": 1, "agent": "a", "instruction": instruction, "inputs": value, "branch": "0", "line": None}
    )
    for redact in (BUILT_IN, Redactor(Rules(patterns=("[aeiou]",)))):  # type: ignore[arg-type]
        encoded = encode([event], redact)[0]
        back = decode(encoded.body, encoded.large)
        assert (back == event) == (encoded.redacted == 0)
        assert not any(secret in encoded.body for secret in SECRETS)


async def test_a_run_says_how_much_was_redacted(place: str):
    event = CallFinished(
        turn=1, call=1, status="delivered", value="sk-abcd1234abcd1234abcd", text="x " * 5_000 + SECRETS[0]
    )
    with Journal.open(place) as journal:
        await journal.append("r", event)
        (back,) = journal.events("r")
        with journal.engine.connect() as connection:
            assert connection.exec_driver_sql("SELECT run, seq, count FROM redactions").all() == [("r", 1, 2)]
            stored = str(connection.exec_driver_sql("SELECT body FROM artifacts").all())
        name = await journal.put({"key": SECRETS[0]})
        assert journal.get(name) == {"key": MARK}
    assert SECRETS[0] not in stored
    assert isinstance(back, CallFinished)
    assert (back.value, back.text) == (MARK, "x " * 5_000 + MARK)
