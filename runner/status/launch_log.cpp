// SPDX-License-Identifier: Apache-2.0
#include "runner/status/launch_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace dlscale::runner {

// Closed on exec: a job that outlives its launcher must not keep the lock.
LaunchLog::Lock::Lock(const std::filesystem::path& path)
    : descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor < 0) {
    throw base::RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  ::close(descriptor);
  if (error == EWOULDBLOCK) {
    throw LogTaken(fmt::format(
        "another dlscale is running the jobs of {}; wait until it is done, or stop it first",
        path.parent_path().string()));
  }
  throw base::RunError(fmt::format("cannot lock {}: {}", path.string(), std::strerror(error)));
}

LaunchLog::Lock::~Lock() {
  ::close(descriptor);
}

LaunchLog::LaunchLog(const std::filesystem::path& path, const base::Clock& clock)
    : path_(path),
      lock_(path),
      clock_(clock),
      file_(path),
      records_(contract::parse_launch_log(base::read_file(path))) {}

bool is_taken(const std::filesystem::path& log) {
  const int descriptor = ::open(log.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool taken = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return taken;
}

const contract::LaunchRecord& LaunchLog::append(contract::LaunchRecord record) {
  record.time = clock_.unix_s();
  file_.append(contract::to_json_line(record));
  return records_.emplace_back(std::move(record));
}

const contract::LaunchRecord& LaunchLog::append_safely(contract::LaunchRecord record) {
  const contract::LaunchRecord& noted = append(std::move(record));
  if (::fdatasync(lock_.descriptor) == 0) return noted;
  throw base::RunError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

}  // namespace dlscale::runner
