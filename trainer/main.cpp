// SPDX-License-Identifier: Apache-2.0
// Main program of `dlscale-train`. Runs the requested command. Reports an error as one line on
// standard error and as the exit code.
#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "contract/records/model_card.hpp"
#include "contract/version.hpp"
#include "trainer/about/capabilities.hpp"
#include "trainer/about/describe.hpp"
#include "trainer/about/libraries.hpp"
#include "trainer/loop/launch.hpp"

namespace dlscale::trainer {
namespace {

constexpr const char* kUsage =
    "usage: dlscale-train --run DIR [--profile] | --describe MODEL --input SHAPE --classes N |\n"
    "       --capabilities | --version | --help\n"
    "  --run DIR        train the run that DIR/run.json describes, resuming from its last\n"
    "                   checkpoint. Start one process per rank with mpirun. On SIGUSR1, save a\n"
    "                   checkpoint and exit with 99; the same command then resumes the run\n"
    "  --profile        also record the shares of computation, communication and I/O in\n"
    "                   the total kernel time\n"
    "  --describe MODEL --input 3x224x224 --classes 1000 [--words N]\n"
    "                   [--precision fp32|bf16|fp64] [SETTING ...]: print the cost model of MODEL\n"
    "                   as JSON: FLOPs, bytes and activations of each operator, for dlscale\n"
    "                   predict. Settings are --backbone NAME, --classifier-hidden N and\n"
    "                   --dropout P (frozen_backbone), --embedding N (nbow, seq2seq),\n"
    "                   --hidden N, --cell gru|lstm and --dropout P (seq2seq)\n"
    "  --capabilities   print the capabilities of this build as JSON\n"
    "  --version        print the version and the libraries of this build\n";

void print_version() {
  fmt::print("dlscale-train {}\n", contract::version());
  for (const auto& [key, value] : built_with()) fmt::print("  {:<11} {}\n", key, value);
  fmt::print("  {:<11} {}\n", "dali", dali_here());
  fmt::print("  {:<11} {}\n", "mpi_library", mpi_library());
}

int train(const std::string& run_folder, bool profile) {
  std::signal(SIGXFSZ, SIG_IGN);  // makes a file size limit an error, like a full disk
  Launch launch(run_folder, profile);
  try {
    return launch.run();
  } catch (const std::exception& error) {
    return launch.fail(error);
  }
}

/// Prints the first line of an error message and returns the exit code of the error. The other
/// lines are left out, because LibTorch appends a stack trace to its messages.
int print_error(const std::exception& error) {
  const std::string_view words = error.what();
  fmt::print(stderr, "dlscale-train: {}\n", words.substr(0, words.find('\n')));
  const auto* const own = dynamic_cast<const base::Error*>(&error);
  return own != nullptr ? own->exit_code() : 1;
}

int print_card(const std::vector<std::string>& arguments) {
  try {
    fmt::print("{}", contract::to_json(describe(read_description(arguments))));
    return contract::kExitDone;
  } catch (const std::exception& error) {
    return print_error(error);
  }
}

/// Command-line option of an earlier version of dlscale, and the command that replaces the option.
struct MovedOption {
  const char *option, *command;
};
constexpr MovedOption kMovedOptions[] = {{"--bench-comm", "dlscale-bench comm"},
                                         {"--bench-kernels", "dlscale-bench kernels"},
                                         {"--bench-loader", "dlscale-bench loader"},
                                         {"--fit-kernels", "dlscale-bench fit"}};

int dispatch(const std::vector<std::string>& arguments) {
  const std::string verb = arguments.empty() ? "" : arguments[0];
  try {
    require_built_torch();
  } catch (const base::RunError& error) {
    return print_error(error);
  }
  const bool profile = arguments.size() == 3 && arguments[2] == "--profile";
  if (verb == "--run" && (arguments.size() == 2 || profile)) return train(arguments[1], profile);
  if (verb == "--describe") return print_card({arguments.begin() + 1, arguments.end()});
  for (const MovedOption& moved : kMovedOptions) {
    if (verb != moved.option) continue;
    return print_error(
        base::UsageError(fmt::format("{} is now the command {}", verb, moved.command)));
  }
  if (arguments.size() == 1 && verb == "--capabilities") {
    fmt::print("{}", contract::to_json(capabilities()));
  } else if (arguments.size() == 1 && verb == "--version") {
    print_version();
  } else if (arguments.size() == 1 && (verb == "--help" || verb == "-h")) {
    fmt::print("{}", kUsage);
  } else {
    fmt::print(stderr, "{}", kUsage);
    return contract::kExitBadRunDescription;
  }
  return contract::kExitDone;
}

}  // namespace
}  // namespace dlscale::trainer

int main(int argc, char** argv) {
  return dlscale::trainer::dispatch({argv + 1, argv + argc});
}
