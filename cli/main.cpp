// SPDX-License-Identifier: Apache-2.0
// `dlscale`: picks the verb and turns errors into one line and an exit code.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <exception>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "contract/version.hpp"

namespace dlscale::cli {
namespace {

int fail(const char* message, int exit_code) {
  fmt::print(stderr, "dlscale: {}\n", message);
  return exit_code;
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Deep-learning scaling studies: one TOML file to cluster jobs to a paper's tables."};
  app.set_version_flag("--version", fmt::format("dlscale {}", contract::version()));
  app.require_subcommand(1);
  app.footer("Start with: dlscale run examples/studies/demo/study.toml -o demo");
  int exit_code = kExitOk;
  for (const CommandEntry* entry : command_table()) {
    CLI::App* verb = app.add_subcommand(entry->name, entry->summary);
    verb->footer(fmt::format("Example:\n  {}", entry->example));
    verb->callback([&exit_code, action = entry->define(*verb)] { exit_code = action(); });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  return exit_code;
}

}  // namespace
}  // namespace dlscale::cli

int main(int argc, char** argv) {
  using namespace dlscale;
  try {
    return cli::dispatch(argc, argv);
  } catch (const base::Error& error) {
    return cli::fail(error.what(), error.exit_code());
  } catch (const std::exception& error) {
    return cli::fail(error.what(), 1);
  }
}
