// SPDX-License-Identifier: Apache-2.0
#include "planner/site/site_writer.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <cmath>
#include <sstream>

namespace dlscale::planner {
namespace {

/// Returns the text as a TOML string with quotes and escapes.
std::string quoted(const std::string& text) {
  const toml::value<std::string> value(text);
  std::ostringstream out;
  out << toml::toml_formatter(value, toml::format_flags::none);
  return out.str();
}

std::string list(const std::vector<std::string>& texts) {
  std::string items;
  for (const std::string& text : texts) items += (items.empty() ? "" : ", ") + quoted(text);
  return "[" + items + "]";
}

std::string clock(double seconds) {
  const long whole = std::lround(seconds);
  return fmt::format("\"{:02}:{:02}:{:02}\"", whole / 3600, whole / 60 % 60, whole % 60);
}

class Lines {
 public:
  void say(std::string_view line) { text_ += fmt::format("{}\n", line); }
  void set(const char* key, const std::string& value) { say(fmt::format("{} = {}", key, value)); }
  void set_text(const char* key, const std::string& value) {
    if (!value.empty()) set(key, quoted(value));
  }
  void set_number(const char* key, double value, double unless) {
    if (value != unless) set(key, fmt::format("{:g}", value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void write_partition(Lines& lines, const Partition& partition, bool oar) {
  lines.say("\n[[partitions]]");
  lines.set_text("name", partition.name);
  if (partition.queue) lines.set_text("queue", *partition.queue);
  lines.set_number("nodes", partition.nodes, 0);
  lines.set_number("gpus_per_node", partition.gpus_per_node, 0);
  lines.set_text("gpu_type", partition.gpu_type);
  lines.set_number("cores_per_node", partition.cores_per_node, 0);
  lines.set_number("memory_gb", partition.memory_gb, 0);
  lines.set_number("min_nodes", partition.min_nodes, 1);
  lines.set_number("max_nodes", partition.max_nodes, 0);
  if (partition.max_walltime_s > 0) lines.set("max_walltime", clock(partition.max_walltime_s));
  if (partition.exclusive) lines.set("exclusive", "true");
  if (!oar) return;
  lines.set_text("properties", partition.properties);
  if (partition.gpus_per_node > 0) lines.set_text("gpu_resource", partition.gpu_resource);
}

}  // namespace

std::string site_text(const Site& site) {
  const bool oar = site.scheduler == "oar";
  Lines lines;
  lines.say("# Written from what the batch system reports. Fill in what it does not report:");
  lines.say("# the account, the modules, and which partitions you may use (docs/sites.md).");
  lines.set_text("name", site.name);
  lines.set_text("scheduler", site.scheduler);
  lines.set_text("device", site.device);
  lines.set_text("communicator", site.communicator);
  lines.say("");
  lines.set_text("launcher", site.launcher);
  if (!site.launcher_args.empty()) lines.set("launcher_args", list(site.launcher_args));
  lines.say(
      oar ? "\n# The project that jobs are charged to, if your site requires one."
          : "\n# The account that jobs are charged to. Without it, jobs use your default account.");
  lines.say("# account = \"my-project\"\n");
  lines.set("walltime", clock(site.walltime_s) + "  # for jobs whose study sets no walltime");
  lines.set_number("max_array_size", site.max_array_size, Site{}.max_array_size);
  lines.say("\n# Shell lines that load the libraries with which the trainer was built.");
  lines.say("# modules = [\"module load OpenMPI CUDA\"]");
  if (!oar) {
    lines.say(
        "\n# Environment variables that dlscale would otherwise remove from SLURM's commands and "
        "jobs.");
    lines.say("# keep_environment = [\"SBATCH_ACCOUNT\"]");
  }
  lines.say("\n# A command that prints the name of a node in the fast network, for torchrun.");
  lines.say("# rendezvous_host = \"uname -n\"");
  lines.say(
      "\n# A job goes to the first partition that fits. Delete partitions that you may not use.");
  if (oar)
    lines.say(
        "# The OAR queue is `queue`, or `name` if `queue` is missing. OAR does not report which "
        "queues "
        "exist.");
  for (const Partition& partition : site.partitions) write_partition(lines, partition, oar);
  return lines.text();
}

}  // namespace dlscale::planner
