// SPDX-License-Identifier: Apache-2.0
// Completes the word at the cursor from the options that the verbs declare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dlscale::cli {

/// The name of an option's value in the help determines how the value is completed.
namespace value_kind {
inline constexpr const char* kFile = "FILE";
inline constexpr const char* kFolder = "DIR";
inline constexpr const char* kStudy = "STUDY";
inline constexpr const char* kSite = "SITE";
inline constexpr const char* kTemplate = "TEMPLATE";
inline constexpr const char* kRun = "RUN";  ///< of the plan folder named before, or this one
inline constexpr const char* kFolderOrStudy = "DIR|STUDY";
inline constexpr const char* kFolderOrRun = "[DIR] RUN";
}  // namespace value_kind

/// Returns the words of a choice as the name of a value: "{text,csv}".
std::string one_of(const std::vector<std::string>& words);

struct Completion {
  /// Files that also complete the word: "none", "files", "folders", or "tomls" (and folders).
  std::string files = "none";
  std::vector<std::string> words;
};

/// Completes a command line. `words` excludes the program name, and its last word, which may be
/// empty, is completed. `share` contains sites/ and templates/. Throws base::Error if files cannot
/// be read.
Completion complete(const CLI::App& program, const std::vector<std::string>& words,
                    const std::filesystem::path& share);

}  // namespace dlscale::cli
