"""A target that follows a plan, one entry per request: hostile.py FOLDER HOW [ARGUMENTS].

HOW is `once` (a process for each trial), `json` (the same, with a request on standard input), or `serve`. The entries
are logged in FOLDER/log, with the number of the trial if a request gives it.
"""

import base64
import fcntl
import json
import os
import signal
import sys
import time

FOLDER, HOW = sys.argv[1:3]


def next_entry():
    """Returns the next entry of the plan, or its last entry at the end. Concurrent processes share the plan."""
    with open(f"{FOLDER}/next", "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        number = int(file.read())
        file.seek(0)
        file.write(str(number + 1))
    with open(f"{FOLDER}/plan") as plan:
        lines = plan.read().splitlines()
    return json.loads(lines[min(number, len(lines) - 1)])


def write(to, text):
    while text:
        text = text[os.write(to, text):]


def stay(seconds, then=b"", alone=False):
    """Starts a child that keeps the pipes open, and may write long after its parent has answered."""
    if os.fork() == 0:
        if alone:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(seconds)
        try:
            write(1, then)
        finally:
            os._exit(0)


def act(entry, trial):
    with open(f"{FOLDER}/log", "a") as log:
        log.write(json.dumps({"trial": trial, "kind": entry["kind"], "good": entry.get("good")}) + "\n")
    for what, *rest in entry["actions"]:
        if what in ("out", "err"):
            text = base64.b64decode(rest[0]).replace(b"{TRIAL}", str(trial).encode())
            write(1 if what == "out" else 2, text * (rest[1] if len(rest) > 1 else 1))
        elif what == "drip":
            for byte in rest[0].replace("{TRIAL}", str(trial)).encode():
                write(1, bytes([byte]))
                time.sleep(0.002)
        elif what == "sleep":
            time.sleep(rest[0])
        elif what == "exit":
            os._exit(rest[0])
        elif what == "signal":
            os.kill(os.getpid(), rest[0])
        elif what == "parent":
            os.kill(os.getppid(), rest[0])
        elif what == "close":
            os.close(rest[0])
        elif what == "stay":
            stay(rest[0], base64.b64decode(rest[1]).replace(b"{TRIAL}", str(trial).encode()), rest[2])
        elif what == "file":
            with open(rest[0], "wb") as file:
                file.write(base64.b64decode(rest[1]) * (rest[2] if len(rest) > 2 else 1))
        elif what == "link":
            os.symlink(rest[1], rest[0])
        elif what == "pipe":
            os.mkfifo(rest[0])
        elif what == "folder":
            os.mkdir(rest[0])


if HOW == "once":
    act(next_entry(), 0)
elif HOW == "json":
    entry = next_entry()
    act(entry, 0 if entry["kind"] == "early" else json.loads(sys.stdin.readline())["trial"])
else:
    with open(f"{FOLDER}/ready") as ready:
        act(json.load(ready), 0)
    for line in sys.stdin:
        act(next_entry(), json.loads(line)["trial"])
