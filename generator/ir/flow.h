// SPDX-License-Identifier: Apache-2.0
// The `flow` dialect's C++ face.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "generator/ir/FlowDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "generator/ir/FlowTypes.h.inc"

#define GET_OP_CLASSES
#include "generator/ir/FlowOps.h.inc"
