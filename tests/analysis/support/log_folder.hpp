// SPDX-License-Identifier: Apache-2.0
// Logs of third-party programs, column maps for logs, and the folder into which logs are collected.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/import/import_logs.hpp"
#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::test {

/// Returns the format of a log whose columns have these mappings, such as "wall_s=time".
inline analysis::MappedFormat format_of(const std::string& kind,
                                        const std::vector<std::string>& mappings) {
  analysis::MappedFormat format{.kind = kind};
  for (const std::string& text : mappings) {
    format.columns.push_back(analysis::parse_mapping(text));
  }
  return format;
}

class LogFolder {
 public:
  LogFolder() : folder(temp_.path() / "study") {
    request.logs = {logs()};
    request.mapped.kind = "csv";
    request.mapped.columns = {{"load_wait_s", "load"}, {"compute_s", "compute"}, {"rank", "rank"}};
    request.axes = {"gpus=_g(\\d+)/", "global_batch=b(\\d+)_"};
    request.stated = {"model=m"};  // a stated model, because logs of unknown models share no curve
  }

  std::string logs() const { return (temp_.path() / "logs").string(); }

  /// Writes a log and returns its path.
  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = temp_.path() / "logs" / name;
    base::make_directories(path.parent_path());
    base::write_file_atomically(path, text);
    return path.string();
  }

  /// Writes a log with one step of two ranks. No two logs are equal, as with logs of real runs.
  std::string write_step(const std::string& name, double load = 0.5) {
    return write(name, "load,compute,rank,log\n" + std::to_string(load) + ",1.0,0," + name +
                           "\n0.5,1.5,1," + name + "\n");
  }

  analysis::ImportSummary import() { return analysis::import_logs(request, folder); }

  /// Imports the logs, writes their content to the database, and reads the database.
  analysis::Frame collect() {
    import();
    analysis::ingest(folder);
    return analysis::read_frame(folder);
  }

  /// Returns the error message with which the import fails.
  std::string error() {
    try {
      import();
    } catch (const base::UsageError& error) {
      return error.what();
    }
    return "no complaint";
  }

 private:
  TempDir temp_;

 public:
  contract::PlanDir folder;
  analysis::ImportRequest request;
};

}  // namespace dlscale::test
