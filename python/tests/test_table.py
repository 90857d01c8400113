"""Tables through Arrow's C stream interface: pyarrow, polars, pandas and NumPy."""

import ctypes
import gc
import resource

import numpy
import pandas
import polars
import pyarrow
import pytest

from captune import Campaign, Table, run

COLUMNS = {
    "trial": [0, 1, None],
    "cost": [1.5, 2.0, None],
    "censored": [False, True, None],
    "status": ["finished", "capped", "finished"],
    "reason": [None, "täter ✓", ""],
    "param:n": [3, 4, 5],
    "param:x": [0.5, None, 2],
    "param:level": ["auto", 1, True],
    "param:never": [None, None, None],
}
KINDS = {"trial": "integer", "cost": "float", "censored": "boolean", "status": "category", "reason": "text"}
TYPES = {
    "trial": pyarrow.int64(),
    "cost": pyarrow.float64(),
    "censored": pyarrow.bool_(),
    "status": pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string()),
    "reason": pyarrow.large_string(),
    "param:n": pyarrow.int64(),
    "param:x": pyarrow.float64(),
    "param:level": pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string()),
    "param:never": pyarrow.null(),
}
READ = {**COLUMNS, "param:level": ["auto", "1", "true"]}


def test_pyarrow_takes_a_table():
    taken = pyarrow.table(Table(COLUMNS, KINDS))
    taken.validate(full=True)
    assert dict(zip(taken.column_names, taken.schema.types)) == TYPES
    assert taken.to_pydict() == READ
    assert taken.column("status").chunk(0).dictionary.to_pylist() == ["finished", "capped"]
    assert pyarrow.schema(Table(COLUMNS, KINDS)) == taken.schema


def test_polars_takes_a_table():
    taken = polars.DataFrame(Table(COLUMNS, KINDS))
    assert taken.to_dict(as_series=False) == READ
    assert taken.schema["status"] == polars.Categorical and taken.schema["trial"] == polars.Int64
    assert taken.equals(Table(COLUMNS, KINDS).to_polars())


def test_pandas_takes_a_table():
    taken = pandas.DataFrame.from_arrow(Table(COLUMNS, KINDS))
    assert taken["status"].dtype == "category" and taken["cost"].dtype == float
    assert taken["cost"][:2].tolist() == [1.5, 2.0] and pandas.isna(taken["cost"][2])
    plain = Table(COLUMNS, KINDS).to_pandas()
    assert list(plain) == list(taken) and plain["param:n"].tolist() == taken["param:n"].tolist() == [3, 4, 5]


def test_numpy_takes_the_columns():
    arrays = Table(COLUMNS, KINDS).to_numpy()
    dtypes = {name: str(array.dtype) for name, array in arrays.items()}
    assert dtypes == {
        "trial": "float64",
        "cost": "float64",
        "censored": "object",
        "status": "object",
        "reason": "object",
        "param:n": "int64",
        "param:x": "float64",
        "param:level": "object",
        "param:never": "object",
    }
    assert arrays["cost"][:2].tolist() == [1.5, 2.0] and numpy.isnan(arrays["cost"][2])
    assert Table({"mark": [True, False]}).to_numpy()["mark"].dtype == bool


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1000])
def test_tables_of_every_length_arrive_whole(count):
    columns = {
        "flag": [None if i % 5 == 2 else i % 3 == 0 for i in range(count)],
        "name": [None if i % 7 == 3 else f"n{i % 4}" for i in range(count)],
        "text": ["x" * (i % 11) for i in range(count)],
        "number": [None if i % 9 == 8 else i / 7 for i in range(count)],
    }
    kinds = {"flag": "boolean", "name": "category", "text": "text", "number": "float"}
    taken = pyarrow.table(Table(columns, kinds))
    taken.validate(full=True)
    assert taken.num_rows == count and taken.to_pydict() == columns
    assert polars.DataFrame(Table(columns, kinds)).to_dict(as_series=False) == columns


def test_a_table_without_rows_keeps_its_types():
    taken = pyarrow.table(Table.of_rows([], KINDS))
    assert taken.num_rows == 0 and taken.column_names == list(KINDS)
    assert taken.schema.types == [TYPES[name] for name in KINDS]
    assert pyarrow.table(Table({})).num_columns == 0


@pytest.mark.parametrize(
    ("columns", "kinds", "message"),
    [
        ({"a": [1], "b": []}, {}, "different lengths"),
        ({"cost": [1.0, "many"]}, {"cost": "float"}, "column `cost`, row 1: 'many' is not a number"),
        ({"n": [0, 2**63]}, {"n": "integer"}, "column `n`, row 1: 9223372036854775808 is not an integer"),
        ({"n": [0.5]}, {"n": "integer"}, "row 0: 0.5 is not an integer"),
        ({"is": [1]}, {"is": "boolean"}, "column `is`, row 0: 1 is not a boolean"),
        ({"text": [[]]}, {"text": "text"}, r"row 0: \[\] is not text"),
        ({"text": [1]}, {"text": "word"}, "unknown kinds"),
    ],
)
def test_wrong_columns_are_rejected(columns, kinds, message):
    with pytest.raises(ValueError, match=message):
        pyarrow.table(Table(columns, kinds))


def test_numbers_beyond_64_bits_become_floats_unless_a_kind_is_given():
    assert pyarrow.table(Table({"n": [0, 2**80]}))["n"].to_pylist() == [0.0, float(2**80)]


def test_the_table_may_vanish_before_what_was_taken_from_it():
    taken = pyarrow.table(Table(COLUMNS, KINDS))
    status = taken.column("status")
    del taken
    gc.collect()
    assert status.to_pylist() == COLUMNS["status"]


def test_a_stream_is_read_once_and_a_consumer_may_stop_early():
    reader = pyarrow.RecordBatchReader.from_stream(Table(COLUMNS, KINDS))
    assert reader.schema.names == list(COLUMNS)
    assert reader.read_next_batch().num_rows == 3
    with pytest.raises(StopIteration):
        reader.read_next_batch()
    assert pyarrow.RecordBatchReader.from_stream(Table(COLUMNS, KINDS)).schema.names == list(COLUMNS)


def growth(use):
    """Returns how many bytes the process grows by while something is done often, after it was done a few times."""

    def size():
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    for _ in range(5):
        use()
    before = size()
    for _ in range(100):
        use()
    return size() - before


def test_nothing_is_leaked():
    table = Table({"x": [0.5] * 20_000, "name": [f"n{i}" for i in range(20_000)]}, {"name": "category"})
    wide = Table({f"c{i}": [] for i in range(2000)})
    one = 20_000 * (8 + 4 + 5 + 8)
    uses = [
        lambda: pyarrow.table(table),
        lambda: pyarrow.RecordBatchReader.from_stream(table).schema,
        lambda: table.__arrow_c_stream__(),
        lambda: table.__arrow_c_schema__(),
        lambda: polars.DataFrame(table),
        lambda: pyarrow.table(wide),
    ]
    for use in uses:
        assert growth(use) < 10 * one


SCENARIO = """
[target]
command = ["./target.sh", "{param:n}", "{params:mode}", "{params:x}"]
[space]
n = { integer = [1, 100], default = 60 }
mode = { choices = ["plain", "fancy"] }
x = { float = [0, 1], when = "mode == 'fancy'" }
[objective]
minimise = "wall_time"
cutoff = "1 s"
[budget]
trials = 8
"""


@pytest.fixture(scope="module")
def campaign(tmp_path_factory) -> Campaign:
    folder = tmp_path_factory.mktemp("campaign")
    target = folder / "target.sh"
    target.write_text("#!/bin/sh\nsleep 0.$(printf %02d $(($1 / 4)))\n")
    target.chmod(0o755)
    (folder / "sleep.toml").write_text(SCENARIO)
    return run(folder / "sleep.toml", progress="none")


def test_a_campaign_gives_its_trials_configurations_and_incumbents(campaign):
    trials = pyarrow.table(campaign.trials())
    trials.validate(full=True)
    types = dict(zip(trials.column_names, trials.schema.types))
    names = pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string())
    expected = {"censored": pyarrow.bool_(), "cost": pyarrow.float64(), "status": names, "param:mode": names}
    assert expected.items() <= types.items() and types["param:n"] == pyarrow.int64()
    frame = polars.DataFrame(campaign.trials())
    capped = frame.filter(polars.col("status") == "capped")
    assert capped["censored"].all() and frame.filter(polars.col("status") == "finished")["censored"].any() is False
    configurations = polars.DataFrame(campaign.configurations())
    assert configurations["trials"].sum() == frame["trial"].count() >= 8
    numbers = configurations["configuration"].to_list()
    assert numbers == sorted(set(frame["configuration"])) and configurations["param:n"][0] == 60
    incumbents = pandas.DataFrame.from_arrow(campaign.incumbents())
    assert set(incumbents["configuration"]) <= set(numbers) and incumbents["after"].dtype == "int64"
