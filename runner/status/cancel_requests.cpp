// SPDX-License-Identifier: Apache-2.0
#include "runner/status/cancel_requests.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/launch_record.hpp"

namespace dlscale::runner {
namespace {

/// Exclusive lock on a file. A program holds the lock while it writes the file.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) == 0) return;
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw base::RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
  }
  ~FileLock() { ::close(descriptor_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

void append_cancel_requests(const contract::PlanDir& folder,
                            const std::vector<CancelRequest>& requests, const base::Clock& clock) {
  const FileLock turn(folder.cancel_requests());
  base::LineAppender file(folder.cancel_requests());
  for (const CancelRequest& request : requests) {
    contract::LaunchRecord record;
    record.event = "cancelling";
    record.run_id = request.run_id;
    record.launch = request.launch;
    record.time = clock.unix_s();
    file.append(contract::to_json_line(record));
  }
}

std::vector<CancelRequest> CancelRequestReader::fresh() {
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(path_, missing);
  if (missing || size <= seen_bytes_) return {};
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(seen_bytes_));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.erase(text.rfind('\n') + 1);  // an incomplete last line is read by the next call
  seen_bytes_ += text.size();
  std::vector<CancelRequest> requests;
  for (const auto& record : contract::parse_launch_log(text)) {
    requests.push_back({record.run_id, record.launch});
  }
  return requests;
}

}  // namespace dlscale::runner
