#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that every value of every option of a family is written out in some shipped spec.

usage: option_coverage.py WARPWRIGHT [SPEC_FOLDER]    (default: configs/kernels; one sub-folder a family)

The legal values come from `warpwright schema FAMILY`. A choice, a boolean or an integer with at most 32 legal values must
occur with each of them; a wider range, a list or a number with two different ones (a number: one). A field whose default
is "auto" must also be left to the planner somewhere. Exit 1 names what is missing.
"""
import json
import pathlib
import subprocess
import sys

MOST_LISTED_VALUES = 32


def leaves(schema, path=()):
    """(dotted path, schema) of every field below an object schema; $-keys and constants are not options."""
    for name, part in schema.get("properties", {}).items():
        if name.startswith("$") or "const" in part:
            continue
        if part.get("type") == "object":
            yield from leaves(part, path + (name,))
        else:
            yield ".".join(path + (name,)), part


def wanted(part):
    """(values that must occur, how many different ones at least) of a field."""
    values, least = [], 0
    for form in part.get("anyOf", [part]):
        if "enum" in form:
            values += [value for value in form["enum"] if value != "auto"]
        elif form.get("type") == "boolean":
            values += [True, False]
        elif form.get("type") == "integer":
            step = form.get("multipleOf", 1)
            numbers = range(-(-form["minimum"] // step) * step, form["maximum"] + 1, step)
            if len(numbers) <= MOST_LISTED_VALUES:
                values += numbers
            else:
                least = 2
        elif form.get("type") == "array":
            least = 2
        elif form.get("type") == "number":
            least = 1
        else:
            raise ValueError(f"option_coverage does not know the schema {form}")
    return values, least


def written(spec, path):
    """The value that a spec writes at a dotted path, or None."""
    value = spec
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def is_same(left, right):
    return type(left) is type(right) and left == right


def gaps(schema, specs):
    """What the specs leave out, as lines."""
    for path, part in leaves(schema):
        found = [written(spec, path) for spec in specs]
        explicit = [value for value in found if value not in (None, "auto")]
        values, least = wanted(part)
        for value in values:
            if not any(is_same(value, other) for other in explicit):
                yield f"{path}: no spec has {json.dumps(value)}"
        different = {json.dumps(value) for value in explicit if value not in values}
        if len(different) < least:
            yield f"{path}: {len(different)} different values are written, {least} are wanted"
        if part.get("default") == "auto" and len(explicit) == len(found):
            yield f"{path}: no spec leaves it to the planner"


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "configs/kernels")
    families = sorted(folder for folder in root.iterdir() if folder.is_dir())
    if not families:
        sys.exit(f"option_coverage: no family has specs in {root}")
    lines = []
    for folder in families:
        files = sorted(folder.glob("*.json"))
        specs = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        lines += [f"{file}: has no \"{key}\"" for file, spec in zip(files, specs) for key in ("$schema", "$comment")
                  if key not in spec]
        schema = json.loads(subprocess.run([sys.argv[1], "schema", folder.name], check=True, capture_output=True,
                                           text=True).stdout)
        count = sum(len(wanted(part)[0]) for _, part in leaves(schema))
        missing = list(gaps(schema, specs))
        print(f"{folder.name}: {len(specs)} specs, {count} listed values, {len(missing)} gaps")
        lines += [f"{folder.name}: {line}" for line in missing]
    if lines:
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    main()
