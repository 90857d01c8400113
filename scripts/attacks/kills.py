"""Kills captune at random moments, and resumes it: nothing is lost, nothing counts twice.

Killed are the coordinator alone, everyone of captune's at once, the helpers before the coordinator, a helper
alone, or the coordinator at its Nth change of the folder: while a campaign is created, staged, imported into,
searched, validated and exported.
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

from stage import Finding, Stage, acknowledged, check_store, events, expect, shim
from worlds import World

# No command of these campaigns takes longer by itself; a machine that is busy gets as much again.
LONGEST = 60


class Case:
    """One campaign, killed until its share is used up, then run to its end."""

    def __init__(self, captune, seed, kind, library):
        self.chance = random.Random(f"{seed}")
        self.world = World(kind, self.chance)
        self.stage = Stage(captune, "kill")
        self.world.build(self.stage)
        self.library = library
        self.kept = {}
        self.kills = collections.Counter()
        self.story = [str(self.world)]

    # Killing

    def moment(self, verb):
        """What to wait for before the kill: a time, or an event and then a time."""
        chance = self.chance
        if verb != "run":
            return None, 0, chance.uniform(0, 0.12)
        what = chance.choice([None, None, b'"trial_ended"', b'"trial_ended"', b'"validating"'])
        if what is None:
            return what, 0, chance.uniform(0, chance.choice([0.05, 0.2, 1.0]))
        return what, chance.randint(1, 12), chance.uniform(0, 0.03)

    def kill(self, line):
        """Starts a line and kills it; `None` if it has ended before. Gives the events it had written."""
        stage, chance = self.stage, self.chance
        words = line.split()
        event, count, pause = self.moment(words[0])
        mode = chance.choice(["coordinator"] * 2 + ["at a write"] * 2 + ["all", "helpers first", "helper"])
        fault = {}
        if mode == "at a write":
            event, count, pause = None, chance.randint(1, chance.choice([20, 60, 300])), LONGEST
            fault = {"LD_PRELOAD": str(self.library), "FAULT_FOLDER": str(stage.campaign), "FAULT_AT": str(count),
                     "FAULT_HOW": "kill", "FAULT_TOLD": str(stage.folder / "told")}
        with open(stage.folder / "out", "w+b") as out, open(stage.folder / "err", "w+b") as err:
            process = stage.start(words, out, err, **fault)
            end = time.monotonic() + LONGEST
            written = b""
            while event and written.count(event) < count and process.poll() is None:
                time.sleep(0.001)
                written = os.pread(out.fileno(), 1 << 24, 0)
                expect(time.monotonic() < end, f"`captune {line}` still runs after {LONGEST} s")
            await_end(process, pause)
            phase = phase_of(words[0], written or os.pread(out.fileno(), 1 << 24, 0))
            if self.strike(process, mode):
                # It goes on without a helper; it may stop with a reason, and is run again.
                await_end(process, chance.uniform(0, 0.1))
            if mode == "helper":
                process.kill()
            code = process.wait(LONGEST)
            out.seek(0)
            err.seek(0)
            written, said = out.read(), err.read()
        expect(b"panicked" not in said + written, f"a panic: {said.decode('utf-8', 'replace')}")
        self.story.append(f"{line}: {mode} after {event} {count} + {pause:.3f} s -> {code} ({phase})")
        if code == -signal.SIGKILL:
            self.kills[phase] += 1
        else:
            codes = (0, 1) if mode in ("helper", "helpers first", "all") else (0,)
            expect(code in codes, f"`captune {line}` ended with {code}: {said.decode('utf-8', 'replace')}")
        return code, events(written) if words[0] == "run" else []

    def strike(self, process, mode):
        """Kills whom the mode says; whether a helper was there."""
        helpers = [pid for pid in self.ours() if pid != process.pid] if mode != "coordinator" else []
        self.chance.shuffle(helpers)
        victims = {
            "coordinator": [process.pid],
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

    def ours(self):
        """Processes that are captune itself, not its targets."""
        found = []
        for pid in self.stage.processes():
            try:
                if os.readlink(f"/proc/{pid}/exe") == self.stage.captune:
                    found.append(pid)
            except OSError:
                pass
        return found

    # Checking

    def look(self, told=()):
        """Every trial that was ever seen in a store is still there; so is every one that was told."""
        for folder in self.world.folders(self.stage):
            seen = self.seen(folder)
            before = self.kept.get(folder, collections.Counter())
            gone = before - seen
            expect(not gone, f"{sum(gone.values())} trials are gone from {folder.name}: {list(gone)[:3]}")
            self.kept[folder] = seen
            if seen:
                check_store(self.stage, folder)
        if self.world.kind != "folds" and told:
            acknowledged(told, self.stage)

    def seen(self, folder):
        """The trials of a store by what they measured, as an import may number them anew."""
        if not (folder / "campaign.sqlite").exists():
            return collections.Counter()
        question = ('SELECT "values", instance.name, seed, status, cost FROM trial JOIN configuration '
                    "ON configuration.id = trial.configuration JOIN instance ON instance.id = trial.instance "
                    "WHERE status NOT IN ('lost', 'aborted')")
        rows = self.stage.rows(question, folder=folder)
        seen = collections.Counter(tuple(row) for row in rows)
        # A campaign that begins anew has a validation of its own.
        if self.world.kind not in ("imported", "re-used"):
            question = "SELECT role, configuration, instance, seed, cost FROM validation"
            seen.update(tuple(row) for row in self.stage.rows(question, folder=folder))
        return seen

    def status(self):
        """`status` reads what a kill has left, whatever that is."""
        ended = self.stage.run("status s.toml --json", LONGEST)
        there = (self.stage.campaign / "folds.json").exists() or (self.stage.campaign / "campaign.sqlite").exists()
        expect(ended.code == (0 if there else 2), f"{ended}")

    def finish(self):
        """The same command goes on to the end: the budget is met, the log agrees, nothing is left."""
        stage, world = self.stage, self.world
        known = sum(sum(seen.values()) for seen in self.kept.values())
        ended = stage.run("run s.toml --progress json", LONGEST)
        expect(ended.code == 0, f"{ended}")
        self.look(ended.events())
        stage.check_nothing_is_left()
        logged = collections.defaultdict(set)
        for line in (stage.folder / "log").read_text().splitlines():
            what, trial, value = line.split()
            logged[what, int(trial)].add(float(value))
        for folder in world.folders(stage):
            budget = -(-world.trials // 2) if world.kind == "folds" else world.trials
            trials = stage.rows("SELECT id, status, cost, reason FROM trial", folder=folder)
            counted = [row for row in trials if row["status"] not in ("lost", "aborted")]
            if world.kind in ("imported", "re-used"):
                # Trials from elsewhere count, and may be more.
                budget = max(budget, known)
            expect(len(counted) == budget, f"{len(counted)} trials, and the budget is {budget}")
            for row in counted:
                if row["reason"] is None:
                    told = logged["end", row["id"]]
                    expect(row["cost"] in told, f"trial {row['id']} told {told}, and {row['cost']} is stored")
            validated = stage.rows("SELECT * FROM validation WHERE status = 'finished'", folder=folder)
            self.check_validation(folder, validated)
            left = sorted(path.name for path in folder.iterdir())
            wanted = {"campaign.sqlite", "campaign.lock", "queue", "stage"}
            others = [name for name in left if name not in wanted and not name.startswith("campaign-")]
            expect(not others, f"left in the campaign's folder: {others}")
        if world.kind != "folds":
            self.export(len(trials) + len(validated))
        again = stage.run("run s.toml --progress json", LONGEST)
        expect(again.code == 0, f"{again}")
        new = [event for event in again.events() if event["event"] == "trial_ended"]
        expect(not new, "a campaign that had ended ran trials")

    def check_validation(self, folder, rows):
        """Every pair of the plan was measured once with the best of the end, and once with the default.

        If that is the best, as in a campaign that begins anew with its budget spent, there is nothing to measure.
        """
        tests = 2 if self.world.kind == "folds" else 3
        pairs = tests * self.world.seeds
        best = self.stage.rows("SELECT configuration FROM incumbent ORDER BY number DESC LIMIT 1", folder=folder)
        best = best[0]["configuration"] if best else 0
        for config, role in ((0, "default"), (best, "incumbent")):
            count = sum(row["configuration"] == config and row["role"] == role for row in rows)
            if best != 0:
                expect(count == pairs, f"{role}: {count} trials of the validation, {pairs} are planned")

    def export(self, count):
        """An export is there whole or not at all, and has every trial once."""
        path = self.stage.folder / "trials.csv"
        ended = self.stage.run("export s.campaign --to csv --output trials.csv", LONGEST)
        expect(ended.code == 0, f"{ended}")
        rows = list(csv.DictReader(io.StringIO(path.read_text())))
        expect(len(rows) == count, f"{len(rows)} trials were exported, of {count}")
        left = [path.name for path in self.stage.folder.iterdir() if path.name.endswith(".new")]
        for name in left:
            # A killed export cannot remove its own; they have names of their own and are in nobody's way.
            (self.stage.folder / name).unlink()

    # The story of a campaign

    def one_kill(self, number):
        """A command that is killed, chosen by what the world is about."""
        chance, kind, stage = self.chance, self.world.kind, self.stage
        lines = ["run s.toml --progress json"] * 6
        there = self.kept.get(stage.campaign)
        if there and kind != "folds":
            lines += ["export s.campaign --to csv --output trials.csv", "try s.campaign mine.toml"]
            lines += ["status s.campaign"]
        if kind == "imported":
            lines += ["import s.toml runs.csv"] * 6 + ["run s.toml --progress json --import runs.csv"] * 2
        if kind == "re-used" and chance.random() < 0.4:
            # Another seed begins a new campaign with the trials of this one.
            stage.write("s.toml", self.world.scenario(stage.folder / "log", seed=number + 2))
        line = chance.choice(lines)
        code, told = self.kill(line)
        self.look(told)
        self.status()
        return code if line.startswith("run") else None

    def play(self, kills):
        tries = 0
        while sum(self.kills.values()) < kills and tries < 4 * kills:
            code = self.one_kill(tries)
            tries += 1
            # What has ended is only run again where something new may come.
            if code == 0 and self.world.kind not in ("imported", "re-used"):
                break
        if self.world.kind == "imported":
            ended = self.stage.run("import s.toml runs.csv", LONGEST)
            expect(ended.code == 0, f"{ended}")
            self.look()
        self.finish()


def await_end(process, seconds):
    """Waits for so long, or for the end if that comes before."""
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


def attack(captune, seed, count, say):
    """So many kills; the findings, and how many there were in each phase."""
    phases, findings, number = collections.Counter(), [], 0
    scratch = tempfile.TemporaryDirectory()
    library = shim(scratch.name)
    while sum(phases.values()) < count:
        kind = World.KINDS[number % len(World.KINDS)]
        case = Case(captune, f"{seed}-{number}", kind, library)
        left = count - sum(phases.values())
        try:
            case.play(min(left, case.chance.randint(3, 8)))
            case.stage.remove()
        except Finding as finding:
            story = "\n    ".join(case.story)
            findings.append(f"case {seed}-{number} in {case.stage.folder}: {finding}\n    {story}")
            say(findings[-1])
            case.stage.kill_all()
        phases += case.kills
        number += 1
        say(f"{sum(phases.values())} kills in {number} campaigns, {len(findings)} findings", passing=True)
    return f"{number} campaigns; " + ", ".join(f"{name} {count}" for name, count in sorted(phases.items())), findings
