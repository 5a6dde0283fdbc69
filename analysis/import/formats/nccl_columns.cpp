// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/nccl_columns.hpp"

#include "analysis/import/reading/text_scanner.hpp"

namespace dlscale::analysis {

void words_of(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  for (const char *at = line.data(), *end = at + line.size(); at != end;) {
    const char* const first = at;
    while (at != end && !is_blank(*at)) ++at;
    if (at != first) words.emplace_back(first, static_cast<std::size_t>(at - first));
    while (at != end && is_blank(*at)) ++at;
  }
}

std::string collective_of(std::string_view program) {
  program = program.substr(0, program.find_first_of(" \t\r"));
  program = program.substr(program.rfind('/') + 1);  // the whole where there is none
  if (program.ends_with("_perf")) program.remove_suffix(5);
  return std::string(program);
}

std::optional<NcclColumns> nccl_columns_of(std::string_view heading) {
  if (!heading.starts_with('#') || heading.find("algbw") == heading.npos) return std::nullopt;
  std::vector<std::string_view> names;
  words_of(heading.substr(1), names);
  if (names.size() < 9 || names[0] != "size" || names[1] != "count") return std::nullopt;
  NcclColumns columns;
  std::size_t found = 0;
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const std::string_view name = names[static_cast<std::size_t>(i)];
    if (name == "redop") columns.redop = i;
    if (name == "root") columns.root = i;
    if (name == "time" || name == "cputime") {
      if (++found > 2) return std::nullopt;
      columns.ways[found - 1].time = i;
    }
    if (found == 0) continue;
    NcclColumns::Way& way = columns.ways[found - 1];
    if (name == "algbw") way.algbw = i;
    if (name == "busbw") way.busbw = i;
    if (name == "#wrong" || name == "error") way.wrong = i;
    if (name != "timestamp") columns.all = i + 1;
  }
  const auto is_whole = [](const NcclColumns::Way& way) { return way.algbw > 0 && way.busbw > 0; };
  const bool whole = found == 2 && is_whole(columns.ways[0]) && is_whole(columns.ways[1]);
  return whole ? std::optional(columns) : std::nullopt;
}

}  // namespace dlscale::analysis
