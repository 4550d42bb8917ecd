"""Each measurement prints its description first."""

import inspect

import pytest


@pytest.fixture(autouse=True)
def description(request: pytest.FixtureRequest) -> None:
    print(f"\n{inspect.cleandoc(request.function.__doc__)}")
