// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/log_format.hpp"

#include <string>

namespace dlscale::analysis {

const LogFormat* format_of_beginning(std::string_view head) {
  for (const LogFormat* format : log_formats()) {
    if (format->recognises(head)) return format;
  }
  return nullptr;
}

const LogFormat* format_behind_other_lines(std::string_view text) {
  // The newline in front ensures that no line of the text counts as the first line of a log.
  const std::string behind = "\n" + std::string(text);
  for (const LogFormat* format : log_formats()) {
    if (format->of_training && format->recognises(behind)) return format;
  }
  return nullptr;
}

}  // namespace dlscale::analysis
