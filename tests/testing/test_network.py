"""The guard against requests that leave the machine, which holds in all tests of this project."""

from __future__ import annotations

import socket
import subprocess
import sys

import openai
import pytest

from dynaflow import testing
from dynaflow.testing import RequestLeft, ScriptedModel, main_agent, serve


@pytest.mark.parametrize("address", [("192.0.2.1", 443), ("example.org", 80)])
def test_a_connection_to_elsewhere_names_the_address(address: tuple[str, int]) -> None:
    with socket.socket() as connection, pytest.raises(RequestLeft, match=address[0]):
        connection.connect(address)
    with socket.socket() as connection, pytest.raises(RequestLeft, match=address[0]):
        connection.connect_ex(address)
    with pytest.raises(RequestLeft, match=address[0]):
        socket.create_connection(address)


def test_a_name_is_not_looked_up() -> None:
    with pytest.raises(RequestLeft, match=r"api\.openai\.com"):
        socket.getaddrinfo("api.openai.com", 443)


@pytest.mark.anyio
async def test_the_real_client_is_stopped_on_either_transport() -> None:
    for transport in (openai.DefaultAioHttpClient(), openai.DefaultAsyncHttpxClient()):
        client = openai.AsyncOpenAI(api_key="test", max_retries=0, http_client=transport)
        async with client:
            with pytest.raises(Exception, match=r"api\.openai\.com|Connection error") as caught:
                await client.models.list()
        causes = [caught.value, caught.value.__cause__, caught.value.__context__]
        assert any(isinstance(cause, RequestLeft) for cause in causes)


def test_this_machine_can_be_reached() -> None:
    assert socket.getaddrinfo("localhost", 80)
    assert socket.getaddrinfo("127.0.0.1", 80)
    with serve(ScriptedModel(main_agent("x", times=None))) as server:
        port = int(server.base_url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port)):
            pass
    one, other = socket.socketpair()
    one.close()
    other.close()


def test_dynaflow_does_not_import_its_doubles() -> None:
    code = "import sys, dynaflow; sys.exit('dynaflow.testing' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_public_name_is_there() -> None:
    assert [name for name in testing.__all__ if not hasattr(testing, name)] == []
