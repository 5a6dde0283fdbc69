// SPDX-License-Identifier: Apache-2.0
// `dlscale-train --describe`: the card of a model.
#pragma once

#include <string>
#include <vector>

#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

/// What to describe. Images are channels x height x width, texts tokens, pairs of texts 2 x tokens.
struct Description {
  std::string model;
  std::vector<std::int64_t> input;
  int classes = 0;  ///< of a model that translates: words to translate into
  int words = 0;    ///< of texts
  contract::ModelOptions options;
  std::string precision = "fp32";
};

/// Reads MODEL --input SHAPE --classes N [--words N] [--precision fp32|bf16|fp64] and the settings
/// of models, [--backbone NAME] [--classifier-hidden N] [--dropout P] [--embedding N] [--hidden N]
/// [--cell gru|lstm]. Throws base::UsageError.
Description read_description(const std::vector<std::string>& arguments);

/// Makes the model on the processor and walks it. Throws base::UsageError for a model that there is
/// not, or that cannot take such input.
contract::ModelCard describe(const Description& what);

}  // namespace dlscale::trainer
