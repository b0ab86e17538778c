"""The documents run as they stand: Python blocks, command lines, the support matrix.  Links and the site:
`test_docs_site.py`."""

import ast
import importlib.util
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def commands(page: Path) -> list[list[str]]:
    lines = "\n".join(blocks(page, "console")).splitlines()
    return [line.split("#")[0].split()[1:] for line in lines if line.startswith("holonom ")]


#: they take longest; their names are checked by `test_names_in_python_blocks_exist`
LONG = (
    "absolute-elements",
    "cables",
    "control",
    "derivatives",
    "flexible",
    "grains",
    "linear",
    "machinery",
    "mixed-contact",
    "rail",
    "rigid-contact",
    "rods",
    "rods-uses",
    "stepping",
    "structures",
    "studies",
    "suspensions",
    "tyres",
    "vehicle",
)


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.slow) if p.stem in LONG else p for p in PAGES if blocks(p, "python")],
    ids=lambda p: p.stem,
)
def test_python_blocks(page, tmp_path, monkeypatch):
    """All blocks of a page in one namespace, in an empty folder."""
    from holonom.elements.joints import composition

    monkeypatch.setattr(composition, "JOINTS", dict(composition.JOINTS))
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for text in blocks(page, "python"):
        exec(compile(text, str(page), "exec"), names)


def missing_names(text: str) -> list[str]:
    """What a program imports and ours does not have, and unknown keyword arguments of our functions that it calls by
    their names; nothing is run but imports."""
    tree = ast.parse(text)
    known, found = {}, []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            try:
                exec(compile(ast.Module([node], []), "imports", "exec"), known)
            except ImportError as error:
                found.append(str(error))

    def resolved(node):
        """Object of a dotted name of ours, else None."""
        if isinstance(node, ast.Name):
            return known.get(node.id)
        base = resolved(node.value) if isinstance(node, ast.Attribute) else None
        if not inspect.ismodule(base) and not inspect.isclass(base):
            return None
        if not hasattr(base, node.attr):
            found.append(ast.unparse(node))
        return getattr(base, node.attr, None)

    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            resolved(node)
        if isinstance(node, ast.Call) and str(getattr(resolved(node.func), "__module__", "")).startswith("holonom"):
            try:
                arguments = inspect.signature(resolved(node.func)).parameters
            except (TypeError, ValueError):
                continue
            if all(a.kind is not a.VAR_KEYWORD for a in arguments.values()):
                found += [
                    f"{ast.unparse(node.func)}({k.arg}=)" for k in node.keywords if k.arg and k.arg not in arguments
                ]
    return sorted(set(found))


@pytest.mark.parametrize("page", [p for p in PAGES if p.stem in LONG], ids=lambda p: p.stem)
def test_names_in_python_blocks_exist(page):
    """Of the pages that only `make test-all` runs."""
    assert missing_names("\n".join(blocks(page, "python"))) == []


def test_missing_names_are_seen():
    text = """
import holonom as hn
from holonom import nothing
hn.simulat(m)
hn.check(m, assembel=False)
hn.check(m, assemble=False)
"""
    first, *others = missing_names(text)
    assert "nothing" in first and others == ["hn.check(assembel=)", "hn.simulat"]


def test_tutorial_commands(tmp_path, monkeypatch):
    """What the tutorial types after its Python part."""
    from typer.testing import CliRunner

    from holonom.cli import app

    page = ROOT / "docs" / "tutorial.md"
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for text in blocks(page, "python"):
        if "simulate" not in text and "run." not in text:
            exec(compile(text, str(page), "exec"), names)
    for arguments in commands(page):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"holonom {' '.join(arguments)}\n{result.output}"
    assert (tmp_path / "results" / "report.html").stat().st_size > 100_000
    assert list((tmp_path / "tables").glob("part_piston*.csv"))


@pytest.mark.parametrize("page", [p for p in PAGES if commands(p)], ids=lambda p: p.stem)
def test_command_lines_exist(page):
    """Every command and option that a document types is one that the command line knows."""
    import typer

    from holonom.cli import app

    known = typer.main.get_command(app).commands
    for arguments in commands(page):
        if arguments[0].startswith("-"):
            continue
        assert arguments[0] in known, f"{page.name}: holonom {arguments[0]}"
        command = known[arguments[0]]
        while hasattr(command, "commands"):  # a group: vehicle kc
            arguments = arguments[1:]
            assert arguments and arguments[0] in command.commands, f"{page.name}: holonom {arguments[:1]}"
            command = command.commands[arguments[0]]
        options = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
        for word in arguments[1:]:
            if word.startswith("--"):
                assert word in options, f"{page.name}: holonom {' '.join(arguments)}"


def test_every_command_is_documented():
    import typer

    from holonom.cli import app

    text = (ROOT / "docs" / "command-line.md").read_text()
    for name, command in typer.main.get_command(app).commands.items():
        assert f"holonom {name}" in text
        if name == "run":
            for parameter in command.params:
                for option in parameter.opts:
                    assert not option.startswith("--") or f"`{option}" in text or f"{option} " in text, option


def test_support_matrix_is_fresh():
    """``python docs/make_support_matrix.py`` writes it; it fails for a statement, joint or function that it gives
    no information about."""
    spec = importlib.util.spec_from_file_location("make_support_matrix", ROOT / "docs" / "make_support_matrix.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "docs" / "support-matrix.md").read_text(encoding="utf-8") == module.page()
