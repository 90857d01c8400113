"""Measures what the Python package adds: `python overhead.py`, in an environment with the wheel and NumPy.

| line | what is measured |
|---|---|
| ask and tell | both calls together, with random proposals of 10 parameters, the decision in Rust included |
| warm child | time of a trial of `minimize` beyond the call and the optimizer; the start of the child is subtracted |
| predict | 100 000 rows of 76 columns by a forest: wall time, CPU time, growth of the memory |
| lock | how often another Python thread ran during that prediction |
"""

import resource
import threading
import time

import numpy

import captune
from captune.surrogate import Forest


def nothing(configuration):
    return configuration["x"]


def ask_and_tell(count=2000):
    optimizer = captune.Optimizer({f"p{number}": (0.0, 1.0) for number in range(10)}, search="random")
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        trial = optimizer.ask()
        optimizer.tell(trial, trial["p0"])
    return (time.perf_counter() - wall) / count, (time.process_time() - cpu) / count


def warm_child(few=500, many=3500):
    def run(count):
        cpu = time.process_time()
        settings = {"search": "random", "deterministic": True, "progress": False}
        result = captune.minimize(nothing, {"x": (0.0, 1.0)}, budget=count, **settings)
        wall = result.seconds - result.optimizer_seconds - sum(trial.seconds for trial in result.trials)
        return wall, time.process_time() - cpu

    (wall, cpu), (less_wall, less_cpu) = run(many), run(few)
    return (wall - less_wall) / (many - few), (cpu - less_cpu) / (many - few)


def predict():
    random = numpy.random.default_rng(0)
    rows = random.random((2000, 76))
    forest = Forest().fit(rows, rows[:, 0] + rows[:, 1] * rows[:, 2])
    many = random.random((100_000, 76))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    forest.predict(many)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    ticks, over = 0, threading.Event()

    def count():
        nonlocal ticks
        while not over.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    ticks = 0
    forest.predict(many)
    found = ticks
    over.set()
    thread.join()
    return wall, cpu, growth / 1024, many.nbytes / 2**20, found


if __name__ == "__main__":
    for name, measured in (("ask and tell", ask_and_tell), ("warm child", warm_child)):
        wall, cpu = (min(one) * 1e6 for one in zip(*(measured() for _ in range(3))))
        print(f"{name}: {wall:.0f} us wall, {cpu:.0f} us CPU of this process")
    wall, cpu, growth, size, ticks = predict()
    print(f"predict: {wall * 1e3:.0f} ms wall, {cpu * 1e3:.0f} ms CPU, {growth:.1f} MiB more memory for {size:.0f} MiB of rows")
    print(f"lock: another thread ran {ticks} times meanwhile")
