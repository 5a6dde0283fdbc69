// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/record_selection.hpp"

#include <fmt/format.h>

#include "trainer/data/data_file.hpp"
#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

RecordSelection select_records(const RecordRequest& request, int classes) {
  RecordSelection selection;
  for (std::size_t i = 0; i < request.labels.size(); ++i) {
    if (request.labels[i] >= classes) continue;
    selection.records.push_back(static_cast<std::int64_t>(i));
    selection.labels.push_back(request.labels[i]);
  }
  if (selection.records.empty()) {
    refuse_data(
        fmt::format("the {} set has no sample of the first {} classes", request.what, classes));
  }
  const auto left = static_cast<std::int64_t>(selection.records.size());
  const auto count = static_cast<std::size_t>(samples_to_keep(left, request.samples, request.what));
  selection.records.resize(count);
  selection.labels.resize(count);
  return selection;
}

}  // namespace dlscale::trainer
