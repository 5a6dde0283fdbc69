// SPDX-License-Identifier: Apache-2.0
// Rules about the number of parameters of a classifier and about models that only guess.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {

// Rule: a trained model does not have the loss and accuracy of guessing, which are ln C and 1 / C
// for C classes.

namespace {

constexpr double kFewestClasses = 2;

/// Returns the value of the same quantity at the same point with the statistic "last", if it equals
/// the value with the statistic "first". Otherwise returns null.
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

/// Returns the number of classes for which guessing has this accuracy, considering the printed
/// digits. Returns 0 if there is no such number.
double classes_of(const Published& accuracy) {
  const double classes = std::round(1 / accuracy.number->value);
  const bool fits = classes >= kFewestClasses && accuracy.number->low <= 1 / classes &&
                    1 / classes <= accuracy.number->high;
  return fits ? classes : 0;
}

std::vector<Finding> find_nothing_learnt(const Publication& publication) {
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
          fmt::format(
              "The loss stays at {} = ln {:.0f} and the accuracy at 1/{:.0f}: the model guesses "
              "and has learnt nothing, so its times and speed-ups support no conclusion.",
              loss.text, classes, classes)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule nothing_learnt_entry;
const ContradictionRule nothing_learnt_entry{
    "nothing_learnt", "loss and accuracy are those of guessing", &find_nothing_learnt};

// Rule: the parameters of a classifier follow from its layers.

namespace {

/// Returns the number of weights and biases of fully connected layers in -> hidden -> … -> classes.
double parameters(double in, double hidden, double classes, int layers) {
  double sum = 0;
  for (int i = 0; i < layers; ++i) {
    const double out = i + 1 < layers ? hidden : classes;
    sum += in * out + out;
    in = out;
  }
  return sum;
}

std::vector<Finding> find_parameter_count(const Publication& publication) {
  const Words &layers = publication.setting("classifier_layers"),
              &classes = publication.setting("classes");
  if (layers.size() != 1 || classes.size() != 1) return {};
  const auto depth = AxisCell(layers[0]).number(), outputs = AxisCell(classes[0]).number();
  std::vector<Finding> found;
  for (const Published& value : publication.values) {
    const auto in = AxisCell(value.axis("input_features")).number();
    const auto hidden = AxisCell(value.axis("hidden")).number();
    if (value.quantity != "trainable_parameters" || !value.number || !in || !hidden || !depth ||
        !outputs) {
      continue;
    }
    const int stated = static_cast<int>(*depth);
    const double expected = parameters(*in, *hidden, *outputs, stated);
    if (value.number->low <= expected && expected <= value.number->high) continue;
    std::string meaning =
        fmt::format("The stated classifier of {} layers has {:.0f} parameters.", stated, expected);
    for (int other = 1; other < stated; ++other) {
      if (parameters(*in, *hidden, *outputs, other) != value.number->value) continue;
      meaning +=
          fmt::format(" {} is the parameter count of {}.", value.text,
                      other == 1 ? "a single linear layer" : fmt::format("{} layers", other));
    }
    found.push_back(finding_of({&value}, meaning));
  }
  return found;
}

}  // namespace

extern const ContradictionRule parameter_count_entry;
const ContradictionRule parameter_count_entry{
    "parameter_count", "a parameter count does not fit the stated classifier",
    &find_parameter_count};

}  // namespace dlscale::analysis
