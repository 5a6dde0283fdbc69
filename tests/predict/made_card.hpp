// SPDX-License-Identifier: Apache-2.0
// Small model card with round numbers.
#pragma once

#include "contract/records/model_card.hpp"

namespace dlscale::test {

/// Returns a cost model of two layers with parameters and, between them, an activation that works
/// in place. For B samples, the forward pass of the first layer computes 4 B GFLOP and moves 1 GB.
/// The forward pass of the second layer computes 1 B GFLOP and moves 0.2 B GB + 0.8 GB. The
/// backward pass of a layer computes and moves twice as much as its forward pass.
inline contract::ModelCard made_card() {
  const auto pass = [](double flops, double fixed, double per_sample, contract::BatchCost live) {
    return contract::PassCost{{0, flops}, {fixed, per_sample}, {}, live};
  };
  contract::ModelCard card{.model = "made", .input = {3, 4, 4}, .classes = 2};
  card.parameters = 75'000'000;
  card.parameter_bytes = 300e6;
  card.buffer_bytes = 1e6;
  card.layers.push_back({.name = "first",
                         .kind = "conv2d",
                         .block = "stem",
                         .parameters = 50'000'000,
                         .parameter_tensors = 2,
                         .forward = pass(4e9, 1e9, 0, {0, 30e6}),
                         .backward = pass(8e9, 2e9, 0, {0, 20e6}),
                         .saved = {0, 30e6}});
  card.layers.push_back({.name = "first",
                         .kind = "relu_",
                         .block = "stem",
                         .in_place = true,
                         .forward = pass(0, 0, 0.1e9, {0, 30e6}),
                         .backward = pass(0, 0, 0.2e9, {0, 40e6})});
  card.layers.push_back({.name = "second",
                         .kind = "linear",
                         .block = "head",
                         .parameters = 25'000'000,
                         .parameter_tensors = 1,
                         .forward = pass(1e9, 0.8e9, 0.2e9, {0, 50e6}),
                         .backward = pass(2e9, 1.6e9, 0.4e9, {0, 60e6}),
                         .saved = {1e6, 20e6}});
  return card;
}

/// Returns the cost model made_card() with the sizes that a trace of the model would contain.
inline contract::ModelCard sized_card() {
  contract::ModelCard card = made_card();
  card.layers[0].size = {{"c_in", 2},  {"c_out", 5},  {"h_in", 8},
                         {"h_out", 8}, {"kernel", 3}, {"stride", 1}};
  card.layers[1].forward.written = {0, 400};  // 100 numbers per sample
  card.layers[2].size = {{"inputs", 10}, {"outputs", 3}};
  card.layers[2].backward.written = {0, 40};
  return card;
}

}  // namespace dlscale::test
