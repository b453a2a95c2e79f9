"""Places for a journal: a SQLite file, and a database of a real PostgreSQL that is started for the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from glob import glob
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

_NUMBERS = count()
_ACCOUNT = "postgres"


def _program(name: str) -> str:
    found = shutil.which(name) or next(iter(sorted(glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)), None)
    if found is None:
        pytest.skip(f"PostgreSQL is not installed: there is no {name} (Debian's package is called postgresql)")
    return found


def _run(*command: str) -> None:
    """Run a program of PostgreSQL's, which refuses to be root."""
    as_other = ["runuser", "-u", _ACCOUNT, "--"] if os.geteuid() == 0 else []
    done = subprocess.run([*as_other, *command], capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd="/")
    assert done.returncode == 0, f"{command}: {done.stderr or done.stdout}"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server that listens on a Unix socket only, for `format` with the name of a database."""
    initdb, control = _program("initdb"), _program("pg_ctl")
    pytest.importorskip("psycopg")
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, _ACCOUNT)
        data = f"{folder}/data"
        _run(initdb, "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        _run(control, "-D", data, "-o", options, "-l", f"{folder}/log", "-w", "start")
        try:
            yield f"postgresql://tests@/{{}}?host={folder}"
        finally:
            _run(control, "-D", data, "-m", "immediate", "-w", "stop")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty place for a journal, of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "new" / "journal.db")
    server: str = request.getfixturevalue("postgres")
    name = f"journal{next(_NUMBERS)}"
    url = server.format("postgres").replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.format(name)
