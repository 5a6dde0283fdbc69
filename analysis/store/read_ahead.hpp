// SPDX-License-Identifier: Apache-2.0
// The files that a collect takes one after the other, read and parsed by other threads before their
// turn comes: the database has one writer, files have as many readers as there are cores.
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
  std::string name;  ///< from the folder, or absolute
  Kind kind = Kind::other;
  std::int64_t size = 0;     ///< about; bytes
  std::string known_sha256;  ///< with this content it is not parsed
};

struct TakenFile {
  std::string text;       ///< empty where it has been parsed
  std::int64_t size = 0;  ///< bytes of the text
  std::string sha256;
  /// Parsed, as its kind says; empty where that failed or was not asked for.
  std::optional<contract::RunSpec> description;
  std::optional<contract::ResultsFile> results;
};

class ReadAhead {
 public:
  /// Starts to read files of a folder. Of large files few are held at a time.
  ReadAhead(std::filesystem::path folder, std::vector<FileToTake> files);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Files are taken in the order they were given; one may be left out, and one that was not given
  /// is read now. What it returns is there until the next one is taken; the threads that read it
  /// clear it away. Throws base::RunError for one that cannot be read.
  TakenFile& take(const std::string& name);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace dlscale::analysis
