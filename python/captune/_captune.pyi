"""The compiled part of the package."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, final

from captune._types import Request, Told, Value

__all__ = [
    "Array",
    "Child",
    "Fitted",
    "Space",
    "Tuner",
    "arrow_schema",
    "arrow_stream",
    "conforms",
    "fit_forest",
    "fit_gaussian",
    "fit_neural",
]

@final
class Array:
    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class Space:
    """The parameters of a function or program, with their values, conditions and forbidden clauses.

    The definition has one entry for each parameter: ``(low, high)`` for a range (of whole numbers if both ends are),
    a list of choices, a boolean default, or a dictionary with the keys of captune's TOML form, such as
    ``{"float": [1e-5, 1.0], "log": True, "default": 1e-3, "when": "solver == 'sgd'"}``. The entry ``forbidden`` is a
    list of clauses that must not hold.
    """

    def __new__(cls, definition: Mapping[str, Any]) -> Space: ...
    @classmethod
    def from_text(cls, text: str, format: str | None = None, *, name: str = "space") -> Space:
        """Reads a space from text: toml, pcs-old, pcs-new, configspace-json, configspace-yaml or irace.

        Without a format, the format is guessed from the text and from ``name``, the name of its file.
        """

    @classmethod
    def from_configspace(cls, space: Any) -> Space:
        """Converts a ``ConfigSpace.ConfigurationSpace``."""

    def to_text(self, format: str = "toml") -> str:
        """Writes the space as text. Raises ValueError if the format cannot express a part of it."""

    def to_dict(self) -> dict[str, Any]:
        """Returns a definition that ``Space`` reads."""

    def to_configspace(self) -> Any:
        """Returns the space as a ``ConfigSpace.ConfigurationSpace``."""

    @property
    def names(self) -> list[str]:
        """The names of the parameters, in order."""

    @property
    def default(self) -> dict[str, Value]:
        """The default configuration."""

    @property
    def categories(self) -> list[tuple[int, int]]:
        """The unordered columns of ``encode``, each with its number of categories."""

    def sample(self, n: int = 1, *, seed: int = 0) -> list[dict[str, Value]]:
        """Draws configurations uniformly."""

    def check(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """Returns the configuration with these values. Raises ValueError if there is none."""

    def encode(self, configurations: Sequence[Mapping[str, Any]]) -> Array:
        """Encodes configurations as rows of numbers in [0, 1], with -1 for inactive parameters.

        ``numpy.asarray`` turns the result into a NumPy array without copying it.
        """

    def decode(self, rows: Any) -> list[dict[str, Value]]:
        """Returns the configurations that rows encode."""

    def __len__(self) -> int: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def arrow_schema(columns: Sequence[tuple[str, str | None, list[Any]]]) -> object: ...
def arrow_stream(columns: Sequence[tuple[str, str | None, list[Any]]]) -> object: ...

@final
class Fitted:
    def predict(self, rows: Any, *, noise: bool = False) -> tuple[Array, Array]: ...

def fit_forest(
    data: Mapping[str, Any], trees: int, features: float, min_leaf: int, treatment: str,
) -> Fitted: ...
def fit_neural(
    data: Mapping[str, Any], layers: list[int], epochs: int, members: int, treatment: str,
) -> Fitted: ...
def fit_gaussian(
    data: Mapping[str, Any], least_noise: float, max_points: int, treatment: str,
) -> Fitted: ...
def conforms(surrogate: Any, *, ordered: bool = False) -> None: ...

@final
class Tuner:
    def __new__(
        cls,
        space: Space,
        *,
        maximise: bool,
        cutoff: float | None,
        par: float | None,
        grain: float | None,
        bounds: list[tuple[str, bool, float, bool, bool]],
        instances: int,
        features: list[list[float]] | None,
        seed: int,
        deterministic: bool,
        search: str,
        surrogate: Any,
        initial: list[dict[str, Any]],
        baseline: dict[str, Any] | None,
        trials: int | None,
        repeatable: bool,
        state: bytes | None,
    ) -> Tuner: ...
    def ask(
        self, slots: int,
    ) -> (
        tuple[Literal["run"], Request]
        | tuple[Literal["tighten"], int, float]
        | tuple[Literal["cancel"], int]
        | tuple[Literal["wait"]]
        | tuple[Literal["done"]]
    ): ...
    def tell(self, trial: int, result: Told, *, spent: float | None = None) -> None: ...
    def withdraw(self, trial: int) -> None: ...
    def elapsed(self, reached: list[tuple[int, float]]) -> None: ...
    def patience(self) -> float | None: ...
    def enqueue(self, values: dict[str, Any]) -> None: ...
    def best(self) -> dict[str, Any]: ...
    def standing(self, config: int) -> dict[str, Any]: ...
    @property
    def trials(self) -> int: ...
    def running(self) -> list[Request]: ...
    def save(self) -> bytes: ...
    def suggest(
        self, known: list[tuple[dict[str, Any], int, Told]], pending: list[dict[str, Any]]
    ) -> dict[str, Value] | None: ...

@final
class Child:
    def __new__(
        cls,
        command: Sequence[str],
        *,
        guardian: str,
        folder: str,
        memory: int | None = None,
        processes: int | None = None,
        cores: list[int] | None = None,
        environment: list[tuple[str, str]] | None = None,
    ) -> Child: ...
    def arm(self, seconds: float) -> None: ...
    def disarm(self) -> bool: ...
    def kill(self) -> None: ...
    def wait(self, timeout: float | None = None) -> dict[str, Any] | None: ...
