# SPDX-License-Identifier: Apache-2.0
"""Small safetensors files, written and read without any library, and the tool as a process."""
import json
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest

TOOL = os.environ["WARPWRIGHT_TOOL"]
BYTES = {"F32": 4, "F16": 2, "BF16": 2, "I32": 4, "I64": 8, "U8": 1, "I8": 1}
CODE = {"F32": "f", "F16": "e", "I32": "i", "I64": "q", "U8": "B", "I8": "b"}


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def encode(dtype, values):
    if dtype == "BF16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{CODE[dtype]}", *values)


def decode(dtype, raw):
    return list(struct.unpack(f"<{len(raw) // BYTES[dtype]}{CODE[dtype]}", raw))


def write(path, tensors, metadata=None):
    """tensors: {name: (dtype, shape, values or bytes)}"""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, values) in tensors.items():
        raw = values if isinstance(values, bytes) else encode(dtype, values)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """({name: (dtype, shape, bytes)}, metadata)"""
    whole = pathlib.Path(path).read_bytes()
    length = struct.unpack("<Q", whole[:8])[0]
    header = json.loads(whole[8:8 + length])
    metadata = header.pop("__metadata__", {})
    data = whole[8 + length:]
    return {name: (item["dtype"], item["shape"], data[item["data_offsets"][0]:item["data_offsets"][1]])
            for name, item in header.items()}, metadata


def random_weight(n, k, seed=1):
    """Bell-shaped values that every input type holds exactly: bf16's eight bits, far from fp16's limits."""
    source = random.Random(seed)
    return [struct.unpack("<f", b"\0\0" + struct.pack("<f", source.gauss(0, 0.5))[2:])[0] for _ in range(n * k)]


class PackCase(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        self.out = self.folder / "out"

    def pack(self, source, *arguments, out=None, expect=0):
        done = subprocess.run([TOOL, "pack", str(source), "-o", str(out or self.out), *arguments], capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def packed(self, tensors, *arguments):
        """The output of one file."""
        source, out = self.folder / "in.safetensors", self.folder / f"out{len(list(self.folder.iterdir()))}"
        write(source, tensors)
        self.pack(source, *arguments, out=out)
        return read(out)[0]

    def staged(self):
        return [path for path in self.folder.iterdir() if path.name.startswith(".warpwright")]
