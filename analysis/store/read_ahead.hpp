// SPDX-License-Identifier: Apache-2.0
// Reads and parses files in threads before `dlscale collect` needs them. Only one thread can write
// to the database, but several threads can read files at the same time.
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
  std::int64_t size = 0;  ///< approximate size in bytes
  /// Digest of the file's content in the database. Content with this digest need not be parsed.
  std::string known_sha256;
};

struct TakenFile {
  std::string text;       ///< text of the file; empty if parsing succeeded
  std::int64_t size = 0;  ///< size of the text in bytes
  std::string sha256;
  /// Parsed content: `description` or `results`, depending on the kind of the file. Both are empty
  /// if parsing failed or if the kind is `other`.
  std::optional<contract::RunSpec> description;
  std::optional<contract::ResultsFile> results;
};

class ReadAhead {
 public:
  /// Starts to read the given files of a folder. Memory use is limited: only a few large files are
  /// in memory at a time.
  ReadAhead(std::filesystem::path folder, std::vector<FileToTake> files);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Returns the content of a file. Files must be requested in the order in which the constructor
  /// got them, but files may be skipped. If the constructor did not get the file, this call reads
  /// the file. The content is valid until the next call. Throws base::RunError for a file that
  /// cannot be read.
  TakenFile& take_file(const std::string& name);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace dlscale::analysis
