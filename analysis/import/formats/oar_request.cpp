// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/oar_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/import/reading/log_lines.hpp"
#include "base/text.hpp"

namespace dlscale::analysis::oar {
namespace {

constexpr std::array<std::string_view, 4> kNodeLevels{"host", "nodes", "node", "network_address"};
constexpr std::array<std::string_view, 4> kGpuLevels{"gpu", "gpudevice", "gpu_device", "gpu_id"};

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Removes the quotation marks and all text in braces from a request.
std::string without_properties(std::string_view text) {
  std::string plain;
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (depth > 0 && quote != 0) {
      quote = c == quote ? 0 : quote;
    } else if (depth > 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      depth = std::max(depth - 1, 0);
    } else if (depth == 0 && c != '"' && c != '\'' && c != '\\') {
      plain += c;
    }
  }
  return plain;
}

std::vector<std::string_view> parts_of(std::string_view text, std::string_view delimiter) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(delimiter);
    parts.push_back(base::trimmed(text.substr(0, end)));
    if (end == text.npos) return parts;
    text.remove_prefix(end + delimiter.size());
  }
}

/// Adds the counts of a group such as "/host=2/gpu=4". The numbers of all levels are multiplied.
void add_group(std::string_view group, Shape& shape, bool& is_open) {
  std::optional<std::int64_t> product = 1;
  for (const std::string_view level : parts_of(group, "/")) {
    if (level.empty()) continue;
    const std::size_t equals = level.find('=');
    const std::string_view name = base::trimmed(level.substr(0, equals));
    double count = 0;
    const bool good = equals != level.npos && whole_number(level.substr(equals + 1), count) &&
                      count >= 1 && count <= 1e6;
    if (!good) {
      product.reset();
    } else if (product) {
      product = std::min<std::int64_t>(*product * std::llround(count), 1'000'000'000);
    }
    const bool is_nodes = is_one_of(kNodeLevels, name), is_gpus = is_one_of(kGpuLevels, name);
    if (is_nodes && product) shape.nodes = shape.nodes.value_or(0) + *product;
    if (is_gpus && product) shape.gpus = shape.gpus.value_or(0) + *product;
    is_open = is_open || (is_gpus && !product);
  }
}

double walltime_in(std::string_view text) {
  double seconds = 0;
  for (const std::string_view part : parts_of(text, ":")) {
    double value = 0;
    if (!whole_number(part, value) || value < 0) return 0;
    seconds = 60 * seconds + value;
  }
  return seconds;
}

Shape parse_shape(std::string_view text) {
  Shape shape;
  bool is_open = false;  // true for "gpu=ALL"
  for (const std::string_view part : parts_of(text, ",")) {
    constexpr std::string_view kWalltime = "walltime=";
    if (part.starts_with(kWalltime)) {
      shape.walltime_s = walltime_in(part.substr(kWalltime.size()));
      continue;
    }
    for (const std::string_view group : parts_of(part, "+")) add_group(group, shape, is_open);
  }
  if (is_open) shape.gpus.reset();
  return shape;
}

bool is_same(const std::optional<std::int64_t>& asked, std::int64_t got) {
  return !asked || got == 0 || *asked == got;
}

}  // namespace

Request parse_request(std::string_view text) {
  const std::string plain = " " + without_properties(text);
  Request request;
  const std::vector<std::string_view> shapes = parts_of(plain, " -l ");
  for (const std::string_view shape : shapes) {
    if (!shape.empty()) request.push_back(parse_shape(shape));
  }
  return request;
}

GpuCount gpus_of(const Request& request, std::int64_t nodes, double walltime_s) {
  if (request.size() == 1) return {request[0].gpus, ""};
  Request fitting;
  for (const Shape& shape : request) {
    const bool same_time =
        shape.walltime_s <= 0 || !(walltime_s > 0) || std::abs(shape.walltime_s - walltime_s) < 1;
    if (is_same(shape.nodes, nodes) && same_time) fitting.push_back(shape);
  }
  if (fitting.empty()) {  // oarwalltime may have changed the walltime
    std::copy_if(request.begin(), request.end(), std::back_inserter(fitting),
                 [&](const Shape& shape) { return is_same(shape.nodes, nodes); });
  }
  if (fitting.empty()) fitting = request;
  if (fitting.empty()) return {};
  const bool agree = std::all_of(fitting.begin(), fitting.end(),
                                 [&](const Shape& shape) { return shape.gpus == fitting[0].gpus; });
  if (agree) return {fitting[0].gpus, ""};
  return {std::nullopt, fmt::format("the number of GPUs is unknown: the job requested {} "
                                    "alternative shapes, and the nodes and the walltime of the "
                                    "job do not show which shape it received",
                                    request.size())};
}

}  // namespace dlscale::analysis::oar
