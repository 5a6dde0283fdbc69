// SPDX-License-Identifier: Apache-2.0
#include "planner/warnings.hpp"

#include <fmt/format.h>

#include "contract/run_spec/learning_rate.hpp"
#include "planner/study/derive.hpp"
#include "validation/refusal.hpp"

namespace dlscale::planner {

void Warnings::look_at(const contract::RunSpec& run, int repeats) {
  runs_ += repeats;
  const std::int64_t of_epoch = steps_per_epoch(run).value_or(0);
  const bool has_length = run.epochs > 0 || (run.steps > 0 && of_epoch > 0);
  if (has_length && run.warmup_epochs >= contract::length_in_epochs(run, of_epoch)) {
    endless_warmups_ += repeats;
  }
  const bool from_base = run.lr.warmup_from.empty();
  if (from_base && run.warmup_epochs > 0) {
    falling_warmups_ += run.lr.peak < run.lr.base ? repeats : 0;
    flat_warmups_ += run.lr.scale == "none" ? repeats : 0;
  }
  if (!from_base && run.lr.warmup_update == "epoch" && run.warmup_epochs > 0) {
    idle_epochs_ += repeats;
  }
  const std::optional<Knowledge>& known = *known_;
  if (!known || !run.trainer.command.empty()) return;
  for (const auto& name : validation::missing_names(known->capabilities, run)) {
    missing_[{name.family, name.name}] += repeats;
  }
  const auto refusal = validation::find_refusal(known->capabilities, run);
  if (refusal) unfit_[{refusal->key, refusal->reason}] += repeats;
  const std::string condition = validation::data_condition(known->capabilities, run);
  if (!refusal && !condition.empty()) conditional_[condition] += repeats;
}

void Warnings::add_to(std::vector<std::string>& warnings) const {
  if (endless_warmups_ > 0) {
    warnings.push_back(
        "the peak learning rate is never reached because warm-up is at least as long as the run: " +
        of_runs(endless_warmups_));
  }
  if (falling_warmups_ > 0) {
    warnings.push_back(
        "the learning rate falls during warm-up because the global batch is below lr.base_batch, "
        "so the peak is below lr.base: " +
        of_runs(falling_warmups_));
  }
  if (flat_warmups_ > 0) {
    warnings.push_back(
        "warm-up has no effect because without lr.scale the peak equals the initial rate; set "
        "lr.warmup_from = \"zero\", or lr.scale: " +
        of_runs(flat_warmups_));
  }
  if (idle_epochs_ > 0) {
    warnings.push_back(
        "the first epoch learns nothing because the rate begins at zero and changes once per "
        "epoch; set lr.warmup_update = \"step\": " +
        of_runs(idle_epochs_));
  }
  for (const auto& [name, count] : missing_) warnings.push_back(missing(name, count));
  for (const auto& [conflict, count] : unfit_)
    warnings.push_back(incompatible_runs(conflict, count));
  for (const auto& [condition, count] : conditional_) {
    warnings.push_back(fmt::format("the trainer starts only if {}: {}", condition, of_runs(count)));
  }
}

std::string Warnings::of_runs(int count) const {
  return fmt::format("{} of {} runs", count, runs_);
}

std::string Warnings::missing(const std::pair<std::string, std::string>& name, int count) const {
  if ((*known_)->runs_there) {
    return fmt::format("the trainer has no {} \"{}\": {} would fail ({})", name.first, name.second,
                       of_runs(count), (*known_)->file);
  }
  return fmt::format(
      "the trainer of this installation has no {} \"{}\" (the trainer of the site may have it): {}",
      name.first, name.second, of_runs(count));
}

std::string Warnings::incompatible_runs(const std::pair<std::string, std::string>& conflict,
                                        int count) const {
  if ((*known_)->runs_there) {
    return fmt::format("the trainer rejects {} ({}): {} would fail ({})", conflict.first,
                       conflict.second, of_runs(count), (*known_)->file);
  }
  return fmt::format(
      "the trainer of this installation rejects {} ({}; the trainer of the site may accept it): {}",
      conflict.first, conflict.second, of_runs(count));
}

}  // namespace dlscale::planner
