"""A folder to attack captune in: runs it under a time limit, and looks for what it leaves behind."""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

# What docs/reference/exit-codes.md has; a negative code is a signal that we did not send.
DOCUMENTED = {0, 1, 2, 3, 4, 5, 130}
PYTHON = [os.path.realpath(sys.executable), "-I", "-S"]


class Finding(Exception):
    """Something that must not be."""


def expect(holds, what):
    if not holds:
        raise Finding(what)


class Ended:
    """How a command ended, and what it wrote."""

    def __init__(self, words, code, out, err, seconds):
        self.words, self.code, self.out, self.err, self.seconds = words, code, out, err, seconds

    def __str__(self):
        err = self.err[-1500:].decode("utf-8", "replace")
        return f"`captune {' '.join(self.words)}` ended with {self.code} after {self.seconds:.2f} s: {err}"

    def events(self):
        return events(self.out)


def events(out):
    """The events of whole lines: the last line of a killed program may be cut off."""
    return [json.loads(line) for line in out.split(b"\n")[:-1] if line]


class Stage:
    """A folder with a scenario `s.toml`, and its own TMPDIR, so that everything in there is ours."""

    def __init__(self, captune, name):
        self.captune = os.path.realpath(captune)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"captune-attack-{name}-"))
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.campaign = self.folder / "s.campaign"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "TMPDIR": str(self.temporary),
            "NO_COLOR": "1",
        }

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def start(self, words, stdout, stderr, before=(), **more):
        environment = {**self.environment, **more}
        return subprocess.Popen(
            [*before, self.captune, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=stdout, stderr=stderr, start_new_session=True,
        )

    def run(self, line, seconds, **more):
        """Runs a line of words to its end, which must come in time, by an exit code that is documented."""
        words = line.split()
        with open(self.folder / "out", "w+b") as out, open(self.folder / "err", "w+b") as err:
            began = time.monotonic()
            process = self.start(words, out, err, **more)
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                what = f"`captune {line}` still runs after {seconds:.0f} s"
                what += f"\n{self.where_it_waits(process.pid)}"
                self.kill_all()
                process.wait()
                raise Finding(what) from None
            took = time.monotonic() - began
            for file in (out, err):
                file.seek(0)
            ended = Ended(words, code, out.read(), err.read(), took)
        expect(code in DOCUMENTED, f"no documented exit code: {ended}")
        for text in (ended.out, ended.err):
            expect(b"panicked" not in text and b"internal error" not in text, f"a panic: {ended}")
        return ended

    def where_it_waits(self, pid):
        lines = []
        for each in [pid, *self.processes()]:
            try:
                words = pathlib.Path(f"/proc/{each}/cmdline").read_bytes().replace(b"\0", b" ")
                tasks = pathlib.Path(f"/proc/{each}/task").iterdir()
                waits = [(task / "wchan").read_text() for task in tasks]
                lines.append(f"  {each} {words[:100].decode('utf-8', 'replace')} {waits}")
            except OSError:
                pass
        return "\n".join(lines)

    def processes(self):
        """Processes of ours: captune's have our TMPDIR, a target's has one in it."""
        mark = str(self.folder).encode()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if state != "Z" and mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def kill_all(self):
        for _ in range(50):
            processes = self.processes()
            if not processes:
                return
            for pid in processes:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.02)

    def check_nothing_is_left(self, seconds=5):
        """No process of a campaign and no private folder outlives it."""
        end = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.01)
        expect(not left, f"processes are left:\n{self.where_it_waits(0)}")
        left = sorted(path.name for path in self.temporary.iterdir())
        expect(not left, f"left in TMPDIR: {left}")

    def rows(self, question, folder=None):
        """Asks a copy of the store: what a kill has left there is not to be tidied up by a question."""
        with tempfile.TemporaryDirectory() as copy:
            for ending in ("", "-wal", "-journal"):
                path = (folder or self.campaign) / f"campaign.sqlite{ending}"
                if path.exists():
                    shutil.copy(path, copy)
            store = sqlite3.connect(f"{copy}/campaign.sqlite")
            store.row_factory = sqlite3.Row
            try:
                return store.execute(question).fetchall()
            except sqlite3.Error as error:
                raise Finding(f"the store cannot be read: {error}") from None
            finally:
                store.close()

    def remove(self):
        self.kill_all()
        shutil.rmtree(self.folder, ignore_errors=True)


def shim(folder):
    """The library that lets changes below a folder fail."""
    library = pathlib.Path(folder) / "fault.so"
    source = pathlib.Path(__file__).parent / "fault.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def check_store(stage, folder=None):
    """The store by itself: whole, no trial twice, sums that are those of its rows."""
    rows = lambda question: stage.rows(question, folder=folder)
    expect([tuple(row) for row in rows("PRAGMA integrity_check")] == [("ok",)], "integrity_check")
    expect(rows("PRAGMA foreign_key_check") == [], "foreign_key_check")
    trials = rows('SELECT "row", id FROM trial ORDER BY "row"')
    expect([row["row"] for row in trials] == list(range(1, len(trials) + 1)), "rows are missing")
    expect(len({row["id"] for row in trials}) == len(trials), "a trial is stored twice")
    sums = "SELECT status, count(*), round(sum(ifnull(cpu, 0)), 6), round(sum(ifnull(wall, 0)), 6)"
    counted = {tuple(row) for row in rows(f"{sums} FROM trial GROUP BY status")}
    tally = {tuple(row) for row in rows("SELECT status, trials, round(cpu, 6), round(wall, 6) FROM tally")}
    near = lambda one, two: one[:2] == two[:2] and all(abs(a - b) < 1e-4 for a, b in zip(one[2:], two[2:]))
    expect(len(counted) == len(tally) and all(any(near(a, b) for b in tally) for a in counted),
           f"the tally {tally} is not that of the trials {counted}")
    twice = rows("SELECT count(*) FROM validation WHERE status != 'lost' "
                 "GROUP BY role, configuration, instance, seed HAVING count(*) > 1")
    expect(twice == [], "a trial of the validation is stored twice")
    return len(trials)


def acknowledged(found, stage, folder=None):
    """Every trial that an event has told is stored once, as it was told."""
    columns = "id, configuration, seed, status, cost, exit"
    stored = {row["id"]: row for row in stage.rows(f"SELECT {columns} FROM trial", folder=folder)}
    for event in found:
        if event["event"] != "trial_ended":
            continue
        row = stored.get(event["trial"])
        expect(row is not None, f"trial {event['trial']} was told and is not stored")
        for column in ("configuration", "seed", "status", "cost", "exit"):
            told, kept = event[column], row[column]
            expect(told == kept, f"trial {event['trial']}: {column} was told as {told} and stored as {kept}")
