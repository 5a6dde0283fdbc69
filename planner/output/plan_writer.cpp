// SPDX-License-Identifier: Apache-2.0
// Writes a plan folder: run descriptions, job scripts, tables of arrays, and copies of the study
// and the site.
// The problem: a folder may already hold an earlier plan with running jobs and results, and the
// writer may fail or be killed halfway. The idea:
// - Every script is rendered before the first file is published. Scripts that differ from the
//   folder are staged next to their final place.
// - The description of a run is published before the script of its job.
// - plan.json, which names all other files, is written last.
// - Runs whose results belong to another description are stale. The writer reports them and leaves
//   their files alone.
// - A digest of all inputs and of the time stamps of the files shows that a folder is unchanged.
//   The writer then skips the comparison of its files.
#include "planner/output/plan_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/parallel_for.hpp"
#include "contract/run_spec/run_id.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/planner.hpp"
#include "planner/script/code_description.hpp"
#include "planner/script/file_text.hpp"
#include "planner/script/origin.hpp"
#include "planner/script/render.hpp"
#include "planner/script/script.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

void remove_parts(const contract::PlanDir& folder) {
  base::remove_left_parts(folder.root());
  base::remove_left_parts(folder.jobs());
  std::error_code none;
  for (const auto& run : fs::directory_iterator(folder.runs(), none)) {
    base::remove_left_parts(run.path());
  }
}

}  // namespace

IncompleteMarker::IncompleteMarker(const contract::PlanDir& folder) : folder_(folder) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC;
  const fs::path mark = folder.incomplete_marker();
  lock_ = ::open(mark.c_str(), kFlags | O_EXCL, 0666);
  const bool is_new = lock_ >= 0;
  if (!is_new) lock_ = ::open(mark.c_str(), kFlags, 0666);
  if (lock_ < 0) return;
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {  // another writer is running and holds the lock
    ::close(lock_);
    lock_ = -1;
  } else if (!is_new) {
    remove_parts(folder);
  }
}

IncompleteMarker::~IncompleteMarker() {
  if (lock_ < 0) return;
  ::unlink(folder_.incomplete_marker().c_str());
  ::close(lock_);
}

// The following functions and classes write the files of a plan folder.

namespace {

using base::Folder;
using contract::JobKind;
using contract::PlannedJob;

// Maximum size in bytes of the text from which a digest is computed. A longer text is replaced by
// its digest before more text is appended.
constexpr std::size_t kMostFacts = std::size_t{1} << 16;
/// Limits of loops over files. Login nodes are shared, so few threads are used. The chunks are
/// large because writing a file takes little time.
constexpr base::LoopLimits kFileLoop{.most_threads = 4, .chunk = 256};
constexpr std::chrono::milliseconds kClockTick(10);  // coarsest resolution of file times

contract::PlanDir absolute(const contract::PlanDir& out) {
  const fs::path root = fs::absolute(out.root()).lexically_normal();
  return contract::PlanDir(root.has_filename() ? root : root.parent_path());
}

/// Makes the folders of a plan. The destructor removes the folders that this object made, unless
/// keep() was called.
class NewFolders {
 public:
  NewFolders(const contract::PlanDir& plan, bool has_software) {
    std::vector<fs::path> missing;
    std::error_code unreadable;
    for (fs::path at = fs::absolute(plan.root()); !fs::exists(at, unreadable);
         at = at.parent_path()) {
      missing.push_back(at);
    }
    made_.assign(missing.rbegin(), missing.rend());
    std::vector<fs::path> folders{plan.root(), plan.runs(), plan.jobs(), plan.logs()};
    if (has_software) folders.push_back(plan.software());
    for (const fs::path& folder : folders) {
      if (folder != plan.root() && !fs::exists(folder, unreadable)) made_.push_back(folder);
      try {
        base::make_directories(folder);
      } catch (const base::RunError& error) {
        remove();
        throw base::UsageError(error.what());
      }
    }
  }
  ~NewFolders() { remove(); }
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  void keep() { made_.clear(); }

 private:
  /// Removes empty folders only, because another process may have filled a folder in the meantime.
  void remove() {
    for (; !made_.empty(); made_.pop_back()) ::rmdir(made_.back().c_str());
  }

  std::vector<fs::path> made_;  // new folders in the order of creation
};

bool holds_something(const fs::path& folder) {
  std::error_code none;
  return fs::directory_iterator(folder, none) != fs::directory_iterator();
}

/// State of the file that the folder holds at the path of a planned file.
enum class FileState : unsigned char {
  other,  ///< missing, or different and may be replaced
  right,  ///< equal to the planned file
  stale,  ///< different, and existing results belong to it
};

/// Planned file that is neither a run description nor a job script, with the function that makes
/// its content.
struct PlanFile {
  fs::path path;
  base::Pieces content;
  bool right = false;
};

ScriptTemplate job_template(const Resources& resources, const std::string& scheduler) {
  if (!resources.job_template) return {resources.templates, scheduler + ".sh"};
  return ScriptTemplate::of_file(*resources.job_template, resources.templates);
}

/// Renders the scripts of a plan one after another. All scripts share the compiled template and
/// command.
class Scripts {
 public:
  Scripts(const Planning& planning, const Resources& resources, const contract::PlanDir& out)
      : planning_(planning),
        out_(out),
        template_(job_template(resources, planning.plan.scheduler)),
        command_(planning.study.trainer, planning.study.command_where,
                 folder_of(planning.study.command_where, planning.study.file)) {}
  std::string script(std::size_t job) {
    const TemplateData data = script_data(planning_, job, out_, command_);
    try {
      return template_.render(data);
    } catch (const UnfitValue& error) {
      throw at_origin(error, planning_, job);
    }
  }

 private:
  const Planning& planning_;
  const contract::PlanDir& out_;
  ScriptTemplate template_;
  ExternalCommand command_;
};

/// Compares a plan with its folder and writes the differences. Each script is rendered once, and a
/// script that differs from the folder's script is staged next to its final place. Nothing is
/// published until all scripts are rendered.
class PlanWriter {
 public:
  PlanWriter(const Planning& planning, const Resources& resources, const contract::PlanDir& out)
      : planning_(planning),
        plan_(planning.plan),
        resources_(resources),
        out_(out),
        run_files_(planning.study),
        runs_(plan_.runs.size(), FileState::other),
        scripts_(plan_.jobs.size(), FileState::other) {}
  void check();
  void write();
  WrittenPlan outcome() const;

 private:
  Scripts scripts() const { return {planning_, resources_, absolute_out_}; }
  bool is_external() const { return !planning_.study.trainer.command.empty(); }
  std::vector<PlanFile> files() const;
  base::Pieces table_lines(std::vector<std::size_t> jobs) const;
  std::string study_there() const;
  void refuse_other_study() const;
  void mark_stale();
  std::string fingerprint() const;
  void write_seal() const;
  void states_in_files();
  void look_at_jobs(bool stages);
  void look_at_job(std::size_t job, const std::string& script, const Folder& runs,
                   const Folder& jobs);
  void publish(std::size_t job, const Folder& runs, const Folder& jobs) const;
  void discard_staged() const;
  FileState look_at_run(std::size_t run, JobKind kind, const Folder& runs) const;
  RunPlace place_of(std::size_t run) const;
  std::vector<std::string> files_of(std::size_t run) const;
  bool holds_files(std::size_t run, const Folder& runs) const;
  void write_files(std::size_t run, const Folder& runs) const;

  const Planning& planning_;
  const contract::Plan& plan_;
  const Resources& resources_;
  contract::PlanDir out_;
  contract::PlanDir absolute_out_ = absolute(out_);
  RunFiles run_files_;
  std::vector<FileState> runs_, scripts_;
  std::vector<PlanFile> files_;
  // Plan in which stale runs are marked. The member is empty if there are no stale runs.
  std::optional<contract::Plan> plan_with_stale_;
  // Flag: no script or description has changed since the last plan.
  bool sealed_ = false;
};

base::Pieces whole(std::string text) {
  return [text = std::move(text)](const auto& write) { write(text); };
}

/// Returns the parameter file of an OAR array. Each task has a line with the line number of its run
/// in the table.
std::string line_numbers(const PlannedJob& job) {
  std::string text;
  for (std::size_t i = 1; i <= job.run_ids.size(); ++i) {
    text += fmt::format("{}\n", static_cast<std::size_t>(job.offset) + i);
  }
  return text;
}

base::Pieces PlanWriter::table_lines(std::vector<std::size_t> jobs) const {
  std::sort(jobs.begin(), jobs.end(), [&](std::size_t a, std::size_t b) {
    return plan_.jobs[a].offset < plan_.jobs[b].offset;
  });
  return [this, jobs = std::move(jobs)](const auto& write) {
    for (const std::size_t job : jobs) {
      const std::vector<std::uint32_t>& runs = planning_.job_runs[job];
      std::vector<std::string> lines(runs.size());
      base::parallel_for(
          runs.size(),
          [&](std::size_t i) { lines[i] = to_json_line(planning_.run(runs[i])) + "\n"; },
          kFileLoop);
      std::for_each(lines.begin(), lines.end(), write);
    }
  };
}

/// Returns the files in the order in which they are written. The first file is the file that the
/// job scripts read. plan.json comes last, because plan.json names all other files.
std::vector<PlanFile> PlanWriter::files() const {
  std::vector<PlanFile> files;
  ScriptTemplate inherited(resources_.templates, "inherited_variables.sh");
  files.push_back({out_.inherited_variables(), whole(inherited.render(inherited_data(planning_)))});
  std::map<std::string, std::vector<std::size_t>> tables;  // indices of the jobs of each table
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const PlannedJob& job = plan_.jobs[i];
    if (job.kind != JobKind::array) continue;
    tables[job.table].push_back(i);
    if (plan_.scheduler == "oar") {
      files.push_back({out_.array_parameters(job.name), whole(line_numbers(job))});
    }
  }
  for (const auto& [table, jobs] : tables) {
    files.push_back({out_.run_table(table), table_lines(jobs)});
  }
  if (is_external() && !plan_.runs.empty()) {
    files.push_back({out_.describe_script(),
                     whole(describe_script(planning_, resources_.templates, absolute_out_))});
  }
  files.push_back({out_.study_toml(), whole(planning_.study_toml)});
  files.push_back({out_.site_toml(), whole(planning_.site_toml)});
  if (const std::string& text = planning_.study.log_format.text; !text.empty()) {
    files.push_back({out_.log_format_toml(), whole(text)});
  }
  files.push_back({out_.plan_json(), [this](const auto& write) {
                     write_json(plan_with_stale_ ? *plan_with_stale_ : plan_, write);
                   }});
  return files;
}

/// Returns the study of the plan in the folder. If plan.json is damaged, returns the study that a
/// run.json names. Returns an empty text if every run.json is damaged too.
std::string PlanWriter::study_there() const {
  const std::string file = out_.plan_json().string();
  try {
    return contract::study_of_plan(base::read_file(file), file);
  } catch (const base::SpecError&) {
    std::error_code none;
    for (const auto& run : fs::directory_iterator(out_.runs(), none)) {
      const fs::path json = contract::RunDir(run.path()).run_json();
      if (!fs::exists(json, none)) continue;
      try {
        return contract::run_spec_from_json(base::read_file(json), "run.json").study;
      } catch (const base::SpecError&) {
        continue;  // run.json is damaged too
      }
    }
    return {};
  }
}

void PlanWriter::refuse_other_study() const {
  std::error_code unreadable;
  if (!fs::exists(out_.plan_json(), unreadable)) return;
  const std::string study = study_there();
  if (study.empty() || study == plan_.study) return;
  throw base::UsageError(
      fmt::format("{} holds the plan of study \"{}\", not of \"{}\"; choose another folder with -o",
                  out_.root().string(), study, plan_.study));
}

void PlanWriter::states_in_files() {
  files_ = files();
  for (PlanFile& file : files_) file.right = base::file_holds(file.path, file.content);
  if (!files_.back().right) refuse_other_study();
  sealed_ = files_.back().right && fs::exists(out_.fingerprint()) &&
            base::read_file(out_.fingerprint()) == fingerprint();
  if (sealed_) {
    std::fill(runs_.begin(), runs_.end(), FileState::right);
    std::fill(scripts_.begin(), scripts_.end(), FileState::right);
  }
}

void PlanWriter::look_at_jobs(bool stages) {
  const bool has_runs = holds_something(out_.runs());
  const Folder runs(has_runs ? out_.runs() : fs::path()), jobs(out_.jobs());
  const auto look = [&](std::size_t begin, std::size_t end) {
    Scripts made = scripts();
    for (std::size_t i = begin; i < end; ++i) {
      const std::string script = made.script(i);
      look_at_job(i, script, runs, jobs);
      if (!stages || scripts_[i] != FileState::other) continue;
      jobs.stage(contract::PlanDir::script_name(plan_.jobs[i].name), script,
                 Folder::Mode::executable);
    }
  };
  base::parallel_for_chunks(plan_.jobs.size(), look, kFileLoop);
  mark_stale();
}

void PlanWriter::mark_stale() {
  if (std::find(runs_.begin(), runs_.end(), FileState::stale) == runs_.end()) return;
  plan_with_stale_ = plan_;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    plan_with_stale_->runs[i].stale = runs_[i] == FileState::stale;
  files_.back().right = base::file_holds(files_.back().path, files_.back().content);
}

/// Returns a digest from which the writer recognises an unchanged folder. The digest covers
/// everything that determines the content of scripts and descriptions: this program, the templates,
/// the study, the site and the path of the folder. The digest also covers the time stamps of the
/// scripts and descriptions. If the digest equals the digest in the folder, these files are what
/// the writer would write now. Otherwise the writer compares all files byte by byte.
std::string PlanWriter::fingerprint() const {
  std::string facts = planning_.resolved + planning_.site_toml + planning_.site.trainer +
                      planning_.study.log_format.text + absolute_out_.root().string();
  if (const Study& study = planning_.study; !study.trainer.command.empty()) {
    // Words of the command are replaced by the paths of files that exist in the study's folder.
    facts += study.folder() + "\n" +
             with_paths(study.trainer.command, folder_of(study.command_where, study.file),
                        study.trainer.files);
    for (const std::string& line : setup_lines(study, {study.folder(), ""})) facts += line;
  }
  const auto add_file = [&](const fs::path& file) {
    facts += base::Folder(file.parent_path()).stamp(file.filename().string());
  };
  if (!resources_.program.empty()) add_file(resources_.program);
  std::vector<fs::path> templates(fs::directory_iterator(resources_.templates), {});
  if (resources_.job_template) {
    const fs::path own = fs::absolute(*resources_.job_template);
    add_file(own);
    // Adds the templates in the same folder, which the user's template may include.
    for (const auto& entry : fs::directory_iterator(own.parent_path())) {
      if (entry.path().extension() == kTemplateExtension) templates.push_back(entry.path());
    }
  }
  std::sort(templates.begin(), templates.end());
  std::for_each(templates.begin(), templates.end(), add_file);
  const Folder runs(out_.runs()), jobs(out_.jobs());
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    if (facts.size() > kMostFacts) facts = contract::sha256_hex(facts);
    facts += jobs.stamp(contract::PlanDir::script_name(plan_.jobs[i].name));
    for (const std::size_t run : planning_.job_runs[i]) {
      const std::string folder = contract::RunDir::files_in(plan_.runs[run].run_id) + "/";
      for (const std::string& file : run_files_.paths()) facts += runs.stamp(folder + file);
    }
    if (plan_.jobs[i].kind == JobKind::array) continue;
    for (const std::size_t run : planning_.job_runs[i]) {
      facts += runs.stamp(contract::RunDir::run_json_in(plan_.runs[run].run_id));
    }
  }
  return contract::sha256_hex(facts) + "\n";
}

/// Writes the digest. A folder with stale runs gets no digest, because the writer must report the
/// stale runs each time.
void PlanWriter::write_seal() const {
  const auto stale = [](FileState found) { return found == FileState::stale; };
  if (std::any_of(runs_.begin(), runs_.end(), stale)) {
    fs::remove(out_.fingerprint());
    return;
  }
  // The writer waits so that files that change later get other time stamps.
  std::this_thread::sleep_for(kClockTick);
  base::write_file_if_changed(out_.fingerprint(), fingerprint());
}

void PlanWriter::look_at_job(std::size_t job, const std::string& script, const Folder& runs,
                             const Folder& jobs) {
  const PlannedJob& planned = plan_.jobs[job];
  bool stale = false;
  for (const std::size_t run : planning_.job_runs[job]) {
    if (runs.exists()) runs_[run] = look_at_run(run, planned.kind, runs);
    // Renders the files even if nothing exists yet, so that errors appear before anything is
    // written.
    const bool right = holds_files(run, runs);
    if (runs_[run] == FileState::right && !right) runs_[run] = FileState::other;
    stale = stale || runs_[run] == FileState::stale;
  }
  // A job of several runs is still written, because it may start its other runs.
  if (stale && planned.kind == JobKind::single) {
    scripts_[job] = FileState::stale;
  } else if (jobs.holds(contract::PlanDir::script_name(planned.name), script,
                        Folder::Mode::executable)) {
    scripts_[job] = FileState::right;
  }
}

/// Compares a run with its description in the folder. Runs of an array are described in the array's
/// table. After a task of an array has started, the run of the task also has a run.json.
FileState PlanWriter::look_at_run(std::size_t run, JobKind kind, const Folder& runs) const {
  const std::string& id = plan_.runs[run].run_id;
  const contract::RunSpec spec = planning_.run(run);
  const std::string json = kind == JobKind::array ? to_json_line(spec) + "\n" : to_json(spec);
  if (runs.holds(contract::RunDir::run_json_in(id), json)) return FileState::right;
  const contract::RunDir dir = out_.run(id);
  if (dir.launches().empty() || !fs::exists(dir.run_json())) return FileState::other;
  try {
    const auto kept = contract::run_spec_from_json(base::read_file(dir.run_json()), "run.json");
    return same_but_walltime(kept, spec) ? FileState::right : FileState::stale;
  } catch (const base::SpecError& error) {
    // A damaged description may be replaced. A description written by a newer version is intact and
    // must stay.
    return error.key_path() == "schema_version" ? FileState::stale : FileState::other;
  }
}

RunPlace PlanWriter::place_of(std::size_t run) const {
  const Allocation& given =
      planning_.allocations[run / static_cast<std::size_t>(planning_.study.repeats)];
  const std::vector<Partition>& all = planning_.site.partitions;
  const int gpus =
      given.partition < 0 ? 0 : all[static_cast<std::size_t>(given.partition)].gpus_per_node;
  return {planning_.study.folder(), absolute_out_.root().string(), gpus};
}

/// Renders the configuration files of a run and returns whether the folder holds them.
bool PlanWriter::holds_files(std::size_t run, const Folder& runs) const {
  if (run_files_.empty()) return true;
  const std::vector<std::string> texts = files_of(run);
  if (!runs.exists()) return false;
  const std::string folder = contract::RunDir::files_in(plan_.runs[run].run_id) + "/";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!runs.holds(folder + run_files_.paths()[i], texts[i])) return false;
  }
  return true;
}

void PlanWriter::write_files(std::size_t run, const Folder& runs) const {
  const std::string& id = plan_.runs[run].run_id;
  const std::vector<std::string> texts = files_of(run);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name = contract::RunDir::files_in(id) + "/" + run_files_.paths()[i];
    for (std::size_t slash = 0; (slash = name.find('/', slash)) != std::string::npos; ++slash) {
      runs.make_directory(name.substr(0, slash));
    }
    runs.write(name, texts[i]);
  }
}

std::vector<std::string> PlanWriter::files_of(std::size_t run) const {
  const std::size_t point = run / static_cast<std::size_t>(planning_.study.repeats);
  const Matrix& matrix = planning_.study.matrices[planning_.expansion.points[point].matrix];
  return run_files_.texts(planning_.run(run), place_of(run), matrix);
}

WrittenPlan PlanWriter::outcome() const {
  WrittenPlan result;
  const auto count = [&](bool right) { ++(right ? result.unchanged : result.written); };
  for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
    const bool array = plan_.jobs[i].kind == JobKind::array;
    if (scripts_[i] != FileState::stale) count(scripts_[i] == FileState::right);
    for (const std::size_t run : planning_.job_runs[i]) {
      if (runs_[run] == FileState::stale) {
        result.stale.push_back(plan_.runs[run].run_id);
      } else if (!array) {
        count(runs_[run] == FileState::right);
      }
    }
  }
  for (const PlanFile& file : files_) count(file.right);
  std::sort(result.stale.begin(), result.stale.end());
  return result;
}

/// Publishes a job: first the descriptions of its runs, then its script.
void PlanWriter::publish(std::size_t job, const Folder& runs, const Folder& jobs) const {
  const PlannedJob& planned = plan_.jobs[job];
  for (const std::size_t run : planning_.job_runs[job]) {
    if (runs_[run] != FileState::other) continue;
    const std::string& id = plan_.runs[run].run_id;
    if (!run_files_.empty()) write_files(run, runs);
    if (planned.kind == JobKind::array) continue;
    runs.make_directory(id);
    runs.write(contract::RunDir::run_json_in(id), to_json(planning_.run(run)));
  }
  if (scripts_[job] == FileState::other) jobs.publish(contract::PlanDir::script_name(planned.name));
}

void PlanWriter::discard_staged() const {
  const Folder jobs(out_.jobs());
  for (const PlannedJob& job : plan_.jobs) jobs.discard(contract::PlanDir::script_name(job.name));
}

void PlanWriter::check() {
  states_in_files();
  if (!sealed_) look_at_jobs(false);
}

void PlanWriter::write() {
  states_in_files();
  const auto write_file = [](const PlanFile& file) {
    if (!file.right) base::write_pieces_atomically(file.path, file.content);
  };
  NewFolders folders(out_, is_external());
  const IncompleteMarker mark(out_);
  try {
    if (!sealed_) look_at_jobs(true);
    folders.keep();
    write_file(files_.front());
    const Folder runs(out_.runs()), jobs(out_.jobs());
    const auto publish_jobs = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) publish(i, runs, jobs);
    };
    base::parallel_for_chunks(plan_.jobs.size(), publish_jobs, kFileLoop);
  } catch (...) {
    discard_staged();
    throw;
  }
  std::for_each(files_.begin() + 1, files_.end(), write_file);
  if (planning_.study.log_format.text.empty()) fs::remove(out_.log_format_toml());
  // The script marks a folder of external runs.
  if (!is_external()) fs::remove(out_.describe_script());
  if (!sealed_) write_seal();
}

}  // namespace

std::string job_script(const Planning& planning, std::size_t job, const Resources& resources,
                       const contract::PlanDir& out) {
  const contract::PlanDir folder = absolute(out);
  return Scripts(planning, resources, folder).script(job);
}

WrittenPlan check_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out) {
  PlanWriter writer(planning, resources, out);
  writer.check();
  return writer.outcome();
}

WrittenPlan write_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out) {
  PlanWriter writer(planning, resources, out);
  writer.write();
  return writer.outcome();
}

}  // namespace dlscale::planner
