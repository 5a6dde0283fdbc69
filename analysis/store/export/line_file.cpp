// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/export/line_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace dlscale::analysis {

LineFile::LineFile(std::filesystem::path path)
    : path_(std::move(path)), out_(path_, std::ios::binary) {
  if (out_) return;
  throw base::RunError(fmt::format("{}: {}", path_.string(), std::strerror(errno)));
}

void LineFile::close() {
  if (!out_.is_open()) return;
  out_.close();
  if (out_) return;
  throw base::RunError(fmt::format("{}: cannot be written (is the disk full?)", path_.string()));
}

}  // namespace dlscale::analysis
