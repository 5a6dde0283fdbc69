// SPDX-License-Identifier: Apache-2.0
// Functions that create a model of the model table on the CPU for tests.
#pragma once

#include <torch/types.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::test {

inline const trainer::Device& processor() {
  static const auto device = base::find(trainer::device_table(), "device", "cpu").make({});
  return *device;
}

inline trainer::ModelContext model_context(
    const trainer::ImageShape& shape, int classes,
    trainer::Precision precision = trainer::Precision::fp32) {
  return {.input = shape,
          .classes = classes,
          .precision = precision,
          .device = processor(),
          .seed = 3,
          .options = {.backbone = "squeezenet1_0"}};
}

inline std::unique_ptr<trainer::Model> make_model(const std::string& name,
                                                  const trainer::ModelContext& context) {
  const trainer::ModelEntry& entry = base::find(trainer::model_table(), "model", name);
  auto model = entry.make(context);
  // The planner relies on the number of blocks in the table.
  if (entry.blocks > 0) CHECK(static_cast<int>(model->blocks().size()) == entry.blocks);
  return model;
}

/// Returns the parameter or buffer with this name.
inline at::Tensor weight(trainer::Model& model, const std::string& name) {
  INFO(name);
  const auto all = model.weights();
  const auto found = std::ranges::find(all, name, &trainer::NamedTensor::name);
  REQUIRE(found != all.end());
  return found->tensor.detach();
}

}  // namespace dlscale::test
