"""Requests that proxies could understand differently, or that are too large, are refused before they are parsed."""

import time
from collections.abc import Callable

import pytest

from fourcorners.web.wire.http_connection import MAX_HEAD_BYTES, MAX_HEAD_LINES
from tests.web.client import Server
from tests.web.wire.raw_client import connect, read_status, read_until_closed

START = b"POST /games/sqez/check HTTP/1.1\r\nHost: localhost\r\n"


@pytest.mark.parametrize(
    "headers",
    [
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"transfer-encoding: chunked\r\nX: y\r\nCONTENT-LENGTH: 0\r\n",
    ],
)
def test_body_in_chunks_is_refused_and_nothing_after_it_is_answered(cold_server: Server, headers: bytes) -> None:
    with connect(cold_server) as line:
        line.sendall(START + headers + b"\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = read_until_closed(line)
    assert answer.startswith(b"HTTP/1.1 411 Length Required\r\n")
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"A request with a body must have a Content-Length." in answer


@pytest.mark.parametrize("length", [b"5, 5", b"\r\n 5", b"0000000000000000005", b"+5", b"5\r\nContent-Length: 6"])
def test_length_that_is_not_one_number_is_refused_and_nothing_after_it_is_answered(
    cold_server: Server, length: bytes
) -> None:
    with connect(cold_server) as line:
        line.sendall(START + b"Content-Length: " + length + b"\r\n\r\ncols=GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = read_until_closed(line)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    "headers",
    [
        MAX_HEAD_LINES * b"a: b\r\n",
        5000 * b"a: b\r\n",
        b"a: " + MAX_HEAD_BYTES * b"b" + b"\r\n",
        b"Cookie: " + 300_000 * b"b" + b"\r\n",
    ],
    ids=["many lines", "thousands of lines", "a long line", "a very long line"],
)
@pytest.mark.parametrize("end", [b"\r\n", b""], ids=["complete", "incomplete"])
def test_large_headers_are_refused(cold_server: Server, headers: bytes, end: bytes) -> None:
    with connect(cold_server) as line:
        line.sendall(START + headers + end)
        answer = read_until_closed(line)
    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert b"The headers of a request are limited to 16 KB and 100 lines." in answer


def test_as_many_headers_as_allowed_are_accepted(cold_server: Server) -> None:
    lines = (MAX_HEAD_LINES - 4) * b"a: b\r\n"
    with connect(cold_server) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + lines + b"\r\n")
        assert read_until_closed(line).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("sent", [b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\nno colon\n\n"])
def test_what_is_no_request_is_answered_with_400(cold_server: Server, sent: bytes) -> None:
    with connect(cold_server) as line:
        line.sendall(sent)
        assert read_until_closed(line).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "last",
    [
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        b"GET /healthz HTTP/1.1\nno colon\nContent-Length: 50000\n\n",
    ],
)
def test_nothing_after_the_last_answer_is_parsed_or_logged(
    cold_server: Server, caplog: pytest.LogCaptureFixture, last: bytes
) -> None:
    with connect(cold_server) as line:
        line.sendall(last + 2000 * b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert read_until_closed(line).count(b"HTTP/1.1 ") == 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_request_that_arrives_byte_by_byte_is_answered(cold_server: Server) -> None:
    head = START + b"Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
    with connect(cold_server) as line:
        for byte in head + b"Content-Length: 6\r\n\r\ncols=5":
            line.sendall(bytes([byte]))
        assert read_until_closed(line).startswith(b"HTTP/1.1 200 ")


def test_empty_lines_before_a_request_are_ignored(cold_server: Server) -> None:
    with connect(cold_server) as line:
        line.sendall(b"\r")
        time.sleep(0.1)  # the end of the line comes later
        line.sendall(b"\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert read_status(line) == 200


def test_request_that_arrives_with_the_end_of_a_body_that_was_answered_before_is_answered(cold_server: Server) -> None:
    with connect(cold_server) as line:
        # No one reads the body of a request without a key.
        line.sendall(b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n")
        assert read_status(line) == 401
        line.sendall(b"{}GET /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert read_status(line) == 200


@pytest.mark.parametrize("header", [b"Upgrade: h2c\r\nConnection: Upgrade", b"Expect: 100-continue"])
def test_request_for_another_protocol_or_for_leave_to_continue_is_answered(cold_server: Server, header: bytes) -> None:
    with connect(cold_server) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + header + b"\r\n\r\n")
        assert read_status(line) == 200


def test_body_follows_once_the_server_says_continue(cold_server: Server) -> None:
    head = START + b"Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
    with connect(cold_server) as line:
        line.sendall(head + b"Expect: 100-continue\r\nContent-Length: 6\r\n\r\n")
        assert read_status(line) == 100
        line.sendall(b"cols=5")
        assert read_until_closed(line).count(b"HTTP/1.1 200 ") == 1


def test_server_stops_while_a_refused_client_still_sends(start_cold: Callable[..., Server]) -> None:
    server = start_cold()
    with connect(server) as line:
        line.sendall(b"\x16\x03\x01")
        assert read_status(line) == 400
        server.stop()
        assert server._server.closed
