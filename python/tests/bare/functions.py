"""Functions that misbehave. They are importable, so that they can be tested without cloudpickle."""

import ctypes
import os
import subprocess
import sys
import time

import captune

SPACE = {"x": (-5.0, 5.0), "how": ["well", "badly"]}


def square(configuration):
    return (configuration["x"] - 1) ** 2


def process(configuration):
    """A cost that names the process, for tests of warm children."""
    return {"cost": square(configuration), "pid": os.getpid()}


def raises(configuration):
    if configuration["how"] == "badly":
        raise KeyError("no such key")
    return square(configuration)


def always_raises(configuration):
    raise ZeroDivisionError("never works")


def returns_nan(configuration):
    return float("nan") if configuration["how"] == "badly" else square(configuration)


def returns_text(configuration):
    return "fast" if configuration["how"] == "badly" else square(configuration)


def hangs_in_c(configuration):
    """Sleeps in C code that holds the interpreter's lock, so that no Python code in this process can end it."""
    if configuration["how"] == "badly":
        ctypes.PyDLL(None).sleep(3600)
    return square(configuration)


def forks(configuration):
    """Leaves a process in a session of its own behind, whose parent is gone."""
    if configuration["how"] == "badly":
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(3600)
            os._exit(0)
        os.wait()
    return square(configuration)


def fork_returns(configuration):
    """Forks, lets the copy return, and waits until it has ended."""
    if configuration["how"] == "badly":
        copy = os.fork()
        if copy == 0:
            return 1000
        os.waitpid(copy, 0)
    return square(configuration)


def allocates(configuration):
    if configuration["how"] == "badly":
        kept = []
        while True:
            kept.append(bytearray(1 << 24))
    return square(configuration)


def allocates_in_a_child(configuration):
    if configuration["how"] == "badly":
        code = "kept = []\nwhile True: kept.append(bytearray(1 << 24))"
        return float(subprocess.run([sys.executable, "-c", code]).returncode == 0)
    return square(configuration)


def dies(configuration):
    if configuration["how"] == "badly":
        os.kill(os.getpid(), 11)
    return square(configuration)


def exits(configuration):
    if configuration["how"] == "badly":
        sys.exit("enough")
    return square(configuration)


def slow(configuration):
    """Takes 0.02 s to a minute, and reports an output first."""
    captune.trial().output("size", 7)
    time.sleep(0.02 if configuration["how"] == "well" else 60)


def stops_itself(configuration):
    """Counts up to 5 or 50, and returns when the cap is reached."""
    cost = 0.0
    while cost < (5 if configuration["how"] == "well" else 50):
        cost += 0.5
        if captune.trial().reached(cost):
            break
    return cost


def gpu(configuration):
    return {"cost": square(configuration), "gpu": int(os.environ["CUDA_VISIBLE_DEVICES"])}


def noisy(configuration, instance, seed):
    return square(configuration) + instance + (seed % 7) / 100


def accurate(configuration):
    """The cost falls with x, the accuracy too: the constraint decides."""
    return {"cost": 10 - configuration["x"], "accuracy": 1 - configuration["x"] / 10}
