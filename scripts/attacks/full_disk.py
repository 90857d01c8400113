"""No room left at each write: captune says so, and goes on with every trial when there is room again.

By a library that lets the Nth change below the campaign's folder fail, for every N; where mounting is allowed, on
file systems that are too small, a page larger each time; and with standard output and TMPDIR full.
"""

import collections
import os
import pathlib
import shutil
import subprocess

from stage import Finding, Stage, acknowledged, check_store, expect, shim
from worlds import World

LONGEST = 60
CAUSES = (b"no room left", b"No space left on device")


class Plain:
    """In place of random choices: the smallest world of a kind."""

    def choice(self, options):
        return options[0]


class Task:
    """A line that changes the campaign's folder, and what has to be there before."""

    def __init__(self, name, line, kind="plain", before=(), change=None, codes=(5,), most=0):
        self.name, self.line, self.kind, self.before = name, line, kind, before
        # Changes to look at; those of a search are the same whatever it is of.
        self.change, self.codes, self.most = change, codes, most


RUN = "run s.toml --progress json"
HALF = ("run s.toml --trials 1 --progress json",)
TASKS = [
    Task("run", RUN),
    Task("resume", RUN, before=HALF),
    Task("run on a server", RUN, kind="json-server", most=60),
    Task("validate", "validate s.campaign --seeds 4 --progress json", before=(RUN,)),
    Task("import", "import s.toml runs.csv", kind="imported"),
    Task("import into", "import s.toml runs.csv", kind="imported", before=HALF),
    Task("re-use", RUN, before=HALF, change="seed", most=60),
    Task("stage", RUN, kind="staged", codes=(1, 5), most=60),
    Task("folds", RUN, kind="folds", codes=(1, 5), most=90),
    Task("export csv", "export s.campaign --to csv --output s.campaign/out.csv", before=(RUN,), codes=(1,)),
    Task("export smac3", "export s.campaign --to smac3 --output s.campaign/smac", before=(RUN,), codes=(1,)),
    Task("try", "try s.campaign mine.toml", before=HALF, codes=(1,)),
]


class Case:
    """A task in a stage whose folder can be put back to how it was before."""

    def __init__(self, captune, task):
        self.task = task
        self.stage = Stage(captune, "disk")
        self.world = World(task.kind, Plain())
        self.world.trials = 2
        self.world.build(self.stage)
        for line in task.before:
            ended = self.stage.run(line, LONGEST)
            expect(ended.code == 0, f"{ended}")
        if task.change == "seed":
            self.stage.write("s.toml", self.world.scenario(self.stage.folder / "log", seed=2))
        self.kept = self.stage.folder / "kept"
        if self.stage.campaign.exists():
            shutil.copytree(self.stage.campaign, self.kept)

    def put_back(self):
        shutil.rmtree(self.stage.campaign, ignore_errors=True)
        if self.kept.exists():
            shutil.copytree(self.kept, self.stage.campaign)

    def known(self):
        """Trials that are on disk."""
        found = collections.Counter()
        for folder in self.world.folders(self.stage):
            if (folder / "campaign.sqlite").exists():
                question = ('SELECT "values", instance.name, seed, status, cost FROM trial JOIN configuration '
                            "ON configuration.id = trial.configuration JOIN instance "
                            "ON instance.id = trial.instance")
                found.update((folder.name, *row) for row in self.stage.rows(question, folder=folder))
        return found

    def check(self, ended, before, once=False):
        """What a line has said and left that met a full disk; whether it failed."""
        expect(ended.code == 0 or ended.code in self.task.codes, f"{ended}")
        failed = ended.code != 0
        if failed:
            # SQLite does not tell why a file could not be made or grown; room that is there again says nothing.
            causes = (*CAUSES, b"disk I/O error", b"unable to open database file") if once else CAUSES
            expect(any(cause in ended.err for cause in causes), f"the cause is not named: {ended}")
        elif self.task.line.startswith("export"):
            expect(pathlib.Path(self.stage.folder, self.task.line.split()[-1]).exists(), "nothing was exported")
        gone = before - self.known()
        expect(not gone, f"{sum(gone.values())} trials are gone: {list(gone)[:2]}")
        if self.task.line.startswith("run") and self.task.kind != "folds" and self.known():
            acknowledged(ended.events(), self.stage)
        self.stage.check_nothing_is_left()
        return failed

    def recover(self, killed=False):
        """With room again, the same line and then the campaign come to their end."""
        task, stage, world = self.task, self.stage, self.world
        before = self.known()
        for line in dict.fromkeys((task.line, RUN)):
            known = sum(self.known().values())
            ended = stage.run(line, LONGEST)
            expect(ended.code == 0, f"with room again: {ended}")
        gone = before - self.known()
        expect(not gone, f"{sum(gone.values())} trials are gone after the resume: {list(gone)[:2]}")
        for folder in world.folders(stage):
            count = check_store(stage, folder)
            lost = stage.rows("SELECT count(*) FROM trial WHERE status IN ('lost', 'aborted')", folder=folder)[0][0]
            budget = -(-world.trials // 2) if world.kind == "folds" else world.trials
            # Imported trials may be more than it.
            budget = max(budget, known) if task.kind == "imported" else budget
            expect(count - lost == budget, f"{count - lost} trials, and the budget is {budget}")
            names = {path.name for path in folder.iterdir()}
            others = names - {"campaign.sqlite", "campaign.lock", "queue", "stage", "out.csv", "smac"}
            # A killed export cannot remove its own: that has a name of its own and is in nobody's way.
            others = [name for name in others if not name.startswith(("campaign-", ".captune-"))]
            expect(not others, f"left in the campaign's folder: {others}")
            queue = folder / "queue"
            left = [path.name for path in queue.iterdir()] if queue.exists() and not killed else []
            expect(not left, f"left in the queue: {left}")
        stage.check_nothing_is_left()


def every_write(captune, task, most, say, findings):
    """The task with each of its changes failing; how many there were, and how many made it fail."""
    case = Case(captune, task)
    stage = case.stage
    library = shim(stage.folder)
    told = stage.folder / "told"
    writes = failures = 0
    # A failure for a moment is met by the same code as one that stays: every fifth is enough of them.
    for how, step in (("full", 1), ("kill", 1), ("once", 5)):
        number = 1 - step
        while not (most or task.most) or number + step <= min(filter(None, (most, task.most))):
            number += step
            case.put_back()
            told.unlink(missing_ok=True)
            before = case.known()
            fault = {"LD_PRELOAD": str(library), "FAULT_FOLDER": str(stage.campaign), "FAULT_AT": str(number),
                     "FAULT_HOW": how, "FAULT_TOLD": str(told)}
            what = ""
            try:
                if how == "kill":
                    killed(case, before, fault)
                else:
                    ended = stage.run(task.line, LONGEST, **fault)
                if not told.exists():
                    break
                what = told.read_text().splitlines()[0]
                writes += 1
                failures += how == "kill" or case.check(ended, before, how == "once")
                case.recover(how == "kill")
            except Finding as finding:
                findings.append(f"{task.name}, change {number} ({how}: {what or told.exists()}): {finding}")
                say(findings[-1])
                stage.kill_all()
                if len([one for one in findings if one.startswith(f"{task.name},")]) > 20:
                    say(f"{task.name}: no more than 20 findings are sought")
                    return writes, failures
            say(f"{task.name}, {how}: change {number}, {len(findings)} findings", passing=True)
    stage.remove()
    return writes, failures


def killed(case, before, fault):
    """The task killed at a change: what was told is there, and so is what was there before."""
    stage = case.stage
    with open(stage.folder / "out", "w+b") as out, open(stage.folder / "err", "w+b") as err:
        process = stage.start(case.task.line.split(), out, err, **fault)
        try:
            process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            stage.kill_all()
            raise Finding(f"`captune {case.task.line}` still runs after {LONGEST} s") from None
    gone = before - case.known()
    expect(not gone, f"{sum(gone.values())} trials are gone: {list(gone)[:2]}")


def small_disks(captune, step, say, findings):
    """A campaign on file systems that are too small, each larger by a step, until one holds it."""
    case = Case(captune, Task("small disk", RUN, codes=(1, 5)))
    stage = case.stage
    sizes = failures = 0
    passed = False
    size = 4096
    while not passed and size < 4 << 20:
        stage.campaign.mkdir(exist_ok=True)
        mount(stage.campaign, size)
        try:
            ended = stage.run(RUN, LONGEST)
            passed = not case.check(ended, collections.Counter())
            failures += not passed
            subprocess.run(["mount", "-o", "remount,size=16m", stage.campaign], check=True)
            case.recover()
        except Finding as finding:
            findings.append(f"small disk of {size} bytes: {finding}")
            say(findings[-1])
            stage.kill_all()
        finally:
            subprocess.run(["umount", "-l", stage.campaign], check=True)
        sizes += 1
        size += step
        say(f"small disk: {size} bytes, {len(findings)} findings", passing=True)
    stage.remove()
    return sizes, failures


def mount(folder, size, more=""):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}{more}", "none", folder], check=True)


def full_elsewhere(captune, say, findings):
    """Standard output and TMPDIR without room."""
    count = 0
    case = Case(captune, Task("elsewhere", RUN, before=HALF))
    stage = case.stage
    lines = [RUN, "status s.campaign", "status s.campaign --json", "export s.campaign --to csv",
             "export s.campaign --to json", "best s.campaign", "best s.campaign --as json", "failures s.campaign",
             "check s.toml"]
    for line in lines:
        count += 1
        case.put_back()
        try:
            with open("/dev/full", "wb") as full, open(stage.folder / "err", "w+b") as err:
                process = stage.start(line.split(), full, err)
                code = process.wait(LONGEST)
                err.seek(0)
                said = err.read()
            expect(b"panicked" not in said, f"`{line}` > /dev/full: {said!r}")
            # A campaign goes on without its events; what is asked for and cannot be printed is a failure.
            wanted = 0 if line == RUN else 1
            named = any(cause in said for cause in CAUSES)
            expect(code == wanted and named, f"`{line}` > /dev/full ended with {code} and said {said!r}")
            case.recover()
        except Finding as finding:
            findings.append(f"elsewhere: {finding}")
            say(findings[-1])
            stage.kill_all()
    if os.geteuid() == 0:
        for options in (",nr_inodes=1", ",nr_inodes=2", ",nr_inodes=3"):
            count += 1
            case.put_back()
            mount(stage.temporary, 4096, options)
            try:
                ended = stage.run(RUN, LONGEST)
                expect(ended.code in (1, 3, 0), f"TMPDIR with {options}: {ended}")
                named = any(cause in ended.err for cause in CAUSES)
                expect(ended.code == 0 or named, f"TMPDIR with {options}: {ended}")
            except Finding as finding:
                findings.append(f"elsewhere: {finding}")
                say(findings[-1])
            finally:
                subprocess.run(["umount", "-l", stage.temporary], check=True)
            try:
                case.recover()
            except Finding as finding:
                findings.append(f"elsewhere, TMPDIR with {options}: {finding}")
                say(findings[-1])
    stage.remove()
    return count


def attack(captune, seed, count, say):
    """Every change of every task; the findings, and how many changes there were. The seed says nothing here."""
    findings, told = [], []
    for task in TASKS:
        writes, failures = every_write(captune, task, count, say, findings)
        told.append(f"{task.name} {writes} ({failures} failed)")
        say(told[-1])
    if os.geteuid() == 0:
        sizes, failures = small_disks(captune, 4096, say, findings)
        told.append(f"small disks {sizes} ({failures} failed)")
    told.append(f"elsewhere {full_elsewhere(captune, say, findings)}")
    return "; ".join(told), findings
