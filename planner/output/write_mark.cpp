// SPDX-License-Identifier: Apache-2.0
#include "planner/output/write_mark.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

void remove_parts(const contract::PlanDir& folder) {
  base::remove_left_parts(folder.root());
  base::remove_left_parts(folder.jobs());
  std::error_code none;
  for (const auto& run : fs::directory_iterator(folder.runs(), none)) {
    base::remove_left_parts(run.path());
  }
}

}  // namespace

WriteMark::WriteMark(const contract::PlanDir& folder) : folder_(folder) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC;
  const fs::path mark = folder.write_mark();
  lock_ = ::open(mark.c_str(), kFlags | O_EXCL, 0666);
  const bool is_new = lock_ >= 0;
  if (!is_new) lock_ = ::open(mark.c_str(), kFlags, 0666);
  if (lock_ < 0) return;
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {  // its writer lives
    ::close(lock_);
    lock_ = -1;
  } else if (!is_new) {
    remove_parts(folder);
  }
}

WriteMark::~WriteMark() {
  if (lock_ < 0) return;
  ::unlink(folder_.write_mark().c_str());
  ::close(lock_);
}

}  // namespace dlscale::planner
