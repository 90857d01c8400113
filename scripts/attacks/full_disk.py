"""Fills the disk at each write. captune must report this, keep every trial, and continue once there is space again.

A preloaded library makes the Nth change below the campaign's folder fail, for every N. Where mounting is allowed, the
campaign also runs on file systems that are too small, each one page larger than the one before. In other cases, there
is no space on standard output or in TMPDIR.
"""

import collections
import os
import pathlib
import shutil
import subprocess

from sandbox import Finding, Sandbox, check_reported, check_store, expect, shim
from worlds import World

LONGEST = 60
CAUSES = (b"no room left", b"No space left on device")


class Plain:
    """Takes the first option instead of a random one, which gives the smallest world of each kind."""

    def choice(self, options):
        return options[0]


class Task:
    """A command that changes the campaign's folder, with the commands to run before it."""

    def __init__(self, name, line, kind="plain", before=(), change=None, codes=(5,), most=0):
        self.name, self.line, self.kind, self.before = name, line, kind, before
        # `most` limits the number of changes: those of a search are the same for every kind of campaign.
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
    """A task in a sandbox whose campaign folder can be restored."""

    def __init__(self, captune, task):
        self.task = task
        self.sandbox = Sandbox(captune, "disk")
        self.world = World(task.kind, Plain())
        self.world.trials = 2
        self.world.build(self.sandbox)
        for line in task.before:
            ended = self.sandbox.run(line, LONGEST)
            expect(ended.code == 0, f"{ended}")
        if task.change == "seed":
            self.sandbox.write("s.toml", self.world.scenario(self.sandbox.folder / "log", seed=2))
        self.kept = self.sandbox.folder / "kept"
        if self.sandbox.campaign.exists():
            shutil.copytree(self.sandbox.campaign, self.kept)

    def restore(self):
        shutil.rmtree(self.sandbox.campaign, ignore_errors=True)
        if self.kept.exists():
            shutil.copytree(self.kept, self.sandbox.campaign)

    def known(self):
        """Returns the trials on disk."""
        found = collections.Counter()
        for folder in self.world.folders(self.sandbox):
            if (folder / "campaign.sqlite").exists():
                query = ('SELECT "values", instance.name, seed, status, cost FROM trial JOIN configuration '
                            "ON configuration.id = trial.configuration JOIN instance "
                            "ON instance.id = trial.instance")
                found.update((folder.name, *row) for row in self.sandbox.rows(query, folder=folder))
        return found

    def check(self, ended, before, once=False):
        """Checks the output and the folder after a command has met a full disk; returns whether the command failed."""
        expect(ended.code == 0 or ended.code in self.task.codes, f"{ended}")
        failed = ended.code != 0
        if failed:
            # SQLite does not report why it could not create or grow a file, and by now there is space again.
            causes = (*CAUSES, b"disk I/O error", b"unable to open database file") if once else CAUSES
            expect(any(cause in ended.err for cause in causes), f"the cause is not reported: {ended}")
        elif self.task.line.startswith("export"):
            expect(pathlib.Path(self.sandbox.folder, self.task.line.split()[-1]).exists(), "nothing was exported")
        missing = before - self.known()
        expect(not missing, f"{sum(missing.values())} trials are missing: {list(missing)[:2]}")
        if self.task.line.startswith("run") and self.task.kind != "folds" and self.known():
            check_reported(ended.events(), self.sandbox)
        self.sandbox.check_no_leftovers()
        return failed

    def recover(self, killed=False):
        """Runs the same command again now that there is space, and then runs the campaign to its end."""
        task, sandbox, world = self.task, self.sandbox, self.world
        before = self.known()
        for line in dict.fromkeys((task.line, RUN)):
            known = sum(self.known().values())
            ended = sandbox.run(line, LONGEST)
            expect(ended.code == 0, f"with space again: {ended}")
        missing = before - self.known()
        expect(not missing, f"{sum(missing.values())} trials are missing after the resume: {list(missing)[:2]}")
        for folder in world.folders(sandbox):
            count = check_store(sandbox, folder)
            lost = sandbox.rows("SELECT count(*) FROM trial WHERE status IN ('lost', 'aborted')", folder=folder)[0][0]
            budget = -(-world.trials // 2) if world.kind == "folds" else world.trials
            # The number of imported trials may exceed the budget.
            budget = max(budget, known) if task.kind == "imported" else budget
            expect(count - lost == budget, f"{count - lost} trials, but the budget is {budget}")
            names = {path.name for path in folder.iterdir()}
            others = names - {"campaign.sqlite", "campaign.lock", "queue", "stage", "out.csv", "smac"}
            # A killed export cannot remove its temporary file, which has a unique name and does no harm.
            others = [name for name in others if not name.startswith(("campaign-", ".captune-"))]
            expect(not others, f"left in the campaign's folder: {others}")
            queue = folder / "queue"
            left = [path.name for path in queue.iterdir()] if queue.exists() and not killed else []
            expect(not left, f"left in the queue: {left}")
        sandbox.check_no_leftovers()


def every_write(captune, task, most, report, findings):
    """Runs the task once per change, and makes that change fail; returns the number of changes and of failed runs."""
    case = Case(captune, task)
    sandbox = case.sandbox
    library = shim(sandbox.folder)
    log = sandbox.folder / "fault-log"
    writes = failures = 0
    # The same code handles temporary and permanent failures, so every fifth temporary one is enough.
    for how, step in (("full", 1), ("kill", 1), ("once", 5)):
        number = 1 - step
        while not (most or task.most) or number + step <= min(filter(None, (most, task.most))):
            number += step
            case.restore()
            log.unlink(missing_ok=True)
            before = case.known()
            fault = {"LD_PRELOAD": str(library), "FAULT_FOLDER": str(sandbox.campaign), "FAULT_AT": str(number),
                     "FAULT_HOW": how, "FAULT_LOG": str(log)}
            what = ""
            try:
                if how == "kill":
                    killed(case, before, fault)
                else:
                    ended = sandbox.run(task.line, LONGEST, **fault)
                if not log.exists():
                    break
                what = log.read_text().splitlines()[0]
                writes += 1
                failures += how == "kill" or case.check(ended, before, how == "once")
                case.recover(how == "kill")
            except Finding as finding:
                findings.append(f"{task.name}, change {number} ({how}: {what or log.exists()}): {finding}")
                report(findings[-1])
                sandbox.kill_all()
                if len([one for one in findings if one.startswith(f"{task.name},")]) > 20:
                    report(f"{task.name}: stopped after 20 findings")
                    return writes, failures
            report(f"{task.name}, {how}: change {number}, {len(findings)} findings", transient=True)
    sandbox.remove()
    return writes, failures


def killed(case, before, fault):
    """Runs the task with a kill at a change; checks that all earlier trials are still there."""
    sandbox = case.sandbox
    with open(sandbox.folder / "out", "w+b") as out, open(sandbox.folder / "err", "w+b") as err:
        process = sandbox.start(case.task.line.split(), out, err, **fault)
        try:
            process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            sandbox.kill_all()
            raise Finding(f"`captune {case.task.line}` is still running after {LONGEST} s") from None
    missing = before - case.known()
    expect(not missing, f"{sum(missing.values())} trials are missing: {list(missing)[:2]}")


def small_disks(captune, step, report, findings):
    """Runs a campaign on file systems that are too small, each larger by a step, until the campaign fits."""
    case = Case(captune, Task("small disk", RUN, codes=(1, 5)))
    sandbox = case.sandbox
    sizes = failures = 0
    passed = False
    size = 4096
    while not passed and size < 4 << 20:
        sandbox.campaign.mkdir(exist_ok=True)
        mount(sandbox.campaign, size)
        try:
            ended = sandbox.run(RUN, LONGEST)
            passed = not case.check(ended, collections.Counter())
            failures += not passed
            subprocess.run(["mount", "-o", "remount,size=16m", sandbox.campaign], check=True)
            case.recover()
        except Finding as finding:
            findings.append(f"small disk of {size} bytes: {finding}")
            report(findings[-1])
            sandbox.kill_all()
        finally:
            subprocess.run(["umount", "-l", sandbox.campaign], check=True)
        sizes += 1
        size += step
        report(f"small disk: {size} bytes, {len(findings)} findings", transient=True)
    sandbox.remove()
    return sizes, failures


def mount(folder, size, more=""):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}{more}", "none", folder], check=True)


def full_elsewhere(captune, report, findings):
    """Runs commands without space on standard output or in TMPDIR; returns the number of cases."""
    count = 0
    case = Case(captune, Task("elsewhere", RUN, before=HALF))
    sandbox = case.sandbox
    lines = [RUN, "status s.campaign", "status s.campaign --json", "export s.campaign --to csv",
             "export s.campaign --to json", "best s.campaign", "best s.campaign --as json", "failures s.campaign",
             "check s.toml"]
    for line in lines:
        count += 1
        case.restore()
        try:
            with open("/dev/full", "wb") as full, open(sandbox.folder / "err", "w+b") as err:
                process = sandbox.start(line.split(), full, err)
                code = process.wait(LONGEST)
                err.seek(0)
                errors = err.read()
            expect(b"panicked" not in errors, f"`{line}` > /dev/full: {errors!r}")
            # A campaign continues without its events; a command whose output cannot be printed fails.
            wanted = 0 if line == RUN else 1
            named = any(cause in errors for cause in CAUSES)
            expect(code == wanted and named, f"`{line}` > /dev/full ended with {code} and printed {errors!r}")
            case.recover()
        except Finding as finding:
            findings.append(f"elsewhere: {finding}")
            report(findings[-1])
            sandbox.kill_all()
    if os.geteuid() == 0:
        for options in (",nr_inodes=1", ",nr_inodes=2", ",nr_inodes=3"):
            count += 1
            case.restore()
            mount(sandbox.temporary, 4096, options)
            try:
                ended = sandbox.run(RUN, LONGEST)
                expect(ended.code in (1, 3, 0), f"TMPDIR with {options}: {ended}")
                named = any(cause in ended.err for cause in CAUSES)
                expect(ended.code == 0 or named, f"TMPDIR with {options}: {ended}")
            except Finding as finding:
                findings.append(f"elsewhere: {finding}")
                report(findings[-1])
            finally:
                subprocess.run(["umount", "-l", sandbox.temporary], check=True)
            try:
                case.recover()
            except Finding as finding:
                findings.append(f"elsewhere, TMPDIR with {options}: {finding}")
                report(findings[-1])
    sandbox.remove()
    return count


def attack(captune, seed, count, report):
    """Makes every change of every task fail; returns a summary and the findings. The seed has no effect here."""
    findings, parts = [], []
    for task in TASKS:
        writes, failures = every_write(captune, task, count, report, findings)
        parts.append(f"{task.name} {writes} ({failures} failed)")
        report(parts[-1])
    if os.geteuid() == 0:
        sizes, failures = small_disks(captune, 4096, report, findings)
        parts.append(f"small disks {sizes} ({failures} failed)")
    parts.append(f"elsewhere {full_elsewhere(captune, report, findings)}")
    return "; ".join(parts), findings
