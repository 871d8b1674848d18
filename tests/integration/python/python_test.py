#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the Python package with pip, offline, and uses it on the emulated driver: python_test.py BUILD_FOLDER ARCHIVE."""
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
ROWS, COLS = 5, 96
X = [float((i * 37) % 201 - 100) for i in range(ROWS * COLS)]
SCALE = [1.0 / (1 << (i % 7)) for i in range(ROWS)]
EXPECTED = [X[i] * SCALE[i // COLS] for i in range(ROWS * COLS)]


def install(build, folder):
    """pip, as its user calls it, without a network."""
    environment = dict(os.environ, WARPWRIGHT_BUILD=build, PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_ROOT_USER_ACTION="ignore")
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode != 0:
        print("[SKIP] python_test: this Python has no pip")
        sys.exit(77)
    offline = ["-q", "--no-build-isolation", "--no-deps", "--no-index"]
    source = str(REPOSITORY / "runtime" / "python")
    subprocess.run([*pip, "wheel", *offline, "-w", folder, source], env=environment, check=True)
    wheel = next(pathlib.Path(folder).glob("*.whl"))
    subprocess.run([*pip, "install", *offline, "--target", f"{folder}/site", str(wheel)], env=environment, check=True)
    return wheel


class PackageTest(unittest.TestCase):
    """Shares one archive; memory is made per test."""

    def setUp(self):
        self.archive = warpwright.open(ARCHIVE)
        self.op, self.counted = self.archive["row_scale"], self.archive["row_scale_counted"]
        torch.current.update({0: 0, 1: 0})
        fakes.LOG.clear()
        fakes.use_device(0)

    def memories(self, device=0):
        return (fakes.Memory((ROWS, COLS), X, device), fakes.Memory((ROWS,), SCALE, device),
                fakes.Memory((ROWS, COLS), [-1.0] * (ROWS * COLS), device))

    def tensors(self, kind=None, device=0):
        return {name: (kind or torch.Tensor)(memory) for name, memory in zip(("x", "scale", "y"), self.memories(device))}

    def fails(self, status, text, call, **arguments):
        with self.assertRaises(warpwright.Error) as caught:
            call(**arguments)
        self.assertIn(text, str(caught.exception))
        self.assertEqual(caught.exception.status_text, status)
        return caught.exception

    def test_wheel(self):
        names = zipfile.ZipFile(WHEEL).namelist()
        for name in ("_core.abi3.so", "libwarpwright_runtime.so.0", "__init__.pyi", "py.typed"):
            self.assertIn(f"warpwright/{name}", names)
        self.assertIn("cp39-abi3", WHEEL.name)

    def test_description(self):
        self.assertEqual(list(self.archive), ["row_scale", "row_scale_counted"])
        self.assertIs(self.archive["row_scale"], self.op)
        self.assertIn("row_scale", self.archive)
        self.archive.verify()
        self.assertEqual(self.op.info["variables"], ["m"])
        self.assertEqual(self.op.info["fixed"], {"n": 96})
        self.assertIn("output y: fp32, row_major, m * n * 4 B, aligned to 16: result", self.op.show())
        self.assertEqual(self.op.shape_of("x", m=7), ((7, 96), 7 * 96 * 4))
        self.assertEqual(self.counted.workspace_bytes(m=7), 256)
        self.fails("not found", "no operator none", lambda: self.archive["none"])
        self.fails("file unreadable", "/no/such/file", lambda: warpwright.open("/no/such/file"))

    def test_every_kind_of_tensor(self):
        for kind in (torch.Tensor, exchange_tensor, fakes.DlpackArray, fakes.CudaArray):
            tensors = self.tensors(kind)
            self.op(**tensors)
            self.assertEqual(tensors["y"].memory.read(), EXPECTED, kind)
        mixed = self.tensors()
        mixed["x"] = fakes.DlpackArray(mixed["x"].memory)
        self.op(**mixed)
        self.assertEqual(mixed["y"].memory.read(), EXPECTED)

    def test_bound_call(self):
        tensors = self.tensors(exchange_tensor)
        memory = tensors["y"].memory
        call = self.op.bind(**tensors)
        del tensors
        gc.collect()  # the call keeps its tensors
        self.assertEqual(memory.read(), [-1.0] * (ROWS * COLS))
        for _ in range(2):
            memory.write([-1.0] * (ROWS * COLS))
            call()
            self.assertEqual(memory.read(), EXPECTED)
        self.archive.close()
        self.fails("invalid argument", "the operator's archive was closed", call)
        self.fails("invalid argument", "the operator's archive was closed", self.op)
        self.fails("invalid argument", "the archive was closed", self.archive.verify)
        del call  # now the file goes

    def test_streams(self):
        stream = fakes.ctypes.c_void_p()
        fakes.cuda("cuStreamCreate", fakes.ctypes.byref(stream), 1)
        tensors = self.tensors()
        producer = fakes.DlpackArray(tensors["x"].memory)
        self.op(**dict(tensors, x=producer))
        torch.current[0] = stream.value
        self.op(**dict(tensors, x=producer))
        self.op(**dict(tensors, x=producer), stream=type("Stream", (), {"cuda_stream": stream.value}))
        self.op(**dict(tensors, x=producer), stream=type("Stream", (), {"__cuda_stream__": lambda self: (0, stream.value)})())
        self.assertEqual(producer.streams, [1, stream.value, stream.value, stream.value])
        self.fails("invalid argument", "stream is neither an int nor", self.op, **tensors, stream="none")
        call = self.op.bind(**tensors)
        call(stream=stream.value)
        call(0)
        fakes.cuda("cuStreamDestroy_v2", stream)

    def test_capture(self):
        stream, graph, executable = (fakes.ctypes.c_void_p() for _ in range(3))
        fakes.cuda("cuStreamCreate", fakes.ctypes.byref(stream), 1)
        torch.current[0] = stream.value
        tensors = self.tensors()
        workspace = torch.Tensor(fakes.Memory((64,), [1.0] * 64))
        fakes.cuda("cuStreamBeginCapture_v2", stream, 0)
        self.fails("kernel not loaded before a capture", "call wwOperatorLoad", self.op, **tensors)
        fakes.cuda("cuStreamEndCapture", stream, fakes.ctypes.byref(graph))
        self.op.preload()
        self.counted.preload(0)
        call = self.counted.bind(**tensors, workspace=workspace)
        fakes.cuda("cuStreamBeginCapture_v2", stream, 0)
        self.op(**tensors)
        call()
        fakes.cuda("cuStreamEndCapture", stream, fakes.ctypes.byref(graph))
        fakes.cuda("cuGraphInstantiateWithFlags", fakes.ctypes.byref(executable), graph, fakes.ctypes.c_uint64(0))
        for _ in range(2):
            tensors["y"].memory.write([-1.0] * (ROWS * COLS))
            fakes.cuda("cuGraphLaunch", executable, stream)
            self.assertEqual(tensors["y"].memory.read(), EXPECTED)
        torch.current[0] = 0
        fakes.cuda("cuStreamDestroy_v2", stream)

    def test_workspace(self):
        tensors = self.tensors()
        for _ in range(2):
            tensors["y"].memory.write([-1.0] * (ROWS * COLS))
            self.counted(**tensors)
            self.assertEqual(tensors["y"].memory.read(), EXPECTED)
        self.assertEqual(fakes.LOG, [("empty", 256, "torch.uint8", 0)] * 2)
        self.fails("invalid argument", "give workspace=, since stream= is not torch's current stream", self.counted, **tensors, stream=1)
        others = self.tensors(fakes.DlpackArray)
        self.fails("buffer too small", "give workspace=, since no tensor is torch's", self.counted, **others)
        self.counted(**others, workspace=fakes.CudaArray(fakes.Memory((64,), [1.0] * 64)))
        self.assertEqual(others["y"].memory.read(), EXPECTED)
        self.fails("buffer too small", "256 B; 252 B were given", self.counted, **others,
                   workspace=fakes.CudaArray(fakes.Memory((63,), [1.0] * 63)))

    def test_other_device_and_threads(self):
        tensors = self.tensors(device=1)
        fakes.use_device(0)
        self.op.preload(1)
        self.op(**tensors)
        self.assertEqual(tensors["y"].memory.read(), EXPECTED)
        fakes.use_device(0)
        mixed = self.tensors()
        self.fails("wrong device", "operator row_scale: tensor scale is on device 1, others are on device 0", self.op,
                   **dict(mixed, scale=tensors["scale"]))
        problems = []

        def run(device):
            try:
                own = self.tensors(device=device)
                fakes.cuda("cuCtxSetCurrent", None)  # a thread begins without a context
                for _ in range(3):
                    self.op(**own)
                if own["y"].memory.read() != EXPECTED:
                    problems.append("values")
            except Exception as problem:  # pylint: disable=broad-except
                problems.append(problem)

        threads = [threading.Thread(target=run, args=(i % 2,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def test_misuse(self):
        good = self.tensors()
        bad = lambda **changes: dict(good, **changes)  # noqa: E731
        Memory = fakes.Memory
        fails = self.fails
        fails("missing tensor", "tensor y is not given", self.op, x=good["x"], scale=good["scale"])
        fails("missing tensor", "no tensor is given", self.op)
        fails("not found", "no argument z; it has: x, scale, y, m, stream, workspace, num_sms", self.op, **good, z=1)
        fails("shape refused", "tensor scale has m = 4, but tensor x says 5", self.op, **bad(scale=torch.Tensor(Memory((4,)))))
        fails("shape refused", "tensor x has the shape (5, 95), not (5, 96)", self.op, **bad(x=torch.Tensor(Memory((ROWS, 95)))))
        fails("shape refused", "tensor x has m = 5, but the argument says 6", self.op, **good, m=6)
        fails("invalid argument", "tensor x is float16, its format is fp32", self.op,
              **bad(x=torch.Tensor(Memory((ROWS, COLS), dtype="float16", item_bytes=2))))
        fails("invalid argument", "tensor x is not contiguous", self.op, **bad(x=torch.Tensor(good["x"].memory, is_contiguous=False)))
        fails("invalid argument", "tensor x is not contiguous", self.op, **bad(x=fakes.CudaArray(good["x"].memory, strides=(4, 20))))
        fails("not device memory", "tensor x is not on a CUDA device", self.op, **bad(x=torch.Tensor(good["x"].memory, device=-1)))
        fails("invalid argument", "tensor x is neither a torch tensor", self.op, **bad(x=[1.0]))
        fails("overlapping tensors", "tensor y shares bytes with tensor x", self.op, **bad(y=good["x"]))
        problem = fails("overlapping tensors", "tensor y", self.op.bind, **bad(y=good["x"]))
        self.assertIsInstance(problem, warpwright.TensorError)
        self.assertIsInstance(problem, ValueError)
        self.assertEqual(problem.status, 25)
        fails("invalid argument", "takes its tensors by name", lambda: self.op(good["x"]))
        self.assertEqual(good["y"].memory.read(), [-1.0] * (ROWS * COLS))
        self.op(**good, m=ROWS)
        self.assertEqual(good["y"].memory.read(), EXPECTED)

    def test_nothing_is_leaked(self):
        tensors = self.tensors(exchange_tensor)
        counts = [sys.getrefcount(tensor) for tensor in tensors.values()]
        for _ in range(20):
            self.op(**tensors)
            self.op.bind(**tensors)()
            self.assertRaises(warpwright.Error, self.op, **dict(tensors, y=tensors["x"]))
        self.assertEqual([sys.getrefcount(tensor) for tensor in tensors.values()], counts)


if __name__ == "__main__":
    SCRATCH = tempfile.TemporaryDirectory()
    WHEEL = install(sys.argv[1], SCRATCH.name)
    ARCHIVE = sys.argv[2]
    sys.path.insert(0, f"{SCRATCH.name}/site")
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    import warpwright  # pylint: disable=wrong-import-position
    assert warpwright.__file__.startswith(SCRATCH.name), warpwright.__file__
    import fakes  # pylint: disable=wrong-import-position
    fakes.cuda("cuInit", 0)
    torch = fakes.make_torch()
    exchange_tensor = fakes.make_exchange_tensor(torch)
    unittest.main(argv=[sys.argv[0]])
