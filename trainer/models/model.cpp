// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/models/module_model.hpp"
#include "trainer/models/weights.hpp"

namespace dlscale::trainer {

std::unique_lock<std::mutex> start_drawing(std::uint64_t seed) {
  static std::mutex generator;
  std::unique_lock lock(generator);
  torch::manual_seed(seed);
  return lock;
}

at::Tensor Model::forward(const at::Tensor& input) {
  at::Tensor value = input;
  for (std::size_t i = 0; i < blocks().size(); ++i) {
    if (watch_ != nullptr) watch_->before_block(i);
    value = forward_block(i, value);
    if (watch_ != nullptr) watch_->after_block(i, value);
  }
  return value;
}

Pretrained Model::pretrained() {
  return {weights(), ""};
}

std::int64_t total_parameter_count(Model& model) {
  std::int64_t count = 0;
  for (const NamedTensor& part : model.weights()) count += part.tensor.numel();
  for (const at::Tensor& buffer : model.buffers()) count -= buffer.numel();
  return count;
}

std::int64_t parameter_count(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

void freeze_beginnings(Model& model, const std::string& beginnings) {
  const std::vector<std::string>& names = model.parameter_names();
  std::vector<std::string> frozen;
  std::istringstream list(beginnings);
  for (std::string beginning; std::getline(list >> std::ws, beginning, ',');) {
    while (beginning.ends_with(' ')) beginning.pop_back();
    const auto is_meant = [&](const std::string& name) { return name.starts_with(beginning); };
    if (beginning.empty() || std::ranges::none_of(names, is_meant)) {
      throw base::UsageError(fmt::format(
          "frozen: no parameter name begins with \"{}\"; the model's names range from {} to {}",
          beginning, names.front(), names.back()));
    }
    std::ranges::copy_if(names, std::back_inserter(frozen), is_meant);
  }
  model.freeze(frozen);
  if (model.parameters().empty()) {
    throw base::UsageError(fmt::format("frozen: \"{}\" leaves no parameter to train", beginnings));
  }
}

}  // namespace dlscale::trainer
