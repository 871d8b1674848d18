# SPDX-License-Identifier: Apache-2.0
"""Clusters of two CTAs: each other's shared memory and mbarriers, and the cluster's barrier."""
from cases import Case, untouched
from memory import REGISTERS, SETUP, SHARED, inputs_of

LANES = 32
RANK = ("\tmov.u32 %w8, %cluster_ctarank;\n\txor.b32 %w9, %w8, 1;\n\tmad.wide.u32 %dst, %w8, 4096, %dst;\n"
        "\tmad.wide.u32 %src, %w8, 512, %src;\n")
SYNC = "\tbarrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;\n"
FILL = "\tld.global.v4.b32 {%w12, %w13, %w14, %w15}, [%src];\n\tst.shared.v4.b32 [%s32], {%w12, %w13, %w14, %w15};\n"


def case_of(name, forms, body, num_bytes):
    """A case on one cluster."""
    return Case(name, forms, SHARED + REGISTERS + "\t.shared .align 8 .b8 full[8];\n", SETUP + RANK + body, inputs_of(name, 1024),
                untouched(2 * 4096 if num_bytes is None else num_bytes), LANES, 2, 2)


def peer_case(forms):
    """mapa, then loads, stores and atomics there."""
    found = [form for form in forms if form[0].startswith("mapa.")]
    body = FILL + SYNC
    body += "\tmapa.shared::cluster.u32 %w0, %s32, %w9;\n\tld.shared::cluster.b32 %w1, [%w0];\n\tst.global.b32 [%dst], %w1;\n"
    body += "\tmapa.shared::cluster.u64 %l0, %sh, %w9;\n\tld.shared::cluster.v2.b32 {%w1, %w2}, [%l0+8];\n\tst.global.v2.b32 [%dst+8], {%w1, %w2};\n"
    body += "\tcvta.shared.u64 %l1, %sh;\n\tmapa.u64 %l2, %l1, %w9;\n\tld.b32 %w1, [%l2+4];\n\tst.global.b32 [%dst+4], %w1;\n"
    body += SYNC + "\tadd.u32 %w3, %w8, 77;\n\tst.shared::cluster.b32 [%w0], %w3;\n\tst.b32 [%l2+4], %tx;\n"
    body += SYNC + "\tld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%s32];\n\tst.global.v4.b32 [%dst+512], {%w0, %w1, %w2, %w3};\n" + SYNC
    return case_of("peers", found, body, None)


def barrier_case(forms):
    """Each way to arrive with each way to wait; what the peer stored before is read after."""
    arrives = [form for form in forms if form[0].startswith("barrier.cluster.arrive")]
    waits = [form for form in forms if form[0].startswith("barrier.cluster.wait")]
    body = SYNC + "\tmapa.shared::cluster.u32 %w0, %s32, %w9;\n"
    number = 0
    for arrive, _ in arrives:
        for wait, _ in waits:
            fence = "\tfence.acq_rel.cluster;\n" if "relaxed" in arrive else ""
            body += (f"\tadd.u32 %w1, %tx, {100 * number};\n\tst.shared::cluster.b32 [%w0], %w1;\n{fence}\t{arrive};\n\t{wait};\n"
                     f"\tld.shared.b32 %w2, [%s32];\n\tst.global.b32 [%dst+{(number % 8) * 512 + 4 * (number // 8)}], %w2;\n" + SYNC)
            number += 1
    return case_of("cluster barriers", arrives + waits, body, None)


def arrival_case(forms):
    """Arrivals on the peer's mbarrier."""
    found = [form for form in forms if form[0].startswith("mbarrier.arrive") and "shared::cluster" in form[0]]
    body, number = "\tmov.u32 %w4, full;\n\tmapa.shared::cluster.u32 %w5, %w4, %w9;\n\tsetp.ne.u32 %p, %tx, 0;\n", 0
    for opcode, _ in found:
        tail = ", 0" if "expect_tx" in opcode else ""
        body += (f"\t@!%p mbarrier.init.shared.b64 [%w4], 32;\n\tfence.mbarrier_init.release.cluster;\n" + SYNC +
                 f"\t{opcode} _, [%w5]{tail};\n" + SYNC + "\tmbarrier.test_wait.parity.shared.b64 %p, [%w4], 0;\n\tselp.b32 %w6, 1, 0, %p;\n"
                 f"\tst.global.b32 [%dst+{(number % 8) * 512 + 4 * (number // 8)}], %w6;\n\tsetp.ne.u32 %p, %tx, 0;\n\tbar.sync 0;\n"
                 "\t@!%p mbarrier.inval.shared.b64 [%w4];\n\tbar.sync 0;\n")
        number += 1
    return case_of("remote arrivals", found, body, None)


def cases(forms):
    """Every case on a cluster."""
    yield peer_case(forms)
    yield barrier_case(forms)
    yield arrival_case(forms)
