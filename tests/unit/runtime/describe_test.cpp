// SPDX-License-Identifier: Apache-2.0
// Opening, listing and measuring without a GPU, and the misuse of each call.
#include "tests/catch.h"
#include "tests/unit/runtime/runtime_fixture.h"

#include <cstring>

using namespace warpwright::testing;

namespace {

template <typename Info>
Info sized() {
  Info info = {};
  info.struct_bytes = sizeof(info);
  return info;
}

}  // namespace

TEST_CASE("open: what is not an archive is refused with text") {
  const ScratchFolder scratch;
  ww_archive_t *archive = nullptr;
  ww_message_t message;
  CHECK(wwArchiveOpen(scratch.path("absent").c_str(), &archive, &message) == WW_STATUS_FILE_UNREADABLE);
  CHECK(std::string(message.text) == scratch.path("absent") + ": No such file or directory");
  CHECK(wwArchiveOpen(scratch.folder().c_str(), &archive, &message) == WW_STATUS_FILE_UNREADABLE);
  CHECK(std::string(message.text).find("not a regular file") != std::string::npos);
  write_bytes(scratch.path("empty"), "");
  CHECK(wwArchiveOpen(scratch.path("empty").c_str(), &archive, &message) == WW_STATUS_NOT_AN_ARCHIVE);
  write_bytes(scratch.path("text"), "hello, this is text\n");
  CHECK(wwArchiveOpen(scratch.path("text").c_str(), &archive, &message) == WW_STATUS_NOT_AN_ARCHIVE);
  CHECK(archive == nullptr);
  CHECK(wwArchiveOpen(nullptr, &archive, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(wwArchiveOpen("x", nullptr, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(wwArchiveOpen("x", nullptr, nullptr) == WW_STATUS_INVALID_ARGUMENT);
  wwArchiveClose(nullptr);
}

TEST_CASE("open: memory must be aligned") {
  alignas(8) char bytes[64] = {};
  ww_archive_t *archive = nullptr;
  ww_message_t message;
  CHECK(wwArchiveOpenMemory(bytes + 1, 32, &archive, &message) == WW_STATUS_MISALIGNED_POINTER);
  CHECK(wwArchiveOpenMemory(bytes, 32, &archive, &message) == WW_STATUS_NOT_AN_ARCHIVE);
  CHECK(wwArchiveOpenMemory(nullptr, 32, &archive, &message) == WW_STATUS_INVALID_ARGUMENT);
}

TEST_CASE("list: operators by index and by name") {
  const OpenArchive archive(small_archive_bytes({"b", "a"}));
  ww_message_t message;
  REQUIRE(wwArchiveCountOperators(archive.get()) == 2);
  CHECK(wwArchiveCountOperators(nullptr) == 0);
  ww_operator_t *op = nullptr;
  REQUIRE(wwArchiveGetOperator(archive.get(), 0, &op, &message) == WW_STATUS_OK);
  CHECK(op == archive.op("a"));
  CHECK(wwArchiveGetOperator(archive.get(), 2, &op, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(std::string(message.text) == "operator 2 of 2");
  CHECK(op == nullptr);
  CHECK(wwArchiveFindOperator(archive.get(), "c", &op, &message) == WW_STATUS_NOT_FOUND);
  CHECK(std::string(message.text) == "no operator c among the archive's 2");
  CHECK(wwArchiveFindOperator(archive.get(), nullptr, &op, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(wwArchiveGetOperator(nullptr, 0, &op, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(wwArchiveVerify(archive.get(), &message) == WW_STATUS_OK);
  CHECK(wwArchiveVerify(nullptr, &message) == WW_STATUS_INVALID_ARGUMENT);
}

TEST_CASE("describe: everything that the plan said") {
  const OpenArchive archive(small_archive_bytes({"op"}));
  const ww_operator_t *op = archive.op("op");
  auto info = sized<ww_operator_info_t>();
  REQUIRE(wwOperatorDescribe(op, &info, nullptr) == WW_STATUS_OK);
  CHECK(std::string(info.name) == "op");
  CHECK(std::string(info.family) == "test_family");
  CHECK(std::string(info.arch) == "sm_100a");
  CHECK(info.workspace_must_be_zero == 1);
  CHECK(info.num_variables == 3);
  CHECK(info.num_tensors == 3);
  CHECK(info.num_kernels == 3);
  CHECK(info.num_dispatch_rows == 2);
  CHECK(info.num_facts == 2);

  auto variable = sized<ww_variable_info_t>();
  REQUIRE(wwOperatorDescribeVariable(op, 0, &variable, nullptr) == WW_STATUS_OK);
  CHECK(std::string(variable.name) == "m");
  CHECK(variable.is_fixed == 0);
  REQUIRE(wwOperatorDescribeVariable(op, 2, &variable, nullptr) == WW_STATUS_OK);
  CHECK(std::string(variable.name) == "n");
  CHECK(variable.is_fixed == 1);
  CHECK(variable.value == 256);

  auto tensor = sized<ww_tensor_info_t>();
  REQUIRE(wwOperatorDescribeTensor(op, 2, &tensor, nullptr) == WW_STATUS_OK);
  CHECK(std::string(tensor.name) == "y");
  CHECK(std::string(tensor.format) == "bf16");
  CHECK(std::string(tensor.layout) == "row_major");
  CHECK(std::string(tensor.bytes) == "m * n * 2");
  CHECK(tensor.is_output == 1);
  CHECK(tensor.align_bytes == 16);
  CHECK(tensor.num_dims == 2);

  auto kernel = sized<ww_kernel_info_t>();
  REQUIRE(wwOperatorDescribeKernel(op, 1, &kernel, nullptr) == WW_STATUS_OK);
  CHECK(std::string(kernel.name) == "op_main");
  CHECK(kernel.threads == 224);
  CHECK(kernel.dynamic_smem_bytes == 100000);
  CHECK(kernel.cluster_x == 2);
  CHECK(kernel.programmatic_dependent_launch == 1);
  CHECK(kernel.num_images == 2);

  auto image = sized<ww_image_info_t>();
  REQUIRE(wwOperatorDescribeImage(op, 1, 1, &image, nullptr) == WW_STATUS_OK);
  CHECK(std::string(image.arch) == "sm_103a");
  CHECK(std::string(image.tool_version) == "nvcc 13.0.88");
  CHECK(image.registers == 168);
  const auto cubin = fake_cubin("op_main for sm_103a");
  REQUIRE(image.cubin_bytes == cubin.size());
  CHECK(std::memcmp(image.cubin, cubin.data(), cubin.size()) == 0);

  const char *key = nullptr, *value = nullptr;
  REQUIRE(wwOperatorGetFact(op, 0, &key, &value, nullptr) == WW_STATUS_OK);
  CHECK(std::string(key) == "depth");
  CHECK(std::string(value) == "5");
}

TEST_CASE("describe: indices, nulls and unset sizes are refused") {
  const OpenArchive archive(small_archive_bytes({"op"}));
  const ww_operator_t *op = archive.op("op");
  ww_message_t message;
  auto info = sized<ww_operator_info_t>();
  auto variable = sized<ww_variable_info_t>();
  auto tensor = sized<ww_tensor_info_t>();
  auto kernel = sized<ww_kernel_info_t>();
  auto image = sized<ww_image_info_t>();
  const char *key = nullptr, *value = nullptr;
  const ww_status_t bad = WW_STATUS_INVALID_ARGUMENT;
  CHECK(wwOperatorDescribe(nullptr, &info, &message) == bad);
  CHECK(wwOperatorDescribe(op, nullptr, &message) == bad);
  CHECK(wwOperatorDescribeVariable(op, 3, &variable, &message) == bad);
  CHECK(std::string(message.text) == "variable 3 of 3");
  CHECK(wwOperatorDescribeTensor(op, 3, &tensor, &message) == bad);
  CHECK(wwOperatorDescribeKernel(op, 3, &kernel, &message) == bad);
  CHECK(wwOperatorDescribeImage(op, 3, 0, &image, &message) == bad);
  CHECK(wwOperatorDescribeImage(op, 0, 2, &image, &message) == bad);
  CHECK(wwOperatorGetFact(op, 2, &key, &value, &message) == bad);
  CHECK(wwOperatorGetFact(op, 0, nullptr, &value, &message) == bad);
  info.struct_bytes = sizeof(info) - 1;
  CHECK(wwOperatorDescribe(op, &info, &message) == bad);
  CHECK(std::string(message.text) == "info->struct_bytes is not set");
}

TEST_CASE("measure: tensors and workspace") {
  const OpenArchive archive(small_archive_bytes({"op"}));
  const ww_operator_t *op = archive.op("op");
  const ww_variable_t m[] = {{"m", 100}};
  ww_message_t message;
  int64_t dims[2] = {};
  size_t num_dims = 0;
  uint64_t bytes = 0;
  REQUIRE(wwOperatorMeasureTensor(op, "y", m, 1, dims, 2, &num_dims, &bytes, &message) == WW_STATUS_OK);
  CHECK(num_dims == 2);
  CHECK(dims[0] == 100);
  CHECK(dims[1] == 256);
  CHECK(bytes == 51200);
  CHECK(wwOperatorMeasureTensor(op, "y", m, 1, nullptr, 0, &num_dims, &bytes, &message) == WW_STATUS_OK);
  CHECK(wwOperatorMeasureTensor(op, "y", m, 1, dims, 1, &num_dims, &bytes, &message) == WW_STATUS_BUFFER_TOO_SMALL);
  CHECK(wwOperatorMeasureTensor(op, "z", m, 1, dims, 2, &num_dims, &bytes, &message) == WW_STATUS_NOT_FOUND);
  CHECK(wwOperatorMeasureTensor(op, "y", m, 0, dims, 2, &num_dims, &bytes, &message) == WW_STATUS_UNBOUND_VARIABLE);

  REQUIRE(wwOperatorMeasureWorkspace(op, m, 1, 148, &bytes, &message) == WW_STATUS_OK);
  CHECK(bytes == 100 * 256 * 4);
  CHECK(wwOperatorMeasureWorkspace(op, m, 1, 0, &bytes, &message) == WW_STATUS_INVALID_ARGUMENT);

  const ww_variable_t huge[] = {{"m", INT64_MAX / 2}};
  CHECK(wwOperatorMeasureTensor(op, "y", huge, 1, dims, 2, &num_dims, &bytes, &message) == WW_STATUS_SHAPE_REFUSED);
  CHECK(std::string(message.text) == "tensor y, bytes: 64-bit overflow at character 3 of \"m * n * 2\"");
  const ww_variable_t negative[] = {{"m", -1}};
  CHECK(wwOperatorMeasureTensor(op, "y", negative, 1, dims, 2, &num_dims, &bytes, &message) ==
        WW_STATUS_SHAPE_REFUSED);
}

TEST_CASE("choose: kernels and grids by shape and device") {
  const OpenArchive archive(small_archive_bytes({"op"}));
  const ww_operator_t *op = archive.op("op");
  ww_message_t message;
  ww_grid_t grids[2] = {};
  size_t num_grids = 0;
  ww_variable_t m[] = {{"m", 64}};
  REQUIRE(wwOperatorChooseKernels(op, m, 1, 3, grids, 2, &num_grids, &message) == WW_STATUS_OK);
  REQUIRE(num_grids == 1);
  CHECK(grids[0].kernel_index == 0);
  CHECK(grids[0].x == 3);
  m[0].value = 65;
  CHECK(wwOperatorChooseKernels(op, m, 1, 148, grids, 1, &num_grids, &message) == WW_STATUS_BUFFER_TOO_SMALL);
  CHECK(num_grids == 2);
  REQUIRE(wwOperatorChooseKernels(op, m, 1, 148, grids, 2, &num_grids, &message) == WW_STATUS_OK);
  CHECK(grids[0].kernel_index == 1);
  CHECK(grids[0].x == 2);
  CHECK(grids[1].kernel_index == 2);
  CHECK(grids[1].y == 2);
  m[0].value = 5000;
  CHECK(wwOperatorChooseKernels(op, m, 1, 148, grids, 2, &num_grids, &message) == WW_STATUS_SHAPE_REFUSED);
  m[0].value = 65;  // one multiprocessor has no room for a pair: an empty grid
  CHECK(wwOperatorChooseKernels(op, m, 1, 1, grids, 2, &num_grids, &message) == WW_STATUS_SHAPE_REFUSED);
  CHECK(std::string(message.text).find("kernel op_main, grid 0 is 0") == 0);
}

TEST_CASE("choose: a grid that its cluster does not divide is the recipe's fault") {
  warpwright::archive::PackedOperator odd = small_operator("op");
  odd.plan.kernels[1].launch.grid_x = "ceil_div(m, 64)";
  const ScratchFolder scratch;
  warpwright::support::Diagnostics diagnostics;
  REQUIRE(warpwright::archive::write_archive(scratch.path("odd.wwa"), {odd}, diagnostics));
  const OpenArchive archive(read_bytes(scratch.path("odd.wwa")));
  ww_message_t message;
  ww_grid_t grids[2] = {};
  size_t num_grids = 0;
  ww_variable_t m[] = {{"m", 128}};
  CHECK(wwOperatorChooseKernels(archive.op("op"), m, 1, 148, grids, 2, &num_grids, &message) == WW_STATUS_OK);
  m[0].value = 129;
  CHECK(wwOperatorChooseKernels(archive.op("op"), m, 1, 148, grids, 2, &num_grids, &message) ==
        WW_STATUS_INVALID_RECIPE);
  CHECK(std::string(message.text) == "kernel op_main, grid 0 is 3, not a multiple of the cluster's 2");
}

TEST_CASE("message: a long text is cut at a character") {
  const std::string path = "/" + std::string(300, 'a') + [] {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "ä";
    return text;
  }();
  ww_archive_t *archive = nullptr;
  ww_message_t message;
  CHECK(wwArchiveOpen(path.c_str(), &archive, &message) == WW_STATUS_FILE_UNREADABLE);
  const size_t length = std::strlen(message.text);
  CHECK(length >= 510);
  CHECK(length < sizeof(message.text));
  CHECK(static_cast<unsigned char>(message.text[length - 1]) == 0xA4);  // the second byte of ä
}

TEST_CASE("status: every code has its own text") {
  std::vector<std::string> texts;
  for (int code = 0; code < 40; ++code) {
    const std::string text = wwStatusText(static_cast<ww_status_t>(code));
    if (text == "unknown status") continue;
    for (const std::string &other : texts) CHECK(other != text);
    texts.push_back(text);
  }
  CHECK(texts.size() == 25);
  CHECK(wwRuntimeVersion() == WW_VERSION);
}
