"""Three task sets as tasks of DynaFlow: gsm8k, arc_challenge and hotpotqa, read from a local JSONL of the original records.

Records are loaded with Hugging Face `datasets`. Each set says how a record becomes a task, how its gold answer is
compared, and, for hotpotqa, the passages of all its records as one corpus: nobody hands a question its own.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from dynaflow.task import Task
from subagents import Corpus, Passage

Record = Mapping[str, Any]
SetName = Literal["gsm8k", "arc_challenge", "hotpotqa"]


@dataclass(frozen=True, slots=True)
class TaskSet:
    """A set: its file, how a record becomes a task, and when an answer is right."""

    name: SetName
    file: str
    task: Callable[[Record, int], Task]
    correct: Callable[[str, str], bool]
    passages: Callable[[Record], Iterator[Passage]] | None = None

    def records(self, folder: Path) -> list[Record]:
        """The records of the set's file in `folder`. Raises FileNotFoundError naming the file."""
        path = folder / self.file
        if not path.is_file():
            raise FileNotFoundError(f"task set {self.name!r} needs the file {str(path)!r}")
        from datasets import load_dataset

        return list(cast("Any", load_dataset("json", data_files=str(path), split="train")))

    def corpus(self, records: list[Record]) -> Corpus | None:
        """The pooled passages of all records, or None for a set without retrieval."""
        if self.passages is None:
            return None
        pooled = {passage.id: passage for record in records for passage in self.passages(record)}
        return Corpus(list(pooled.values()))


def _gsm8k(record: Record, index: int) -> Task:
    gold = str(record["answer"]).rsplit("####", 1)[-1].strip()
    return Task(question=record["question"], answer_format="a number, digits only", gold=gold, id=f"gsm8k/{index}")


def _arc(record: Record, index: int) -> Task:
    question = record["question"]
    options = "\n".join(f"{choice['label']}. {choice['text']}" for choice in question["choices"])
    text = f"{question['stem']}\n{options}"
    return Task(
        question=text,
        answer_format="the letter of the right option",
        gold=record["answerKey"],
        id=f"arc/{record['id']}",
    )


def _hotpot(record: Record, index: int) -> Task:
    return Task(
        question=record["question"],
        answer_format="a name, a date, a number, yes or no; as short as possible",
        gold=record["answer"],
        id=f"hotpotqa/{record['_id']}",
    )


def _hotpot_passages(record: Record) -> Iterator[Passage]:
    for title, sentences in record["context"]:
        text = "".join(sentences).strip()
        yield Passage(id=title, title=title, text=text)


def same_number(answer: str, gold: str) -> bool:
    """Whether the last number of the answer is the gold number."""
    numbers = re.findall(r"-?\d[\d,]*(?:\.\d+)?", answer)
    return bool(numbers) and float(numbers[-1].replace(",", "")) == float(gold.replace(",", ""))


def same_letter(answer: str, gold: str) -> bool:
    """Whether the first stand-alone option letter of the answer is the gold letter."""
    found = re.search(r"\b([A-E])\b", answer)
    return found is not None and found[1] == gold


def same_text(answer: str, gold: str) -> bool:
    """Exact match after HotpotQA's normalisation: case, punctuation, articles and white space do not count."""
    return normalised(answer) == normalised(gold)


def normalised(text: str) -> str:
    """HotpotQA's and SQuAD's normalisation of an answer."""
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


SETS: Mapping[SetName, TaskSet] = {
    "gsm8k": TaskSet("gsm8k", "gsm8k_test.jsonl", _gsm8k, same_number),
    "arc_challenge": TaskSet("arc_challenge", "arc_challenge_test.jsonl", _arc, same_letter),
    "hotpotqa": TaskSet("hotpotqa", "hotpotqa_dev200.jsonl", _hotpot, same_text, _hotpot_passages),
}
