"""Task sets: records become tasks, golds are accepted by their own grader, and the corpus is pooled."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.tasks import SETS, normalised, same_letter, same_number, same_text


@pytest.mark.parametrize("name", SETS)
def test_every_gold_is_accepted_and_another_is_not(name: str, data_dir: Path) -> None:
    task_set = SETS[name]
    records = task_set.records(data_dir)
    tasks = [task_set.task(record, index) for index, record in enumerate(records)]
    assert len({task.id for task in tasks}) == len(tasks)
    assert all(task_set.correct(task.gold, task.gold) for task in tasks)
    golds = [task.gold for task in tasks]
    shifted = sum(task_set.correct(other, gold) for other, gold in zip(golds[1:], golds, strict=False))
    assert shifted < len(golds) / 2


def test_the_corpus_holds_every_supporting_title(data_dir: Path) -> None:
    records = SETS["hotpotqa"].records(data_dir)
    corpus = SETS["hotpotqa"].corpus(records)
    assert corpus is not None
    titles = {passage.title for passage in corpus.passages}
    assert all(title in titles for record in records for title, _ in record["supporting_facts"])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"gsm8k_test\.jsonl"):
        SETS["gsm8k"].records(tmp_path)


@pytest.mark.parametrize(
    ("correct", "answer", "gold", "right"),
    [
        (same_number, "She gets $1,234.00", "1234", True),
        (same_number, "12 of 13", "12", False),
        (same_number, "none", "12", False),
        (same_letter, "B. the wind", "B", True),
        (same_letter, "(C)", "B", False),
        (same_text, "The Beatles!", "beatles", True),
        (same_text, "Beatles, England", "beatles", False),
    ],
)
def test_graders(correct, answer: str, gold: str, right: bool) -> None:
    assert correct(answer, gold) is right


def test_normalisation() -> None:
    assert normalised(" The  U.S. of a Kind ") == "us of kind"
