// SPDX-License-Identifier: Apache-2.0
// Guessing has a loss of ln C and an accuracy of 1 / C.
#include <fmt/format.h>

#include <cmath>

#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kFewestClasses = 2;

/// The last of the same quantity at the same point, where it is the same as this first.
const Published* same_at_the_end(const Publication& publication, const Published& first) {
  for (const Published& last : publication.values) {
    if (first.statistic == "first" && last.statistic == "last" && first.quantity == last.quantity &&
        first.axes == last.axes && first.number && last.number &&
        first.number->value == last.number->value) {
      return &last;
    }
  }
  return nullptr;
}

/// Classes among which guessing has this constant accuracy, rounded as printed; 0: none.
double classes_of(const Published& accuracy) {
  const double classes = std::round(1 / accuracy.number->value);
  const bool fits = classes >= kFewestClasses && accuracy.number->low <= 1 / classes &&
                    1 / classes <= accuracy.number->high;
  return fits ? classes : 0;
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& loss : publication.values) {
    if (!loss.quantity.ends_with("loss")) continue;
    const Published* last_loss = same_at_the_end(publication, loss);
    if (last_loss == nullptr) continue;
    for (const Published& accuracy : publication.values) {
      if (!accuracy.quantity.ends_with("accuracy") || accuracy.axes != loss.axes) continue;
      const Published* last_accuracy = same_at_the_end(publication, accuracy);
      if (last_accuracy == nullptr) continue;
      const double classes = classes_of(accuracy);
      const double guess = std::log(classes);
      if (classes == 0 || guess < loss.number->low || guess > loss.number->high) continue;
      found.push_back(finding_of(
          {&loss, last_loss, &accuracy, last_accuracy},
          fmt::format("The loss stays at {} = ln {:.0f} and the accuracy at 1/{:.0f}: the model "
                      "guesses and has learnt nothing, which no time or speed-up can be based on.",
                      loss.text, classes, classes)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule nothing_learnt_entry;
const ContradictionRule nothing_learnt_entry{"nothing_learnt",
                                             "loss and accuracy stay those of guessing", &find};

}  // namespace dlscale::analysis
