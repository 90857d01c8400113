"""Trials for irace and its kin, which bound costs by whole numbers and make penalties of timeouts themselves."""

from scenario import ComparedCost


class BoundedTrials:
    """Runs trials in a larger scale, and the same configuration on the same instance only once if it remembers them."""

    def __init__(self, scenario, channel, remembers):
        self.scenario, self.channel, self.remembers = scenario, channel, remembers
        self.compared = ComparedCost(scenario)
        self.known = {}

    def run(self, instance, seed, bound, configuration):
        """Cost and time. With a bound, whatever fails costs as much as a trial that reaches the cutoff."""
        key = instance, tuple(configuration.items())
        cost, stopped = self.known.get(key, (0.0, True))
        if stopped and (bound is None or bound > cost):
            cost, stopped = self.measure(instance, seed, bound, configuration)
            if self.remembers:
                self.known[key] = cost, stopped
        if bound is None:
            return cost, 1.0
        failed = cost >= self.scenario.whole_cutoff()
        return cost if failed else min(cost, bound), min(cost, bound)

    def measure(self, instance, seed, bound, configuration):
        """The cost of a trial, and whether it is only known to be above that."""
        if bound is None:
            return self.compared(self.channel.run(instance, seed, None, configuration)), False
        limit, scale = self.scenario.whole_cutoff(), self.scenario.scale()
        outcome = self.channel.run(instance, seed, bound / scale if bound < limit else None, configuration)
        if outcome.status == "stopped":
            return bound, True
        cost = self.compared(outcome)
        return (cost * scale if cost < self.scenario.cutoff else float(limit)), False
