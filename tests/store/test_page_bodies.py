"""Bodies of pages are files, from before their page is committed until after it is gone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from forest_crawler.errors import StoreError
from forest_crawler.store import FetchedPage, Store, open_store, page_bodies
from forest_crawler.store.page_bodies import BodyFolder, read_body, unpack_body
from forest_crawler.store.pages import KEPT_PAGES
from forest_crawler.store.schema import pages
from tests.support.store_builders import archive_held, fetch, schedule


def files(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.rglob("*") if path.is_file())


@pytest.fixture
def directory(store: Store, tmp_path: Path) -> Path:
    """Let the store keep bodies in a directory."""
    store.bodies = store.open_bodies(str(tmp_path / "bodies"))
    return tmp_path / "bodies"


def test_a_body_is_a_file_until_enough_later_ones_are_archived(
    store: Store, directory: Path
) -> None:
    schedule(store, "ab")
    fetch(store)
    assert len(files(directory)) == 2
    (page, _) = store.held_pages("gazette.example", 9)
    assert page.body == b"<p>gazette.example/a</p>"
    assert archive_held(store) == 2
    assert len(files(directory)) == 2  # the latest pages of a site are kept
    schedule(store, [str(n) for n in range(KEPT_PAGES)])
    fetch(store)
    archive_held(store)
    assert len(files(directory)) == KEPT_PAGES
    assert all(page.body for page in store.recent_pages("gazette.example"))


def test_the_files_of_pages_that_are_closed_or_put_back_are_removed(
    store: Store, directory: Path
) -> None:
    schedule(store, "abc")
    fetch(store)
    store.skip("gazette.example/a", "no-article")
    store.put_back("gazette.example/b", "doubt")
    assert len(files(directory)) == 1
    (page,) = store.held_pages("gazette.example", 9)
    assert page.body == b"<p>gazette.example/c</p>"


def test_a_file_stays_if_the_transaction_fails(store: Store, directory: Path) -> None:
    schedule(store, "a")
    fetch(store)
    with suppress(RuntimeError), store.batch():
        store.skip("gazette.example/a", "no-article")
        raise RuntimeError("half-way")
    assert len(files(directory)) == 1
    assert store.held_pages("gazette.example", 1)[0].body


def test_files_that_a_kill_left_are_removed_by_a_vacuum(store: Store, directory: Path) -> None:
    schedule(store, "a")
    fetch(store)
    assert store.bodies is not None
    left = Path(store.bodies.write(b"written, but never committed"))
    assert store.vacuum(0.0, store.bodies).bodies == 1
    assert not left.exists()
    assert store.held_pages("gazette.example", 1)[0].body


def test_a_body_is_written_before_the_transaction_begins(
    store: Store, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, open_transactions = BodyFolder.write, []

    def note(folder: BodyFolder, body: bytes) -> str:
        open_transactions.append(store._database._depth)
        return write(folder, body)

    monkeypatch.setattr(BodyFolder, "write", note)
    schedule(store, "ab")
    fetch(store)
    assert open_transactions == [0, 0]


def test_the_file_of_a_page_that_is_not_held_is_removed(store: Store, directory: Path) -> None:
    schedule(store, "a")
    page = FetchedPage("gazette.example/a", b"<p>Rain")
    assert [store.hold([page]), store.hold([page])] == [1, 0]  # the same body, in two files
    assert len(files(directory)) == 1
    assert store.held_pages("gazette.example", 1)[0].body == b"<p>Rain"


def test_a_repeated_step_finds_its_own_page_held(store: Store, directory: Path) -> None:
    schedule(store, "a")
    assert store.bodies is not None
    at = store.bodies.write(b"<p>Rain")
    page = FetchedPage("gazette.example/a", b"", body_at=at)
    assert store.hold([page]) == 1
    assert store.hold([page]) == 1  # the server was lost before it confirmed the commit
    assert store.held_pages("gazette.example", 1)[0].body == b"<p>Rain"


def test_pages_can_be_listed_without_their_bodies(store: Store, directory: Path) -> None:
    schedule(store, "a")
    fetch(store)
    (page,) = store.held_pages("gazette.example", 1, load=False)
    assert (page.body, page.body_at) == (b"", str(next(directory.rglob("*.z"))))
    packed = store.read_packed(str(page.body_at))
    assert unpack_body(packed, store.name) == b"<p>gazette.example/a</p>"


def test_a_vacuum_by_another_path_of_the_folder_removes_no_body_in_use(
    store: Store, directory: Path, tmp_path: Path
) -> None:
    schedule(store, "a")
    fetch(store)
    (tmp_path / "mounted").symlink_to(directory)
    assert store.vacuum(0.0, store.open_bodies(str(tmp_path / "mounted"))).bodies == 0
    assert store.held_pages("gazette.example", 1)[0].body


def test_a_vacuum_removes_no_body_of_another_store_in_the_same_place(
    store: Store, directory: Path
) -> None:
    schedule(store, "a")
    fetch(store)
    with open_store("sqlite://", bodies=str(directory)) as other:
        schedule(other, "a")
        fetch(other)
        assert len(files(directory)) == 2
        assert other.vacuum(0.0, other.bodies).bodies == 0
        assert other.held_pages("gazette.example", 1)[0].body
    assert store.vacuum(0.0, store.bodies).bodies == 0
    assert store.held_pages("gazette.example", 1)[0].body


def test_a_store_has_the_same_folder_each_time_it_is_opened(store_url: str, tmp_path: Path) -> None:
    with open_store(store_url, bodies=str(tmp_path)) as store:
        first = store.bodies
    with open_store(store_url, bodies=str(tmp_path)) as store:
        assert (first and first.address) == (store.bodies and store.bodies.address)
    with open_store("sqlite://", bodies=str(tmp_path)) as other:
        assert (first and first.address) != (other.bodies and other.bodies.address)


def test_bodies_beside_the_folders_of_stores_are_still_read_and_removed(
    store: Store, directory: Path
) -> None:
    schedule(store, "a")
    fetch(store)
    (own,) = (it for it in directory.rglob("*") if it.is_file())
    old = directory / own.parent.name / own.name  # where they were before stores had folders
    old.parent.mkdir()
    own.rename(old)
    with store._database.writing("hold") as connection:
        connection.execute(update(pages).values(body_at=str(old)))
    assert store.vacuum(0.0, store.bodies).bodies == 0
    assert store.held_pages("gazette.example", 1)[0].body
    store.skip("gazette.example/a", "no-article")
    assert files(directory) == []


@pytest.mark.parametrize(
    ("content", "message"), [(None, "is missing"), (b"other", "is damaged")], ids=str
)
def test_a_file_that_is_missing_or_damaged_is_reported_with_its_name(
    store: Store, directory: Path, content: bytes | None, message: str
) -> None:
    schedule(store, "a")
    fetch(store)
    (path,) = (it for it in directory.rglob("*") if it.is_file())
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(StoreError, match=f"{message}.*{path.name}"):
        store.held_pages("gazette.example", 1)


def test_bodies_may_be_in_an_object_store() -> None:
    pytest.importorskip("fsspec")
    with open_store("sqlite://", bodies="memory://forest/bodies") as store:
        schedule(store, "a")
        store.hold([FetchedPage("gazette.example/a", b"<p>Rain")])
        assert store.bodies is not None
        (address,) = store.bodies.addresses()
        assert address.startswith("memory://forest/bodies/")
        assert store.held_pages("gazette.example", 1)[0].body == b"<p>Rain"
        assert read_body(address, "store")
        store.skip("gazette.example/a", "no-article")
        assert list(store.bodies.addresses()) == []


class _ClosedBucket:
    """An object store whose package has errors of its own, which are not those of files."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def refuse(*_: object, **__: object) -> None:
            raise RuntimeError("no credentials")

        return refuse


def test_an_object_store_that_refuses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = (_ClosedBucket(), "bucket/bodies")
    monkeypatch.setattr(page_bodies, "open_file_system", lambda *_: bucket)
    with open_store("sqlite://", bodies="s3://bucket/bodies") as store:
        schedule(store, "a")
        with pytest.raises(StoreError, match=r"s3://bucket/bodies/.*no credentials"):
            store.hold([FetchedPage("gazette.example/a", b"<p>Rain")])
    with pytest.raises(StoreError, match=r"s3://bucket/bodies/1.*no credentials"):
        read_body("s3://bucket/bodies/1", "store")


def test_a_page_is_closed_though_its_body_cannot_be_removed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("fsspec")
    with open_store("sqlite://", bodies="memory://forest/refused") as store:
        schedule(store, "a")
        fetch(store)
        bucket = (_ClosedBucket(), "bucket/bodies")
        monkeypatch.setattr(page_bodies, "open_file_system", lambda *_: bucket)
        store.skip("gazette.example/a", "no-article")  # raised: it counted as failed, and again
        assert store.state("gazette.example/a") == ("skipped", "no-article")
    assert "memory://forest/refused/" in caplog.text
