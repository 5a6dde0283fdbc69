// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/card_folder.hpp"

#include "base/file.hpp"
#include "predict/workload.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;

const contract::ModelCard* CardFolder::card(const contract::RunSpec& run) {
  const auto shape = predict::sample_shape(run.dataset);
  if (!folder_ || !shape) return nullptr;
  const std::string name = contract::card_file_name(run.model, shape->input, shape->classes,
                                                    predict::card_precision(run.precision));
  auto known = known_.find(name);
  if (known == known_.end()) {
    std::optional<contract::ModelCard> found;
    const fs::path file = *folder_ / name;
    std::error_code unreadable;
    if (fs::is_regular_file(file, unreadable)) {
      found = contract::model_card_from_json(base::read_text_file(file), file.string());
    }
    known = known_.emplace(name, std::move(found)).first;
  }
  return known->second ? &*known->second : nullptr;
}

}  // namespace dlscale::planner
