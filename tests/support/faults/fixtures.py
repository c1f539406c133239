"""What a test asks for that puts faults under a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support import faults
from support.faults.zygote import Zygote


@pytest.fixture(scope="session")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    """The process that forks children with the fault layer in them."""
    with Zygote(faults.build(tmp_path_factory.mktemp("faults"))) as process:
        yield process
