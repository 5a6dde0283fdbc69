// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/import/foreign_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "analysis/store/formats/log_lines.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_id.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kHeadBytes = 64 * 1024;
constexpr std::int64_t kLargestLog = std::int64_t{2} << 30;
constexpr std::int64_t kMappedFrom = std::int64_t{64} << 20;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::string_view digits_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(0, end);
}

/// Numbers within names count as numbers.
bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
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

/// Characters of a folder's name that lie above it: of "../data/logs" seven, of "logs" none. A
/// slash before it is its own.
std::size_t length_above(const std::string& folder) {
  const fs::path plain = fs::path(folder).lexically_normal();
  const std::string name = (plain.has_filename() ? plain : plain.parent_path()).generic_string();
  const std::size_t slash = name.rfind('/');
  return slash == name.npos ? 0 : slash;
}

/// What the system says against looking into a folder; empty: nothing.
std::string folder_refusal_of(const fs::path& folder) {
  const bool is_open = ::faccessat(AT_FDCWD, folder.c_str(), R_OK | X_OK, AT_EACCESS) == 0;
  return is_open ? "" : std::strerror(errno);
}

std::string shown_of(const fs::directory_entry& entry) {
  return entry.path().lexically_normal().generic_string();
}

void walk(const std::string& argument, const fs::path& except, std::vector<ForeignLog>& logs,
          std::vector<std::string>& passed_over) {
  std::error_code error;
  fs::recursive_directory_iterator entry(argument, fs::directory_options::skip_permission_denied,
                                         error);
  if (error) throw base::UsageError(fmt::format("{}: {}", argument, error.message()));
  const std::string refusal = folder_refusal_of(argument);
  if (!refusal.empty()) throw base::UsageError(fmt::format("{}: {}", argument, refusal));
  const std::size_t above = length_above(argument);
  for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path path = whole_path(entry->path());
    if (path == except) {
      entry.disable_recursion_pending();
      continue;
    }
    if (entry->is_directory(error)) {
      const std::string refused = folder_refusal_of(path);
      if (!refused.empty()) passed_over.push_back(shown_of(*entry) + ": " + refused);
    } else if (entry->is_regular_file(error)) {
      logs.push_back({path, shown_of(*entry), false, above});
    } else if (const std::string odd = oddity_of(path); !odd.empty()) {
      passed_over.push_back(shown_of(*entry) + ": " + odd);
    }
  }
}

/// A large file's bytes without a copy of them in memory.
class MappedFile {
 public:
  /// Throws base::RunError when it cannot be.
  explicit MappedFile(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      bytes_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0) ::close(file);
    if (bytes_ == MAP_FAILED) throw base::RunError(path.string() + ": cannot be read");
    ::madvise(bytes_, size_, MADV_SEQUENTIAL);
  }
  ~MappedFile() { ::munmap(bytes_, size_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view text() const { return {static_cast<const char*>(bytes_), size_}; }

 private:
  void* bytes_ = MAP_FAILED;
  std::size_t size_ = 0;
};

std::size_t zero_in(std::string_view text) {
  return text.find('\0');
}

/// Of lines that readers pass over for their length so much that they still see it.
std::string without_long_lines(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t size = newline == text.npos ? text.size() : newline;
    kept.append(text.substr(0, std::min(size, kLongestLine + 64)));  // a launcher's prefix is none
    if (newline == text.npos) break;
    kept += '\n';
    text.remove_prefix(newline + 1);
  }
  return kept;
}

void note_what_is_wrong(ForeignText& foreign, std::string_view text) {
  const std::size_t zero = zero_in(text);
  if (text.empty()) foreign.problem = "is empty";
  if (zero != std::string::npos) {
    foreign.problem = fmt::format("is no text (byte {} is 0)", zero + 1);
  }
}

}  // namespace

fs::path whole_path(const fs::path& path) {
  fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();  // "logs/" is "logs"
}

std::vector<ForeignLog> find_logs(const std::vector<std::string>& arguments, const fs::path& except,
                                  std::vector<std::string>& passed_over) {
  const fs::path own = whole_path(except);
  std::vector<ForeignLog> logs;
  for (const std::string& argument : arguments) {
    std::error_code error;
    const fs::file_status status = fs::status(argument, error);
    if (fs::is_directory(status)) {
      if (is_below(whole_path(argument), own)) {
        throw base::UsageError(argument + ": is the folder that the runs are to be written to");
      }
      walk(argument, own, logs, passed_over);
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
    return ::lstat(path.c_str(), &status) == 0 ? "is a link to what is not there" : "";
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

std::string head_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.starts_with(kByteOrderMark)) head.erase(0, kByteOrderMark.size());
  return head.find('\0') == std::string::npos ? head : "";
}

std::string refusal_of(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::strerror(errno);
  char first = 0;
  const bool is_readable = ::read(file, &first, 1) >= 0;
  const int error = errno;
  ::close(file);
  return is_readable ? "" : std::strerror(error);
}

ForeignText read_foreign(const fs::path& path) {
  ForeignText foreign;
  const FileStamp stamp = stamp_of(path);
  if (stamp.size < 0) {
    foreign.problem = "is gone";
  } else if (stamp.size > kLargestLog) {
    foreign.problem = fmt::format("has {} bytes; at most {} are read", stamp.size, kLargestLog);
  }
  if (!foreign.problem.empty()) return foreign;
  try {
    if (stamp.size > kMappedFrom) {
      const MappedFile file(path);
      foreign.sha256 = contract::sha256_hex(file.text());
      if (zero_in(file.text()) == std::string::npos) foreign.text = without_long_lines(file.text());
      note_what_is_wrong(foreign, file.text());
    } else {
      foreign.text = base::read_file(path);
      foreign.sha256 = contract::sha256_hex(foreign.text);
      note_what_is_wrong(foreign, foreign.text);
    }
  } catch (const base::RunError&) {
    const std::string refusal = refusal_of(path);
    foreign.problem = "cannot be read" + (refusal.empty() ? "" : ": " + refusal);
    foreign.is_unreadable = true;
  }
  if (!foreign.problem.empty()) foreign.text.clear();
  if (foreign.text.starts_with(kByteOrderMark)) foreign.text.erase(0, kByteOrderMark.size());
  return foreign;
}

}  // namespace dlscale::analysis
