// SPDX-License-Identifier: Apache-2.0
// Main program of `dlscale-bench`. Runs the requested benchmark. Reports an error as one line on
// standard error and as the exit code.
#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "contract/run_outcome.hpp"
#include "contract/version.hpp"
#include "trainer/about/libraries.hpp"
#include "trainer/bench/bench_comm.hpp"
#include "trainer/bench/bench_kernels.hpp"
#include "trainer/bench/bench_layers.hpp"
#include "trainer/bench/bench_loader.hpp"
#include "trainer/bench/fit_kernels.hpp"

namespace dlscale::trainer {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kUsage =
    "usage: dlscale-bench comm|kernels|layers|fit|loader [OPTION ...]\n"
    "  comm      time collectives over message sizes (start with mpirun, one process per rank)\n"
    "  kernels   time layer kernels on this device\n"
    "  layers    time each layer of a model within training steps\n"
    "  fit       train networks that predict kernel times, from the output of kernels\n"
    "  loader    measure the speed of loading without training\n"
    "  --version, --help\n"
    "dlscale calibrate reads the output of comm, layers and fit. Each command has its own "
    "--help.\n";

/// Prints the first line of an error message and returns the exit code of the error. The other
/// lines are left out, because LibTorch appends a stack trace to its messages.
int print_error(const std::exception& error) {
  const std::string_view words = error.what();
  fmt::print(stderr, "dlscale-bench: {}\n", words.substr(0, words.find('\n')));
  const auto* const own = dynamic_cast<const base::Error*>(&error);
  return own != nullptr ? own->exit_code() : 1;
}

bool asks_for_help(const Words& words) {
  return words.size() == 1 && (words[0] == "--help" || words[0] == "-h");
}

std::string measured(const std::string& verb, const Words& words) {
  if (verb == "kernels") {
    return asks_for_help(words) ? kKernelBenchUsage : bench_kernels(read_kernel_bench(words));
  }
  if (verb == "layers") {
    return asks_for_help(words) ? kLayerBenchUsage : bench_layers(read_layer_bench(words));
  }
  if (verb == "fit") {
    return asks_for_help(words) ? kKernelFitUsage : fit_kernels(read_kernel_fit(words));
  }
  if (verb == "loader") {
    return asks_for_help(words) ? kLoaderBenchUsage : measure_loader(read_loader_bench(words));
  }
  throw base::UsageError(
      base::unknown_name("command", verb, {"comm", "kernels", "layers", "fit", "loader"}));
}

int dispatch(const Words& words) {
  if (words.empty()) {
    fmt::print(stderr, "{}", kUsage);
    return contract::kExitBadRunDescription;
  }
  const std::string& verb = words[0];
  const Words rest(words.begin() + 1, words.end());
  if (asks_for_help(words)) {
    fmt::print("{}", kUsage);
    return contract::kExitDone;
  }
  if (words.size() == 1 && verb == "--version") {
    fmt::print("dlscale-bench {}\n", contract::version());
    return contract::kExitDone;
  }
  try {
    require_built_torch();
    if (verb == "comm") return bench_comm(rest);
    fmt::print("{}", measured(verb, rest));
    return contract::kExitDone;
  } catch (const std::exception& error) {
    return print_error(error);
  }
}

}  // namespace
}  // namespace dlscale::trainer

int main(int argc, char** argv) {
  return dlscale::trainer::dispatch({argv + 1, argv + argc});
}
