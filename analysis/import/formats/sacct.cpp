// SPDX-License-Identifier: Apache-2.0
// Reads the output of SLURM's sacct with --parsable or --parsable2.
// The output lists jobs and their steps. Columns are separated by "|" or by the --delimiter. A
// heading names the columns, which may have any order. Without a heading, the columns must have the
// order in which Open XDMoD requests fields (ubccr/xdmod, xdmod-slurm-helper). Times may be
// formatted or raw (ElapsedRaw in seconds, TimelimitRaw in minutes).
// Each job becomes a run. The steps of a job (".batch", ".0") state the memory usage and do not
// become runs. sacct does not record training, so there are no rates. Times of day are in the time
// zone of the cluster, which is not stated.
// ConsumedEnergy in the row of a job is the energy of all its tasks (man sacct; the energy of
// AllocTRES). In the row of a step, ConsumedEnergy is the energy that the nodes of the step used
// while the step ran. The steps .batch and .extern run at the same time as step .0 on the same
// nodes, so a sum over the steps would count energy twice. If the row of the job has no energy, the
// largest value among the steps of the job is a lower bound.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <vector>

#include "analysis/import/formats/sacct_text.hpp"
#include "analysis/import/reading/collected_log.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;

/// Tolerance in seconds for clocks that are set back by an hour in autumn.
constexpr double kClockChange = 3601;
constexpr double kMostEnergy_j = 1e15;  ///< maximum joules of a job: 30 MW for a year

using sacct::Columns;
using sacct::Row;
using sacct::State;

class SacctLogReader {
 public:
  explicit SacctLogReader(const contract::RunSpec& run) : log_(run, "sacct") {}

  /// Determines the columns from the beginning of the log.
  void learn(std::string_view text) {
    for (LogLines lines(text); !columns_.known() && lines.next();) {
      if (lines.line().complete) columns_.learn(lines.line().text);
    }
  }

  /// Determines the columns from the last heading in `before`, which is the text in front of the
  /// first line to read.
  void learn_again(std::string_view before) {
    for (LogLines lines(before); lines.next();) {
      if (lines.line().complete) columns_.learn_again(lines.line().text);
    }
  }

  void read_line(const LogLine& line, int number) {
    if (!columns_.known() && columns_.learn(line.text)) return;
    if (columns_.learn_again(line.text)) return;  // the heading of another, appended table
    if (!columns_.is_table_line(line.text)) return;
    if (!line.complete) return log_.cut_off();
    if (!columns_.known()) return;
    Row row;
    const std::string problem = columns_.split(line.text, row);
    if (!problem.empty()) return log_.skip(problem);
    if (!columns_.is_row(row))
      return log_.skip("is not a job: its JobID or State is not in the format of SLURM");
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
    const auto allocated = count_of(row, {"alloccpus", "ncpus"}, "cpu");
    const double cores = allocated ? static_cast<double>(*allocated) : std::nan("");
    job.elapsed_s = first_of({seconds(row, "elapsed"), number(row, "elapsedraw"),
                              number(row, "cputimeraw") / cores, seconds(row, "cputime") / cores});
    job.timelimit_s = first_of({seconds(row, "timelimit"), 60 * number(row, "timelimitraw")});
    job.cpu_s =
        first_of({seconds(row, "totalcpu"), seconds(row, "systemcpu") + seconds(row, "usercpu")});
    const auto started = sacct::clock_time(job.started), ended = sacct::clock_time(job.ended);
    if (!started || !ended || !(job.elapsed_s > *ended - *started + kClockChange)) return;
    log_.skip(
        fmt::format("the elapsed time of {:.0f} s exceeds the {:.0f} s from the start to the end "
                    "of the job",
                    job.elapsed_s, *ended - *started));
    job.elapsed_s = std::nan("");
  }

  /// Returns the first known value, or NaN if none is known.
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
    return sacct::count(columns_(row, name));
  }

  static void take_codes(std::string_view text, AccountedJob& job) {
    TextScanner scanner(text);
    std::int64_t code = 0, signal = 0;
    if (!scanner.integer(code) || !scanner.skip(":") || !scanner.integer(signal)) return;
    if (code >= 0 && code < 1000) job.exit_code = static_cast<int>(code);
    if (signal > 0 && signal < 1000) job.signal = static_cast<int>(signal);
  }

  /// Returns the count in the first of the columns `names` that states a count. If no column does,
  /// returns the allocated count of `resource`.
  std::optional<std::int64_t> count_of(const Row& row, std::initializer_list<const char*> names,
                                       const char* resource) const {
    for (const char* name : names) {
      if (const auto found = count(row, name)) return found;
    }
    return sacct::count(sacct::resource(columns_(row, "alloctres"), resource).value_or(""));
  }

  /// Returns the number of GPUs from the first column that lists GPUs. Returns 0 if a column lists
  /// resources without GPUs and no other column names GPUs in an unknown form. Several columns are
  /// examined, because sites may omit GPUs from AllocTRES and list GPUs in other columns.
  std::optional<std::int64_t> gpus_of(const Row& row, const AccountedJob& job) {
    std::optional<std::int64_t> gpus;
    std::string problem;
    for (const char* name : {"alloctres", "allocgres", "reqtres", "reqgres"}) {
      const std::string_view text = columns_(row, name);
      if (gpus.value_or(0) > 0 || text.empty()) continue;
      const bool is_tres = std::string_view(name).ends_with("tres");
      const auto found = is_tres ? sacct::gpus_of(text) : gpus_of_gres(row, text, job, problem);
      if (found) gpus = found;
    }
    if (gpus.value_or(0) > 100'000'000) return std::nullopt;
    if (gpus.value_or(0) > 0 || problem.empty()) return gpus;
    log_.skip(problem);
    return std::nullopt;
  }

  /// Returns the number of GPUs on all nodes or tasks. If the number of nodes or tasks is unknown,
  /// returns nothing and sets `problem`.
  std::optional<std::int64_t> gpus_of_gres(const Row& row, std::string_view text,
                                           const AccountedJob& job, std::string& problem) const {
    std::int64_t sum = 0;
    for (const sacct::GpuRequest& one : sacct::gpu_requests(text)) {
      const auto times = one.each == sacct::Each::node   ? job.nodes
                         : one.each == sacct::Each::task ? count(row, "ntasks")
                                                         : std::optional<std::int64_t>(1);
      if (!one.is_known || !times) {
        problem = fmt::format("the GPUs of \"{}\" cannot be counted: {}", text,
                              !one.is_known ? "its format is unknown"
                              : one.each == sacct::Each::node
                                  ? "no column has the number of nodes"
                                  : "no column has the number of tasks (NTasks)");
        return std::nullopt;
      }
      sum += one.count * *times;
    }
    return sum;
  }

  std::optional<std::int64_t> nodes_of(const Row& row) const {
    if (const auto found = count_of(row, {"nnodes", "allocnodes"}, "node")) return found;
    return sacct::nodes_in(columns_(row, "nodelist"));
  }

  void take_resources(const Row& row, AccountedJob& job) {
    job.nodes = nodes_of(row);
    job.cpus = count_of(row, {"alloccpus", "ncpus"}, "cpu");
    if (!job.cpus) job.cpus = count(row, "reqcpus");
    job.gpus = gpus_of(row, job);
    for (const char* list : {"alloctres", "reqtres"}) {
      const auto all = sacct::memory(sacct::resource(columns_(row, list), "mem").value_or(""));
      if (all && all->bytes > 0 && std::isnan(job.requested_memory_bytes))
        job.requested_memory_bytes = all->bytes;
    }
    const auto asked = sacct::memory(columns_(row, "reqmem"));
    const bool is_whole_node = asked && asked->bytes == 0;  // --mem=0 requests all memory of a node
    if (!std::isnan(job.requested_memory_bytes) || !asked || is_whole_node) return;
    const auto times = asked->each == 'c'   ? job.cpus
                       : asked->each == 'n' ? job.nodes
                                            : std::optional<std::int64_t>(1);
    if (times) job.requested_memory_bytes = asked->bytes * static_cast<double>(*times);
  }

  void take_step(const Row& row, std::string_view id) {
    if (!under_way_ || id.substr(0, id.find('.')) != job_.job_id) {
      return log_.skip("the step does not follow the row of its job");
    }
    const auto memory = sacct::memory(columns_(row, "maxrss"), sacct::kByte);
    if (memory) job_.max_memory_bytes = std::fmax(job_.max_memory_bytes, memory->bytes);
    if (!has_own_energy_) job_.energy_j = std::fmax(job_.energy_j, energy_of(row));
  }

  /// Returns the energy in joules. Returns NaN if the energy was not measured. SLURM writes 0 or
  /// 2^64 - 2 for energy that was not measured.
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
    if (!state.ended)
      reason =
          "the job had not ended when the accounting data was read; its "
          "state was " +
          job_.state;
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

/// Returns true if the first line of a table is a heading of sacct or a row in XDMoD's order. Also
/// returns true for unsupported output forms of sacct, which are reported when the log is read.
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
  SacctLogReader reader(run);
  if (const std::string form = sacct::unreadable_form(text); !form.empty()) {
    reader.log().at(1);
    reader.log().skip(form);
    return reader.finish();
  }
  reader.learn(text);
  if (part.size > 0) reader.learn_again(text.substr(0, std::min(part.offset, text.size())));
  const int before = part.first_line - 1;
  take_lines(
      part.size > 0 && part.offset < text.size() ? text.substr(part.offset, part.size) : text,
      reader.log(), [&](const LogLine& line) { reader.read_line(line, before + line.number); },
      {&recognises}, before);
  // The end of a truncated table is reported for each of its jobs.
  if (!text.empty() && !text.ends_with('\n')) reader.log().cut_off();
  return reader.finish();
}

LogContent read_log(std::string_view text, const contract::RunSpec& run) {
  return read_lines(text, {}, run);
}

/// Numbers the attempts of a job. A requeued job has a different start for each attempt. Rows that
/// repeat an attempt get the number of that attempt.
class Attempts {
 public:
  /// Returns the number of the attempt in this row, from 1.
  std::size_t number_of(const Columns& columns, const Row& row, std::string_view line) {
    const std::string submitted(sacct::known_time(columns(row, "submit")));
    const std::string started(sacct::known_time(columns(row, "start")));
    const bool has_times = !submitted.empty() || !started.empty();
    std::vector<Attempt>& known = attempts_[std::string(columns.job_id(row))];
    const auto same = std::ranges::find_if(known, [&](const Attempt& one) {
      if (!has_times) return one.row == line;
      return one.row.empty() && one.submitted == submitted &&
             (one.started.empty() || started.empty() || one.started == started);
    });
    if (same == known.end()) {
      known.push_back({submitted, started, has_times ? "" : std::string(line)});
      return known.size();
    }
    if (same->started.empty()) same->started = started;
    return static_cast<std::size_t>(same - known.begin()) + 1;
  }

 private:
  struct Attempt {
    std::string submitted, started;
    std::string row;  ///< the whole row, if the table has no start times
  };
  std::map<std::string, std::vector<Attempt>> attempts_;
};

/// Returns the jobs, each with the steps that follow it. The first part begins after the heading,
/// so that unreadable lines before the first job are reported with that job.
std::vector<LogPart> parts(std::string_view text) {
  std::vector<LogPart> found;
  if (!sacct::unreadable_form(text).empty()) return found;
  Attempts attempts;
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
    if (columns.learn_again(line.text)) continue;
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
    const std::size_t attempt = attempts.number_of(columns, row, line.text);
    if (attempt > 1) found.back().which["attempt"] = std::to_string(attempt);
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
    .summary =
        "accounting data of SLURM: sacct --parsable2 with a heading, or with the columns "
        "in Open XDMoD's order",
    .rates =
        "There is no rate, because the accounting data does not contain what jobs computed. "
        "GPU-hours are the elapsed time times the number of GPUs.",
    .cross_check = "nothing is compared, because jobs have no rates",
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read_log,
    .parts = &parts,
    .read_part = &read_lines,
    .of_model = false,
    .of_training = false,
};

}  // namespace dlscale::analysis
