// SPDX-License-Identifier: Apache-2.0
// The C++ face: consumer_cpp ARCHIVE OPERATOR LIBCUDA.
#include <warpwright/warpwright.hpp>

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  warpwright::Archive archive;
  if (const warpwright::Result opened = archive.open(argv[1]); !opened) {
    std::printf("open: %s\n", opened.text().c_str());
    return 1;
  }
  if (const warpwright::Result sound = archive.verify(); !sound) {
    std::printf("verify: %s\n", sound.text().c_str());
    return 1;
  }
  warpwright::Operator op;
  if (const warpwright::Result found = archive.find(argv[2], &op); !found) {
    std::printf("find: %s\n", found.text().c_str());
    return 1;
  }
  uint64_t workspace_bytes = 0;
  if (const warpwright::Result measured = op.measure_workspace({{"m", 100}}, 148, &workspace_bytes); !measured) {
    std::printf("measure: %s\n", measured.text().c_str());
    return 1;
  }
  std::printf("workspace %llu B\n", static_cast<unsigned long long>(workspace_bytes));
  warpwright::Driver driver;
  if (const warpwright::Result opened = driver.open(argv[3]); !opened) {
    std::printf("driver: %s\n", opened.text().c_str());
    return 0;
  }
  const warpwright::Result launched = op.launch(driver, {{"m", 100}}, {}, nullptr);
  std::printf("launch: %s\n", launched.text().c_str());
  return 0;
}
