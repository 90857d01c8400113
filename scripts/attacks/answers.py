"""Targets that answer what no target should, by every protocol.

Each answer ends within the limits of its trial; the program ends by a documented exit code, without a panic,
and prints no control characters of others; stored costs are numbers within their caps.
"""

import collections
import json
import math
import pathlib
import random
import re
import resource

from entries import entries, ready
from stage import PYTHON, Finding, Stage, check_store, expect

PROTOCOLS = ["command", "file", "aclib", "aclib2", "irace", "smac3", "json", "json-server"]
TRIALS = 6
# Limits of a trial in the scenarios, in seconds.
WALL = 1.0
# Cutoffs of the objectives that have one.
CUTOFF = {"capped": 100.0, "measured": 1.0}
# What a trial may take beyond its limits, on a busy machine, and the program itself.
SLACK, ITSELF = 1.0, 15.0
# The most memory that the program may take for lines of 10 MB, in bytes.
MEMORY = 400 << 20
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


class Case:
    """A campaign whose target answers by a plan."""

    def __init__(self, captune, seed, protocol):
        self.chance = random.Random(seed)
        self.protocol = protocol
        self.stage = Stage(captune, "answer")
        self.plan = [self.entry(number) for number in range(TRIALS)]
        self.stage.write("plan", "".join(json.dumps(entry) + "\n" for entry in self.plan))
        self.ready = ready(self.chance)
        self.stage.write("ready", json.dumps(self.ready))
        self.stage.write("next", "0")
        self.stage.write("log", "")
        self.stage.write("hostile.py", (pathlib.Path(__file__).parent / "hostile.py").read_text())
        self.stage.write("s.toml", self.scenario())

    def entry(self, number):
        return entries(self.protocol, self.chance, 1.5 + number)

    def scenario(self):
        """One of several objectives: with a cap that the target is told, with none, or measured."""
        protocol, chance = self.protocol, self.chance
        how = {"json": "json", "json-server": "serve"}.get(protocol, "once")
        command = [*PYTHON, str(self.stage.folder / "hostile.py"), str(self.stage.folder), how]
        if protocol in ("command", "file"):
            command += ["{params}", "{seed}", "{trial}", "{cap}"]
        outputs = {
            "command": "[outputs]\ncost = { pattern = 'cost = (.*)' }\n",
            "file": "[outputs]\ncost = { file = 'm.json', key = 'cost' }\n",
        }.get(protocol, "")
        objective = chance.choice(["told", "capped", "measured"])
        cost = "runtime" if protocol == "aclib" else "cost"
        if objective == "told" and protocol == "aclib":
            cost = "quality"
        self.objective = objective
        objective = {
            "told": f"minimise = '{cost}'\n",
            "capped": f"minimise = '{cost}'\ncutoff = 100\ncapped_by = 'argument'\n",
            "measured": "minimise = 'wall_time'\ncutoff = '1s'\n",
        }[objective]
        if self.objective != "capped" and protocol in ("command", "file"):
            command.remove("{cap}")
        command = ", ".join(f"'{word}'" for word in command)
        known = "" if protocol in ("command", "file") else f"protocol = '{protocol}'\n"
        workers = 1 if protocol == "json-server" else chance.choice([1, 2])
        setup = "setup_limit = '1s'\n" if protocol == "json-server" else ""
        return (
            f"[target]\ncommand = [{command}]\n{known}{setup}[objective]\n{objective}{outputs}"
            f"[validation]\nwhen = 'never'\n[budget]\ntrials = {TRIALS}\n"
            f"[limits]\nwall = '{WALL}s'\nmemory = '1GiB'\nprocesses = 50\n[parallel]\nworkers = {workers}\n"
            "[surrogate]\nkind = 'forest'\n[space]\nx = { integer = [0, 100], default = 80 }\n"
        )

    def play(self):
        stage = self.stage
        # A server may take its limit to be ready before each trial.
        longest = TRIALS * (WALL + SLACK + (1 if self.protocol == "json-server" else 0)) + ITSELF
        ended = stage.run("run s.toml --progress json", longest)
        expect(ended.code in (0, 1, 3), f"{ended}")
        self.check_words(ended.err, ended)
        told = ended.events()
        # A supervisor that the target has killed takes its report along.
        lost = any(event.get("status") == "lost" for event in told)
        expect(ended.code != 1 or lost, f"{ended}")
        check_store(stage)
        self.check_costs()
        stage.check_nothing_is_left()
        for line in ("status s.campaign", "failures s.campaign", "best s.campaign", "best s.campaign --as json"):
            read = stage.run(line, ITSELF)
            expect(read.code in (0, 3), f"{read}")
            self.check_words(read.out + read.err, read)
        for line in ("status s.campaign --json", "export s.campaign --to json"):
            read = stage.run(line, ITSELF)
            expect(read.code == 0, f"{read}")
            self.check_words(read.out, read)
            for object_ in read.out.splitlines() if line.startswith("export") else [read.out]:
                json.loads(object_)
        again = stage.run("run s.toml --progress json", longest)
        expect(again.code in (0, 1, 3), f"{again}")
        self.check_words(again.err, again)
        return self.delivered()

    def check_words(self, text, ended):
        found = CONTROL.search(text)
        around = found and text[max(0, found.start() - 40):found.end() + 20]
        expect(found is None, f"control characters are printed: {around!r} by {ended.words}")

    def check_costs(self):
        good = {entry["trial"]: entry["good"] for entry in self.log() if entry["good"] is not None}
        for row in self.stage.rows("SELECT id, status, cost, censored, cap, spent FROM trial"):
            cost = row["cost"]
            if cost is not None:
                expect(isinstance(cost, float) and math.isfinite(cost), f"trial {row['id']} has the cost {cost}")
                # The cutoff, not the cap: that may be lowered while a target runs that was told another.
                limit = CUTOFF.get(self.objective, math.inf)
                expect(cost <= limit, f"trial {row['id']} has cost {cost} above the cutoff {limit}")
            known = self.protocol in ("json", "json-server") and self.objective != "measured"
            if known and row["status"] == "finished" and row["id"] in good:
                expect(cost == good[row["id"]], f"trial {row['id']} told {good[row['id']]}, stored is {cost}")

    def log(self):
        return [json.loads(line) for line in (self.stage.folder / "log").read_text().splitlines()]

    def delivered(self):
        """Answers by kind that were given, good ones left out."""
        return collections.Counter(entry["kind"] for entry in self.log() if entry["kind"] != "good")


def attack(captune, seed, count, say):
    """So many hostile answers; the findings, and how many there were of each protocol."""
    protocols, kinds, findings, number = collections.Counter(), collections.Counter(), [], 0
    while sum(protocols.values()) < count:
        protocol = PROTOCOLS[number % len(PROTOCOLS)]
        case = Case(captune, f"{seed}-{number}", protocol)
        try:
            given = case.play()
            kinds += given
            protocols[protocol] += sum(given.values())
            case.stage.remove()
        except Finding as finding:
            given = ", ".join(entry["kind"] for entry in case.plan)
            given += f"; ready: {case.ready['kind']}"
            findings.append(f"case {seed}-{number} ({protocol}) in {case.stage.folder}: {finding}\n    {given}")
            say(findings[-1])
            case.stage.kill_all()
            protocols[protocol] += 1
        number += 1
        say(f"{sum(protocols.values())} answers in {number} campaigns, {len(findings)} findings", passing=True)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if most > MEMORY:
        findings.append(f"a process took {most >> 20} MiB")
        say(findings[-1])
    told = ", ".join(f"{name} {count}" for name, count in protocols.items())
    return f"{number} campaigns, {len(kinds)} kinds; {told}; at most {most >> 20} MiB", findings
