"""Times ConfigSpace's sampling. Reads the space as JSON from the first line, then `single N` or `batch N`.

Each answer is the CPU time, in seconds, for drawing N configurations together with their vectors. A vector is
ConfigSpace's encoding of a configuration, and is what ConfigSpace draws in the first place.
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
