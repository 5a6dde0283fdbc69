// SPDX-License-Identifier: Apache-2.0
#include "planner/script_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "planner/dataset_path.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

std::string clock_time(double seconds) {
  const auto total = static_cast<long>(seconds);
  return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

Partition partition_of(const Site& site, const std::string& name) {
  const auto found = std::find_if(site.partitions.begin(), site.partitions.end(),
                                  [&](const Partition& p) { return p.name == name; });
  return found == site.partitions.end() ? Partition{} : *found;
}

}  // namespace

TemplateData script_data(const Planning& planning, std::size_t index,
                         const contract::PlanDir& out) {
  const contract::PlannedJob& job = planning.plan.jobs[index];
  const contract::RunSpec run = planning.run(index);
  const Site& site = planning.site;
  const Partition partition = partition_of(site, job.partition);
  const contract::ResourceRequest& request = job.resources;
  TemplateData data;
  data.values = {
      {"study", run.study},
      {"job", job.name},
      {"run_id", run.run_id},
      {"framework", run.framework},
      {"model", run.model},
      {"loader", run.loader},
      {"lr_schedule", run.lr_schedule.kind},
      {"gpus", std::to_string(run.gpus)},
      {"global_batch", std::to_string(run.global_batch)},
      {"nodes", std::to_string(request.nodes)},
      {"ranks_per_node", std::to_string(request.ranks_per_node)},
      {"cores_per_rank", std::to_string(request.cores_per_rank)},
      {"cores_used_per_node",
       std::to_string(std::int64_t{request.ranks_per_node} * request.cores_per_rank)},
      {"walltime", clock_time(request.walltime_s)},
      {"site", site.name},
      {"partition", partition.name},
      {"gpu_resource", partition.gpu_resource},
      {"properties", partition.properties},
      {"gpus_per_node", std::to_string(partition.gpus_per_node)},
      {"cores_per_node", std::to_string(partition.cores_per_node)},
      {"memory_gb", fmt::format("{:g}", partition.memory_gb)},
      {"account", site.account},
      {"launcher", site.launcher == "oarsh" ? "mpirun" : site.launcher},
      {"trainer", site.trainer},
      {"plan_folder", out.root().string()},
      {"run_folder", fs::relative(out.run(run.run_id).root(), out.root()).string()},
      {"job_out", out.job_out(job.name).string()},
      {"job_err", out.job_err(job.name).string()},
      {"job_end", out.job_end(job.name).string()},
  };
  data.flags = {{"has_account", !site.account.empty()},
                {"has_properties", !partition.properties.empty()},
                {"has_memory", partition.memory_gb > 0},
                {"has_gpus", request.device == "cuda"},
                {"several_nodes", request.nodes > 1}};
  data.lists = {{"launcher_args", site.launcher_args},
                {"dataset_variables", variables_in(run.dataset.path)}};
  data.verbatim = {{"modules", site.modules}, {"environment", site.environment}};
  data.partials = {{"launch", "launch_" + site.launcher}};
  return data;
}

}  // namespace dlscale::planner
