// SPDX-License-Identifier: Apache-2.0
// Going on in the background, beyond the end of the terminal.
#pragma once

#include <filesystem>

namespace dlscale::cli {

/// From here on there are two processes. The one that got false is the old one: it has said where
/// the output of the other goes, and is to end without touching what both have open. The other,
/// without a terminal, goes on; its output is added to `log`. Throws base::RunError.
bool detach(const std::filesystem::path& log);

}  // namespace dlscale::cli
