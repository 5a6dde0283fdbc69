// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/nccl_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {

void words_of(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  for (const char *at = line.data(), *end = at + line.size(); at != end;) {
    const char* const first = at;
    while (at != end && !is_blank(*at)) ++at;
    if (at != first) words.emplace_back(first, static_cast<std::size_t>(at - first));
    while (at != end && is_blank(*at)) ++at;
  }
}

std::string collective_of(std::string_view program) {
  program = program.substr(0, program.find_first_of(" \t\r"));
  program = program.substr(program.rfind('/') + 1);  // rfind() + 1 is 0 if there is no slash
  if (program.ends_with("_perf")) program.remove_suffix(5);
  return std::string(program);
}

std::optional<NcclColumns> nccl_columns_of(std::string_view heading) {
  if (!heading.starts_with('#') || heading.find("algbw") == heading.npos) return std::nullopt;
  std::vector<std::string_view> names;
  words_of(heading.substr(1), names);
  if (names.size() < 9 || names[0] != "size" || names[1] != "count") return std::nullopt;
  NcclColumns columns;
  std::size_t found = 0;
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const std::string_view name = names[static_cast<std::size_t>(i)];
    if (name == "redop") columns.redop = i;
    if (name == "root") columns.root = i;
    if (name == "time" || name == "cputime") {
      if (++found > 2) return std::nullopt;
      columns.ways[found - 1].time = i;
    }
    if (found == 0) continue;
    NcclColumns::Way& way = columns.ways[found - 1];
    if (name == "algbw") way.algbw = i;
    if (name == "busbw") way.busbw = i;
    if (name == "#wrong" || name == "error") way.wrong = i;
    if (name != "timestamp") columns.all = i + 1;
  }
  const auto is_whole = [](const NcclColumns::Way& way) { return way.algbw > 0 && way.busbw > 0; };
  const bool whole = found == 2 && is_whole(columns.ways[0]) && is_whole(columns.ways[1]);
  return whole ? std::optional(columns) : std::nullopt;
}

// NcclTestsLogReader reads the output of nccl-tests (NVIDIA/nccl-tests, src/common.cu,
// src/util.cu). The output is the text of all_reduce_perf, all_gather_perf, … or JSON (-J, from
// 2.16 on). rccl-tests print the same output. A row describes one message size. It states the mean
// time of an iteration (without the warm-up iterations), algbw = size / time, and busbw = algbw
// times the factor of the collective. The row states these numbers first for the out-of-place
// operation and then for the in-place operation. If a log contains several tests ("# Collective
// test starting: …"), each test is a run of its own. Only logs of 2.16 and later state the
// collective.

namespace {

constexpr std::string_view kStarting = "# Collective test starting: ";
constexpr std::string_view kOptions = "# nThread ";
constexpr std::string_view kVersion = "# nccl-tests version ";
constexpr double kLongestUs = 1e12;
constexpr double kFastestGb = 1e6;
/// Maximum relative difference between algbw and size / time, in addition to rounding errors.
constexpr double kDisagreement = 0.05;

/// Returns true for a failure of any rank, such as
/// "host: Test NCCL failure common.cu:1005 'unhandled system error'".
bool is_failure(std::string_view text) {
  constexpr std::string_view kFailure = "failure ";
  for (std::size_t at = text.find(kFailure); at != text.npos; at = text.find(kFailure, at + 1)) {
    const std::string_view before = text.substr(0, at);
    for (const char* mark : {"NCCL ", "Test CUDA ", ": Test ", "Cuda "}) {
      if (before.ends_with(mark)) return true;
    }
  }
  return false;
}

class NcclTestsLogReader {
 public:
  explicit NcclTestsLogReader(const contract::RunSpec& run) : log_(run, "nccl-tests") {}

  void read_line(const LogLine& line) {
    const std::string_view text = line.text;
    if (first_.empty() && text.find_first_not_of(" \t") != text.npos) {
      first_ = text.substr(0, 200);
      first_number_ = line.number;
    }
    if (text.starts_with('#')) {
      if (line.complete) take_comment(text);
    } else if (columns_ && begins_with_count(text)) {
      take_row(line);
    } else if (line.complete && is_failure(text)) {
      log_.stop(contract::RunOutcome::Failed, std::string(text.substr(0, 200)));
    }
  }

  void take_json(std::string_view text, std::size_t begins);

  LogContent finish() {
    if (!known_ && !first_.empty()) {
      log_.at(first_number_);
      log_.skip(
          fmt::format("contains no output of nccl-tests; the file begins with \"{}\"", first_));
    }
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  /// Returns true if a line begins with a message size, which is a word of digits. Lines of other
  /// programs may begin with dates and times, which do not match.
  static bool begins_with_count(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    const std::size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at > first && (at == text.size() || text[at] == ' ' || text[at] == '\t');
  }

  void take_comment(std::string_view text) {
    known_ = known_ || text.starts_with(kOptions) || text.starts_with(kVersion);
    TextScanner scanner(text);
    if (scanner.skip(kStarting)) {
      name(collective_of(scanner.rest()));
    } else if (scanner.skip("#  Rank") || scanner.skip("# Rank")) {
      take_rank(scanner);
    } else if (text.starts_with(kVersion) && scanner.find("nccl-library=")) {
      log_.start().environment["nccl"] = std::string(scanner.until(" "));
    } else if (const auto columns = nccl_columns_of(text)) {
      columns_ = columns;
    } else if (scanner.skip("# Out of bounds values")) {
      const bool good = text.find(" OK") != std::string_view::npos;
      log_.stop(good ? contract::RunOutcome::Completed : contract::RunOutcome::Failed,
                good ? "" : std::string(text.substr(2)));
    }
  }

  void name(std::string collective) {
    collective_ = std::move(collective);
    log_.fact("collective", collective_);
  }

  /// Reads "  0 Group  0 Pid  36291 on x3006 device  0 [0x07] NVIDIA A100-SXM4-40GB".
  void take_rank(TextScanner scanner) {
    std::int64_t rank = 0;
    if (!scanner.integer(rank) || rank < 0 || rank > 10'000'000) return;
    if (!scanner.find(" on ")) return;
    scanner.skip_blanks();
    const std::string host(scanner.until(" "));
    if (!scanner.find("] ")) return;
    add_rank(host, std::string(scanner.rest()));
  }

  void add_rank(const std::string& host, const std::string& gpu) {
    log_.start().hosts.push_back(host);
    nodes_.insert(host);
    if (gpus_.insert(gpu).second) {
      std::string& known = log_.start().environment["gpu"];
      known += (known.empty() ? "" : " and ") + gpu;
    }
    ranks_told_ = true;
  }

  /// Records the numbers of ranks and nodes. The log lists all ranks before the first row.
  void count_ranks() {
    if (!std::exchange(ranks_told_, false)) return;
    contract::RunStart& start = log_.start();
    start.world_size = static_cast<int>(start.hosts.size());
    start.nodes = static_cast<int>(nodes_.size());
    log_.fact("gpus", start.world_size);
    log_.fact("nodes", start.nodes);
  }

  void take_row(const LogLine& line) {
    const std::vector<std::string_view>& cells = words_;
    words_of(line.text, words_);
    const int all = columns_->all;
    // When a trace is replayed, the out-of-place columns may be blank. The row then has four words
    // fewer.
    const int missing = all - static_cast<int>(cells.size());
    const int way_width = columns_->ways[1].time - columns_->ways[0].time;
    if (!line.complete) return log_.cut_off();
    if (missing > 0 && missing != way_width) {
      return log_.skip(
          fmt::format("has only {} of the {} columns of nccl-tests", cells.size(), all));
    }
    count_ranks();
    for (std::size_t i = missing > 0 ? 1 : 0; i < 2; ++i) {
      if (!take_way(cells, i, missing > 0 ? way_width : 0)) return;
    }
  }

  bool take_way(const std::vector<std::string_view>& cells, std::size_t way, int shift) {
    const auto cell = [&](int column) {
      return column < 0 ? std::string_view() : cells[static_cast<std::size_t>(column)];
    };
    const NcclColumns::Way& at = columns_->ways[way];
    CollectiveResult result{.in_place = way == 1};
    double size = -1, count = -1, time_us = -1, root = -1;
    const bool good = whole_number(cell(columns_->size), size) &&
                      whole_number(cell(columns_->count), count) &&
                      whole_number(cell(at.time - shift), time_us) &&
                      whole_number(cell(at.algbw - shift), result.algbw_gb_per_s) &&
                      whole_number(cell(at.busbw - shift), result.busbw_gb_per_s);
    if (!good) return log_.skip("is not a row of the table of nccl-tests"), false;
    result.type = cell(columns_->type);
    result.redop = cell(columns_->redop);
    if (whole_number(cell(columns_->root), root)) result.root = clamped(root);
    if (at.wrong >= 0 && !whole_number(cell(at.wrong - shift), result.wrong)) {
      result.wrong = std::nan("");  // the log states "N/A"
    }
    return add(std::move(result), size, count, time_us);
  }

  static int clamped(double root) { return static_cast<int>(std::clamp(root, -1.0, 1e7)); }

  bool add(CollectiveResult result, double size, double count, double time_us) {
    const bool can_be = size >= 0 && size <= 1e15 && count >= 0 && count <= 1e15 && time_us > 0 &&
                        time_us <= kLongestUs && result.algbw_gb_per_s >= 0 &&
                        result.busbw_gb_per_s >= 0 && result.algbw_gb_per_s <= kFastestGb &&
                        result.busbw_gb_per_s <= kFastestGb;
    if (!can_be) return log_.skip("the time or the rate is out of range for a collective"), false;
    const double algbw = size / time_us / 1e3;  // bytes/µs are MB/s
    const double rounding = 0.006 + kDisagreement * algbw;
    if (std::abs(algbw - result.algbw_gb_per_s) > rounding) {
      log_.skip(fmt::format(
          "algbw is {} GB/s, but size / time is {:.4g} GB/s: check that the time is in µs",
          result.algbw_gb_per_s, algbw));
      return false;
    }
    result.collective = collective_;
    result.size_bytes = std::llround(size);
    result.count = std::llround(count);
    result.time_s = time_us * 1e-6;
    log_.add(std::move(result));
    return true;
  }

  void take_config(std::string_view config);
  void take_result(std::string_view result);

  CollectedLog log_;
  std::optional<NcclColumns> columns_;
  std::string collective_, first_;
  JsonObject json_;
  std::vector<std::string_view> words_;  ///< separated words of the current row
  std::set<std::string> nodes_, gpus_;
  int first_number_ = 1;
  bool known_ = false, ranks_told_ = false;
};

int line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(),
                                         text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

void NcclTestsLogReader::take_config(std::string_view config) {
  const std::size_t devices = json_value_of(config, "devices");
  if (devices == std::string_view::npos || config[devices] != '[') return;
  each_json_object(config, devices + 1, [&](std::string_view device, std::size_t) {
    if (!json_.read(device)) return;
    add_rank(std::string(json_.text("hostname").value_or("")),
             std::string(json_.text("device_info").value_or("")));
  });
}

void NcclTestsLogReader::take_result(std::string_view text) {
  if (!json_.read(text)) return log_.skip("is not a result of nccl-tests");
  for (const bool in_place : {false, true}) {
    const std::string way = in_place ? "in_place" : "out_of_place";
    const auto number = [&](const char* name) { return json_.number(way + "/" + name); };
    const auto time_us = number("time") ? number("time") : number("cpu_time");
    if (!time_us) continue;
    CollectiveResult result{.in_place = in_place};
    result.type = json_.text("type").value_or("");
    result.redop = json_.text("redop").value_or("");
    result.algbw_gb_per_s = number("alg_bw").value_or(-1);
    result.busbw_gb_per_s = number("bus_bw").value_or(-1);
    result.wrong = number("nwrong").value_or(std::nan(""));
    double root = -1;
    if (whole_number(json_.text("root").value_or(""), root)) result.root = clamped(root);
    add(std::move(result), json_.number("size").value_or(-1), json_.number("count").value_or(-1),
        *time_us);
  }
}

/// Reads the document whose opening bracket is at `begins`. Reads the available part of a truncated
/// document.
void NcclTestsLogReader::take_json(std::string_view text, std::size_t begins) {
  known_ = true;
  const std::string_view document = text.substr(begins);
  log_.at(line_at(text, begins));
  const std::size_t args = json_value_of(document, "args");
  if (args != document.npos && document[args] == '[') {
    const std::size_t end = document.find_first_of("\",]", document.find('"', args) + 1);
    const std::string_view list = document.substr(args + 1, end - args - 1);
    if (end != document.npos) name(collective_of(list.substr(list.find('"') + 1)));
  }
  if (const std::size_t nccl = json_value_of(document, "nccl_version"); nccl != document.npos) {
    TextScanner version(document.substr(nccl));
    log_.start().environment["nccl"] = std::string(version.until(",} \r\n"));
  }
  const std::size_t config = json_value_of(document, "config");
  if (config != document.npos) take_config(json_whole(document, config));
  count_ranks();
  const std::size_t results = json_value_of(document, "results");
  if (results == document.npos || document[results] != '[') return;
  int line = line_at(text, begins);
  std::size_t counted = 0;
  each_json_object(document, results + 1, [&](std::string_view object, std::size_t at) {
    line += line_at(document.substr(counted), at - counted) - 1;
    counted = at;
    log_.at(line);
    take_result(object);
  });
  const std::size_t bounds = json_value_of(document, "out_of_bounds", results);
  if (bounds == document.npos || !json_.read(json_whole(document, bounds))) return log_.cut_off();
  log_.at(line_at(text, begins + bounds));
  const bool good = json_.text("okay").value_or("") == "true";
  log_.stop(good ? contract::RunOutcome::Completed : contract::RunOutcome::Failed,
            good ? "" : "out of bounds values");
}

/// Returns the position of the JSON document, or npos for text output.
std::size_t document_at(std::string_view text) {
  const std::size_t version = text.find("\"nccl_version\"");
  if (version == text.npos) return text.npos;
  const std::size_t begins = text.find("{\"version\"");
  if (begins < version) return begins;
  const std::size_t brace = text.find('{');  // another program may have reformatted the document
  return brace < version ? brace : text.npos;
}

bool is_own(std::string_view line) {
  return line.starts_with(kVersion) || line.starts_with(kStarting) ||
         (line.starts_with(kOptions) && line.find("minBytes") != line.npos);
}

bool recognises(std::string_view head) {
  if (any_line(head, is_own)) return true;
  const std::size_t begins = document_at(head);
  return begins != head.npos && json_value_of(head, "config", begins) != head.npos;
}

LogContent read_lines(std::string_view text, const contract::RunSpec& run, int before) {
  NcclTestsLogReader reader(run);
  const std::size_t document = document_at(text);
  if (document == text.npos) {
    take_lines(
        text, reader.log(), [&](const LogLine& line) { reader.read_line(line); },
        {&recognises, &is_failure}, before);
    return reader.finish();
  }
  const std::string_view whole = json_whole(text, document);
  if (!whole.empty()) {
    take_lines(
        text.substr(document + whole.size()), reader.log(), [](const LogLine&) {}, {},
        line_at(text, document + whole.size()) - 1);
  }
  reader.take_json(text, document);
  return reader.finish();
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_lines(text, run, 0);
}

LogContent read_part(std::string_view text, const LogPart& part, const contract::RunSpec& run) {
  if (part.size == 0 || part.offset > text.size()) return read_log(text, run);
  return read_lines(text.substr(part.offset, part.size), run, part.first_line - 1);
}

/// Returns the tests of a log. A test begins with the first nccl-tests line after the table of the
/// previous test.
std::vector<LogPart> parts(std::string_view text) {
  std::vector<LogPart> found;
  std::map<std::string, int> seen;
  bool has_table = true;
  RanksOfLog ranks(OwnLines{&recognises});
  for (LogLines lines(text); lines.next();) {
    const std::string_view line = lines.line().text;
    if (!ranks.counts(lines.line(), lines.rest())) continue;
    if (is_own(line) && std::exchange(has_table, false)) {
      found.push_back({{}, lines.line().offset, 0, lines.line().number});
    }
    if (line.starts_with(kStarting) && !found.empty()) {
      const std::string name = collective_of(line.substr(kStarting.size()));
      found.back().which = {{"collective", name}};
      if (++seen[name] > 1) found.back().which["test"] = std::to_string(seen[name]);
    }
    has_table = has_table || nccl_columns_of(line).has_value();
  }
  if (found.size() < 2) return {};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t end = i + 1 < found.size() ? found[i + 1].offset : text.size();
    found[i].size = end - found[i].offset;
    if (found[i].which.empty()) found[i].which["test"] = std::to_string(i + 1);
  }
  return found;
}

}  // namespace

extern const LogFormat nccl_tests_entry;
const LogFormat nccl_tests_entry{
    .name = "nccl_tests",
    .summary = "tables and JSON (-J) of nccl-tests and rccl-tests: collectives by message size",
    .rates =
        "There is no rate, because nothing is trained. time, algbw and busbw of each message size "
        "are means over the iterations without the warm-up iterations.",
    .cross_check =
        "nothing is trained, so there is no rate to compare. A row is left out if its "
        "algbw differs from size / time.",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .parts = &parts,
    .read_part = &read_part,
    .of_model = false,
    .tells_end = true,
};

}  // namespace dlscale::analysis
