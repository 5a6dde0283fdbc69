// SPDX-License-Identifier: Apache-2.0
// Tests of which tensors are reduced together.
#include <catch2/catch.hpp>

#include "tests/trainer/sync/horovod/ranks.hpp"
#include "trainer/sync/horovod/fusion.hpp"

using namespace dlscale;
using namespace dlscale::trainer::horovod;
using test::Groups;
using trainer::ElementType;

namespace {

Response of(const std::string& name, std::int64_t bytes, ElementType type = ElementType::float32) {
  return {{name}, type, bytes / static_cast<std::int64_t>(trainer::bytes_of(type)), ""};
}

Groups fused(const std::vector<Response>& responses, std::int64_t threshold_bytes) {
  return test::groups_of(fuse(responses, threshold_bytes));
}

}  // namespace

TEST_CASE("tensors are fused in order as long as their sum is at most the threshold") {
  const std::vector<Response> responses{of("a", 40), of("b", 40), of("c", 40), of("d", 40)};
  CHECK(fused(responses, 100) == Groups{{"a", "b"}, {"c", "d"}});
  CHECK(fused(responses, 120) == Groups{{"a", "b", "c"}, {"d"}});
  CHECK(fuse(responses, 160)[0].bytes() == 160);
  CHECK(fused({}, 100).empty());
}

TEST_CASE("with threshold 0 every tensor is alone, and so is a tensor above the threshold") {
  const std::vector<Response> responses{of("a", 4), of("b", 400), of("c", 4)};
  CHECK(fused(responses, 0) == Groups{{"a"}, {"b"}, {"c"}});
  CHECK(fused(responses, 100) == Groups{{"a"}, {"b"}, {"c"}});
}

TEST_CASE("types are not mixed, but the search continues past other types") {
  const std::vector<Response> responses{of("a", 40), of("b", 40, ElementType::float16), of("c", 40),
                                        of("d", 40, ElementType::float16)};
  CHECK(fused(responses, 1000) == Groups{{"a", "c"}, {"b", "d"}});
}

TEST_CASE("the search ends when the skipped tensors would fill the buffer") {
  const std::vector<Response> responses{of("a", 40), of("b", 50, ElementType::float16), of("c", 8),
                                        of("d", 20, ElementType::float16), of("e", 8)};
  // After a, b and c, 48 bytes are taken and 50 bytes are skipped. Tensor d would increase the sum
  // to 118.
  CHECK(fused(responses, 100) == Groups{{"a", "c"}, {"b", "d"}, {"e"}});
}

TEST_CASE("a tensor that does not fit is skipped for a smaller tensor behind it") {
  CHECK(fused({of("a", 40), of("b", 50), of("c", 8)}, 100) == Groups{{"a", "b", "c"}});
  CHECK(fused({of("a", 40), of("b", 56), of("c", 8)}, 100) == Groups{{"a", "b"}, {"c"}});
  CHECK(fused({of("a", 20), of("b", 84), of("c", 8)}, 100) == Groups{{"a"}, {"b", "c"}});
}

TEST_CASE("errors are not fused") {
  Response error{{"bad"}, ElementType::float32, 0, "ranks disagree"};
  const auto responses = fuse({of("a", 4), error, of("b", 4)}, 100);
  CHECK(test::groups_of(responses) == Groups{{"a", "b"}, {"bad"}});
  CHECK(responses[1].error == "ranks disagree");
  CHECK(fused({error, of("a", 4), of("b", 4)}, 100) == Groups{{"bad"}, {"a", "b"}});
}

TEST_CASE("the threshold is rounded up to 64 float64 values for each rank of a node") {
  CHECK(rounded_threshold(0, 4) == 0);
  CHECK(rounded_threshold(1, 1) == 512);
  CHECK(rounded_threshold(1, 4) == 2048);
  CHECK(rounded_threshold(2048, 4) == 2048);
  CHECK(rounded_threshold(128 << 20, 3) == 134218752);
  CHECK(134218752 % (3 * 512) == 0);
}
