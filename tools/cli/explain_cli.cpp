// SPDX-License-Identifier: Apache-2.0
// What the messages of the command line itself mean.
#include "tools/cli/explain.h"

namespace warpwright::cli {

std::vector<Explanation> explain_cli() {
  return {
      {"cli.usage", "the command line is wrong", "A verb, option or argument is missing, unknown or malformed. Nothing was done; the exit code is 2.",
       "warpwright plna my_gemm.json", "`warpwright --help` and `warpwright VERB --help` show what exists, each with an example.", ""},
      {"cli.file-exists", "the file to write exists already", "`new` never overwrites a file that somebody may have edited.",
       "warpwright new w4a4_lora_gemm -o my_gemm.json, twice", "Give another name, or remove the file first.", ""},
      {"cli.bad-ir", "the file of `prove --ir` is no final IR of the spec", "The IR names the records of the spec's plan; it is what `emit --dump-after merge-elects` prints, perhaps edited.",
       "warpwright prove SPEC --ir other.mlir", "Print the IR of the same spec again and repeat the edit.", ""},
      {"cli.unwritable", "the output cannot be written", "The system refused: the folder is missing, permissions are missing, or the disk is full. Files are staged and renamed, so no half-written file is left.",
       "warpwright schema w4a4_lora_gemm -o /no/such/folder/x.json", "Make the folder, or give another place.", ""},
      {"cli.duplicate-name", "two specs make an operator of the same name", "An operator is named after its spec file, and its outputs after the operator: one would overwrite the other.",
       "warpwright build a/gemm.json b/gemm.json", "Rename one of the files, or build them into different folders.", ""},
      {"cli.no-specs", "the folder holds no spec", "A folder stands for every *.json below it; schemas (*.schema.json) and hidden files are left out.",
       "warpwright plan empty_folder", "Give a file or another folder; `warpwright list specs` shows the shipped ones.", ""},
      {"run.failed", "the kernel computed something wrong, or the emulator found a fault in it", "The message has the first wrong value with its tolerance, or each finding with its slug, the thread and the PTX line. tools/emulator/README.md lists the findings.",
       "warpwright run my_gemm.json --on emulator --ptx broken.ptx", "Read the first finding; run again with --schedule eager: what passes there and fails under lazy misses a wait.", ""},
      {"run.no-exact-inputs", "K is too long for exact inputs", "Exact inputs are such that every order of summation gives the same sum: all magnitudes together stay below 2^24 of their unit.",
       "warpwright run long_k.json --on emulator --inputs exact", "Use --inputs random, or a shorter problem with --set problem.k=…", ""},
      {"run.fixed-variable", "the spec fixes the variable", "A spec that names a number for a dimension makes a kernel for that number only.",
       "warpwright run fixed_m.json --on emulator --shape m=300", "Leave it out of --shape, or make it \"dynamic\" with --set.", ""},
      {"run.mixed-architectures", "the specs are for several architectures", "One process emulates devices of one architecture.",
       "warpwright run configs/kernels --on emulator", "Run each architecture by itself.", ""},
      {"run.unreadable-ptx", "the file of --ptx cannot be read", "The system's reason is in the message.",
       "warpwright run my_gemm.json --on emulator --ptx missing.ptx", "Give a file that nvcc -ptx or `warpwright build` wrote.", ""},
  };
}

}  // namespace warpwright::cli
