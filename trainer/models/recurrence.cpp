// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/recurrence.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/cpu/Utils.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/nn/utils/rnn.h>

#include <cmath>
#include <optional>
#include <tuple>

namespace dlscale::trainer {
namespace {

namespace rnn = torch::nn::utils::rnn;

constexpr std::int64_t kRecurrenceLayers = 1;
constexpr bool kHasBiases = true;

/// Returns true if an LSTM must run in float32 although autocast is on. On a CPU, autocast runs
/// LSTMs in 16 bits with oneDNN, which throws if the CPU has no AVX-512.
bool must_stay_wide(const at::Tensor& input) {
  return input.is_cpu() && at::autocast::is_autocast_enabled(at::kCPU) &&
         !at::cpu::is_avx512_vnni_supported();
}

}  // namespace

RecurrenceImpl::RecurrenceImpl(const std::string& cell, const Sizes& sizes)
    : is_lstm_(cell == "lstm"), sizes_(sizes) {
  const std::int64_t gates = (is_lstm_ ? 4 : 3) * sizes.hidden;
  const double bound = 1 / std::sqrt(static_cast<double>(sizes.hidden));
  const auto add = [&](const std::string& name, at::IntArrayRef shape) {
    weights_.push_back(register_parameter(name, torch::empty(shape).uniform_(-bound, bound)));
  };
  for (const std::string end : {"", "_reverse"}) {
    if (!end.empty() && !sizes.both_directions) continue;
    add("weight_ih_l0" + end, {gates, sizes.input});
    add("weight_hh_l0" + end, {gates, sizes.hidden});
    add("bias_ih_l0" + end, {gates});
    add("bias_hh_l0" + end, {gates});
  }
}

RecurrenceImpl::Run RecurrenceImpl::forward(const at::Tensor& input, const Memory& memory) {
  constexpr bool kBatchFirst = true;
  if (is_lstm_) {
    std::optional<c10::impl::ExcludeDispatchKeyGuard> no_casts;
    at::Tensor taken = input;
    Memory before = memory;
    if (must_stay_wide(input)) {
      no_casts.emplace(c10::autocast_dispatch_keyset);
      taken = input.to(at::kFloat);
      for (at::Tensor& each : before) each = each.to(at::kFloat);
    }
    const auto [outputs, hidden, cell] =
        at::lstm(taken, before, weights(), kHasBiases, kRecurrenceLayers, /*dropout=*/0,
                 is_training(), sizes_.both_directions, kBatchFirst);
    return {outputs, {hidden, cell}};
  }
  const auto [outputs, hidden] =
      at::gru(input, memory[0], weights(), kHasBiases, kRecurrenceLayers, /*dropout=*/0,
              is_training(), sizes_.both_directions, kBatchFirst);
  return {outputs, {hidden}};
}

RecurrenceImpl::Run RecurrenceImpl::forward_padded(const at::Tensor& input,
                                                   const at::Tensor& lengths) {
  const auto packed = rnn::pack_padded_sequence(input, lengths.to(at::kCPU), /*batch_first=*/true,
                                                /*enforce_sorted=*/false);
  const Memory zeros(memories(), at::zeros({directions(), input.size(0), sizes_.hidden},
                                           input.options().requires_grad(false)));
  at::Tensor outputs;
  Memory memory;
  if (is_lstm_) {
    auto all = at::lstm(packed.data(), packed.batch_sizes(), zeros, weights(), kHasBiases,
                        kRecurrenceLayers,
                        /*dropout=*/0, is_training(), sizes_.both_directions);
    outputs = std::get<0>(all);
    memory = {std::get<1>(all), std::get<2>(all)};
  } else {
    auto all = at::gru(packed.data(), packed.batch_sizes(), zeros[0], weights(), kHasBiases,
                       kRecurrenceLayers, /*dropout=*/0, is_training(), sizes_.both_directions);
    outputs = std::get<0>(all);
    memory = {std::get<1>(all)};
  }
  for (at::Tensor& each : memory) each = each.index_select(1, packed.unsorted_indices());
  const auto padded = rnn::pad_packed_sequence(
      rnn::PackedSequence(outputs, packed.batch_sizes(), packed.sorted_indices(),
                          packed.unsorted_indices()),
      /*batch_first=*/true, /*padding_value=*/0, /*total_length=*/input.size(1));
  return {std::get<0>(padded), std::move(memory)};
}

}  // namespace dlscale::trainer
