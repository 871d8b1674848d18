#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --on gpu` and `time --on gpu` on a driver that runs the emulator's launches and whose times and failures are scripted."""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ARGS = None
SPEC = ["--set", "problem.n=192", "--set", "problem.k=256"]
OUT_BYTES = 129 * 192 * 2  # flux1_qkv's bf16 output at m = 129


def call(verb, *arguments, **settings):
    """The tool on the scripted driver: exit code, standard output, standard error."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SCRIPTED_", "WARPWRIGHT_EMULATOR", "WARPWRIGHT_LIB"))}
    env |= {"WARPWRIGHT_LIBCUDA": ARGS.cuda, "WARPWRIGHT_LIBNVML": "/nonexistent/nvml", "WARPWRIGHT_EMULATOR_SMS": "2"}
    env |= {name: str(value) for name, value in settings.items()}
    env["WARPWRIGHT_EMULATOR"] = ARGS.emulator
    result = subprocess.run([ARGS.tool, verb, *arguments], env=env, capture_output=True, text=True, timeout=60, check=False)
    return result.returncode, result.stdout, result.stderr


def run(*arguments, spec=None, **settings):
    return call("run", spec or ARGS.spec, *SPEC, "--on", "gpu", "--inputs", "exact", *arguments, **settings)


def time(*arguments, **settings):
    return call("time", ARGS.spec, *SPEC, "--on", "gpu", "--shape", "m=129", "--runs", "5", "--warm-up-ms", "1", *arguments, **settings)


class Run(unittest.TestCase):
    def test_edges(self):
        code, out, err = run()
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([line.split()[3] for line in out.splitlines()[2:]], ["1", "256", "257"])
        self.assertEqual([line.split()[-2:] for line in out.splitlines()[2:]], [["3", "ok"]] * 3)

    def test_both(self):
        code, out, err = call("run", ARGS.spec, *SPEC, "--on", "both", "--shape", "m=129", "--inputs", "random", "--repeats", "1",
                              "--no-races", "-j", "2")
        self.assertEqual((code, err), (0, ""), out)

    def test_both_differs(self):
        # The value that the device writes is wrong, which only the emulator can tell from random inputs within tolerance.
        code, _, err = call("run", ARGS.spec, *SPEC, "--on", "both", "--shape", "m=129", "--inputs", "random", "--repeats", "1",
                            SCRIPTED_CUDA_NUDGE=OUT_BYTES)
        self.assertEqual(code, 4)
        self.assertIn("of out differs from the emulator's", err)

    def test_archive(self):
        with tempfile.TemporaryDirectory() as folder:
            archive = folder + "/a.wwa"
            build = subprocess.run([ARGS.tool, "build", ARGS.spec, *SPEC, "-o", folder, "--archive", archive], capture_output=True, text=True,
                                   check=False)
            self.assertEqual(build.returncode, 0, build.stderr)
            code, out, err = run("--shape", "m=129", "--archive", archive)
            self.assertEqual((code, err), (0, ""), out)
            code, _, err = run("--shape", "m=129", "--archive", archive, "--set", "lora.rank=64")
            self.assertEqual(code, 1)
            self.assertIn("run.other-archive", err)
            code, out, err = call("time", archive, "--on", "gpu", "--shape", "m=129", "--runs", "3", "--warm-up-ms", "1",
                                  "--read-ceiling-tbps", "4")
            self.assertEqual((code, err), (0, ""))
            self.assertIn("flux1_qkv k=256,m=129,n=192,rank=32", out)

    def test_overrun(self):
        code, _, err = run("--shape", "m=129", SCRIPTED_CUDA_OVERRUN=OUT_BYTES)
        self.assertEqual(code, 4)
        self.assertIn("has written 1 B behind the end of out", err)

    def test_not_repeatable(self):
        code, _, err = run("--shape", "m=129", SCRIPTED_CUDA_FLIP=OUT_BYTES)
        self.assertEqual(code, 4)
        self.assertIn(f"launch 2: byte {OUT_BYTES - 1} of out differs from the same launch before", err)
        self.assertEqual(run("--shape", "m=129", "--repeats", "1", SCRIPTED_CUDA_FLIP=OUT_BYTES)[0], 0)

    def test_sticky_error(self):
        code, out, err = run(SCRIPTED_CUDA_FAIL="cuStreamQuery:700")
        self.assertEqual(code, 4)
        self.assertIn("CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)", err)
        self.assertIn("the context is lost", err)
        self.assertEqual(len(out.splitlines()), 3, "shapes after a lost context do not run")

    def test_hang(self):
        code, _, err = run("--shape", "m=129", "--timeout", "1", SCRIPTED_CUDA_FAIL="cuStreamQuery:600")
        self.assertEqual(code, 4)
        self.assertIn("a launch has not ended after 1 s", err)

    def test_no_gpu(self):
        code, _, err = run(WARPWRIGHT_LIBCUDA="/nonexistent/libcuda.so")
        self.assertEqual(code, 5)
        self.assertIn("error[environment.no-gpu]: device 0 of /nonexistent/libcuda.so: no CUDA driver", err)
        code, _, err = run("--device", "3")
        self.assertEqual(code, 5)
        self.assertIn("device 3 of", err)

    def test_other_gpu(self):
        code, _, err = run(WARPWRIGHT_EMULATOR_ARCH="sm_90a")
        self.assertEqual(code, 5)
        self.assertIn("the kernels are for sm_100a; device 0 is Warpwright emulator, sm_90a, compute capability 9.0", err)

    def test_emulator_options(self):
        for option in (["--schedule", "eager"], ["--policy", "ptx-strict"], ["--profile"], ["--waive", "race.write"], ["--replay", "x"],
                       ["--schedule-out", "x"], ["--profile-out", "x"], ["--ptx", "x"], ["--force-branches"], ["--no-races"], ["--jobs", "2"]):
            code, _, err = run(*option)
            self.assertEqual(code, 2, option)
            self.assertIn(f"{option[0]} needs --on emulator", err)
        code, _, err = call("run", "--launch", "x", "--on", "gpu")
        self.assertEqual(code, 2)
        self.assertIn("--launch needs --on emulator", err)


class Time(unittest.TestCase):
    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "t.json"
            log = pathlib.Path(folder) / "log"
            code, out, err = time("--json", str(file), SCRIPTED_CUDA_US="1200,800", SCRIPTED_CUDA_TBPS="4.6", SCRIPTED_CUDA_LOG=log,
                                  WARPWRIGHT_LIBNVML=ARGS.nvml)
            self.assertEqual((code, err), (0, ""))
            report = json.loads(file.read_text())
            lines = log.read_text().splitlines()
        self.assertAlmostEqual(report["read_ceiling_tbps"], 4.6, 2)
        self.assertTrue(report["read_ceiling_is_measured"])
        (result,) = report["results"]
        self.assertEqual(result["variables"], {"k": 256, "m": 129, "n": 192, "rank": 32})
        self.assertEqual([t["launches"] for t in result["timings"]], ["dependent", "whole"])
        for timing, us in zip(result["timings"], (800, 1200)):
            self.assertEqual(len(timing["samples_us"]), 5)
            self.assertTrue(us < timing["min_us"] < timing["quartile1_us"] < timing["median_us"] < timing["quartile3_us"] < timing["max_us"] < 1.1 * us)
            share = result["bytes_moved"] / timing["median_us"] / 1e6 / report["read_ceiling_tbps"]
            self.assertAlmostEqual(timing["share_of_read_ceiling"], share, 4)
        self.assertGreaterEqual(result["sets"] * result["set_bytes"], 4 * report["l2_bytes"])
        self.assertEqual(result["launches_per_graph"] % result["sets"], 0)
        self.assertTrue(result["before"]["sm_mhz"] > result["loaded"]["sm_mhz"] > result["after"]["sm_mhz"])
        self.assertEqual(result["loaded"]["watts"], 312)
        self.assertIn("clock event reasons 0x4", out)
        # Whole launches have no attribute, and the samples take turns.
        self.assertEqual(lines.count("capture whole"), lines.count("capture dependent"))
        replays = [line.split()[1] == "0" for line in lines if line.startswith("replay")]
        self.assertEqual(replays[-11:-1], [True, False] * 5)

    def test_kinds(self):
        for options, kinds in ((["--no-pdl"], ["whole"]), (["--launches", "dependent"], ["dependent"])):
            code, out, err = time(*options, "--read-ceiling-tbps", "4")
            self.assertEqual((code, err), (0, ""))
            self.assertEqual([word for word in ("whole", "dependent") if f"  {word} " in out], kinds)

    def test_without_nvml(self):
        code, out, _ = time("--no-pdl", "--read-ceiling-tbps", "4")
        self.assertEqual(code, 0)
        self.assertIn("no clocks or power: /nonexistent/nvml cannot be opened", out)

    def test_outputs_differ(self):
        code, _, err = time("--read-ceiling-tbps", "4", SCRIPTED_CUDA_FLIP=OUT_BYTES)
        self.assertEqual(code, 4)
        self.assertIn(f"byte {OUT_BYTES - 1} of out is not what launches with other buffers", err)

    def test_errors(self):
        code, _, err = time("--read-ceiling-tbps", "4", SCRIPTED_CUDA_FAIL="cuGraphLaunch:700:3")
        self.assertEqual(code, 4)
        self.assertIn("launching a graph: CUDA_ERROR_ILLEGAL_ADDRESS", err)
        code, _, err = time(SCRIPTED_CUDA_FAIL="cuLaunchKernel:700")
        self.assertEqual(code, 4)
        self.assertIn("measuring the read ceiling: launching the read kernel: CUDA_ERROR_ILLEGAL_ADDRESS", err)
        code, _, err = time(WARPWRIGHT_LIBCUDA="/nonexistent/libcuda.so")
        self.assertEqual(code, 5)
        self.assertIn("environment.no-gpu", err)
        code, _, err = time(WARPWRIGHT_LIBCUDA=ARGS.emulator)
        self.assertEqual(code, 5)
        self.assertIn("environment.old-driver", err)

    def test_shapes(self):
        code, _, err = call("time", ARGS.spec, *SPEC, "--on", "gpu", "--read-ceiling-tbps", "4")
        self.assertEqual(code, 2)
        self.assertIn("flux1_qkv needs --shape m=…", err)
        code, _, err = time("--read-ceiling-tbps", "4", "--shape", "m=129,q=3")
        self.assertEqual(code, 2)
        self.assertIn("--shape names q, which flux1_qkv does not have", err)


def main():
    global ARGS
    parser = argparse.ArgumentParser()
    for name in ("tool", "cuda", "nvml", "emulator", "spec"):
        parser.add_argument("--" + name, required=True)
    ARGS, rest = parser.parse_known_args()
    unittest.main(argv=["gpu_verbs_test", *rest])


if __name__ == "__main__":
    main()
