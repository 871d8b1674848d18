# SPDX-License-Identifier: Apache-2.0
"""Damaged and hostile checkpoints, bad values, and being killed in the middle: a finding, and nothing half written."""
import json
import math
import os
import random
import signal
import struct
import subprocess
import time
import unittest

from checkpoints import PackCase, TOOL, encode, random_weight, read, write


class Damage(PackCase):
    def raw(self, header, data=b"", length=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        (self.folder / "in").write_bytes(struct.pack("<Q", len(text) if length is None else length) + text + data)
        return self.folder / "in"

    def refused(self, source, slug, words, *arguments):
        done = self.pack(source, *arguments, expect=1)
        self.assertIn(f"error[{slug}]", done.stderr)
        self.assertIn(words, done.stderr)
        self.assertFalse(self.out.exists())
        self.assertEqual(self.staged(), [])
        return done.stderr

    def test_headers(self):
        def entry(begin, end, shape=(4,), dtype="F32"):
            return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}
        cases = [
            ({"a": entry(0, 16)}, b"x" * 16, 1 << 40, "the header is said to have 1099511627776 bytes"),
            ({"a": entry(0, 16)}, b"x" * 16, (1 << 64) - 1, "the header is said to have 18446744073709551615 bytes"),
            ({"a": entry(0, 16)}, b"x" * 15, None, "do not lie within the file's 15 bytes"),
            ({"a": entry(0, 16)}, b"x" * 20, None, "the tensors have 16 bytes, the file 20"),
            ({"a": entry(0, 16), "b": entry(8, 24)}, b"x" * 24, None, "begins at byte 8 of the data, where the one before ends at 16"),
            ({"a": entry(0, 16), "b": entry(20, 36)}, b"x" * 36, None, "begins at byte 20"),
            ({"a": entry(0, 16, (5,))}, b"x" * 16, None, "F32 [5] does not have the 16 bytes"),
            ({"a": entry(0, 16, (4,), "F16")}, b"x" * 16, None, "F16 [4] does not have the 16 bytes"),
            ({"a": entry(0, 16, (4,), "F13")}, b"x" * 16, None, "the type \"F13\" is unknown"),
            ({"a": entry(0, 0, (1 << 62, 1 << 62))}, b"", None, "does not have the 0 bytes"),
            ({"a": entry(0, 16, (-4,))}, b"x" * 16, None, "a shape is a list of counts"),
            ({"a": entry(16, 0)}, b"x" * 16, None, "do not lie within"),
            ({"a": {"dtype": "F32"}}, b"", None, "needs dtype, shape and two data_offsets"),
            ([1], b"", None, "the header is no JSON object")]
        for header, data, length, words in cases:
            with self.subTest(words=words):
                self.refused(self.raw(header, data, length), "pack.safetensors", words)
        self.refused(self.raw(b"{\"a\": "), "pack.not-json", "in")
        self.refused(self.raw(b"{\"a\": 1, \"a\": 2}"), "pack.duplicate-key", "a")
        (self.folder / "in").write_bytes(b"\x01")
        self.refused(self.folder / "in", "pack.safetensors", "too few")
        self.refused(self.folder / "none", "pack.unreadable", "No such file")

    def test_changed_headers_are_refused_or_harmless(self):
        write(self.folder / "whole", {"a.weight": ("F32", [64, 64], random_weight(64, 64)), "b": ("U8", [3], b"abc")})
        whole = (self.folder / "whole").read_bytes()
        length = struct.unpack("<Q", whole[:8])[0]
        source = random.Random(5)
        for i in range(120):
            changed = bytearray(whole)
            for _ in range(source.choice((1, 1, 2))):
                changed[source.randrange(8 + length)] = source.choice(b"0123456789,:[]{}\"-\xff\0a")
            (self.folder / "in").write_bytes(changed)
            out = self.folder / f"out{i}"
            done = subprocess.run([TOOL, "pack", str(self.folder / "in"), "-o", str(out)], capture_output=True, check=False, timeout=60)
            self.assertIn(done.returncode, (0, 1), (changed[:8 + length], done.stderr))
            self.assertEqual(out.exists(), done.returncode == 0)

    def test_every_truncation(self):
        write(self.folder / "whole", {"a.weight": ("F32", [64, 64], random_weight(64, 64))})
        whole = (self.folder / "whole").read_bytes()
        for length in (*range(0, 120, 7), len(whole) // 2, len(whole) - 1):
            (self.folder / "in").write_bytes(whole[:length])
            done = self.pack(self.folder / "in", expect=1)
            self.assertIn("error[pack.", done.stderr)
            self.assertFalse(self.out.exists())

    def test_values(self):
        values = random_weight(64, 128)
        values[3 * 128 + 70] = math.nan
        values[9 * 128] = math.inf
        write(self.folder / "in", {"m.a.weight": ("F32", [64, 128], values), "m.b.weight": ("F32", [64, 64], [math.inf] * 4096)})
        text = self.refused(self.folder / "in", "pack.not-finite", "m.a: row 3, group 1 (columns 64 to 127), column 70: NaN; 2 of 8192 values")
        self.assertIn("m.b: row 0, group 0 (columns 0 to 63), column 0: infinity; 4096 of 4096", text)
        values = random_weight(64, 128)
        values[5 * 128:6 * 128] = [0.0] * 128
        values[7 * 128:7 * 128 + 64] = [0.25] * 64
        write(self.folder / "in", {"m.a.weight": ("F32", [64, 128], values)})
        done = self.pack(self.folder / "in")
        self.assertIn("warning[pack.degenerate-channel]: m.a: row 5 is all zero", done.stderr)
        self.assertIn("warning[pack.degenerate-group]: m.a: row 7, group 0 (columns 0 to 63): every value is 0.25", done.stderr)
        self.assertEqual(read(self.out)[0]["m.a.group_scale"][2][10:12], b"\x01\x01")

    def test_shapes(self):
        write(self.folder / "in", {"m.a.weight": ("F32", [64, 192], [0.5] * (64 * 192))})
        text = self.refused(self.folder / "in", "pack.shape", "m.a: K = 192 is no multiple of the group of 128", "--group", "128")
        self.assertIn("group 64 fits", text)
        write(self.folder / "in", {"m.a.weight": ("F32", [96, 64], [0.5] * (96 * 64)), "m.b.weight": ("F32", [64, 64], [0.5] * 4096),
                                   "m.b.bias": ("F32", [63], [0.0] * 63)})
        self.refused(self.folder / "in", "pack.shape", "m.a: N = 96 is no multiple of 64")
        self.refused(self.folder / "in", "pack.shape", "m.b.bias: [63] is no bias of 64 channels", "--ignore", "m.a")
        write(self.folder / "in", {"norm.weight": ("F32", [64], [1.0] * 64)})
        self.refused(self.folder / "in", "pack.no-layers", "none of 1 tensors")

    def test_index(self):
        source = self.folder / "model"
        source.mkdir()
        self.refused(source, "pack.unreadable", "no safetensors files")
        write(source / "a.safetensors", {"m.a.weight": ("F32", [64, 64], random_weight(64, 64))})
        for text, slug, words in (('{"weight_map": {"m.b.weight": "a.safetensors"}}', "pack.index", "m.b.weight is not in a.safetensors"),
                                  ('{"weight_map": {\n"m.a.weight": "b.safetensors"}}', "pack.index", "json:2:15: error[pack.index]: there is no b.safetensors"),
                                  ('{"weight_map": {"m.a.weight": "../a.safetensors"}}', "pack.index", "no name of a safetensors file"),
                                  ("[]", "pack.index", "no JSON object"), ("{", "pack.not-json", "index.json:1:")):
            (source / "model.safetensors.index.json").write_text(text)
            self.refused(source, slug, words)
        (source / "model.safetensors.index.json").unlink()
        write(source / "b.safetensors", {"m.a.weight": ("F32", [64, 64], random_weight(64, 64))})
        self.refused(source, "pack.index", "m.a.weight is in another file too")

    def test_killed_in_the_middle(self):
        row = encode("BF16", random_weight(1, 4096))
        write(self.folder / "in", {f"m.{i}.weight": ("BF16", [512, 4096], row * 512) for i in range(8)})
        for number in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(signal=number):
                left = self.staged()  # what the first one leaves
                child = subprocess.Popen([TOOL, "pack", str(self.folder / "in"), "-o", str(self.out)], stdout=subprocess.DEVNULL,
                                         stderr=subprocess.PIPE, text=True)
                deadline = time.monotonic() + 30
                while self.staged() == left and child.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.001)
                child.send_signal(number)
                error = child.communicate()[1]
                self.assertEqual(child.returncode, -signal.SIGKILL if number == signal.SIGKILL else 130)
                self.assertFalse(self.out.exists())
                self.assertEqual(len(self.staged()), 1 if number == signal.SIGKILL else 0)  # SIGTERM's run removed both
                if number == signal.SIGTERM:
                    self.assertIn("interrupted; nothing was written", error)
        self.pack(self.folder / "in")  # what the killed one left has gone
        self.assertEqual(sorted(os.listdir(self.folder)), ["in", "out"])


if __name__ == "__main__":
    unittest.main()
