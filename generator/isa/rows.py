# SPDX-License-Identifier: Apache-2.0
"""Reads the rows of generator/isa/*.json and templates/device, checks them and expands their variants."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ["sync.json", "mbarrier.json", "memory.json", "tma.json", "tcgen05.json", "wgmma.json", "mma.json", "convert.json"]
ARCHS = ["sm_90a", "sm_100a", "sm_100f", "sm_103a"]
KINDS = ["r32", "r64", "h16", "imm", "f32", "pred", "tensor_map", "fragment", "words", "coordinates"]
SPACES = ["global", "param", "shared::cta", "shared::cluster", "tensor"]
COMPLETIONS = ["mbarrier", "bulk_group", "tcgen05.commit", "tcgen05.wait::ld", "wgmma.wait_group"]
ROW_KEYS = {"name", "summary", "summary_pair", "section", "form", "operands", "archs", "archs_pair", "dims",
            "widths", "overloads", "aligned", "pure", "until", "reads", "writes", "proxy", "completes_on", "clobbers_memory"}
COST_KEYS = ["registers", "registers_per_elem", "fma_per_elem", "mufu_per_elem", "conversions_per_elem",
             "global_loads_per_elem", "shared_stores_per_elem"]


class RowError(Exception):
    """A row that says something it may not."""


def require(condition, what):
    if not condition:
        raise RowError(what)


@dataclass
class Operand:
    name: str
    kind: str
    direction: str = "in"
    elems: int = 0      # of a fragment or of words
    tied: bool = False  # an operand of the wrapper that the PTX text does not name


@dataclass
class Instruction:
    name: str
    summary: str
    section: str
    forms: list
    operands: list
    archs: list
    is_aligned: bool = False
    is_pure: bool = False
    until: str = ""
    reads: list = field(default_factory=list)
    writes: list = field(default_factory=list)
    proxy: str = "generic"
    completes_on: str = ""
    clobbers_memory: bool = True
    overloads: list = field(default_factory=list)
    file: str = ""      # of its row, without the ending: "mbarrier"
    function: str = ""  # of the wrapper, where several rows overload it; otherwise the row's name

    @property
    def dependencies(self):
        types = {"fragment": "Fragment", "words": "Words"}
        return sorted({types[o.kind] for o in self.operands if o.kind in types})


@dataclass
class Piece:
    """A type or a device function of templates/device."""
    name: str
    is_type: bool
    summary: str
    text: str
    dependencies: list
    reads: list
    writes: list
    cost: dict


def operands_part(form):
    """What follows the opcode: 'mov.u32 d, a;' gives 'd, a;'."""
    return form.split(" ", 1)[1] if " " in form else ""


def operand_names(form):
    return re.findall(r"(?<![\w%])[A-Za-z_]\w*", operands_part(form))


def expand_operands(row, dim, width):
    """`width` is the N of a wgmma: its accumulator takes N / 2 registers of each thread."""
    operands = []
    for entry in row["operands"]:
        require(entry["kind"] in KINDS, f"{row['name']}: operand kind {entry['kind']}")
        if entry["kind"] == "coordinates":
            operands += [Operand(f"c{i}", "coordinates") for i in range(dim)]
        else:
            operands.append(Operand(**entry))
            if entry["kind"] == "words" and not operands[-1].elems:
                operands[-1].elems = width // 2
    return operands


def expand_form(form, dim, cta_group):
    if dim:
        form = form.replace(".dim.", f".{dim}d.")
        form = form.replace("coords", "{" + ", ".join(f"c{i}" for i in range(dim)) + "}")
    form = form.replace("{.cta_group}", ".cta_group::2" if cta_group == 2 else "")
    return form.replace(".cta_group.", f".cta_group::{cta_group}.")


def check_row(row, where):
    for key in ("name", "summary", "section", "form", "operands"):
        require(key in row, f"{where}: a row without '{key}': {row.get('name', row)}")
    name = row["name"]
    require(not set(row) - ROW_KEYS, f"{name}: unknown keys {sorted(set(row) - ROW_KEYS)}")
    for space in row.get("reads", []) + row.get("writes", []):
        require(space in SPACES, f"{name}: memory space {space}")
    require(row.get("completes_on") in COMPLETIONS + [None], f"{name}: completes_on {row.get('completes_on')}")
    require(row.get("proxy", "generic") in ("generic", "async"), f"{name}: proxy {row.get('proxy')}")
    require(row["summary"] and row["section"], f"{name}: empty summary or section")


def expand(row, default_archs):
    """The instructions of a row, one for each number of dimensions and each CTA group."""
    forms = row["form"] if isinstance(row["form"], list) else [row["form"]]
    groups = [1, 2] if any(".cta_group" in form for form in forms) else [1]
    instructions = []
    variants = [(dim, width) for dim in row.get("dims", [0]) for width in row.get("widths", [0])]
    for dim, width in variants:
        for group in groups:
            summary = row["summary"]
            if group == 2:
                summary = row.get("summary_pair", f"{summary} (cta_group::2)")
            archs = row.get("archs_pair" if group == 2 and "archs_pair" in row else "archs", default_archs)
            require(archs and all(arch in ARCHS for arch in archs), f"{row['name']}: archs {archs}")
            instructions.append(Instruction(
                name=row["name"] + (f"_{dim}d" if dim else "") + (f"_n{width}" if width else "") + ("_pair" if group == 2 else ""),
                function=row["name"] if width else "", summary=summary, section=row["section"],
                forms=[expand_form(form, dim, group).replace("nNk", f"n{width}k") for form in forms],
                operands=expand_operands(row, dim, width), archs=archs, is_aligned=row.get("aligned", False),
                is_pure=row.get("pure", False), until=row.get("until", ""), reads=row.get("reads", []),
                writes=row.get("writes", []), proxy=row.get("proxy", "generic"),
                completes_on=row.get("completes_on", ""), clobbers_memory=row.get("clobbers_memory", True),
                overloads=row.get("overloads", [])))
    return instructions


def check_instruction(instruction):
    named = {name for form in instruction.forms for name in operand_names(form)}
    operands = {operand.name for operand in instruction.operands}
    require(len(operands) == len(instruction.operands), f"{instruction.name}: an operand twice")
    for operand in instruction.operands:
        require(operand.tied != (operand.name in named), f"{instruction.name}: operand {operand.name} and its form")
    require(named - operands <= {"_"}, f"{instruction.name}: the form names {sorted(named - operands)}")
    if instruction.is_pure:
        require(not instruction.reads and not instruction.writes, f"{instruction.name}: pure, yet touches memory")


def load_instructions():
    instructions = []
    for file in FILES:
        document = json.loads((ROOT / "generator/isa" / file).read_text(encoding="utf-8"))
        for row in document["instructions"]:
            check_row(row, file)
            expanded = expand(row, document["archs"])
            for instruction in expanded:
                instruction.file = Path(file).stem
            instructions += expanded
    for instruction in instructions:
        check_instruction(instruction)
    return instructions


def load_piece(entry):
    name = entry["name"]
    unknown = set(entry) - {"name", "kind", "file", "dependencies", "reads", "writes", "cost"}
    require(not unknown, f"{name}: unknown keys {sorted(unknown)}")
    is_type = entry.get("kind") == "type"
    cost = entry.get("cost", {})
    require(not set(cost) - set(COST_KEYS), f"{name}: unknown costs {sorted(set(cost) - set(COST_KEYS))}")
    require(is_type or "registers" in cost, f"{name}: no cost row")
    lines = (ROOT / "templates/device" / entry.get("file", f"{name}.cuh")).read_text(encoding="utf-8").splitlines()
    require(lines[0].startswith("// SPDX") and lines[1].startswith("/// "), f"{name}: SPDX line, then a /// sentence")
    return Piece(name=name, is_type=is_type, summary=lines[1][4:], text="\n".join(lines[1:]) + "\n",
                 dependencies=entry.get("dependencies", []), reads=entry.get("reads", []),
                 writes=entry.get("writes", []), cost=cost)


def load_pieces(instructions):
    document = json.loads((ROOT / "generator/isa/device_functions.json").read_text(encoding="utf-8"))
    pieces = [load_piece(entry) for entry in document["pieces"]]
    files = {path.name for path in (ROOT / "templates/device").glob("*.cuh")}
    listed = {entry.get("file", f"{entry['name']}.cuh") for entry in document["pieces"]}
    require(files == listed, f"templates/device and its rows differ: {sorted(files ^ listed)}")
    check_order(instructions, pieces)
    return pieces


def check_order(instructions, pieces):
    """Every piece declares what its text uses, and stands after it: types, instructions, then functions."""
    types = [piece for piece in pieces if piece.is_type]
    functions = [piece for piece in pieces if not piece.is_type]
    ordered = types + instructions + functions
    names = [item.name for item in ordered]
    require(len(set(names)) == len(names), f"names given twice: {sorted(n for n in names if names.count(n) > 1)}")
    for index, item in enumerate(ordered):
        for dependency in item.dependencies:
            require(dependency in names[:index], f"{item.name}: {dependency} does not stand before it")
        if isinstance(item, Piece):
            code = re.sub(r"//.*", "", item.text)
            used = {name for name in re.findall(r"\w+", code) if name in names} - {item.name}
            require(used == set(item.dependencies), f"{item.name}: uses {sorted(used)}, declares {item.dependencies}")
