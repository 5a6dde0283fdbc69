// SPDX-License-Identifier: Apache-2.0
// Measures the time of each layer within training steps on the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "contract/records/layer_times.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/models/model_tracer.hpp"

namespace dlscale::trainer {

/// Settings of the measured steps.
struct LayerTiming {
  std::int64_t batch = 1;
  contract::OptimizerSpec optimizer;
  double seconds = 1;  ///< minimum duration of all measured steps
};

/// Returns the median times of the layers `traced` and of both passes over at least five steps,
/// after two steps that are not measured. The other fields of the result stay empty. A step is the
/// forward pass, the backward pass from a gradient of ones, and an update of the parameters of each
/// layer by an optimizer of its own. A backward node of autograd belongs to the layer that created
/// the node. Images are random numbers in the layout of training on CPUs. Throws base::RunError if
/// the operators of the model differ from the traced operators.
contract::StepLayers time_layers(Model& model, const MakeBatch& make_batch,
                                 const ForwardPass& forward, const std::vector<TracedLayer>& traced,
                                 const LayerTiming& timing, const base::Clock& clock);

}  // namespace dlscale::trainer
