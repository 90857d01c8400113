"""The lines that an adapter and the benchmark exchange: requests for trials, and their outcomes as answers.

    run <TAB> INSTANCE <TAB> SEED <TAB> CAP or - <TAB> name=value ...     one answer
    incumbent <TAB> name=value ...                                        no answer

Answers: `finished COST [output=value]`, `stopped CAP`, `timeout CUTOFF`, `crashed COST`, `over`, `error TEXT`.
"""

import dataclasses
import os


class BudgetOver(BaseException):
    """The budget is spent. This is not an `Exception`, because configurators catch the exceptions of their targets."""


class RefusedRequest(BaseException):
    """The benchmark could not read a request: a bug in the adapter, which must not look like a crash of the target."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The outcome of a trial; its status is `finished`, `stopped`, `timeout` or `crashed`."""

    status: str
    cost: float
    outputs: dict


class Channel:
    """Requests and answers on the standard streams; anything else that is printed goes to standard error."""

    def __init__(self):
        self.answers = os.fdopen(os.dup(0), encoding="utf-8")
        self.requests = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        self.trials = 0
        self.reported = None

    def run(self, instance, seed, cap, configuration):
        """Runs a trial; `cap` is None for the cutoff."""
        cap = "-" if cap is None else repr(float(cap))
        self._send(f"run\t{instance}\t{seed}\t{cap}", configuration)
        line = self.answers.readline()
        if not line:
            raise RefusedRequest("the benchmark closed the channel")
        status, *words = line.rstrip("\n").split("\t")
        if status == "over":
            raise BudgetOver
        if status not in ("finished", "stopped", "timeout", "crashed"):
            raise RefusedRequest(line.strip())
        self.trials += 1
        outputs = dict(word.split("=", 1) for word in words[1:])
        return Outcome(status, float(words[0]), {name: float(value) for name, value in outputs.items()})

    def incumbent(self, configuration):
        """Reports the incumbent, if it has changed."""
        if configuration != self.reported:
            self._send("incumbent", configuration)
            self.reported = dict(configuration)

    def _send(self, words, configuration):
        settings = [f"{name}={text(value)}" for name, value in configuration.items()]
        line = "\t".join([words, *settings])
        if line.count("\t") != words.count("\t") + len(settings) or "\n" in line:
            raise ValueError(f"a name or value contains a tab or a line break: {configuration}")
        self.requests.write(line + "\n")
        self.requests.flush()

    def close(self):
        self.requests.close()


def text(value):
    """Formats a value for the benchmark; numpy's numbers are converted to plain numbers first."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)
