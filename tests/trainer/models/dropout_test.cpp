// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/dropout.hpp"

#include "tests/trainer/models/made_model.hpp"

using namespace dlscale;
using test::make_model;
using test::model_context;
using trainer::Dropout;

namespace {

at::Tensor ones() {
  return torch::ones({100, 4, 10, 10});
}

/// Returns the dropout of a run with this seed on this worker.
Dropout made(std::uint64_t seed, int worker, int place = 0) {
  auto context = model_context({3, 8, 8}, 10);
  context.seed = seed;
  context.worker = worker;
  return Dropout(0.25, place, context);
}

}  // namespace

TEST_CASE("dropout zeroes its share of the values and scales the others") {
  Dropout dropout = made(1, 0);
  const at::Tensor output = dropout(ones());
  CHECK(output.eq(0).to(torch::kDouble).mean().item<double>() == Approx(0.25).margin(0.01));
  CHECK(output.max().item<float>() == Approx(1 / 0.75));
  CHECK(at::logical_or(output.eq(0), output.eq(output.max())).all().item<bool>());
  dropout->eval();
  CHECK(torch::equal(dropout(ones()), ones()));
  CHECK(dropout->passes().item<std::int64_t>() == 1);
}

TEST_CASE("the values that dropout zeroes depend on seed, worker, place and pass") {
  Dropout dropout = made(1, 0), same = made(1, 0);
  const at::Tensor first = dropout(ones());
  torch::rand(5);
  CHECK(torch::equal(same(ones()), first));
  CHECK(!torch::equal(dropout(ones()), first));
  for (auto& other : {made(2, 0), made(1, 1), made(1, 0, 1)}) {
    Dropout drawn = other;
    CHECK(!torch::equal(drawn(ones()), first));
  }
}

TEST_CASE("dropout zeroes the same values in any memory format and in the gradient") {
  Dropout one = made(1, 0), other = made(1, 0);
  const at::Tensor input = ones().set_requires_grad(true);
  const at::Tensor output = one(input);
  output.sum().backward();
  CHECK(torch::equal(input.grad(), output.detach()));
  CHECK(torch::equal(other(ones().contiguous(at::MemoryFormat::ChannelsLast)), output));
}

TEST_CASE("a model that is restored from another model's state drops the same values") {
  const auto context = model_context({3, 16, 16}, 10);
  const auto one = make_model("squeezenet1_0", context), two = make_model("squeezenet1_0", context);
  const at::Tensor input = torch::randn({4, 3, 16, 16});
  const at::NoGradGuard no_gradients;
  one->forward(input);
  const auto from = one->state(), to = two->state();
  CHECK(from.back().name == "random.classifier.0.passes");
  CHECK(!torch::equal(one->forward(input), one->forward(input)));
  for (std::size_t i = 0; i < from.size(); ++i) to[i].tensor.copy_(from[i].tensor);
  CHECK(torch::equal(two->forward(input), one->forward(input)));
  for (const auto& part : one->weights()) CHECK(!part.name.starts_with("random."));
}
