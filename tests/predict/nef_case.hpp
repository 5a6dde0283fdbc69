// SPDX-License-Identifier: Apache-2.0
// Case of a DenseNet-121 that ran out of memory with 128 images of 224 x 224 on one GPU of 10.91
// GiB: "Tried to allocate 184.00 MiB … Of the allocated memory 10.55 GiB is allocated by PyTorch"
// (Es Saim, Univ. Côte d'Azur, report of 2024/25).
#pragma once

#include <string>

#include "predict/memory.hpp"
#include "tests/predict/shipped_card.hpp"

namespace dlscale::test {

inline constexpr double kNefBatch = 128;
inline constexpr double kNefAllocatedGib = 10.55;

inline const contract::ModelCard& nef_card() {
  static const contract::ModelCard card = shipped_card("densenet121-3x224x224-10");
  return card;
}

/// Returns the index of the concatenation of 183.75 MiB that failed (layer 11 of the second dense
/// block), or 0 if there is no such concatenation.
inline std::size_t nef_failing_layer() {
  constexpr double kTried = 183.75 * 1024 * 1024;
  const auto& layers = nef_card().layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double difference = layers[i].saved.at(kNefBatch) - kTried;
    if (layers[i].kind == "cat" && difference > -1 && difference < 1) return i;
  }
  return 0;
}

/// Returns the size of the features that torchvision's dense block keeps in a list while it runs:
/// the input of the block and the output of each layer before the failing one. The dense block of
/// dlscale keeps only the concatenation of these tensors.
inline predict::Bytes nef_features_in_list() {
  constexpr int kFailingLayer = 11;
  predict::Bytes sum;
  for (const auto& layer : nef_card().layers) {
    const predict::Bytes written{layer.forward.written.at(kNefBatch)};
    for (int i = 1; i < kFailingLayer; ++i) {
      const std::string name = "features.denseblock2.denselayer" + std::to_string(i) + ".conv2";
      if (layer.name == name && layer.kind == "conv2d") sum += written;
    }
    if (layer.kind == "avg_pool2d" && layer.name == "features.transition1.conv") sum += written;
  }
  return sum;
}

/// Returns the memory that was allocated at the failure according to the cost model.
inline predict::Bytes nef_allocated() {
  return predict::allocated_before(nef_card(), nef_failing_layer(), kNefBatch, {.buckets = true}) +
         nef_features_in_list();
}

}  // namespace dlscale::test
