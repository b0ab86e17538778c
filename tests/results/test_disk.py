"""`CheckedFile`: what HDF5 writes returns, errors wait, and a process that is killed at any moment of a commit
leaves a whole state."""

import io

import h5py
import numpy as np
import pytest

from holonom.results.files import disk as _disk
from holonom.results.files.disk import CheckedFile, redo
from holonom.results.files.store import _open


def rows(image: bytes) -> np.ndarray:
    with h5py.File(io.BytesIO(image), "r") as file:
        return file["a"][:]


def grow(file: h5py.File, k: int) -> None:
    data = file["a"]
    data.resize(1000 * (k + 1), axis=0)
    data[1000 * k :] = np.arange(1000 * k, 1000 * (k + 1))


@pytest.mark.parametrize("staged", [False, True])
def test_hdf5_files_come_back(tmp_path, staged):
    with CheckedFile(tmp_path / "a.h5", staged) as disk:
        with h5py.File(disk, "w", libver=("v110", "v110")) as file:
            file.create_dataset("a", (0,), "f8", maxshape=(None,), chunks=(512,), compression="gzip")
            for k in range(20):
                grow(file, k)
                file.flush()
                disk.commit()
    assert disk.error is None
    with h5py.File(tmp_path / "a.h5") as file:  # by HDF5 itself
        assert np.array_equal(file["a"][:], np.arange(20000.0))


def test_every_moment_of_a_commit_leaves_the_state_before_or_behind(tmp_path, monkeypatch):
    """The disk as a process killed between any two writes of a commit leaves it."""
    path = tmp_path / "a.h5"
    put, moments = CheckedFile._put, []

    def watched(self, at, data):
        half = len(data) // 2
        put(self, at, data[:half])  # a write that is torn
        moments.append(path.read_bytes())
        put(self, at + half, data[half:])
        moments.append(path.read_bytes())

    with CheckedFile(path, staged=True) as disk:
        file = h5py.File(disk, "w", libver=("v110", "v110"))
        file.create_dataset("a", (0,), "f8", maxshape=(None,), chunks=(512,), compression="gzip")
        grow(file, 0)
        file.flush()
        disk.commit()
        monkeypatch.setattr(CheckedFile, "_put", watched)
        for k in (1, 2):
            moments.clear()
            grow(file, k)
            file.flush()
            disk.commit()
            found = set()
            for image in moments:
                (tmp_path / "killed.h5").write_bytes(image)
                with _open(tmp_path / "killed.h5", 10**9) as left:
                    values = left["a"][:]
                assert np.array_equal(values, np.arange(float(len(values))))
                found.add(len(values))
            assert found == {1000 * k, 1000 * (k + 1)}
        file.close()


def test_an_error_of_a_commit_keeps_the_state_before(tmp_path, monkeypatch):
    path = tmp_path / "a.h5"
    with CheckedFile(path, staged=True) as disk:
        file = h5py.File(disk, "w", libver=("v110", "v110"))
        file.create_dataset("a", (0,), "f8", maxshape=(None,), chunks=(512,))
        grow(file, 0)
        file.flush()
        disk.commit()
        before = path.read_bytes()

        def full(self, at, data):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(CheckedFile, "_put", full)
        grow(file, 1)
        file.flush()
        disk.commit()
        assert disk.error is not None and disk.error.errno == 28
        file.close()  # HDF5 notices nothing
    image = bytearray(path.read_bytes())
    assert before.startswith(bytes(image)) and len(image)


def test_damaged_records_are_left_alone():
    for image in (
        b"",
        b"short",
        b"x" * 100 + _disk.TRAILER.pack(50, 0, _disk.MAGIC),
        b"x" * 100 + _disk.TRAILER.pack(2**60, 0, _disk.MAGIC),
    ):
        copy = bytearray(image)
        redo(copy)
        assert bytes(copy) == image
