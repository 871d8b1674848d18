// SPDX-License-Identifier: Apache-2.0
// Opens the emulated driver.
#include "tests/emulator/libcuda/cuda_fixture.h"

#include <dlfcn.h>

#define TEXT_OF(name) #name
#define SYMBOL_OF(name) TEXT_OF(name)

const Cuda &cuda() {
  static const Cuda functions = [] {
    setenv("WARPWRIGHT_EMULATOR_DEVICES", "2", 1);
    void *library = dlopen(WARPWRIGHT_EMULATOR, RTLD_NOW | RTLD_LOCAL);
    if (!library) FAIL(dlerror());
    Cuda found;
#define CUDA_TEST_FIND(name)                                                                 \
  found.name = reinterpret_cast<decltype(found.name)>(dlsym(library, SYMBOL_OF(name)));       \
  if (!found.name) FAIL(SYMBOL_OF(name) " is missing");
    CUDA_TEST_FUNCTIONS(CUDA_TEST_FIND)
    CUDA_TEST_FIND(wwEmulatorLastReport)
    CUDA_TEST_FIND(wwEmulatorConfigure)
#undef CUDA_TEST_FIND
    // Before cuInit nothing else works.
    int count = 0;
    if (found.cuDeviceGetCount(&count) != CUDA_ERROR_NOT_INITIALIZED) FAIL("devices before cuInit");
    CUcontext current = nullptr;
    if (found.cuCtxGetCurrent(&current) != CUDA_ERROR_NOT_INITIALIZED) FAIL("a current context before cuInit");
    CUlibrary none = nullptr;
    const std::string ptx = add_ptx();
    if (found.cuLibraryLoadData(&none, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) != CUDA_ERROR_NOT_INITIALIZED)
      FAIL("a module before cuInit");
    if (found.cuInit(0) != CUDA_SUCCESS) FAIL("cuInit");
    return found;
  }();
  return functions;
}

Context::Context() {
  REQUIRE(cuda().cuDevicePrimaryCtxRetain(&handle, 0) == CUDA_SUCCESS);
  REQUIRE(cuda().cuCtxSetCurrent(handle) == CUDA_SUCCESS);
}

Context::~Context() {
  cuda().cuCtxSetCurrent(nullptr);
  cuda().cuDevicePrimaryCtxRelease(0);
}

std::string add_ptx(const std::string &target) {
  return ".version 9.0\n.target " + target + "\n.address_size 64\n" + R"(
.visible .entry add(.param .u64 y, .param .u64 x, .param .u32 n, .param .u32 addend)
{
	.reg .pred %p<2>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd1, [y];
	ld.param.u64 %rd2, [x];
	ld.param.u32 %r1, [n];
	ld.param.u32 %r2, [addend];
	mov.u32 %r3, %ctaid.x;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, %tid.x;
	mad.lo.s32 %r6, %r3, %r4, %r5;
	setp.ge.s32 %p1, %r6, %r1;
	@%p1 bra DONE;
	cvta.to.global.u64 %rd3, %rd1;
	cvta.to.global.u64 %rd4, %rd2;
	mul.wide.s32 %rd5, %r6, 4;
	add.s64 %rd6, %rd4, %rd5;
	ld.global.u32 %r7, [%rd6];
	add.s32 %r8, %r7, %r2;
	add.s64 %rd7, %rd3, %rd5;
	st.global.u32 [%rd7], %r8;
DONE:
	ret;
}
.visible .entry wild()
.maxntid 64
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	.shared .align 16 .b8 tile[256];
	mov.b64 %rd1, 64;
	mov.b32 %r1, 1;
	st.global.u32 [%rd1], %r1;
	ret;
}
)";
}
