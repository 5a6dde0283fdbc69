// SPDX-License-Identifier: Apache-2.0
// What a plan folder is made of: descriptions, scripts, copies.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "planner/dataset_path.hpp"
#include "planner/planner.hpp"
#include "planner/render.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

std::string clock_time(double seconds) {
  const auto total = static_cast<long>(seconds);
  return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

fs::path absolute_root(const contract::PlanDir& out) {
  const fs::path root = fs::absolute(out.root()).lexically_normal();
  return root.has_filename() ? root : root.parent_path();
}

/// What the templates may name; docs/study-format.md lists it.
TemplateData template_data(const Planning& planning, std::size_t index,
                           const contract::PlanDir& out) {
  const contract::RunSpec& run = planning.runs[index];
  const contract::PlannedJob& job = planning.plan.jobs[index];
  const Site& site = planning.site;
  const Partition partition =
      planning.job_partitions.empty() ? Partition{} : planning.job_partitions[index];
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

/// Counts files; what has this content already is left alone.
struct FileWriter {
  WrittenPlan& result;

  void write(const fs::path& path, std::string_view content) {
    ++(base::write_file_if_changed(path, content) ? result.written : result.unchanged);
  }
  void write_executable(const fs::path& path, std::string_view content) {
    write(path, content);
    std::error_code error;
    const auto read_bits = fs::status(path, error).permissions() & fs::perms(0444);
    const auto execute_bits = static_cast<fs::perms>(static_cast<unsigned>(read_bits) >> 2);
    fs::permissions(path, execute_bits, fs::perm_options::add, error);
    if (error) {
      throw base::RunError(
          fmt::format("cannot make {} executable: {}", path.string(), error.message()));
    }
  }
};

void refuse_other_plan(const contract::Plan& plan, const contract::PlanDir& out) {
  std::error_code unreadable;
  if (!fs::exists(out.plan_json(), unreadable)) return;
  const std::string file = out.plan_json().string();
  const auto existing = contract::plan_from_json(base::read_file(file), file);
  if (existing.study != plan.study) {
    throw base::UsageError(
        fmt::format("{} holds the plan of study \"{}\", not of \"{}\"; choose "
                    "another folder with -o",
                    out.root().string(), existing.study, plan.study));
  }
}

/// False for a run.json that nobody can run. One that a newer version wrote is whole.
bool is_whole(const std::string& json) {
  try {
    contract::run_spec_from_json(json, "run.json");
    return true;
  } catch (const base::SpecError& error) {
    return error.key_path() == "schema_version";
  }
}

/// Writes run.json; a run with results keeps the one it has, unless that is broken. Returns false
/// when the kept one differs.
bool write_run(const contract::RunDir& dir, const contract::RunSpec& run, FileWriter& files) {
  const std::string json = contract::to_json(run);
  if (!dir.launches().empty() && fs::exists(dir.run_json())) {
    const std::string kept = base::read_file(dir.run_json());
    if (kept != json && is_whole(kept)) return false;
  }
  base::make_directories(dir.root());
  files.write(dir.run_json(), json);
  return true;
}

}  // namespace

std::vector<JobScript> render_jobs(const Planning& planning, const Resources& resources,
                                   const contract::PlanDir& out) {
  const contract::PlanDir folder(absolute_root(out));
  const ScriptTemplate script(resources.templates, planning.plan.scheduler + ".sh");
  std::vector<JobScript> scripts;
  for (std::size_t i = 0; i < planning.plan.jobs.size(); ++i) {
    scripts.push_back(
        {planning.plan.jobs[i].name, script.render(template_data(planning, i, folder))});
  }
  return scripts;
}

WrittenPlan write_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out) {
  refuse_other_plan(planning.plan, out);
  const std::vector<JobScript> scripts = render_jobs(planning, resources, out);
  WrittenPlan result;
  FileWriter files{result};
  for (const fs::path& folder : {out.root(), out.runs(), out.jobs(), out.logs()}) {
    base::make_directories(folder);
  }
  std::set<std::string> stale;
  for (const contract::RunSpec& run : planning.runs) {
    if (!write_run(out.run(run.run_id), run, files)) stale.insert(run.run_id);
  }
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    const std::vector<std::string>& ids = planning.plan.jobs[i].run_ids;
    const bool kept = std::any_of(ids.begin(), ids.end(),
                                  [&](const std::string& id) { return stale.count(id) > 0; });
    if (!kept) files.write_executable(out.job_script(scripts[i].job), scripts[i].text);
  }
  files.write(out.study_toml(), planning.study_toml);
  files.write(out.site_toml(), planning.site_toml);
  files.write(out.plan_json(), contract::to_json(planning.plan));
  result.stale.assign(stale.begin(), stale.end());
  return result;
}

}  // namespace dlscale::planner
