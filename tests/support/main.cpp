// SPDX-License-Identifier: Apache-2.0
// The Catch2 main function of every test program.
#define CATCH_CONFIG_RUNNER
#include <atomic>
#include <catch2/catch.hpp>
#include <iostream>

#include "tests/support/skip.hpp"

namespace {

constexpr int kSkipped = 77;
std::atomic<bool> something_skipped = false;

}  // namespace

void dlscale::test::skip(const std::string& why) {
  something_skipped = true;
  std::cout << "skipped: " << why << std::endl;
}

int main(int count, char* words[]) {
  const int failed = Catch::Session().run(count, words);
  if (failed == kSkipped) return kSkipped + 1;  // the return value counts failed assertions
  return failed == 0 && something_skipped ? kSkipped : failed;
}
