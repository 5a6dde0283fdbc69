// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/laws/law_terms.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace dlscale::analysis {

LawTerms::LawTerms(const ScalingLaw& law, const LawData& data) : law_(&law) {
  for (const LawPoint& point : data.points) add(data.first_gpus(), data.work, point.gpus);
}

LawTerms::LawTerms(const ScalingLaw& law, Work work, double first_gpus, double gpus) : law_(&law) {
  add(first_gpus, work, gpus);
}

void LawTerms::add(double first_gpus, Work work, double gpus) {
  const std::vector<double> terms = law_->terms(gpus, first_gpus, work);
  if (terms.size() > kMostTerms) {
    throw base::RunError(std::string("scaling law ") + law_->name + " has more than 4 terms");
  }
  size_ = terms.size();
  Row row{{}, gpus / first_gpus};
  std::copy(terms.begin(), terms.end(), row.terms.begin());
  rows_.push_back(row);
}

std::optional<Coefficients> LawTerms::fit(const std::vector<double>& inverse_times,
                                          std::optional<std::size_t> left_out) const {
  NonNegativeToOnes squares(size_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (left_out == i) continue;
    // Of a law of rates, G / (G0 T), what is measured is a rate.
    const double scale =
        law_->of_rate ? 1 / (rows_[i].times_first * inverse_times[i]) : inverse_times[i];
    Coefficients row = rows_[i].terms;
    for (double& term : row) term *= scale;
    squares.take(row);
  }
  return squares.solve();
}

double LawTerms::time(std::size_t i, const double* coefficients) const {
  const Row& row = rows_[i];
  double sum = 0;
  for (std::size_t j = 0; j < size_; ++j) sum += coefficients[j] * row.terms[j];
  return law_->of_rate ? row.times_first / sum : sum;
}

}  // namespace dlscale::analysis
