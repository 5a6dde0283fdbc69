// SPDX-License-Identifier: Apache-2.0
// Generator of random values, including hostile text, for tests of properties that must hold for
// all values of the contract types.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace dlscale::test {

class AnyValue {
 public:
  explicit AnyValue(unsigned seed) : random_(seed) {}

  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool flag() { return whole(0, 1) == 1; }
  double number() {
    return std::ldexp(static_cast<double>(whole(-1000000, 1000000)),
                      static_cast<int>(whole(-40, 20)));
  }
  double positive() { return std::abs(number()); }
  const std::string& one_of(const std::vector<std::string>& choices) {
    return choices[static_cast<std::size_t>(
        whole(0, static_cast<std::int64_t>(choices.size()) - 1))];
  }
  /// Returns random valid UTF-8 that may contain quotes, control characters, and shell and JSON
  /// syntax.
  std::string text() {
    static const std::vector<std::string> pieces{"a",  "Z",    "0", " ", "\"",   "'", "\\",
                                                 "\n", "\t",   "{", "}", "$(x)", "`", "µ",
                                                 "日", "\x01", "/", "%", "é",    ","};
    std::string result;
    for (auto n = whole(0, 12); n > 0; --n) result += one_of(pieces);
    return result;
  }
  std::map<std::string, std::string> table() {
    std::map<std::string, std::string> result;
    for (auto n = whole(0, 4); n > 0; --n) result[text()] = text();
    return result;
  }
  template <class Make>
  auto list(Make make) {
    std::vector<decltype(make())> result;
    for (auto n = whole(0, 4); n > 0; --n) result.push_back(make());
    return result;
  }

 private:
  std::mt19937 random_;
};

}  // namespace dlscale::test
