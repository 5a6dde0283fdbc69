// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale init`, which has one sub-command for each kind of file.
#include <CLI/CLI.hpp>

#include <map>

#include "cli/command.hpp"
#include "cli/verbs/init_site.hpp"
#include "cli/verbs/init_study.hpp"

namespace dlscale::cli {
namespace {

struct InitKind {
  const char* name;
  const char* summary;
  Action (*define)(CLI::App& app);
};

constexpr InitKind kKinds[] = {
    {"study", "Write a commented example study", &define_init_study},
    {"site", "Write the site file of this cluster from the answers of SLURM or OAR",
     &define_init_site},
};

Action define_init(CLI::App& app) {
  app.require_subcommand(1);
  std::map<const CLI::App*, Action> actions;
  for (const InitKind& kind : kKinds) {
    CLI::App* sub = app.add_subcommand(kind.name, kind.summary);
    actions[sub] = kind.define(*sub);
  }
  return [&app, actions] { return actions.at(app.get_subcommands().front())(); };
}

}  // namespace

extern const CommandEntry init_entry;
const CommandEntry init_entry{
    .name = "init",
    .summary = "Write a site file or an example study",
    .example = "dlscale init study -o resnet.toml\n  dlscale init site -o mycluster.toml",
    .define = &define_init,
};

}  // namespace dlscale::cli
