"""A push service for tests: it takes messages over TLS as a browser's does, and decrypts them as the browser."""

import base64
import contextlib
import datetime as dt
import ipaddress
import json
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import http_ece
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID
from py_vapid import Vapid

_AUTH = b"0123456789abcdef"


class PushService:
    """A running push service, with one key pair for all the browsers that it stands for.

    `messages` has what arrived as (path, message), `headers` the headers of the last one. It answers with `status`, and
    with the header Location if `location` is not empty, once `answers` is set.
    """

    def __init__(self, folder: Path) -> None:
        """Listen on a free port with a certificate that is written to `folder`; serve in threads."""
        self.certificate = folder / "push.pem"
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.headers: dict[str, str] = {}
        self.status = 201
        self.location = ""
        self.answers = threading.Event()
        self.answers.set()
        self._key = ec.generate_private_key(ec.SECP256R1())
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                """Take a message."""
                body = self.rfile.read(int(self.headers["content-length"]))
                service.headers = {name.lower(): value for name, value in self.headers.items()}
                # Raises an error unless the key has signed it that it names.
                assert Vapid.verify(self.headers["authorization"])
                text = http_ece.decrypt(body, private_key=service._key, auth_secret=_AUTH)
                service.messages.append((self.path, json.loads(text)))
                service.answers.wait()
                self.send_response(service.status)
                if service.location:
                    self.send_header("location", service.location)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Write no log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_port}"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(_write_certificate(self.certificate))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def subscribe(self, name: str) -> dict[str, Any]:
        """Return a subscription of the browser `name`, as its script gets it."""
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        keys = {"p256dh": _encode(point), "auth": _encode(_AUTH)}
        return {"endpoint": f"https://{self.host}/{name}", "expirationTime": None, "keys": keys}

    def close(self) -> None:
        """Stop listening."""
        self.answers.set()
        self._server.shutdown()
        self._server.server_close()


@contextlib.contextmanager
def run_push_service(folder: Path) -> Iterator[PushService]:
    """Run a push service inside the block."""
    service = PushService(folder)
    yield service
    service.close()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _write_certificate(path: Path) -> Path:
    """Write a certificate for this machine, signed by itself, with its key; return the path."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "push service")])
    now = dt.datetime.now(dt.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - dt.timedelta(days=1))
    builder = builder.not_valid_after(now + dt.timedelta(days=1)).add_extension(address, critical=False)
    authority = x509.BasicConstraints(ca=True, path_length=None)
    certificate = builder.add_extension(authority, critical=True).sign(key, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    return path
