// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/stop_rule.hpp"

#include <fmt/format.h>

namespace dlscale::analysis {
namespace {

/// What a run is to reach before it may end; empty where it trains on.
std::string target_words(const contract::TargetSpec& target) {
  if (!target.stop) return "";
  std::string words;
  const auto add = [&](const char* condition, double threshold) {
    if (threshold == 0) return;
    words += fmt::format("{}{} {}", words.empty() ? "" : " and ", condition, threshold);
  };
  add("accuracy >=", target.accuracy);
  add("loss <=", target.loss);
  add("bleu >=", target.bleu);
  return words;
}

}  // namespace

std::string stop_rule(const contract::RunSpec& run) {
  if (!run.trainer.command.empty()) {
    const auto said = run.point.find("stop_rule");
    return said == run.point.end() ? "" : said->second;
  }
  if (!run.mode.empty()) return run.mode;
  const std::string target = target_words(run.target);
  std::string rule = target.empty() ? "epochs" : target + " or epochs";
  if (run.plateau_epochs > 0) rule += fmt::format(" or {} without learning", run.plateau_epochs);
  return rule;
}

}  // namespace dlscale::analysis
