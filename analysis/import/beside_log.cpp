// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/beside_log.hpp"

#include <optional>

#include "analysis/import/foreign_text.hpp"
#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestDeviceName = 200;

void take_parameters(const fs::path& file, AxisValues& facts) {
  const std::string text = head_of(file);
  for (LogLines lines(text); lines.next();) {
    TextScanner scanner(lines.line().text);
    const std::string_view name = scanner.until(" \t");
    std::int64_t number = 0;
    if (!scanner.integer(number) || number < 1) continue;
    if (name == "GPU") facts["gpus"] = std::to_string(number);
    if (name == "GLOBAL_BATCH") facts["global_batch"] = std::to_string(number);
  }
}

/// Numbers stand in it as numbers or as texts.
std::optional<std::int64_t> count_in(const JsonObject& object, const char* key) {
  double number = 0;
  if (const auto told = object.integer(key)) number = static_cast<double>(*told);
  if (const auto text = object.text(key)) whole_number(*text, number);
  const bool good = number >= 1 && number < 1e7;
  return good ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

void take_system(const fs::path& file, AxisValues& facts) {
  JsonObject system;
  if (!system.read(head_of(file))) return;
  auto nodes = count_in(system, "number_of_nodes");
  if (!nodes) nodes = count_in(system, "number of nodes");  // as some wrote it
  const auto accelerators = count_in(system, "accelerators_per_node");
  const std::string_view name = system.text("accelerator_model_name").value_or("");
  if (!name.empty() && name != "N/A" && name.size() <= kLongestDeviceName) facts["gpu"] = name;
  if (!nodes) return;
  facts["nodes"] = std::to_string(*nodes);
  if (accelerators) facts["gpus"] = std::to_string(*nodes * *accelerators);
}

}  // namespace

AxisValues facts_beside(const fs::path& log) {
  AxisValues facts;
  const fs::path folder = log.parent_path();
  take_parameters(folder / "benchmark.para", facts);
  const fs::path system = folder.parent_path();
  if (system.parent_path().filename() == "results") {
    fs::path description = system.parent_path().parent_path() / "systems" / system.filename();
    description += ".json";
    take_system(description, facts);
  }
  return facts;
}

}  // namespace dlscale::analysis
