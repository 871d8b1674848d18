# SPDX-License-Identifier: Apache-2.0
"""Each script of tools/check accepts a small good tree and finds the violation that is planted in it."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/check"))

import dearest_units  # noqa: E402
import documents  # noqa: E402
import family_names  # noqa: E402
import generated  # noqa: E402
import headers  # noqa: E402
import includes  # noqa: E402
import option_coverage  # noqa: E402
import portable_binary  # noqa: E402
import sizes  # noqa: E402
import test_lists  # noqa: E402
import words  # noqa: E402

TOP = "// SPDX-License-Identifier: Apache-2.0\n// A file.\n"


class CheckCase(unittest.TestCase):
    """A folder that is a small repository."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def put(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def clean(self, check, *arguments):
        self.assertEqual(list(check.find_problems(self.root, *arguments)), [])

    def found(self, check, *texts, arguments=()):
        problems = "\n".join(check.find_problems(self.root, *arguments))
        for text in texts:
            self.assertIn(text, problems)


class Includes(CheckCase):
    def setUp(self):
        super().setUp()
        self.put("generator/support/a.h", TOP)
        self.put("generator/plan/p.h", TOP + '#include "generator/support/a.h"\n')
        self.put("generator/plan/p.cpp", TOP + '#include "generator/plan/p.h"\n')
        self.put("generator/lower/l.h", TOP + '#include "generator/plan/p.h"\n')
        self.put("generator/prove/prove.cpp", TOP + '#include "generator/support/a.h"\n')

    def test_leftwards_is_fine(self):
        self.clean(includes)

    def test_rightwards(self):
        self.put("generator/support/b.cpp", TOP + '#include "generator/plan/p.h"\n')
        self.found(includes, "generator/support/b.cpp:3: support may not include generator/plan/p.h")

    def test_families(self):
        self.put("generator/families/f/plan.h", TOP + '#include "generator/plan/p.h"\n')
        self.clean(includes)
        self.put("generator/families/f/plan.cpp", TOP + '#include "generator/lower/l.h"\n')
        self.put("generator/plan/q.cpp", TOP + '#include "generator/families/f/plan.h"\n')
        self.found(includes, "families may not include generator/lower/l.h", "plan may not include generator/families/f/plan.h")

    def test_runtime_stands_alone(self):
        self.put("runtime/src/r.cpp", TOP + '#include "generator/support/a.h"\n#include <llvm/ADT/SmallVector.h>\n')
        self.found(includes, "runtime may not include generator/support/a.h", "the runtime knows nothing of LLVM")

    def test_prove_and_lower_share_nothing(self):
        self.put("generator/prove/check.cpp", TOP + '#include "generator/lower/l.h"\n')
        self.found(includes, "prove may not include generator/lower/l.h", "share no code")

    def test_a_stage_may_not_use_tools(self):
        self.put("generator/plan/q.cpp", TOP + '#include "tools/cli/report.h"\n')
        self.found(includes, "plan may not include tools/cli/report.h")

    def test_relative_includes(self):
        self.put("generator/plan/q.cpp", TOP + '#include "../support/a.h"\n')
        self.found(includes, "from the repository's root")

    def test_mlir_meets_json_through_headers(self):
        self.put("generator/ir/ir.h", TOP + '#include "mlir/IR/Builders.h"\n')
        self.put("tools/cli/json.h", TOP + "#include <nlohmann/json.hpp>\n")
        self.put("tools/cli/verb.cpp", TOP + '#include "generator/ir/ir.h"\n#include "tools/cli/json.h"\n')
        self.found(includes, "tools/cli/verb.cpp: one translation unit includes MLIR and nlohmann/json.hpp")

    def test_a_new_stage_needs_a_rule(self):
        self.put("generator/novel/n.cpp", TOP + '#include "generator/plan/p.h"\n')
        self.found(includes, "the area novel has no rule")


class FamilyNames(CheckCase):
    def test_planted_name(self):
        self.put("generator/families/some_gemm/spec.cpp", TOP)
        self.put("generator/plan/p.cpp", TOP + "int tile_of_some_gem = 0;\n")
        self.clean(family_names)
        self.put("generator/emit/e.cpp", TOP + '// as in some_gemm\n')
        self.found(family_names, "generator/emit/e.cpp:3: names the family some_gemm")


class Sizes(CheckCase):
    def body(self, lines):
        return "int f(int a) {\n" + "  a += 1;\n" * (lines - 2) + "}\n"

    def test_limits(self):
        self.put("generator/a.cpp", TOP + "namespace n {\nclass C {\n" + self.body(60) + "};\n}\n")
        self.clean(sizes)
        self.put("generator/a.cpp", TOP + "namespace n {\nclass C {\n" + self.body(61) + "};\n}\n")
        self.put("generator/b.cpp", TOP + "int x;\n" * 399)
        self.put("generator/c.py", "def f():\n" + "    pass\n" * 60)
        self.found(sizes, "generator/a.cpp:5: f has 61 lines, 60 are allowed", "generator/b.cpp:1: file has 401 lines",
                   "generator/c.py:1: f has 61 lines")

    def test_braces_in_strings_and_lambdas_do_not_confuse(self):
        text = 'int f(int a) {\n  auto g = [](int b) {\n    return b;\n  };\n  s = "}}}";\n' + "  a += 1;\n" * 56 + "}\n"
        self.put("generator/a.cpp", TOP + text)
        self.found(sizes, "f has 62 lines")

    def test_allowances(self):
        self.put("generator/a.cpp", TOP + self.body(70))
        self.put("tools/check/sizes_allowed.txt", "generator/a.cpp:f 70 a table\n")
        self.clean(sizes)
        self.put("generator/a.cpp", TOP + self.body(71))
        self.found(sizes, "f has 71 lines, 70 are allowed")
        self.put("generator/a.cpp", TOP + self.body(10))
        self.found(sizes, "needs no allowance any more")


class Headers(CheckCase):
    def test_licence_and_sentence(self):
        self.put("generator/a.cpp", TOP)
        self.put("tools/run", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n# Runs.\n")
        self.clean(headers)
        self.put("generator/b.cpp", "int x;\n")
        self.put("generator/c.h", "// SPDX-License-Identifier: Apache-2.0\nint x;\n")
        self.put("tools/go", "#!/bin/sh\necho\n")
        self.found(headers, "generator/b.cpp:1", "generator/c.h:2: no sentence", "tools/go:1")


class Words(CheckCase):
    def test_each_word(self):
        self.put("a.md", "A path such as ../work/x or network/root/y is fine; so is TODO(#12) and docs.python.org.\n")
        self.clean(words)
        self.put("b.md", "see /work/main\nfrom pypi.example.org\nTODO later\nnot implemented\nblank \n")
        self.found(words, "b.md:1: a path", "b.md:2: the host", "b.md:3: a loose end", "b.md:4: unfinished", "b.md:5: a blank")


class TestLists(CheckCase):
    def setUp(self):
        super().setUp()
        self.put("tests/check/CMakeLists.txt", "")
        self.put("tests/unit/plan/CMakeLists.txt", "warpwright_add_test(p SOURCES a_test.cpp LABEL unit)\n")
        self.put("tests/unit/plan/a_test.cpp", 'TEST_CASE("a") {}\n')

    def test_registered(self):
        self.clean(test_lists)

    def test_forgotten_file(self):
        self.put("tests/unit/plan/b_test.cpp", 'TEST_CASE("b") {}\n')
        self.found(test_lists, "tests/unit/plan/b_test.cpp: no CMakeLists.txt registers it")

    def test_empty_file(self):
        self.put("tests/unit/plan/a_test.cpp", "// nothing\n")
        self.found(test_lists, "a_test.cpp: has no test")

    def test_forgotten_check(self):
        self.put("tools/check/new_rule.py", "def find_problems(root): ...\n")
        self.found(test_lists, "tools/check/new_rule.py: tests/check/CMakeLists.txt does not run it")


README = "# R\n\n`tools/setup` and\n\n```sh\nwarpwright plan x.json --json\n```\n\n## Where is …?\n\n| What | Where |\n|---|---|\n"


class Documents(CheckCase):
    def setUp(self):
        super().setUp()
        self.put("tools/setup", "")
        self.rows = "".join(f"| row {i} | `tools/setup` |\n" for i in range(8))
        self.put("program", '#!/bin/sh\n[ "$1" = plan ] && echo "Usage: plan [-o FILE] [--json]"\n')
        (self.root / "program").chmod(0o755)

    def arguments(self):
        return (str(self.root / "program"),)

    def test_good(self):
        self.put("README.md", README + self.rows)
        self.clean(documents, *self.arguments())

    def test_missing_paths_and_table(self):
        self.put("README.md", README + "| other | `generator/none.cpp` |\n| empty | nowhere |\n")
        self.found(documents, "README.md:13: there is no generator/none.cpp", "has 2 rows", "names no path")

    def test_wrong_commands(self):
        self.put("README.md", README.replace("plan x.json", "plam x.json") + self.rows)
        self.found(documents, "README.md:6: there is no verb plam", arguments=self.arguments())
        self.put("README.md", README.replace("--json", "--jsom") + self.rows)
        self.found(documents, "warpwright plan has no option --jsom", arguments=self.arguments())


    def test_unnamed_verb(self):
        self.put("program", '#!/bin/sh\n[ "$1" = --help ] && printf "Subcommands:\\n  plan   x\\n  diff   y\\n\\nExit\\n"; exit 0\n')
        self.put("README.md", README.replace("--json", "") + "| `plan` | `tools/setup` |\n" + self.rows)
        problems = "\n".join(documents.find_problems(self.root, *self.arguments()))
        self.assertIn("README.md: does not name the verb diff", problems)
        self.assertNotIn("the verb plan", problems)

    def test_stale_excerpt(self):
        excerpt = "\n<!-- excerpt: plan x -->\n```\nUsage: plan [-o FILE] [--json]\n{}```\n"
        self.put("README.md", README + self.rows + excerpt.format(""))
        self.clean(documents, *self.arguments())
        self.put("README.md", README + self.rows + excerpt.format("stages 7\n"))
        self.found(documents, "warpwright plan x does not print: stages 7", arguments=self.arguments())


class Generated(CheckCase):
    def test_schema_and_table(self):
        self.put("program", '#!/bin/sh\n[ "$3" = --table ] && echo "| table |" || echo "{}"\n')
        (self.root / "program").chmod(0o755)
        program = str(self.root / "program")
        self.put("generator/families/f/README.md", "no region\n")
        self.put("configs/schemas/f.schema.json", "{}\n")
        self.found(generated, "has no region", arguments=(program,))
        region = generated.BEGIN.format(family="f") + "\n| old |\n" + generated.END + "\n"
        self.put("generator/families/f/README.md", "a\n" + region + "b\n")
        self.put("configs/schemas/f.schema.json", "{ }\n")
        self.found(generated, "README.md: is not what warpwright prints", "f.schema.json: is not", arguments=(program,))
        self.clean(generated, program, True)
        self.clean(generated, program)
        self.assertEqual((self.root / "generator/families/f/README.md").read_text().splitlines()[2], "| table |")


class OptionCoverage(unittest.TestCase):
    SCHEMA = {"properties": {
        "$comment": {}, "family": {"const": "f"},
        "word": {"default": "a", "enum": ["a", "b", "auto"]},
        "flag": {"anyOf": [{"type": "boolean"}]},
        "group": {"type": "object", "properties": {
            "few": {"default": "auto", "anyOf": [{"type": "integer", "minimum": 1, "maximum": 2}, {"enum": ["auto"]}]},
            "many": {"anyOf": [{"type": "integer", "minimum": 64, "maximum": 64000, "multipleOf": 64}]}}}}}

    def test_gaps(self):
        first = {"word": "a", "flag": True, "group": {"few": 1, "many": 64}}
        second = {"word": "b", "flag": False, "group": {"few": 2, "many": 128}}
        third = {"word": "auto", "group": {"few": "auto"}}
        self.assertEqual(list(option_coverage.gaps(self.SCHEMA, [first, second, third])), [])
        self.assertEqual(list(option_coverage.gaps(self.SCHEMA, [first, second])),
                         ["group.few: no spec leaves it to the planner"])
        self.assertEqual(list(option_coverage.gaps(self.SCHEMA, [first, third])), [
            'word: no spec has "b"', "flag: no spec has false", "group.few: no spec has 2",
            "group.many: 1 different values are written, 2 are wanted"])

    def test_one_is_not_true(self):
        spec = {"word": "a", "flag": 1, "group": {"few": True, "many": 64}}
        found = list(option_coverage.gaps(self.SCHEMA, [spec]))
        self.assertIn("flag: no spec has true", found)
        self.assertIn("group.few: no spec has 1", found)


class PortableBinary(unittest.TestCase):
    def test_libraries_and_paths(self):
        dynamic = " 0x1 (NEEDED) Shared library: [libc.so.6]\n 0x1 (NEEDED) Shared library: [libfmt.so.9]\n" \
                  " 0x1d (RUNPATH) Library runpath: [/opt/lib]\n"
        self.assertEqual(list(portable_binary.needed_problems(dynamic)),
                         ["needs libfmt.so.9", "searches libraries in /opt/lib"])

    def test_glibc_versions_are_numbers(self):
        self.assertEqual(list(portable_binary.version_problems("GLIBC_2.4 GLIBC_2.36 GLIBC_2.38 GLIBC_2.2.5")),
                         ["needs glibc 2.38"])

    def test_machine_paths(self):
        self.assertEqual(list(portable_binary.path_problems("/src/ww", b"x\0generator/a.cpp\0")), [])
        self.assertIn("/src/ww/a.cpp", "".join(portable_binary.path_problems("/src/ww", b"x\0/src/ww/a.cpp\0y")))


class DearestUnits(unittest.TestCase):
    def test_last_entry_counts_and_links_do_not(self):
        log = "# ninja log v5\n0\t900\t0\ta.o\tx\n100\t400\t0\ta.o\tx\n0\t50\t0\tprogram\tx\n"
        self.assertEqual(dearest_units.durations(log), {"a.o": 0.3})


if __name__ == "__main__":
    unittest.main()
