// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace dlscale::trainer {
namespace {

constexpr int kBarWidth = 20;
constexpr const char* kEraseLine = "\r\x1b[K";

}  // namespace

std::string progress_text(int done, int all, const std::string& what, double left_s) {
  const int filled = kBarWidth * std::min(done, all) / std::max(all, 1);
  std::string text = fmt::format("[{}{}] {}/{} {}", std::string(filled, '#'),
                                 std::string(kBarWidth - filled, '-'), done, all, what);
  if (left_s > 0) text += fmt::format(", {} left", base::clock_time(left_s));
  return text;
}

bool ProgressLine::is_on_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

ProgressLine::ProgressLine(const base::Clock& clock, bool shown)
    : clock_(clock), shown_(shown), start_s_(clock.steady_s()) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(int done, int all, const std::string& what, int skipped) {
  if (!shown_) return;
  const int timed = done - skipped;
  const double passed_s = clock_.steady_s() - start_s_;
  const double left_s = timed > 0 ? passed_s / timed * (all - done) : 0;
  fmt::print(stderr, "{}{}", kEraseLine, progress_text(done, all, what, left_s));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "{}", kEraseLine);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace dlscale::trainer
