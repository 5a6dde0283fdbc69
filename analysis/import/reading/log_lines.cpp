// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/log_lines.hpp"

#include <charconv>

namespace dlscale::analysis {

void append_process_mark(int rank, std::string_view host, std::string& text) {
  text += kProcessMark;
  text += std::to_string(rank);
  text += kEndOfMark;
  text.append(host);
  text += kEndOfMark;
}

void LogLines::take_mark() {
  const std::string_view text = line_.text;
  int rank = -1;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), rank);
  const std::size_t behind_rank = text.find(kEndOfMark);
  const std::size_t behind_host = text.find(kEndOfMark, behind_rank + 1);
  const bool is_mark = error == std::errc() && behind_rank != text.npos &&
                       behind_host != text.npos && end == text.data() + behind_rank;
  if (!is_mark) return;
  line_.rank = rank;
  line_.host = text.substr(behind_rank + 1, behind_host - behind_rank - 1);
  line_.text.remove_prefix(behind_host + 1);
}

}  // namespace dlscale::analysis
