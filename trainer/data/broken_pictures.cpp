// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/broken_pictures.hpp"

#include <fmt/format.h>

#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace {

std::string what_helps(const PictureSource& source, const BrokenPictures& what) {
  if (what.of_test_set) {
    return source.remedy() + "; of a test set none is left out, whatever on_broken says";
  }
  if (what.replacements > 0) return "nor any other picture of the training set";
  return source.remedy() + ", or train with loader_options.on_broken = \"skip\"";
}

}  // namespace

void fail_broken(const PictureSource& source, const BrokenPictures& what, std::int64_t sample,
                 const std::string& problem) {
  throw base::RunError(
      fmt::format("cannot read {}: {}; {}", source.name(sample), problem, what_helps(source, what)),
      contract::kExitData);
}

}  // namespace dlscale::trainer
