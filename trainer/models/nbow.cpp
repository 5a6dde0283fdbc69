// SPDX-License-Identifier: Apache-2.0
// Model with a neural bag of words. A linear layer classifies the mean of the word vectors of a
// text.
#include <torch/nn/module.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "trainer/data/text/vocabulary.hpp"
#include "trainer/models/module_model.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kNbowEmbedding = 100;

struct Nbow : torch::nn::Module {
  explicit Nbow(const ModelContext& context) : Nbow(context, width_of(context.options)) {}
  Nbow(const ModelContext& context, int width)
      : embedding(register_module(
            "embedding", torch::nn::Embedding(
                             torch::nn::EmbeddingOptions(context.words, width).padding_idx(kPad)))),
        output(register_module("output", torch::nn::Linear(width, context.classes))) {}

  static int width_of(const contract::ModelOptions& options) {
    return options.embedding == 0 ? kNbowEmbedding : options.embedding;
  }

  /// Returns the mean word vector of each text. Padding is excluded from the sum and from the
  /// count. A text without words yields zeros.
  at::Tensor mean(const at::Tensor& input) {
    constexpr std::int64_t kMean = 1;
    const at::Tensor tokens = input.to(at::kLong);
    const at::Tensor begins = at::arange(tokens.size(0), tokens.options()) * tokens.size(1);
    return std::get<0>(at::embedding_bag(embedding->weight, tokens.flatten(), begins,
                                         /*scale_grad_by_freq=*/false, kMean, /*sparse=*/false,
                                         /*per_sample_weights=*/{}, /*include_last_offset=*/false,
                                         kPad));
  }

  std::vector<NetBlock> blocks() {
    return {{"embedding", {"embedding"}, [this](const at::Tensor& input) { return mean(input); }},
            {"output", {"output"}, [this](const at::Tensor& x) { return output(x); }}};
  }

  torch::nn::Embedding embedding;
  torch::nn::Linear output;
};

}  // namespace

extern const ModelEntry nbow_entry;
const ModelEntry nbow_entry{
    .name = "nbow",
    .summary = "neural bag of words: linear layer on the mean of the word vectors",
    .make = make_module_model<Nbow>,
    .input = "text",
    .settings = "embedding",
    .blocks = 2};

}  // namespace dlscale::trainer
