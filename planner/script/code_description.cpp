// SPDX-License-Identifier: Apache-2.0
#include "planner/script/code_description.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include "base/text.hpp"
#include "planner/script/render.hpp"
#include "planner/script/run_values.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

/// Returns how likely a file is the training script: 3 for Python, 2 for a shell script, 1 for
/// other files, 0 for a Python interpreter.
std::size_t rank_of(const fs::path& file) {
  if (file.extension() == ".py") return 3;
  if (file.extension() == ".sh") return 2;
  return file.filename().string().starts_with("python") ? 0 : 1;
}

std::string first_word(std::string_view command) {
  return std::string(command.substr(0, command.find_first_of(" \t\n")));
}

}  // namespace

fs::path script_in(std::string_view command, const fs::path& folder) {
  fs::path best;
  std::size_t best_rank = 0;
  for (std::string_view rest = command; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(" \t\n"), rest.size());
    const std::string_view word = base::trimmed(rest.substr(0, end), "'\"");
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty() || word[0] == '-') continue;
    const fs::path file = (folder / word).lexically_normal();
    std::error_code unreadable;
    if (rank_of(file) <= best_rank || !fs::is_regular_file(file, unreadable)) continue;
    best = file;
    best_rank = rank_of(file);
  }
  return best;
}

std::string describe_script(const Planning& planning, const fs::path& templates,
                            const contract::PlanDir& out) {
  const contract::RunSpec first = planning.run(0);
  const Study& study = planning.study;
  const std::string command_folder = folder_of(study.command_where, study.file);
  ExternalCommand study_command(study.trainer, study.command_where, command_folder);
  const std::string command =
      study_command.of(first, {.study_folder = study.folder(), .plan_folder = out.root().string()});
  const fs::path study_file = fs::absolute(study.file).lexically_normal();
  const fs::path script = script_in(command, command_folder);
  const bool is_torchrun = first.trainer.launcher == "torchrun";
  TemplateData data;
  data.values = {
      {"study", study.name},
      {"plan_folder", out.root().string()},
      {"study_file", study_file.string()},
      {"code_folder", (script.empty() ? fs::path(command_folder) : script.parent_path()).string()},
      {"code_file", script.string()},
      {"program", is_torchrun ? "torchrun" : first_word(command)}};
  // In a container, the Python of the node is not the Python of the run.
  data.flags = {{"checks_python", planning.site.container.kind.empty()}};
  return ScriptTemplate(templates, "describe_software.sh").render(data);
}

}  // namespace dlscale::planner
