"""A dataset with errors opens with all of them, and with what could be read; saving over it asks."""

import asyncio
import shutil
from pathlib import Path

import pytest

import holonom as hn
from holonom.model import ModelError
from holonom.studio.document import Document
from holonom.studio.session import EXAMPLES, Session, Window


@pytest.fixture
def broken(tmp_path):
    """The four-bar with a joint type, a keyword and a number that are none."""
    file = tmp_path / "four_bar.adm"
    shutil.copy(EXAMPLES / "four_bar.adm", file)
    text = file.read_text()
    assert text.count("REVOLUTE") >= 3 and "JOINT/2" in text
    text = text.replace("REVOLUTE", "REVOLTE", 1).replace("JOINT/2", "JIONT/2", 1)
    file.write_text(text)
    return file


def test_what_could_be_read_is_there_and_every_error_is_listed(broken):
    whole = hn.read_adams(EXAMPLES / "four_bar.adm")
    document = Document.open(broken)
    assert len(document.unread) == 2 and all("four_bar.adm:" in text for text in document.unread)
    assert document.model.parts.keys() == whole.parts.keys()
    left = document.model.table("JOINT")
    assert 2 not in left and set(whole.table("JOINT")) > set(left)


def test_saving_over_it_asks_and_elsewhere_does_not(broken):
    async def work():
        session, window = Session(broken.parent, broken), Window()
        session.windows.add(window)
        said = [line["text"] for line in session.console if line["kind"] == "error"]
        assert len(said) == 3 and "2 errors in four_bar.adm" in said[-1]
        before = broken.read_text()
        answer = await session._on_save({})
        assert "could not be read" in answer["foreign"] and broken.read_text() == before
        assert await session._on_save({"file": "repaired.adm"}) == {"file": "repaired.adm"}
        assert session.document.unread == () and broken.read_text() == before
        await session.close()

    asyncio.run(work())


def test_a_file_of_which_nothing_can_be_read_is_refused(tmp_path):
    file = tmp_path / "nonsense.adm"
    file.write_text("title\nnothing of this is a statement\n")
    with pytest.raises(ModelError):
        Document.open(file)
    assert Path(file).read_text().startswith("title")
