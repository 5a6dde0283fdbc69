// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/foreign_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>

#include "analysis/import/foreign_text.hpp"
#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLongestDeviceName = 200;

void take_parameters(const fs::path& file, AxisValues& facts) {
  const std::string text = head_of(file);
  for (LogLines lines(text); lines.next();) {
    TextScanner scanner(lines.line().text);
    const std::string_view name = scanner.until(" \t");
    std::int64_t number = 0;
    if (!scanner.integer(number) || number < 1) continue;
    if (name == "GPU") facts["gpus"] = std::to_string(number);
    if (name == "GLOBAL_BATCH") facts["global_batch"] = std::to_string(number);
  }
}

/// Returns the count that the file stores under `key`, as a JSON number or as a text. Returns
/// nothing unless the count is at least 1 and below 1e7.
std::optional<std::int64_t> count_in(const JsonObject& object, const char* key) {
  double number = 0;
  if (const auto reported = object.integer(key)) number = static_cast<double>(*reported);
  if (const auto text = object.text(key)) whole_number(*text, number);
  const bool good = number >= 1 && number < 1e7;
  return good ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
}

void take_system(const fs::path& file, AxisValues& facts) {
  JsonObject system;
  if (!system.read(head_of(file))) return;
  auto nodes = count_in(system, "number_of_nodes");
  if (!nodes) nodes = count_in(system, "number of nodes");  // spelling of some submitters
  const auto accelerators = count_in(system, "accelerators_per_node");
  const std::string_view name = system.text("accelerator_model_name").value_or("");
  if (!name.empty() && name != "N/A" && name.size() <= kLongestDeviceName) facts["gpu"] = name;
  if (!nodes) return;
  facts["nodes"] = std::to_string(*nodes);
  if (accelerators) facts["gpus"] = std::to_string(*nodes * *accelerators);
}

}  // namespace

AxisValues facts_beside(const fs::path& log) {
  AxisValues facts;
  const fs::path folder = log.parent_path();
  take_parameters(folder / "benchmark.para", facts);
  const fs::path system = folder.parent_path();
  if (system.parent_path().filename() == "results") {
    fs::path description = system.parent_path().parent_path() / "systems" / system.filename();
    description += ".json";
    take_system(description, facts);
  }
  return facts;
}

namespace {

std::string_view digits_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && base::is_digit(text[end])) ++end;
  return text.substr(0, end);
}

/// Returns true if name `a` comes before name `b` in natural order, in which groups of digits are
/// compared as numbers: run2 comes before run10.
bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (base::is_digit(a[0]) && base::is_digit(b[0])) {
      const std::string_view one = digits_at(a), other = digits_at(b);
      const auto plain = [](std::string_view digits) {
        return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
      };
      const std::string_view x = plain(one), y = plain(other);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
      a.remove_prefix(one.size());
      b.remove_prefix(other.size());
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

/// Returns the length of a path without its last component and without the slash in front of it:
/// seven for "../data/logs" (the length of "../data") and zero for "logs".
std::size_t length_above(const std::string& folder) {
  const fs::path plain = fs::path(folder).lexically_normal();
  const std::string name = (plain.has_filename() ? plain : plain.parent_path()).generic_string();
  const std::size_t slash = name.rfind('/');
  return slash == name.npos ? 0 : slash;
}

/// Returns the system's error message if the folder cannot be listed, or an empty text if it can.
std::string folder_refusal_of(const fs::path& folder) {
  const bool is_open = ::faccessat(AT_FDCWD, folder.c_str(), R_OK | X_OK, AT_EACCESS) == 0;
  return is_open ? "" : std::strerror(errno);
}

std::string shown_of(const fs::directory_entry& entry) {
  return entry.path().lexically_normal().generic_string();
}

/// Appends an entry of a folder to `logs` if the entry is a regular file. Appends unreadable
/// folders, links to folders and special files to `skipped`. Ignores other subfolders, because
/// walk() visits their entries.
void sort_entry(const fs::directory_entry& entry, std::size_t above, std::vector<ForeignLog>& logs,
                std::vector<SkippedLog>& skipped) {
  const fs::path path = whole_path(entry.path());
  std::error_code error;
  if (entry.is_directory(error)) {
    const std::string refused = folder_refusal_of(path);
    if (!refused.empty()) {
      skipped.push_back({shown_of(entry), "cannot be read: " + refused, true, "folder"});
    } else if (entry.is_symlink(error)) {
      skipped.push_back(
          {shown_of(entry),
           "is a link to a folder, and links are not followed; to import the logs of that folder, "
           "name the folder",
           false, "folder"});
    }
  } else if (entry.is_regular_file(error)) {
    logs.push_back({path, shown_of(entry), false, above});
  } else if (const std::string odd = oddity_of(path); !odd.empty()) {
    skipped.push_back({shown_of(entry), odd});
  }
}

void walk(const std::string& argument, const fs::path& except, std::vector<ForeignLog>& logs,
          std::vector<SkippedLog>& skipped) {
  std::error_code error;
  fs::recursive_directory_iterator entry(argument, fs::directory_options::skip_permission_denied,
                                         error);
  if (error) throw base::UsageError(fmt::format("{}: {}", argument, error.message()));
  const std::string refusal = folder_refusal_of(argument);
  if (!refusal.empty()) throw base::UsageError(fmt::format("{}: {}", argument, refusal));
  const std::size_t above = length_above(argument);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (whole_path(entry->path()) == except) {
      entry.disable_recursion_pending();
    } else {
      sort_entry(*entry, above, logs, skipped);
    }
  }
  if (!error) return;  // on an error the rest of the folder was not visited
  skipped.push_back({argument, "cannot be read: " + error.message(), true, "folder"});
}

}  // namespace

fs::path whole_path(const fs::path& path) {
  fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();  // "logs/" becomes "logs"
}

std::vector<ForeignLog> find_logs(const std::vector<std::string>& arguments, const fs::path& except,
                                  std::vector<SkippedLog>& skipped) {
  const fs::path own = whole_path(except);
  std::vector<ForeignLog> logs;
  for (const std::string& argument : arguments) {
    std::error_code error;
    const fs::file_status status = fs::status(argument, error);
    if (fs::is_directory(status)) {
      if (is_below(whole_path(argument), own)) {
        throw base::UsageError(
            argument + ": is the output folder or lies inside it; give a folder outside of it");
      }
      walk(argument, own, logs, skipped);
    } else if (fs::is_regular_file(status)) {
      logs.push_back(
          {whole_path(argument), fs::path(argument).lexically_normal().generic_string(), true});
    } else {
      throw base::UsageError(argument + (fs::exists(status) ? ": is neither a file nor a folder"
                                                            : ": no such file or folder"));
    }
  }
  std::stable_sort(logs.begin(), logs.end(), [](const ForeignLog& a, const ForeignLog& b) {
    return natural_less(a.path.native(), b.path.native());
  });
  const auto repeated =
      std::unique(logs.begin(), logs.end(),
                  [](const ForeignLog& a, const ForeignLog& b) { return a.path == b.path; });
  logs.erase(repeated, logs.end());
  return logs;
}

std::string oddity_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int error = errno;
    if (error != ENOENT && error != ENOTDIR) return std::strerror(error);
    return ::lstat(path.c_str(), &status) == 0 ? "is a link to a missing file" : "";
  }
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return "";
  return S_ISFIFO(status.st_mode) ? "is a pipe, not a file" : "is a device or socket, not a file";
}

FileStamp stamp_of(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return {status.st_size,
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace dlscale::analysis
