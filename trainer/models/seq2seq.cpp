// SPDX-License-Identifier: Apache-2.0
// Translation model with an encoder and a decoder with attention (Luong, Pham, Manning: Effective
// Approaches to Attention-based Neural Machine Translation, 2015). Of the variants in this paper,
// the model uses global attention with the "general" score, without input feeding.
#include <torch/nn/module.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include <limits>

#include "trainer/data/text/vocabulary.hpp"
#include "trainer/models/module_model.hpp"
#include "trainer/models/recurrence.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kSeq2seqEmbedding = 256;
constexpr int kSeq2seqHidden = 256;
constexpr const char* kCell = "gru";

struct Widths {
  explicit Widths(const ModelContext& context)
      : words(context.words),
        target_words(context.target_words),
        embedding(context.options.embedding == 0 ? kSeq2seqEmbedding : context.options.embedding),
        hidden(context.options.hidden == 0 ? kSeq2seqHidden : context.options.hidden),
        cell(context.options.cell.empty() ? kCell : context.options.cell) {}
  std::int64_t words, target_words, embedding, hidden;
  std::string cell;
};

torch::nn::Embedding vectors(std::int64_t words, std::int64_t width) {
  return torch::nn::Embedding(torch::nn::EmbeddingOptions(words, width).padding_idx(kPad));
}

/// Results of the encoder for each position of the source sentence. The decoder attends to these
/// results.
struct Source {
  at::Tensor outputs;  ///< samples x length x (2 x hidden)
  at::Tensor keys;     ///< samples x length x hidden
  at::Tensor masking;  ///< samples x 1 x length; -infinity at padding, else 0
};

struct Seq2Seq : torch::nn::Module {
  explicit Seq2Seq(const ModelContext& context) : Seq2Seq(context, Widths(context)) {}
  Seq2Seq(const ModelContext& context, const Widths& w)
      : words(w.target_words),
        source_embedding(register_module("source_embedding", vectors(w.words, w.embedding))),
        target_embedding(register_module("target_embedding", vectors(w.target_words, w.embedding))),
        encoder(register_module(
            "encoder", Recurrence(w.cell, RecurrenceImpl::Sizes{w.embedding, w.hidden, true}))),
        decoder(register_module(
            "decoder", Recurrence(w.cell, RecurrenceImpl::Sizes{w.embedding, w.hidden, false}))),
        bridge(register_module("bridge", torch::nn::Linear(2 * w.hidden, w.hidden))),
        key(register_module(
            "key",
            torch::nn::Linear(torch::nn::LinearOptions(2 * w.hidden, w.hidden).bias(false)))),
        mix(register_module("mix", torch::nn::Linear(3 * w.hidden, w.hidden))),
        output(register_module("output", torch::nn::Linear(w.hidden, w.target_words))),
        source_dropout(
            register_module("source_dropout", Dropout(context.options.dropout, 0, context))),
        target_dropout(
            register_module("target_dropout", Dropout(context.options.dropout, 1, context))),
        output_dropout(
            register_module("output_dropout", Dropout(context.options.dropout, 2, context))) {}

  /// Returns the single block of the model. The model cannot be divided, because the decoder needs
  /// the results of the encoder and the previous target tokens.
  std::vector<NetBlock> blocks() {
    return {{"seq2seq",
             {"source_embedding", "target_embedding", "encoder", "decoder", "bridge", "key", "mix",
              "output", "source_dropout", "target_dropout", "output_dropout"},
             [this](const at::Tensor& input) { return forward(input); }}};
  }

  /// Returns scores for the token that follows each token of the given translation, as samples x
  /// length x words. `input` is samples x 2 x length; see Batch::input in data/loader.hpp. In
  /// evaluation, the last dimension has words + 1 entries. The additional entry is the token at
  /// this position in the translation that the model itself produces. The result then has at least
  /// 32 bits per value.
  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor tokens = input.to(at::kLong);
    if (tokens.size(0) == 0) {
      return at::empty({0, tokens.size(2), words + (is_training() ? 0 : 1)},
                       output->weight.options());
    }
    auto [source, memory] = encode(tokens.select(1, 0));
    const at::Tensor given = target_dropout(target_embedding(tokens.select(1, 1)));
    const at::Tensor scores = attend(source, decoder(given, memory).outputs);
    if (is_training()) return scores;
    const at::Tensor wide = scores.scalar_type() == at::kDouble ? scores : scores.to(at::kFloat);
    const at::Tensor own = translate(source, memory, tokens.size(2));
    return at::cat({wide, own.unsqueeze(2).to(wide.scalar_type())}, 2);
  }

  std::pair<Source, RecurrenceImpl::Memory> encode(const at::Tensor& tokens) {
    const at::Tensor is_padding = tokens.eq(kPad);
    const at::Tensor lengths = is_padding.logical_not().sum(1).clamp_min(1);
    auto [outputs, memory] =
        encoder->forward_padded(source_dropout(source_embedding(tokens)), lengths);
    for (at::Tensor& each : memory) {
      const at::Tensor both = at::cat({each[0], each[1]}, 1);
      each = bridge(both).tanh().unsqueeze(0).to(outputs.scalar_type());
    }
    constexpr double kNever = -std::numeric_limits<double>::infinity();
    const at::Tensor masking = at::zeros(is_padding.sizes(), outputs.options().requires_grad(false))
                                   .masked_fill_(is_padding, kNever)
                                   .unsqueeze(1);
    return {{outputs, key(outputs), masking}, memory};
  }

  at::Tensor attend(const Source& source, const at::Tensor& states) {
    const at::Tensor scores = at::bmm(states, source.keys.to(states.scalar_type()).transpose(1, 2));
    const at::Tensor weights = at::softmax(scores + source.masking, 2);
    const at::Tensor seen = at::bmm(weights, source.outputs.to(weights.scalar_type()));
    return output(output_dropout(mix(at::cat({seen.to(states.scalar_type()), states}, 2)).tanh()));
  }

  /// Translates the sentences of a batch. In each step, the token with the highest score is chosen.
  /// Stops when all sentences have ended or when `room` tokens are written. Sentences that end
  /// earlier are padded.
  at::Tensor translate(const Source& source, RecurrenceImpl::Memory memory, std::int64_t room) {
    const std::int64_t samples = source.outputs.size(0);
    const at::TensorOptions options = source.outputs.options().dtype(at::kLong);
    at::Tensor own = at::full({samples, room}, kPad, options);
    at::Tensor token = at::full({samples}, kBegin, options);
    at::Tensor has_ended = at::zeros({samples}, options.dtype(at::kBool));
    for (std::int64_t place = 0; place < room; ++place) {
      auto step = decoder(target_embedding(token.unsqueeze(1)), memory);
      memory = std::move(step.memory);
      at::Tensor scores = attend(source, step.outputs).squeeze(1);
      for (const std::int64_t never : {kPad, kBegin}) {
        scores.select(1, never).fill_(-std::numeric_limits<double>::infinity());
      }
      token = scores.argmax(1).masked_fill_(has_ended, kPad);
      own.select(1, place).copy_(token);
      has_ended.logical_or_(token.eq(kEnd));
      if (has_ended.all().item<bool>()) break;
    }
    return own;
  }

  std::int64_t words;
  torch::nn::Embedding source_embedding, target_embedding;
  Recurrence encoder, decoder;
  torch::nn::Linear bridge, key, mix, output;
  Dropout source_dropout, target_dropout, output_dropout;
};

}  // namespace

extern const ModelEntry seq2seq_entry;
const ModelEntry seq2seq_entry{.name = "seq2seq",
                               .summary = "GRU or LSTM encoder and decoder with attention",
                               .make = make_module_model<Seq2Seq>,
                               .task = "translation",
                               .input = "text",
                               .settings = "embedding hidden cell dropout"};

}  // namespace dlscale::trainer
