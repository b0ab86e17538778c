"""The server of ``tools/mutate.py --builders``: collects tests once, notes which functions each of them calls, and
forks for every change; only tests that call the changed function run, those that noticed one before and the cheapest
first.

Kernels stay compiled: functions that build models are plain Python, so nothing is compiled for a change.
"""

from __future__ import annotations

import ast
import gc
import importlib
import json
import os
import signal
import sys
import time
import types
from pathlib import Path

import pytest

SOURCE = f"{os.sep}src{os.sep}holonom{os.sep}"


class Late(BaseException):
    """A test that took more CPU time than it may."""


def _late(*_):
    raise Late


def functions_in(code):
    """Code objects of a module by their qualified names."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant.co_qualname, constant
            yield from functions_in(constant)


def changed(path: str, source: str) -> int:
    """Functions of a file get the code of another source; they stay the same objects for their importers.  How many
    did.  The tests freeze what they have imported, and the collector lists no frozen objects."""
    codes: dict[str, types.CodeType] = {}
    for name, code in functions_in(compile(source, path, "exec")):
        codes.setdefault(name, code)
    gc.unfreeze()
    done = 0
    for f in gc.get_objects():
        if type(f) is types.FunctionType and f.__code__.co_filename == path:  # a dead proxy raises for isinstance
            code = codes.get(f.__code__.co_qualname)
            if code is not None and code.co_freevars == f.__code__.co_freevars:
                f.__code__ = code
                done += 1
    return done


def constant_changed(path: str, name: str, source: str) -> None:
    """A constant of a module gets the value that another source gives it, and so do constants made from it, in every
    module that has them; tables that others hold are changed in place."""
    module = next(m for m in list(sys.modules.values()) if getattr(m, "__file__", None) == path)
    space, names = dict(vars(module)), {name}
    for statement in ast.parse(source).body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        own = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if own & names or names & {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}:
            exec(compile(ast.Module([statement], []), path, "exec"), space)
            names |= own
    for word in names:
        old, new = vars(module)[word], space[word]
        for other in list(sys.modules.values()):
            if getattr(other, "__dict__", {}).get(word) is old:
                setattr(other, word, new)
        if isinstance(old, dict) and isinstance(new, dict):
            old.clear()
            old.update(new)
        elif isinstance(old, list):
            old[:] = new


class Server:
    """A plugin of pytest in place of its loop.  ``most``: CPU seconds of one test, and of the tests of one change."""

    def __init__(self, modules, most, commands, answers, traces):
        self.modules, self.most, self.traces = modules, most, traces
        self.commands, self.answers = commands, answers
        self.failed = False
        self.killers = []

    def pytest_runtest_logreport(self, report):
        self.failed = self.failed or report.failed

    def _passes(self, item, following, limit):
        self.failed = False
        signal.signal(signal.SIGVTALRM, _late)
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
        try:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        except BaseException:  # noqa: BLE001
            self.failed = True
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return not self.failed

    def _in_child(self, work):
        """What ``work`` gives in a fork, by JSON; None where it ends otherwise."""
        r, w = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(r)
            with os.fdopen(w, "w") as out:
                json.dump(work(), out)
            os._exit(0)
        os.close(w)
        with os.fdopen(r) as got:
            text = got.read()
        os.waitpid(child, 0)
        return json.loads(text) if text else None

    def _traced(self, items):
        """{test: [CPU seconds, functions called as [file, name]]} of those that pass in time."""
        out = {}
        for k, item in enumerate(items):
            seen = set()
            note = lambda frame, event, _: seen.add(frame.f_code) if event == "call" else None  # noqa: B023
            begin = time.process_time()
            sys.setprofile(note)
            good = self._passes(item, items[k + 1] if k + 1 < len(items) else None, self.most)
            sys.setprofile(None)
            if good:
                names = sorted({(c.co_filename, c.co_qualname) for c in seen if SOURCE in c.co_filename})
                out[item.nodeid] = [time.process_time() - begin, names]
        return out

    def pytest_runtestloop(self, session):
        def say(what):
            self.answers.write(json.dumps(what) + "\n")
            self.answers.flush()

        for module in self.modules:
            importlib.import_module(module)
        items = list(session.items)
        kept = Path(self.traces) if self.traces else None
        known = json.loads(kept.read_text()) if kept and kept.exists() else None
        if known is None:
            known = self._in_child(lambda: self._traced(items)) or {}
            if kept:
                kept.write_text(json.dumps(known))
        say({"tests": len(items), "used": len(known), "seconds": sum(v[0] for v in known.values())})
        for line in self.commands:
            job = json.loads(line)
            where, files, named = (job["path"], job["function"]), job.get("files"), set(job.get("named", ()))
            calls = lambda names, where=where, files=files: any(
                f in files if files else (f, n.replace(".<locals>", "")) == where for f, n in names
            )
            able = [i for i in items if i.nodeid in known and (str(i.path) in named or calls(known[i.nodeid][1]))]
            able.sort(key=lambda i: (i.nodeid not in self.killers, known[i.nodeid][0]))
            chosen, cost = [], 0.0
            for item in able:
                if not chosen or cost + known[item.nodeid][0] < self.most * 3:
                    chosen.append(item)
                    cost += known[item.nodeid][0]

            def tried(job=job, chosen=chosen):
                if "files" in job:
                    constant_changed(job["path"], job["function"], job["source"])
                elif not changed(job["path"], job["source"]):
                    return None
                for k, item in enumerate(chosen):
                    limit = 4.0 * known[item.nodeid][0] + 5.0
                    if not self._passes(item, chosen[k + 1] if k + 1 < len(chosen) else None, limit):
                        return item.nodeid
                return ""

            noticed = self._in_child(lambda: [tried()]) if chosen else [""]  # noqa: B023
            if noticed == [None]:
                say({"lost": f"no function of {job['path']} was found in the server"})
                continue
            noticed = noticed and noticed[0]
            if noticed:
                self.killers.append(noticed)
            say({"noticed": noticed is None or bool(noticed), "by": noticed or "", "of": len(chosen)})
        return True


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    sys.path.insert(0, str(Path(job["root"]) / "src"))
    commands, answers = os.fdopen(os.dup(0)), os.fdopen(int(os.environ["MUTATION_ANSWERS"]), "w")  # pytest takes 0
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    server = Server(job["modules"], job["most"], commands, answers, job["traces"])
    options = ["-q", "-m", "not slow", "--tb=no", "-p", "no:cacheprovider"]
    sys.exit(pytest.main([*options, *job["tests"]], plugins=[server]))
