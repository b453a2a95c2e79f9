"""`solve`, `run` and `check` from end to end: the real script, the real sandbox, a scripted model over HTTP."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from dynaflow.journal import Journal
from dynaflow.solving import Result
from dynaflow.testing import faults, main_agent, serve, sub_agent
from dynaflow.testing.script import ScriptedModel
from dynaflow.testing.server import LoopbackServer

PROGRAM = """\
change = ask("solver", "What is 20 minus 8?", label="change")
print("change is", change)
return int(change)
"""
FENCED = f"Let me ask.\n\n```python\n{PROGRAM}```\n"
QUESTION = "How much change does she get?"


def models(server: LoopbackServer) -> tuple[str, ...]:
    return ("--model", server.endpoint("main"), "--agent-model", server.endpoint("agent"))


def test_the_answer_alone_goes_to_standard_output(cli):
    with serve(ScriptedModel(main_agent("I think.\n<answer>12</answer>", user=QUESTION))) as server:
        done = cli("solve", QUESTION, *models(server))
    assert (done.returncode, done.stdout) == (0, "12\n")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("0 calls · main ")
    assert " tokens · " in last
    assert " · run 20" in last


def test_a_program_runs_and_its_story_is_kept(cli):
    script = ScriptedModel(main_agent(FENCED), sub_agent("12", user="20 minus 8"), main_agent("<answer>12</answer>"))
    with serve(script) as server:
        done = cli("solve", QUESTION, "--mode", "forced", *models(server))
    assert (done.returncode, done.stdout) == (0, "12\n")
    assert "call 1 solver [change] · delivered" in done.stderr
    assert "1 call (1 delivered)" in done.stderr
    story = cli("show").stdout
    for part in (
        QUESTION,
        "Let me ask.",
        "check: passed",
        "What is 20 minus 8?",
        "printed: change is 12",
        "answer: 12",
    ):
        assert part in story


def test_json_is_one_object(cli):
    with serve(ScriptedModel(main_agent("<answer>12</answer>"))) as server:
        done = cli("solve", QUESTION, "--json", *models(server))
    result = Result.model_validate_json(done.stdout)
    assert (done.returncode, result.status, result.answer) == (0, "answered", "12")
    assert len(done.stdout.splitlines()) == 1


def test_quiet_says_nothing_but_the_answer(cli):
    with serve(ScriptedModel(main_agent("<answer>12</answer>"))) as server:
        done = cli("solve", QUESTION, "--quiet", *models(server))
    assert (done.returncode, done.stdout, done.stderr) == (0, "12\n", "")


def test_question_and_context_may_come_from_elsewhere(cli, folder: Path):
    (folder / "context.txt").write_text("Ana has 20 dollars.")
    with serve(ScriptedModel(main_agent("<answer>12</answer>", user=QUESTION))) as server:
        done = cli(
            "solve", "-", "--context", "@context.txt", "--answer-format", "a number", *models(server), stdin=QUESTION
        )
    assert done.stdout == "12\n"
    with Journal.open(folder.parent / "journal.db") as journal:
        task = journal.events(journal.find("last"))[0].task
    assert (task.question, task.context, task.answer_format) == (QUESTION, "Ana has 20 dollars.", "a number")


def test_settings_come_from_the_environment(cli):
    with serve(ScriptedModel(main_agent("<answer>12</answer>"))) as server:
        done = cli("solve", QUESTION, DYNAFLOW_MODEL=server.endpoint("main"))
    assert (done.returncode, done.stdout) == (0, "12\n")


def test_a_failed_call_makes_the_answer_degraded(cli):
    script = ScriptedModel(main_agent(FENCED), sub_agent(faults.status(404)), main_agent("<answer>12</answer>"))
    with serve(script) as server:
        done = cli("solve", QUESTION, *models(server), "--quiet")
    assert (done.returncode, done.stdout) == (0, "12\n")
    assert done.stderr.startswith("warning: ")


def test_no_answer_is_exit_code_1(cli):
    with serve(ScriptedModel(main_agent("```python\nreturn (\n```"))) as server:
        done = cli("solve", QUESTION, "--budget-turns", "1", *models(server), "--quiet")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("no answer: ")
    assert "(dynaflow show 20" in done.stderr


def test_an_unauthorised_endpoint_is_exit_code_3(cli):
    with serve(ScriptedModel(main_agent(faults.status(401)))) as server:
        done = cli("solve", QUESTION, *models(server), "--quiet")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("failed: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("model", ["nonsense", "nonsense:x", "http://", "openai:gpt-x"])
def test_a_model_that_cannot_be_used_is_named(cli, model: str):
    done = cli("solve", QUESTION, "--model", model)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert model in done.stderr
    assert "Traceback" not in done.stderr


def test_a_pool_that_is_no_yaml_is_named(cli, folder: Path):
    (folder / "pool.yaml").write_text("agents: [")
    done = cli("agents", "--pool", "pool.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert "pool.yaml" in done.stderr


@pytest.mark.parametrize(
    ("reply", "code", "answer"), [("y\n", 0, "12\n"), ("yes\n", 0, "12\n"), ("n\n", 1, ""), ("", 1, "")]
)
def test_approve_asks_before_a_program_runs(cli, reply: str, code: int, answer: str):
    rest = (sub_agent("12"), main_agent("<answer>12</answer>")) if code == 0 else ()
    with serve(ScriptedModel(main_agent(FENCED), *rest)) as server:
        done = cli("solve", QUESTION, "--approve", *models(server), stdin=reply)
    assert (done.returncode, done.stdout) == (code, answer)
    assert done.stderr.count('ask("solver"') == 1
    assert "Run this program? [y/N]" in done.stderr


def test_approve_shows_the_program_even_when_quiet(cli):
    with serve(ScriptedModel(main_agent(FENCED))) as server:
        done = cli("solve", QUESTION, "--approve", "--quiet", *models(server), stdin="n\n")
    assert 'ask("solver"' in done.stderr


def stopped_in_a_call(
    script: Path, folder: Path, environment: dict[str, str], with_signal: int
) -> subprocess.CompletedProcess[str]:
    """A run that is sent a signal while its first call is out."""
    with serve(ScriptedModel(main_agent(FENCED), sub_agent(faults.stalled()))) as server:
        command = [script, "solve", QUESTION, *models(server)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment,
            preexec_fn=_heed_interrupts,
        ) as process:  # fmt: skip
            while server.received < 2 and process.poll() is None:
                time.sleep(0.02)
            time.sleep(0.1)  # the request may be here a moment before its record is in the journal
            process.send_signal(with_signal)
            output, errors = process.communicate()
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _heed_interrupts() -> None:
    """A shell has what it starts in the background ignore SIGINT, and so the tests' own children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_keeps_the_run(cli, script: Path, folder: Path, environment: dict[str, str]):
    done = stopped_in_a_call(script, folder, environment, signal.SIGINT)
    assert (done.returncode, done.stdout) == (130, "")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("interrupted: ")
    run = last.split("`dynaflow show ")[1].split("`")[0]
    assert "Traceback" not in done.stderr
    story = cli("show", run).stdout
    assert "call 1 solver [change]" in story
    assert "interrupted · " in story


def test_a_killed_run_can_be_shown(cli, script: Path, folder: Path, environment: dict[str, str]):
    assert stopped_in_a_call(script, folder, environment, signal.SIGKILL).returncode == -signal.SIGKILL
    story = cli("show").stdout
    assert "call 1 solver [change] · did not end" in story
    assert "this run did not end: its last event is CallStarted" in story
    assert "unfinished" in cli("runs").stdout


def test_a_program_written_by_hand_runs(cli, folder: Path):
    (folder / "program.py").write_text('half = ask("solver", task.question)\nreturn {"twice": int(half) * 2}\n')
    with serve(ScriptedModel(sub_agent("6", user="What is 12 halved?"))) as server:
        done = cli("run", "program.py", "--task", "What is 12 halved?", "--agent-model", server.endpoint("agent"))
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"twice": 12}


def test_a_program_may_come_from_standard_input(cli):
    with serve(ScriptedModel()) as server:
        done = cli("run", "-", "--agent-model", server.endpoint("agent"), stdin="return 6 * 7\n")
    assert (done.returncode, done.stdout) == (0, "42\n")


def test_a_program_that_fails_says_where(cli, folder: Path):
    (folder / "program.py").write_text("x = 0\nreturn 1 / x\n")
    with serve(ScriptedModel()) as server:
        done = cli("run", "program.py", "--agent-model", server.endpoint("agent"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "line 2" in done.stderr
    assert "return 1 / x" in done.stderr


def test_check_words_findings_as_compilers_do(cli, folder: Path):
    (folder / "program.py").write_text('x = 1\nreturn ask("slover", "Think.")\n')
    done = cli("check", "program.py")
    assert done.returncode == 1
    first, source, caret, *_ = done.stdout.splitlines()
    assert first.startswith("program.py:2:")
    assert "slover" in first
    assert source == '  return ask("slover", "Think.")'
    assert caret.strip() == "^"
    assert "solver" in done.stdout
    assert done.stderr == "program.py: 1 finding\n"


def test_check_finds_nothing_in_a_sound_program(cli):
    done = cli("check", "-", stdin=PROGRAM)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "-: nothing found\n")


def test_the_agents_of_the_default_pool_are_listed(cli):
    done = cli("agents")
    assert (done.returncode, done.stderr) == (0, "")
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert {"solver", "decomposer", "searcher", "reader", "coder", "verifier", "critic", "synthesizer"} <= set(names)
