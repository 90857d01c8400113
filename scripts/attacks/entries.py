"""Answers from hostile targets: entries of a plan, each with a kind and a list of actions.

Each entry is a valid answer in its protocol, with one thing made wrong.
"""

import base64
import signal

# Texts to send in place of a number.
NUMBERS = [
    "1e308", "1.7976931348623157e308", "1e309", "-1e308", "-1e309", "nan", "NaN", "-nan", "inf", "-inf",
    "Infinity", "-Infinity", "-0", "-0.0", "0", "1e-320", "5e-324", "-5e-324", "0x10", "1_000", "１２", "٣",
    "--5", "1e", "e5", "+5", "9" * 400, "0." + "0" * 400 + "1", "1,5", "", " ", "null", "true", "\"5\"", "[5]",
    "{}", "-1", "1e999999999", "18446744073709551616", "9007199254740993", "5.", ".5", "5f", "5;", "5 6 7",
    "1" + "0" * 100_000,
]

# Texts that must not reach a terminal, or that are not valid UTF-8.
TEXTS = [
    b"\x1b[2J\x1b[31mred", b"\x1b]0;title\x07", b"\x9b31m", b"\xc2\x9b31m", b"\x00\x00", b"\xff\xfe\x80", b"\xc3",
    b"\xf4\x90\x80\x80", b"\xed\xa0\x80", "\u202eevil\u2066".encode(), b"\r overwritten", b"\x08\x08\x7f",
    b"\xef\xbb\xbf", b"%s%n%x", b"{name}{{", b"'; DROP TABLE trial; --", b"\\ud800", b"\\u0000", b"\x01ended 0",
    b"\t" * 1000, b"Result for SMAC: ", b"cost = 1\rcost = 2",
]

WORDS = ["SUCCESS", "SAT", "TIMEOUT", "KILLED", "CRASHED", "MEMOUT", "ABORT", "finished", "capped", "", "success",
         "S" * 100_000, "\x1b[31m", "null", "0"]


def form(protocol, number, status=None):
    """Returns an answer in a protocol, as text."""
    if protocol == "command":
        return f"cost = {number}\n"
    if protocol == "file":
        return f'{{"cost": {number}}}\n'
    if protocol == "aclib":
        return f"Result for SMAC: {status or 'SUCCESS'}, {number}, 0, {number}, 1\n"
    if protocol == "aclib2":
        status = status or "SUCCESS"
        return f'Result of this algorithm run: {{"status": "{status}", "cost": {number}, "runtime": {number}}}\n'
    if protocol == "irace":
        return f"{number}\n"
    if protocol == "smac3":
        return f"cost={number}; runtime={number}; status={status or 'SUCCESS'}; additional_info={{}}\n"
    more = "" if status is None else f', "status": "{status}"'
    return f'{{"trial": {{TRIAL}}, "cost": {number}{more}}}\n'


def coded(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def out(text, times=1):
    return ["out", coded(text), times]


def entries(protocol, rng, number):
    """Returns an entry; some are good, so that the campaign can make progress."""
    if rng.random() < 0.15:
        return {"kind": "good", "good": number, "actions": report(protocol, form(protocol, number))}
    kind = rng.choice([*GENERAL, *(TO_JSON if "json" in protocol else FILES if protocol == "file" else [])])
    make = {**KINDS, **OF_JSON, **OF_FILES}[kind]
    return {"kind": kind, "actions": make(protocol, rng, number)}


def report(protocol, text):
    """Returns the actions that report an answer: in a file, or on standard output."""
    if protocol == "file":
        return [["file", "m.json", coded(text)]]
    return [out(text)]


def a_number(protocol, rng, number):
    return report(protocol, form(protocol, rng.choice(NUMBERS)))


def a_status(protocol, rng, number):
    return report(protocol, form(protocol, number, rng.choice(WORDS)))


def a_text(protocol, rng, number):
    text = rng.choice(TEXTS)
    good = form(protocol, number).encode()
    place = rng.randrange(len(good))
    where = rng.choice(["before", "within", "after", "alone", "error"])
    if where == "error":
        return [["err", coded(text * 3 + b"\n")], ["exit", rng.choice([0, 1])]]
    whole = {"before": text + good, "within": good[:place] + text + good[place:],
             "after": good.strip() + text + b"\n", "alone": text + b"\n"}[where]
    return report(protocol, whole) + [["exit", rng.choice([0, 0, 3])]]


def nested(protocol, rng, number):
    deep = rng.choice(["[", '{"a":', '{"cost":', '{"outputs":', "(", '[{"":'])
    text = form(protocol, deep * 10_000 + rng.choice(["", "1"]))
    return report(protocol, text)


def long_line(protocol, rng, number):
    part = rng.choice([b"x", b"9", b"[", b" ", b"\x1b", b"\xff", b"\x00", b"a\n", b"\n"])
    wrapped = form(protocol, "@").encode().split(b"@", 1)
    if protocol == "file":
        return [["file", "m.json", coded(part * 1000), 10_000]]
    before, after = (wrapped[0], wrapped[1]) if rng.random() < 0.5 else (b"", b"\n")
    return [out(before), out(part * 1000, 10_000 // len(part)), out(after)]


def partial(protocol, rng, number):
    text = form(protocol, number)
    part = text[:rng.randrange(1, len(text))].encode()
    end = rng.choice([["exit", 0], ["sleep", 30], ["signal", signal.SIGKILL]])
    return report(protocol, part) + [end]


def drops(protocol, rng, number):
    return [["drip", form(protocol, number)]]


def after_death(protocol, rng, number):
    later = rng.choice([0.0, 0.02, 0.3])
    return [["stay", later, coded(form(protocol, number)), rng.random() < 0.5], ["exit", 0]]


def holds_the_pipe(protocol, rng, number):
    return [["stay", 100, "", rng.random() < 0.5], *report(protocol, form(protocol, number))]


def twice(protocol, rng, number):
    other = rng.choice([number, number + 1, -5, "nan"])
    return report(protocol, form(protocol, number) + form(protocol, other))


def nothing(protocol, rng, number):
    return [["exit", 0]]


def codes(protocol, rng, number):
    code = rng.choice([1, 2, 3, 77, 124, 125, 126, 127, 128, 130, 137, 255])
    return report(protocol, form(protocol, number)) + [["exit", code]]


def signals(protocol, rng, number):
    which = rng.choice([signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGXCPU,
                           signal.SIGSTOP, signal.SIGTSTP, signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1])
    first = report(protocol, form(protocol, number)) if rng.random() < 0.5 else []
    return first + [["signal", int(which)]]


def closes(protocol, rng, number):
    return [["close", rng.choice([0, 1, 2])], rng.choice([["exit", 0], ["sleep", 30]])]


def errors_only(protocol, rng, number):
    return [["err", coded(form(protocol, number))], ["exit", rng.choice([0, 0, 5])]]


def parent(protocol, rng, number):
    """Signals the parent, which is the supervisor, or the shell around a server."""
    which = int(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP]))
    return report(protocol, form(protocol, number)) + [["parent", which], ["sleep", 0.1]]


def hangs(protocol, rng, number):
    return report(protocol, form(protocol, number)) + [["sleep", 30]] if rng.random() < 0.5 else [["sleep", 30]]


def trials(protocol, rng, number):
    which = rng.choice(["0", "999999", "-1", "18446744073709551616", '"{TRIAL}"', "{TRIAL}.0", "null", "true", "[]",
                           "{TRIAL}e0", "281474976710656"])
    text = f'{{"trial": {which}, "cost": {number}}}\n'
    if rng.random() < 0.3:
        text = f'{{"trial": {which}, "trial": {{TRIAL}}, "cost": {number}}}\n'
    if rng.random() < 0.3:
        text += form(protocol, number + 100)
    return [out(text), ["sleep", rng.choice([0, 0, 0.05])]]


def objects(protocol, rng, number):
    text = rng.choice([
        '{"trial": {TRIAL}, "cost": 1, "cost": 2}', '{"trial": {TRIAL}}', "{}", "[]", "{", "null", "0", '"text"',
        '{"cost": {}}',
        '{"trial": {TRIAL}, "cost": 5} trailing', '{"trial": {TRIAL}, "cost": 5}{"trial": {TRIAL}, "cost": 6}',
        '{"trial": {TRIAL}, "cost": 5, "outputs": []}', '{"trial": {TRIAL}, "cost": 5, "outputs": {"cost": "x"}}',
        '{"trial": {TRIAL}, "status": "crashed", "reason": "\\u001b[31m\\u0000"}',
        '{"trial": {TRIAL}, "status": 7, "cost": 1}',
        '{"trial": {TRIAL}, "status": "aborted", "reason": "\\u001b]0;x\\u0007"}',
        '{"trial": {TRIAL}, "status": "capped"}', '{"trial": {TRIAL}, "status": "capped", "cost": 1e300}',
        '{"trial": {TRIAL}, "status": "capped", "cost": -7}', '{"trial": {TRIAL}, "reason": {"a": 1}, "cost": 2}',
        "{'cost': 5}", '{"trial": {TRIAL}, "cost": 5,}', '\ufeff{"trial": {TRIAL}, "cost": 5}', '{"ready": true}',
        '{"trial": {TRIAL}, "status": "crashed", "reason": "' + "r" * 50_000 + '"}',
    ])
    return [out(text + "\n")]


def early(protocol, rng, number):
    return [out(form(protocol, number)), ["sleep", rng.choice([0, 0.01])]]


def links(protocol, rng, number):
    return [rng.choice([["link", "m.json", "/etc/passwd"], ["link", "m.json", "m.json"], ["pipe", "m.json"],
                           ["folder", "m.json"], ["link", "m.json", "/dev/zero"],
                           ["link", "m.json", "/proc/self/mem"]])]


KINDS = {
    "number": a_number, "status": a_status, "text": a_text, "nested": nested, "long line": long_line,
    "partial": partial, "byte by byte": drops, "after death": after_death, "holds the pipe": holds_the_pipe,
    "twice": twice, "none": nothing, "exit code": codes, "signal": signals, "closes": closes,
    "errors only": errors_only, "kills its parent": parent,
    "hangs": hangs,
}
OF_JSON = {"trial number": trials, "object": objects, "early": early}
OF_FILES = {"link": links}
# Kinds with many variants are more frequent.
GENERAL = ["number"] * 5 + ["text"] * 4 + [
    kind for kind in KINDS if kind not in ("number", "text")]
TO_JSON = ["trial number"] * 3 + ["object"] * 4 + ["early"]
FILES = ["link"] * 2


def ready(rng):
    """Returns the entry with which a server reports that it is ready; most of these entries are correct."""
    if rng.random() < 0.75:
        return {"kind": "good", "actions": [out('{"ready": true}\n')]}
    kind, actions = rng.choice([
        ("silent", []),
        ("dies", [["exit", 3]]),
        ("no JSON", [out("ready\n")]),
        ("noise first", [out("\x1b[31mloading\n\n"), out('{"ready": true}\n')]),
        ("twice", [out('{"ready": true}\n{"ready": true}\n')]),
        ("answers before it is asked", [out('{"ready": true}\n{"trial": 0, "cost": 1}\n{"cost": 2}\n')]),
        ("closes", [out('{"ready": true}\n'), ["close", 1]]),
        ("deaf", [out('{"ready": true}\n'), ["close", 0]]),
        ("long", [out("x" * 1000, 10_000), out('\n{"ready": true}\n')]),
        ("part of a line", [out('{"ready": tr')]),
        ("no UTF-8", [out(b'\xff\xfe{"ready": true}\n'), out('{"ready": true}\n')]),
        ("ready and gone", [out('{"ready": true}\n'), ["exit", 0]]),
    ])
    return {"kind": kind, "actions": actions}
