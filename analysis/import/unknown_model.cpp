// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/unknown_model.hpp"

#include <fmt/format.h>

#include <map>

#include "base/registry.hpp"

namespace dlscale::analysis {

void add_unknown_model(MergedAxes& axes, const ImportRecord& record,
                       const std::filesystem::path& above) {
  const bool is_of_model = !record.mapped.kind.empty() ||
                           base::find(log_formats(), "log format", record.format).of_model;
  if (!is_of_model || !axes.source_of("model").empty()) return;
  const std::filesystem::path path = std::filesystem::path(record.path).lexically_relative(above);
  axes.add("its path", {{kUnknownModel, path.generic_string()}});
}

std::string unknown_model_warning(const std::vector<ImportedRun>& runs,
                                  const ImportedPlan& before) {
  std::map<std::string, std::string> logs;  // as the user named them, by the value of the axis
  bool any = false;
  for (const ImportedRun& run : runs) {
    const auto known = run.spec.point.find(kUnknownModel);
    if (known == run.spec.point.end()) continue;
    logs[known->second] = run.shown;
    any = true;
  }
  for (const contract::PlannedRun& run : before.runs) {
    const auto known = run.point.find(kUnknownModel);
    if (known != run.point.end()) logs.emplace(known->second, known->second);
  }
  if (!any || logs.size() < 2) return "";
  return fmt::format(
      "the model of {} logs is unknown (the first is {}): each has curves of its own, and none is "
      "a repetition of another. State the model with --set model=NAME, --axis 'model=REGEX' or a "
      "column of --table",
      logs.size(), logs.begin()->second);
}

}  // namespace dlscale::analysis
