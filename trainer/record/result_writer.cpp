// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/result_writer.hpp"

#include <malloc.h>
#include <cstdio>
#include <fstream>
#include <limits>
#include <utility>
#include <variant>

#include "base/error.hpp"

namespace dlscale::trainer {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string keep_freed_memory() {
  constexpr int kLargest = std::numeric_limits<int>::max();
  constexpr int kTopPadBytes = 256 << 20;
  // M_MMAP_THRESHOLD is the size above which glibc allocates a block by mmap. Older versions of
  // glibc accept at most 32 MiB, so this value is tried when the larger value is rejected.
  const bool unmapped =
      mallopt(M_MMAP_THRESHOLD, kLargest) == 1 || mallopt(M_MMAP_THRESHOLD, 32 << 20) == 1;
  const bool kept = mallopt(M_TRIM_THRESHOLD, kLargest) == 1;
  const bool padded = mallopt(M_TOP_PAD, kTopPadBytes) == 1;
  return unmapped && kept && padded ? "malloc keeps freed memory"
                                    : "malloc has the system's settings";
}

void ResultWriter::open(const contract::LaunchDir& launch) {
  const std::lock_guard lock(mutex_);
  files_.reset(new Files{base::LineAppender(launch.results()), base::LineAppender(launch.out()),
                         base::LineAppender(launch.err())});
}

void ResultWriter::write(const contract::ResultRecord& record) {
  const std::lock_guard lock(mutex_);
  if (!files_) return;
  files_->results.append(contract::to_json_line(record));
  if (const auto* window = std::get_if<contract::StepWindow>(&record)) samples_ += window->samples;
}

void ResultWriter::say(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (files_) files_->out.append(line);
}

void ResultWriter::warn(std::string_view line) noexcept {
  const std::lock_guard lock(mutex_);
  if (!files_) return;
  std::fprintf(stderr, "dlscale-train: %.*s\n", static_cast<int>(line.size()), line.data());
  try {
    files_->err.append(line);
  } catch (const base::Error&) {
    // A failed write is ignored, because the disk itself may be the reason for the warning. The
    // code above has already printed the warning to stderr.
  }
}

void ResultWriter::stop(contract::RunStop stop) noexcept {
  const std::lock_guard lock(mutex_);
  const std::unique_ptr<Files> files = std::move(files_);
  if (!files) return;
  stop.samples = samples_;
  try {
    files->results.append(contract::to_json_line(stop));
    if (stop.outcome != contract::RunOutcome::Completed) files->err.append(stop.reason);
  } catch (const base::Error&) {
    // A failed write is ignored. For example, if a full disk ended the launch, the disk cannot
    // store the last record either.
  }
}

}  // namespace dlscale::trainer
