"""Damage to model files: values of other types at random places of the tree, and wounds of the text."""

from __future__ import annotations

import copy
import json
import random
import re
from functools import lru_cache
from typing import Any

from holonom.formats import parse_adm
from holonom.model import Model
from holonom.model.grains import Grains
from holonom.model.switches import Switch, Transition

from ._texts import MANY, MODELS, damage

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    2,
    -1,
    21,
    99,
    10**30,
    0.5,
    -2.5,
    1e300,
    -1e300,
    1e-300,
    1e100,
    float("inf"),
    float("nan"),
    "",
    "x",
    "1",
    "TIME",
    "X",
    "JOINT",
    [],
    [1],
    [1, 2, 3],
    [1.0, "x"],
    [[1, 2], [3, 4]],
    [None],
    {},
    {"a": 1},
    {"1": [1, 2]},
    [[]],
    "a\nb",
    "<script>",
    [True],
    1.5,
    [[[1]]],
    ["MARKER", 1],
    [["JOINT", 1]],
    "\ud800",
)


@lru_cache(maxsize=1)
def seeds() -> tuple[str, ...]:
    texts = [
        MANY,
        *(
            (MODELS / f"{name}.adm").read_text()
            for name in ("double_pendulum", "bouncing_ball", "rattleback", "screw_jack")
        ),
    ]
    models = [parse_adm(text, "seed.adm") for text in texts]
    bulk = Model("grains")
    bulk.add(Grains(positions=[[0, 0, 1], [0, 0, 2]], sizes=[0.1, 0.2], masses=[1, 2], velocities=[[0, 0, 0]] * 2))
    bulk.add(
        Switch(
            states=("a", "b"),
            on=((), (("JOINT", 1),)),
            transitions=(Transition("a", "b", ("TIME-1",)),),
            hold=(("JOINT", 1),),
        )
    )
    plane = bulk.plane(bulk.ground, (0, 0, 0), (0, 0, 1))
    bulk.contact(plane, list(bulk.table("GRAINS").values()), stiffness=1e5)
    # seeds of faults that were found once draw from what settings were then
    return tuple(re.sub(r',\s*"surfaces": "impulses"', "", m.to_json()) for m in (*models, bulk))


def places(tree: Any, at: tuple = ()) -> list[tuple]:
    """Ways to all nodes of a tree."""
    out = [at] if at else []
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        out += places(value, (*at, key))
    return out


def damaged_model(rng: random.Random) -> str:
    text = rng.choice(seeds())
    if rng.random() < 0.2:
        return damage(text, rng)
    tree = json.loads(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        ways = places(tree)
        if not ways:
            break
        *way, last = rng.choice(ways)
        node = tree
        for key in way:
            node = node[key]
        pick = rng.random()
        if pick < 0.7:
            node[last] = copy.deepcopy(rng.choice(VALUES))
        elif pick < 0.85:
            del node[last]
        elif isinstance(node, dict):
            node[
                rng.choice(
                    (
                        "id",
                        "name",
                        "x",
                        "i",
                        "type",
                        "arguments",
                        "values",
                        "source",
                        "active",
                        "exclude",
                        "parameters",
                        "materials",
                        "igeom",
                    )
                )
            ] = copy.deepcopy(rng.choice(VALUES))
        else:
            node.insert(rng.randrange(len(node) + 1), copy.deepcopy(rng.choice(VALUES)))
    return json.dumps(tree)
