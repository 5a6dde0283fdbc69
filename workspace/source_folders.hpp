// SPDX-License-Identifier: Apache-2.0
// Finds the plan folders among the arguments of a command line, and names them for the axis
// `source`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dlscale::workspace {

/// Plan folder and its value on the axis `source`.
struct SourceFolder {
  std::string name;
  std::filesystem::path folder;
};

/// Arguments of a command line, divided into plan folders and runs.
struct SourceArguments {
  /// Plan folders with different names. Empty if the command line names one plan folder without a
  /// name for the axis `source`.
  std::vector<SourceFolder> folders;
  std::vector<std::string> runs;  ///< run ids and globs
};

/// Divides the arguments of a command line. `first` is the first argument, which is a plan folder.
/// Each of `others` is a plan folder, a run id or a glob. A plan folder is written as FOLDER or as
/// NAME=FOLDER. Without NAME, the source has the last part of the folder's path as its name. If two
/// folders have the same last part, their names also contain the parent folder: "juwels/plan".
///
/// Throws base::UsageError for an argument that can be a plan folder and a run, for a folder
/// without a plan, for a folder that is given twice, and for two folders with the same name.
SourceArguments divide_arguments(const std::string& first, const std::vector<std::string>& others);

}  // namespace dlscale::workspace
