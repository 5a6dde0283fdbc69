// SPDX-License-Identifier: Apache-2.0
#include "trainer/tasks/task.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "trainer/data/text/vocabulary.hpp"
#include "trainer/models/model.hpp"

using namespace dlscale;
using trainer::TaskEntry;

namespace {

constexpr std::int64_t kSamples = 6;

const TaskEntry& task(const std::string& name) {
  return base::find(trainer::task_table(), "task", name);
}

struct Example {
  at::Tensor output;     ///< output of a model in training
  at::Tensor evaluated;  ///< output of a model in evaluation
  at::Tensor target;
};

/// Returns six samples of a task. Translations have length 5, and the first samples are shorter.
Example example_of(const std::string& name) {
  torch::manual_seed(3);
  if (name == "reconstruction") {
    const at::Tensor output = torch::randn({kSamples, 2, 3, 3}, torch::kDouble);
    return {output, output, torch::randn({kSamples, 2, 3, 3}, torch::kDouble)};
  }
  if (name == "classification") {
    const at::Tensor scores = torch::randn({kSamples, 7}, torch::kDouble);
    return {scores, scores, torch::arange(kSamples)};
  }
  const at::Tensor scores = torch::randn({kSamples, 5, 9}, torch::kDouble);
  at::Tensor target = torch::randint(trainer::kSpecialTokens, 9, {kSamples, 5});
  for (std::int64_t i = 0; i < kSamples; ++i) {
    target[i].narrow(0, 1 + i / 2, 4 - i / 2).fill_(trainer::kPad);
    target[i][1 + i / 2] = trainer::kEnd;
  }
  return {scores, torch::cat({scores, target.unsqueeze(2).to(torch::kDouble)}, 2), target};
}

contract::EvalRecord concluded(const TaskEntry& entry, const std::vector<double>& sums,
                               std::int64_t samples) {
  contract::EvalRecord record;
  record.samples = samples;
  entry.conclude(sums, record);
  return record;
}

}  // namespace

TEST_CASE("the loss of a batch is the mean of its parts' losses in every task") {
  for (const TaskEntry* entry : trainer::task_table()) {
    const auto [output, evaluated, target] = example_of(entry->name);
    for (const double smoothing : {0.0, 0.1}) {
      INFO(entry->name << ", smoothing " << smoothing);
      const at::Tensor whole = entry->loss(output, target, smoothing);
      at::Tensor sum = torch::zeros({}, torch::kDouble);
      for (std::int64_t i = 0; i < kSamples; i += 2) {
        sum += entry->loss(output.narrow(0, i, 2), target.narrow(0, i, 2), smoothing);
      }
      CHECK((sum / 3).item<double>() == Approx(whole.item<double>()).epsilon(1e-13));
    }
    const at::Tensor wanted = target.is_floating_point() ? target.to(torch::kFloat) : target;
    CHECK(entry->loss(output.to(torch::kBFloat16), wanted, 0).scalar_type() == torch::kFloat);
  }
}

TEST_CASE("the counts of parts add up to the counts of the whole in every task") {
  for (const TaskEntry* entry : trainer::task_table()) {
    INFO(entry->name);
    const auto [output, evaluated, target] = example_of(entry->name);
    const auto whole = entry->count(evaluated, target);
    REQUIRE(whole.size() == entry->counts);
    std::vector<double> sums(entry->counts);
    for (const auto& [first, size] : {std::pair{0, 1}, std::pair{1, 3}, std::pair{4, 2}}) {
      const auto part =
          entry->count(evaluated.narrow(0, first, size), target.narrow(0, first, size));
      for (std::size_t i = 0; i < part.size(); ++i) sums[i] += part[i];
    }
    for (std::size_t i = 0; i < whole.size(); ++i) CHECK(sums[i] == Approx(whole[i]));
    const auto record = concluded(*entry, sums, kSamples);
    CHECK(std::isfinite(record.loss));
    CHECK(record.correct <= kSamples);
  }
}

TEST_CASE("every model belongs to an existing task") {
  for (const auto* model : trainer::model_table()) {
    CHECK(trainer::task_of_model(model->name).name == std::string(model->task));
  }
  CHECK(trainer::task_of_model("script:net.pt").name == std::string("classification"));
}

TEST_CASE("classification counts correct classes, and the top five if there are more classes") {
  const at::Tensor scores = torch::tensor({{.1, .2, .3, .4, .5, .6}, {.6, .5, .4, .3, .2, .1}});
  const auto& entry = task("classification");
  auto record = concluded(entry, entry.count(scores, torch::tensor({0, 0})), 2);
  CHECK(record.correct == 1);
  CHECK(record.accuracy == 0.5);
  CHECK(record.metrics.at("top5_accuracy") == 0.5);
  record = concluded(entry, entry.count(scores.narrow(1, 0, 5), torch::tensor({4, 1})), 2);
  CHECK(record.correct == 1);
  CHECK(record.metrics.empty());
}

TEST_CASE("the number of correct classes is computed on the device, only for classification") {
  const at::Tensor scores = torch::tensor({{.1, .2}, {.6, .5}, {.3, .4}});
  const at::Tensor correct = task("classification").correct(scores, torch::tensor({1, 1, 1}));
  CHECK(correct.scalar_type() == torch::kLong);
  CHECK(correct.dim() == 0);
  CHECK(correct.item<std::int64_t>() == 2);
  CHECK(task("classification")
            .correct(scores.to(torch::kBFloat16), torch::tensor({1, 0, 1}))
            .item<std::int64_t>() == 3);
  CHECK(task("reconstruction").correct == nullptr);
  CHECK(task("translation").correct == nullptr);
}

TEST_CASE("the error of a reconstruction is the mean square over all values") {
  const auto& entry = task("reconstruction");
  const at::Tensor target = torch::zeros({2, 1, 2, 2});
  const at::Tensor output = torch::tensor({1., 2., 3., 0., 0., 0., 0., 4.}).view({2, 1, 2, 2});
  CHECK(entry.loss(output, target, 0).item<double>() == Approx(30 / 8.0));
  const auto record = concluded(entry, entry.count(output, target), 2);
  CHECK(record.loss == Approx(30 / 8.0));
  CHECK(record.metrics.at("mse") == record.loss);
}

TEST_CASE("padding changes neither loss nor counts of a translation") {
  const auto& entry = task("translation");
  const auto [output, evaluated, target] = example_of("translation");
  const auto longer = [](const at::Tensor& tensor) {
    auto shape = tensor.sizes().vec();
    shape[1] = 3;
    return torch::cat({tensor, torch::zeros(shape, tensor.options())}, 1);
  };
  CHECK(entry.loss(longer(output), longer(target), 0.1).item<double>() ==
        Approx(entry.loss(output, target, 0.1).item<double>()).epsilon(1e-13));
  const auto expected = entry.count(evaluated, target);
  const auto counts = entry.count(longer(evaluated), longer(target));
  for (std::size_t i = 0; i < counts.size(); ++i) CHECK(counts[i] == Approx(expected[i]));
}

TEST_CASE("a translation records its loss per token, perplexity, token accuracy and BLEU") {
  const auto& entry = task("translation");
  const auto [output, evaluated, target] = example_of("translation");
  const auto record = concluded(entry, entry.count(evaluated, target), kSamples);
  const at::Tensor kept = target.ne(trainer::kPad);
  const at::Tensor by_hand =
      -torch::log_softmax(output, 2).gather(2, target.unsqueeze(2)).squeeze(2);
  CHECK(record.loss == Approx(by_hand.masked_select(kept).mean().item<double>()));
  CHECK(record.metrics.at("perplexity") == Approx(std::exp(record.loss)));
  CHECK(record.correct == kSamples);      // every output contains its reference
  CHECK(record.metrics.at("bleu") == 0);  // no sentence has four words
  CHECK(record.metrics.at("token_accuracy") <= 1);
}

TEST_CASE("a word outside the vocabulary never counts as correct") {
  const auto& entry = task("translation");
  const at::Tensor target = torch::tensor(
      {{5, trainer::kUnknown, 6, trainer::kEnd}, {5, 6, trainer::kEnd, trainer::kPad}},
      torch::kLong);
  const at::Tensor scores = torch::one_hot(target, 9).to(torch::kDouble);
  const at::Tensor evaluated = torch::cat({scores, target.unsqueeze(2).to(torch::kDouble)}, 2);
  const auto record = concluded(entry, entry.count(evaluated, target), 2);
  CHECK(record.correct == 1);
  CHECK(record.accuracy == 0.5);
  CHECK(record.metrics.at("token_accuracy") == Approx(6.0 / 7));
}
