// SPDX-License-Identifier: Apache-2.0
// Tests of text models, in particular that padding has no effect.
#include <torch/types.h>

#include <catch2/catch.hpp>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/data/text/vocabulary.hpp"
#include "trainer/device/autocast.hpp"
#include "trainer/models/model.hpp"
#include "trainer/tasks/task.hpp"

using namespace dlscale;

namespace {

using trainer::Precision;

std::unique_ptr<trainer::Model> make_text_model(const std::string& name,
                                                const contract::ModelOptions& options,
                                                Precision precision = Precision::fp64) {
  static const auto device = base::find(trainer::device_table(), "device", "cpu").make({});
  return base::find(trainer::model_table(), "model", name)
      .make({.classes = 3,
             .words = 12,
             .target_words = 10,
             .precision = precision,
             .device = *device,
             .seed = 4,
             .options = options});
}

std::unique_ptr<trainer::Model> small_seq2seq(const std::string& cell, double dropout = 0) {
  return make_text_model("seq2seq",
                         {.dropout = dropout, .embedding = 6, .hidden = 5, .cell = cell});
}

/// Returns two sentences and the beginnings of their translations, padded to `length`.
at::Tensor sentences(std::int64_t length) {
  const at::Tensor input = torch::zeros({2, 2, length}, torch::kLong);
  const auto put = [&](int sample, int which, const std::vector<std::int64_t>& tokens) {
    input[sample][which]
        .narrow(0, 0, static_cast<std::int64_t>(tokens.size()))
        .copy_(torch::tensor(tokens));
  };
  put(0, 0, {5, 6, 7, trainer::kEnd});
  put(0, 1, {trainer::kBegin, 4, 8});
  put(1, 0, {9, trainer::kEnd});
  put(1, 1, {trainer::kBegin, 6, 5, 4});
  return input;
}

}  // namespace

TEST_CASE("nbow averages the vectors of a text's words, regardless of padding") {
  const auto model = make_text_model("nbow", {.embedding = 5});
  const at::Tensor vectors = model->parameters()[0], weight = model->parameters()[1];
  CHECK(vectors.sizes() == at::IntArrayRef{12, 5});
  const at::Tensor text = torch::tensor({{4, 6, 6, 0, 0}, {0, 0, 0, 0, 0}});
  const at::Tensor scores = model->forward(text);
  const at::Tensor mean = (vectors[4] + 2 * vectors[6]) / 3;
  CHECK(torch::allclose(scores[0], weight.mv(mean) + model->parameters()[2]));
  CHECK(torch::allclose(scores[1], model->parameters()[2]));
  CHECK(torch::equal(model->forward(text.narrow(1, 0, 3)), scores));
  scores.sum().backward();
  CHECK(vectors.grad()[0].abs().sum().item<double>() == 0);
}

TEST_CASE("the embedding has the requested width, or 100 by default") {
  CHECK(make_text_model("nbow", {})->parameters()[0].size(1) == 100);
  CHECK(trainer::parameter_count(*make_text_model("nbow", {.embedding = 7})) == 12 * 7 + 7 * 3 + 3);
}

TEST_CASE("seq2seq's scores do not depend on padding, with either cell") {
  for (const char* cell : {"", "gru", "lstm"}) {
    INFO(cell);
    const auto model = small_seq2seq(cell);
    const at::Tensor scores = model->forward(sentences(4));
    CHECK(scores.sizes() == at::IntArrayRef{2, 4, 10});
    const at::Tensor padded = model->forward(sentences(7));
    CHECK(torch::allclose(padded.narrow(1, 0, 4), scores, 1e-12, 1e-12));
    CHECK(torch::allclose(model->forward(sentences(4).narrow(0, 1, 1)), scores.narrow(0, 1, 1),
                          1e-12, 1e-12));
  }
}

TEST_CASE("a score of seq2seq depends only on the words before it") {
  const auto model = small_seq2seq("gru");
  const at::Tensor input = sentences(4);
  const at::Tensor scores = model->forward(input);
  input[1][1][2] = 9;
  const at::Tensor changed = model->forward(input);
  CHECK(torch::equal(changed[1].narrow(0, 0, 2), scores[1].narrow(0, 0, 2)));
  CHECK_FALSE(torch::allclose(changed[1][2], scores[1][2]));
}

TEST_CASE("every parameter of seq2seq is trained") {
  for (const char* cell : {"gru", "lstm"}) {
    const auto model = small_seq2seq(cell);
    const auto& task = trainer::task_of_model("seq2seq");
    const at::Tensor target = torch::tensor({{4, 8, 3, 0}, {6, 5, 4, 3}});
    task.loss(model->forward(sentences(4)), target, 0).backward();
    for (std::size_t i = 0; i < model->parameters().size(); ++i) {
      INFO(cell << " " << model->parameter_names()[i]);
      CHECK(model->parameters()[i].grad().abs().sum().item<double>() > 0);
    }
  }
}

TEST_CASE("in evaluation seq2seq adds its own greedy translation to the output") {
  for (const char* cell : {"gru", "lstm"}) {
    const auto model = small_seq2seq(cell);
    model->set_training(false);
    const torch::NoGradGuard no_gradients;
    at::Tensor input = sentences(6);
    const at::Tensor output = model->forward(input);
    REQUIRE(output.sizes() == at::IntArrayRef{2, 6, 11});
    const at::Tensor own = output.select(2, 10).to(torch::kLong);
    input.select(1, 1).narrow(1, 1, 5).copy_(own.narrow(1, 0, 5));
    at::Tensor scores = model->forward(input).narrow(2, 0, 10).clone();
    scores.select(2, trainer::kPad).fill_(-INFINITY);
    scores.select(2, trainer::kBegin).fill_(-INFINITY);
    const at::Tensor is_word = own.ne(trainer::kPad);
    CHECK(torch::equal(scores.argmax(2).masked_select(is_word), own.masked_select(is_word)));
    CHECK(is_word.select(1, 0).all().item<bool>());
  }
}

TEST_CASE("seq2seq accepts a batch without samples") {
  const auto model = small_seq2seq("gru");
  CHECK(model->forward(sentences(4).narrow(0, 0, 0)).sizes() == at::IntArrayRef{0, 4, 10});
}

TEST_CASE("seq2seq's dropout applies only in training and is part of its state") {
  const auto model = small_seq2seq("gru", 0.5);
  const at::Tensor first = model->forward(sentences(4));
  CHECK_FALSE(torch::allclose(model->forward(sentences(4)), first));
  CHECK(model->state().size() == model->parameters().size() + 3);
  model->set_training(false);
  CHECK(torch::equal(model->forward(sentences(4)), model->forward(sentences(4))));
}

TEST_CASE("text models compute nearly the same in bf16 as in fp32") {
  const at::Tensor text = torch::tensor({{4, 6, 6, 0, 0}, {5, 7, 8, 9, 4}});
  for (const std::string model : {"nbow", "gru", "lstm"}) {
    INFO(model);
    const bool is_nbow = model == "nbow";
    const auto made = is_nbow
                          ? make_text_model("nbow", {}, Precision::fp32)
                          : make_text_model("seq2seq", {.embedding = 6, .hidden = 5, .cell = model},
                                            Precision::fp32);
    const at::Tensor input = is_nbow ? text : sentences(5);
    const at::Tensor scores = made->forward(input);
    const trainer::Autocast autocast("bf16", at::kCPU);
    at::Tensor small;
    {
      const auto casts = autocast.forward_pass();
      small = made->forward(input);
    }
    CHECK(small.scalar_type() == at::kBFloat16);
    CHECK(torch::allclose(small.to(at::kFloat), scores, 0.05, 0.05));
    small.to(at::kFloat).sum().backward();
    CHECK(torch::isfinite(made->parameters()[0].grad()).all().item<bool>());
  }
}
