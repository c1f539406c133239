"""Suites of the package show values when they fail, as tests do."""

import pytest

pytest.register_assert_rewrite("takeback.testing")
