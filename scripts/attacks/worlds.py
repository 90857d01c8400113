"""Small campaigns to attack: scenarios of several kinds, with targets that keep their own log."""

from sandbox import PYTHON

# Each run writes two lines to a log outside the campaign, which are compared with the store.
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


def words(*items):
    return "[" + ", ".join(f"'{word}'" for word in items) + "]"


class World:
    """A kind of campaign, with random settings."""

    KINDS = ["plain", "set-up", "json", "json-server", "staged", "folds", "imported", "re-used"]

    def __init__(self, kind, rng):
        self.kind = kind
        self.workers = rng.choice([1, 2])
        self.trials = rng.choice([4, 12, 25])
        self.seeds = rng.choice([1, 2])
        self.surrogate = rng.choice(["local", "random", "forest"])

    def __str__(self):
        return (f"{self.kind}, {self.workers} workers, {self.trials} trials, {self.seeds} seeds, "
                f"{self.surrogate}")

    def target(self, log):
        # The log is passed in a variable, because a file that the command names must not change.
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

    def build(self, sandbox):
        """Writes the world into the folder of a sandbox."""
        sandbox.write("target", SHELL).chmod(0o755)
        sandbox.write("target.py", JSON)
        for name in "abc":
            sandbox.write(f"in/{name}", name * 5000)
        for name in "def":
            sandbox.write(f"test/{name}", name * 5000)
        sandbox.write("log", "")
        sandbox.write("runs.csv", IMPORTED)
        sandbox.write("mine.toml", "x = 36\ny = 0.25\n")
        sandbox.write("s.toml", self.scenario(sandbox.folder / "log"))

    def folders(self, sandbox):
        """Returns the folders that have stores."""
        if self.kind != "folds":
            return [sandbox.campaign]
        return [sandbox.campaign / f"fold-{number}" for number in (1, 2)]
