// SPDX-License-Identifier: Apache-2.0
// Compares the shipped model cards for 16-bit precision with the model cards for fp32.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/predict/shipped_card.hpp"

using namespace dlscale;

namespace {

const std::string kIn16Bits = "-bf16";

/// Returns the names of the model cards for autocast, without the suffix kIn16Bits.
std::vector<std::string> cards_in_16_bits() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(DLSCALE_SOURCE_DIR "/share/cards")) {
    const std::string name = entry.path().stem().string();
    if (name.ends_with(kIn16Bits)) names.push_back(name.substr(0, name.size() - kIn16Bits.size()));
  }
  return names;
}

double saved_of_a_sample(const contract::ModelCard& card) {
  double sum = 0;
  for (const contract::LayerCard& layer : card.layers) sum += layer.saved.per_sample;
  return sum;
}

}  // namespace

TEST_CASE("a model has the same FLOPs in 16 bits and keeps about half of its activations") {
  const std::vector<std::string> names = cards_in_16_bits();
  REQUIRE(names.size() >= 10);
  for (const std::string& name : names) {
    INFO(name);
    const contract::ModelCard single = test::shipped_card(name);
    const contract::ModelCard half = test::shipped_card(name + kIn16Bits);
    CHECK(half.precision == "bf16");
    CHECK(half.parameters == single.parameters);
    CHECK(half.parameter_bytes == single.parameter_bytes);  // autocast keeps parameters in fp32
    REQUIRE(half.layers.size() == single.layers.size());
    for (std::size_t i = 0; i < half.layers.size(); ++i) {
      CHECK(half.layers[i].kind == single.layers[i].kind);
      CHECK(half.layers[i].forward.flops == single.layers[i].forward.flops);
    }
    const double share = saved_of_a_sample(half) / saved_of_a_sample(single);
    CHECK(share >= 0.5);
    // With bf16 autocast the indices of pooling layers do not shrink, and the input is stored in
    // both fp32 and bf16. In a small model these tensors need most of the memory.
    CHECK(share < (half.layers.size() > 40 ? 0.6 : 1.3));
  }
}
