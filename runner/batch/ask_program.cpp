// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/ask_program.hpp"

#include <fmt/format.h>

namespace dlscale::runner {

Answer ask_program(CommandRunner& commands, const Command& command, double timeout_s) {
  Answer answer = commands.run(command, timeout_s);
  if (!answer.end) {
    throw Unreachable(fmt::format("{} has not answered for {} s", command.arguments[0], timeout_s));
  }
  return answer;
}

std::string first_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \n\r\t");
  if (start == std::string_view::npos) return "";
  return std::string(text.substr(start, text.find('\n', start) - start));
}

}  // namespace dlscale::runner
