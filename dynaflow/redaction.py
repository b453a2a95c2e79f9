"""Keeps secrets out of the journal: what looks like one is replaced by a mark before anything is written, and counted.

Three kinds of rules: patterns (keys of well-known make, bearer tokens, passwords in addresses), the names of fields whose
texts are secret (`api_key`, `password`, ...), and the very keys that this process got from its environment. The user's
own patterns and fields come from the YAML file that `DYNAFLOW_REDACT` names. A run that is replayed from the journal gets
the redacted text.

It has to be cheap, since every event passes here: a text that contains none of the words with which a secret begins is
let through by plain look-ups. Only otherwise, and always for patterns of the user's, the JSON is taken apart and its
strings are examined one by one, so that it stays valid JSON whatever a pattern matches.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from dynaflow.artifacts import text_of
from dynaflow.errors import SettingError

if TYPE_CHECKING:
    from pydantic import JsonValue

MARK = "[redacted]"
FIELDS = (
    "api_key", "apikey", "access_token", "refresh_token", "auth_token", "authorization", "client_secret", "password",
    "passwd", "private_key", "secret", "secret_key", "x_api_key",
)  # fmt: skip
"""Names of fields whose texts never reach the journal; `-` and `_`, small and capital letters are the same."""
_PATTERNS: Mapping[str, tuple[str, ...]] = {
    r"\bsk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{16,}": ("sk-",),
    r"(?i)\b(?:bearer|basic)\s+(?=[a-z._~+/-]*\d)[A-Za-z0-9._~+/-]{16,}=*": ("bearer", "basic"),
    r"(?i)(?<=\bauthorization:\s)\S.*": ("authorization",),
    r"(?<=://)[^\s/:@\"']*:[^\s/@\"']+(?=@)": ("@",),
    r"\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    r"\bhf_[A-Za-z0-9]{30,}": ("hf_",),
    r"\bA(?:KIA|SIA)[0-9A-Z]{16}\b": ("akia", "asia"),
    r"\bAIza[0-9A-Za-z_-]{35}": ("aiza",),
    r"\bxox[abprs]-[0-9A-Za-z-]{10,}": ("xox",),
    r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*": ("eyj",),
    r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)": ("private key",),
    r"(?i)\b(?:api[_-]?key|client_secret|access_token|password|passwd)[\"']?\s*[:=]\s*[\"'][^\s\"']{6,}[\"']": (
        "api_key", "api-key", "apikey", "client_secret", "access_token", "password", "passwd",
    ),
}  # fmt: skip
"""Pattern -> the words, in small letters, without one of which it cannot match."""
_KEY_VARIABLE = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD)$")
_LEAST_KEY = 12
"""A shorter value of such a variable may be a word, and is left alone."""
_OWN_WORDS = frozenset({"type", "run", "status", "mode", "how", "outcome", "role", "finish_reason", "kind"})
"""Fields of the events' own whose texts are words of DynaFlow's."""

_OWN_TEXT = re.compile(r"[A-Za-z_]{1,24}|\d{8}-\d{6}-[0-9a-f]{6}")


class Rules(BaseModel):
    """What a user wants to be kept out of the journal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    patterns: tuple[re.Pattern[str], ...] = ()
    """Regular expressions, looked for in every string."""
    fields: tuple[str, ...] = ()
    """Names of fields whose texts are replaced."""

    @classmethod
    def load(cls, file: Path) -> Rules:
        """The rules of a YAML file. Raises `SettingError`: what cannot be read must not mean that nothing is redacted."""
        try:
            return cls.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")) or {})
        except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
            raise SettingError(
                f"cannot read the redaction rules in {str(file)!r}: {error}: give a YAML file with `patterns` and `fields`"
            ) from error


class Redactor:
    """Takes secrets out of JSON texts."""

    def __init__(self, rules: Rules | None = None, keys: Iterable[str] = ()) -> None:
        """keys: texts that are secrets themselves."""
        fields = {_plain(name) for name in (*FIELDS, *(rules.fields if rules else ()))}
        self._fields = frozenset(fields - _OWN_WORDS)
        keys = sorted({key for key in keys if len(key) >= _LEAST_KEY}, key=len, reverse=True)
        patterns = [*map(re.escape, keys), *_PATTERNS]
        self._patterns = [*map(re.compile, patterns), *(rules.patterns if rules else ())]
        words = {word for some in _PATTERNS.values() for word in some} | {json.dumps(key)[1:-1].lower() for key in keys}
        names = self._fields | {name.replace("_", "-") for name in self._fields}
        self._words = _shortest(words | {f'"{name}"' for name in names})
        self._always = bool(rules and rules.patterns)

    def suspects(self, text: str) -> bool:
        """Whether there may be a secret in a text, or in one of several texts that are written one behind the other."""
        if self._always:
            return True
        small = text.lower()
        for word in self._words:  # noqa: SIM110 - `any` takes twice as long, and every event passes here
            if word in small:
                return True
        return False

    def __call__(self, text: str) -> tuple[str, int]:
        """A JSON text without secrets, and how many were taken out."""
        if not self.suspects(text):
            return text, 0
        clean, count = self._clean(json.loads(text), "")
        return (text_of(clean), count) if count else (text, 0)

    def _clean(self, value: JsonValue, name: str) -> tuple[JsonValue, int]:
        """A value without secrets; `name` is the field in which it lies."""
        if isinstance(value, str):
            return self._clean_text(value, name)
        if isinstance(value, dict):
            parts = {
                key: self._clean(item, key if _plain(name) not in self._fields else name) for key, item in value.items()
            }
            return {key: part for key, (part, _) in parts.items()}, sum(count for _, count in parts.values())
        if isinstance(value, list):
            items = [self._clean(item, name) for item in value]
            return [item for item, _ in items], sum(count for _, count in items)
        return value, 0

    def _clean_text(self, text: str, name: str) -> tuple[str, int]:
        if not text or (name in _OWN_WORDS and _OWN_TEXT.fullmatch(text)):
            return text, 0
        if _plain(name) in self._fields:
            return MARK, int(text != MARK)
        total = 0
        for pattern in self._patterns:
            parts = [pattern.subn(MARK, part) for part in text.split(MARK)]  # no rule sees another one's mark
            text, total = MARK.join(part for part, _ in parts), total + sum(count for _, count in parts)
        return text, total


def redactor_of(file: Path | None, *addresses: str) -> Redactor:
    """The built-in rules, those of a file, the keys in the environment, and the passwords of some addresses."""
    keys = [value for name, value in os.environ.items() if _KEY_VARIABLE.search(name)]
    passwords = [found for address in addresses for found in re.findall(r"://[^/@]*:([^/@]+)@", address)]
    return Redactor(Rules.load(file) if file is not None else None, [*keys, *passwords])


def _shortest(words: Collection[str]) -> list[str]:
    """The words that contain no other one: where they are not, none is."""
    return sorted(word for word in words if not any(other in word for other in words if other != word))


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")
