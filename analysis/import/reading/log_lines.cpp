// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/log_lines.hpp"

#include <charconv>
#include <chrono>
#include <cmath>

namespace dlscale::analysis {

void TextScanner::skip_blanks() {
  const std::size_t at = rest_.find_first_not_of(" \t");
  rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
}

bool TextScanner::number(double& value) {
  skip_blanks();
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return false;
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return true;
}

bool TextScanner::loss(double& value) {
  skip_blanks();
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc()) return false;
  if (!std::isfinite(value)) value = HUGE_VAL;
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return true;
}

bool TextScanner::integer(std::int64_t& value) {
  skip_blanks();
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc()) return false;
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  const bool goes_on = rest_.size() > 1 && rest_[0] == '.' && rest_[1] >= '0' && rest_[1] <= '9';
  return !goes_on;
}

std::string_view TextScanner::until(std::string_view any_of) {
  const std::string_view found = rest_.substr(0, rest_.find_first_of(any_of));
  rest_.remove_prefix(found.size());
  return found;
}

bool date_and_time(TextScanner& scanner, double& seconds) {
  std::int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  const bool has_day = scanner.integer(year) && scanner.skip("-") && scanner.integer(month) &&
                       scanner.skip("-") && scanner.integer(day);
  if (!has_day || !scanner.integer(hour) || !scanner.skip(":") || !scanner.integer(minute) ||
      !scanner.skip(":") || !scanner.number(second) || year < 1970 || year > 9999) {
    return false;
  }
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  seconds = 86400.0 * static_cast<double>(days) + 3600.0 * static_cast<double>(hour) +
            60.0 * static_cast<double>(minute) + second;
  std::int64_t milliseconds = 0;
  if (scanner.rest().starts_with(',') && scanner.skip(",") && scanner.integer(milliseconds)) {
    seconds += static_cast<double>(milliseconds) / 1000;
  }
  return true;
}

bool whole_number(std::string_view text, double& value) {
  TextScanner scanner(text);
  if (!scanner.number(value)) return false;
  scanner.skip_blanks();
  return scanner.rest().empty();
}

bool whole_loss(std::string_view text, double& value) {
  TextScanner scanner(text);
  if (!scanner.loss(value)) return false;
  scanner.skip_blanks();
  return scanner.rest().empty();
}

void append_process_mark(int rank, std::string_view host, std::string& text) {
  text += kProcessMark;
  text += std::to_string(rank);
  text += kEndOfMark;
  text.append(host);
  text += kEndOfMark;
}

void LogLines::take_mark() {
  const std::string_view text = line_.text;
  int rank = -1;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), rank);
  const std::size_t behind_rank = text.find(kEndOfMark);
  const std::size_t behind_host = text.find(kEndOfMark, behind_rank + 1);
  const bool is_mark = error == std::errc() && behind_rank != text.npos &&
                       behind_host != text.npos && end == text.data() + behind_rank;
  if (!is_mark) return;
  line_.rank = rank;
  line_.host = text.substr(behind_rank + 1, behind_host - behind_rank - 1);
  line_.text.remove_prefix(behind_host + 1);
}

}  // namespace dlscale::analysis
