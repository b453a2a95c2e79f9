"""Corpora and the search over them."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from subagents import Corpus, Passage, PoolError, ToolFailed, ToolResult, search_tool
from subagents.search import CHUNK_CHARS
from subagents.tools import memoized

pytestmark = pytest.mark.anyio

FILMS = Corpus(
    [
        Passage("p1", "Inception", "A film directed by Christopher Nolan."),
        Passage("p2", "Dune", "A film directed by Denis Villeneuve."),
        Passage("p3", "Pasta", "Boil water."),
    ]
)


async def test_a_sentence_is_a_query(capfd: pytest.CaptureFixture[str]) -> None:
    result = await search_tool(FILMS, k=2)("Find: 'director of Inception', please!")
    assert result.text == "[p1] Inception: A film directed by Christopher Nolan."
    assert result.value == [{"id": "p1", "title": "Inception", "text": "A film directed by Christopher Nolan."}]
    assert len((await search_tool(FILMS, k=1)("film")).parts) == 1
    assert len((await search_tool(FILMS)("film")).parts) == 2
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("corpus", "query", "says"),
    [
        (Corpus([]), "film", "no documents to search"),
        (FILMS, "zebra", "no passage holds a word of the query 'zebra'"),
        (FILMS, "", "no passage"),
        (FILMS, "the of", "no passage"),
        (Corpus([Passage("1", "", "the"), Passage("2", "", "of a")]), "film", "no passage"),
        (Corpus([Passage("1", "", "film")]), "zebra", "no passage"),
    ],
)
async def test_a_search_that_finds_nothing(corpus: Corpus, query: str, says: str) -> None:
    with pytest.raises(ToolFailed, match=says):
        await search_tool(corpus)(query)


async def test_one_passage_is_enough() -> None:
    assert (await search_tool(Corpus.from_text("Only Nolan."))("Nolan")).text == "[context#1] Only Nolan."
    assert len(Corpus.from_text(" \n\n ")) == 0


async def test_searches_at_once_share_an_index() -> None:
    corpus = Corpus([Passage(str(number), "", f"film number {number} about w{number}") for number in range(200)])
    found: dict[int, str] = {}

    async def look(number: int) -> None:
        found[number] = (await search_tool(corpus, k=1)(f"w{number}")).parts[0]

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(look, number)
    assert all(found[number].startswith(f"[{number}] ") for number in range(20))


RIVERS = Corpus.from_text(
    """The Amazon flows through Brazil and Peru, and carries more water than any other river.

    The Danube rises in the Black Forest and reaches the Black Sea after passing Vienna and Budapest.

    The Nile passes Khartoum and Cairo; Lake Victoria feeds the White Nile.

    Vienna has been the capital of Austria since 1918, and was home to Mozart and Schubert.

    Cairo is the largest city of Egypt. Its university was founded in 1908.

    Peru exports copper. Its highest mountain is Huascaran.""",
    "rivers",
)


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("river that reaches Vienna", 2),
        ("capital of Austria", 4),
        ("Who lived in Vienna: Mozart", 4),
        ("lake that feeds the Nile", 3),
        ("When was the university in Cairo founded?", 5),
        ("highest mountain of Peru", 6),
        ("river with the most water", 1),
    ],
)
async def test_the_passage_that_tells_comes_first(query: str, number: int) -> None:
    paragraphs = [passage.text for passage in RIVERS.passages]
    assert len(paragraphs) == 1  # short paragraphs are one passage
    corpus = Corpus([Passage(str(n), "", line) for n, line in enumerate(paragraphs[0].splitlines(), 1)])
    assert (await search_tool(corpus, k=2)(query)).parts[0].startswith(f"[{number}] ")


def test_paragraphs_are_joined_and_cut() -> None:
    long = "A sentence of some words. " * 200
    corpus = Corpus.from_text(f"# Title\n\nshort\n\n{long}\n\nend")
    texts = [passage.text for passage in corpus.passages]
    assert texts[0].startswith("# Title\nshort")
    assert all(len(text) <= CHUNK_CHARS for text in texts)
    assert " ".join(" ".join(texts).split()) == " ".join(f"# Title short {long} end".split())


def test_a_folder_of_files(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text("About Nolan.\n" * 60 + "\n\nAbout Dune.")
    (tmp_path / "b.jsonl").write_text('{"id": "x", "title": "T", "text": "one"}\n\n{"contents": "two"}\n')
    (tmp_path / "c.txt").write_bytes(b"caf\xe9")
    (tmp_path / "d.pdf").write_text("no")
    passages = Corpus.from_folder(tmp_path).passages
    assert [passage.id for passage in passages] == ["x", "b.jsonl#3", "c.txt#1", "deep/a.md#1", "deep/a.md#2"]
    assert str(passages[0]) == "[x] T: one"


def test_lines_are_those_of_json_and_not_of_unicode(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text(
        '\ufeff{"id": null, "title": null, "text": "one\u2028two"}\r\n{"id": 0, "text": ""}'
    )
    passages = Corpus.from_folder(tmp_path).passages
    assert passages == (Passage("b.jsonl#1", "", "one\u2028two"), Passage("0", "", ""))


def test_an_id_names_one_passage(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text('{"id": 7, "text": "x"}')
    with pytest.raises(PoolError, match="two passages of the corpus have the id '7'"):
        Corpus.from_folder(tmp_path)


@pytest.mark.parametrize("line", ["no json", "[1]", '{"body": "x"}', "3", '{"text": ["x"]}', "[" * 5_000])
def test_a_line_that_is_no_passage(tmp_path: Path, line: str) -> None:
    (tmp_path / "b.jsonl").write_text(f'{{"text": "fine"}}\n{line}\n')
    with pytest.raises(PoolError, match=r"line 2 of 'b.jsonl'"):
        Corpus.from_folder(tmp_path)


def test_a_folder_without_text(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match="holds no text"):
        Corpus.from_folder(tmp_path)
    with pytest.raises(PoolError, match="is no folder"):
        Corpus.from_folder(tmp_path / "nowhere")


class Counting:
    name, description, identity = "counting", "Counts how often it is asked.", "counting"

    def __init__(self, pure: bool) -> None:
        self.pure = pure
        self.asked = 0

    async def __call__(self, text: str) -> ToolResult:
        self.asked += 1
        if text == "bad":
            raise ToolFailed("no")
        return ToolResult(f"{text} {self.asked}")


@pytest.mark.parametrize("pure", [True, False])
async def test_only_a_pure_tool_remembers_its_results(pure: bool) -> None:
    tool = Counting(pure)
    asked = memoized(tool)
    assert [(await asked(text)).text for text in ("a", "b", "a")] == ["a 1", "b 2", "a 1" if pure else "a 3"]
    for _ in range(2):
        with pytest.raises(ToolFailed):
            await asked("bad")
    assert tool.asked == (4 if pure else 5)


def test_the_identity_of_a_search_is_that_of_its_corpus() -> None:
    one, same, other = (
        search_tool(Corpus.from_text(text)) for text in ("Rome is old.", "Rome is old.", "Rome is new.")
    )
    assert one.identity == same.identity
    assert one.identity != other.identity
    assert one.identity != search_tool(Corpus.from_text("Rome is old."), k=3).identity
