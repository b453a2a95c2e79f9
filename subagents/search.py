"""Retrieval: a corpus of passages and a BM25 search over it.

BM25 is that of Robertson and Zaragoza (2009) in Lucene's variant, as bm25s computes it. A corpus is a folder of files,
a list of passages, or the paragraphs of a text; its index is built at the first search, away from the event loop.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import anyio
from pydantic import JsonValue

from subagents.errors import PoolError
from subagents.tools import ToolFailed, ToolResult

if TYPE_CHECKING:
    import bm25s

SUFFIXES = (".txt", ".md", ".jsonl")
CHUNK_CHARS = 1_500


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text that can be found and quoted by its id."""

    id: str
    title: str
    text: str

    def __str__(self) -> str:
        head = f"{self.title}: " if self.title and not self.text.startswith(self.title) else ""
        return f"[{self.id}] {head}{self.text}"


class Corpus:
    """A fixed list of passages. The index is built at the first search."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        """Raises `PoolError` for an id that two passages have: a quotation could not be traced back."""
        self.passages = tuple(passages)
        twice = [name for name, count in Counter(passage.id for passage in passages).items() if count > 1]
        if twice:
            raise PoolError(f"two passages of the corpus have the id {twice[0]!r}; give each an id of its own")
        self._building = Lock()

    @classmethod
    def from_folder(cls, folder: str | Path) -> Corpus:
        """All .txt, .md and .jsonl files below a folder, cut into passages. Raises `PoolError` if there are none."""
        folder = Path(folder)
        if not folder.is_dir():
            raise PoolError(f"the corpus {str(folder)!r} is no folder; give a folder with {', '.join(SUFFIXES)} files")
        files = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())
        passages = [passage for path in files for passage in _from_file(path, path.relative_to(folder).as_posix())]
        if not passages:
            raise PoolError(f"the corpus folder {str(folder)!r} holds no text in {', '.join(SUFFIXES)} files")
        return cls(passages)

    @classmethod
    def from_text(cls, text: str, name: str = "context") -> Corpus:
        """The paragraphs of a text; an empty text is an empty corpus."""
        return cls(list(_from_text(text, name)))

    def __len__(self) -> int:
        return len(self.passages)

    @cached_property
    def digest(self) -> str:
        """A hash of all passages, in their order."""
        lines = (json.dumps([p.id, p.title, p.text]) for p in self.passages)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    async def search(self, query: str, k: int) -> list[Passage]:
        """The at most `k` best passages for a query, best first; those without a word of it are left out."""
        return await anyio.to_thread.run_sync(self._search, query, k)

    def _search(self, query: str, k: int) -> list[Passage]:
        with self._building:
            index = self._index
        words = _tokens([query])
        if index is None or not words[0]:
            return []
        found, scores = index.retrieve(words, k=min(k, len(self)), show_progress=False)
        ranked = zip(found[0].tolist(), scores[0].tolist(), strict=True)
        return [self.passages[number] for number, score in ranked if score > 0]

    @cached_property
    def _index(self) -> bm25s.BM25 | None:
        """None where the passages hold no word that could be found."""
        import bm25s

        words = _tokens([f"{passage.title} {passage.text}" for passage in self.passages])
        if not any(words):
            return None
        index = bm25s.BM25()
        index.index(words, show_progress=False)
        return index


class SearchTool:
    """Searches a corpus; the result is passages with their ids."""

    name = "search"
    description = "Finds passages of the corpus by the words of a query."
    pure = True

    def __init__(self, corpus: Corpus, k: int) -> None:
        self._corpus = corpus
        self._k = k

    @property
    def identity(self) -> str:
        return f"search {self._k} {self._corpus.digest}"

    async def __call__(self, text: str) -> ToolResult:
        """Search for the words of `text`."""
        if not len(self._corpus):
            raise ToolFailed("there are no documents to search: give a folder with --corpus, or a context")
        found = await self._corpus.search(text, self._k)
        if not found:
            raise ToolFailed(f"no passage holds a word of the query {text!r}; try other words")
        value: list[JsonValue] = [{"id": p.id, "title": p.title, "text": p.text} for p in found]
        parts = tuple(map(str, found))
        return ToolResult("\n\n".join(parts), value, parts)


def search_tool(corpus: Corpus, k: int = 5) -> SearchTool:
    """The tool that finds the `k` best passages."""
    return SearchTool(corpus, k)


def _tokens(texts: list[str]) -> list[list[str]]:
    import bm25s

    tokens: list[list[str]] = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    return tokens


def _from_file(path: Path, name: str) -> Iterator[Passage]:
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise PoolError(f"cannot read {name!r} in the corpus: {error.strerror}") from None
    if path.suffix != ".jsonl":
        yield from _from_text(text, name)
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _from_record(line, name, number)


def _from_record(line: str, name: str, number: int) -> Passage:
    try:
        record = json.loads(line)
        body = record["text"] if "text" in record else record["contents"]
    except (ValueError, KeyError, TypeError, RecursionError):
        body = None
    if not isinstance(body, str):
        raise PoolError(f"line {number} of {name!r} in the corpus is no JSON object with a text under `text`")
    given, title = record.get("id"), record.get("title")
    return Passage(f"{name}#{number}" if given is None else str(given), str(title or ""), body)


def _from_text(text: str, name: str) -> Iterator[Passage]:
    for number, chunk in enumerate(_chunks(text), 1):
        yield Passage(f"{name}#{number}", "", chunk)


def _chunks(text: str) -> Iterator[str]:
    """Paragraphs, short ones joined and long ones cut at sentence ends, of at most `CHUNK_CHARS` characters."""
    held = ""
    for paragraph in re.split(r"\n\s*\n", text):
        for piece in _pieces(" ".join(paragraph.split())):
            if held and len(held) + len(piece) > CHUNK_CHARS:
                yield held
                held = ""
            held = f"{held}\n{piece}" if held else piece
            if len(piece) > CHUNK_CHARS // 4:
                yield held
                held = ""
    if held:
        yield held


def _pieces(paragraph: str) -> Iterator[str]:
    while len(paragraph) > CHUNK_CHARS:
        end = paragraph.rfind(". ", 0, CHUNK_CHARS) + 1 or CHUNK_CHARS
        yield paragraph[:end].strip()
        paragraph = paragraph[end:].strip()
    if paragraph:
        yield paragraph
