// SPDX-License-Identifier: Apache-2.0
// The model cards of a folder, found by what a run trains.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::planner {

class CardFolder {
 public:
  /// Without a folder there is no card.
  explicit CardFolder(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// Null where the folder has none for the model, the shape of its data and its precision. Each is
  /// read once. Throws base::SpecError for a broken one.
  const contract::ModelCard* card(const contract::RunSpec& run);

 private:
  std::optional<std::filesystem::path> folder_;
  std::map<std::string, std::optional<contract::ModelCard>> known_;  ///< by file name
};

}  // namespace dlscale::planner
