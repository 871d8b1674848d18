# SPDX-License-Identifier: Apache-2.0
# IR, passes, printed text and protocol checks as text tests.
import os

import lit.formats

config.name = "Warpwright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(lit_config.params["build"], "lit")
tools = [os.path.join(lit_config.params["build"], "bin"), "/usr/lib/llvm-22/bin"]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
config.substitutions.append(("%inputs", os.path.join(config.test_source_root, "inputs")))
