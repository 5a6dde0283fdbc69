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
      wishes(matrix_of(all, point_of(all, index)).resources),
      allocation(all.allocations[point_of(all, index)]),
      partition(partition_for(site, wishes, allocation)),
      request(job.resources),
      datasets(data_paths(all, runs, first)) {
  // A bind mount is written FROM:TO.
  if (!container().empty() && out.root().string().find_first_of(":,") != std::string::npos) {
    throw base::UsageError(fmt::format(
        "the plan folder {} cannot be mounted in a container: its path holds : or ,; choose "
        "another with -o",
        out.root().string()));
  }
}

bool Script::plain() const {
  return external() && (first.trainer.launcher.empty() || first.trainer.launcher == "plain");
}

bool Script::moldable() const {
  const bool launcher_follows = !plain() && !torchrun() && !one_process();
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
  if (on("oar") && cuda() && !partition.exclusive) {  // OAR gives each GPU its share of the cores
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
  const bool wished = wishes.memory_gb > 0;
  double share = 1;
  if (!wished && !partition.exclusive) {
    const double cores = static_cast<double>(request.ranks_per_node) * request.cores_per_rank;
    share = cuda() ? static_cast<double>(request.ranks_per_node) / partition.gpus_per_node
                   : cores / partition.cores_per_node;
  }
  const double mib = (wished ? wishes.memory_gb : partition.memory_gb) * kMibPerGb * share;
  return std::max(1L, static_cast<long>(mib));  // 0 asks SLURM for all the memory there is
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

/// OAR submits idempotent jobs that end with 99 again.
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
  if (torchrun()) return "torchrun";
  const std::string& command = first.trainer.command;
  const std::string word = command.substr(0, command.find_first_of(" \t\n"));
  const bool plain_word = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_./-+").find(static_cast<char>(c)) < 5;
  });
  return plain_word ? word : "";
}

std::vector<std::string> Script::commands() const {
  std::vector<std::string> texts;
  if (!external() || job.kind == JobKind::single) return texts;
  for (const std::uint32_t i : runs) texts.push_back(command.of(planning.run(i)));
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

base::ScriptVariables Script::variables() const {
  std::vector<std::string> own;
  if (!asks_memory()) own.push_back("SLURM_MEM_PER_CPU");  // a partition's default may set it
  if (asks_gpus_per_node()) own.push_back("SLURM_GPUS_PER_NODE");
  if (array()) own.push_back("SLURM_ARRAY_*");
  if (!partition.hint.empty()) {
    own.insert(own.end(), {"SLURM_HINT", "SLURM_THREADS_PER_CORE", "SLURM_NTASKS_PER_CORE"});
  }
  return base::script_variables(site.scheduler, own, site.keep_environment);
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

}  // namespace dlscale::planner
