# ruff: noqa: E501  (datasets inline)
"""Seeded damage to texts: lines and tokens deleted, doubled, swapped, cut; stray characters and bytes."""

import random
import re

ODD = ["\\", "&", ",", "=", "(", ")", '"', "'", "!", "/", ":", "-", "D", "1e999", "9" * 400, "\x00", "\xff", "\u2028",
    "\t", "..", "**", "{", "}",
       "%s", "NaN", "inf", "-0", "0x1", "1_000", "\n,", "\n", ", ,", "END", "-1", "99999999999999999999", "1e15", "F1=",
       "(" * 300]  # fmt: skip


def mutate(text: str, seed: int) -> str:
    rng = random.Random(seed)
    for _ in range(rng.randint(1, 4)):
        lines = text.split("\n")
        kind = rng.randrange(10)
        k = rng.randrange(len(lines))
        if kind == 0:
            del lines[k]
        elif kind == 1:
            lines.insert(k, lines[rng.randrange(len(lines))])
        elif kind == 2:
            m = rng.randrange(len(lines))
            lines[k], lines[m] = lines[m], lines[k]
        elif kind == 3:
            text = text[: rng.randrange(len(text) + 1)]
            continue
        elif kind in (4, 5, 6):
            tokens = re.findall(r"\w+|\W", lines[k])
            if tokens:
                m = rng.randrange(len(tokens))
                if kind == 4:
                    del tokens[m]
                elif kind == 5:
                    tokens[m] = rng.choice(ODD)
                else:
                    rng.shuffle(tokens)
            lines[k] = "".join(tokens)
        elif kind == 7:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(ODD) + text[at:]
            continue
        elif kind == 8:
            tokens = re.findall(r"\w+", text)
            if tokens:
                text = text.replace(rng.choice(tokens), rng.choice(tokens), rng.randint(1, 3))
            continue
        else:
            lines[k] = lines[k] * rng.randint(2, 50)
        text = "\n".join(lines) or "\n"
    return text
