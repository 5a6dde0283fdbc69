// SPDX-License-Identifier: Apache-2.0
// Command `dlscale-train --describe`, which prints the cost model of a network.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/models/model_tracer.hpp"

namespace dlscale::trainer {

/// Model to describe. The shape in `input` is channels x height x width for images, the number of
/// tokens for texts, and 2 x the number of tokens for pairs of texts.
struct Description {
  std::string model;
  std::vector<std::int64_t> input;
  int classes = 0;  ///< number of classes; for translation, number of words in the target language
  int words = 0;    ///< number of words in the vocabulary of texts
  contract::ModelOptions options;
  std::string precision = "fp32";
};

/// Reads MODEL --input SHAPE --classes N [--words N] [--precision fp32|bf16|fp64] and the model
/// settings [--backbone NAME] [--classifier-hidden N] [--dropout P] [--embedding N] [--hidden N]
/// [--cell gru|lstm]. Throws base::UsageError.
Description read_description(const std::vector<std::string>& arguments);

/// Model on the CPU, with functions that create batches of zeros and run the forward pass in the
/// described precision.
struct DescribedModel {
  std::shared_ptr<Model> model;
  MakeBatch make_batch;
  ForwardPass forward;
};

/// Creates the model. Throws base::UsageError when the model is unknown or does not accept an input
/// of this shape.
DescribedModel make_described_model(const Description& what);

/// Creates the model on the CPU and computes its cost model by tracing the layers. Throws
/// base::UsageError when the model is unknown or does not accept an input of this shape.
contract::ModelCard describe(const Description& what);

}  // namespace dlscale::trainer
