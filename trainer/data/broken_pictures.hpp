// SPDX-License-Identifier: Apache-2.0
// What happens when a picture turns out to be broken: another takes its place, or the run ends.
#pragma once

#include <cstdint>
#include <string>

#include "trainer/data/picture_source.hpp"

namespace dlscale::trainer {

struct BrokenPictures {
  /// How many samples the split has, where a broken picture's place is taken by the next one that
  /// is whole; 0: it is an error.
  std::int64_t replacements = 0;
  /// Of a test set nothing is replaced, whatever the run says: it would be another one.
  bool of_test_set = false;
};

/// Throws base::RunError (contract::kExitData) that names the sample, its problem and what helps.
[[noreturn]] void fail_broken(const PictureSource& source, const BrokenPictures& what,
                              std::int64_t sample, const std::string& problem);

/// Calls `make` with `sample` and, while it throws images::BrokenPicture and `what` allows it, with
/// the samples behind it. Returns the one that was made. Throws as fail_broken().
template <class Make>
std::int64_t make_whole(const PictureSource& source, const BrokenPictures& what,
                        std::int64_t sample, const Make& make) {
  std::string problem;
  std::int64_t taken = sample;
  for (std::int64_t tried = 0; tried == 0 || tried < what.replacements; ++tried) {
    if (tried > 0) taken = (taken + 1) % what.replacements;
    try {
      make(taken);
      return taken;
    } catch (const images::BrokenPicture& broken) {
      if (problem.empty()) problem = broken.what();
    }
  }
  fail_broken(source, what, sample, problem);
}

}  // namespace dlscale::trainer
