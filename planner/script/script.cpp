// SPDX-License-Identifier: Apache-2.0
#include "planner/script/script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "contract/run_spec/run_id.hpp"
#include "planner/site/run_paths.hpp"

namespace dlscale::planner {
namespace {

using contract::JobKind;

std::size_t point_of(const Planning& planning, std::size_t job) {
  return planning.job_runs[job].front() / static_cast<std::size_t>(planning.study.repeats);
}

const Matrix& matrix_of(const Planning& planning, std::size_t point) {
  return planning.study.matrices[planning.expansion.points[point].matrix];
}

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

std::vector<std::string> data_paths(const Planning& planning,
                                    const std::vector<std::uint32_t>& runs,
                                    const contract::RunSpec& first) {
  const auto repeats = static_cast<std::uint32_t>(planning.study.repeats);
  std::vector<std::string> paths;
  for (RunPath& path : paths_of(first)) add_once(paths, std::move(path.path));
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::size_t point = runs[i] / repeats, last = runs[i - 1] / repeats;
    const Matrix& matrix = matrix_of(planning, point);
    const bool same_matrix = &matrix == &matrix_of(planning, last);
    const bool others =
        varies(matrix, "dataset.path") || varies(matrix, "weights") || varies(matrix, "model");
    if (point == last || (same_matrix && !others)) continue;
    for (RunPath& path : paths_of(planning.run(runs[i]))) add_once(paths, std::move(path.path));
  }
  return paths;
}

}  // namespace

Script::Script(const Planning& all, std::size_t index, const contract::PlanDir& folder,
               ExternalCommand& study_command)
    : planning(all),
      out(folder),
      command(study_command),
      job(all.plan.jobs[index]),
      runs(all.job_runs[index]),
      first(all.run(runs.front())),
      site(all.site),
      requested(matrix_of(all, point_of(all, index)).resources),
      allocation(all.allocations[point_of(all, index)]),
      partition(partition_for(site, requested, allocation)),
      request(job.resources),
      datasets(data_paths(all, runs, first)) {
  // Container programs read mounts as FROM:TO, separated by commas. The path must not contain : or
  // ,.
  if (container().empty()) return;
  if (out.root().string().find_first_of(":,") != std::string::npos) {
    throw base::UsageError(
        fmt::format("the plan folder {} cannot be mounted in a container because its path contains "
                    ": or ,; choose another folder with -o",
                    out.root().string()));
  }
  for (const std::string& folder : mounted_folders()) {
    if (folder.find_first_of(":,") == std::string::npos) continue;
    throw base::UsageError(
        fmt::format("the study's folder {} cannot be mounted in a container because its path "
                    "contains : or ,; move the study to another folder",
                    folder));
  }
}

RunPlace Script::place() const {
  return {planning.study.folder(), out.root().string(), partition.gpus_per_node};
}

bool Script::names_launch() const {
  const std::vector<std::string_view>& names = launch_value_names();
  return external() && std::any_of(names.begin(), names.end(), [&](std::string_view name) {
           return !first.parameters.contains(std::string(name)) &&
                  names_value(planning.study, name);
         });
}

std::vector<std::string> Script::run_files() const {
  std::vector<std::string> files;
  for (const contract::TrainerFile& file : first.trainer.files) files.push_back(file.to);
  return files;
}

std::vector<std::string> Script::exported() const {
  std::vector<std::string> words;
  for (const auto& [name, value] : first.environment) words.push_back(name + "=" + value);
  return words;
}

std::vector<std::string> Script::each_exported() const {
  std::vector<std::string> texts;
  if (job.kind == JobKind::single || exported_names().empty()) return texts;
  for (const std::uint32_t i : runs) {
    std::string& text = texts.emplace_back();
    for (const auto& [name, value] : planning.run(i).environment) {
      text += (text.empty() ? "export " : " ") + shell_quote(name + "=" + value);
    }
  }
  return texts;
}

std::vector<std::string> Script::exported_names() const {
  const auto repeats = static_cast<std::size_t>(planning.study.repeats);
  std::vector<std::string> names;
  const Matrix* last = nullptr;
  for (const std::uint32_t i : runs) {
    const Matrix& matrix = matrix_of(planning, i / repeats);
    // Runs of a matrix without overrides have the same variables.
    if (&matrix == last && matrix.overrides.empty()) continue;
    last = &matrix;
    for (const auto& [name, value] : planning.expansion.points[i / repeats].run.environment) {
      add_once(names, name);
    }
  }
  return names;
}

std::vector<std::string> Script::mounted_folders() const {
  const Study& study = planning.study;
  std::vector<std::string> folders;
  if (!external()) return folders;
  if (command.text() != first.trainer.command) {
    add_once(folders, folder_of(study.command_where, study.file));
  }
  if (names_value(study, "study_folder")) add_once(folders, study.folder());
  const std::string plan = out.root().string() + "/";
  std::erase_if(folders,
                [&](const std::string& folder) { return (folder + "/").starts_with(plan); });
  return folders;
}

bool Script::plain() const {
  return external() && (first.trainer.launcher.empty() || first.trainer.launcher == "plain");
}

bool Script::moldable() const {
  const Study& study = planning.study;
  const bool names_shape =
      external() && (names_value(study, "nodes") || names_value(study, "ranks_per_node"));
  const bool launcher_follows = !plain() && !torchrun() && !one_process() && !names_shape;
  return partition.moldable && !packed() && launcher_follows && shapes().size() > 1;
}

std::vector<Shape> Script::shapes() const {
  const int room = ranks_per_full_node(site, partition, request.cores_per_rank);
  return even_shapes(partition, request.nodes * request.ranks_per_node, room);
}

std::string Script::launch() const {
  const bool one_process = plain() || (torchrun() && request.nodes == 1);
  return one_process && !pyxis() ? "plain" : site.launcher;
}

int Script::cores_per_process() const {
  return request.ranks_per_node * request.cores_per_rank / processes_per_node();
}

bool Script::binds_cores() const {
  const bool by_slurm = launch() == "srun";
  if (on("local") || (packed() && !by_slurm)) return false;
  if (!site.bind.empty()) return site.bind == "cores";
  return by_slurm || partition.exclusive;
}

int Script::bound_cores() const {
  int cores = request.cores_per_rank;
  // For each GPU, OAR also gives a job a proportional share of the cores of the node.
  if (on("oar") && cuda() && !partition.exclusive) {
    cores = std::clamp(partition.cores_per_node / std::max(1, partition.gpus_per_node), 1, cores);
  }
  return cores * request.ranks_per_node / processes_per_node();
}

std::string Script::job_name() const {
  return chained() ? fmt::format("{}-chain-{}", planning.study.name, job.chain) : job.name;
}

bool Script::adds_nv() const {
  const auto names_gpus = [](const std::string& word) {
    return word == "--nv" || word == "--rocm";
  };
  const std::vector<std::string>& args = site.container.args;
  return cuda() && std::none_of(args.begin(), args.end(), names_gpus);
}

long Script::memory_mib() const {
  constexpr double kMibPerGb = 1e9 / (1 << 20);
  const bool is_requested = requested.memory_gb > 0;
  double share = 1;
  if (!is_requested && !partition.exclusive) {
    const double cores = static_cast<double>(request.ranks_per_node) * request.cores_per_rank;
    share = cuda() ? static_cast<double>(request.ranks_per_node) / partition.gpus_per_node
                   : cores / partition.cores_per_node;
  }
  const double mib = (is_requested ? requested.memory_gb : partition.memory_gb) * kMibPerGb * share;
  return std::max(1L, static_cast<long>(mib));  // 0 would request all memory
}

std::string Script::mail_events() const {
  std::vector<std::string> events;
  for (const std::string& event : mail().on) {
    events.push_back(event == "begin" ? (on("oar") ? "RUNNING" : "BEGIN")
                     : event == "end" ? "END"
                                      : (on("oar") ? "ERROR" : "FAIL"));
  }
  return fmt::format("{}", fmt::join(events, ","));
}

/// Returns the job types for OAR. OAR resubmits jobs of the type "idempotent" that exit with code
/// 99.
std::vector<std::string> Script::types() const {
  std::vector<std::string> types = partition.types;
  if (site.requeue.value_or(false)) add_once(types, "idempotent");
  return types;
}

int Script::signal_before_end_s() const {
  return std::min(site.signal_before_end_s, static_cast<int>(request.walltime_s / 2));
}

std::string Script::walltime() const {
  return base::clock_time(request.walltime_s);
}

std::string Script::properties() const {
  if (partition.gpu_type.empty()) return partition.properties;
  const std::string model = fmt::format("gpu_model='{}'", partition.gpu_type);
  return partition.properties.empty() ? model
                                      : fmt::format("({}) AND {}", partition.properties, model);
}

std::vector<std::string> Script::oar_requests() const {
  std::vector<Shape> allowed{{request.nodes, request.ranks_per_node}};
  if (moldable()) allowed = shapes();
  std::vector<std::string> lines;
  for (const Shape& shape : allowed) {
    const std::string part =
        partition.exclusive ? ""
        : cuda()            ? fmt::format("/{}={}", partition.gpu_resource, shape.ranks_per_node)
                 : fmt::format("/core={}", shape.ranks_per_node * request.cores_per_rank);
    lines.push_back(fmt::format("/{}={}{},walltime={}", partition.host_resource, shape.nodes, part,
                                walltime()));
  }
  return lines;
}

std::string Script::program() const {
  return program_of(first.trainer, command.text());
}

std::vector<std::string> Script::commands() const {
  std::vector<std::string> texts;
  if (!external() || job.kind == JobKind::single) return texts;
  for (const std::uint32_t i : runs) texts.push_back(command.of(planning.run(i), place()));
  return texts;
}

std::vector<std::string> Script::packed_runs() const {
  std::vector<std::string> items;
  if (!packed()) return items;
  for (const std::uint32_t i : runs) {
    items.push_back(fmt::format("{}:{}", planning.plan.runs[i].gpus, planning.plan.runs[i].run_id));
  }
  return items;
}

std::vector<std::string> Script::slots() const {
  std::vector<std::string> items;
  if (!packed()) return items;
  for (int i = 0; i < request.ranks_per_node; ++i) items.push_back(std::to_string(i));
  return items;
}

std::vector<std::string> Script::own_variables() const {
  std::vector<std::string> own;
  if (!on("slurm")) return own;
  // SLURM sets this variable from the default memory of a partition.
  if (!asks_memory()) own.push_back("SLURM_MEM_PER_CPU");
  if (asks_gpus_per_node()) own.push_back("SLURM_GPUS_PER_NODE");
  if (array()) own.push_back("SLURM_ARRAY_*");
  if (!partition.hint.empty()) {
    own.insert(own.end(), {"SLURM_HINT", "SLURM_THREADS_PER_CORE", "SLURM_NTASKS_PER_CORE"});
  }
  return own;
}

base::ScriptVariables Script::variables() const {
  return base::script_variables(site.scheduler, own_variables(), site.keep_environment);
}

std::vector<std::string> Script::data_variables() const {
  std::vector<std::string> names;
  for (const std::string& path : datasets) {
    for (std::string& name : variables_in(path)) add_once(names, std::move(name));
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return names;
}

namespace {

using contract::JobKind;

template <class T>
struct DataRow {
  const char* name;
  const char* meaning;
  T (*of)(const Script&);
};

/// Joins alternative patterns for bash's `case` and breaks the text into lines. All lines except
/// the last end with "| \", which continues the pattern on the next line.
std::vector<std::string> case_patterns(const std::vector<std::string_view>& patterns) {
  constexpr std::size_t kLongest = 90;
  std::vector<std::string> lines;
  for (const std::string_view pattern : patterns) {
    if (lines.empty() || lines.back().size() + pattern.size() > kLongest) {
      if (!lines.empty()) lines.back() += " | \\";
      lines.emplace_back(pattern).reserve(kLongest + 4);
    } else {
      lines.back() += " | ";
      lines.back() += pattern;
    }
  }
  return lines;
}

std::string gigabytes(double value) {
  return fmt::format("{:g}", value);
}

constexpr DataRow<std::string> kAskedValues[] = {
    {"job", "name of the job", [](const Script& s) { return s.job.name; }},
    {"job_name", "name of the job in the queue; SLURM: a chained job has the name of its chain",
     [](const Script& s) { return s.job_name(); }},
    {"site", "name of the site", [](const Script& s) { return s.site.name; }},
    {"partition", "name of the partition in the site file",
     [](const Script& s) { return s.partition.name; }},
    {"queue", "SLURM partition, OAR queue",
     [](const Script& s) { return s.partition.queue.value_or(s.partition.name); }},
    {"account", "SLURM account, OAR project", [](const Script& s) { return s.partition.account; }},
    {"qos", "SLURM quality of service", [](const Script& s) { return s.partition.qos; }},
    {"constraint", "SLURM features of the nodes",
     [](const Script& s) { return s.partition.constraint; }},
    {"hint", "SLURM hint on the use of cores and threads",
     [](const Script& s) { return s.partition.hint; }},
    {"gpu_type", "type of the GPUs", [](const Script& s) { return s.partition.gpu_type; }},
    {"properties", "OAR: SQL that selects the nodes, including the GPU model",
     [](const Script& s) { return s.properties(); }},
    {"gpu_resource", "OAR: name of the resource that counts GPUs",
     [](const Script& s) { return s.partition.gpu_resource; }},
    {"nodes", "number of nodes of the job",
     [](const Script& s) { return std::to_string(s.request.nodes); }},
    {"ranks_per_node", "GPUs used on each node; packed: most GPUs used at a time",
     [](const Script& s) { return std::to_string(s.request.ranks_per_node); }},
    {"cores_per_rank", "cores per rank",
     [](const Script& s) { return std::to_string(s.request.cores_per_rank); }},
    {"tasks_per_node",
     "SLURM: requested tasks per node: ranks, or one process with several devices",
     [](const Script& s) { return std::to_string(s.asked_tasks()); }},
    {"cores_per_task", "SLURM: requested cores per task",
     [](const Script& s) { return std::to_string(s.asked_cores()); }},
    {"cores_used_per_node", "ranks_per_node x cores_per_rank",
     [](const Script& s) {
       return std::to_string(s.request.ranks_per_node * s.request.cores_per_rank);
     }},
    {"walltime", "time limit, H:MM:SS", [](const Script& s) { return s.walltime(); }},
    {"signal_before_end_s", "seconds before the time limit at which the signal USR1 is sent",
     [](const Script& s) { return std::to_string(s.signal_before_end_s()); }},
    {"memory_mib", "memory requested on each node, MiB",
     [](const Script& s) { return std::to_string(s.memory_mib()); }},
    {"gpus_per_node", "GPUs of each node of the partition",
     [](const Script& s) { return std::to_string(s.partition.gpus_per_node); }},
    {"cores_per_node", "cores of each node of the partition",
     [](const Script& s) { return std::to_string(s.partition.cores_per_node); }},
    {"memory_gb", "memory of each node of the partition, GB",
     [](const Script& s) { return gigabytes(s.partition.memory_gb); }},
    {"mail_user", "recipient of mail", [](const Script& s) { return s.mail().user; }},
    {"mail_events", "events that cause mail, as the batch system names them",
     [](const Script& s) { return s.mail_events(); }},
    {"gpus_wanted", "GPUs that must be visible on each node",
     [](const Script& s) {
       return std::to_string(s.moldable() ? s.shapes().back().ranks_per_node
                                          : s.request.ranks_per_node);
     }},
};

constexpr DataRow<std::string> kRunningValues[] = {
    {"launcher", "program that starts the ranks",
     [](const Script& s) { return s.site.launcher == "oarsh" ? "mpirun" : s.site.launcher; }},
    {"launch_nodes", "nodes on which the launcher starts processes",
     [](const Script& s) { return std::to_string(s.launch_nodes()); }},
    {"processes", "processes that the launcher starts",
     [](const Script& s) { return std::to_string(s.launch_nodes() * s.processes_per_node()); }},
    {"processes_per_node", "processes that the launcher starts on each node",
     [](const Script& s) { return std::to_string(s.processes_per_node()); }},
    {"cores_per_process", "cores per process",
     [](const Script& s) { return std::to_string(s.cores_per_process()); }},
    {"bound_cores", "cores that mpirun binds each process to",
     [](const Script& s) { return std::to_string(s.bound_cores()); }},
    {"trainer", "dlscale-train, as set by the site",
     [](const Script& s) { return s.site.trainer; }},
    {"command", "external trainer: command of this run (single jobs)",
     [](const Script& s) {
       return s.external() && s.job.kind == JobKind::single ? s.command.of(s.first, s.place()) : "";
     }},
    {"program", "external trainer: first word of its command",
     [](const Script& s) { return s.program(); }},
    {"rendezvous_host", "command of the site that prints the name of a node for torchrun",
     [](const Script& s) { return s.site.rendezvous_host; }},
    {"image", "image of the container", [](const Script& s) { return s.site.container.image; }},
    {"runtime", "program that starts containers", [](const Script& s) { return s.container(); }},
    {"run_count", "number of runs of the job",
     [](const Script& s) { return std::to_string(s.runs.size()); }},
    {"table", "in an array: file with one line per run",
     [](const Script& s) { return contract::PlanDir({}).run_table(s.job.table).string(); }},
    {"first_line", "in an array: line of the first task in the file `table`, from 1",
     [](const Script& s) { return std::to_string(s.job.offset + 1); }},
    {"last_task", "in an array: number of the last task, from 0",
     [](const Script& s) { return std::to_string(s.runs.size() - 1); }},
    {"throttle", "in an array: largest number of tasks at a time",
     [](const Script& s) { return std::to_string(s.job.throttle); }},
    {"array_parameters",
     "in an array, for OAR: file that lists the line of each task in the file `table`",
     [](const Script& s) { return s.out.array_parameters(s.job.name).string(); }},
    {"plan_folder", "absolute path of the plan folder",
     [](const Script& s) { return s.out.root().string(); }},
    {"run_folder", "folder of the run, relative to the plan folder",
     [](const Script& s) { return contract::PlanDir({}).run(s.first.run_id).root().string(); }},
    {"job_out", "file in which the batch system stores standard output",
     [](const Script& s) { return s.out.job_out(s.job.name).string(); }},
    {"job_err", "file in which the batch system stores standard error",
     [](const Script& s) { return s.out.job_err(s.job.name).string(); }},
};

constexpr DataRow<bool> kJobFlags[] = {
    {"is_single", "the job has one run",
     [](const Script& s) { return s.job.kind == JobKind::single; }},
    {"is_packed", "several runs share the node", [](const Script& s) { return s.packed(); }},
    {"is_array", "each run is a task of an array", [](const Script& s) { return s.array(); }},
    {"is_chained", "SLURM: the job waits for earlier jobs with its name",
     [](const Script& s) { return s.chained(); }},
    {"is_one_process", "the GPUs of a run are devices of one process",
     [](const Script& s) { return s.one_process(); }},
    {"is_external", "the study uses an external trainer",
     [](const Script& s) { return s.external(); }},
    {"has_model", "", [](const Script& s) { return !s.first.model.empty(); }},
    {"has_queue", "", [](const Script& s) { return s.partition.queue != ""; }},
    {"has_account", "", [](const Script& s) { return !s.partition.account.empty(); }},
    {"has_qos", "", [](const Script& s) { return !s.partition.qos.empty(); }},
    {"has_constraint", "", [](const Script& s) { return !s.partition.constraint.empty(); }},
    {"has_hint", "", [](const Script& s) { return !s.partition.hint.empty(); }},
    {"has_gpu_type", "", [](const Script& s) { return !s.partition.gpu_type.empty(); }},
    {"has_properties", "", [](const Script& s) { return !s.properties().empty(); }},
    {"has_memory", "the memory of a node of the partition is known",
     [](const Script& s) { return s.partition.memory_gb > 0; }},
    {"has_gpus", "ranks compute on GPUs", [](const Script& s) { return s.cuda(); }},
    {"adds_nv", "apptainer, singularity: the container is started with --nv",
     [](const Script& s) { return s.adds_nv(); }},
    {"has_mail", "", [](const Script& s) { return !s.mail().user.empty(); }},
    {"has_throttle", "", [](const Script& s) { return s.job.throttle > 0; }},
    {"has_signal", "the batch system sends a signal before the time limit",
     [](const Script& s) { return !s.on("local") && s.signal_before_end_s() > 0; }},
    {"requeues", "SLURM: a job whose run saved its state is requeued",
     [](const Script& s) { return s.requeues(); }},
};

constexpr DataRow<bool> kLaunchFlags[] = {
    {"has_launcher", "a launcher starts the processes",
     [](const Script& s) { return s.launch() != "plain"; }},
    {"names_launch", "launch_folder, master_address or master_port occurs in the command or a file",
     [](const Script& s) { return s.names_launch(); }},
    {"spans_nodes", "the job has several nodes",
     [](const Script& s) { return s.request.nodes > 1; }},
    {"has_setup", "the study has lines of environment_setup",
     [](const Script& s) { return !s.planning.study.environment_setup.empty(); }},
    {"has_run_files", "the runs get configuration files",
     [](const Script& s) { return !s.run_files().empty(); }},
    {"has_exported", "the runs set environment variables",
     [](const Script& s) { return !s.exported_names().empty(); }},
    {"has_program", "the script can check that the program `program` exists",
     [](const Script& s) { return s.external() && s.container().empty() && !s.program().empty(); }},
    {"has_container", "ranks run in a container",
     [](const Script& s) { return !s.container().empty(); }},
    {"has_runtime", "the program `runtime` must be on PATH",
     [](const Script& s) { return !s.container().empty() && !s.pyxis(); }},
    {"in_oar", "OAR runs the job", [](const Script& s) { return s.on("oar"); }},
    {"in_slurm", "SLURM runs the job", [](const Script& s) { return s.on("slurm"); }},
    {"names_rendezvous", "torchrun uses the node name that the command `rendezvous_host` prints",
     [](const Script& s) { return s.names_rendezvous(); }},
    {"binds_cores", "the launcher binds each process to separate cores",
     [](const Script& s) { return s.binds_cores(); }},
    {"maps_processes", "mpirun receives the placement of the processes",
     [](const Script& s) { return s.launch_nodes() > 1 || s.binds_cores(); }},
    {"owns_session", "mpirun starts processes only on this node",
     [](const Script& s) { return s.owns_session(); }},
    {"in_srun", "srun starts the processes", [](const Script& s) { return s.launch() == "srun"; }},
    {"in_pyxis", "srun starts the container", [](const Script& s) { return s.pyxis(); }},
    {"wraps_ranks", "the program `runtime` starts the container",
     [](const Script& s) { return !s.container().empty() && !s.pyxis(); }},
    {"checks_image", "the value `image` is the path of a file",
     [](const Script& s) { return s.site.container.image.find_first_of("/.") == 0; }},
    {"checks_trainer", "the script can check that dlscale-train exists",
     [](const Script& s) { return !s.external() && s.container().empty(); }},
    {"checks_data", "the script can check that the paths in `datasets` exist",
     [](const Script& s) { return s.container().empty() && !s.datasets.empty(); }},
    {"exclusive", "the job uses whole nodes",
     [](const Script& s) { return s.partition.exclusive; }},
    {"moldable", "OAR chooses one of several shapes", [](const Script& s) { return s.moldable(); }},
    {"several_nodes", "the job starts processes on more than one node",
     [](const Script& s) { return s.launch_nodes() > 1; }},
    {"asks_gpus", "SLURM: GPUs are requested",
     [](const Script& s) { return s.cuda() && s.partition.gpu_request != "none"; }},
    {"asks_gres", "SLURM: GPUs are requested with --gres",
     [](const Script& s) { return s.cuda() && s.partition.gpu_request == "gres"; }},
    {"asks_gpus_per_node", "SLURM: GPUs are requested with --gpus-per-node",
     [](const Script& s) { return s.asks_gpus_per_node(); }},
    {"asks_memory", "SLURM: memory is requested", [](const Script& s) { return s.asks_memory(); }},
};

constexpr DataRow<std::vector<std::string>> kLists[] = {
    {"launcher_args", "arguments of the launcher",
     [](const Script& s) { return s.site.launcher_args; }},
    {"container_args", "arguments of the container program",
     [](const Script& s) { return s.site.container.args; }},
    {"oar_requests", "OAR: alternative requests of resources and walltime",
     [](const Script& s) { return s.oar_requests(); }},
    {"types", "OAR: types of the job", [](const Script& s) { return s.types(); }},
    {"datasets", "paths of data, weights and model files, with variables not expanded",
     [](const Script& s) { return s.datasets; }},
    {"dataset_variables", "names of the variables in `datasets`, longest first",
     [](const Script& s) { return s.data_variables(); }},
    {"packed_runs", "packed: RANKS:RUN of each run, in the order in which the runs start",
     [](const Script& s) { return s.packed_runs(); }},
    {"commands", "external trainer: the command of each run (packed and array)",
     [](const Script& s) { return s.commands(); }},
    {"run_files", "files of each run, relative to the launch folder",
     [](const Script& s) { return s.run_files(); }},
    {"exported", "NAME=VALUE of each environment variable of this run (single jobs)",
     [](const Script& s) { return s.exported(); }},
    {"each_exported", "command that exports the variables of each run (packed and array)",
     [](const Script& s) { return s.each_exported(); }},
    {"exported_names", "names of the environment variables of all runs",
     [](const Script& s) { return s.exported_names(); }},
    {"own_variables", "SLURM: patterns of variables that SLURM sets because of the directives",
     [](const Script& s) { return s.own_variables(); }},
    {"mounted_folders", "folders that a container needs in addition to the plan folder",
     [](const Script& s) { return s.mounted_folders(); }},
    {"slots", "packed: 0, 1, …, one number for each rank that fits on the node at a time",
     [](const Script& s) { return s.slots(); }},
};

constexpr DataRow<std::vector<std::string>> kLines[] = {
    {"kept_variables", "patterns of variables that the script keeps, {{{line}}}",
     [](const Script& s) { return case_patterns(s.variables().kept); }},
    {"unset_variables", "patterns of variables that the script unsets, {{{line}}}",
     [](const Script& s) { return case_patterns(s.variables().unset); }},
    {"modules", "shell lines of the site, {{{line}}}",
     [](const Script& s) { return s.site.modules; }},
    {"environment", "shell lines of the site, {{{line}}}",
     [](const Script& s) { return s.site.environment; }},
    {"environment_setup", "shell lines of the study, {{{line}}}",
     [](const Script& s) { return setup_lines(s.planning.study, s.place()); }},
};

constexpr DataRow<std::string> kPartials[] = {
    {"choose", "choose_single, choose_packed or choose_array: selects the runs",
     [](const Script& s) { return "choose_" + contract::to_string(s.job.kind); }},
    {"rank", "rank_dlscale or rank_external: command of each process",
     [](const Script& s) { return std::string(s.external() ? "rank_external" : "rank_dlscale"); }},
    {"external", "external_<launcher>: how the command starts its ranks",
     [](const Script& s) {
       return "external_" + (s.first.trainer.launcher.empty() ? "plain" : s.first.trainer.launcher);
     }},
    {"container", "container_<kind>: starts the container",
     [](const Script& s) { return "container_" + s.container(); }},
    {"launch", "launch_<launcher>: command line of the launcher",
     [](const Script& s) { return "launch_" + s.launch(); }},
    {"work", "work_single or work_packed: starts the runs and waits",
     [](const Script& s) { return std::string(s.packed() ? "work_packed" : "work_single"); }},
};

}  // namespace

TemplateData script_data(const Planning& planning, std::size_t job, const contract::PlanDir& out,
                         ExternalCommand& command) {
  const Script script(planning, job, out, command);
  TemplateData data;
  add_run_values(script.first, data);
  const auto add = [&](const auto& rows, auto& to) {
    for (const auto& row : rows) to.emplace_back(row.name, row.of(script));
  };
  add(kAskedValues, data.values);
  add(kRunningValues, data.values);
  add(kJobFlags, data.flags);
  add(kLaunchFlags, data.flags);
  add(kLists, data.lists);
  add(kLines, data.verbatim);
  add(kPartials, data.partials);
  return data;
}

TemplateData inherited_data(const Planning& planning) {
  const Site& site = planning.site;
  const auto [kept, unset] = base::script_variables(site.scheduler, {}, site.keep_environment);
  TemplateData data;
  data.verbatim = {{"kept_variables", case_patterns(kept)},
                   {"unset_variables", case_patterns(unset)}};
  return data;
}

std::vector<ScriptName> script_names() {
  std::vector<ScriptName> names = run_value_names();
  const auto add = [&](const char* kind, const auto& rows) {
    for (const auto& row : rows) {
      const bool obvious = std::string_view(row.meaning).empty();
      names.push_back({row.name, kind,
                       obvious
                           ? fmt::format("{} is not empty", std::string_view(row.name).substr(4))
                           : std::string(row.meaning)});
    }
  };
  add("value", kAskedValues);
  add("value", kRunningValues);
  add("flag", kJobFlags);
  add("flag", kLaunchFlags);
  add("list", kLists);
  add("lines", kLines);
  add("partial", kPartials);
  return names;
}

}  // namespace dlscale::planner
