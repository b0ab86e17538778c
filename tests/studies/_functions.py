"""Functions that worker processes of the tests import: no Holonom in them, so that a worker starts fast."""

import math
import os
import signal
import sys
import threading
import time
import warnings


def bowl(values):
    x, y = values["x"], values["y"]
    return {"f": (x - 0.3) ** 2 + 2.0 * (y + 0.1) ** 2, "g": x + y}


def seeded(values, seed):
    if values["x"] < 0:
        warnings.warn("x is negative", stacklevel=1)
    return {"f": values["x"] + (seed % 1000) * 1e-3}


class ModelError(ValueError):
    time = 0.25


def partly(values):
    """Fails where x is above 0.5, each in another way."""
    x = values["x"]
    print("what a function prints is not an answer")
    if x > 0.9:
        raise ModelError(f"the rod is too long at {x:.3f}; shorten it")
    if x > 0.7:
        return {"f": math.nan}
    if x > 0.5:
        return 1 / 0
    return {"f": x}


def never(values):
    raise ModelError("the loop cannot be closed")


def dies(values):
    if values["x"] > 0.9:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"f": values["x"]}


def dies_once(values):
    """Kills its process at its first attempt; the mark is next to the path given by the environment."""
    mark = os.environ["HOLONOM_TEST_MARK"] + f"-{values['x']}"
    if not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"f": values["x"]}


def sleeps(values):
    time.sleep(60.0 if values["x"] > 0.5 else 0.0)
    return {"f": values["x"]}


def slow(values):
    time.sleep(0.004)
    return bowl(values)


def straggling(values):
    """One run in sixty takes two hundred times as long, where a study runs it first."""
    if threading.current_thread() is threading.main_thread() and os.environ.get("OMP_NUM_THREADS") and _unlucky():
        time.sleep(4.0)
    time.sleep(0.02)
    return bowl(values)


def _unlucky():
    return int.from_bytes(os.urandom(1)) < 4


def kill_after(store, rows):
    """Let this process be killed when so many further rows have been written, or up to 6 ms later."""
    add, left = store.add, rows

    def counted(stage, row):
        nonlocal left
        add(stage, row)
        left -= 1
        if left == 0:
            threading.Timer(rows % 7 * 1e-3, os.kill, (os.getpid(), signal.SIGKILL)).start()

    store.add = counted


def main():
    """A study in a process of its own, for tests that kill it: store, method, rows after which it is killed."""
    import holonom as hn

    study = hn.Study(sys.argv[1], slow, {"x": (-1.0, 1.0), "y": (-1.0, 1.0)}, seed=3, workers=2, progress=False)
    if len(sys.argv) > 3:
        kill_after(study.store, int(sys.argv[3]))
    if sys.argv[2] == "design":
        study.run(hn.studies.sobol(256))
    else:
        study.minimize("f", subject_to={"g": (0.5, None)}, method=sys.argv[2], max_runs=400)
    print(study.store.digest())
    study.close()


if __name__ == "__main__":
    main()
