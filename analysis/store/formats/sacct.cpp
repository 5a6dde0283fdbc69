// SPDX-License-Identifier: Apache-2.0
// What SLURM's sacct prints with --parsable or --parsable2: jobs and their steps between "|", under
// a heading, or without one in the order in which Open XDMoD asks for fields (ubccr/xdmod,
// xdmod-slurm-helper): jobid jobidraw cluster partition qos account group gid user uid submit
// eligible start end elapsed exitcode state nnodes ncpus reqcpus reqmem reqtres alloctres timelimit
// nodelist jobname.
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
#include <array>
#include <set>
#include <vector>

#include "analysis/store/formats/collected_log.hpp"
#include "analysis/store/formats/plain_text.hpp"
#include "analysis/store/formats/sacct_fields.hpp"
#include "analysis/store/formats/text_scanner.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;

constexpr std::string_view kXdmod =
    "jobid|jobidraw|cluster|partition|qos|account|group|gid|user|uid|submit|eligible|start|end|"
    "elapsed|exitcode|state|nnodes|ncpus|reqcpus|reqmem|reqtres|alloctres|timelimit|nodelist|"
    "jobname";
/// Clocks are set back by an hour in autumn.
constexpr double kClockChange = 3601;
constexpr double kMostEnergy_j = 1e15;  ///< of a job; a year of 30 MW

struct State {
  std::string_view word;
  RunOutcome outcome;
  bool ended = true;
};
constexpr std::array kStates{
    State{"COMPLETED", RunOutcome::Completed},       State{"FAILED", RunOutcome::Failed},
    State{"TIMEOUT", RunOutcome::TimedOut},          State{"DEADLINE", RunOutcome::TimedOut},
    State{"OUT_OF_MEMORY", RunOutcome::OutOfMemory}, State{"NODE_FAIL", RunOutcome::NodeFailed},
    State{"BOOT_FAIL", RunOutcome::NodeFailed},      State{"PREEMPTED", RunOutcome::Preempted},
    State{"CANCELLED", RunOutcome::Cancelled},       State{"REVOKED", RunOutcome::Cancelled},
    State{"PENDING", RunOutcome::Lost, false},       State{"RUNNING", RunOutcome::Lost, false},
    State{"SUSPENDED", RunOutcome::Lost, false},     State{"REQUEUED", RunOutcome::Lost, false},
    State{"RESIZING", RunOutcome::Lost, false},      State{"COMPLETING", RunOutcome::Lost, false},
    State{"CONFIGURING", RunOutcome::Lost, false},
};

const State* state_of(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));  // "CANCELLED by 1300204"
  const auto* const found = std::find_if(kStates.begin(), kStates.end(),
                                         [&](const State& one) { return one.word == word; });
  return found == kStates.end() ? nullptr : found;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t end = line.find('|');
    cells.push_back(line.substr(0, end));
    if (end == line.npos) return cells;
    line.remove_prefix(end + 1);
  }
}

/// Which cell is what, and whether a line is a row.
class Fields {
 public:
  /// Of the first line that is a heading or a row without one; empty until then.
  bool learn(std::string_view line) {
    const std::string heading = lower_case_of(std::string(line));
    const auto names = cells_of(heading);
    const bool told = std::find(names.begin(), names.end(), "jobid") != names.end() &&
                      std::find(names.begin(), names.end(), "state") != names.end();
    if (told) {
      set(heading);
      return true;
    }
    set(kXdmod);
    if (!is_row(cells_of(line))) names_.clear();
    return false;
  }
  bool known() const { return !names_.empty(); }
  std::size_t count() const { return names_.size(); }

  std::string_view operator()(const std::vector<std::string_view>& row,
                              std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) return {};
    const auto at = static_cast<std::size_t>(found - names_.begin());
    return at < row.size() ? row[at] : std::string_view();
  }

  bool fits(const std::vector<std::string_view>& row) const {
    const bool closed = row.size() == names_.size() + 1 && row.back().empty();  // --parsable
    return row.size() == names_.size() || closed;
  }
  bool is_row(const std::vector<std::string_view>& row) const {
    const std::string_view id = (*this)(row, "jobid");
    return fits(row) && !id.empty() && id[0] >= '0' && id[0] <= '9' &&
           state_of((*this)(row, "state")) != nullptr;
  }

 private:
  void set(std::string_view heading) {
    names_.clear();
    for (const std::string_view name : cells_of(heading)) {
      if (!name.empty()) names_.emplace_back(name);
    }
  }

  std::vector<std::string> names_;
};

using Row = std::vector<std::string_view>;

class Reader {
 public:
  explicit Reader(const contract::RunSpec& run) : log_(run, "sacct") {}

  /// Learns the columns from the log's beginning.
  void learn(std::string_view text) {
    for (LogLines lines(text); !fields_.known() && lines.next();) {
      if (lines.line().complete) fields_.learn(lines.line().text);
    }
  }

  void take(const LogLine& line, int number) {
    if (line.text.find('|') == line.text.npos) return;
    if (!line.complete) return log_.cut_off();
    if (!fields_.known() && (fields_.learn(line.text) || !fields_.known())) return;
    const Row row = cells_of(line.text);
    if (lower_case_of(std::string(fields_(row, "jobid"))) == "jobid") {
      return;  // the heading once more
    }
    if (!fields_.fits(row)) {
      return log_.skip(fmt::format("has {} of {} columns", row.size(), fields_.count()));
    }
    if (!fields_.is_row(row)) return log_.skip("no job: its JobID or State is none of SLURM's");
    const std::string_view id = fields_(row, "jobid");
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
    AccountedJob job{.job_id = std::string(fields_(row, "jobid"))};
    job.line = number;
    const auto text = [&](const char* name) { return std::string(fields_(row, name)); };
    job.name = text("jobname");
    job.cluster = text("cluster");
    job.partition = text("partition");
    job.account = text("account");
    job.state = text("state");
    job.submitted = text("submit");
    job.started = text("start");
    job.ended = text("end");
    job.hosts = text("nodelist");
    take_codes(fields_(row, "exitcode"), job);
    job.energy_j = energy_of(row);
    has_own_energy_ = !std::isnan(job.energy_j);
    take_resources(row, job);
    take_times(row, job);
    job_ = std::move(job);
    under_way_ = true;
  }

  void take_times(const Row& row, AccountedJob& job) {
    job.elapsed_s = seconds(row, "elapsed");
    job.timelimit_s = seconds(row, "timelimit");
    job.cpu_s = seconds(row, "totalcpu");
    const auto started = sacct::clock_time(job.started), ended = sacct::clock_time(job.ended);
    if (!started || !ended || !(job.elapsed_s > *ended - *started + kClockChange)) return;
    log_.skip(fmt::format("elapsed {:.0f} s are more than the {:.0f} from its start to its end",
                          job.elapsed_s, *ended - *started));
    job.elapsed_s = std::nan("");
  }

  double seconds(const Row& row, const char* name) const {
    return sacct::duration(fields_(row, name)).value_or(std::nan(""));
  }

  std::optional<std::int64_t> count(const Row& row, const char* name) const {
    double number = 0;
    const bool good = whole_number(fields_(row, name), number) && number >= 0 && number < 1e9;
    return good ? std::optional(std::llround(number)) : std::nullopt;
  }

  static void take_codes(std::string_view text, AccountedJob& job) {
    TextScanner scanner(text);
    std::int64_t code = 0, signal = 0;
    if (!scanner.integer(code) || !scanner.skip(":") || !scanner.integer(signal)) return;
    if (code >= 0 && code < 1000) job.exit_code = static_cast<int>(code);
    if (signal > 0 && signal < 1000) job.signal = static_cast<int>(signal);
  }

  void take_resources(const Row& row, AccountedJob& job) {
    job.nodes = count(row, "nnodes") ? count(row, "nnodes") : count(row, "allocnodes");
    job.cpus = count(row, "alloccpus") ? count(row, "alloccpus") : count(row, "ncpus");
    const std::string_view tres = fields_(row, "alloctres");
    job.gpus = sacct::gpus_of(tres);
    for (const char* gres : {"allocgres", "reqgres"}) {
      if (job.gpus) break;
      const auto each = sacct::gpus_of_gres(fields_(row, gres));
      if (each) job.gpus = *each * job.nodes.value_or(1);
    }
    if (job.gpus && *job.gpus > 100'000'000) job.gpus.reset();
    for (const std::string_view list : {tres, fields_(row, "reqtres")}) {
      const auto all = sacct::memory(sacct::resource(list, "mem").value_or(""));
      if (all && std::isnan(job.requested_memory_bytes)) job.requested_memory_bytes = all->bytes;
    }
    const auto asked = sacct::memory(fields_(row, "reqmem"));
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
    const auto memory = sacct::memory(fields_(row, "maxrss"));
    if (memory) job_.max_memory_bytes = std::fmax(job_.max_memory_bytes, memory->bytes);
    if (!has_own_energy_) job_.energy_j = std::fmax(job_.energy_j, energy_of(row));
  }

  /// Joules; NaN where nothing measured them: 0, and what SLURM writes for no value (2^64 - 2).
  double energy_of(const Row& row) const {
    const auto allocated = sacct::resource(fields_(row, "alloctres"), "energy");
    for (const std::string_view text :
         {fields_(row, "consumedenergyraw"), allocated.value_or("")}) {
      double energy = 0;
      if (whole_number(text, energy) && energy > 0 && energy < kMostEnergy_j) return energy;
    }
    return std::nan("");
  }

  void end_job() {
    if (!under_way_) return;
    under_way_ = false;
    log_.at(job_.line);
    const State& state = *state_of(job_.state);
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
  Fields fields_;
  AccountedJob job_;
  bool has_own_energy_ = false;
  bool under_way_ = false;
};

/// A heading of sacct's, or a row in XDMoD's order, is the first line with a "|".
bool recognises(std::string_view head) {
  for (LogLines lines(head); lines.next();) {
    const LogLine& line = lines.line();
    if (line.text.find('|') == line.text.npos || !line.complete) continue;
    Fields fields;
    return fields.learn(line.text) || fields.known();
  }
  return false;
}

LogContent read_lines(std::string_view text, const LogPart& part, const contract::RunSpec& run) {
  Reader reader(run);
  if (part.offset > 0) reader.learn(text);
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

/// Jobs, each with the steps that follow it.
std::vector<LogPart> parts(std::string_view text) {
  std::vector<LogPart> found;
  std::map<std::string, int> seen;
  Fields fields;
  std::size_t offset = 0;
  for (LogLines lines(text); lines.next();) {
    const LogLine& line = lines.line();
    const std::size_t begins = offset;
    offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
    if (!line.complete || line.text.size() > kLongestLine) continue;
    if (!fields.known() && (fields.learn(line.text) || !fields.known())) continue;
    const Row row = cells_of(line.text);
    const std::string id(fields(row, "jobid"));
    if (!fields.is_row(row) || id.find('.') != id.npos) continue;
    found.push_back({{{"job_id", id}}, begins, 0, line.number});
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
    .file = "",
    .needs_run = false,
    .recognises = &recognises,
    .read = &read,
    .parts = &parts,
    .read_part = &read_lines,
    .of_training = false,
};

}  // namespace dlscale::analysis
