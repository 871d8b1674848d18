# SPDX-License-Identifier: Apache-2.0
"""Prints the CUDA function of an instruction row: PTX text, constraints and signature follow from the form."""

import re

from rows import RowError, operands_part

LINE_LIMIT = 120
CONSTRAINTS = {"r32": "r", "r64": "l", "h16": "h", "imm": "n", "f32": "f", "pred": "r", "tensor_map": "l",
               "fragment": "f", "words": "r", "coordinates": "r"}
TYPES = {"r32": "u32", "r64": "u64", "h16": "u16", "f32": "float", "pred": "u32", "coordinates": "int"}
REGISTERS_PER_LINE = 16


def parameter(operand, elems):
    if operand.kind == "tensor_map":
        return f"const TensorMap &{operand.name}"
    if operand.kind == "fragment":
        return f"Fragment<{elems}> &{operand.name}"
    if operand.kind == "words":
        return f"{'const ' if operand.direction == 'in' else ''}Words<{operand.elems}> &{operand.name}"
    return f"{TYPES[operand.kind]} {operand.name}"


def result_of(instruction):
    """The operand that the function returns, or None."""
    outs = [o for o in instruction.operands if o.direction == "out" and o.kind not in ("fragment", "words")]
    if len(outs) > 1:
        raise RowError(f"{instruction.name}: more than one result")
    return outs[0] if outs and outs[0].name != instruction.until else None


def bind(instruction, elems):
    """Numbers the operands: (text by operand name, output constraints, input constraints)."""
    texts, outs, ins, next_index = {}, [], [], 0
    for is_output in (True, False):
        for operand in instruction.operands:
            if (operand.direction != "in") != is_output:
                continue
            if operand.name == instruction.until:
                texts[operand.name] = "p"
                continue
            mark = {"in": "", "out": "=", "inout": "+"}[operand.direction] + CONSTRAINTS[operand.kind]
            if operand.kind == "fragment":
                names = [f"{operand.name}.v[{i}]" for i in range(elems)]
            elif operand.kind == "words":
                names = [f"{operand.name}.v[{i}]" for i in range(operand.elems)]
            else:
                names = [f"&{operand.name}" if operand.kind == "tensor_map" else operand.name]
            texts[operand.name] = [f"%{next_index + i}" for i in range(len(names))]
            (outs if is_output else ins).extend(f'"{mark}"({name})' for name in names)
            next_index += len(names)
    return texts, outs, ins


def substitute(form, texts, predicates):
    """The lines of one instruction with its operands numbered; a register list gets lines of its own."""
    def replace(match):
        text = texts.get(match.group(0), match.group(0))
        if match.group(0) in predicates:
            return "p"
        if isinstance(text, str):
            return text
        if len(text) == 1:
            return text[0]
        rows = [text[i:i + REGISTERS_PER_LINE] for i in range(0, len(text), REGISTERS_PER_LINE)]
        return "\0{" + ",\0".join(", ".join(row) for row in rows) + "}"
    opcode = form.split(" ", 1)[0]
    operands = re.sub(r"(?<![\w%])[A-Za-z_]\w*", replace, operands_part(form).replace("%", "%%"))
    return (opcode + (" " + operands if operands else "")).split("\0")


def ptx_lines(instruction, texts):
    """String literals of the asm statement, a list of lines for each PTX instruction."""
    predicate = next((o for o in instruction.operands if o.kind == "pred"), None)
    predicates = [predicate.name] if predicate else []
    body = [substitute(form, texts, predicates) for form in instruction.forms]
    if not predicate:
        return body
    if predicate.direction == "in":
        body.insert(0, [f"setp.ne.b32 p, {texts[predicate.name][0]}, 0;"])
    elif instruction.until:
        body = [["WAIT:"]] + body + [["@!p bra WAIT;"]]
    else:
        body.append([f"selp.u32 {texts[predicate.name][0]}, 1, 0, p;"])
    return [["{"], [".reg .pred p;"]] + body + [["}"]]


def wrapped(items, head):
    """`items` joined by commas behind `head`, in lines no longer than the limit."""
    lines, line = [], head
    for index, item in enumerate(items):
        piece = item + ("," if index + 1 < len(items) else "")
        if len(line) + 1 + len(piece) > LINE_LIMIT - 6:  # the statement stands six columns in
            lines.append(line)
            line = " " * (len(head) + 1) + piece
        else:
            line += " " + piece
    return lines + [line]


def constraints_tail(outs, ins, clobber):
    sections = [", ".join(outs), ", ".join(ins), clobber]
    while sections and not sections[-1]:
        sections.pop()
    tail = " : ".join(["", *sections])
    while ":  :" in tail:
        tail = tail.replace(":  :", "::")
    return tail


def asm_statement(instruction, texts, outs, ins):
    keyword = "asm(" if instruction.is_pure else "asm volatile("
    clobber = '"memory"' if instruction.clobbers_memory and not instruction.is_pure else ""
    lines = ptx_lines(instruction, texts)
    literals = []
    for index, pieces in enumerate(lines):
        for piece in pieces[:-1]:
            literals.append(f'"{piece}"' if piece.endswith(" ") else f'"{piece} "')
        literals.append(f'"{pieces[-1]}' + ("\\n\\t\"" if index + 1 < len(lines) else '"'))
    if len(literals) == 1:
        tail = constraints_tail(outs, ins, clobber)
        one_line = f"  {keyword}{literals[0]}{tail});"
        if len(one_line) <= LINE_LIMIT:
            return [one_line]
    return split_statement(keyword, literals, outs, ins, clobber)


def split_statement(keyword, literals, outs, ins, clobber):
    if len(literals) == 1 and len(literals[0]) > LINE_LIMIT - 8:
        opcode, operands = literals[0][1:-1].split(" ", 1)
        literals = [f'"{opcode} "', f'"{operands}"']
    lines = [f"  {keyword}"]
    for group in literals:
        lines.append("      " + group)
    sections = [wrapped(outs, ":"), wrapped(ins, ":"), wrapped([clobber] if clobber else [], ":")]
    while sections and sections[-1] == [":"]:
        sections.pop()
    for section in sections:
        lines += ["      " + line for line in section]
    lines[-1] += ");"
    return lines


def function_text(instruction, elems):
    result = result_of(instruction)
    texts, outs, ins = bind(instruction, elems)
    parameters = [parameter(o, elems) for o in instruction.operands
                  if o.kind != "imm" and o is not result and o.name != instruction.until]
    immediates = [f"int {o.name}" for o in instruction.operands if o.kind == "imm"]
    head = f"template <{', '.join(immediates)}> " if immediates else ""
    returned = "void" if not result else "bool" if result.kind == "pred" else TYPES[result.kind]
    lines = [f"{head}WW_DEVICE {returned} {instruction.function or instruction.name}({', '.join(parameters)}) {{"]
    if result:
        lines.append(f"  {TYPES[result.kind]} {result.name};")
    lines += asm_statement(instruction, texts, outs, ins)
    if result:
        lines.append(f"  return {result.name}" + (" != 0;" if result.kind == "pred" else ";"))
    return "\n".join(lines + ["}"]) + "\n"


def wrapper_text(instruction):
    """The function, below its one-line summary; a row with overloads gives one function for each length."""
    own = max((o.elems for o in instruction.operands if o.kind == "fragment"), default=0)
    text = f"/// {instruction.summary}.\n"
    text += "".join(function_text(instruction, elems) for elems in instruction.overloads or [own])
    for line in text.splitlines():
        if len(line) > LINE_LIMIT:
            raise RowError(f"{instruction.name}: a line of {len(line)} characters: {line}")
    return text
