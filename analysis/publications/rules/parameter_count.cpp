// SPDX-License-Identifier: Apache-2.0
// The parameters of a classifier follow from its layers.
#include <fmt/format.h>

#include <string>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

/// Weights and biases of in -> hidden -> … -> classes.
double parameters(double in, double hidden, double classes, int layers) {
  double sum = 0;
  for (int i = 0; i < layers; ++i) {
    const double out = i + 1 < layers ? hidden : classes;
    sum += in * out + out;
    in = out;
  }
  return sum;
}

std::vector<Finding> find(const Publication& publication) {
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
          fmt::format(" {} are those of {} alone.", value.text,
                      other == 1 ? "a single linear layer" : fmt::format("{} layers", other));
    }
    found.push_back(finding_of({&value}, meaning));
  }
  return found;
}

}  // namespace

extern const ContradictionRule parameter_count_entry;
const ContradictionRule parameter_count_entry{
    "parameter_count", "a parameter count is not that of the stated classifier", &find};

}  // namespace dlscale::analysis
