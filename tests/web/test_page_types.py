"""What `make types` writes is as it would write it; that the types are true every raw client sees."""

from scripts.page_types import written


def test_what_make_types_writes_is_fresh() -> None:
    for file, content in written().items():
        assert file.read_text(encoding="utf-8") == content, f"run `make types` for {file}"
