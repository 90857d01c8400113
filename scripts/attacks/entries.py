"""What hostile targets answer: entries of a plan, each a kind and what to do.

An entry is made of a protocol's own form of an answer, with one thing wrong about it.
"""

import base64
import signal

# Texts in place of a number.
NUMBERS = [
    "1e308", "1.7976931348623157e308", "1e309", "-1e308", "-1e309", "nan", "NaN", "-nan", "inf", "-inf",
    "Infinity", "-Infinity", "-0", "-0.0", "0", "1e-320", "5e-324", "-5e-324", "0x10", "1_000", "１２", "٣",
    "--5", "1e", "e5", "+5", "9" * 400, "0." + "0" * 400 + "1", "1,5", "", " ", "null", "true", "\"5\"", "[5]",
    "{}", "-1", "1e999999999", "18446744073709551616", "9007199254740993", "5.", ".5", "5f", "5;", "5 6 7",
    "1" + "0" * 100_000,
]

# Texts that must not reach a terminal, or that are no text at all.
TEXTS = [
    b"\x1b[2J\x1b[31mred", b"\x1b]0;title\x07", b"\x9b31m", b"\xc2\x9b31m", b"\x00\x00", b"\xff\xfe\x80", b"\xc3",
    b"\xf4\x90\x80\x80", b"\xed\xa0\x80", "\u202eevil\u2066".encode(), b"\r overwritten", b"\x08\x08\x7f",
    b"\xef\xbb\xbf", b"%s%n%x", b"{name}{{", b"'; DROP TABLE trial; --", b"\\ud800", b"\\u0000", b"\x01ended 0",
    b"\t" * 1000, b"Result for SMAC: ", b"cost = 1\rcost = 2",
]

WORDS = ["SUCCESS", "SAT", "TIMEOUT", "KILLED", "CRASHED", "MEMOUT", "ABORT", "finished", "capped", "", "success",
         "S" * 100_000, "\x1b[31m", "null", "0"]


def form(protocol, number, status=None):
    """An answer of a protocol, as text."""
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


def entries(protocol, chance, number):
    """An entry; some are good, so that the campaign has something to go on with."""
    if chance.random() < 0.15:
        return {"kind": "good", "good": number, "actions": told(protocol, form(protocol, number))}
    kind = chance.choice([*GENERAL, *(TO_JSON if "json" in protocol else FILES if protocol == "file" else [])])
    make = {**KINDS, **OF_JSON, **OF_FILES}[kind]
    return {"kind": kind, "actions": make(protocol, chance, number)}


def told(protocol, text):
    """What tells an answer: a file, or standard output."""
    if protocol == "file":
        return [["file", "m.json", coded(text)]]
    return [out(text)]


def a_number(protocol, chance, number):
    return told(protocol, form(protocol, chance.choice(NUMBERS)))


def a_status(protocol, chance, number):
    return told(protocol, form(protocol, number, chance.choice(WORDS)))


def a_text(protocol, chance, number):
    text = chance.choice(TEXTS)
    good = form(protocol, number).encode()
    place = chance.randrange(len(good))
    where = chance.choice(["before", "within", "after", "alone", "error"])
    if where == "error":
        return [["err", coded(text * 3 + b"\n")], ["exit", chance.choice([0, 1])]]
    whole = {"before": text + good, "within": good[:place] + text + good[place:],
             "after": good.strip() + text + b"\n", "alone": text + b"\n"}[where]
    return told(protocol, whole) + [["exit", chance.choice([0, 0, 3])]]


def nested(protocol, chance, number):
    deep = chance.choice(["[", '{"a":', '{"cost":', '{"outputs":', "(", '[{"":'])
    text = form(protocol, deep * 10_000 + chance.choice(["", "1"]))
    return told(protocol, text)


def long_line(protocol, chance, number):
    part = chance.choice([b"x", b"9", b"[", b" ", b"\x1b", b"\xff", b"\x00", b"a\n", b"\n"])
    wrapped = form(protocol, "@").encode().split(b"@", 1)
    if protocol == "file":
        return [["file", "m.json", coded(part * 1000), 10_000]]
    before, after = (wrapped[0], wrapped[1]) if chance.random() < 0.5 else (b"", b"\n")
    return [out(before), out(part * 1000, 10_000 // len(part)), out(after)]


def partial(protocol, chance, number):
    text = form(protocol, number)
    part = text[:chance.randrange(1, len(text))].encode()
    end = chance.choice([["exit", 0], ["sleep", 30], ["signal", signal.SIGKILL]])
    return told(protocol, part) + [end]


def drops(protocol, chance, number):
    return [["drip", form(protocol, number)]]


def after_death(protocol, chance, number):
    later = chance.choice([0.0, 0.02, 0.3])
    return [["stay", later, coded(form(protocol, number)), chance.random() < 0.5], ["exit", 0]]


def holds_the_pipe(protocol, chance, number):
    return [["stay", 100, "", chance.random() < 0.5], *told(protocol, form(protocol, number))]


def twice(protocol, chance, number):
    other = chance.choice([number, number + 1, -5, "nan"])
    return told(protocol, form(protocol, number) + form(protocol, other))


def nothing(protocol, chance, number):
    return [["exit", 0]]


def codes(protocol, chance, number):
    code = chance.choice([1, 2, 3, 77, 124, 125, 126, 127, 128, 130, 137, 255])
    return told(protocol, form(protocol, number)) + [["exit", code]]


def signals(protocol, chance, number):
    which = chance.choice([signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGXCPU,
                           signal.SIGSTOP, signal.SIGTSTP, signal.SIGHUP, signal.SIGPIPE, signal.SIGUSR1])
    first = told(protocol, form(protocol, number)) if chance.random() < 0.5 else []
    return first + [["signal", int(which)]]


def closes(protocol, chance, number):
    return [["close", chance.choice([0, 1, 2])], chance.choice([["exit", 0], ["sleep", 30]])]


def errors_only(protocol, chance, number):
    return [["err", coded(form(protocol, number))], ["exit", chance.choice([0, 0, 5])]]


def parent(protocol, chance, number):
    """The supervisor, or the shell around a server, is its parent."""
    which = int(chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP]))
    return told(protocol, form(protocol, number)) + [["parent", which], ["sleep", 0.1]]


def hangs(protocol, chance, number):
    return told(protocol, form(protocol, number)) + [["sleep", 30]] if chance.random() < 0.5 else [["sleep", 30]]


def trials(protocol, chance, number):
    which = chance.choice(["0", "999999", "-1", "18446744073709551616", '"{TRIAL}"', "{TRIAL}.0", "null", "true", "[]",
                           "{TRIAL}e0", "281474976710656"])
    text = f'{{"trial": {which}, "cost": {number}}}\n'
    if chance.random() < 0.3:
        text = f'{{"trial": {which}, "trial": {{TRIAL}}, "cost": {number}}}\n'
    if chance.random() < 0.3:
        text += form(protocol, number + 100)
    return [out(text), ["sleep", chance.choice([0, 0, 0.05])]]


def objects(protocol, chance, number):
    text = chance.choice([
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


def early(protocol, chance, number):
    return [out(form(protocol, number)), ["sleep", chance.choice([0, 0.01])]]


def links(protocol, chance, number):
    return [chance.choice([["link", "m.json", "/etc/passwd"], ["link", "m.json", "m.json"], ["pipe", "m.json"],
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
# Those of which there are many come more often.
GENERAL = ["number"] * 5 + ["text"] * 4 + [
    kind for kind in KINDS if kind not in ("number", "text")]
TO_JSON = ["trial number"] * 3 + ["object"] * 4 + ["early"]
FILES = ["link"] * 2


def ready(chance):
    """How a server says that it is ready; most do it well."""
    if chance.random() < 0.75:
        return {"kind": "good", "actions": [out('{"ready": true}\n')]}
    kind, actions = chance.choice([
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
