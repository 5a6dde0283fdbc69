// SPDX-License-Identifier: Apache-2.0
#include "planner/script/origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace dlscale::planner {
namespace {

/// Name of a value in templates, and the keys that may set the value. The first key that is set
/// counts.
struct Origin {
  std::string_view name;
  std::string_view keys[3];
};
constexpr std::string_view kRequests = "resources.", kPartition = "partitions.";
constexpr Origin kOrigins[] = {
    {"account", {"resources.account", "partitions.account", "account"}},
    {"qos", {"resources.qos", "partitions.qos"}},
    {"constraint", {"resources.constraint", "partitions.constraint"}},
    {"gpu_type", {"resources.gpu_type", "partitions.gpu_type"}},
    {"hint", {"partitions.hint"}},
    {"queue", {"partitions.queue", "partitions.name"}},
    {"mail_user", {"resources.mail.user", "mail.user"}},
    {"properties", {"partitions.properties", "resources.gpu_type", "partitions.gpu_type"}},
    {"oar_requests", {"partitions.host_resource", "partitions.gpu_resource"}},
    {"types", {"partitions.types"}},
};

/// Returns the place of the value at the dotted key `path`, such as "mail.user", in a table.
std::optional<StudyPlace> place_in(const config::Table& table, std::string_view path,
                                   std::string key) {
  const std::size_t dot = path.find('.');
  const config::Entry* const entry = config::find_key(table, path.substr(0, dot));
  if (entry == nullptr) return std::nullopt;
  key += entry->key;
  const auto* const inside = std::get_if<config::Table>(&entry->node.value);
  if (dot == std::string_view::npos) return StudyPlace{entry->node.where, std::move(key)};
  if (inside == nullptr) return std::nullopt;
  return place_in(*inside, path.substr(dot + 1), key + ".");
}

std::optional<StudyPlace> request_at(const Matrix& matrix, std::string_view path) {
  config::Table said;
  for (const auto& [key, node] : matrix.resources.said) said.push_back({key, node.where, node});
  return place_in(said, path, matrix.key + "resources.");
}

std::optional<StudyPlace> site_at(const Planning& planning, int partition, std::string_view key) {
  const config::Node root = config::parse_document(planning.site_toml, planning.site_file);
  const config::Table& table = std::get<config::Table>(root.value);
  if (!key.starts_with(kPartition)) return place_in(table, key, "");
  const config::Entry* const partitions = config::find_key(table, "partitions");
  if (partitions == nullptr || partition < 0) return std::nullopt;
  const config::Item one =
      config::Item{partitions->node, "partitions"}.items()[static_cast<std::size_t>(partition)];
  return place_in(one.table(), key.substr(kPartition.size()), one.key + ".");
}

}  // namespace

base::SpecError at_origin(const UnfitValue& error, const Planning& planning, std::size_t job) {
  const auto* const origin =
      std::find_if(std::begin(kOrigins), std::end(kOrigins),
                   [&](const Origin& row) { return row.name == error.name; });
  if (error.key_path().empty() || origin == std::end(kOrigins)) return error;
  const std::size_t point =
      planning.job_runs[job].front() / static_cast<std::size_t>(planning.study.repeats);
  const Matrix& matrix = planning.study.matrices[planning.expansion.points[point].matrix];
  for (const std::string_view key : origin->keys) {
    if (key.empty()) break;
    const std::optional<StudyPlace> place =
        key.starts_with(kRequests) ? request_at(matrix, key.substr(kRequests.size()))
                                   : site_at(planning, planning.allocations[point].partition, key);
    if (!place) continue;
    return {place->where, place->key, fmt::format("{} ({})", error.problem, error.key_path())};
  }
  return error;
}

}  // namespace dlscale::planner
