// SPDX-License-Identifier: Apache-2.0
// What a plan folder is made of: descriptions, scripts, copies.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "planner/planner.hpp"
#include "planner/render.hpp"
#include "planner/script_data.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

fs::path absolute_root(const contract::PlanDir& out) {
  const fs::path root = fs::absolute(out.root()).lexically_normal();
  return root.has_filename() ? root : root.parent_path();
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
        {planning.plan.jobs[i].name, script.render(script_data(planning, i, folder))});
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
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    const contract::RunSpec run = planning.run(i);
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
