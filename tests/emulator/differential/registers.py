# SPDX-License-Identifier: Apache-2.0
"""Forms that only touch registers: a kernel each, made from the form's own signature."""
import re

from cases import THREADS, Case, operand_values, pack, rng_of, untouched
import tolerance

REGISTER_TYPES = {1: "b16", 2: "b16", 4: "b32", 8: "b64"}
SKIPPED = ("ld", "st", "atom", "red", "cp", "mbarrier", "barrier", "bar", "fence", "membar", "bra", "ret", "exit", "trap", "cvta", "mapa",
           "prefetch", "nanosleep", "griddepcontrol", "setmaxnreg", "tcgen05", "elect", "activemask", "shfl", "vote", "redux", "wgmma",
           "ldmatrix", "stmatrix", "movmatrix", "clusterlaunchcontrol", "call", "isspacep", "applypriority", "discard", "createpolicy",
           "match", "brx", "alloca", "getctarank", "mma", "multimem")
TYPE = re.compile(r"^([busf](8|16|32|64)|bf16|f16|f16x2|bf16x2|f32x2|tf32|e\dm\dx2|e\dm\dx4|ue8m0x2|pred)$")
NARROW_PAIRS = {"e4m3x2": "b16", "e5m2x2": "b16", "e2m3x2": "b16", "e3m2x2": "b16", "ue8m0x2": "b16", "e2m1x2": "b8"}


def parse_signature(signature):
    """[(width letter, is destination, is pair, count, is optional)] of a form."""
    slots = []
    for word in signature.split():
        match = re.match(r"^(\??)(>?)([a-z@])(\d*)(\|p)?$", word)
        slots.append((match[3], match[2] == ">", bool(match[5]), int(match[4] or 0), bool(match[1])))
    return slots


def types_of(opcode):
    """The types that an opcode names, in its order."""
    return [word for word in opcode.split(".") if TYPE.match(word)]


def kind_of(opcode, letter, index, is_destination, count):
    """What an operand holds: a type of cases.specials_and_random."""
    types = types_of(opcode)
    head = opcode.split(".")[0]
    if letter == "p":
        return "pred"
    if head == "mov" and count:
        return {("b32", 2): "b16", ("b64", 2): "b32", ("b64", 4): "b16"}[types[0], count]
    if head in ("shl", "shr") and index == 2:
        return "count"
    if head in ("bfe", "bfi", "szext", "bmsk") and letter == "w" and index >= (3 if head == "bfi" else 2 if head == "bfe" else 1) + 0:
        return "count" if not (head == "bfi" and index < 3) else "b32"
    if head == "shf" and index == 3:
        return "count"
    if head in ("mul", "mad") and "wide" in opcode.split("."):
        narrow, wide = types[0], types[0][0] + str(2 * int(types[0][1:]))
        return wide if is_destination or index == 3 else narrow
    if head in ("popc", "clz", "bfind", "fns") and is_destination:
        return "u32"
    if head in ("dp4a", "dp2a"):
        return "b32"
    if head == "prmt" and index == 3:
        return "b32"
    if head in ("setp",):
        return types[-1]
    if head == "set" and len(types) == 2:
        return types[0] if is_destination else types[1]
    if head == "cvt":
        if len(types) == 1:
            return types[0]
        source = types[0] if is_destination else types[-1]
        return "f32-more" if source == "f32" and not is_destination else source
    if head in ("sin", "cos") and not is_destination:
        return "angle"
    kind = types[-1] if types else "b32"
    if head == "sad" and index == 3 or head == "sad" and is_destination:
        return kind
    return kind


def register_type(kind):
    """The register that an operand of a kind takes; and the kind whose values it is filled with."""
    if kind in ("f32-more", "f32", "tf32", "count", "angle"):
        return "b32"
    if kind == "pred":
        return "pred"
    if kind in ("f16x2", "bf16x2"):
        return "b32"
    if kind in ("f32x2", "f64"):
        return "b64"
    if kind in ("f16", "bf16"):
        return "b16"
    if kind in NARROW_PAIRS:
        return NARROW_PAIRS[kind]
    return {"8": "b16", "16": "b16", "32": "b32", "64": "b64"}[re.sub(r"\D", "", kind)]


def value_kind(kind):
    """The kind of values for an operand: packed small floats are any bits."""
    if kind in NARROW_PAIRS:
        return "b16"
    if kind == "f32x2":
        return "b64"
    return "f32" if kind == "tf32" else kind


class Kernel:
    """Text of one kernel while its operands are written down."""

    def __init__(self):
        self.declarations, self.body, self.columns, self.widths, self.outputs = [], [], [], [], []
        self.store_lines = []

    def load(self, name, kind):
        """An input operand from its column of the input buffer."""
        reg = register_type(kind)
        self.declarations.append(f".reg .{reg} {name};")
        self.columns.append(value_kind(kind))
        width = {"pred": 4, "b8": 2}.get(reg) or int(reg[1:]) // 8
        base = sum(self.widths) * THREADS
        self.widths.append(width)
        at = f"[%ad_{len(self.widths)}]"
        self.declarations.append(f".reg .b64 %ad_{len(self.widths)};")
        self.body.append(f"mad.wide.u32 %ad_{len(self.widths)}, %tx, {width}, %in;")
        self.body.append(f"add.u64 %ad_{len(self.widths)}, %ad_{len(self.widths)}, {base};")
        if reg == "pred":
            self.declarations.append(f".reg .b32 %w_{len(self.widths)};")
            self.body.append(f"ld.global.b32 %w_{len(self.widths)}, {at};")
            self.body.append(f"setp.ne.b32 {name}, %w_{len(self.widths)}, 0;")
        elif reg == "b8":
            self.declarations.append(f".reg .b16 %n_{len(self.widths)};")
            self.body.append(f"ld.global.b16 %n_{len(self.widths)}, {at};")
            self.body.append(f"cvt.u8.u16 {name}, %n_{len(self.widths)};")
        else:
            self.body.append(f"ld.global.b{width * 8} {name}, {at};")

    def store(self, name, kind):
        """A destination, stored after the instruction."""
        reg = register_type(kind)
        self.declarations.append(f".reg .{reg} {name};")
        width = {"pred": 1, "b8": 1}.get(reg) or int(reg[1:]) // 8
        number = len(self.outputs)
        self.outputs.append(width)
        base = sum(self.outputs[:-1]) * THREADS
        lines = self.store_lines
        self.declarations.append(f".reg .b64 %as_{number};")
        lines.append(f"mad.wide.u32 %as_{number}, %tx, {width}, %out;")
        lines.append(f"add.u64 %as_{number}, %as_{number}, {base};")
        if reg == "pred":
            self.declarations.append(f".reg .b32 %s_{number};")
            lines.append(f"selp.b32 %s_{number}, 1, 0, {name};")
            lines.append(f"st.global.b8 [%as_{number}], %s_{number};")
        elif reg == "b8":
            lines.append(f"st.global.b8 [%as_{number}], {name};")
        else:
            lines.append(f"st.global.b{width * 8} [%as_{number}], {name};")

    def case(self, name, forms, close=None, values=None):
        """The finished case."""
        rng = rng_of(name)
        columns = values or operand_values(self.columns, rng) if self.columns else []
        data = b"".join(pack(column, width) for column, width in zip(columns, self.widths))
        text = lambda lines: "".join(f"\t{line}\n" for line in lines)
        return Case(name, forms, text(self.declarations), text(self.body + self.store_lines), data,
                    untouched(sum(self.outputs) * THREADS), close=close)


IMMEDIATES = {"lop3": (0x00, 0x1B, 0x96, 0xE8, 0xFE, 0xD8, 0x6A, 0x80)}


def register_case(opcode, signature):
    """The case of one form."""
    kernel = Kernel()
    operands, repeats = [], IMMEDIATES.get(opcode.split(".")[0], (None,))
    destinations = []
    for index, (letter, is_destination, is_pair, count, _) in enumerate(parse_signature(signature)):
        if letter == "i":
            operands.append(None)
            continue
        kind = kind_of(opcode, letter, index, is_destination, count)
        names = [f"%v{index}_{i}" for i in range(max(count, 1))]
        if is_destination:
            destinations.append((index, names, kind, is_pair, count))
        else:
            for name in names:
                kernel.load(name, kind)
        operands.append((names, count, is_pair))
    for number, immediate in enumerate(repeats):
        words = list(operands)
        for index, names, kind, is_pair, count in destinations:
            renamed = [f"{name}_{number}" for name in names]
            for name in renamed:
                kernel.store(name, kind)
            if is_pair:
                kernel.store(f"{renamed[0]}_q", "pred")
                renamed = [f"{renamed[0]}|{renamed[0]}_q"]
            words[index] = (renamed, count, is_pair)
        text = ", ".join(str(immediate) if word is None else "{" + ", ".join(word[0]) + "}" if word[1] else word[0][0] for word in words)
        kernel.body.append(f"{opcode} {text};")
    name = f"{opcode} {signature}"
    return kernel.case(name, [(opcode, signature)], tolerance.of(opcode))


def cases(forms):
    """A case for each form of the machine that has only register operands."""
    return [register_case(opcode, signature) for opcode, signature in forms
            if opcode.split(".")[0] not in SKIPPED and not opcode.endswith(".b128")]
