# SPDX-License-Identifier: Apache-2.0
"""What a warp's lanes decide together, in whole warps and in parts of them; control flow; barriers of a CTA; fences."""
from cases import THREADS, Case, operand_values, pack, rng_of, untouched
from memory import REGISTERS, SETUP, SHARED, inputs_of

# Lanes that take part, by warp.
MASKS = [0xFFFFFFFF, 0x0000FFFF, 0xAAAAAAAA, 0x00000001, 0x80000000, 0x7FFFFFFE, 0xF0F0F0F0, 0xFFFFFFFF]
# Segments of shfl stay inside these.
SHUFFLE_MASKS = [0xFFFFFFFF, 0x0000FFFF, 0xFFFF0000, 0xFFFFFFFF, 0xFFFFFFFF, 0x0000FFFF, 0xFFFFFFFF, 0xFFFFFFFF]


def warp_case(opcode, signature):
    """One form in warps that take part with different lanes; the others branch around it."""
    name = f"{opcode} {signature}"
    rng = rng_of(name)
    is_shuffle = opcode.startswith("shfl")
    masks = SHUFFLE_MASKS if is_shuffle else MASKS
    if opcode.startswith("activemask"):
        masks = [0xFFFFFFFF] * 8
    values, others = operand_values(["b32", "b32"], rng)
    if opcode.startswith("redux"):
        others = [0] * THREADS
    if is_shuffle:
        clamps = [0x1F, 0x001F, 0x1F] if ".up." not in opcode else [0]
        segments = [0, 0x10, 0x18, 0x1C, 0x1E]
        others = [rng.randrange(40) if masks[i // 32] == 0xFFFFFFFF else rng.randrange(16) for i in range(THREADS)]
        control = [rng.choice(clamps) | (0x10 if masks[i // 32] != 0xFFFFFFFF else rng.choice(segments)) << 8 for i in range(THREADS)]
    else:
        control = [0] * THREADS
    rows = [values, others, control, [masks[i // 32] for i in range(THREADS)]]
    loads = "".join(f"\tld.global.b32 %w{i}, [%src+{i * 4 * THREADS}];\n" for i in range(4))
    before = ("\tmul.wide.u32 %lane, %tx, 4;\n\tadd.u64 %src, %in, %lane;\n\tadd.u64 %dst, %out, %lane;\n" + loads +
              "\tmov.u32 %w8, %lanemask_eq;\n\tand.b32 %w8, %w8, %w3;\n\tsetp.eq.b32 %p, %w8, 0;\n\t@%p bra SKIP;\n")
    predicate = "\tand.b32 %w9, %w0, 1;\n\tsetp.ne.b32 %q0, %w9, 0;\n\tmov.b32 %w10, 0;\n"
    head = opcode.split(".")[0]
    text = {"shfl": "%w10|%q1, %w0, %w1, %w2, %w3", "redux": "%w10, %w0, %w3", "elect": "%w10|%q1, %w3",
            "activemask": "%w10", "vote": "%w10, %q0, %w3" if "ballot" in opcode else "%q1, %q0, %w3"}[head]
    after = ("\tselp.b32 %w11, 1, 0, %q1;\n\tst.global.b32 [%dst], %w10;\n" + f"\tst.global.b32 [%dst+{4 * THREADS}], %w11;\nSKIP:\n")
    declarations = REGISTERS + "\t.reg .pred %q<2>;\n"
    setup = "\tsetp.ne.b32 %q1, %w0, %w0;\n"
    return Case(name, [(opcode, signature)], declarations, before + predicate + setup + f"\t{opcode} {text};\n" + after,
                b"".join(pack(row, 4) for row in rows), untouched(8 * THREADS))


def control_case(forms):
    """Branches with divergent lanes, guarded instructions, ends of threads in turn, and what has no result."""
    words = ("bra", "bra.uni", "ret", "ret.uni", "exit", "bar.warp.sync", "nanosleep.u32", "griddepcontrol.wait",
             "griddepcontrol.launch_dependents", "setmaxnreg.dec.sync.aligned.u32", "setmaxnreg.inc.sync.aligned.u32")
    body = SETUP + """	ld.global.b32 %w0, [%src];
	setmaxnreg.dec.sync.aligned.u32 48;
	bar.sync 0;
	setmaxnreg.inc.sync.aligned.u32 64;
	griddepcontrol.wait;
	griddepcontrol.launch_dependents;
	nanosleep.u32 20;
	mov.b32 %w1, 0;
	bra.uni NEXT;
	mov.b32 %w1, 99;
NEXT:
	and.b32 %w2, %w0, 7;
AGAIN:
	add.u32 %w1, %w1, %w2;
	setp.ne.b32 %p, %w2, 0;
	@%p sub.u32 %w2, %w2, 1;
	@%p bra AGAIN;
	bar.warp.sync 0xffffffff;
	setp.lt.u32 %p, %tx, 70;
	@!%p add.u32 %w1, %w1, 1000;
	@%p mul.lo.u32 %w1, %w1, 3;
	st.global.b32 [%dst], %w1;
	setp.eq.u32 %p, %tx, 5;
	@%p ret;
	setp.eq.u32 %p, %tx, 40;
	@%p exit;
	setp.gt.u32 %p, %tx, 95;
	@%p bra LAST;
	st.global.b32 [%dst+4], %tx;
	ret.uni;
LAST:
	st.global.b32 [%dst+8], %w0;
	exit;
"""
    name = "control"
    return Case(name, [form for form in forms if form[0] in words], SHARED + REGISTERS, body, inputs_of(name, 16 * 128),
                untouched(16 * 128), 128, directives=".maxnreg 64\n")


def barrier_case(forms):
    """Barriers of a CTA: what one half of it stored before, the other reads after."""
    heads = ("bar.sync", "bar.cta.sync", "bar.arrive", "bar.cta.arrive", "barrier.sync", "barrier.arrive", "barrier.cta.sync",
             "barrier.cta.arrive")
    found = [form for form in forms if form[0].replace(".aligned", "") in heads]
    body, number = [SETUP, "\tsetp.lt.u32 %p, %tx, 64;\n\tmov.u64 %at, tile;\n\tmad.wide.u32 %at, %tx, 4, %at;\n"
                    "\tmov.u64 %l0, tile;\n\txor.b32 %w1, %tx, 64;\n\tmad.wide.u32 %l0, %w1, 4, %l0;\n"], 0
    for opcode, _ in found:
        sync = opcode.replace("arrive", "sync")
        for operands in (["2, 128"] if "arrive" in opcode else ["3", "4, 128"]):
            first = sync if "arrive" in opcode else opcode
            body.append(f"\tbar.sync 0;\n\tadd.u32 %w0, %tx, {1000 * number};\n\tst.shared.b32 [%at], %w0;\n"
                        f"\t@!%p bra OTHER_{number};\n\t{first} {operands};\n\tld.shared.b32 %w2, [%l0];\n"
                        f"\tst.global.b32 [%dst+{number * 2048}], %w2;\n\tbra DONE_{number};\nOTHER_{number}:\n"
                        f"\t{opcode} {operands};\nDONE_{number}:\n")
            number += 1
    return Case("barriers", found, SHARED + REGISTERS, "".join(body), bytes(16 * 128), untouched(2048 * number), 128)


def fence_case(forms):
    """Fences have no result: they run between a store and a load."""
    found = [form for form in forms if form[0].startswith(("fence.", "membar.")) and "tcgen05" not in form[0] and not form[1]]
    body = [SETUP]
    for number, (opcode, _) in enumerate(found):
        body.append(f"\tadd.u32 %w0, %tx, {number};\n\tst.shared.b32 [%s32], %w0;\n\t{opcode};\n\tld.shared.b32 %w1, [%s32];\n"
                    f"\tst.global.b32 [%dst+{number * 512}], %w1;\n")
    return Case("fences", found, SHARED + REGISTERS, "".join(body), b"", untouched(512 * len(found)), 32)


def cases(forms):
    """Every case of this family."""
    for opcode, signature in forms:
        if opcode.split(".")[0] in ("shfl", "vote", "redux", "elect", "activemask") and ".f32" not in opcode:
            yield warp_case(opcode, signature)
    yield control_case(forms)
    yield barrier_case(forms)
    yield fence_case(forms)
