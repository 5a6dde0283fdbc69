// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/dropout.hpp"

#include "trainer/data/random_stream.hpp"

namespace dlscale::trainer {

DropoutImpl::DropoutImpl(double probability, std::uint64_t place, const ModelContext& context)
    : kept_(1 - probability),
      key_(RandomStream(
               RandomStream(context.seed, static_cast<std::uint64_t>(context.worker)).next(), place)
               .next()),
      generator_(at::globalContext().defaultGenerator(context.device.torch_device()).clone()),
      passes_(torch::zeros({}, torch::kLong)) {}

at::Tensor DropoutImpl::forward(const at::Tensor& input) {
  if (!is_training() || kept_ == 1) return input;
  const auto pass = static_cast<std::uint64_t>((*passes_.data_ptr<std::int64_t>())++);
  generator_.set_current_seed(RandomStream(key_, pass).next());
  // The mask is contiguous, so its values are drawn in the order of the indices. The same values
  // are therefore dropped in every memory format of `input`.
  at::Tensor mask = at::empty(input.sizes(), input.options().requires_grad(false));
  mask.bernoulli_(kept_, generator_).div_(kept_);
  return input * mask;
}

}  // namespace dlscale::trainer
