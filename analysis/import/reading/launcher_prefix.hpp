// SPDX-License-Identifier: Apache-2.0
// Removes the prefixes that launchers and log collectors write in front of a program's lines. A new
// kind of prefix needs one function and one row of kKinds in prefix_kinds().
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace dlscale::analysis {

// Types that describe the kinds of launcher prefixes.

/// Prefix at the beginning of a line.
struct LauncherPrefix {
  std::size_t size = 0;        ///< number of bytes of the prefix; 0: no such prefix
  int rank = -1;               ///< global or local rank in the prefix; -1: none
  std::string_view host;       ///< host, pod or group of the process; empty: none
  bool is_sure = false;        ///< true if program output never looks like this
  bool ends_at_blank = false;  ///< true if a blank of the launcher or the program follows
};

struct PrefixKind {
  const char* name;
  LauncherPrefix (*find)(std::string_view line);
  bool can_be_sure = false;  ///< true if `is_sure` may be true for this kind
};

/// Returns all kinds of prefixes. More specific kinds come first.
std::span<const PrefixKind> prefix_kinds();

// Functions that remove launcher prefixes.
// Many tools write a prefix in front of each line of a program: mpirun, srun, torchrun, pdsh,
// horovodrun, kubectl, ts. The log formats do not handle prefixes. The functions below therefore
// determine the prefixes of a log from its beginning and remove them before the formats are tried.
// If several processes wrote the log, each line keeps a mark that names its process. LogLines reads
// these marks, so that readers can select the lines of one process.
// Some prefixes are unmistakable wherever they occur ("[1,0]<stdout>:"). Other prefixes look like
// program text ("0: ", "node12: ", "[3] ", a time). Such a prefix is removed only if three
// conditions hold: nearly all lines have the prefix, its numbers do not increase like steps or
// epochs, and the log is still recognised without the prefix.

/// Returns true if a log with this beginning has a known format.
using IsKnownLog = std::function<bool(std::string_view head)>;

/// Returns the log without launcher prefixes. The number and the order of the lines do not change.
/// A log without prefixes is returned unchanged.
std::string without_launcher_prefixes(std::string text, const IsKnownLog& is_known);

/// Returns the log without launcher prefixes. A log is known if one of the log_formats() recognises
/// the beginning of the log.
std::string without_launcher_prefixes(std::string text);

}  // namespace dlscale::analysis
