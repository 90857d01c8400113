"""Trials for irace and crace, which need whole numbers as bounds and compute the penalties for timeouts themselves."""

from scenario import ComparedCost


class BoundedTrials:
    """Runs trials with scaled costs; if `remembers`, the same configuration runs on the same instance only once."""

    def __init__(self, scenario, channel, remembers):
        self.scenario, self.channel, self.remembers = scenario, channel, remembers
        self.compared = ComparedCost(scenario)
        self.known = {}

    def run(self, instance, seed, bound, configuration):
        """Returns the cost and the time. With a bound, a failed trial costs as much as one that reaches the cutoff."""
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
        """Returns the cost of a trial, and whether that cost is only a lower bound."""
        if bound is None:
            return self.compared(self.channel.run(instance, seed, None, configuration)), False
        limit, scale = self.scenario.whole_cutoff(), self.scenario.scale()
        outcome = self.channel.run(instance, seed, bound / scale if bound < limit else None, configuration)
        if outcome.status == "stopped":
            return bound, True
        cost = self.compared(outcome)
        return (cost * scale if cost < self.scenario.cutoff else float(limit)), False
