// SPDX-License-Identifier: Apache-2.0
// What may stand where the cursor is, from the options the verbs declare.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dlscale::cli {

/// How the value of an option is called in the help says what completes it.
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

/// The words of a choice as a kind of value: "{text,csv}".
std::string one_of(const std::vector<std::string>& words);

struct Completion {
  /// Which files complete the word as well: "none", "files", "folders", or "tomls" (and folders).
  std::string files = "none";
  std::vector<std::string> words;
};

/// `words` is a command line without its first word; the last, perhaps empty, is the one to
/// complete. `share` holds sites/ and templates/. Throws base::Error when files cannot be read.
Completion complete(const CLI::App& program, const std::vector<std::string>& words,
                    const std::filesystem::path& share);

}  // namespace dlscale::cli
