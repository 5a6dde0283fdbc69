// SPDX-License-Identifier: Apache-2.0
// Checks that a trainer that is built with CUDA and DALI accepts all runs of the studies below
// examples/.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "tests/planner/planned.hpp"
#include "validation/refusal.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

/// Returns the TOML files with a section [study]. Studies of an extension are left out, because
/// they need programs that are built with the extension: tests/examples/extension.sh builds and
/// runs them.
std::vector<fs::path> example_studies() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(test::kSource / "examples")) {
    const fs::path& file = entry.path();
    if (file.extension() != ".toml" || fs::exists(file.parent_path() / "extension.cmake")) continue;
    if (base::read_file(file).find("\n[study]\n") != std::string::npos) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

using Words = std::vector<std::string>;

/// Splits a shell command into words at spaces outside of quotes, up to a #.
Words words_of(const std::string& command) {
  Words words;
  std::string word;
  char quote = 0;
  for (const char c : command + " ") {
    if (quote == 0 && c == '#') break;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  return words;
}

/// Returns the dlscale commands in the comment at the head of a study. A backslash continues a
/// line.
std::vector<Words> commands_in_head(const fs::path& file) {
  std::istringstream lines(base::read_file(file));
  std::vector<Words> commands;
  std::string command;
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    command += line.substr(std::min<std::size_t>(line.size(), 2));
    if (command.ends_with('\\')) {
      command.back() = ' ';
      continue;
    }
    Words words = words_of(command);
    if (!words.empty() && words[0] == "dlscale") commands.push_back(std::move(words));
    command.clear();
  }
  return commands;
}

/// Returns the plan request of a command in the head of a study, with the site `local` by default.
planner::PlanRequest request_of(const fs::path& file, const Words& command) {
  planner::PlanRequest request{.study = file};
  for (std::size_t i = 0; i + 1 < command.size(); ++i) {
    if (command[i] == "--site") request.site = command[i + 1];
    if (command[i] == "-S") request.overrides.push_back(command[i + 1]);
  }
  return request;
}

/// Returns a request for each command in the head that plans the study, and a request without
/// changes for the first site in the head other than `local`.
std::vector<planner::PlanRequest> requests_of(const fs::path& file) {
  std::vector<planner::PlanRequest> requests;
  for (const Words& command : commands_in_head(file)) {
    const bool plans = command.size() > 2 && file.string().ends_with("/" + command[2]) &&
                       (command[1] == "plan" || command[1] == "run" || command[1] == "predict");
    if (plans) requests.push_back(request_of(file, command));
  }
  const auto with_site =
      std::find_if(requests.begin(), requests.end(),
                   [](const planner::PlanRequest& request) { return request.site != "local"; });
  planner::PlanRequest as_it_is{.study = file};
  if (with_site != requests.end()) as_it_is.site = with_site->site;
  requests.push_back(as_it_is);
  return requests;
}

contract::Capabilities full_capabilities() {
  const std::string file = test::full_trainer().string();
  return contract::capabilities_from_json(base::read_file(file), file);
}

/// Returns why the trainer rejects a run, or an empty text if the trainer accepts the run.
std::string refusal_of(const contract::Capabilities& trainer, const contract::RunSpec& run) {
  for (const auto& missing : validation::missing_names(trainer, run)) {
    return "no " + missing.family + " " + missing.name;
  }
  if (const auto refusal = validation::find_refusal(trainer, run)) {
    return refusal->key + ": " + refusal->reason;
  }
  return validation::data_condition(trainer, run);
}

}  // namespace

TEST_CASE("the committed capabilities describe a trainer with GPUs and DALI") {
  const contract::Capabilities trainer = full_capabilities();
  CHECK(trainer.built_with.at("cuda") == "yes");
  CHECK(trainer.has("device", "cuda"));
  CHECK(trainer.has("communicator", "nccl"));
  CHECK(trainer.has("loader", "dali_cpu"));
  CHECK(trainer.has("loader", "dali_gpu"));
}

TEST_CASE("a full trainer accepts every run of every example study on its own site") {
  const contract::Capabilities trainer = full_capabilities();
  planner::Resources resources = test::shipped_resources();
  resources.capabilities = test::full_trainer();
  std::map<std::string, int> studies_by_site;
  for (const fs::path& file : example_studies()) {
    for (const planner::PlanRequest& request : requests_of(file)) {
      INFO(file << " on " << request.site << ", " << request.overrides.size() << " changes");
      const planner::Planning planning = planner::make_plan(request, resources);
      std::map<std::string, int> refused;
      for (const contract::RunSpec& run : test::runs_of(planning)) {
        if (!run.trainer.command.empty()) continue;  // runs a script of the study
        const std::string why = refusal_of(trainer, run);
        if (!why.empty()) ++refused[why];
      }
      CHECK(refused == std::map<std::string, int>{});
      for (const std::string& warning : planning.plan.warnings) {
        CHECK_THAT(warning, !Catch::Contains("the trainer"));
      }
      ++studies_by_site[request.site];
    }
  }
  for (const char* site :
       {"nef", "nef-cpu", "juwels-booster", "altec", "ionic", "kaggle", "local"}) {
    INFO(site);
    CHECK(studies_by_site[site] > 0);
  }
}

TEST_CASE("a study that a trainer rejects is detected") {
  const contract::Capabilities trainer = full_capabilities();
  const auto planning = test::plan_example("nef", "nef", {"training.dataset.image_size=0"});
  for (const contract::RunSpec& run : test::runs_of(planning)) {
    CHECK_THAT(refusal_of(trainer, run), Catch::StartsWith("dataset.image_size: is missing"));
  }
}
