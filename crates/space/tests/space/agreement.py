"""Answers requests with the real ConfigSpace package: one JSON object per line in, one per line out.

    {"space": JSON, "yaml": YAML, "samples": 1000, "configurations": [{NAME: VALUE}]}
    {"checked": [[VALID, [ACTIVE NAMES] or MESSAGE]], "sampled": [[{NAME: VALUE}, VALID]], "same": BOOL}

`same` is true if the YAML describes the same space, and null if PyYAML is not installed.
"""

import io
import json
import sys
import warnings

import ConfigSpace

warnings.simplefilter("ignore")
out, sys.stdout = sys.stdout, sys.stderr  # version 1.2 prints during a check


def plain(value):
    return value.item() if hasattr(value, "item") else value


def checked(space, values):
    try:
        configuration = ConfigSpace.Configuration(space, values=values)
    except Exception as error:
        return [False, f"{type(error).__name__}: {error}"]
    return [True, sorted(space.get_active_hyperparameters(configuration))]


def sampled(space, count):
    for configuration in space.sample_configuration(count):
        vector = configuration.get_array()
        # The configuration's own values are rounded and may be outside their range.
        values = {name: plain(space[name].to_value(vector[space.index_of[name]])) for name in configuration}
        try:
            configuration.check_valid_configuration()
            yield [values, True]
        except Exception:
            yield [values, False]


def same(space, yaml):
    try:
        return ConfigSpace.ConfigurationSpace.from_yaml(io.StringIO(yaml)) == space
    except ImportError:
        return None


for line in sys.stdin:
    request = json.loads(line)
    space = ConfigSpace.ConfigurationSpace.from_serialized_dict(json.loads(request["space"]))
    space.seed(1)
    answer = {
        "checked": [checked(space, values) for values in request["configurations"]],
        "sampled": list(sampled(space, request["samples"])),
        "same": same(space, request["yaml"]),
    }
    print(json.dumps(answer), file=out, flush=True)
