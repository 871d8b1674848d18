#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/bench/w4a8 without a GPU: what it reads of an archive, its tables, and a README that is up to date or not."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BENCH = ROOT / "tools/bench/w4a8"
sys.path.insert(0, str(BENCH))
import archive  # noqa: E402
import tables  # noqa: E402
from shapes import LAYER, SHAPES  # noqa: E402

ARGS = None


def point(shape, m, us, **more):
    """One measured problem, as the program writes it."""
    n, k = SHAPES[shape]
    return {"shape": shape, "n": n, "k": k, "m": m, "us": us, "bytes_moved": n * k // 2, "agree": True, "loaded": {"sm_mhz": 1755, "watts": 400.5}} | more


def results(*points):
    """A file of results."""
    return {"date": "2026-01-02", "command": "tools/bench/w4a8 --archive a.wwa", "read_ceiling_tbps": 4.0, "multiple_of_l2": 4,
            "device": {"name": "A GPU", "driver": "580", "torch": "2", "cuda": "13"}, "points": list(points)}


def layer(m):
    """The four products of a layer, ours twice as fast as fp8."""
    return [point(shape, m, {"bf16": 40.0, "fp8": 20.0, "int8": 30.0, "ours": 10.0, "ours_whole": 12.5}) for shape in LAYER]


def bench(*arguments):
    """The program as a process."""
    return subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, check=False)


class Tables(unittest.TestCase):
    def test_ratios(self):
        text = tables.readme_text(results(*layer(16)))
        rows = [line for line in text.splitlines() if line.startswith("| 70B.qkv 10240×8192 |")]
        self.assertEqual(rows, [f"| 70B.qkv 10240×8192 | {cell} |" for cell in ("2.00", "1.60", "3.00", "10.0", "105%")])
        self.assertIn("| 16 | 160.0 | 80.0 | 40.0 | 4.00 | 2.00 |", text)
        self.assertIn("1755 to 1755 MHz, 400 to 400 W", text)

    def test_incomplete(self):
        text = tables.readme_text(results(point("7B.down", 1, {"fp8": 15.0, "ours_whole": 10.0}), *layer(16)[:3]))
        self.assertIn("| 7B.down 4096×11008 | 1.50 | – |", text)
        self.assertNotIn("decoder layer", text)

    def test_share_of_the_ceiling(self):
        # 7B.down: 22,544,384 B in 10 µs are 2.25 TB/s of 4.
        self.assertAlmostEqual(tables.share(point("7B.down", 1, {"ours": 10.0}), results()), 0.5636, 4)
        self.assertNotIn("2048", tables.readme_text(results(*layer(16), *layer(2048))).split("Share of")[1])

    def test_short(self):
        lines = tables.short_text(results(point("7B.down", 1, {"fp8": 15.0, "ours": 10.0}, agree=False))).splitlines()
        self.assertIn("1.50", lines[1])
        self.assertTrue(lines[1].endswith("OUTPUTS DIFFER"))
        failed = tables.short_text(results(point("7B.down", 1, {}, agree=False, error="out of memory"))).splitlines()
        self.assertTrue(failed[1].endswith("FAILED"))
        self.assertIn("| 7B.down 4096×11008 | – |", tables.readme_text(results(point("7B.down", 1, {}, agree=False))))


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.readme = pathlib.Path(self.folder.name) / "README.md"
        self.json = pathlib.Path(self.folder.name) / "r.json"
        self.json.write_text(json.dumps(results(*layer(16))))

    def test_write_then_check(self):
        self.readme.write_text(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n")
        self.assertEqual(bench("--from", str(self.json), "--check-readme", str(self.readme)).returncode, 4)
        self.assertEqual(bench("--from", str(self.json), "--readme", str(self.readme)).returncode, 0)
        text = self.readme.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text)
        self.assertEqual(bench("--from", str(self.json), "--check-readme", str(self.readme)).returncode, 0)
        self.readme.write_text(text.replace("2.00", "2.10", 1))
        found = bench("--from", str(self.json), "--check-readme", str(self.readme))
        self.assertEqual(found.returncode, 4)
        self.assertIn("the tables are not those of", found.stderr)

    def test_no_markers(self):
        self.readme.write_text("text\n")
        found = bench("--from", str(self.json), "--readme", str(self.readme))
        self.assertEqual(found.returncode, 1)
        self.assertEqual(self.readme.read_text(), "text\n")

    def test_outputs_that_differ(self):
        self.json.write_text(json.dumps(results(point("7B.down", 1, {"ours": 10.0}, agree=False))))
        self.assertEqual(bench("--from", str(self.json)).returncode, 4)

    def test_unknown_shape(self):
        self.assertEqual(bench("--shapes", "70B.up").returncode, 2)


class Archive(unittest.TestCase):
    def test_describes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = folder + "/a.wwa"
            subprocess.run([ARGS.tool, "build", ARGS.spec, "--set", "problem.n=192", "--set", "problem.k=256", "-o", folder, "--archive", file],
                           check=True, capture_output=True)
            (op,) = archive.open_archive(archive.Runtime(ARGS.runtime), file)
        self.assertEqual((op.name, op.family, op.arch), ("flux1_qkv", "w4a4_lora_gemm", "sm_100a"))
        self.assertEqual((op.free, op.fixed), (["m"], {"n": 192, "k": 256, "rank": 32}))
        self.assertEqual(op.tensors["out"], {"format": "bf16", "layout": "row_major", "is_output": True})
        self.assertEqual([op.bytes_of(t, {"m": 129}) for t in ("a", "b", "out")], [129 * 128, 192 * 128, 129 * 192 * 2])
        self.assertEqual(op.workspace_bytes({"m": 129}, 132), 0)
        ((kernel, starts_early),) = op.chosen_kernels({"m": 129}, 132)
        self.assertIn("w4a4_lora_gemm__nvf4", kernel)
        self.assertTrue(starts_early)
        with self.assertRaisesRegex(archive.RuntimeFailure, "leaves m open"):
            op.bytes_of("a", {})

    def test_structs_are_the_headers(self):
        """Names and order of the members, as the header has them."""
        header = (ROOT / "runtime/include/warpwright/warpwright.h").read_text()
        for kind, name in ((archive.OperatorInfo, "ww_operator_info_t"), (archive.VariableInfo, "ww_variable_info_t"),
                           (archive.TensorInfo, "ww_tensor_info_t"), (archive.KernelInfo, "ww_kernel_info_t"), (archive.Variable, "ww_variable_t"),
                           (archive.Grid, "ww_grid_t"), (archive.Buffer, "ww_buffer_t"), (archive.Launch, "ww_launch_t")):
            body = header.split(f"typedef struct {name} {{")[1].split("}")[0]
            members = []
            for line in body.splitlines():
                declaration = line.split("/*")[0].strip()
                if declaration.endswith(";"):
                    members += [word.split()[-1].lstrip("*") for word in declaration.rstrip(";").split(",")]
            self.assertEqual(members, [field for field, _ in kind._fields_], name)

    def test_unreadable(self):
        with self.assertRaisesRegex(archive.RuntimeFailure, "wwArchiveOpen: "):
            archive.open_archive(archive.Runtime(ARGS.runtime), "/nonexistent.wwa")


def main():
    global ARGS
    parser = argparse.ArgumentParser()
    for name in ("tool", "runtime", "spec"):
        parser.add_argument("--" + name, required=True)
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=["bench_w4a8_test", *rest])


if __name__ == "__main__":
    main()
