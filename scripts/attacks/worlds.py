"""Small campaigns to be attacked: scenarios of several kinds, with targets that keep a log of their own."""

from stage import PYTHON

# Each run leaves two lines outside the campaign, so that what it did can be held against the store.
SHELL = """#!/bin/sh
echo "start $1 $$" >> "$LOG"
sleep "0.0$(( ($3 + $4) % 4 ))"
cost=$(( ($4 - 37) * ($4 - 37) + $3 % 17 + 1 ))
echo "end $1 $cost" >> "$LOG"
echo "cost = $cost"
"""

JSON = """import json, os, sys, time
log = open(os.environ["LOG"], "a", buffering=1)
def answer(line):
    asked = json.loads(line)
    log.write(f"start {asked['trial']} 0\\n")
    time.sleep(asked["seed"] % 3 / 100)
    cost = (asked["configuration"]["x"] - 37) ** 2 + asked["seed"] % 17 + 1
    log.write(f"end {asked['trial']} {cost}\\n")
    print(json.dumps({"trial": asked["trial"], "cost": cost}), flush=True)
if len(sys.argv) > 1:
    print('{"ready": true}', flush=True)
    for line in sys.stdin:
        answer(line)
else:
    answer(sys.stdin.readline())
"""

IMPORTED = "x,y,instance,seed,cost,status\n"
IMPORTED += "".join(f"{x},0.5,a,{x},{(x - 37) ** 2 + 1},finished\n" for x in (3, 20, 50, 90))


def words(*all_of_them):
    return "[" + ", ".join(f"'{word}'" for word in all_of_them) + "]"


class World:
    """A kind of campaign, chosen at random."""

    KINDS = ["plain", "set-up", "json", "json-server", "staged", "folds", "imported", "re-used"]

    def __init__(self, kind, chance):
        self.kind = kind
        self.workers = chance.choice([1, 2])
        self.trials = chance.choice([4, 12, 25])
        self.seeds = chance.choice([1, 2])
        self.surrogate = chance.choice(["local", "random", "forest"])

    def __str__(self):
        return (f"{self.kind}, {self.workers} workers, {self.trials} trials, {self.seeds} seeds, "
                f"{self.surrogate}")

    def target(self, log):
        # By a variable: a file that a command names must not change.
        log = f"env = {{ LOG = '{log}' }}\n"
        if self.kind in ("json", "json-server"):
            more = ["serve"] if self.kind == "json-server" else []
            return f"command = {words(*PYTHON, '{folder}/target.py', *more)}\nprotocol = '{self.kind}'\n{log}"
        text = f"command = {words('./target', '{trial}', '{instance}', '{seed}', '{param:x}', '{params}')}\n{log}"
        if self.kind == "set-up":
            text += f"setup = {words('/bin/sh', '-c', 'sleep 1000 & sleep 0.01')}\n"
            text += f"teardown = {words('/bin/true')}\n"
        return text

    def instances(self):
        if self.kind == "staged":
            return "files = 'in/*'\ntest = ['test/*']\nstage = true\n"
        if self.kind == "folds":
            return "list = ['a', 'b', 'c', 'd']\ntest = 'folds: 2'\n"
        return "list = ['a', 'b', 'c']\ntest = ['d', 'e', 'f']\n"

    def scenario(self, log, seed=1):
        protocol = self.kind in ("json", "json-server")
        outputs = "" if protocol else "[outputs]\ncost = { pattern = 'cost = ([0-9]+)' }\n"
        return (
            f"seed = {seed}\n[target]\n{self.target(log)}[objective]\nminimise = 'cost'\n{outputs}"
            f"[instances]\n{self.instances()}[validation]\nseeds = {self.seeds}\n"
            f"[budget]\ntrials = {self.trials}\n[limits]\nwall = '10s'\n"
            f"[parallel]\nworkers = {self.workers}\n[surrogate]\nkind = '{self.surrogate}'\n"
            "[space]\nx = { integer = [0, 100], default = 80 }\ny = { float = [0.0, 1.0], default = 0.5 }\n"
        )

    def build(self, stage):
        """Writes the world into a stage's folder."""
        stage.write("target", SHELL).chmod(0o755)
        stage.write("target.py", JSON)
        for name in "abc":
            stage.write(f"in/{name}", name * 5000)
        for name in "def":
            stage.write(f"test/{name}", name * 5000)
        stage.write("log", "")
        stage.write("runs.csv", IMPORTED)
        stage.write("mine.toml", "x = 36\ny = 0.25\n")
        stage.write("s.toml", self.scenario(stage.folder / "log"))

    def folders(self, stage):
        """The folders that have stores."""
        if self.kind != "folds":
            return [stage.campaign]
        return [stage.campaign / f"fold-{number}" for number in (1, 2)]
