"""ConfigSpace, cloudpickle and data frames."""

import pytest
from ConfigSpace import Categorical, ConfigurationSpace, EqualsCondition, Float, Integer

from captune import Space, minimize


def test_a_configspace_object_comes_and_goes():
    theirs = ConfigurationSpace(seed=1)
    kind, rate = Categorical("kind", ["a", "b"]), Float("rate", (1e-4, 1.0), log=True, default=0.01)
    theirs.add(kind, rate, Integer("count", (1, 9), default=3), EqualsCondition(rate, kind, "a"))
    ours = Space.from_configspace(theirs)
    assert ours.default == dict(theirs.get_default_configuration())
    back = ours.to_configspace()
    assert back.get_default_configuration() == theirs.get_default_configuration()
    for configuration in theirs.sample_configuration(20):
        assert ours.check(dict(configuration)) == dict(configuration)


def test_closures_and_lambdas_travel_with_cloudpickle():
    offset = 2.5
    result = minimize(lambda configuration: (configuration["x"] - offset) ** 2, {"x": (-5.0, 5.0)}, budget=25)
    assert result.configuration["x"] == pytest.approx(offset, abs=0.1)
