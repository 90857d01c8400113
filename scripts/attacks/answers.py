"""Targets with hostile answers, in every protocol.

Each trial must end within its limits. captune must end with a documented exit code and without a panic, and must not
print control characters from targets. Stored costs must be finite numbers, at most the cutoff.
"""

import collections
import json
import math
import pathlib
import random
import re
import resource

from entries import entries, ready
from sandbox import PYTHON, Finding, Sandbox, check_store, expect

PROTOCOLS = ["command", "file", "aclib", "aclib2", "irace", "smac3", "json", "json-server"]
TRIALS = 6
# Wall-time limit of a trial in the scenarios, in seconds.
WALL = 1.0
# Cutoffs for the objectives that have one.
CUTOFF = {"capped": 100.0, "measured": 1.0}
# Seconds by which a trial may exceed its limits on a busy machine, and seconds for captune itself.
SLACK, ITSELF = 1.0, 15.0
# Most memory that captune may use with lines of 10 MB, in bytes.
MEMORY = 400 << 20
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


class Case:
    """A campaign whose target answers according to a plan."""

    def __init__(self, captune, seed, protocol):
        self.rng = random.Random(seed)
        self.protocol = protocol
        self.sandbox = Sandbox(captune, "answer")
        self.plan = [self.entry(number) for number in range(TRIALS)]
        self.sandbox.write("plan", "".join(json.dumps(entry) + "\n" for entry in self.plan))
        self.ready = ready(self.rng)
        self.sandbox.write("ready", json.dumps(self.ready))
        self.sandbox.write("next", "0")
        self.sandbox.write("log", "")
        self.sandbox.write("hostile.py", (pathlib.Path(__file__).parent / "hostile.py").read_text())
        self.sandbox.write("s.toml", self.scenario())

    def entry(self, number):
        return entries(self.protocol, self.rng, 1.5 + number)

    def scenario(self):
        """Returns a scenario with one of three objectives: reported with a cap, reported without one, or measured."""
        protocol, rng = self.protocol, self.rng
        how = {"json": "json", "json-server": "serve"}.get(protocol, "once")
        command = [*PYTHON, str(self.sandbox.folder / "hostile.py"), str(self.sandbox.folder), how]
        if protocol in ("command", "file"):
            command += ["{params}", "{seed}", "{trial}", "{cap}"]
        outputs = {
            "command": "[outputs]\ncost = { pattern = 'cost = (.*)' }\n",
            "file": "[outputs]\ncost = { file = 'm.json', key = 'cost' }\n",
        }.get(protocol, "")
        objective = rng.choice(["reported", "capped", "measured"])
        cost = "runtime" if protocol == "aclib" else "cost"
        if objective == "reported" and protocol == "aclib":
            cost = "quality"
        self.objective = objective
        objective = {
            "reported": f"minimise = '{cost}'\n",
            "capped": f"minimise = '{cost}'\ncutoff = 100\ncapped_by = 'argument'\n",
            "measured": "minimise = 'wall_time'\ncutoff = '1s'\n",
        }[objective]
        if self.objective != "capped" and protocol in ("command", "file"):
            command.remove("{cap}")
        command = ", ".join(f"'{word}'" for word in command)
        known = "" if protocol in ("command", "file") else f"protocol = '{protocol}'\n"
        workers = 1 if protocol == "json-server" else rng.choice([1, 2])
        setup = "setup_limit = '1s'\n" if protocol == "json-server" else ""
        return (
            f"[target]\ncommand = [{command}]\n{known}{setup}[objective]\n{objective}{outputs}"
            f"[validation]\nwhen = 'never'\n[budget]\ntrials = {TRIALS}\n"
            f"[limits]\nwall = '{WALL}s'\nmemory = '1GiB'\nprocesses = 50\n[parallel]\nworkers = {workers}\n"
            "[surrogate]\nkind = 'forest'\n[space]\nx = { integer = [0, 100], default = 80 }\n"
        )

    def run(self):
        """Runs the campaign and all checks; returns the number of hostile answers by kind."""
        sandbox = self.sandbox
        # A server may use its whole set-up limit before each trial.
        longest = TRIALS * (WALL + SLACK + (1 if self.protocol == "json-server" else 0)) + ITSELF
        ended = sandbox.run("run s.toml --progress json", longest)
        expect(ended.code in (0, 1, 3), f"{ended}")
        self.check_output(ended.err, ended)
        # If a target kills its supervisor, the trial's report is lost.
        lost = any(event.get("status") == "lost" for event in ended.events())
        expect(ended.code != 1 or lost, f"{ended}")
        check_store(sandbox)
        self.check_costs()
        sandbox.check_no_leftovers()
        for line in ("status s.campaign", "failures s.campaign", "best s.campaign", "best s.campaign --as json"):
            read = sandbox.run(line, ITSELF)
            expect(read.code in (0, 3), f"{read}")
            self.check_output(read.out + read.err, read)
        for line in ("status s.campaign --json", "export s.campaign --to json"):
            read = sandbox.run(line, ITSELF)
            expect(read.code == 0, f"{read}")
            self.check_output(read.out, read)
            for object_ in read.out.splitlines() if line.startswith("export") else [read.out]:
                json.loads(object_)
        again = sandbox.run("run s.toml --progress json", longest)
        expect(again.code in (0, 1, 3), f"{again}")
        self.check_output(again.err, again)
        return self.delivered()

    def check_output(self, text, ended):
        found = CONTROL.search(text)
        around = found and text[max(0, found.start() - 40):found.end() + 20]
        expect(found is None, f"control characters were printed: {around!r} by {ended.words}")

    def check_costs(self):
        good = {entry["trial"]: entry["good"] for entry in self.log() if entry["good"] is not None}
        for row in self.sandbox.rows("SELECT id, status, cost, censored, cap, spent FROM trial"):
            cost = row["cost"]
            if cost is not None:
                expect(isinstance(cost, float) and math.isfinite(cost), f"trial {row['id']} has the cost {cost}")
                # Costs are compared with the cutoff, because a cap may be lowered after the target has received it.
                limit = CUTOFF.get(self.objective, math.inf)
                expect(cost <= limit, f"trial {row['id']} has cost {cost} above the cutoff {limit}")
            known = self.protocol in ("json", "json-server") and self.objective != "measured"
            if known and row["status"] == "finished" and row["id"] in good:
                expect(cost == good[row["id"]], f"trial {row['id']} reported {good[row['id']]}, but {cost} is stored")

    def log(self):
        return [json.loads(line) for line in (self.sandbox.folder / "log").read_text().splitlines()]

    def delivered(self):
        """Returns the number of hostile answers by kind."""
        return collections.Counter(entry["kind"] for entry in self.log() if entry["kind"] != "good")


def attack(captune, seed, count, report):
    """Runs campaigns until `count` hostile answers have been given; returns a summary by protocol, and the findings."""
    protocols, kinds, findings, number = collections.Counter(), collections.Counter(), [], 0
    while sum(protocols.values()) < count:
        protocol = PROTOCOLS[number % len(PROTOCOLS)]
        case = Case(captune, f"{seed}-{number}", protocol)
        try:
            given = case.run()
            kinds += given
            protocols[protocol] += sum(given.values())
            case.sandbox.remove()
        except Finding as finding:
            given = ", ".join(entry["kind"] for entry in case.plan)
            given += f"; ready: {case.ready['kind']}"
            findings.append(f"case {seed}-{number} ({protocol}) in {case.sandbox.folder}: {finding}\n    {given}")
            report(findings[-1])
            case.sandbox.kill_all()
            protocols[protocol] += 1
        number += 1
        report(f"{sum(protocols.values())} answers in {number} campaigns, {len(findings)} findings", transient=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if peak > MEMORY:
        findings.append(f"a process used {peak >> 20} MiB")
        report(findings[-1])
    counts = ", ".join(f"{name} {count}" for name, count in protocols.items())
    return f"{number} campaigns, {len(kinds)} kinds; {counts}; at most {peak >> 20} MiB", findings
