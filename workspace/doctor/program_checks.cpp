// SPDX-License-Identifier: Apache-2.0
#include "workspace/doctor/program_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "contract/version.hpp"
#include "runner/batch/command_runner.hpp"
#include "runner/status/failure_words.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Time limit for a program. It is long because modules and LibTorch load slowly from a parallel
/// file system that has not cached them.
constexpr double kProgramPatience_s = 120;
constexpr int kNotFound = 127;
constexpr int kSetupFailed = 66;

/// Shell that runs programs in bash after the module and environment lines of the site. The output
/// of these lines is ignored.
class SiteShell {
 public:
  SiteShell(const planner::Site& site, runner::CommandRunner& commands)
      : preamble_(fmt::format("{{\n:\n{}\n{}\n}} >&2\n", fmt::join(site.modules, "\n"),
                              fmt::join(site.environment, "\n"))),
        commands_(commands) {}

  /// Runs a program with arguments. Exit code 127 means that the program does not exist.
  runner::Answer run(const std::vector<std::string>& words) const {
    std::vector<std::string> arguments{
        "bash", "-c", preamble_ + "command -v \"$0\" > /dev/null || exit 127\nexec \"$0\" \"$@\""};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return commands_.run({arguments, fs::current_path()}, kProgramPatience_s);
  }
  bool has(const std::string& program) const {
    const runner::Answer answer = commands_.run(
        {{"bash", "-c", preamble_ + "command -v \"$0\" > /dev/null", program}, fs::current_path()},
        kProgramPatience_s);
    return answer.end && answer.end->exit_code == 0 && answer.end->signal == 0;
  }
  /// Runs shell lines, and then prints the path of a program. Exit code 127 means that the program
  /// does not exist. Exit code kSetupFailed means that a line failed, and the output is this line.
  runner::Answer find_after(const std::vector<std::string>& lines,
                            const std::string& program) const {
    // Failed commands inside a file that a line sources do not count, as in job scripts.
    const std::string script = fmt::format(
        "exec 3>&1 1>&2\n{}\nsetup_failed() {{\n  [ \"${{#BASH_SOURCE[@]}}\" -le 1 ] || return 0\n"
        "  echo \"$1\" >&3\n  exit {}\n}}\ntrap 'setup_failed \"$BASH_COMMAND\"' ERR\n{}\n"
        "trap - ERR\nset +e\ncommand -v \"$0\" >&3 || exit {}\n",
        preamble_, kSetupFailed, fmt::join(lines, "\n"), kNotFound);
    return commands_.run({{"bash", "-c", script, program}, fs::current_path()}, kProgramPatience_s);
  }
  /// Returns the first output line of a program. Returns an empty text if the program fails or
  /// prints nothing.
  std::string first_line_of(const std::vector<std::string>& words) const {
    const runner::Answer answer = run(words);
    return answer.end == runner::ExitStatus{} ? runner::first_line(answer.out) : "";
  }

 private:
  std::string preamble_;
  runner::CommandRunner& commands_;
};

bool on_cluster(const planner::Site& site) {
  return site.scheduler != "local";
}

std::string launcher_program(const planner::Site& site) {
  return site.launcher == "oarsh" ? "mpirun" : site.launcher;
}

Check check_launcher(const planner::Site& site, const SiteShell& shell) {
  const std::string program = launcher_program(site);
  const std::string version = shell.first_line_of({program, "--version"});
  if (!version.empty()) return ok("launcher", fmt::format("{}: {}", program, version));
  const std::string advice =
      "load the module that contains the launcher: `modules` in the site file";
  if (shell.has(program))
    return warn("launcher", program + " --version printed no version", advice);
  if (on_cluster(site) && program != "srun") {
    return warn("launcher", fmt::format("no {} on this node", program),
                advice + "; no action is needed if the compute nodes have the launcher");
  }
  return fail("launcher", fmt::format("no {} on PATH", program), advice);
}

/// Returns the line in which the system's loader or the trainer reports a library that is missing
/// or has another version. Returns an empty string if there is no such line. The output of modules
/// may come before the line.
std::string library_error(const std::string& errors) {
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    for (const char* sign :
         {"error while loading shared libraries", "symbol lookup error", "built with LibTorch"}) {
      if (line.find(sign) != std::string::npos) return line;
    }
  }
  return "";
}

/// Returns a failed check that explains why the trainer did not start.
Check describe_failure(const std::string& trainer, const runner::Answer& answer) {
  if (!answer.end) {
    return fail("trainer", fmt::format("{} has not answered for {} s", trainer, kProgramPatience_s),
                "run the trainer by hand: " + trainer + " --capabilities");
  }
  // The system's loader also exits with the code of a program that was not found.
  if (const std::string library = library_error(answer.err); !library.empty()) {
    const bool torch = base::lower(library).find("torch") != std::string::npos;
    return fail("trainer", fmt::format("{} cannot run: {}", trainer, library),
                torch
                    ? "install the LibTorch version of the trainer, in an environment of its own: "
                      "pip install 'dlscale[train]' (docs/install.md)"
                    : "load the modules that contain the library: `modules` in the site file");
  }
  if (answer.end->exit_code == kNotFound) {
    return fail("trainer", fmt::format("trainer {} not found", trainer),
                "install the trainer (pip install 'dlscale[train]') or build it (cmake "
                "-DDLSCALE_TRAINER=ON), and give its path as `trainer` in the site file");
  }
  const std::string reason = runner::first_line(answer.err);
  return fail("trainer",
              fmt::format("{} cannot run: {}", trainer,
                          reason.empty() ? "the trainer printed no error message" : reason),
              "load the modules with which the trainer was built: `modules` and `environment` in "
              "the site file");
}

/// Returns the MPI library that the trainer loads in the environment of the site. Returns nothing
/// for a trainer that does not report it.
std::optional<Check> check_mpi_library(const std::string& trainer, const SiteShell& shell) {
  const std::string key = "mpi_library ", text = "\n" + shell.run({trainer, "--version"}).out;
  const auto line = text.find("\n  " + key);
  if (line == std::string::npos) return std::nullopt;
  const auto begin = line + key.size() + 3;
  const std::string library = text.substr(begin, text.find('\n', begin) - begin);
  const bool from_pip =
      fs::path(library).parent_path() == fs::path(trainer).parent_path().parent_path() / "lib";
  return ok("MPI library", fmt::format("the trainer loads {}{}", library,
                                       from_pip ? ", which was installed with the trainer" : ""));
}

Checks check_trainer(const planner::Site& site, const std::string& trainer,
                     const SiteShell& shell) {
  const runner::Answer answer = shell.run({trainer, "--capabilities"});
  if (answer.end != runner::ExitStatus{}) return {describe_failure(trainer, answer)};
  try {
    const auto capabilities = contract::capabilities_from_json(answer.out, trainer);
    std::vector<std::string> parts;
    for (const auto& [part, version] : capabilities.built_with) {
      if (version != "no") parts.push_back(part + " " + version);
    }
    Checks checks{ok("trainer", fmt::format("{} {}: {}", trainer, capabilities.version,
                                            fmt::join(parts, ", ")))};
    const std::string program = launcher_program(site);
    const std::string mpirun =
        program == "mpirun" ? shell.first_line_of({program, "--version"}) : "";
    if (const auto library = check_mpi_library(trainer, shell)) checks.push_back(*library);
    for (Check& check : judge_trainer(site, capabilities, mpirun)) {
      checks.push_back(std::move(check));
    }
    return checks;
  } catch (const base::SpecError& error) {
    return {fail("trainer", error.what(), "check that " + trainer + " is dlscale-train")};
  }
}

/// Checks the command of the user's own training script in the environment of a job.
Check check_own_command(const OwnCommand& own, const SiteShell& shell) {
  const std::string advice =
      "correct environment_setup or command under [trainer] (docs/your-script.md#environment)";
  const std::string program = own.program.empty() ? "true" : own.program;
  const runner::Answer answer = shell.find_after(own.setup, program);
  const std::string line = runner::first_line(answer.out);
  if (!answer.end) {
    return fail("command",
                fmt::format("environment_setup takes more than {} s", kProgramPatience_s), advice);
  }
  if (answer.end->exit_code == kSetupFailed) {
    const std::string error = runner::first_line(answer.err);
    return fail(
        "command",
        fmt::format("environment_setup: {} failed: {}", line, runner::without_shell_place(error)),
        advice);
  }
  if (answer.end != runner::ExitStatus{}) {
    return fail(
        "command",
        fmt::format("{} is not on PATH in the environment of jobs, or is not executable", program),
        advice);
  }
  if (own.program.empty()) return ok("command", "the lines of environment_setup succeed");
  return ok("command", fmt::format("{} is {}", program, line));
}

/// Returns whether `image` is the path of a file. The container runtime may resolve other names by
/// itself.
bool is_image_file(const std::string& image) {
  return image.find("://") == std::string::npos && image.find('/') != std::string::npos;
}

Checks check_container(const planner::Site& site, const SiteShell& shell) {
  const planner::Container& container = site.container;
  Checks checks;
  const std::string runtime = container.kind == "pyxis" ? "srun" : container.kind;
  checks.push_back(shell.has(runtime)
                       ? ok("container", runtime + " found")
                       : warn("container", fmt::format("no {} on this node", runtime),
                              "load the module of the container runtime; no action is needed if "
                              "the compute nodes have it"));
  const bool unreadable =
      is_image_file(container.image) && ::access(container.image.c_str(), R_OK) != 0;
  checks.push_back(
      unreadable ? fail("image", "cannot read " + container.image,
                        "check container.image in the site file")
                 : ok("image", container.image + "; the trainer in the image is not checked"));
  return checks;
}

int gpus_of_driver() {
  int count = 0;
  while (fs::exists(fmt::format("/dev/nvidia{}", count))) ++count;
  return count;
}

Check check_gpus(const planner::Site& site, const SiteShell& shell) {
  if (site.device != "cuda") return ok("GPUs", "the ranks of the site compute on " + site.device);
  const runner::Answer answer = shell.run({"nvidia-smi", "-L"});
  const auto lines = std::count(answer.out.begin(), answer.out.end(), '\n');
  if (answer.end == runner::ExitStatus{} && lines > 0) {
    return ok("GPUs", fmt::format("{}: {}", lines, runner::first_line(answer.out)));
  }
  if (const int count = gpus_of_driver(); count > 0) {
    return warn("GPUs", fmt::format("{} devices, but nvidia-smi does not list them", count),
                "check the driver with nvidia-smi");
  }
  if (on_cluster(site)) return ok("GPUs", "none on this node, which seems to be a login node");
  return fail("GPUs", "device is cuda in the site file, but this node has no GPU",
              "set device = \"cpu\" in the site file, or run dlscale doctor on a node with GPUs");
}

/// Returns the major version in a text, for example "4" for "mpirun (Open MPI) 4.1.4". Returns an
/// empty text if the text has no digit.
std::string major_version(const std::string& text) {
  const auto digit =
      std::find_if(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  const auto end =
      std::find_if(digit, text.end(), [](unsigned char c) { return std::isdigit(c) == 0; });
  return {digit, end};
}

}  // namespace

Checks judge_trainer(const planner::Site& site, const contract::Capabilities& trainer,
                     const std::string& mpirun) {
  Checks checks;
  const std::string advice =
      "build a trainer that supports the device and the communicator of the site (cmake --preset "
      "release lists the libraries that cmake finds)";
  for (const auto& [family, name] :
       {std::pair("device", site.device), std::pair("communicator", site.communicator)}) {
    if (trainer.has(family, name)) {
      checks.push_back(ok(family, fmt::format("the trainer supports {}", name)));
    } else {
      checks.push_back(fail(
          family, fmt::format("the site requires {}, which this trainer does not support", name),
          advice));
    }
  }
  if (trainer.version != contract::version()) {
    checks.push_back(warn("version",
                          fmt::format("the trainer has version {}, dlscale has version {}",
                                      trainer.version, contract::version()),
                          "build both from the same sources"));
  }
  const auto mpi = trainer.built_with.find("mpi");
  if (mpi == trainer.built_with.end() || mpirun.empty()) return checks;
  const bool open_mpi = mpirun.find("Open MPI") != std::string::npos;
  const bool built_for_it = mpi->second.find("Open MPI") != std::string::npos;
  if (open_mpi == built_for_it && major_version(mpirun) == major_version(mpi->second)) {
    checks.push_back(ok("MPI", "the launcher and the trainer use the same MPI: " + mpi->second));
  } else {
    checks.push_back(
        warn("MPI",
             fmt::format("the launcher is {}, the trainer was built with {}", mpirun, mpi->second),
             "load the module that the trainer was built with"));
  }
  return checks;
}

Checks check_programs(const planner::Site& site, const std::string& trainer,
                      runner::CommandRunner& commands, const ProgramNeeds& needs) {
  const SiteShell shell(site, commands);
  Checks checks;
  bool uses_launcher = true;
  if (!site.container.kind.empty()) {
    checks = check_container(site, shell);
  } else if (needs.own) {
    checks = {check_own_command(*needs.own, shell)};
    uses_launcher = needs.own->uses_launcher;
  } else if (needs.trainer || shell.has(trainer)) {
    checks = check_trainer(site, trainer, shell);
  } else {
    checks = {
        ok("trainer", "dlscale-train is not installed; your own training scripts do not need it")};
    checks.back().advice = "to use dlscale-train: pip install 'dlscale[train]' (docs/install.md)";
    uses_launcher = false;
  }
  if (on_cluster(site) || uses_launcher) checks.push_back(check_launcher(site, shell));
  checks.push_back(check_gpus(site, shell));
  return checks;
}

}  // namespace dlscale::workspace
