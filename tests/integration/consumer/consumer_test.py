#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the runtime, builds a separate project against it, and runs that project's programs."""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile


def run(*command, code=0):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False)
    assert result.returncode == code, f"{command} exits {result.returncode}, not {code}:\n{result.stdout}"
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder to install from")
    parser.add_argument("--make-archive", help="program that writes the small archive; none: only refusals are tested")
    args = parser.parse_args()
    project = pathlib.Path(__file__).parent / "project"
    with tempfile.TemporaryDirectory(prefix="warpwright-consumer-") as name:
        scratch = pathlib.Path(name)
        prefix, build = scratch / "prefix", scratch / "build"
        run(args.cmake, "--install", args.build, "--prefix", prefix, "--component", "runtime")
        header, = prefix.rglob("warpwright.h")
        assert header.parent.parent == prefix / "include"

        # Nothing but the ABI leaves the shared library.
        library, = (path for path in prefix.rglob("libwarpwright_runtime.so.*.*.*"))
        symbols = {line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()}
        declared = set(re.findall(r"\bww[A-Z]\w*(?=\()", header.read_text()))
        assert symbols == declared, f"exported and declared differ: {symbols ^ declared}"
        # Nor does it need libcuda, LLVM or a FlatBuffers library to load.
        needed = {line.split()[-1] for line in run("readelf", "-d", library).splitlines() if "(NEEDED)" in line}
        allowed = ("libstdc++", "libm.", "libgcc_s", "libc.", "libdl", "libpthread", "ld-linux")
        assert all(entry.strip("[]").startswith(allowed) for entry in needed), needed

        run(args.cmake, "-S", project, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_PREFIX_PATH={prefix}")
        run(args.cmake, "--build", build)
        consumer_c, consumer_cpp = build / "consumer_c", build / "consumer_cpp"

        absent = run(consumer_c, scratch / "absent.wwa", code=1)
        assert absent == f"open: file unreadable: {scratch}/absent.wwa: No such file or directory\n", absent
        (scratch / "text.wwa").write_text("not an archive, but long enough to look at\n")
        text = run(consumer_c, scratch / "text.wwa", code=1)
        assert text.startswith("open: not a Warpwright archive"), text
        if not args.make_archive:
            print("[SKIP] archive made by the writer: this build has no generator")
            return

        archive = scratch / "small.wwa"
        run(args.make_archive, archive, "second", "first")
        listed = run(consumer_c, archive)
        assert listed == ("first: 3 tensors, 3 kernels\n"
                          "  first_small: 224 threads\n  first_main: 224 threads\n  first_combine: 128 threads\n"
                          "second: 3 tensors, 3 kernels\n"
                          "  second_small: 224 threads\n  second_main: 224 threads\n  second_combine: 128 threads\n"), listed
        out = run(consumer_cpp, archive, "first", "/no/such/libcuda.so.1")
        assert out.startswith("workspace 102400 B\ndriver: no CUDA driver: /no/such/libcuda.so.1"), out
        out = run(consumer_cpp, archive, "third", "/no/such/libcuda.so.1", code=1)
        assert out == "find: no operator third among the archive's 2\n", out
        # A reader keeps the old archive while a writer puts a new one in its place.
        run(args.make_archive, archive, "third")
        assert run(consumer_c, archive).startswith("third:")
    assert not os.path.exists(name)
    print("consumer project: installed, built, run")


if __name__ == "__main__":
    main()
