"""What the SDK reads of the environment for its connections: each variable, in a process of its own."""

import os
import ssl
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from service import Service

ASK = """
import sys
from countersign_sdk import Countersign, ToolCall, Unavailable
call = ToolCall(tool="pay", session="s", call_id="1", arguments={})
try:
    print(Countersign(limit=sys.argv[1]).run(call, lambda _: "ran"))
except Unavailable as error:
    print(error.reason)
"""


def certificate(folder: Path) -> Path:
    """Of 127.0.0.1, with its key, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Countersign test")])
    now = datetime.now(timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = folder / "server.pem"
    file.write_bytes(secret + made.public_bytes(pem))
    return file


class Variables(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = certificate(self.folder)

    def enterContext(self, context: tempfile.TemporaryDirectory[str]) -> str:  # noqa: N802 -- Python 3.11 has it
        self.addCleanup(context.cleanup)
        return context.name

    def service(self, *, is_secure: bool) -> Service:
        service = Service()
        service.outcome = lambda _: "approved"
        if is_secure:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.file)
            service.socket = context.wrap_socket(service.socket, server_side=True)
        return service

    def asked(
        self, service: Service, *, is_secure: bool = True, limit: str = "40s", **env: str
    ) -> str:
        url = service.options["url"]
        given = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME")},
            "COUNTERSIGN_URL": url.replace("http:", "https:") if is_secure else url,
            "COUNTERSIGN_TOKEN": "whc_1",
        }
        done = subprocess.run(
            [sys.executable, "-c", ASK, limit],
            env={**given, **env},
            capture_output=True,
            check=True,
            text=True,
        )
        return done.stdout.strip()

    def test_that_name_authorities_take_the_place_of_those_of_certifi(self) -> None:
        hashed = self.folder / "hashed"
        hashed.mkdir()
        name = subprocess.run(
            ["openssl", "x509", "-hash", "-noout", "-in", self.file],
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
        (hashed / f"{name}.0").write_bytes(self.file.read_bytes())
        for env, outcome in [
            ({}, "unreachable"),
            ({"SSL_CERT_FILE": str(self.file)}, "ran"),
            ({"SSL_CERT_DIR": str(hashed)}, "ran"),
            ({"REQUESTS_CA_BUNDLE": str(self.file)}, "unreachable"),
            ({"CURL_CA_BUNDLE": str(self.file)}, "unreachable"),
        ]:
            with self.subTest(env):
                limit = "1s" if outcome == "unreachable" else "40s"
                said = self.asked(self.service(is_secure=True), limit=limit, **env)
                self.assertEqual(said, outcome)

    def test_that_name_proxies_and_passwords_are_not_read(self) -> None:
        other = self.service(is_secure=False)
        (self.folder / ".netrc").write_text("machine 127.0.0.1 login a password b\n")
        proxy = other.options["url"]
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        env = {each: proxy for name in names for each in (name, name.lower())}
        env["NETRC"] = str(self.folder / ".netrc")
        service = self.service(is_secure=False)
        self.assertEqual(self.asked(service, is_secure=False, **env), "ran")
        self.assertEqual(other.steps, [])


if __name__ == "__main__":
    unittest.main()
