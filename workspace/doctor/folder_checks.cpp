// SPDX-License-Identifier: Apache-2.0
#include "workspace/doctor/folder_checks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>

#include "workspace/runs/inventory.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

constexpr double kLittle = 0.02;  ///< share of free inodes below which a warning is printed
constexpr std::uint64_t kLittle_bytes = 1'000'000'000;
constexpr double kSkew_s = 2;  ///< tolerated difference of clocks, more than slow writes can cause

/// Temporary file with a unique name, which the destructor deletes.
class ProbeFile {
 public:
  explicit ProbeFile(const fs::path& folder) : path_((folder / ".dlscale-doctor-XXXXXX").string()) {
    descriptor_ = ::mkostemp(path_.data(), O_CLOEXEC);
    error_ = errno;
  }
  ~ProbeFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;

  bool made() const { return descriptor_ >= 0; }
  int error() const { return error_; }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;
};

Check check_clock(const ProbeFile& file, const base::Clock& clock) {
  struct stat status {};
  const bool written = ::write(file.descriptor(), "x", 1) == 1 && ::fsync(file.descriptor()) == 0;
  if (!written || ::fstat(file.descriptor(), &status) != 0) {
    return fail("write", fmt::format("cannot write {}: {}", file.path(), std::strerror(errno)),
                "free some space, or plan in another folder");
  }
  const double file_s = static_cast<double>(status.st_mtim.tv_sec) +
                        static_cast<double>(status.st_mtim.tv_nsec) * 1e-9;
  return judge_clock(file_s, clock.unix_s());
}

Check check_locks(const ProbeFile& file) {
  const std::string advice =
      "plan in a folder on another file system, for example in your home folder";
  const int other = ::open(file.path().c_str(), O_RDWR | O_CLOEXEC);
  if (other < 0 || ::flock(file.descriptor(), LOCK_EX | LOCK_NB) != 0) {
    const std::string reason = std::strerror(errno);
    if (other >= 0) ::close(other);
    return fail("locks", "files cannot be locked here: " + reason, advice);
  }
  const bool held = ::flock(other, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(other);
  if (held) return ok("locks", "file locks work");
  return fail("locks",
              "file locks have no effect: two dlscale processes could submit the same jobs",
              advice);
}

FreeSpace space_of(const fs::path& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return {};
  const std::uint64_t block = status.f_frsize;
  return {status.f_bavail * block, status.f_blocks * block, status.f_favail, status.f_files};
}

}  // namespace

Checks judge_space(const FreeSpace& space, std::uint64_t inodes_needed) {
  Checks checks;
  const std::string advice =
      "free some space; dlscale clean lists and deletes files of a plan folder";
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  if (space.bytes_total > 0) {
    const std::string left =
        fmt::format("{} of {} left", size_text(space.bytes), size_text(space.bytes_total));
    const bool little = space.bytes < kLittle_bytes;
    checks.push_back(space.bytes == 0 ? fail("space", left, advice)
                     : little         ? warn("space", left, advice)
                                      : ok("space", left));
  }
  if (space.inodes_total == 0) return checks;
  const std::string left = fmt::format("{} of {} inodes left", space.inodes, space.inodes_total);
  if (space.inodes < std::max<std::uint64_t>(inodes_needed, 1)) {
    checks.push_back(
        fail("inodes", fmt::format("{}, but the plan needs about {} inodes", left, inodes_needed),
             advice));
  } else if (share(space.inodes, space.inodes_total) < kLittle) {
    checks.push_back(warn("inodes", left, advice));
  } else {
    checks.push_back(ok("inodes", left));
  }
  return checks;
}

Check judge_clock(double file_unix_s, double here_unix_s) {
  const double skew_s = file_unix_s - here_unix_s;
  if (std::abs(skew_s) <= kSkew_s)
    return ok("clock", "the clock of the file system agrees with the clock of this node");
  return warn("clock",
              fmt::format("the clock of the file system is {:.0f} s {} the clock of this node",
                          std::abs(skew_s), skew_s > 0 ? "ahead of" : "behind"),
              "times in records differ by that much; ask the administrators to synchronise the "
              "clocks (NTP)");
}

Checks check_folder(const fs::path& folder, const base::Clock& clock, std::uint64_t inodes_needed) {
  const ProbeFile file(folder);
  if (!file.made()) {
    return {
        fail("write",
             fmt::format("cannot write in {}: {}", folder.string(), std::strerror(file.error())),
             "create the folder, or check its owner (ls -ld) and your quota")};
  }
  Checks checks{ok("write", fmt::format("files can be created in {}", folder.string()))};
  checks.push_back(check_clock(file, clock));
  checks.push_back(check_locks(file));
  for (Check& check : judge_space(space_of(folder), inodes_needed)) {
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace dlscale::workspace
