// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/formats/log_lines.hpp"

#include <charconv>

namespace dlscale::analysis {
namespace {

std::size_t digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

/// The number at a text's beginning; -1: there is none.
int number_at(std::string_view text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits(text), number);
  return error == std::errc() && end != text.data() ? number : -1;
}

/// Of "[1,0]<stdout>:" the rank behind the last comma.
int rank_before(std::string_view line, std::size_t bracket) {
  const std::size_t comma = line.substr(0, bracket).rfind(',');
  return comma == std::string_view::npos ? -1 : number_at(line.substr(comma + 1));
}

}  // namespace

LaunchedLine without_launcher(std::string_view line) {
  if (line.starts_with('[')) {
    constexpr std::string_view kDefault = "[default";  // of torchrun, with the local rank
    const std::size_t end = line.substr(0, 40).find("]:");
    const std::size_t stream = line.substr(0, 40).find("]<std");
    if (line.starts_with(kDefault) && end != std::string_view::npos) {
      return {line.substr(end + 2), number_at(line.substr(kDefault.size()))};
    }
    if (stream == std::string_view::npos) return {line, -1};
    const std::size_t mark = line.substr(0, 60).find(">:", stream);
    if (mark == std::string_view::npos) return {line, -1};
    return {line.substr(mark + 2), rank_before(line, stream)};
  }
  const std::size_t rank = line.find_first_not_of(' ');  // srun pads ranks to one width
  if (rank == std::string_view::npos || rank > 6) return {line, -1};
  const std::size_t count = digits(line.substr(rank, 8));
  const bool is_label = count > 0 && line.substr(rank + count).starts_with(": ");
  if (!is_label) return {line, -1};
  return {line.substr(rank + count + 2), number_at(line.substr(rank))};
}

}  // namespace dlscale::analysis
