// SPDX-License-Identifier: Apache-2.0
#include "planner/study/run_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "contract/plan/plan.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

/// Maximum length of a stem in bytes. OAR stores 100 bytes of a job name, and the hash, the
/// repetition and the submission follow the stem.
constexpr std::size_t kLongestStem = 72;

/// Axes whose values every stem contains. stem_of() does not add them again.
const std::set<std::string> kAlwaysSaid{"framework", "model", "gpus", "batch_per_gpu",
                                        "global_batch"};

/// Returns the text for a value in a stem: the value of a text axis ("cosine"), or the name and
/// value of another axis ("momentum0.9").
std::string word_of(const StudyAxis& axis, std::uint32_t value) {
  const std::string& text = axis.texts[value];
  const std::string& name = axis.name();
  const bool is_text = axis.setting.symbol.kind == config::Symbol::Kind::text;
  return contract::file_word(is_text ? text : name.substr(name.rfind('.') + 1) + text);
}

std::string stem_of(const contract::RunSpec& run, const Matrix& matrix,
                    const std::vector<std::uint32_t>& values) {
  std::string stem;
  const auto add = [&](const std::string& word) {
    if (!word.empty()) stem += (stem.empty() ? "" : "-") + word;
  };
  add(run.framework);
  add(contract::model_word(run.model));
  add(fmt::format("g{}-b{}", run.gpus, run.batch_per_gpu));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const StudyAxis& axis = matrix.axes[i];
    if (axis.texts.size() > 1 && !kAlwaysSaid.contains(axis.name())) add(word_of(axis, values[i]));
  }
  if (stem.size() > kLongestStem) stem.resize(kLongestStem);
  return stem.substr(0, stem.find_last_not_of('-') + 1);
}

}  // namespace

RunNames::RunNames(const contract::PlanDir& folder) {
  const auto add = [&](const std::string& run_id) {
    const std::string id = contract::point_id(run_id);
    ids_.try_emplace(std::string(contract::point_hash(id)), id);
  };
  std::error_code none;
  if (fs::exists(folder.plan_json(), none)) {
    try {  // only the plan names array tasks that have not started
      for (const contract::PlannedRun& run : contract::read_plan(folder).runs) add(run.run_id);
    } catch (const base::Error&) {  // diff_plan() later reports the error
    }
  }
  for (const auto& entry : fs::directory_iterator(folder.runs(), none)) {
    add(entry.path().filename().string());
  }
}

std::string RunNames::point_id(const contract::RunSpec& run, const Matrix& matrix,
                               const std::vector<std::uint32_t>& values) const {
  const std::string hash = contract::run_hash(run);
  const auto known = ids_.find(hash);
  return known != ids_.end() ? known->second : stem_of(run, matrix, values) + "-" + hash;
}

}  // namespace dlscale::planner
