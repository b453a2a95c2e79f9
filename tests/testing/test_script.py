"""The scripted model by itself: which rule answers, and that a script must be consumed exactly."""

from __future__ import annotations

import re

import pytest

from dynaflow.testing import ErrorReply, Reply, Request, ScriptedModel, anyone, in_any_order, main_agent, sub_agent


def request(user: str = "hello", *, model: str = "main", system: str = "") -> Request:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    return Request.model_validate({"model": model, "messages": messages})


def said(script: ScriptedModel, *requests: Request) -> list[str]:
    replies = [script.answer(each) for each in requests]
    return [reply.text if isinstance(reply, Reply) else f"error {reply.status}" for reply in replies]


def test_rules_are_used_in_the_order_written() -> None:
    with ScriptedModel(main_agent("a"), sub_agent("b", model="solver"), main_agent("c")) as script:
        assert said(script, request(), request(model="solver"), request()) == ["a", "b", "c"]


def test_each_kind_of_condition_selects() -> None:
    with ScriptedModel(
        in_any_order(
            sub_agent("by instructions", system="You verify"),
            sub_agent("by pattern", user=re.compile(r"\bpens?\b")),
            sub_agent("by callable", when=lambda seen: seen.user.isupper()),
        )
    ) as script:
        requests = [
            request("LOUD", model="agent"),
            request("12 pens", model="agent"),
            request("x", model="agent", system="You verify claims."),
        ]
        assert said(script, *requests) == ["by callable", "by pattern", "by instructions"]


def test_alike_rules_of_one_step_go_in_the_order_written() -> None:
    with ScriptedModel(in_any_order(main_agent("1"), main_agent("2"), sub_agent("s", times=None))) as script:
        requests = [request(), request(model="x"), request(), request(model="y")]
        assert said(script, *requests) == ["1", "s", "2", "s"]


def test_replies_may_depend_on_the_request_and_be_json() -> None:
    rules = [main_agent(lambda seen: seen.user[::-1]), main_agent({"answer": True}), main_agent(lambda _: ["é"])]
    with ScriptedModel(*rules) as script:
        assert said(script, request("abc"), request(), request()) == ["cba", '{"answer": true}', '["é"]']


def test_times_counts_the_uses() -> None:
    with ScriptedModel(main_agent("twice", times=2), main_agent("once")) as script:
        assert said(script, request(), request(), request()) == ["twice", "twice", "once"]
    with pytest.raises(ValueError, match="times=0"):
        main_agent("never", times=0)


def test_any_number_of_times_includes_none() -> None:
    solver = request(model="solver")
    with ScriptedModel(sub_agent("s", times=None), main_agent("m"), anyone("any")) as script:
        assert said(script, solver, solver, request(), solver, request()) == ["s", "s", "m", "any", "any"]
    with ScriptedModel(sub_agent("s", times=None), main_agent("m"), anyone("any")) as script:
        assert said(script, request()) == ["m"]


def test_what_was_not_used_is_named() -> None:
    script = ScriptedModel(main_agent("a"), sub_agent("b", user="pens", times=3))
    said(script, request(), request("12 pens", model="agent"))
    with pytest.raises(AssertionError, match=r"rule 2 was used 1 of 3 times: sub-agent, user='pens', answer='b'"):
        script.assert_consumed()


def test_a_request_out_of_order_is_an_error_and_is_named() -> None:
    script = ScriptedModel(main_agent("a"), sub_agent("b"))
    early = script.answer(request("too early", model="agent"))
    assert isinstance(early, ErrorReply)
    assert (early.status, early.may_retry) == (500, False)
    assert "Next in the script: main agent, answer='a'" in early.message
    with pytest.raises(AssertionError, match="no rule answers the request: model='agent', user='too early'") as caught:
        script.assert_consumed()
    assert "rule 1 was used 0 of 1" in str(caught.value)
    assert script.unmatched == [request("too early", model="agent")]


def test_a_request_after_the_end_is_an_error() -> None:
    script = ScriptedModel(main_agent("only"))
    assert said(script, request(), request("again")) == ["only", "error 500"]
    with pytest.raises(AssertionError, match="user='again'"):
        script.assert_consumed()


def test_a_callable_that_fails_comes_out_at_the_end() -> None:
    def strict(seen: Request) -> str:
        assert seen.seed == 7, "the seed was not sent"
        return "ok"

    script = ScriptedModel(main_agent(strict))
    assert said(script, request()) == ["error 500"]
    with pytest.raises(AssertionError, match="the seed was not sent") as caught:
        script.assert_consumed()
    assert isinstance(caught.value.__cause__, AssertionError)


def test_a_block_that_failed_keeps_its_error_and_gets_a_note() -> None:
    with pytest.raises(ZeroDivisionError) as caught, ScriptedModel(main_agent("a")):
        _ = 1 / 0
    assert "rule 1 was used 0 of 1 times" in caught.value.__notes__[0]
