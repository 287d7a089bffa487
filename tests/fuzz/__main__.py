"""`make fuzz`: a coverage-guided fuzzer on the codec, and on a whole server's sessions.

What it finds is written as a file into the folder `fuzz/`; FILE= replays one.
"""

import argparse
import subprocess
import sys
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
ROOT = Path(__file__).parents[2]
FOUND = ROOT / "fuzz"
LONGEST = {"codec": 1024, "sessions": 4096}
"""The targets, and the most bytes of an input for each."""
CODEC_SHARE = 0.98
"""A conversation takes as long as some hundred messages."""


def main() -> int:
    """0: nothing was found; 1: something was, or the fuzzer can't run."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="how many in all (default 100,000)")
    parser.add_argument("--seed", type=int, default=1, help="where the dice begin (default 1)")
    parser.add_argument("--file", type=Path, help="replay what was found")
    parser.add_argument("--target", choices=sorted(LONGEST), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.file is not None:
        from tests.fuzz.inputs import play, read

        for target in (read, play):
            target(options.file.read_bytes())
        print("Nothing happens any more.")
        return 0
    if options.target is not None:
        _fuzz(options.target, options.inputs, options.seed)
    codec = round(options.inputs * CODEC_SHARE)
    for name, inputs in (("codec", codec), ("sessions", options.inputs - codec)):
        words_of = ["--target", name, "--inputs", str(inputs), "--seed", str(options.seed)]
        ended = subprocess.run([sys.executable, "-m", "tests.fuzz", *words_of], cwd=ROOT, check=False)
        if ended.returncode:
            print(f"{name}: something was found, see above. Replay it: make fuzz FILE={FOUND.name}/...")
            return 1
        print(f"{name}: {inputs:,} inputs, nothing was found.")
    return 0


def _fuzz(target: str, inputs: int, seed: int) -> None:
    """Run the fuzzer, which ends the process."""
    import atheris

    # Only what is imported from here on is followed: all else is left out, which would take minutes.
    with atheris.instrument_imports(include=["parlour_protocol", "parlour_server"]):
        from tests.fuzz.grammar import words
        from tests.fuzz.inputs import play, read
    FOUND.mkdir(exist_ok=True)
    dictionary = FOUND / "words"
    dictionary.write_text("\n".join('"' + word.replace("\\", "").replace('"', "") + '"' for word in words()))
    options = {
        "runs": inputs,
        "seed": seed,
        "max_len": LONGEST[target],
        "dict": dictionary,
        "artifact_prefix": f"{FOUND}/",
        "print_final_stats": 1,
        "verbosity": 0,
    }
    learnt = FOUND / target
    learnt.mkdir(exist_ok=True)
    if target == "codec":
        lines = [line[1:] for file in CORPUS.iterdir() for line in file.read_bytes().splitlines()]
        for number, line in enumerate(lines):
            (learnt / f"line-{number}").write_bytes(line)
    words_of = [f"-{name}={value}" for name, value in options.items()]
    atheris.Setup(
        [sys.argv[0], *words_of, str(learnt), str(CORPUS)], {"codec": read, "sessions": play}[target]
    )
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
