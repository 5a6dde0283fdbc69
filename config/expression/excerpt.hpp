// SPDX-License-Identifier: Apache-2.0
// How much of a long text a message quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dlscale::config {

/// A short text as it is; of one with more than 160 bytes these many around byte `at`, no character
/// (UTF-8) cut in two, with "…" where it goes on.
std::string excerpt(std::string_view text, std::size_t at);

}  // namespace dlscale::config
