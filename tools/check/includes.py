#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes point leftwards, the runtime stands alone, prove and lower share nothing, and MLIR never meets JSON or CLI11."""
import tree

LEFT = ["support", "target", "isa", "spec", "plan"]
# What the files of an area may include besides their own area.
ALLOWED = {
    "support": [],
    "target": ["support"],
    "isa": ["support"],
    "spec": ["support"],
    "plan": ["support", "target", "isa", "spec"],
    # The launch expressions of an archive have one evaluator, the format's.
    "laws": LEFT + ["runtime/format"],
    "families": LEFT + ["laws"],
    "ir": LEFT,
    "lower": LEFT + ["ir"],
    "families/ir": LEFT + ["families", "ir", "lower"],
    # The core of the proof is plain C++; its front end reads the IR and the plan, never the lowering.
    "prove": ["support"],
    "prove/ir": ["support", "plan", "ir", "prove"],
    "emit": LEFT + ["ir", "lower", "prove", "prove/ir"],
    "compile": LEFT,
    "archive": LEFT + ["compile", "runtime", "runtime/format"],
    "runtime": ["runtime/format"],
    "runtime/format": [],
}
SEPARATE = ("nlohmann/", "valijson/", "CLI/")


def area_of(path):
    """The area of a file or of an included name; None where no rule holds (tools, tests, generated, system)."""
    parts = path.split("/")
    if parts[0] == "warpwright":
        return "runtime"
    if parts[0] == "runtime":
        return "runtime/format" if parts[1] == "format" else "runtime"
    if parts[0] != "generator" or len(parts) < 3:
        return None
    if parts[1] == "families":
        return "families/ir" if "ir" in parts[3:-1] else "families"
    if parts[1] == "prove" and "ir" in parts[2:-1]:
        return "prove/ir"
    return parts[1]


def closure(path, edges):
    """Every quoted file that `path` includes, directly or not, with the system names that they include."""
    seen, waiting, system = set(), [path], set()
    while waiting:
        for name, is_quoted in edges.get(waiting.pop(), []):
            if name in edges and name not in seen:
                seen.add(name)
                waiting.append(name)
            elif not is_quoted or name not in edges:
                system.add(name)
    return seen, system


def direction_problems(path, text):
    area = area_of(path)
    if area is None:
        return
    for line, name, is_quoted in tree.includes(text):
        if is_quoted and name.startswith(("../", "./")):
            yield f"{path}:{line}: {name}: includes are written from the repository's root"
        other = area_of(name)
        if other is None and is_quoted and name.startswith(("tools/", "tests/")):
            other = name.split("/")[0]
        if area.startswith("runtime") and name.startswith(("llvm/", "mlir/")):
            yield f"{path}:{line}: the runtime knows nothing of LLVM"
        if other is None or other == area:
            continue
        if area not in ALLOWED:
            yield f"{path}:{line}: the area {area} has no rule in tools/check/includes.py"
        elif other not in ALLOWED[area]:
            yield f"{path}:{line}: {area} may not include {name}"


def find_problems(root):
    texts = {path: tree.read(root, path)
             for path in tree.files(root, "generator", "runtime", "tools", "tests", endings=tree.CODE_ENDINGS)}
    edges = {path: [(name, is_quoted) for _, name, is_quoted in tree.includes(text)] for path, text in texts.items()}
    for path, text in texts.items():
        yield from direction_problems(path, text)
        if not path.endswith(".cpp"):
            continue
        headers, system = closure(path, edges)
        meets = sorted(name for name in system if name.startswith(SEPARATE))
        if meets and any(name.startswith("mlir/") for name in system):
            yield f"{path}: one translation unit includes MLIR and {meets[0]}"
        for mine, other in (("generator/prove/", "generator/lower/"), ("generator/lower/", "generator/prove/")):
            shared = sorted(name for name in headers if path.startswith(mine) and name.startswith(other))
            if shared:
                yield f"{path}: {mine} and {other} share no code, but it includes {shared[0]}"


if __name__ == "__main__":
    tree.run("includes", find_problems)
