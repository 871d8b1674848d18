// SPDX-License-Identifier: Apache-2.0
// A predicted time with everything that it depends on, for people and for programs.
#pragma once

#include "generator/laws/closed_form.h"

namespace warpwright::laws {

/// What is predicted for one shape.
struct Prediction {
  std::map<std::string, int64_t> shape;
  Waves waves;
  int64_t memory_bytes = 0;  ///< tensors, each once
  int64_t fill_bytes = 0;    ///< that all CTAs load into shared memory: what L2 delivers
  plan::Scorer::Score score;
  std::string product;
};

Prediction predict(const plan::OperatorPlan &plan, const target::SmTarget &target, const plan::Scorer &scorer,
                   const std::map<std::string, int64_t> &shape);

/// Grid, waves, time with its interval, clock and bound; says that nothing was measured.
std::string prediction_text(const Prediction &prediction);
std::string prediction_json(const Prediction &prediction);

}  // namespace warpwright::laws
