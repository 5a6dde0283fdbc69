// SPDX-License-Identifier: Apache-2.0
// The forms of launcher prefixes. A new form is one function and one row in prefix_kinds.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace dlscale::analysis {

/// A prefix at the beginning of a line.
struct LauncherPrefix {
  std::size_t size = 0;   ///< bytes that belong to the launcher; 0: the line has no such prefix
  int rank = -1;          ///< rank that the prefix names, global or local; -1: none
  std::string_view host;  ///< host, pod or group of the process; empty: none
  bool is_sure = false;   ///< no program line looks like this
  bool ends_at_blank = false;  ///< a blank follows that may belong to the launcher or the program
};

struct PrefixKind {
  const char* name;
  LauncherPrefix (*find)(std::string_view line);
  bool can_be_sure = false;  ///< some of its prefixes are certain
};

/// All forms, the more specific ones first.
std::span<const PrefixKind> prefix_kinds();

}  // namespace dlscale::analysis
