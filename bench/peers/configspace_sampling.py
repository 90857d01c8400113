"""Times ConfigSpace's sampling: the space as JSON in the first line, then `single N` or `batch N`.

Each answer is the CPU seconds of N configurations together with their vectors. A vector is what
ConfigSpace encodes to, and what it draws in the first place.
"""

import json
import sys
import time
import warnings

import ConfigSpace

warnings.simplefilter("ignore")
space = ConfigSpace.ConfigurationSpace.from_serialized_dict(json.loads(sys.stdin.readline()))
space.seed(1)
for line in sys.stdin:
    how, count = line.split()
    start = time.process_time()
    if how == "single":
        vectors = [space.sample_configuration().get_array() for _ in range(int(count))]
    else:
        vectors = [configuration.get_array() for configuration in space.sample_configuration(int(count))]
    print(time.process_time() - start, flush=True)
