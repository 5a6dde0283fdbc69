// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_fit.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;

namespace {

contract::RunSpec run_of(const std::string& model, const std::string& data,
                         const std::string& loader) {
  contract::RunSpec spec;
  spec.model = model;
  spec.dataset.kind = data;
  spec.loader = loader;
  return spec;
}

std::string error_of(const contract::RunSpec& spec) {
  try {
    trainer::require_data_fit(spec, "run.json");
  } catch (const base::SpecError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("models of images, texts and translations with their data are no error") {
  CHECK(error_of(run_of("mlp", "mnist", "memory")) == "no error");
  CHECK(error_of(run_of("script:net.pt", "cifar10", "synthetic")) == "no error");
  CHECK(error_of(run_of("conv_autoencoder", "mnist", "memory")) == "no error");
  CHECK(error_of(run_of("nbow", "text_sst", "text")) == "no error");
  CHECK(error_of(run_of("seq2seq", "text_multi30k", "text")) == "no error");
}

TEST_CASE("a model that cannot take the data is an error with both") {
  CHECK_THAT(error_of(run_of("mlp", "text_sst", "text")),
             Catch::EndsWith("model: mlp takes images, but the data set text_sst is text"));
  CHECK_THAT(error_of(run_of("nbow", "mnist", "memory")),
             Catch::EndsWith("model: nbow takes text, but the data set mnist is images"));
  CHECK_THAT(error_of(run_of("nbow", "text_multi30k", "text")),
             Catch::EndsWith("model: nbow is for classification, but the data set text_multi30k is "
                             "for translation"));
  CHECK_THAT(error_of(run_of("seq2seq", "text_sst", "text")),
             Catch::EndsWith("seq2seq is for translation, but the data set text_sst is for "
                             "classification"));
}

TEST_CASE("a loader that cannot deliver the data is an error that names the one that can") {
  CHECK_THAT(error_of(run_of("mlp", "mnist", "text")),
             Catch::EndsWith("loader: text delivers text, but the data set mnist is images; use "
                             "memory"));
  CHECK_THAT(error_of(run_of("nbow", "text_sst", "memory")),
             Catch::EndsWith("loader: memory delivers images, but the data set text_sst is text; "
                             "use text"));
}

TEST_CASE("settings that would mean nothing are errors") {
  auto spec = run_of("mlp", "mnist", "memory");
  spec.dataset.max_length = 9;
  CHECK_THAT(error_of(spec), Catch::EndsWith("dataset.max_length: is for texts, but the data set "
                                             "mnist is images"));
  spec = run_of("mlp", "synthetic", "memory");
  spec.dataset.first_classes = 3;
  CHECK_THAT(error_of(spec), Catch::Contains("dataset.first_classes: synthetic has as many"));
  spec.dataset = {"synthetic_digits"};
  spec.dataset.sha256 = "00";
  CHECK_THAT(error_of(spec), Catch::Contains("dataset.sha256: synthetic_digits is generated"));
  spec = run_of("seq2seq", "text_multi30k", "text");
  spec.dataset.first_classes = 3;
  CHECK_THAT(error_of(spec),
             Catch::Contains("dataset.first_classes: text_multi30k has no classes"));
  spec = run_of("conv_autoencoder", "mnist", "memory");
  spec.label_smoothing = 0.1;
  CHECK_THAT(error_of(spec), Catch::Contains("label_smoothing: has no meaning for reconstruction"));
}
