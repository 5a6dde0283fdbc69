// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/loss_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;
using contract::RunStop;

void stop_as_diverged(contract::ResultsFile& file, const std::string& reason, int line) {
  const auto stop = std::find_if(
      file.records.begin(), file.records.end(),
      [](const contract::ResultRecord& record) { return std::holds_alternative<RunStop>(record); });
  if (stop == file.records.end()) {
    RunStop added{.time = std::nan(""), .wall_s = std::nan("")};
    file.records.emplace_back(std::move(added));
    file.record_lines.push_back(line);
    return stop_as_diverged(file, reason, line);
  }
  auto& reported = std::get<RunStop>(*stop);
  if (reported.outcome != RunOutcome::Completed) return;
  reported.outcome = RunOutcome::Diverged;
  reported.exit_code = contract::kExitDiverged;
  reported.reason = reason;
}

}  // namespace

void LossWatch::Watched::check_loss(double& loss, int line) {
  if (std::isnan(loss)) return;
  if (std::isfinite(loss)) {
    if (before == 0) before = since;
    since = 0;
    return;
  }
  if (since == 0) since = line;
  loss = std::nan("");
}

void LossWatch::check_record(contract::ResultRecord& record, int line) {
  if (auto* window = std::get_if<contract::StepWindow>(&record)) {
    training_.check_loss(window->train_loss, line);
  } else if (auto* epoch = std::get_if<contract::EpochRecord>(&record)) {
    training_.check_loss(epoch->train_loss, line);
  } else if (auto* eval = std::get_if<contract::EvalRecord>(&record)) {
    test_.check_loss(eval->loss, line);
  }
}

void LossWatch::conclude(contract::ResultsFile& file) const {
  for (const auto& [name, loss] : {std::pair("training", training_), std::pair("test", test_)}) {
    if (loss.before > 0) {
      file.skipped.push_back(
          fmt::format("line {}: the {} loss is not finite, but later losses "
                      "are finite",
                      loss.before, name));
    }
  }
  const Watched& which = training_.since > 0 ? training_ : test_;
  if (which.since == 0) return;
  stop_as_diverged(file,
                   fmt::format("the {} loss is not finite from line {} on",
                               training_.since > 0 ? "training" : "test", which.since),
                   which.since);
}

}  // namespace dlscale::analysis
