// SPDX-License-Identifier: Apache-2.0
// Modules and libraries: what is taken, what is refused and why, and what may be asked of kernels.
#include "tests/emulator/libcuda/cuda_fixture.h"

namespace {

CUresult load(const std::string &text, CUlibrary *library) {
  return cuda().cuLibraryLoadData(library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
}

}  // namespace

TEST_CASE("libcuda: a library without a context, its kernels, and their functions in one") {
  REQUIRE(cuda().cuCtxSetCurrent(nullptr) == CUDA_SUCCESS);
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  REQUIRE(load(add_ptx(), &library) == CUDA_SUCCESS);
  CHECK(cuda().cuLibraryGetKernel(&kernel, library, "nothing") == CUDA_ERROR_NOT_FOUND);
  REQUIRE(cuda().cuLibraryGetKernel(&kernel, library, "add") == CUDA_SUCCESS);
  CHECK(cuda().cuKernelGetFunction(&function, kernel) == CUDA_ERROR_INVALID_CONTEXT);
  {
    const Context context;
    REQUIRE(cuda().cuKernelGetFunction(&function, kernel) == CUDA_SUCCESS);
    CHECK(cuda().cuFuncLoad(function) == CUDA_SUCCESS);
  }
  CHECK(cuda().cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448, kernel, 0) == CUDA_SUCCESS);
  CHECK(cuda().cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232449, kernel, 0) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuLibraryUnload(library) == CUDA_SUCCESS);
  CHECK(cuda().cuLibraryUnload(library) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuda().cuLibraryGetKernel(&kernel, library, "add") == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuda().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("libcuda: what is not PTX for this device is refused with a reason") {
  CUlibrary library = nullptr;
  std::string cubin = "\177ELF";
  cubin.resize(64, '\1');
  CHECK(load(cubin, &library) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(std::string(cuda().wwEmulatorLastReport()).find("module.binary") == 0);
  CHECK(load("\x50\xED\x55\xBA", &library) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  CHECK(load("", &library) == CUDA_ERROR_INVALID_PTX);
  CHECK(load(".version 9.0\n.target sm_100a\n.banana", &library) == CUDA_ERROR_INVALID_PTX);
  CHECK(std::string(cuda().wwEmulatorLastReport()).find("ptx.unknown-directive: PTX line 3, column 1: ") == 0);
  CHECK(load("", nullptr) == CUDA_ERROR_INVALID_VALUE);
  for (const char *target : {"sm_90a", "sm_103a", "sm_103f", "sm_120", "sm_100x"}) {
    INFO(target);
    CHECK(load(add_ptx(target), &library) == CUDA_ERROR_NO_BINARY_FOR_GPU);
    CHECK(std::string(cuda().wwEmulatorLastReport()).find("module.target: PTX for " + std::string(target)) == 0);
  }
  for (const char *target : {"sm_100a", "sm_100f", "sm_100", "sm_90", "sm_80"}) {
    INFO(target);
    REQUIRE(load(add_ptx(target), &library) == CUDA_SUCCESS);
    CHECK(cuda().cuLibraryUnload(library) == CUDA_SUCCESS);
  }
}

TEST_CASE("libcuda: variables of a module are there for the host, and last over launches") {
  const Context context;
  const std::string text = ".version 9.0\n.target sm_100a\n.address_size 64\n.global .u32 counter = 5;\n.const .u64 place = counter;\n"
                           ".extern .global .u32 elsewhere;\n.visible .entry count()\n{\n.reg .b64 %d<2>;\n.reg .b32 %r<2>;\n"
                           "ld.const.u64 %d1, [place];\natom.add.u32 %r1, [%d1], 1;\nret;\n}\n";
  CUlibrary library = nullptr, other = nullptr;
  CUkernel kernel = nullptr;
  CUdeviceptr address = 0, elsewhere = 0;
  size_t bytes = 0;
  REQUIRE(load(text, &library) == CUDA_SUCCESS);
  REQUIRE(load(text, &other) == CUDA_SUCCESS);
  CHECK(cuda().cuLibraryGetGlobal(&address, &bytes, library, "nothing") == CUDA_ERROR_NOT_FOUND);
  CHECK(cuda().cuLibraryGetGlobal(&address, &bytes, library, "elsewhere") == CUDA_ERROR_NOT_FOUND);
  REQUIRE(cuda().cuLibraryGetGlobal(&address, &bytes, library, "counter") == CUDA_SUCCESS);
  CHECK(bytes == 4);
  REQUIRE(cuda().cuLibraryGetGlobal(&elsewhere, nullptr, other, "counter") == CUDA_SUCCESS);
  CHECK(elsewhere != address);
  REQUIRE(cuda().cuLibraryGetKernel(&kernel, library, "count") == CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i)
    REQUIRE(cuda().cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 3, 1, 1, 2, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS);
  unsigned int counter = 0;
  REQUIRE(cuda().cuMemcpyDtoH(&counter, address, sizeof counter) == CUDA_SUCCESS);
  CHECK(counter == 17);
  REQUIRE(cuda().cuMemcpyDtoH(&counter, elsewhere, sizeof counter) == CUDA_SUCCESS);
  CHECK(counter == 5);
  CHECK(cuda().cuLibraryUnload(library) == CUDA_SUCCESS);
  CHECK(cuda().cuMemcpyDtoH(&counter, address, sizeof counter) != CUDA_SUCCESS);
  CHECK(cuda().cuModuleGetGlobal(&address, &bytes, reinterpret_cast<CUmodule>(other), "counter") == CUDA_SUCCESS);
  CHECK(address == elsewhere);
  CHECK(cuda().cuLibraryUnload(other) == CUDA_SUCCESS);
  const std::string wrong = ".version 9.0\n.target sm_100a\n.address_size 64\n.func f() { ret; }\n.global .u64 code = f;\n";
  CHECK(load(wrong, &library) == CUDA_ERROR_INVALID_PTX);
  CHECK(std::string(cuda().wwEmulatorLastReport()).find("ptx.unsupported-variable: ") == 0);
}

TEST_CASE("libcuda: attributes and occupancy of a kernel") {
  const Context context;
  CUmodule module = nullptr;
  CUfunction wild = nullptr;
  const std::string ptx = add_ptx();
  REQUIRE(cuda().cuModuleLoadData(&module, ptx.c_str()) == CUDA_SUCCESS);
  REQUIRE(cuda().cuModuleGetFunction(&wild, module, "wild") == CUDA_SUCCESS);
  int value = -1;
  CHECK(cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, wild) == CUDA_SUCCESS);
  CHECK(value == 64);
  CHECK(cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, wild) == CUDA_SUCCESS);
  CHECK(value == 256);
  CHECK(cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, wild) == CUDA_SUCCESS);
  CHECK(value == 49152);
  CHECK(cuda().cuFuncSetAttribute(wild, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000) == CUDA_SUCCESS);
  CHECK(cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, wild) == CUDA_SUCCESS);
  CHECK(value == 100000);
  CHECK(cuda().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, wild) == CUDA_ERROR_NOT_SUPPORTED);

  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config = {4, 1, 1, 64, 1, 1, 100000, nullptr, &cluster, 1};
  int clusters = 0;
  CHECK(cuda().cuOccupancyMaxActiveClusters(&clusters, wild, &config) == CUDA_SUCCESS);
  CHECK(clusters == 148);  // two blocks of 101,280 bytes an SM, two SMs' worth a cluster of two
  config.sharedMemBytes = 0;
  CHECK(cuda().cuOccupancyMaxActiveClusters(&clusters, wild, &config) == CUDA_SUCCESS);
  CHECK(clusters == 32 * 148 / 2);
  config.numAttrs = 0;
  CHECK(cuda().cuOccupancyMaxActiveClusters(&clusters, wild, &config) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuda().cuModuleUnload(module) == CUDA_SUCCESS);
}
