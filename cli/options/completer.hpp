// SPDX-License-Identifier: Apache-2.0
// Completes the word at the cursor. The candidates come from the options that the sub-commands
// declare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Names of option values in the help texts. The name of a value determines how the value is
/// completed.
namespace value_kind {
inline constexpr const char* kFile = "FILE";
inline constexpr const char* kFolder = "DIR";
inline constexpr const char* kStudy = "STUDY";
inline constexpr const char* kSite = "SITE";
inline constexpr const char* kTemplate = "TEMPLATE";
/// Id of a run. The run belongs to the plan folder on the command line, else to the current folder.
inline constexpr const char* kRun = "RUN";
inline constexpr const char* kFolderOrStudy = "DIR|STUDY";
inline constexpr const char* kFolderOrRun = "[DIR] RUN";
/// Plan folder or run that follows the first plan folder.
inline constexpr const char* kFoldersAndRuns = "DIR|RUN";
}  // namespace value_kind

/// Returns the name of a value that must be one of `words`: "{text,csv}".
std::string one_of(const std::vector<std::string>& words);

struct Completion {
  /// Kind of files that complete the word in addition to `words`: "none", "files", "folders", or
  /// "tomls" (TOML files and folders).
  std::string files = "none";
  std::vector<std::string> words;
};

/// Completes the last word of a command line, which may be empty. `words` are the words without the
/// program name. `share` is the folder that contains sites/ and templates/. Throws base::Error if
/// files cannot be read.
Completion complete(const CLI::App& program, const std::vector<std::string>& words,
                    const std::filesystem::path& share);

}  // namespace dlscale::cli
