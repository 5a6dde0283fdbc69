// SPDX-License-Identifier: Apache-2.0
#include "runner/cluster_probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.hpp"
#include "runner/command_runner.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
namespace {

/// Where one program's output is kept while it is read.
class OutputFolder {
 public:
  OutputFolder() {
    std::string pattern = (fs::temp_directory_path() / "dlscale-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw base::RunError(
          fmt::format("cannot make a folder in {}", fs::temp_directory_path().string()));
    }
    path_ = pattern;
  }
  ~OutputFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// The first line with something on it.
std::string first_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \n\r\t");
  if (start == std::string_view::npos) return "";
  return std::string(text.substr(start, text.find('\n', start) - start));
}

std::string ask(CommandRunner& commands, double timeout_s, const std::vector<std::string>& words) {
  const OutputFolder folder;
  const fs::path out = folder / "out", err = folder / "err";
  // Words for programs, not for people: in the language that parsers know.
  const ProcessId process =
      commands.start({words, fs::current_path(), out, err, {{"LC_ALL", "C"}}});
  const std::optional<ExitStatus> end = commands.wait(process, timeout_s);
  if (!end) {
    commands.kill_group(process);
    throw base::RunError(fmt::format("{} has not answered for {} s", words[0], timeout_s),
                         kUnreachableExit);
  }
  if (*end != ExitStatus{}) {
    const std::string reason = first_line(base::read_file(err));
    throw base::RunError(
        fmt::format("{} fails: {}", words[0], reason.empty() ? "it does not say why" : reason),
        kUnreachableExit);
  }
  return base::read_file(out);
}

bool is_on(std::string_view path, const char* program) {
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    std::error_code ignored;
    if (!folder.empty() && fs::is_regular_file(fs::path(folder) / program, ignored)) return true;
    path.remove_prefix(std::min(folder.size() + 1, path.size()));
  }
  return false;
}

}  // namespace

Ask ask_with(CommandRunner& commands, double timeout_s) {
  return [&commands, timeout_s](const std::vector<std::string>& words) {
    return ask(commands, timeout_s, words);
  };
}

const ClusterProbeEntry& choose_cluster_probe(const std::string& scheduler, std::string_view path) {
  std::vector<const ClusterProbeEntry*> asked, found;
  for (const ClusterProbeEntry* entry : cluster_probe_table()) asked.push_back(entry);
  if (!scheduler.empty()) asked = {&base::find(cluster_probe_table(), "scheduler", scheduler)};
  std::vector<std::string> programs;
  for (const ClusterProbeEntry* entry : asked) {
    if (is_on(path, entry->program)) found.push_back(entry);
    programs.push_back(fmt::format("no {} ({})", entry->program, entry->name));
  }
  if (found.empty()) {
    throw base::UsageError(
        fmt::format("{} on PATH: run this on a login node of the cluster, or copy one of "
                    "sites/generic-*.toml and fill it in",
                    fmt::join(programs, " and ")));
  }
  if (found.size() > 1) {
    throw base::UsageError(fmt::format("{} and {} are both here: choose one with --scheduler",
                                       found[0]->program, found[1]->program));
  }
  return *found[0];
}

}  // namespace dlscale::runner
