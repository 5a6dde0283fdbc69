// SPDX-License-Identifier: Apache-2.0
// A model that a test or a benchmark assembles from blocks.
#pragma once

#include <torch/types.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::test {

/// Model whose blocks each have one parameter.
class BlockModel : public trainer::Model {
 public:
  using Forward = std::function<at::Tensor(const at::Tensor& input, const at::Tensor& parameter)>;

  void add(const at::Tensor& parameter, Forward forward) {
    const std::string name = "block" + std::to_string(blocks_.size());
    blocks_.push_back({name, {parameters_.size()}});
    names_.push_back(name);
    parameters_.push_back(parameter.detach().set_requires_grad(true));
    whole_.push_back(parameters_.back());
    forward_.push_back(std::move(forward));
  }
  const std::vector<trainer::Block>& blocks() const override { return blocks_; }
  at::Tensor forward_block(std::size_t index, const at::Tensor& input) override {
    return forward_[index](input, whole_[index]);
  }
  void keep_blocks(std::size_t first, std::size_t last) override {
    parameters_.assign(whole_.begin() + static_cast<std::ptrdiff_t>(first),
                       whole_.begin() + static_cast<std::ptrdiff_t>(last));
    names_.clear();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i].parameters.clear();
      if (i < first || i >= last) continue;
      blocks_[i].parameters.push_back(names_.size());
      names_.push_back(blocks_[i].name);
    }
  }
  void freeze(const std::vector<std::string>&) override {
    throw std::logic_error("every block of this model is trained");
  }
  std::vector<at::Tensor> buffers() const override { return {}; }
  void set_training(bool) override {}
  const std::vector<at::Tensor>& parameters() const override { return parameters_; }
  const std::vector<std::string>& parameter_names() const override { return names_; }
  std::vector<trainer::NamedTensor> weights() override { return state(); }
  std::vector<trainer::NamedTensor> state() override {
    std::vector<trainer::NamedTensor> all;
    for (std::size_t i = 0; i < parameters_.size(); ++i) all.push_back({names_[i], parameters_[i]});
    return all;
  }

 private:
  std::vector<trainer::Block> blocks_;
  std::vector<at::Tensor> whole_, parameters_;
  std::vector<std::string> names_;
  std::vector<Forward> forward_;
};

}  // namespace dlscale::test
