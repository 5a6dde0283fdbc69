// SPDX-License-Identifier: Apache-2.0
// How programs of a batch system are asked: not for ever.
#pragma once

#include <string>
#include <string_view>

#include "runner/batch/command_runner.hpp"
#include "runner/batch/unreachable.hpp"

namespace dlscale::runner {

/// Runs a command of a batch system; the answer has an end. Throws Unreachable when it takes longer
/// than `timeout_s`.
Answer ask_program(CommandRunner& commands, const Command& command, double timeout_s);

/// The first line with something on it; empty if there is none.
std::string first_line(std::string_view text);

}  // namespace dlscale::runner
