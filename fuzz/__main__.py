"""``python -m fuzz --seconds 600 [--only NAME,NAME] [--first SEED]`` runs all generators; ``python -m fuzz NAME SEED``
repeats one case."""

from __future__ import annotations

import argparse
import sys

from . import generator, names
from ._drive import campaign

parser = argparse.ArgumentParser(prog="fuzz", description="Seeded generators that try to break Holonom.")
parser.add_argument("name", nargs="?", help="generator whose case is repeated, its errors shown whole")
parser.add_argument("seed", nargs="?", type=int, help="seed of that case")
parser.add_argument("--seconds", type=float, default=60.0, help="time for all generators together (60)")
parser.add_argument("--only", default="", help="names of generators, with commas (all: " + ", ".join(names()) + ")")
parser.add_argument("--first", type=int, default=0, help="first seed (0)")
parser.add_argument("--count", type=int, default=None, help="end each generator after so many cases, whatever the time")
parser.add_argument("--json", metavar="FILE", help="write counts and findings to a file, too")
arguments = parser.parse_args()

chosen = [n.strip() for n in arguments.only.split(",") if n.strip()] or names()
for name in (arguments.name,) if arguments.name is not None else chosen:
    if name not in names():
        parser.error(f"no generator is called {name!r}: there are {', '.join(names()) or 'none'}")
if arguments.name is not None:
    if arguments.seed is None:
        parser.error("a seed is needed with a name")
    print(generator(arguments.name).attempt(arguments.seed) or "nothing found")
else:
    sys.exit(1 if campaign(chosen, arguments.seconds, arguments.first, arguments.count, arguments.json) else 0)
