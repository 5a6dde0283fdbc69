// SPDX-License-Identifier: Apache-2.0
// What SLURM's sacct prints with --parsable or --parsable2: jobs and their steps between "|" or
// what --delimiter says, under a heading, or without one in the order in which Open XDMoD asks for
// fields (ubccr/xdmod, xdmod-slurm-helper). Columns may stand in any order, formatted or raw
// (ElapsedRaw in seconds, TimelimitRaw in minutes).
//
// A job is a run; its steps (".batch", ".0") say how much memory it had and are no runs. Jobs train
// nothing that sacct knows of: there are no rates. Times of day are the cluster's, without a zone.
//
// ConsumedEnergy of a job's own row is that of all its tasks (man sacct; the energy of AllocTRES).
// Of a step it is what its nodes took while it ran: .batch and .extern run beside .0 on the same
// nodes, so the sum over steps counts joules twice. Where the job's row has none, the largest of
// its steps is what it took at least.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <vector>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/sacct_columns.hpp"
#include "analysis/store/formats/sacct_fields.hpp"
#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;

/// Clocks are set back by an hour in autumn.
constexpr double kClockChange = 3601;
constexpr double kMostEnergy_j = 1e15;  ///< of a job; a year of 30 MW

using sacct::Columns;
using sacct::Row;
using sacct::State;

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "sacct") {}

  /// Learns the columns from the log's beginning.
  void learn(std::string_view text) {
    for (LogLines lines(text); !columns_.known() && lines.next();) {
      if (lines.line().complete) columns_.learn(lines.line().text);
    }
  }

  void take(const LogLine& line, int number) {
    if (!columns_.known() && columns_.learn(line.text)) return;
    if (!columns_.is_table_line(line.text)) return;
    if (!line.complete) return log_.cut_off();
    if (!columns_.known()) return;
    Row row;
    const std::string problem = columns_.split(line.text, row);
    if (columns_.is_heading(row)) return;  // once more
    if (!problem.empty()) return log_.skip(problem);
    if (!columns_.is_row(row)) return log_.skip("no job: its JobID or State is none of SLURM's");
    const std::string_view id = columns_.job_id(row);
    id.find('.') == id.npos ? take_job(row, number) : take_step(row, id);
  }

  LogContent finish() {
    end_job();
    return log_.finish();
  }
  CollectedLog& log() { return log_; }

 private:
  void take_job(const Row& row, int number) {
    end_job();
    log_.at(number);
    AccountedJob job{.job_id = std::string(columns_.job_id(row))};
    job.line = number;
    const auto text = [&](const char* name) { return std::string(columns_(row, name)); };
    const auto time = [&](const char* name) {
      return std::string(sacct::known_time(columns_(row, name)));
    };
    job.name = text("jobname");
    job.cluster = text("cluster");
    job.partition = text("partition");
    job.account = text("account");
    job.state = text("state");
    job.submitted = time("submit");
    job.started = time("start");
    job.ended = time("end");
    job.hosts = text("nodelist");
    take_codes(columns_(row, "exitcode"), job);
    job.energy_j = energy_of(row);
    has_own_energy_ = !std::isnan(job.energy_j);
    take_resources(row, job);
    take_times(row, job);
    job_ = std::move(job);
    under_way_ = true;
  }

  void take_times(const Row& row, AccountedJob& job) {
    job.elapsed_s = first_of({seconds(row, "elapsed"), number(row, "elapsedraw"),
                              number(row, "cputimeraw") / number(row, "alloccpus")});
    job.timelimit_s = first_of({seconds(row, "timelimit"), 60 * number(row, "timelimitraw")});
    job.cpu_s =
        first_of({seconds(row, "totalcpu"), seconds(row, "systemcpu") + seconds(row, "usercpu")});
    const auto started = sacct::clock_time(job.started), ended = sacct::clock_time(job.ended);
    if (!started || !ended || !(job.elapsed_s > *ended - *started + kClockChange)) return;
    log_.skip(fmt::format("elapsed {:.0f} s are more than the {:.0f} from its start to its end",
                          job.elapsed_s, *ended - *started));
    job.elapsed_s = std::nan("");
  }

  /// The first that is known.
  static double first_of(std::initializer_list<double> values) {
    for (const double value : values) {
      if (std::isfinite(value)) return value;
    }
    return std::nan("");
  }

  double number(const Row& row, const char* name) const {
    double value = 0;
    const bool good = whole_number(columns_(row, name), value) && value >= 0 && value < 1e12;
    return good ? value : std::nan("");
  }

  double seconds(const Row& row, const char* name) const {
    return sacct::duration(columns_(row, name)).value_or(std::nan(""));
  }

  std::optional<std::int64_t> count(const Row& row, const char* name) const {
    double number = 0;
    const bool good = whole_number(columns_(row, name), number) && number >= 0 && number < 1e9;
    return good ? std::optional(std::llround(number)) : std::nullopt;
  }

  static void take_codes(std::string_view text, AccountedJob& job) {
    TextScanner scanner(text);
    std::int64_t code = 0, signal = 0;
    if (!scanner.integer(code) || !scanner.skip(":") || !scanner.integer(signal)) return;
    if (code >= 0 && code < 1000) job.exit_code = static_cast<int>(code);
    if (signal > 0 && signal < 1000) job.signal = static_cast<int>(signal);
  }

  /// The first of these columns that has a count, else the count of a resource that was allocated.
  std::optional<std::int64_t> count_of(const Row& row, std::initializer_list<const char*> names,
                                       const char* resource) const {
    for (const char* name : names) {
      if (const auto found = count(row, name)) return found;
    }
    const auto allocated = sacct::resource(columns_(row, "alloctres"), resource);
    double number = 0;
    const bool good = allocated && whole_number(*allocated, number) && number >= 0 && number < 1e9;
    return good ? std::optional(std::llround(number)) : std::nullopt;
  }

  /// The first source that tells of GPUs; 0 where one tells resources and none tells of GPUs: sites
  /// may leave GPUs out of AllocTRES and have them in the other columns.
  std::optional<std::int64_t> gpus_of(const Row& row, std::int64_t nodes) const {
    std::optional<std::int64_t> gpus;
    const auto take = [&](std::optional<std::int64_t> found) {
      if (found && gpus.value_or(0) == 0) gpus = found;
    };
    const auto on_nodes = [&](const char* name) {
      auto each = sacct::gpus_of_gres(columns_(row, name));
      if (each) *each *= nodes;
      return each;
    };
    take(sacct::gpus_of(columns_(row, "alloctres")));
    take(on_nodes("allocgres"));
    take(sacct::gpus_of(columns_(row, "reqtres")));
    take(on_nodes("reqgres"));
    return gpus.value_or(0) > 100'000'000 ? std::nullopt : gpus;
  }

  void take_resources(const Row& row, AccountedJob& job) {
    job.nodes = count_of(row, {"nnodes", "allocnodes"}, "node");
    job.cpus = count_of(row, {"alloccpus", "ncpus"}, "cpu");
    if (!job.cpus) job.cpus = count(row, "reqcpus");
    job.gpus = gpus_of(row, job.nodes.value_or(1));
    for (const char* list : {"alloctres", "reqtres"}) {
      const auto all = sacct::memory(sacct::resource(columns_(row, list), "mem").value_or(""));
      if (all && std::isnan(job.requested_memory_bytes)) job.requested_memory_bytes = all->bytes;
    }
    const auto asked = sacct::memory(columns_(row, "reqmem"));
    if (!std::isnan(job.requested_memory_bytes) || !asked) return;
    const auto times = asked->each == 'c'   ? job.cpus
                       : asked->each == 'n' ? job.nodes
                                            : std::optional<std::int64_t>(1);
    if (times) job.requested_memory_bytes = asked->bytes * static_cast<double>(*times);
  }

  void take_step(const Row& row, std::string_view id) {
    if (!under_way_ || id.substr(0, id.find('.')) != job_.job_id) {
      return log_.skip("a step of a job that is not before it");
    }
    const auto memory = sacct::memory(columns_(row, "maxrss"), sacct::kByte);
    if (memory) job_.max_memory_bytes = std::fmax(job_.max_memory_bytes, memory->bytes);
    if (!has_own_energy_) job_.energy_j = std::fmax(job_.energy_j, energy_of(row));
  }

  /// Joules; NaN where nothing measured them: 0, and what SLURM writes for no value (2^64 - 2).
  double energy_of(const Row& row) const {
    const auto allocated = sacct::resource(columns_(row, "alloctres"), "energy");
    for (const std::string_view text :
         {columns_(row, "consumedenergyraw"), allocated.value_or("")}) {
      double energy = 0;
      if (whole_number(text, energy) && energy > 0 && energy < kMostEnergy_j) return energy;
    }
    const auto rounded = sacct::energy(columns_(row, "consumedenergy"));
    if (rounded && *rounded > 0 && *rounded < kMostEnergy_j) return *rounded;
    return std::nan("");
  }

  void end_job() {
    if (!under_way_) return;
    under_way_ = false;
    log_.at(job_.line);
    const State& state = *sacct::state_of(job_.state);
    contract::RunStart& start = log_.start();
    if (job_.nodes) start.nodes = static_cast<int>(std::max<std::int64_t>(*job_.nodes, 1));
    if (job_.gpus && *job_.gpus > 0) start.world_size = static_cast<int>(*job_.gpus);
    log_.fact("gpus", job_.gpus.value_or(0));
    log_.fact("nodes", job_.nodes.value_or(0));
    std::string reason = state.outcome == RunOutcome::Completed ? "" : job_.state;
    if (!state.ended) reason = "had not ended when the books were read: " + job_.state;
    if (state.outcome == RunOutcome::Failed && job_.exit_code.value_or(0) != 0) {
      reason += fmt::format(", exit code {}", *job_.exit_code);
    }
    if (job_.signal) reason += fmt::format(", signal {}", *job_.signal);
    log_.stop(state.outcome, reason, job_.elapsed_s);
    log_.add(job_);
  }

  CollectedLog log_;
  Columns columns_;
  AccountedJob job_;
  bool has_own_energy_ = false;
  bool under_way_ = false;
};

/// A heading of sacct's, or a row in XDMoD's order, is the first line of a table; or a form of
/// output that is named when it is read.
bool recognises(std::string_view head) {
  if (!sacct::unreadable_form(head).empty()) return true;
  for (LogLines lines(head); lines.next();) {
    const LogLine& line = lines.line();
    const bool has_bar = line.text.find('|') != line.text.npos;
    if (!line.complete || (!has_bar && line.text.find("JobID") == line.text.npos)) continue;
    Columns columns;
    if (columns.learn(line.text) || columns.known()) return true;
    if (has_bar) return false;
  }
  return false;
}

LogContent read_lines(std::string_view text, const LogPart& part, const contract::RunSpec& run) {
  Reader reader(run);
  if (const std::string form = sacct::unreadable_form(text); !form.empty()) {
    reader.log().at(1);
    reader.log().skip(form);
    return reader.finish();
  }
  reader.learn(text);
  const int before = part.first_line - 1;
  take_lines(
      part.size > 0 && part.offset < text.size() ? text.substr(part.offset, part.size) : text,
      reader.log(), [&](const LogLine& line) { reader.take(line, before + line.number); },
      {&recognises}, before);
  if (!text.empty() && !text.ends_with('\n')) reader.log().cut_off();  // of all its jobs
  return reader.finish();
}

LogContent read(std::string_view text, const contract::RunSpec& run) {
  return read_lines(text, {}, run);
}

/// Jobs, each with the steps that follow it. The first part begins behind the heading: lines before
/// the first job that cannot be read are named with that job.
std::vector<LogPart> parts(std::string_view text) {
  std::vector<LogPart> found;
  if (!sacct::unreadable_form(text).empty()) return found;
  std::map<std::string, int> seen;
  Columns columns;
  std::size_t offset = 0;
  LogPart first;
  for (LogLines lines(text); lines.next();) {
    const LogLine& line = lines.line();
    const std::size_t begins = offset;
    offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
    if (!line.complete || line.text.size() > kLongestLine) continue;
    if (!columns.known() && columns.learn(line.text)) {
      first.offset = offset;
      first.first_line = line.number + 1;
      continue;
    }
    Row row;
    const bool is_row =
        columns.known() && columns.split(line.text, row).empty() && columns.is_row(row);
    const std::string id(is_row ? columns.job_id(row) : "");
    if (!is_row || id.find('.') != id.npos) continue;
    const bool is_first = found.empty();
    found.push_back({{{"job_id", id}},
                     is_first ? first.offset : begins,
                     0,
                     is_first ? first.first_line : line.number});
    if (++seen[id] > 1) found.back().which["attempt"] = std::to_string(seen[id]);  // requeued
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t end = i + 1 < found.size() ? found[i + 1].offset : text.size();
    found[i].size = end - found[i].offset;
  }
  return found;
}

}  // namespace

extern const LogFormat sacct_entry;
const LogFormat sacct_entry{
    .name = "sacct",
    .summary = "SLURM's accounting: sacct --parsable2 with a heading, or in Open XDMoD's order",
    .rates = "none: what jobs computed is not in it; GPU-hours are elapsed time times GPUs",
    .cross_check = "nothing: jobs have no rates",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read,
    .parts = &parts,
    .read_part = &read_lines,
    .of_model = false,
    .of_training = false,
};

}  // namespace dlscale::analysis
