"""Verifies an export of Countersign's audit log with proof, without the service and its database.

Usage: python3 verify.py EXPORT KEYS [KEPT]

KEYS is the file of `/.well-known/countersign-audit-keys` that you got earlier. KEPT has checkpoints that you kept. It exits
with 1, and names what is wrong, when the file is not whole.
"""

import base64
import hashlib
import json
import re
import sys
import uuid
from datetime import datetime, timedelta, timezone

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ENTRY = re.compile(
    rb'\{"position":([1-9][0-9]*),(?:"hash":"([0-9a-f]{64})","event":|"leaf":"([0-9a-f]{64})"\}$)'
)
SIGNATURE = re.compile(rb',"key_id":"([0-9a-f]{16})","signature":"([0-9a-f]{128})"\}$')
ZEROS = bytes(32)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Broken(Exception):
    """What is wrong with the export."""


def sha256(data):
    return hashlib.sha256(data).digest()


def number(value):
    return value.to_bytes(8, "big")


def read_keys(path):
    keys = {}
    with open(path, encoding="utf-8") as file:
        for key in json.load(file)["keys"]:
            raw = base64.b64decode(key["public_key"])
            keys[sha256(raw).hex()[:16]] = Ed25519PublicKey.from_public_bytes(raw)
    return keys


def read_kept(path):
    """Checkpoints in responses of the API, or one JSON object a line, as in an export or an email."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        found = [json.loads(text)]
    except ValueError:
        found = [
            json.loads(line)
            for line in text.splitlines()
            if line.startswith("{") and line.endswith("}")
        ]
    kept = []
    for value in found:
        kept += value.get("checkpoints") or [value.get("checkpoint") or value]
    if not kept or any("position" not in checkpoint for checkpoint in kept):
        raise Broken(f"{path} has no checkpoint.")
    return kept


def signed_bytes(checkpoint):
    at = datetime.fromisoformat(checkpoint["at"].replace("Z", "+00:00"))
    numbered = "number" in checkpoint
    return b"".join(
        [
            b"countersign-audit-checkpoint-v2\0"
            if numbered
            else b"countersign-audit-checkpoint-v1\0",
            uuid.UUID(checkpoint["organization_id"]).bytes,
            number(checkpoint["number"]) if numbered else b"",
            number(checkpoint["position"]),
            bytes.fromhex(checkpoint["hash"]),
            number((at - EPOCH) // timedelta(milliseconds=1)),
            bytes.fromhex(checkpoint["previous"]) if numbered else b"",
        ]
    )


def require_signed(keys, key_id, data, signature, where):
    if key_id not in keys:
        raise Broken(f"{where} is signed with the key {key_id}, which you do not trust.")
    try:
        keys[key_id].verify(bytes.fromhex(signature), data)
    except InvalidSignature:
        raise Broken(f"{where} does not have a signature of the key {key_id}.") from None


class Verifier:
    def __init__(self, first_line, keys, kept):
        self.keys = keys
        self.kept = kept
        self.header = json.loads(first_line)
        if self.header["version"] != 1:
            raise Broken("The file is not of version 1.")
        self.organization = uuid.UUID(self.header["organization_id"])
        match = SIGNATURE.search(first_line)
        if not match:
            raise Broken("The first line is not signed.")
        covered = b"countersign-audit-export-v1\0" + first_line[: match.start()] + b"}"
        require_signed(keys, match[1].decode(), covered, match[2].decode(), "The first line")
        self.hashes = {checkpoint["position"]: None for checkpoint in kept}
        for checkpoint in kept:
            where = f"Your checkpoint of position {checkpoint['position']}"
            if uuid.UUID(checkpoint["organization_id"]) != self.organization:
                raise Broken(f"{where} is of another organization.")
            self.require_signed_checkpoint(checkpoint, where)
        self.position, self.hash = 0, ZEROS
        self.events = self.checkpoints = 0
        self.number, self.previous, self.signed_position = 0, ZEROS, 0

    def require_signed_checkpoint(self, checkpoint, where):
        data = signed_bytes(checkpoint)
        require_signed(self.keys, checkpoint["key_id"], data, checkpoint["signature"], where)

    def entry(self, line):
        expected = self.position + 1
        match = ENTRY.match(line)
        if not match or int(match[1]) != expected:
            raise Broken(f"Position {expected} is missing.")
        if match[3]:
            leaf = bytes.fromhex(match[3].decode())
        elif line.endswith(b"}"):
            leaf = sha256(line[match.end() : -1])
            self.events += 1
        else:
            raise Broken(f"Position {expected}: its line is cut off.")
        self.hash = sha256(
            b"countersign-audit-v1\0"
            + self.organization.bytes
            + self.hash
            + number(expected)
            + leaf
        )
        self.position = expected
        if match[2] and match[2].decode() != self.hash.hex():
            raise Broken(f"Position {expected}: the event is not the one that was sealed.")
        if expected in self.hashes:
            self.hashes[expected] = self.hash.hex()

    def checkpoint(self, checkpoint):
        where = f"The checkpoint of position {self.position}"
        if uuid.UUID(checkpoint["organization_id"]) != self.organization:
            raise Broken(f"{where} is of another organization.")
        if checkpoint["position"] != self.position or self.position == self.signed_position:
            raise Broken(f"{where} is not where it belongs.")
        if checkpoint["hash"] != self.hash.hex():
            raise Broken(f"{where} has another hash.")
        self.require_signed_checkpoint(checkpoint, where)
        if "number" in checkpoint:
            if checkpoint["number"] != self.number + 1:
                raise Broken(f"{where} should have number {self.number + 1}.")
            if checkpoint["previous"] != self.previous.hex():
                raise Broken(f"{where} does not follow the one before it.")
            self.number += 1
            for kept in self.kept:
                if kept.get("number") == self.number and signed_bytes(kept) != signed_bytes(
                    checkpoint
                ):
                    raise Broken(f"You keep another checkpoint of number {self.number}.")
        self.previous = sha256(signed_bytes(checkpoint))
        self.signed_position = self.position
        self.checkpoints += 1

    def end(self):
        end, counts = self.header["range"], self.header["counts"]
        if (self.position, self.hash.hex()) != (end["to_position"], end["hash"]):
            raise Broken(f"The file ends at position {self.position}, or with another hash.")
        if (self.events, self.checkpoints) != (counts["events"], counts["checkpoints"]):
            raise Broken(
                "The file has another number of events or checkpoints than its first line says."
            )
        for kept in self.kept:
            if self.hashes[kept["position"]] != kept["hash"]:
                raise Broken(
                    f"Position {kept['position']} is missing, or not what your checkpoint says."
                )


def verify(export, keys, kept):
    with open(export, "rb") as file:
        verifier = Verifier(file.readline().removesuffix(b"\n"), keys, kept)
        for line in file:
            if not line.endswith(b"\n"):
                raise Broken("The file does not end with a line feed.")
            line = line[:-1]
            if line.startswith(b'{"checkpoint":'):
                verifier.checkpoint(json.loads(line)["checkpoint"])
            else:
                verifier.entry(line)
    verifier.end()
    return verifier


def main(export, keys, kept=None):
    try:
        verified = verify(export, read_keys(keys), read_kept(kept) if kept else [])
    except Broken as problem:
        print(f"Broken. {problem}", file=sys.stderr)
        return 1
    print(
        f"Whole: positions 1 to {verified.position}, {verified.events} events, {verified.checkpoints} checkpoints."
    )
    return 0


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
