"""Kills captune at random moments and resumes it. No trial may be lost, and none may count twice.

The kill hits the main process alone, all processes of captune at once, the helpers before the main process, one helper
alone, or the main process at its Nth change of the folder. The kill happens while a campaign is created, staged,
imported into, searched, validated or exported.
"""

import collections
import csv
import io
import os
import random
import signal
import subprocess
import tempfile
import time

from sandbox import Finding, Sandbox, check_reported, check_store, events, expect, shim
from worlds import World

# Time limit for a command in seconds, generous enough for a busy machine.
LONGEST = 60


class Case:
    """One campaign, killed a number of times and then run to its end."""

    def __init__(self, captune, seed, kind, library):
        self.rng = random.Random(f"{seed}")
        self.world = World(kind, self.rng)
        self.sandbox = Sandbox(captune, "kill")
        self.world.build(self.sandbox)
        self.library = library
        self.kept = {}
        self.kills = collections.Counter()
        self.steps = [str(self.world)]

    # Killing

    def moment(self, verb):
        """Returns the event to wait for (or None), how often it must occur, and the seconds to wait before the kill."""
        rng = self.rng
        if verb != "run":
            return None, 0, rng.uniform(0, 0.12)
        what = rng.choice([None, None, b'"trial_ended"', b'"trial_ended"', b'"validating"'])
        if what is None:
            return what, 0, rng.uniform(0, rng.choice([0.05, 0.2, 1.0]))
        return what, rng.randint(1, 12), rng.uniform(0, 0.03)

    def kill(self, line):
        """Starts a command and kills it; returns its exit code and the events that it printed."""
        sandbox, rng = self.sandbox, self.rng
        words = line.split()
        event, count, pause = self.moment(words[0])
        mode = rng.choice(["main process"] * 2 + ["at a write"] * 2 + ["all", "helpers first", "helper"])
        fault = {}
        if mode == "at a write":
            event, count, pause = None, rng.randint(1, rng.choice([20, 60, 300])), LONGEST
            fault = {"LD_PRELOAD": str(self.library), "FAULT_FOLDER": str(sandbox.campaign), "FAULT_AT": str(count),
                     "FAULT_HOW": "kill", "FAULT_LOG": str(sandbox.folder / "fault-log")}
        with open(sandbox.folder / "out", "w+b") as out, open(sandbox.folder / "err", "w+b") as err:
            process = sandbox.start(words, out, err, **fault)
            end = time.monotonic() + LONGEST
            written = b""
            while event and written.count(event) < count and process.poll() is None:
                time.sleep(0.001)
                written = os.pread(out.fileno(), 1 << 24, 0)
                expect(time.monotonic() < end, f"`captune {line}` is still running after {LONGEST} s")
            await_end(process, pause)
            phase = phase_of(words[0], written or os.pread(out.fileno(), 1 << 24, 0))
            if self.kill_processes(process, mode):
                # captune continues without the helper, or stops with a reason and is run again.
                await_end(process, rng.uniform(0, 0.1))
            if mode == "helper":
                process.kill()
            code = process.wait(LONGEST)
            out.seek(0)
            err.seek(0)
            written, errors = out.read(), err.read()
        expect(b"panicked" not in errors + written, f"a panic: {errors.decode('utf-8', 'replace')}")
        self.steps.append(f"{line}: {mode} after {event} {count} + {pause:.3f} s -> {code} ({phase})")
        if code == -signal.SIGKILL:
            self.kills[phase] += 1
        else:
            codes = (0, 1) if mode in ("helper", "helpers first", "all") else (0,)
            expect(code in codes, f"`captune {line}` ended with {code}: {errors.decode('utf-8', 'replace')}")
        return code, events(written) if words[0] == "run" else []

    def kill_processes(self, process, mode):
        """Kills the processes that the mode selects; returns whether it killed a single helper."""
        helpers = [pid for pid in self.own_processes() if pid != process.pid] if mode != "main process" else []
        self.rng.shuffle(helpers)
        victims = {
            "main process": [process.pid],
            "all": [process.pid, *helpers],
            "helpers first": [*helpers, process.pid],
            "helper": helpers[:1],
            "at a write": [],
        }[mode]
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return mode == "helper" and bool(helpers)

    def own_processes(self):
        """Returns the processes of captune itself, without its targets."""
        found = []
        for pid in self.sandbox.processes():
            try:
                if os.readlink(f"/proc/{pid}/exe") == self.sandbox.captune:
                    found.append(pid)
            except OSError:
                pass
        return found

    # Checking

    def check_trials(self, reported=()):
        """Checks that every trial seen earlier in a store, and every trial that an event reported, is still there."""
        for folder in self.world.folders(self.sandbox):
            seen = self.seen(folder)
            before = self.kept.get(folder, collections.Counter())
            missing = before - seen
            expect(not missing, f"{sum(missing.values())} trials are missing from {folder.name}: {list(missing)[:3]}")
            self.kept[folder] = seen
            if seen:
                check_store(self.sandbox, folder)
        if self.world.kind != "folds" and reported:
            check_reported(reported, self.sandbox)

    def seen(self, folder):
        """Returns the trials in a store by content, because an import may renumber them."""
        if not (folder / "campaign.sqlite").exists():
            return collections.Counter()
        query = ('SELECT "values", instance.name, seed, status, cost FROM trial JOIN configuration '
                    "ON configuration.id = trial.configuration JOIN instance ON instance.id = trial.instance "
                    "WHERE status NOT IN ('lost', 'aborted')")
        rows = self.sandbox.rows(query, folder=folder)
        seen = collections.Counter(tuple(row) for row in rows)
        # A campaign that starts over has a new validation.
        if self.world.kind not in ("imported", "re-used"):
            query = "SELECT role, configuration, instance, seed, cost FROM validation"
            seen.update(tuple(row) for row in self.sandbox.rows(query, folder=folder))
        return seen

    def status(self):
        """Checks that `status` can read whatever a kill has left."""
        ended = self.sandbox.run("status s.toml --json", LONGEST)
        there = (self.sandbox.campaign / "folds.json").exists() or (self.sandbox.campaign / "campaign.sqlite").exists()
        expect(ended.code == (0 if there else 2), f"{ended}")

    def finish(self):
        """Runs the campaign to its end; checks that the budget is met, the log agrees, and nothing is left behind."""
        sandbox, world = self.sandbox, self.world
        known = sum(sum(seen.values()) for seen in self.kept.values())
        ended = sandbox.run("run s.toml --progress json", LONGEST)
        expect(ended.code == 0, f"{ended}")
        self.check_trials(ended.events())
        sandbox.check_no_leftovers()
        logged = collections.defaultdict(set)
        for line in (sandbox.folder / "log").read_text().splitlines():
            what, trial, value = line.split()
            logged[what, int(trial)].add(float(value))
        for folder in world.folders(sandbox):
            budget = -(-world.trials // 2) if world.kind == "folds" else world.trials
            trials = sandbox.rows("SELECT id, status, cost, reason FROM trial", folder=folder)
            counted = [row for row in trials if row["status"] not in ("lost", "aborted")]
            if world.kind in ("imported", "re-used"):
                # Imported trials count, and their number may exceed the budget.
                budget = max(budget, known)
            expect(len(counted) == budget, f"{len(counted)} trials, but the budget is {budget}")
            for row in counted:
                if row["reason"] is None:
                    costs = logged["end", row["id"]]
                    expect(row["cost"] in costs, f"trial {row['id']} reported {costs}, but {row['cost']} is stored")
            validated = sandbox.rows("SELECT * FROM validation WHERE status = 'finished'", folder=folder)
            self.check_validation(folder, validated)
            left = sorted(path.name for path in folder.iterdir())
            wanted = {"campaign.sqlite", "campaign.lock", "queue", "stage"}
            others = [name for name in left if name not in wanted and not name.startswith("campaign-")]
            expect(not others, f"left in the campaign's folder: {others}")
        if world.kind != "folds":
            self.export(len(trials) + len(validated))
        again = sandbox.run("run s.toml --progress json", LONGEST)
        expect(again.code == 0, f"{again}")
        new = [event for event in again.events() if event["event"] == "trial_ended"]
        expect(not new, "a finished campaign ran more trials")

    def check_validation(self, folder, rows):
        """Checks that every planned pair was measured once with the final incumbent and once with the default.

        If the default is the incumbent, as in a campaign that starts over with its budget spent, there is no validation.
        """
        tests = 2 if self.world.kind == "folds" else 3
        pairs = tests * self.world.seeds
        best = self.sandbox.rows("SELECT configuration FROM incumbent ORDER BY number DESC LIMIT 1", folder=folder)
        best = best[0]["configuration"] if best else 0
        for config, role in ((0, "default"), (best, "incumbent")):
            count = sum(row["configuration"] == config and row["role"] == role for row in rows)
            if best != 0:
                expect(count == pairs, f"{role}: {count} validation trials, but {pairs} are planned")

    def export(self, count):
        """Checks that an export is complete and contains every trial once."""
        path = self.sandbox.folder / "trials.csv"
        ended = self.sandbox.run("export s.campaign --to csv --output trials.csv", LONGEST)
        expect(ended.code == 0, f"{ended}")
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        expect(len(rows) == count, f"{len(rows)} of {count} trials were exported")
        left = [path.name for path in self.sandbox.folder.iterdir() if path.name.endswith(".new")]
        for name in left:
            # A killed export cannot remove its temporary file, which has a unique name and does no harm.
            (self.sandbox.folder / name).unlink()

    # The course of a campaign

    def one_kill(self, number):
        """Kills a command that suits the kind of world; returns the exit code of a `run`, otherwise None."""
        rng, kind, sandbox = self.rng, self.world.kind, self.sandbox
        lines = ["run s.toml --progress json"] * 6
        there = self.kept.get(sandbox.campaign)
        if there and kind != "folds":
            lines += ["export s.campaign --to csv --output trials.csv", "try s.campaign mine.toml"]
            lines += ["status s.campaign"]
        if kind == "imported":
            lines += ["import s.toml runs.csv"] * 6 + ["run s.toml --progress json --import runs.csv"] * 2
        if kind == "re-used" and rng.random() < 0.4:
            # Another seed starts a new campaign with the trials of this one.
            sandbox.write("s.toml", self.world.scenario(sandbox.folder / "log", seed=number + 2))
        line = rng.choice(lines)
        code, reported = self.kill(line)
        self.check_trials(reported)
        self.status()
        return code if line.startswith("run") else None

    def run(self, kills):
        """Kills commands of the campaign this many times, then runs it to its end."""
        tries = 0
        while sum(self.kills.values()) < kills and tries < 4 * kills:
            code = self.one_kill(tries)
            tries += 1
            # A finished campaign is run again only if it may get new trials.
            if code == 0 and self.world.kind not in ("imported", "re-used"):
                break
        if self.world.kind == "imported":
            ended = self.sandbox.run("import s.toml runs.csv", LONGEST)
            expect(ended.code == 0, f"{ended}")
            self.check_trials()
        self.finish()


def await_end(process, seconds):
    """Waits for the end of a process, for at most this many seconds."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass


def phase_of(verb, written):
    if verb != "run":
        return verb
    if b'"validating"' in written:
        return "validation"
    if b'"event"' in written:
        return "search"
    return "start"


def attack(captune, seed, count, report):
    """Kills `count` times; returns a summary by phase, and the findings."""
    phases, findings, number = collections.Counter(), [], 0
    scratch = tempfile.TemporaryDirectory()
    library = shim(scratch.name)
    while sum(phases.values()) < count:
        kind = World.KINDS[number % len(World.KINDS)]
        case = Case(captune, f"{seed}-{number}", kind, library)
        left = count - sum(phases.values())
        try:
            case.run(min(left, case.rng.randint(3, 8)))
            case.sandbox.remove()
        except Finding as finding:
            steps = "\n    ".join(case.steps)
            findings.append(f"case {seed}-{number} in {case.sandbox.folder}: {finding}\n    {steps}")
            report(findings[-1])
            case.sandbox.kill_all()
        phases += case.kills
        number += 1
        report(f"{sum(phases.values())} kills in {number} campaigns, {len(findings)} findings", transient=True)
    return f"{number} campaigns; " + ", ".join(f"{name} {count}" for name, count in sorted(phases.items())), findings
