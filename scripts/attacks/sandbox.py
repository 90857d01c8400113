"""A folder to attack captune in: runs captune with a time limit, and checks what it leaves behind."""

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

# The codes in docs/reference/exit-codes.md; a negative code would mean a signal that this program did not send.
DOCUMENTED = {0, 1, 2, 3, 4, 5, 130}
PYTHON = [os.path.realpath(sys.executable), "-I", "-S"]


class Finding(Exception):
    """A violated expectation."""


def expect(holds, what):
    if not holds:
        raise Finding(what)


class Ended:
    """Exit code and output of a command."""

    def __init__(self, words, code, out, err, seconds):
        self.words, self.code, self.out, self.err, self.seconds = words, code, out, err, seconds

    def __str__(self):
        err = self.err[-1500:].decode("utf-8", "replace")
        return f"`captune {' '.join(self.words)}` ended with {self.code} after {self.seconds:.2f} s: {err}"

    def events(self):
        return events(self.out)


def events(out):
    """Returns the events in complete lines; the last line of a killed program may be truncated."""
    return [json.loads(line) for line in out.split(b"\n")[:-1] if line]


class Sandbox:
    """A folder with a scenario `s.toml` and its own TMPDIR, so that everything in it belongs to the attack."""

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
        """Runs a command line to its end, which must come in time and with a documented exit code."""
        words = line.split()
        with open(self.folder / "out", "w+b") as out, open(self.folder / "err", "w+b") as err:
            began = time.monotonic()
            process = self.start(words, out, err, **more)
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                what = f"`captune {line}` is still running after {seconds:.0f} s"
                what += f"\n{self.process_states(process.pid)}"
                self.kill_all()
                process.wait()
                raise Finding(what) from None
            took = time.monotonic() - began
            for file in (out, err):
                file.seek(0)
            ended = Ended(words, code, out.read(), err.read(), took)
        expect(code in DOCUMENTED, f"undocumented exit code: {ended}")
        for text in (ended.out, ended.err):
            expect(b"panicked" not in text and b"internal error" not in text, f"a panic: {ended}")
        return ended

    def process_states(self, pid):
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
        """Returns captune's processes, which have this TMPDIR, and targets, whose TMPDIR is below it."""
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

    def check_no_leftovers(self, seconds=5):
        """Checks that no process and no private folder of a campaign outlives the campaign."""
        end = time.monotonic() + seconds
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.01)
        expect(not left, f"processes are left over:\n{self.process_states(0)}")
        left = sorted(path.name for path in self.temporary.iterdir())
        expect(not left, f"left in TMPDIR: {left}")

    def rows(self, query, folder=None):
        """Queries a copy of the store, so that the query does not clean up what a kill has left."""
        with tempfile.TemporaryDirectory() as copy:
            for ending in ("", "-wal", "-journal"):
                path = (folder or self.campaign) / f"campaign.sqlite{ending}"
                if path.exists():
                    shutil.copy(path, copy)
            store = sqlite3.connect(f"{copy}/campaign.sqlite")
            store.row_factory = sqlite3.Row
            try:
                return store.execute(query).fetchall()
            except sqlite3.Error as error:
                raise Finding(f"the store cannot be read: {error}") from None
            finally:
                store.close()

    def remove(self):
        self.kill_all()
        shutil.rmtree(self.folder, ignore_errors=True)


def shim(folder):
    """Compiles the library that makes changes below a folder fail."""
    library = pathlib.Path(folder) / "fault.so"
    source = pathlib.Path(__file__).parent / "fault.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def check_store(sandbox, folder=None):
    """Checks that the store is intact, without duplicate trials or wrong sums; returns the number of trials."""
    rows = lambda query: sandbox.rows(query, folder=folder)
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
           f"the tally {tally} differs from the trials {counted}")
    twice = rows("SELECT count(*) FROM validation WHERE status != 'lost' "
                 "GROUP BY role, configuration, instance, seed HAVING count(*) > 1")
    expect(twice == [], "a validation trial is stored twice")
    return len(trials)


def check_reported(found, sandbox, folder=None):
    """Checks that every trial that an event reported is stored with the reported values."""
    columns = "id, configuration, seed, status, cost, exit"
    stored = {row["id"]: row for row in sandbox.rows(f"SELECT {columns} FROM trial", folder=folder)}
    for event in found:
        if event["event"] != "trial_ended":
            continue
        row = stored.get(event["trial"])
        expect(row is not None, f"trial {event['trial']} was reported but is not stored")
        for column in ("configuration", "seed", "status", "cost", "exit"):
            reported, kept = event[column], row[column]
            expect(reported == kept, f"trial {event['trial']}: {column} is {reported} in the event, {kept} in the store")
