// SPDX-License-Identifier: Apache-2.0
// setmaxnreg: what a warpgroup may count on.
#include "tests/emulator/litmus/litmus.h"

namespace warpwright::emulator::tests {

namespace {

const LitmusRow kRows[] = {
    {"a warpgroup synchronises between two setmaxnreg", "order.setmaxnreg", R"(
setmaxnreg.dec.sync.aligned.u32 64;
bar.sync 1, 128; //R
setmaxnreg.dec.sync.aligned.u32 56;
)", 128, 1, false, ".maxnreg 128\n"},
    {"what a warpgroup asks for, another gives up", "run.deadlock", R"(
setp.lt.u32 %p3, %r1, 128;
@%p3 bra ASK;
setmaxnreg.dec.sync.aligned.u32 56; //R
bar.sync 0;
setmaxnreg.dec.sync.aligned.u32 56; //B
ret;
ASK:
setmaxnreg.inc.sync.aligned.u32 200;
bar.sync 0;
)", 256, 1, false, ".maxnreg 128\n"},
    {"setmaxnreg needs a kernel that bounds its registers", "warp.register-bound", R"(
mov.u32 %r4, 1; //B
setmaxnreg.dec.sync.aligned.u32 56; //B
)", 128},
};

}  // namespace

std::span<const LitmusRow> register_rows() { return kRows; }

}  // namespace warpwright::emulator::tests
