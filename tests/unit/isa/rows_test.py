# SPDX-License-Identifier: Apache-2.0
"""What the readers of instruction rows refuse, and what they make of variants."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "generator/isa"))

import generate  # noqa: E402
import rows  # noqa: E402
from wrapper import wrapper_text  # noqa: E402


def row(**changes):
    base = {"name": "probe", "summary": "Probes", "section": "Probe", "form": "probe.b32 [addr], value;",
            "operands": [{"name": "addr", "kind": "r32"}, {"name": "value", "kind": "r32"}]}
    base.update(changes)
    return {key: value for key, value in base.items() if value is not None}


def expand(**changes):
    made = row(**changes)
    rows.check_row(made, "test.json")
    instructions = rows.expand(made, ["sm_100a"])
    for instruction in instructions:
        rows.check_instruction(instruction)
    return instructions


class RefusedRows(unittest.TestCase):
    def refuse(self, words, **changes):
        with self.assertRaisesRegex(rows.RowError, words):
            expand(**changes)

    def test_the_base_row_is_legal(self):
        self.assertEqual(len(expand()), 1)

    def test_key_that_no_row_has(self):
        self.refuse("unknown keys .*'colour'", colour="red")

    def test_missing_section(self):
        self.refuse("without 'section'", section=None)

    def test_empty_summary(self):
        self.refuse("empty summary", summary="")

    def test_operand_that_the_form_does_not_name(self):
        self.refuse("operand value and its form", form="probe.b32 [addr];")

    def test_form_that_names_no_operand(self):
        self.refuse(r"the form names \['mask'\]", form="probe.b32 [addr], value, mask;")

    def test_tied_operand_that_the_form_names(self):
        self.refuse("operand addr", operands=[{"name": "addr", "kind": "r32", "tied": True},
                                              {"name": "value", "kind": "r32"}])

    def test_operand_kind(self):
        self.refuse("operand kind r128", operands=[{"name": "addr", "kind": "r128"}])

    def test_architecture(self):
        self.refuse("archs", archs=["sm_75"])

    def test_memory_space(self):
        self.refuse("memory space heap", reads=["heap"])

    def test_completion(self):
        self.refuse("completes_on hope", completes_on="hope")

    def test_pure_row_with_memory(self):
        self.refuse("pure, yet touches memory", pure=True, reads=["global"])

    def test_two_results(self):
        outs = [{"name": name, "kind": "r32", "direction": "out"} for name in ("addr", "value")]
        with self.assertRaisesRegex(rows.RowError, "more than one result"):
            wrapper_text(expand(operands=outs)[0])

    def test_summary_too_long_for_a_line(self):
        with self.assertRaisesRegex(rows.RowError, "a line of"):
            wrapper_text(expand(summary="x" * 130)[0])


class RefusedPieces(unittest.TestCase):
    def piece(self, name, text, dependencies):
        return rows.Piece(name=name, is_type=False, summary="", text=text, dependencies=dependencies, reads=[],
                          writes=[], cost={})

    def test_dependency_that_is_not_declared(self):
        with self.assertRaisesRegex(rows.RowError, "uses \\['probe'\\], declares \\[\\]"):
            rows.check_order(expand(), [self.piece("user", "probe(1, 2);", [])])

    def test_dependency_that_is_not_used(self):
        with self.assertRaisesRegex(rows.RowError, "uses \\[\\], declares"):
            rows.check_order(expand(), [self.piece("user", "// probe\n", ["probe"])])

    def test_dependency_that_stands_later(self):
        pieces = [self.piece("user", "later();", ["later"]), self.piece("later", "", [])]
        with self.assertRaisesRegex(rows.RowError, "later does not stand before it"):
            rows.check_order(expand(), pieces)

    def test_name_given_twice(self):
        with self.assertRaisesRegex(rows.RowError, "given twice"):
            rows.check_order(expand(), [self.piece("probe", "", [])])


class Variants(unittest.TestCase):
    def test_cta_group_gives_a_row_and_its_pair(self):
        made = expand(form="probe.cta_group.b32 [addr], value;")
        self.assertEqual([(i.name, i.forms[0]) for i in made],
                         [("probe", "probe.cta_group::1.b32 [addr], value;"),
                          ("probe_pair", "probe.cta_group::2.b32 [addr], value;")])

    def test_optional_cta_group_is_left_out_of_the_single_row(self):
        made = expand(form="probe.b32{.cta_group} [addr], value;", archs_pair=["sm_103a"])
        self.assertEqual([i.forms[0].split(" ")[0] for i in made], ["probe.b32", "probe.b32.cta_group::2"])
        self.assertEqual([i.archs for i in made], [["sm_100a"], ["sm_103a"]])

    def test_dimensions_give_coordinates(self):
        made = expand(form="probe.dim.b32 [addr, coords];", dims=[1, 3],
                      operands=[{"name": "addr", "kind": "r32"}, {"name": "coords", "kind": "coordinates"}])
        self.assertEqual([i.name for i in made], ["probe_1d", "probe_3d"])
        self.assertIn("probe.3d.b32 [%0, {%1, %2, %3}];", wrapper_text(made[1]))

    def test_stale_wrappers_are_noticed(self):
        files = generate.wrapper_files(rows.load_instructions())
        self.assertEqual(generate.verify(files), 0)
        for path in files:
            self.assertEqual(generate.verify({**files, path: "// other\n"}), 1)
            self.assertEqual(generate.verify({other: text for other, text in files.items() if other != path}), 1)


if __name__ == "__main__":
    unittest.main()
