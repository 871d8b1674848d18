#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instruction forms on the emulator against what an H200 gave.

differential.py check LIST_FORMS                  every form of the machine has a case or a reason to have none
differential.py replay LIST_FORMS EMULATOR        runs every case on the emulator and compares it with the kept vectors
differential.py record FORMS_FILE DRIVER FOLDER   runs every case on a GPU and writes its vectors (FORMS_FILE: LIST_FORMS' output)

Vectors: a file a family, xz of a JSON line (device, offset, length and SHA-256 of each case's output, by name) and the outputs.
"""
import hashlib
import json
import lzma
import os
import pathlib
import re
import subprocess
import sys
import time

import asyncs
import bulk
import cases
import clusters
import copies
import driver
import functions
import matrices
import mbarriers
import memory
import registers
import warps

FOLDER = pathlib.Path(__file__).resolve().parent / "vectors"
FAMILIES = {"registers": registers, "memory": memory, "matrices": matrices, "copies": copies, "warps": warps,
            "mbarriers": mbarriers, "bulk": bulk, "clusters": clusters,
            "asyncs": asyncs, "functions": functions}
# Forms without a case, by a pattern of their opcode, and why.
LEFT_OUT = [
    (r"^tcgen05\.", "sm_100 and newer"),
    (r"\.f32x2$", "sm_100 and newer"),
    (r"\.(e2m3x2|e3m2x2|e2m1x2|ue8m0x2)", "sm_100 and newer"),
    (r"\.cta_group::[12]", "sm_100 and newer"),
    (r"^clusterlaunchcontrol\.", "sm_100 and newer"),
    (r"matrix\..*\.(m16n16|m8n16|m16n8)\.", "sm_100 and newer"),
    (r"^\.call\.", "what calls become; no text has them"),
    (r"\.v8\.|\.v4\.[busf]64$", "sm_100 and newer"),
    (r"\.global\.cg\.", "a cache operator changes no value, and the form without it has a case"),
    (r"^wgmma\.", "have a test of their own"),
    (r"^mma\.sync\.", "sums are tested on exact values; no device's vectors are kept yet"),
    (r"^trap$", "ends the context that the other cases run in"),
]


def forms_of(text):
    """[(opcode, signature)] from the lister's output."""
    return [tuple(line.split("\t")) for line in text.splitlines()]


def on_hopper(forms):
    """The forms that have cases."""
    return [form for form in forms if not any(re.search(pattern, form[0]) for pattern, _ in LEFT_OUT)]


def all_cases(forms):
    """{family: cases}"""
    forms = on_hopper(forms)
    return {family: list(module.cases(forms)) for family, module in FAMILIES.items()}


def coverage_problems(forms):
    """Forms without a case, and cases without a form."""
    covered = {form for family in all_cases(forms).values() for case in family for form in case.forms}
    for form in on_hopper(forms):
        if form not in covered:
            yield f"no case for {form[0]} ({form[1]})"
    for form in covered - set(forms):
        yield f"a case for {form[0]} ({form[1]}), which the machine does not have"


def run_case(device, module, number, case):
    """The output of one case."""
    out, data = device.allocate(case.output), device.allocate(case.inputs)
    parameters = [data.to_bytes(8, "little"), out.to_bytes(8, "little")]
    for spec in case.maps:
        is_map = isinstance(spec, cases.TensorMapSpec)
        where = out if is_map and spec.where == "out" else data
        parameters.append(device.tensor_map(where + spec.offset, spec) if is_map else spec)
    device.launch(module, f"case_{number}", case.ctas, case.threads, parameters)
    output = device.read(out, len(case.output))
    device.free(out)
    device.free(data)
    return output


def module_of(family):
    """The PTX of a family's cases."""
    return cases.module_text([case.entry(f"case_{i}") for i, case in enumerate(family)])


def write_vectors(path, device_name, outputs):
    """One family's file."""
    table, blobs, places = {}, b"", {}
    for name, output in outputs.items():
        if output not in places:
            places[output] = len(blobs)
            blobs += output
        table[name] = [places[output], len(output), hashlib.sha256(output).hexdigest()[:16]]
    header = json.dumps({"device": device_name, "cases": table}, sort_keys=True)
    path.write_bytes(lzma.compress(header.encode() + b"\n" + blobs, preset=9 | lzma.PRESET_EXTREME))


def read_vectors(path):
    """{case: output}; a digest that does not fit is an error."""
    header, blobs = lzma.decompress(path.read_bytes()).split(b"\n", 1)
    outputs = {}
    for name, (offset, length, digest) in json.loads(header)["cases"].items():
        outputs[name] = blobs[offset:offset + length]
        if hashlib.sha256(outputs[name]).hexdigest()[:16] != digest:
            raise ValueError(f"{path.name}: {name} does not have its digest")
    return outputs


def record_family(forms, library, folder, family, first):
    """Runs a family's cases from the `first` on; stops at a fault, which spoils the process. The number of the one to go on with."""
    device = driver.Driver(library)
    members = all_cases(forms)[family]
    if len({case.name for case in members}) != len(members):
        raise ValueError(f"{family}: two cases have one name")
    path = folder / f"{family}.xz"
    outputs, module = read_vectors(path) if first else {}, device.load(module_of(members))
    for number, case in enumerate(members[first:], first):
        try:
            outputs[case.name] = run_case(device, module, number, case)
        except driver.DriverError as error:
            print(f"FAILED {family}: {case.name}: {error}", file=sys.stderr, flush=True)
            write_vectors(path, "", outputs)
            return number + 1
    write_vectors(path, device.device_name(), outputs)
    return len(members)


def record(forms_file, library, folder):
    """Runs everything on a GPU, each family in processes of its own."""
    for family, members in all_cases(forms_of(pathlib.Path(forms_file).read_text(encoding="utf-8"))).items():
        begin, first, faults = time.monotonic(), 0, -1
        while first < len(members) and faults < 20:
            command = [sys.executable, __file__, "record-family", forms_file, library, str(folder), family, str(first)]
            first = int(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1])
            faults += 1
        print(f"{family}: {first} of {len(members)} cases, {faults} faults, {time.monotonic() - begin:.1f} s", flush=True)


def differences(case, ours, theirs):
    """What is wrong with an output: lines, none when nothing is."""
    if case.close:
        return case.close(ours, theirs)
    if len(ours) != len(theirs):
        return [f"{len(ours)} bytes here, {len(theirs)} there"]
    return [f"byte {i}: {ours[i:i + 4].hex()} here, {theirs[i:i + 4].hex()} there" for i in range(0, len(ours), 4)
            if ours[i:i + 4] != theirs[i:i + 4]]


def replay(forms, library):
    """The number of cases that differ."""
    os.environ["WARPWRIGHT_EMULATOR_ARCH"] = "sm_90a"
    device = driver.Driver(library)
    failures = total = 0
    for family, members in all_cases(forms).items():
        vectors = read_vectors(FOLDER / f"{family}.xz")
        module = device.load(module_of(members))
        for number, case in enumerate(members):
            total += 1
            if case.name not in vectors:
                problems = ["no vector: record it on a GPU"]
            else:
                try:
                    problems = differences(case, run_case(device, module, number, case), vectors[case.name])
                except driver.DriverError as error:
                    problems = [str(error)]
            if problems:
                failures += 1
                print(f"FAILED {family}: {case.name}: {len(problems)} differences")
                print("".join(f"    {problem}\n" for problem in problems[:4]), end="")
        for name in set(vectors) - {case.name for case in members}:
            failures += 1
            print(f"FAILED {family}: a vector that no case has: {name}")
    print(f"{total} cases, {failures} differ")
    return failures


def main():
    verb, source = sys.argv[1], sys.argv[2]
    if verb == "record":
        record(source, sys.argv[3], sys.argv[4])
        return 0
    if verb == "record-family":
        forms = forms_of(pathlib.Path(source).read_text(encoding="utf-8"))
        print(record_family(forms, sys.argv[3], pathlib.Path(sys.argv[4]), sys.argv[5], int(sys.argv[6])))
        return 0
    forms = forms_of(subprocess.run([source], capture_output=True, text=True, check=True).stdout)
    if verb == "check":
        problems = list(coverage_problems(forms))
        print("\n".join(problems) or f"{len(on_hopper(forms))} forms have cases, {len(forms) - len(on_hopper(forms))} have a reason")
        return 1 if problems else 0
    return 1 if replay(forms, sys.argv[3]) else 0


if __name__ == "__main__":
    sys.exit(main())
