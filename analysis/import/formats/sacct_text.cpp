// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/sacct_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "analysis/import/reading/log_lines.hpp"
#include "base/text.hpp"

namespace dlscale::analysis::sacct {
namespace {

/// Calls `visit(name, value)` for each "name=value" between commas.
template <class Visit>
void each_resource(std::string_view tres, Visit visit) {
  for (const std::string_view one : base::split(tres, ',')) {
    const std::size_t equals = one.find('=');
    if (equals != one.npos) visit(one.substr(0, equals), one.substr(equals + 1));
  }
}

std::int64_t count_of(std::string_view text) {
  TextScanner scanner(text);
  std::int64_t count = 0;
  return scanner.integer(count) && count > 0 && count < 100'000'000 ? count : 0;
}

}  // namespace

std::optional<double> duration(std::string_view text) {
  std::int64_t days = 0;
  if (const std::size_t dash = text.find('-'); dash != text.npos) {
    TextScanner scanner(text.substr(0, dash));
    if (!scanner.integer(days) || !scanner.rest().empty() || days < 0) return std::nullopt;
    text.remove_prefix(dash + 1);
  }
  double total = 0;
  for (int parts = 1;; ++parts) {
    const std::string_view part = text.substr(0, text.find(':'));
    double value = 0;
    if (parts > 3 || !whole_number(part, value) || value < 0 || value >= 1e9) return std::nullopt;
    total = 60 * total + value;
    if (part.size() == text.size()) {
      if (parts < 2) return std::nullopt;
      return 86400 * static_cast<double>(days) + total;
    }
    text.remove_prefix(part.size() + 1);
  }
}

std::optional<double> clock_time(std::string_view text) {
  namespace ch = std::chrono;
  TextScanner scanner(text);
  std::int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  const bool good = scanner.integer(year) && scanner.skip("-") && scanner.integer(month) &&
                    scanner.skip("-") && scanner.integer(day) && scanner.skip("T") &&
                    scanner.integer(hour) && scanner.skip(":") && scanner.integer(minute) &&
                    scanner.skip(":") && scanner.integer(second);
  const bool small = year >= 1970 && year < 10'000 && month >= 1 && month <= 12 && day >= 1 &&
                     day <= 31 && hour >= 0 && hour < 25 && minute >= 0 && minute < 60;
  if (!good || !small || second < 0 || second > 60) return std::nullopt;
  const ch::year_month_day date{ch::year(static_cast<int>(year)),
                                ch::month(static_cast<unsigned>(month)),
                                ch::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto days = ch::sys_days(date).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) +
         static_cast<double>(3600 * hour + 60 * minute + second);
}

std::string_view known_time(std::string_view text) {
  const bool is_unknown = text == "Unknown" || text == "None" || text == "N/A";
  return is_unknown ? std::string_view() : text;
}

std::optional<double> energy(std::string_view text) {
  TextScanner scanner(text);
  double joules = 0;
  if (!scanner.number(joules) || joules < 0) return std::nullopt;
  const std::string_view rest = scanner.rest();
  constexpr std::string_view kUnits = "KMGTP";
  const std::size_t unit = rest.size() == 1 ? kUnits.find(rest.front()) : kUnits.npos;
  if (unit == kUnits.npos && !rest.empty()) return std::nullopt;
  for (std::size_t i = 0; unit != kUnits.npos && i <= unit; ++i) joules *= 1000;
  return joules;
}

std::optional<Memory> memory(std::string_view text, double unit_bytes) {
  TextScanner scanner(text);
  Memory found;
  if (!scanner.number(found.bytes) || found.bytes < 0) return std::nullopt;
  std::string_view rest = scanner.rest();
  constexpr std::string_view kUnits = "KMGTP";
  const std::size_t unit = rest.empty() ? kUnits.npos : kUnits.find(rest.front());
  if (unit != kUnits.npos) rest.remove_prefix(1);
  if (unit == kUnits.npos) found.bytes *= unit_bytes;
  for (std::size_t i = 0; unit != kUnits.npos && i <= unit; ++i) found.bytes *= 1024;
  if (!rest.empty() && (rest.front() == 'c' || rest.front() == 'n')) {
    found.each = rest.front();
    rest.remove_prefix(1);
  }
  return rest.empty() && found.bytes < 1e18 ? std::optional(found) : std::nullopt;
}

std::optional<std::string_view> resource(std::string_view tres, std::string_view name) {
  std::optional<std::string_view> found;
  each_resource(tres, [&](std::string_view own, std::string_view value) {
    if (own == name) found = value;
  });
  return found;
}

std::optional<std::int64_t> gpus_of(std::string_view tres) {
  if (tres.empty()) return std::nullopt;
  if (const auto all = resource(tres, "gres/gpu")) return count_of(*all);
  std::int64_t sum = 0;
  each_resource(tres, [&](std::string_view name, std::string_view value) {
    if (name.starts_with("gres/gpu:")) sum += count_of(value);
  });
  return sum;
}

namespace {

/// Removes the first item from a list and returns it. Commas within brackets belong to an item.
std::string_view take_item(std::string_view& list) {
  std::size_t end = 0;
  for (int depth = 0; end < list.size() && (depth > 0 || list[end] != ','); ++end) {
    if (list[end] == '[' || list[end] == '(') ++depth;
    if (list[end] == ']' || list[end] == ')') --depth;
  }
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return item;
}

/// Reads the text after "gpu" in "gpu:a100:4", "gpu:4", "gpu=4" and "gpu".
GpuRequest read_gpus(std::string_view text, Each each) {
  GpuRequest request{each, 1, true};
  if (text.empty()) return request;
  const std::string_view number = text.substr(text.find_last_of(":=") + 1);
  const bool is_count = number.find_first_not_of("0123456789") == number.npos;
  const bool has_form = text.front() == ':' || text.front() == '=';
  const bool has_kind = text.find_first_of(":=", 1) != text.npos;
  request.is_known = has_form && !number.empty() && (is_count || !has_kind);
  if (is_count && request.is_known) request.count = count_of(number);
  return request;  // "gpu:a100" is one GPU
}

/// Returns how many names the text between two brackets stands for: 12 for "01-12", 2 for "1,7".
std::optional<std::int64_t> numbers_in(std::string_view list) {
  std::int64_t sum = 0;
  if (list.ends_with(',')) list.remove_suffix(1);
  for (const std::string_view one : base::split(list, ',')) {
    const std::size_t dash = one.find('-');
    double first = 0, last = 0;
    if (!whole_number(one.substr(0, dash), first)) return std::nullopt;
    last = first;
    if (dash != one.npos && !whole_number(one.substr(dash + 1), last)) return std::nullopt;
    if (last < first || last - first > 1e6) return std::nullopt;
    sum += std::llround(last - first) + 1;
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

/// Returns how many nodes one name stands for. The name may contain several lists of numbers:
/// "rack[1-2]n[01-08]".
std::optional<std::int64_t> nodes_of_name(std::string_view name) {
  std::int64_t product = 1;
  for (std::size_t open = name.find('['); open != name.npos; open = name.find('[')) {
    const std::size_t close = name.find(']', open);
    if (close == name.npos) return std::nullopt;
    const auto numbers = numbers_in(name.substr(open + 1, close - open - 1));
    if (!numbers || *numbers > 1'000'000) return std::nullopt;
    product *= *numbers;
    if (product > 10'000'000) return std::nullopt;
    name.remove_prefix(close + 1);
  }
  return product;
}

}  // namespace

std::vector<GpuRequest> gpu_requests(std::string_view gres) {
  constexpr std::pair<std::string_view, Each> kCounted[] = {
      {"PER_NODE:", Each::node}, {"PER_TASK:", Each::task}, {"PER_JOB:", Each::job}};
  std::vector<GpuRequest> requests;
  while (!gres.empty()) {
    std::string_view one = take_item(gres);
    one = one.substr(0, one.find('('));  // removes the sockets of "gpu:4(S:0,1)"
    Each each = Each::node;
    for (const auto& [word, means] : kCounted) {
      if (!one.starts_with(word)) continue;
      each = means;
      one.remove_prefix(word.size());
    }
    if (one.starts_with("gres:") || one.starts_with("gres/")) one.remove_prefix(5);
    const bool is_gpu =
        one.starts_with("gpu") && (one.size() == 3 || one[3] == ':' || one[3] == '=');
    if (is_gpu) {
      requests.push_back(read_gpus(one.substr(3), each));
    } else if (one.find("gpu") != one.npos) {
      requests.push_back({each, 0, false});
    }
  }
  return requests;
}

std::optional<std::int64_t> count(std::string_view text) {
  constexpr std::string_view kUnits = "KMGTP";
  const std::size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.back());
  if (unit != kUnits.npos) text.remove_suffix(1);
  double number = 0;
  const bool good = unit == kUnits.npos ? whole_number(text, number)
                                        : TextScanner(text).number(number) && !text.empty();
  for (std::size_t i = 0; unit != kUnits.npos && i <= unit; ++i) number *= 1024;
  const bool is_count = good && number >= 0 && number < 1e9 && number == std::round(number);
  return is_count ? std::optional(std::llround(number)) : std::nullopt;
}

std::optional<std::int64_t> nodes_in(std::string_view list) {
  if (list.empty() || list.find(' ') != list.npos || list == "None") return std::nullopt;
  std::int64_t sum = 0;
  while (!list.empty()) {
    const auto nodes = nodes_of_name(take_item(list));
    if (!nodes) return std::nullopt;
    sum += *nodes;
  }
  return sum;
}

namespace {

using contract::RunOutcome;

constexpr std::string_view kXdmod =
    "jobid|jobidraw|cluster|partition|qos|account|group|gid|user|uid|submit|eligible|start|end|"
    "elapsed|exitcode|state|nnodes|ncpus|reqcpus|reqmem|reqtres|alloctres|timelimit|nodelist|"
    "jobname";

/// Names of the fields that sacct --helpformat lists. With these names the parser recognises
/// headings that use an unusual delimiter.
constexpr std::string_view kFields =
    " account admincomment alloccpus allocgres allocnodes alloctres associd avecpu avecpufreq "
    "avediskread avediskwrite avepages averss avevmsize blockid cluster comment constraints "
    "consumedenergy consumedenergyraw container cputime cputimeraw dbindex derivedexitcode elapsed "
    "elapsedraw eligible end exitcode extra failednode flags gid group jobid jobidraw jobname "
    "layout "
    "licenses maxdiskread maxdiskreadnode maxdiskreadtask maxdiskwrite maxdiskwritenode "
    "maxdiskwritetask maxpages maxpagesnode maxpagestask maxrss maxrssnode maxrsstask maxvmsize "
    "maxvmsizenode maxvmsizetask mcslabel mincpu mincpunode mincputask ncpus nnodes nodelist "
    "ntasks "
    "partition planned plannedcpu plannedcpuraw priority qos qosraw qosreq reason reqcpufreq "
    "reqcpufreqgov reqcpufreqmax reqcpufreqmin reqcpus reqgres reqmem reqnodes reqtres reservation "
    "reservationid reserved resvcpu resvcpuraw restarts sluid start state stderr stdin stdout "
    "submit "
    "submitline suspended systemcomment systemcpu timelimit timelimitraw totalcpu tresusageinave "
    "tresusageinmax tresusageinmaxnode tresusageinmaxtask tresusageinmin tresusageinminnode "
    "tresusageinmintask tresusageintot tresusageoutave tresusageoutmax tresusageoutmaxnode "
    "tresusageoutmaxtask tresusageoutmin tresusageoutminnode tresusageoutmintask tresusageouttot "
    "uid "
    "user usercpu wckey wckeyid workdir ";

/// Columns whose text may contain the delimiter.
constexpr std::array<std::string_view, 12> kFreeTexts{
    "jobname", "comment", "admincomment", "systemcomment", "submitline", "workdir",
    "extra",   "reason",  "constraints",  "stdin",         "stdout",     "stderr"};
/// Columns that contain lists with commas.
constexpr std::array<std::string_view, 6> kLists{"alloctres", "reqtres",  "allocgres",
                                                 "reqgres",   "licenses", "nodelist"};
constexpr std::array<std::string_view, 6> kDurations{"elapsed", "timelimit", "totalcpu",
                                                     "cputime", "systemcpu", "usercpu"};
constexpr std::array<std::string_view, 10> kNumbers{
    "elapsedraw", "timelimitraw", "cputimeraw", "consumedenergyraw", "nnodes",
    "ncpus",      "alloccpus",    "reqcpus",    "allocnodes",        "uid"};

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_field(std::string_view name) {
  return !name.empty() && kFields.find(fmt::format(" {} ", name)) != kFields.npos;
}

/// Returns the text between the first two fields of a heading, or an empty text if there are fewer
/// than two fields.
std::string_view delimiter_in(std::string_view heading) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
  const std::size_t begin = std::min(heading.find_first_not_of(kLetters), heading.size());
  const std::size_t end = std::min(heading.find_first_of(kLetters, begin), heading.size());
  return heading.substr(begin, end - begin);
}

/// Returns true for words without digits that replace a time: "UNLIMITED", "Partition_Limit",
/// "INVALID".
bool is_word(std::string_view cell) {
  return cell.find_first_of("0123456789") == cell.npos;
}

/// Returns true if a cell may belong to this column.
bool may_be(std::string_view name, std::string_view cell) {
  double number = 0;
  if (name == "state") return state_of(cell) != nullptr;
  if (name == "jobid" || name == "jobidraw")
    return !cell.empty() && cell[0] >= '0' && cell[0] <= '9';
  if (cell.empty()) return true;
  if (is_one_of(kDurations, name)) return is_word(cell) || duration(cell).has_value();
  if (is_one_of(kNumbers, name)) return is_word(cell) || whole_number(cell, number);
  if (name == "exitcode" || name == "derivedexitcode") {
    return cell.find_first_not_of("0123456789:") == cell.npos;
  }
  if (name == "submit" || name == "start" || name == "end" || name == "eligible") {
    return is_word(cell) || cell.find_first_of("0123456789") != cell.npos;
  }
  if (name == "reqmem" || name == "maxrss") return memory(cell).has_value();
  if (name == "alloctres" || name == "reqtres") {
    const Row parts = base::split(cell, ",");
    return std::all_of(parts.begin(), parts.end(),
                       [](std::string_view part) { return part.find('=') != part.npos; });
  }
  if (name == "nodelist") {
    return cell.find('=') == cell.npos &&
           std::count(cell.begin(), cell.end(), '[') == std::count(cell.begin(), cell.end(), ']');
  }
  return true;
}

/// Joins cells that were split because a text contains the delimiter. The cells are joined only if
/// exactly one way of joining them fits all columns.
class Joiner {
 public:
  Joiner(const std::vector<std::string>& names, const Row& pieces, bool lists_may_be_parted)
      : names_(names), pieces_(pieces), lists_may_be_parted_(lists_may_be_parted) {}

  /// Returns the number of possible ways to join the cells, at most two. `row` receives the cells
  /// of the last way.
  int find(Row& row) {
    Row under_way;
    place(0, under_way, row);
    return readings_;
  }

 private:
  void place(std::size_t piece, Row& under_way, Row& row) {
    const std::size_t column = under_way.size();
    if (readings_ > 1) return;
    if (column == names_.size()) {
      if (piece != pieces_.size()) return;
      ++readings_;
      row = under_way;
      return;
    }
    const std::string& name = names_[column];
    const bool is_free =
        is_one_of(kFreeTexts, name) || (lists_may_be_parted_ && is_one_of(kLists, name));
    const std::size_t columns_left = names_.size() - column;
    for (std::size_t last = piece; last + columns_left <= pieces_.size(); ++last) {
      const std::string_view first = pieces_[piece];
      const std::string_view cell(
          first.data(),
          static_cast<std::size_t>(pieces_[last].data() - first.data()) + pieces_[last].size());
      if (may_be(name, cell)) {
        under_way.push_back(cell);
        place(last + 1, under_way, row);
        under_way.pop_back();
      }
      if (!is_free) break;
    }
  }

  const std::vector<std::string>& names_;
  const Row& pieces_;
  bool lists_may_be_parted_;
  int readings_ = 0;
};

constexpr std::array kStates{
    State{"COMPLETED", RunOutcome::Completed},       State{"FAILED", RunOutcome::Failed},
    State{"TIMEOUT", RunOutcome::TimedOut},          State{"DEADLINE", RunOutcome::TimedOut},
    State{"OUT_OF_MEMORY", RunOutcome::OutOfMemory}, State{"NODE_FAIL", RunOutcome::NodeFailed},
    State{"BOOT_FAIL", RunOutcome::NodeFailed},      State{"LAUNCH_FAILED", RunOutcome::NodeFailed},
    State{"RECONFIG_FAIL", RunOutcome::NodeFailed},  State{"PREEMPTED", RunOutcome::Preempted},
    State{"CANCELLED", RunOutcome::Cancelled},       State{"REVOKED", RunOutcome::Cancelled},
    State{"PENDING", RunOutcome::Lost, false},       State{"RUNNING", RunOutcome::Lost, false},
    State{"SUSPENDED", RunOutcome::Lost, false},     State{"STOPPED", RunOutcome::Lost, false},
    State{"REQUEUED", RunOutcome::Lost, false},      State{"RESIZING", RunOutcome::Lost, false},
    State{"COMPLETING", RunOutcome::Lost, false},    State{"CONFIGURING", RunOutcome::Lost, false},
};

/// Returns true for a table with columns of fixed width, which has a line of dashes below its
/// heading.
bool is_padded(std::string_view head) {
  LogLines lines(head);
  if (!lines.next()) return false;
  const std::string heading = base::lower(base::trimmed(lines.line().text));
  const bool names_jobs =
      heading.find("jobid") != heading.npos && heading.find('|') == heading.npos;
  if (!names_jobs || heading.find(' ') == heading.npos || !lines.next()) return false;
  const std::string_view rule = base::trimmed(lines.line().text);
  return !rule.empty() && rule.find_first_not_of("- ") == rule.npos;
}

}  // namespace

const State* state_of(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  const auto* const found = std::find_if(kStates.begin(), kStates.end(),
                                         [&](const State& one) { return one.word == word; });
  return found == kStates.end() ? nullptr : found;
}

bool Columns::set_heading(std::string_view heading) {
  const auto accept_delimiter = [&](std::string_view delimiter, bool only_fields) {
    std::vector<std::string> names;
    Row cells = base::split(heading, delimiter);
    // sacct --parsable ends each line with a delimiter, so the last cell is empty.
    if (cells.back().empty()) cells.pop_back();
    for (const std::string_view name : cells) {
      if (name.empty() || (only_fields && !is_field(name))) return false;
      names.emplace_back(name);
    }
    const auto has = [&](std::string_view name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!has("state") || (!has("jobid") && !has("jobidraw"))) return false;
    names_ = std::move(names);
    delimiter_ = delimiter;
    return true;
  };
  if (accept_delimiter("|", false)) return true;
  const std::string_view delimiter = delimiter_in(heading);
  return !base::trimmed(delimiter).empty() || delimiter == "\t" ? accept_delimiter(delimiter, true)
                                                                : false;
}

bool Columns::learn(std::string_view line) {
  if (set_heading(base::lower(line))) return true;
  delimiter_ = "|";
  names_.clear();
  for (const std::string_view name : base::split(kXdmod, "|")) names_.emplace_back(name);
  Row row;
  if (!split(line, row).empty() || !is_row(row)) names_.clear();
  return false;
}

bool Columns::learn_again(std::string_view line) {
  constexpr std::string_view kDigits = "0123456789";
  // Headings have no digits, and almost all other lines begin with a digit.
  if (line.empty() || line.find_first_of(kDigits) != line.npos) return false;
  return set_heading(base::lower(line));
}

bool Columns::is_table_line(std::string_view line) const {
  return line.find(delimiter_) != line.npos;
}

std::string Columns::split(std::string_view line, Row& row) const {
  row = base::split(line, delimiter_);
  // sacct --parsable ends each line with a delimiter, so the last cell is empty.
  if (row.size() > names_.size() && row.back().empty()) row.pop_back();
  if (row.size() == names_.size()) return "";
  if (row.size() < names_.size()) {
    return fmt::format("has {} of {} columns", row.size(), names_.size());
  }
  const Row pieces = row;
  const int readings = Joiner(names_, pieces, delimiter_ == ",").find(row);
  if (readings == 1) return "";
  return fmt::format(
      "has {} instead of {} columns, and a \"{}\" inside a text {}", pieces.size(), names_.size(),
      delimiter_,
      readings == 0 ? "cannot belong to any column" : "could belong to several columns");
}

std::string_view Columns::operator()(const Row& row, std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return {};
  const auto at = static_cast<std::size_t>(found - names_.begin());
  return at < row.size() ? row[at] : std::string_view();
}

std::string_view Columns::job_id(const Row& row) const {
  const std::string_view id = (*this)(row, "jobid");
  return id.empty() ? (*this)(row, "jobidraw") : id;
}

bool Columns::is_row(const Row& row) const {
  const std::string_view id = job_id(row);
  return !id.empty() && id[0] >= '0' && id[0] <= '9' && state_of((*this)(row, "state")) != nullptr;
}

std::string unreadable_form(std::string_view head) {
  if (is_padded(head)) {
    return "the fixed-width table of sacct truncates values: run sacct with --parsable2";
  }
  const bool is_json = base::trimmed(head.substr(0, 64)).starts_with('{') &&
                       head.find("\"jobs\"") != head.npos &&
                       head.find("\"allocation_nodes\"") != head.npos;
  return is_json ? "the JSON output of sacct differs between versions of SLURM and is not "
                   "supported: run sacct with --parsable2 and --format instead of --json"
                 : "";
}

}  // namespace dlscale::analysis::sacct
