// SPDX-License-Identifier: Apache-2.0
// Removes what launchers and log collectors put in front of a program's lines. A new form is one
// function and one row of kPrefixKinds.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace dlscale::analysis {

// The forms of launcher prefixes. A new form is one function and one row in launcher_prefix.cpp.

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

// Removes what launchers and log collectors put in front of a program's lines.
// Many programs write such prefixes: mpirun, srun, torchrun, pdsh, horovodrun, kubectl, ts. No
// format knows them. This step runs before all formats, decides once for each log by its beginning
// which prefixes the log has, and removes them. A line of a log with several processes keeps a
// process mark, which LogLines reads, so that the lines of one process can be told from those of
// others.
// Some prefixes are certain wherever they stand ("[1,0]<stdout>:"). Others look like program text
// ("0: ", "node12: ", "[3] ", a time). These count only if nearly all lines have them, if they do
// not count upwards like a step or an epoch, and if the log does not stop being recognised without
// them.

/// Whether a log with this beginning is of a known format.
using IsKnownLog = std::function<bool(std::string_view head)>;

/// Returns the log without launcher prefixes. Lines keep their number and their order. The text is
/// returned unchanged if it has no prefix.
std::string without_launcher_prefixes(std::string text, const IsKnownLog& is_known);

/// The same for a log that one of log_formats() may recognise.
std::string without_launcher_prefixes(std::string text);

}  // namespace dlscale::analysis
