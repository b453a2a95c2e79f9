"""A program as a model wrote it, made into the program that it meant.

Models escape a program twice, write it as HTML, indent the whole of it or copy it with the prompts of an
interpreter. All that is mended here by looking at the text alone: nothing on the host parses a program, the sandbox's
child does. What is mended could not have been Python as it stood; a program that is fine comes out as it went in.
"""

from __future__ import annotations

import html
import json
import re
import textwrap

_TEXT = (
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)|'
    r"'''(?:\\.|[^\\])*?(?:'''|\Z)|"
    r'"(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)|'
    r"'(?:\\.|[^'\\\n])*(?:'|(?=\n)|\Z)"
)
_LITERAL = re.compile(rf"\#[^\n]*|{_TEXT}", re.S)
_ESCAPE_OUTSIDE = re.compile(rf"(?P<escape>\\[nrt\"'\\])|\#(?:(?!\\n)[^\n])*|{_TEXT}", re.S)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_ENTITY = re.compile(r"&(?:lt|gt|quot|amp|apos|#39|#34|#x27|#x22);")
_CALL = re.compile(r"\b(?:ask|gather|parallel)\(")
_STATEMENT = re.compile(
    r"^(?:import \w|from \w[\w.]* import |(?:async )?def \w|return\b|for \w.*:\s*$|@|class \w)", re.M
)
_CODE_LINE = re.compile(
    r"(?:import |from |async |def |class |for |return |await |#|@|[\w, ]+ = |(?:ask|gather|parallel)\()"
)
_NAME_KEYS = ("name", "tool", "tool_name", "function", "function_name", "action")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "action_input", "function")
_PROGRAM_KEYS = ("program", "code", "source", "script", "python")
_BROKEN_PROGRAM = re.compile(r'"(?:program|code)"\s*:\s*"+(?P<program>.*?)(?:"+[\s}\]]*(?:</tool_call>\s*)?)?\Z', re.S)
_XML_PROGRAM = re.compile(r"<parameter(?:=|\s+name=)[\"']?program[\"']?>(?P<program>.*?)(?:</parameter>|\Z)", re.S)
TOOL = "run_workflow"


def mend_program(text: str) -> str:
    """The program that the text means: unwrapped, unescaped and dedented where it must be."""
    program = _unfenced(text.replace("\r\n", "\n")).strip("\n")
    program = _without_entities(_unescaped(program))
    program = re.sub(r"\A\s*(?:python3?|py)[ \t]*\n", "", program)
    return _dedented(_without_prompts(program)).strip("\n").rstrip()


def asks_agents(program: str) -> bool:
    """Whether the program calls a sub-agent, as far as its text shows."""
    return _CALL.search(program) is not None


def looks_like_program(text: str) -> bool:
    """Whether a block without a language is Python and no quotation, table or number."""
    return asks_agents(text) or _STATEMENT.search(text) is not None


def starts_like_program(text: str) -> bool:
    """Whether a text that is not fenced is a workflow from its first line on."""
    return asks_agents(text) and _CODE_LINE.match(text.lstrip()) is not None


def ends_in_text(program: str) -> bool:
    """Whether the program ends inside a triple-quoted text."""
    last = ""
    for literal in _LITERAL.finditer(program):
        last = literal.group()
    return program.endswith(last) and last[:3] in ('"""', "'''") and (len(last) < 6 or last[-3:] != last[:3])


def program_of_arguments(arguments: str) -> str | None:
    """The program in the arguments of a tool request: JSON as it should be, cut JSON, or the bare program."""
    value = _json(arguments)
    if isinstance(value, str):
        return program_of_arguments(value) if value.lstrip().startswith("{") else value
    if isinstance(value, dict):
        return _program_in(value)
    broken = _BROKEN_PROGRAM.search(arguments)
    if broken:
        return _decoded(broken["program"])
    return arguments if looks_like_program(arguments) else None


def program_of_written_request(text: str) -> str | None:
    """The program of a tool request that was written into the message as text; of several the last."""
    if TOOL not in text and not re.match(r"\s*(?:```\w*\s*)?\{\s*\"(?:program|code)\"", text):
        return None
    xml = _XML_PROGRAM.search(text)
    if xml:
        return html.unescape(xml["program"])
    found = None
    decoder = json.JSONDecoder(strict=False)
    position = text.find("{")
    while position >= 0:
        value, position = _decode_at(decoder, text, position)
        found = (_program_of_request(value) if isinstance(value, dict) else None) or found
        position = text.find("{", position)
    broken = None if found else _BROKEN_PROGRAM.search(text.rstrip().removesuffix("```"))
    return _decoded(broken["program"]) if broken else found


def _decode_at(decoder: json.JSONDecoder, text: str, position: int) -> tuple[object, int]:
    try:
        return decoder.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None, position + 1


def _program_of_request(value: dict[str, object]) -> str | None:
    names = [value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)]
    if names and not any(str(name).rpartition(".")[2] == TOOL for name in names):
        return None
    for key in _ARGUMENT_KEYS:
        arguments = value.get(key)
        if isinstance(arguments, dict):
            return _program_of_request(arguments) or _program_in(arguments)
        if isinstance(arguments, str) and arguments != TOOL:
            return program_of_arguments(arguments) or arguments
    return _program_in(value)


def _program_in(value: dict[str, object]) -> str | None:
    return next((program for key in _PROGRAM_KEYS if isinstance(program := value.get(key), str)), None)


def _json(text: str) -> object:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _decoded(text: str) -> str:
    """The content of a JSON string whose quotes or end are broken."""
    return re.sub(r"\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), text, flags=re.S)


def _unfenced(text: str) -> str:
    match = re.match(r"\s*(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<body>.*?)(?:\n[ \t]*(?P=fence)\s*)?\Z", text, re.S)
    return match["body"] if match else text


def _unescaped(program: str) -> str:
    """A program on one line whose line feeds, and perhaps quotes, are still written as escapes."""
    if "\n" in program.strip():
        return program
    escapes = [match["escape"] for match in _ESCAPE_OUTSIDE.finditer(program) if match["escape"]]
    if any(escape[1] in "\"'\\" for escape in escapes):
        return _decoded(program)
    return _ESCAPE_OUTSIDE.sub(lambda m: _ESCAPED[m["escape"][1]] if m["escape"] else m.group(), program)


def _without_entities(program: str) -> str:
    return html.unescape(program) if _ENTITY.search(_LITERAL.sub("", program)) else program


def _dedented(program: str) -> str:
    """Without the indentation of the whole; unlike `textwrap.dedent` it leaves a program without any as it is."""
    margins = [len(line) - len(line.lstrip(" \t")) for line in program.split("\n") if line.strip()]
    return textwrap.dedent(program) if min(margins, default=0) else program


def _without_prompts(program: str) -> str:
    """A session of an interpreter without its prompts and, where every line of code has one, without its output."""
    if not program.lstrip().startswith(">>>"):
        return program
    lines = [line.strip("\n") for line in textwrap.dedent(program).split("\n")]
    marked = [line for line in lines if line.startswith((">>>", "..."))]
    kept = marked if len(marked) > 1 else lines
    return "\n".join(re.sub(r"^(?:>>>|\.\.\.) ?", "", line) for line in kept)
