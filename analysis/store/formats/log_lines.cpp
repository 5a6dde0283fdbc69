// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/formats/log_lines.hpp"

namespace dlscale::analysis {
namespace {

std::size_t digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

}  // namespace

std::string_view without_launcher(std::string_view line) {
  if (line.starts_with('[')) {
    const std::size_t end = line.substr(0, 40).find("]:");
    const std::size_t stream = line.substr(0, 40).find("]<std");
    if (line.starts_with("[default") && end != std::string_view::npos) return line.substr(end + 2);
    if (stream == std::string_view::npos) return line;
    const std::size_t mark = line.substr(0, 60).find(">:", stream);
    return mark == std::string_view::npos ? line : line.substr(mark + 2);
  }
  const std::size_t rank = line.find_first_not_of(' ');  // srun pads ranks to one width
  if (rank == std::string_view::npos || rank > 6) return line;
  const std::size_t count = digits(line.substr(rank, 8));
  const bool is_label = count > 0 && line.substr(rank + count).starts_with(": ");
  return is_label ? line.substr(rank + count + 2) : line;
}

}  // namespace dlscale::analysis
