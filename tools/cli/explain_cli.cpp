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
      {"run.too-large", "the problem is too large to run", "The reference is computed on one core, and every byte of the problem is in memory.",
       "warpwright run my_gemm.json --on emulator --shape m=99999999", "Give a smaller --shape, or shorten the problem with --set.", ""},
      {"run.fixed-variable", "the spec fixes the variable", "A spec that names a number for a dimension makes a kernel for that number only.",
       "warpwright run fixed_m.json --on emulator --shape m=300", "Leave it out of --shape, or make it \"dynamic\" with --set.", ""},
      {"run.mixed-architectures", "the specs are for several architectures", "One process emulates devices of one architecture.",
       "warpwright run configs/kernels --on emulator", "Run each architecture by itself.", ""},
      {"run.unreadable", "a file of `run --launch` cannot be read", "The description, its PTX or the contents of a buffer; paths in a description count from its folder. The system's reason is in the message.",
       "{\"ptx\": \"missing.ptx\", …}", "Correct the path.", ""},
      {"run.not-json", "the launch description is not JSON", "The message says at which character reading stopped.",
       "{\"grid\": [1,]}", "Correct the place that the caret shows.", ""},
      {"run.duplicate-key", "a key stands twice in one object", "Only one of them could count.", "{\"grid\": [1], \"grid\": [2]}", "Remove one.", ""},
      {"run.unknown-key", "a launch description has no such key", "A misspelt key would silently do nothing. tools/emulator/README.md lists all.",
       "{\"blok\": [128], …}", "Take the key that the message proposes, or one of those listed.", ""},
      {"run.missing-key", "a key of the launch description is missing", "Without it the launch is not determined.", "{\"ptx\": \"kernel.ptx\"}", "Add it.", ""},
      {"run.wrong-type", "a value of the launch description is of another kind", "A list, an object, a number or a text stands where another is needed.",
       "{\"grid\": 4, …}", "Write what the message expects: a grid is a list, [4].", ""},
      {"run.out-of-range", "a value of the launch description is beyond its limits", "The limits are those of the device and of the parameters of a kernel; a buffer has at most 8 GiB.",
       "{\"block\": [2048], …}", "Take a value within the limits of the message.", "CUDA C++ Programming Guide 13.0, \"Technical Specifications per Compute Capability\""},
      {"run.not-a-choice", "a word of the launch description is none of those that may stand there", "The message lists them.",
       "{\"swizzle\": \"128\", …}", "Take one of the words listed.", ""},
      {"run.unknown-name", "the launch description names something that does not exist", "An argument or tensor map names a buffer or map of the description, and \"entry\" a kernel of the PTX.",
       "{\"entry\": \"gemm\", …} where the PTX has _Z4gemmPf", "Take the name as it is written there; nvcc mangles the names of C++ functions.", ""},
      {"run.bad-tensor-map", "cuTensorMapEncodeTiled would refuse the tensor map", "The message has the first rule that is broken.",
       "{\"type\": \"bf16\", \"dims\": [64, 8], \"strides_bytes\": [100], …}", "Correct the field; strides are multiples of 16 bytes.", "CUDA Driver API 13.0, cuTensorMapEncodeTiled"},
      {"run.file-size", "a file does not fill its buffer", "The contents of a buffer are exactly as long as the buffer.", "{\"bytes\": 64, \"contents\": {\"file\": \"48_bytes.bin\"}}",
       "Correct the size of either.", ""},
      {"run.bad-ptx", "the emulator cannot read the PTX", "The message has the line and column. Nothing is skipped: a token without meaning is an error.",
       "a PTX file that is cut off", "Give the text that nvcc -ptx writes, whole; a cubin is not one.", ""},
      {"run.bad-argument", "the arguments are not those of the kernel", "A kernel's parameters have sizes; an argument of another size would be read wrongly.",
       "{\"arguments\": [{\"s32\": 1}]} for a parameter of 8 bytes", "Take the type of the parameter: a pointer is a \"buffer\" or a \"u64\".", ""},
      {"run.refused-launch", "the device would refuse the launch, or the emulator does not run an instruction of the kernel", "Nothing was executed, so nothing is known of the kernel.",
       "a grid that is not made of whole clusters", "Correct the description; an instruction that is missing is named with its line.", ""},
      {"run.unreadable-ptx", "the file of --ptx cannot be read", "The system's reason is in the message.",
       "warpwright run my_gemm.json --on emulator --ptx missing.ptx", "Give a file that nvcc -ptx or `warpwright build` wrote.", ""},
  };
}

}  // namespace warpwright::cli
