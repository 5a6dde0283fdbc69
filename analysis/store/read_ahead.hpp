// SPDX-License-Identifier: Apache-2.0
// Reads and parses files in threads before a collect takes them. The database has a single writer,
// but files can have one reader per core.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contract/records/result_record.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

struct FileToTake {
  enum class Kind { description, results, other };
  std::string name;  ///< path relative to the folder, or absolute
  Kind kind = Kind::other;
  std::int64_t size = 0;     ///< approximate size in bytes
  std::string known_sha256;  ///< digest of the content that need not be parsed
};

struct TakenFile {
  std::string text;       ///< text of the file; empty if it was parsed
  std::int64_t size = 0;  ///< size of the text in bytes
  std::string sha256;
  /// Parsed content, according to the file's kind. Empty if parsing failed or was not requested.
  std::optional<contract::RunSpec> description;
  std::optional<contract::ResultsFile> results;
};

class ReadAhead {
 public:
  /// Starts to read the files of a folder. Few files are held in memory at a time if they are
  /// large.
  ReadAhead(std::filesystem::path folder, std::vector<FileToTake> files);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Returns the content of a file. Files must be taken in the order in which they were given. A
  /// file may be skipped, and a file that was not given is read now. The content is valid until the
  /// next call, and the thread that read it frees it. Throws base::RunError for a file that cannot
  /// be read.
  TakenFile& take_file(const std::string& name);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace dlscale::analysis
