// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/tensor_archive.hpp"

#include <torch/types.h>
#include <torch/utils.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;
using trainer::NamedTensor;

namespace {

std::string written(const std::vector<NamedTensor>& tensors) {
  std::string bytes;
  trainer::write_archive(tensors, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

}  // namespace

TEST_CASE("tensors of every type and nesting level are restored into the same memory") {
  torch::manual_seed(1);
  const std::vector<NamedTensor> saved{{"a", torch::randn({2, 3})},
                                       {"b.weight", torch::randn({4}, torch::kDouble)},
                                       {"b.0.count", torch::tensor(7)},
                                       {"b.0.flags", torch::tensor({1, 0}, torch::kByte)},
                                       {"c.weight", torch::randn({3}, torch::requires_grad())}};
  std::vector<NamedTensor> loaded;
  for (const auto& [name, tensor] : saved) {
    loaded.push_back(
        {name, torch::zeros_like(tensor.detach()).set_requires_grad(tensor.requires_grad())});
  }
  const void* const memory = loaded[0].tensor.data_ptr();
  trainer::fill(loaded, trainer::find_in_archive(written(saved), loaded));
  for (std::size_t i = 0; i < saved.size(); ++i) {
    INFO(saved[i].name);
    CHECK(torch::equal(saved[i].tensor, loaded[i].tensor));
  }
  CHECK(loaded[0].tensor.data_ptr() == memory);
}

TEST_CASE("an archive that does not fit is an error and changes no tensor") {
  const std::string bytes = written({{"a", torch::ones({2})}, {"m.b", torch::ones({3})}});
  const at::Tensor a = torch::zeros({2});
  const auto read = [&](const std::string& name, const at::Tensor& tensor) {
    trainer::find_in_archive(bytes, {{"a", a}, {name, tensor}});
  };
  CHECK_THROWS_WITH(read("m.c", torch::zeros({3})), "the checkpoint does not contain m.c");
  CHECK_THROWS_WITH(read("n.b", torch::zeros({3})), "the checkpoint does not contain n.b");
  CHECK_THROWS_WITH(read("m.b", torch::zeros({4})),
                    "the checkpoint's m.b has another shape or type than this run expects");
  CHECK_THROWS_WITH(read("m.b", torch::zeros({3}, torch::kDouble)),
                    "the checkpoint's m.b has another shape or type than this run expects");
  CHECK_THROWS_WITH(trainer::find_in_archive(bytes.substr(0, 100), {{"a", a}}),
                    Catch::Contains("the checkpoint cannot be read: "));
  CHECK(a.sum().item<double>() == 0);
}

TEST_CASE("an exception from the sink of an archive reaches the caller from every piece") {
  for (int pieces = 0; pieces < 5; ++pieces) {
    int left = pieces;
    CHECK_THROWS_WITH(trainer::write_archive({{"a", torch::ones({1000})}},
                                             [&](std::string_view) {
                                               if (left-- == 0) throw base::RunError("disk full");
                                             }),
                      "disk full");
  }
}
