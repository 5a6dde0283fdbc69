// SPDX-License-Identifier: Apache-2.0
// Cost model of a network for `dlscale-train --describe`.
#pragma once

#include <string>
#include <vector>

#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

/// Model to describe. The input shape is channels x height x width for images, tokens for texts,
/// and 2 x tokens for pairs of texts.
struct Description {
  std::string model;
  std::vector<std::int64_t> input;
  int classes = 0;  ///< number of classes; in translation, of target words
  int words = 0;    ///< number of words in the vocabulary of texts
  contract::ModelOptions options;
  std::string precision = "fp32";
};

/// Reads MODEL --input SHAPE --classes N [--words N] [--precision fp32|bf16|fp64] and the model
/// settings [--backbone NAME] [--classifier-hidden N] [--dropout P] [--embedding N] [--hidden N]
/// [--cell gru|lstm]. Throws base::UsageError.
Description read_description(const std::vector<std::string>& arguments);

/// Makes the model on the CPU and traces its layers. Throws base::UsageError for an unknown model,
/// and for an input that the model cannot take.
contract::ModelCard describe(const Description& what);

}  // namespace dlscale::trainer
