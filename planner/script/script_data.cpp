// SPDX-License-Identifier: Apache-2.0
#include "planner/script/script_data.hpp"

#include <fmt/format.h>

#include "planner/script/script.hpp"

namespace dlscale::planner {
namespace {

using contract::JobKind;

template <class T>
struct DataRow {
  const char* name;
  const char* meaning;
  T (*of)(const Script&);
};

/// Alternatives of one pattern in bash's `case`, in lines that go on in the next one.
std::vector<std::string> case_patterns(const std::vector<std::string>& patterns) {
  constexpr std::size_t kLongest = 90;
  std::vector<std::string> lines;
  for (const std::string& pattern : patterns) {
    if (lines.empty() || lines.back().size() + pattern.size() > kLongest) {
      if (!lines.empty()) lines.back() += " | \\";
      lines.push_back(pattern);
    } else {
      lines.back() += " | " + pattern;
    }
  }
  return lines;
}

std::string gigabytes(double value) {
  return fmt::format("{:g}", value);
}

constexpr DataRow<std::string> kAskedValues[] = {
    {"job", "name of the job", [](const Script& s) { return s.job.name; }},
    {"job_name", "what the queue calls the job: its name; SLURM: of a chained one its chain's",
     [](const Script& s) { return s.job_name(); }},
    {"site", "name of the site", [](const Script& s) { return s.site.name; }},
    {"partition", "of the site file", [](const Script& s) { return s.partition.name; }},
    {"queue", "SLURM partition, OAR queue",
     [](const Script& s) { return s.partition.queue.value_or(s.partition.name); }},
    {"account", "SLURM account, OAR project", [](const Script& s) { return s.partition.account; }},
    {"qos", "SLURM quality of service", [](const Script& s) { return s.partition.qos; }},
    {"constraint", "SLURM features of the nodes",
     [](const Script& s) { return s.partition.constraint; }},
    {"hint", "SLURM use of cores and threads", [](const Script& s) { return s.partition.hint; }},
    {"gpu_type", "of the GPUs", [](const Script& s) { return s.partition.gpu_type; }},
    {"properties", "OAR: SQL that picks the nodes, GPU model included",
     [](const Script& s) { return s.properties(); }},
    {"gpu_resource", "OAR: the resource that counts GPUs",
     [](const Script& s) { return s.partition.gpu_resource; }},
    {"nodes", "of the job", [](const Script& s) { return std::to_string(s.request.nodes); }},
    {"ranks_per_node", "GPUs used of each node; of a packed job: at most at a time",
     [](const Script& s) { return std::to_string(s.request.ranks_per_node); }},
    {"cores_per_rank", "cores of a rank",
     [](const Script& s) { return std::to_string(s.request.cores_per_rank); }},
    {"tasks_per_node", "SLURM: that are asked for: ranks, or one process with several devices",
     [](const Script& s) { return std::to_string(s.asked_tasks()); }},
    {"cores_per_task", "SLURM: cores of each of them",
     [](const Script& s) { return std::to_string(s.asked_cores()); }},
    {"cores_used_per_node", "ranks_per_node x cores_per_rank",
     [](const Script& s) {
       return std::to_string(s.request.ranks_per_node * s.request.cores_per_rank);
     }},
    {"walltime", "time limit, H:MM:SS", [](const Script& s) { return s.walltime(); }},
    {"signal_before_end_s", "how long before the time limit USR1 comes",
     [](const Script& s) { return std::to_string(s.signal_before_end_s()); }},
    {"memory_mib", "memory asked of each node, MiB",
     [](const Script& s) { return std::to_string(s.memory_mib()); }},
    {"gpus_per_node", "of the partition's nodes",
     [](const Script& s) { return std::to_string(s.partition.gpus_per_node); }},
    {"cores_per_node", "of the partition's nodes",
     [](const Script& s) { return std::to_string(s.partition.cores_per_node); }},
    {"memory_gb", "of the partition's nodes",
     [](const Script& s) { return gigabytes(s.partition.memory_gb); }},
    {"mail_user", "who gets mail", [](const Script& s) { return s.mail().user; }},
    {"mail_events", "when, in the batch system's words",
     [](const Script& s) { return s.mail_events(); }},
    {"gpus_wanted", "GPUs that each node must show",
     [](const Script& s) {
       return std::to_string(s.moldable() ? s.shapes().back().ranks_per_node
                                          : s.request.ranks_per_node);
     }},
};

constexpr DataRow<std::string> kRunningValues[] = {
    {"launcher", "the program that starts the ranks",
     [](const Script& s) { return s.site.launcher == "oarsh" ? "mpirun" : s.site.launcher; }},
    {"launch_nodes", "nodes on which the launcher starts processes",
     [](const Script& s) { return std::to_string(s.launch_nodes()); }},
    {"processes", "that the launcher starts",
     [](const Script& s) { return std::to_string(s.launch_nodes() * s.processes_per_node()); }},
    {"processes_per_node", "that the launcher starts on each",
     [](const Script& s) { return std::to_string(s.processes_per_node()); }},
    {"cores_per_process", "cores of each of them",
     [](const Script& s) { return std::to_string(s.cores_per_process()); }},
    {"bound_cores", "cores that mpirun ties each of them to",
     [](const Script& s) { return std::to_string(s.bound_cores()); }},
    {"trainer", "dlscale-train, as the site says", [](const Script& s) { return s.site.trainer; }},
    {"command", "external trainer: its command for this run (single jobs)",
     [](const Script& s) {
       return s.external() && s.job.kind == JobKind::single ? s.command.of(s.first) : "";
     }},
    {"program", "external trainer: the first word of its command",
     [](const Script& s) { return s.program(); }},
    {"rendezvous_host", "the site's command that prints a node's name for torchrun",
     [](const Script& s) { return s.site.rendezvous_host; }},
    {"image", "of the container", [](const Script& s) { return s.site.container.image; }},
    {"runtime", "the program that starts containers",
     [](const Script& s) { return s.container(); }},
    {"run_count", "runs of the job", [](const Script& s) { return std::to_string(s.runs.size()); }},
    {"table", "array: file with a line for each run",
     [](const Script& s) { return contract::PlanDir({}).run_table(s.job.table).string(); }},
    {"first_line", "array: line of the first task, from 1",
     [](const Script& s) { return std::to_string(s.job.offset + 1); }},
    {"last_task", "array: number of the last task, from 0",
     [](const Script& s) { return std::to_string(s.runs.size() - 1); }},
    {"throttle", "array: tasks at a time",
     [](const Script& s) { return std::to_string(s.job.throttle); }},
    {"array_parameters", "array: file with the line number of each task, for OAR",
     [](const Script& s) { return s.out.array_parameters(s.job.name).string(); }},
    {"plan_folder", "absolute path", [](const Script& s) { return s.out.root().string(); }},
    {"run_folder", "of the run, from the plan folder",
     [](const Script& s) { return contract::PlanDir({}).run(s.first.run_id).root().string(); }},
    {"job_out", "where the batch system puts standard output",
     [](const Script& s) { return s.out.job_out(s.job.name).string(); }},
    {"job_err", "where the batch system puts standard error",
     [](const Script& s) { return s.out.job_err(s.job.name).string(); }},
};

constexpr DataRow<bool> kJobFlags[] = {
    {"is_single", "one run", [](const Script& s) { return s.job.kind == JobKind::single; }},
    {"is_packed", "several runs share the node", [](const Script& s) { return s.packed(); }},
    {"is_array", "each run is a task of an array", [](const Script& s) { return s.array(); }},
    {"is_chained", "SLURM: waits for the jobs of its name",
     [](const Script& s) { return s.chained(); }},
    {"is_one_process", "the GPUs of a run are devices of one process",
     [](const Script& s) { return s.one_process(); }},
    {"is_external", "the study brings its own trainer",
     [](const Script& s) { return s.external(); }},
    {"has_queue", "", [](const Script& s) { return s.partition.queue != ""; }},
    {"has_account", "", [](const Script& s) { return !s.partition.account.empty(); }},
    {"has_qos", "", [](const Script& s) { return !s.partition.qos.empty(); }},
    {"has_constraint", "", [](const Script& s) { return !s.partition.constraint.empty(); }},
    {"has_hint", "", [](const Script& s) { return !s.partition.hint.empty(); }},
    {"has_gpu_type", "", [](const Script& s) { return !s.partition.gpu_type.empty(); }},
    {"has_properties", "", [](const Script& s) { return !s.properties().empty(); }},
    {"has_memory", "memory_gb is known", [](const Script& s) { return s.partition.memory_gb > 0; }},
    {"has_gpus", "ranks compute on GPUs", [](const Script& s) { return s.cuda(); }},
    {"adds_nv", "apptainer, singularity: the container gets --nv",
     [](const Script& s) { return s.adds_nv(); }},
    {"has_mail", "", [](const Script& s) { return !s.mail().user.empty(); }},
    {"has_throttle", "", [](const Script& s) { return s.job.throttle > 0; }},
    {"has_signal", "the batch system warns before the time limit",
     [](const Script& s) { return !s.on("local") && s.signal_before_end_s() > 0; }},
    {"requeues", "SLURM: a job whose run saved its state goes back to the queue",
     [](const Script& s) { return s.requeues(); }},
};

constexpr DataRow<bool> kLaunchFlags[] = {
    {"has_launcher", "a launcher starts the processes",
     [](const Script& s) { return s.launch() != "plain"; }},
    {"has_program", "program can be looked for",
     [](const Script& s) { return s.external() && s.container().empty() && !s.program().empty(); }},
    {"has_container", "ranks run in a container",
     [](const Script& s) { return !s.container().empty(); }},
    {"has_runtime", "runtime is a program of its own",
     [](const Script& s) { return !s.container().empty() && !s.pyxis(); }},
    {"in_oar", "OAR runs the job", [](const Script& s) { return s.on("oar"); }},
    {"in_slurm", "SLURM runs the job", [](const Script& s) { return s.on("slurm"); }},
    {"names_rendezvous", "torchrun meets at the name that rendezvous_host prints",
     [](const Script& s) { return s.names_rendezvous(); }},
    {"binds_cores", "the launcher ties each process to cores of its own",
     [](const Script& s) { return s.binds_cores(); }},
    {"maps_processes", "mpirun is told where they go",
     [](const Script& s) { return s.launch_nodes() > 1 || s.binds_cores(); }},
    {"owns_session", "mpirun starts processes on this node alone",
     [](const Script& s) { return s.owns_session(); }},
    {"in_srun", "srun starts the processes", [](const Script& s) { return s.launch() == "srun"; }},
    {"in_pyxis", "srun starts the container", [](const Script& s) { return s.pyxis(); }},
    {"wraps_ranks", "runtime starts the container",
     [](const Script& s) { return !s.container().empty() && !s.pyxis(); }},
    {"checks_image", "image is a file",
     [](const Script& s) { return s.site.container.image.find_first_of("/.") == 0; }},
    {"checks_trainer", "trainer can be looked for",
     [](const Script& s) { return !s.external() && s.container().empty(); }},
    {"checks_data", "datasets can be looked for",
     [](const Script& s) { return s.container().empty() && !s.datasets.empty(); }},
    {"exclusive", "whole nodes", [](const Script& s) { return s.partition.exclusive; }},
    {"moldable", "OAR chooses one of several shapes", [](const Script& s) { return s.moldable(); }},
    {"several_nodes", "processes on more than one node",
     [](const Script& s) { return s.launch_nodes() > 1; }},
    {"asks_gpus", "SLURM: GPUs are asked for",
     [](const Script& s) { return s.cuda() && s.partition.gpu_request != "none"; }},
    {"asks_gres", "SLURM: with --gres",
     [](const Script& s) { return s.cuda() && s.partition.gpu_request == "gres"; }},
    {"asks_gpus_per_node", "SLURM: with --gpus-per-node",
     [](const Script& s) { return s.asks_gpus_per_node(); }},
    {"asks_memory", "SLURM: memory is asked for", [](const Script& s) { return s.asks_memory(); }},
};

constexpr DataRow<std::vector<std::string>> kLists[] = {
    {"launcher_args", "words for the launcher",
     [](const Script& s) { return s.site.launcher_args; }},
    {"container_args", "words for the container",
     [](const Script& s) { return s.site.container.args; }},
    {"oar_requests", "OAR: each resources and walltime that will do",
     [](const Script& s) { return s.oar_requests(); }},
    {"types", "OAR: types of the job", [](const Script& s) { return s.types(); }},
    {"datasets", "paths of data, weights and models in files, their variables as written",
     [](const Script& s) { return s.datasets; }},
    {"dataset_variables", "names of those variables, the longest first",
     [](const Script& s) { return s.data_variables(); }},
    {"packed_runs", "packed: RANKS:RUN in the order they start",
     [](const Script& s) { return s.packed_runs(); }},
    {"commands", "external trainer: the command of each run (packed and array)",
     [](const Script& s) { return s.commands(); }},
    {"slots", "packed: 0, 1, … for each rank at a time", [](const Script& s) { return s.slots(); }},
};

constexpr DataRow<std::vector<std::string>> kLines[] = {
    {"kept_variables", "patterns of variables that the script leaves as they are, {{{line}}}",
     [](const Script& s) { return case_patterns(s.variables().kept); }},
    {"unset_variables", "patterns of variables that are not this job's, {{{line}}}",
     [](const Script& s) { return case_patterns(s.variables().unset); }},
    {"modules", "shell lines of the site, {{{line}}}",
     [](const Script& s) { return s.site.modules; }},
    {"environment", "shell lines of the site, {{{line}}}",
     [](const Script& s) { return s.site.environment; }},
};

constexpr DataRow<std::string> kPartials[] = {
    {"choose", "choose_single, choose_packed or choose_array: which runs",
     [](const Script& s) { return "choose_" + contract::to_string(s.job.kind); }},
    {"rank", "rank_dlscale or rank_external: what each process runs",
     [](const Script& s) { return std::string(s.external() ? "rank_external" : "rank_dlscale"); }},
    {"external", "external_<launcher>: how the command starts its ranks",
     [](const Script& s) {
       return "external_" + (s.first.trainer.launcher.empty() ? "plain" : s.first.trainer.launcher);
     }},
    {"container", "container_<kind>", [](const Script& s) { return "container_" + s.container(); }},
    {"launch", "launch_<launcher>: the launcher's line",
     [](const Script& s) { return "launch_" + s.launch(); }},
    {"work", "work_single or work_packed: starts and waits",
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
