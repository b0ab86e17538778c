"""What all tests of the Studio in a browser share."""

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _open import browser, example, studio, until, window  # noqa: E402

_HELD: list[tuple[ExitStack, SimpleNamespace]] = []


@pytest.fixture(autouse=True, scope="session")
def state_home(tmp_path_factory):
    """Addresses and files of read-only projects go into a folder of the tests."""
    before, os.environ["XDG_STATE_HOME"] = os.environ.get("XDG_STATE_HOME"), str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """One Studio and one window for several files of tests: ``page``, ``address``, ``folder``, ``chromium``, and
    ``opened(file)``."""
    if not _HELD:
        stack, folder = ExitStack(), tmp_path_factory.mktemp("shop")
        with stack:
            chromium = stack.enter_context(browser())
            crane = example("crane", folder)
            example("four_bar", folder)
            address = stack.enter_context(studio(folder, crane))
            page = window(chromium, address, 1200, 800)

            def opened(file, width=1200, height=800):
                page.set_viewport_size({"width": width, "height": height})
                page.evaluate("(file) => studio.link.ask('open', { file })", file)
                until(page, f"studio.file.file === '{file}' && studio.view.version === studio.file.version")
                page.evaluate("studio.results.tab('console')")
                return page

            _HELD.append(
                (
                    stack.pop_all(),
                    SimpleNamespace(page=page, address=address, folder=folder, chromium=chromium, opened=opened),
                )
            )
    return _HELD[0][1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """The window that files share goes with the last of their tests: Playwright's loop must not be there where a test
    starts one of its own."""
    result = yield
    if _HELD and (
        nextitem is None or nextitem.path != item.path and "shop" not in getattr(nextitem, "fixturenames", ())
    ):
        _HELD.pop()[0].close()
    return result
