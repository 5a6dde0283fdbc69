// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dataset.hpp"

#include <fmt/format.h>

#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

void keep_first(Split& split, const ImageShape& shape, std::int64_t count,
                const std::string& what) {
  if (count == 0) return;
  if (count > split.size()) {
    throw base::RunError(fmt::format("{} {} samples were asked for, the data set has {}; lower "
                                     "dataset.{}_samples, or 0 for all",
                                     count, what, split.size(), what),
                         contract::kExitData);
  }
  split.labels.resize(static_cast<std::size_t>(count));
  split.pixels.resize(static_cast<std::size_t>(count * shape.values()));
}

}  // namespace dlscale::trainer
