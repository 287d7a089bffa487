from tests.hosting.conftest import harness

__all__ = ["harness"]
