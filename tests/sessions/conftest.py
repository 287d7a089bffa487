from tests.hosting.conftest import harness, nodes

__all__ = ["harness", "nodes"]
