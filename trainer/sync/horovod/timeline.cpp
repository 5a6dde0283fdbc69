// SPDX-License-Identifier: Apache-2.0
// Writer of Chrome trace events: https://chromium.googlesource.com/catapult, "Trace Event Format".
#include "trainer/sync/horovod/timeline.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace dlscale::trainer::horovod {
namespace {

std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20) {
      result += fmt::format("\\u{:04x}", code);
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace

Timeline::Timeline(const std::filesystem::path& path, const base::Clock& clock)
    : file_(path), clock_(clock), start_s_(clock.steady_s()) {
  if (!file_) throw base::RunError(fmt::format("{}: cannot be written", path.string()));
  file_ << "[\n";
}

Timeline::~Timeline() {
  file_ << "\n]\n";
}

void Timeline::begin_negotiation(const std::string& tensor) {
  Row& row = row_of(tensor);
  if (row.is_negotiated) return;
  row.is_negotiated = true;
  event('B', row.number, "NEGOTIATE_ALLREDUCE");
}

void Timeline::rank_ready(const std::string& tensor, int rank) {
  event('i', row_of(tensor).number, std::to_string(rank));
}

void Timeline::end_negotiation(const std::string& tensor) {
  Row& row = row_of(tensor);
  if (row.is_negotiated) event('E', row.number, "");
  row.is_negotiated = false;
}

void Timeline::begin(const std::vector<std::string>& tensors) {
  begin_activity(tensors, "ALLREDUCE");
}

void Timeline::begin_activity(const std::vector<std::string>& tensors, std::string_view activity) {
  for (const std::string& tensor : tensors) event('B', row_of(tensor).number, activity);
}

void Timeline::end_activity(const std::vector<std::string>& tensors) {
  for (const std::string& tensor : tensors) event('E', row_of(tensor).number, "");
}

void Timeline::end(const std::vector<std::string>& tensors) {
  end_activity(tensors);
}

Timeline::Row& Timeline::row_of(const std::string& tensor) {
  const auto [place, is_new] = rows_.try_emplace(tensor, Row{static_cast<int>(rows_.size()) + 1});
  if (is_new) {
    write(fmt::format(R"({{"ph": "M", "pid": {}, "name": "process_name", "args": {{"name": {}}}}})",
                      place->second.number, json_text(tensor)));
  }
  return place->second;
}

void Timeline::event(char phase, int row, std::string_view name) {
  if (cycle_s_) write_event('i', 0, "CYCLE_START", *cycle_s_);
  cycle_s_.reset();
  write_event(phase, row, name, clock_.steady_s());
}

void Timeline::write_event(char phase, int row, std::string_view name, double time_s) {
  const double since_us = (time_s - start_s_) * 1e6;
  const std::string named = name.empty() ? "" : fmt::format(R"("name": {}, )", json_text(name));
  write(fmt::format(R"({{"ph": "{}", {}"ts": {:.0f}, "pid": {}, "tid": 0}})", phase, named,
                    since_us, row));
}

void Timeline::write(const std::string& text) {
  if (!is_first_) file_ << ",\n";
  is_first_ = false;
  file_ << text;
}

}  // namespace dlscale::trainer::horovod
