// SPDX-License-Identifier: Apache-2.0
// The PTX forms and device functions that emitted kernels are made of, as a table with their CUDA text.
#pragma once

#include <string>
#include <vector>

namespace warpwright::isa {

enum class OperandKind { kR32, kR64, kH16, kImm, kF32, kPred, kTensorMap, kFragment, kWords, kCoordinates };
enum class Direction { kIn, kOut, kInOut };

/// One operand of a PTX form, in the order of the wrapper's parameters.
struct Operand {
  std::string name;
  OperandKind kind = OperandKind::kR32;
  Direction direction = Direction::kIn;
  int elems = 0;  ///< registers of a fragment or of words; 0 where the wrapper has an overload for each length
};

/// One row of generator/isa/*.json, its variants expanded: tma_load_2d and tma_load_2d_pair are two instructions.
struct Instruction {
  std::string name;                       ///< of the CUDA function; wgmma's ends in _n and the width, which overloads it
  std::string form;                       ///< in the manual's notation; two instructions where the wrapper needs both
  std::string summary;                    ///< one line, without a full stop
  std::string section;                    ///< title in the PTX ISA manual
  std::string wrapper_text;               ///< the CUDA function(s), below the summary as a comment
  std::vector<std::string> dependencies;  ///< other pieces that wrapper_text uses; the prelude goes without saying
  std::vector<Operand> operands;
  std::vector<std::string> archs;         ///< targets that accept the form
  bool is_aligned = false;                ///< every lane of the warp executes it together (.aligned)
  bool is_async_proxy = false;            ///< its accesses of `reads` and `writes` are made by the async proxy
  std::vector<std::string> reads;         ///< memory spaces: global, param, shared::cta, shared::cluster, tensor
  std::vector<std::string> writes;
  std::string completes_on;               ///< mbarrier, bulk_group, tcgen05.commit, tcgen05.wait::ld, wgmma.wait_group; empty: at once
};

/// What one thread spends in one call, in PTX instructions. A test re-measures these from compiled PTX.
struct DeviceCost {
  int registers = 0;               ///< live beyond arguments and fragment, at most, where the budget allows it
  double registers_per_elem = 0;   ///< further ones for each element: loads that are in flight together
  double fma_per_elem = 0;         ///< multiplications, additions and FMAs; per element of the fragment or staged row
  double mufu_per_elem = 0;        ///< exponentials, reciprocals, tanh
  double conversions_per_elem = 0;
  double global_loads_per_elem = 0;   ///< of 16 bytes
  double shared_stores_per_elem = 0;  ///< of 16 bytes
};

/// A function, or a type that functions take, of templates/device.
struct DeviceFunction {
  std::string name;
  bool is_type = false;
  std::string summary;
  std::string text;
  std::vector<std::string> dependencies;
  std::vector<std::string> reads;
  std::vector<std::string> writes;
  DeviceCost cost;
};

/// The instruction or device function of that name, or null. Pointers stay valid.
const Instruction *find_instruction(const std::string &name);
const DeviceFunction *find_device_function(const std::string &name);

/// All of them, in table order: a device function stands after the device functions that it uses.
const std::vector<Instruction> &all_instructions();
const std::vector<DeviceFunction> &all_device_functions();

/// What every emitted file begins with: integer types, WW_DEVICE, TensorMap.
const std::string &prelude_text();

/// CUDA text that defines all of `names` and what they depend on: the prelude, then each piece once, types first,
/// instructions next, functions last, in table order.
///
/// Requires  every name is in the table; InternalError otherwise.
/// Ensures   the text is the same for every order and repetition of `names`; lines have at most 120 columns.
std::string collect_device_text(const std::vector<std::string> &names);

}  // namespace warpwright::isa
