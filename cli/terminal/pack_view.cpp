// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/pack_view.hpp"

#include <unistd.h>

#include <iostream>

namespace dlscale::cli {
namespace {

constexpr double kPackRedraw_s = 0.2;

}  // namespace

PackView::PackView(const base::Clock& clock)
    : clock_(clock), terminal_(terminal_of(STDERR_FILENO)), line_(std::cerr, terminal_) {}

void PackView::begin(const std::string& file, const std::string& things) {
  state_ = {.now = file, .things = things};
  start_s_ = clock_.steady_s();
  drawn_s_ = start_s_;
}

void PackView::show(std::int64_t done, std::int64_t total) {
  if (signals_.count() > 0) throw Interrupted{};
  const double now_s = clock_.steady_s();
  if (!terminal_.is_tty || now_s - drawn_s_ < kPackRedraw_s) return;
  drawn_s_ = now_s;
  state_.done = static_cast<int>(done);
  state_.total = static_cast<int>(total);
  state_.elapsed_s = now_s - start_s_;
  const auto left = static_cast<double>(total - done);
  state_.rest_s = done > 0 ? state_.elapsed_s * left / static_cast<double>(done) : 0;
  line_.show(progress_line(state_, terminal_.columns));
}

void PackView::complain(const std::string& line) {
  ++state_.failed;
  line_.print_above(line + "\n");
}

}  // namespace dlscale::cli
