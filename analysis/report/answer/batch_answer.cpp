// SPDX-License-Identifier: Apache-2.0
// Writes the answer to the question how much accuracy a large batch loses.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/metrics/scaling/accuracy_loss.hpp"
#include "analysis/metrics/scaling/knee.hpp"
#include "analysis/report/answer/answer_parts.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

std::string points_of(const Estimate& loss) {
  return with_interval(loss, 2, 100, " points");
}

/// Returns the sentences on the losses of one group.
std::string loss_sentences(const AccuracyLosses& group) {
  const BatchLoss& last = group.losses.back();
  const bool is_gain = last.loss.value < 0;
  const Estimate change = is_gain ? negated(last.loss) : last.loss;
  const std::string from =
      fmt::format("from {:.2f} % at batch {}", 100 * group.first_accuracy, group.first_batch);
  const bool is_tested = group.finding != Finding::TooFewRepeats;
  if (is_zero_points(last.loss) && group.finding != Finding::Faster) {
    return fmt::format("The accuracy is {:.2f} % at batch {} and at batch {}: {} apart.",
                       100 * group.first_accuracy, group.first_batch, last.global_batch,
                       points_of(last.loss));
  }
  if (!is_tested || group.finding == Finding::NotDistinguishable) {
    const auto n = static_cast<std::int64_t>(last.loss.n);
    return fmt::format("The accuracy at batch {} is {} {} than the {:.2f} % at batch {}, but {}.",
                       last.global_batch, points_of(change), is_gain ? "higher" : "lower",
                       100 * group.first_accuracy, group.first_batch,
                       is_tested
                           ? fmt::format("{} cannot tell this difference from none",
                                         base::count_of(n, "repetition"))
                           : fmt::format("n = {} is too small {}", n,
                                         n < 4 ? "for a test of the difference, which needs n = 4"
                                               : "to test all configurations together"));
  }
  if (is_gain) {
    return fmt::format("Accuracy rises {} by {} at batch {}.", from, points_of(change),
                       last.global_batch);
  }
  const BatchLoss* bearable = nullptr;
  for (const BatchLoss& one : group.losses) {
    if (one.loss.value > kBearableAccuracyLoss) break;
    bearable = &one;
  }
  if (bearable == nullptr || bearable == &last || bearable->loss.value <= 0) {
    return fmt::format("Accuracy falls {} by {} at batch {}.", from, points_of(last.loss),
                       last.global_batch);
  }
  return fmt::format("Accuracy falls {} by {} up to batch {}, and by {} at batch {}.", from,
                     points_of(bearable->loss), bearable->global_batch, points_of(last.loss),
                     last.global_batch);
}

/// Returns a sentence on the batches at which runs diverged, or an empty text.
std::string diverged_sentence(const AnsweredStudy& study) {
  std::vector<AccuracyPoint> points = study.accuracies;
  for (AccuracyPoint& point : diverged_points(study.frame)) points.push_back(std::move(point));
  std::int64_t smallest = 0;
  std::size_t runs = 0;
  for (const AccuracyPoint& point : points) {
    if (point.diverged == 0) continue;
    runs += point.diverged;
    const bool is_smaller = smallest == 0 || point.global_batch < smallest;
    if (point.global_batch > 0 && is_smaller) smallest = point.global_batch;
  }
  if (runs == 0) return "";
  const std::string diverged = base::count_of(runs, "run");
  return smallest == 0 ? diverged + " diverged."
                       : fmt::format("{} diverged, from batch {} on.", diverged, smallest);
}

}  // namespace

std::optional<Answer> batch_answer(const AnsweredStudy& study) {
  std::vector<AccuracyLosses> groups = accuracy_losses(study.accuracies);
  const std::string diverged = diverged_sentence(study);
  Answer answer{"Does a larger batch lose accuracy?", diverged, true};
  if (groups.empty()) return diverged.empty() ? std::nullopt : std::optional(answer);
  const std::string mixed = groups.front().mixed;
  if (!study.options.allow_mixed) {
    std::erase_if(groups, [](const AccuracyLosses& group) { return !group.mixed.empty(); });
  }
  if (groups.empty()) {
    return Answer{answer.question,
                  fmt::format("Unknown, because the accuracies are not comparable: {} (use --mixed "
                              "to compare anyway).{}",
                              mixed, diverged.empty() ? "" : " " + diverged),
                  false};
  }
  const auto worst = std::max_element(
      groups.begin(), groups.end(), [](const AccuracyLosses& a, const AccuracyLosses& b) {
        return a.losses.back().loss.value < b.losses.back().loss.value;
      });
  answer.is_supported = worst->finding != Finding::TooFewRepeats;
  answer.text = loss_sentences(*worst);
  if (groups.size() > 1) {
    std::vector<CurveKey> keys;
    for (const AccuracyLosses& group : groups) keys.push_back(group.key);
    const double loss = worst->losses.back().loss.value;
    answer.text += fmt::format(" This is the {} of {} configurations ({}).",
                               loss < 0 ? "smallest rise" : "largest fall", groups.size(),
                               name_among(worst->key, varying_axes(keys)));
  }
  if (!diverged.empty()) answer.text += " " + diverged;
  return answer;
}

}  // namespace dlscale::analysis
