"""Build the terminal client as one executable file, for machines without Python: `make exe`.

    python scripts/exe.py [FOLDER]

The file is FOLDER/parlour (dist/parlour where none is named; parlour.exe on Windows). It plays on servers
that run elsewhere: the server itself, its games and its bots are not in it.
"""

import sys
import tempfile
from pathlib import Path

import PyInstaller.__main__

ROOT = Path(__file__).resolve().parents[1]
LOADED_BY_NAME = ("textual.widgets", "textual.drivers", "rich._unicode_data", "parlour_client")
"""Packages whose parts are imported by names that are put together only when they run."""
NOT_FOR_PLAYERS = (
    *("parlour_server", "numba", "numpy", "scipy", "uvloop", "pyspiel", "open_spiel", "easyAI"),
    *("pytest", "_pytest", "hypothesis", "mypy", "jsonschema", "IPython", "tkinter", "PIL", "setuptools"),
    # Of Textual and rich: what colours program text, which nobody shows here.
    *("pygments", "markdown_it", "mdit_py_plugins", "linkify_it", "tree_sitter", "textual.demo"),
    *("unittest", "doctest", "pydoc", "pdb", "sqlite3", "xmlrpc", "lib2to3"),
)
"""What stands in a developer's environment, and would make the file ten times as large."""


def build(folder: Path) -> Path:
    """Build the file in this folder, and give its path."""
    with tempfile.TemporaryDirectory() as work:
        options = ["--onefile", "--name", "parlour", "--noconfirm", "--log-level", "WARN"]
        options += ["--distpath", str(folder), "--workpath", work, "--specpath", work]
        options += ["--paths", str(ROOT / "client"), "--paths", str(ROOT / "protocol")]
        # The full screen's stylesheet, and the languages.
        options += ["--collect-data", "parlour_client", "--collect-data", "parlour_protocol"]
        # `parlour --version` asks for it.
        options += ["--copy-metadata", "parlour-client"]
        for package in LOADED_BY_NAME:
            options += ["--collect-submodules", package]
        for package in NOT_FOR_PLAYERS:
            options += ["--exclude-module", package]
        PyInstaller.__main__.run([*options, str(ROOT / "client" / "parlour_client" / "__main__.py")])
    return folder / ("parlour.exe" if sys.platform == "win32" else "parlour")


if __name__ == "__main__":
    built = build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist"))
    print(f"{built} is {built.stat().st_size / 1e6:.0f} MB, and needs no Python to run.")  # noqa: T201
