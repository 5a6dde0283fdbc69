// SPDX-License-Identifier: Apache-2.0
#include "planner/site/site_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/inherited_variables.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"
#include "config/toml/fields.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "planner/site/job_settings.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostSignalSeconds = 65'535;  // limit of sbatch --signal

template <class T>
config::Field<T> text_field(std::string name, std::string T::*member) {
  return {std::move(name), [=](T& out, const config::Item& item) { out.*member = item.text(); }};
}
template <class T>
config::Field<T> whole_field(std::string name, int T::*member, int least,
                             std::int64_t most = config::kMostWhole) {
  return {std::move(name), [=](T& out, const config::Item& item) {
            out.*member = static_cast<int>(item.whole(least, most));
          }};
}
template <class T>
config::Field<T> duration_field(std::string name, double T::*member) {
  return {std::move(name),
          [=](T& out, const config::Item& item) { out.*member = item.duration_s(); }};
}
template <class T>
config::Field<T> flag_field(std::string name, bool T::*member) {
  return {std::move(name), [=](T& out, const config::Item& item) { out.*member = item.flag(); }};
}
template <class T>
config::Field<T> choice_field(std::string name, std::string T::*member,
                              std::vector<std::string> choices) {
  return {name,
          [=](T& out, const config::Item& item) { out.*member = item.one_of(name, choices); }};
}
template <class T>
config::Field<T> texts_field(std::string name, std::vector<std::string> T::*member) {
  return {std::move(name), [=](T& out, const config::Item& item) { out.*member = item.texts(); }};
}

/// Reads shell lines from a list of lines or from a text with several lines.
config::Field<Site> lines_field(std::string name, std::vector<std::string> Site::*member) {
  return {std::move(name), [=](Site& site, const config::Item& item) {
            for (const std::string& text : item.texts()) {
              for (const std::string_view line : base::lines_of(text)) {
                (site.*member).emplace_back(line);
              }
            }
          }};
}

const std::vector<config::Field<Partition>>& partition_fields() {
  static const std::vector<config::Field<Partition>> fields{
      text_field("name", &Partition::name),
      {"queue", [](Partition& p, const config::Item& item) { p.queue = item.text(); }},
      whole_field("gpus_per_node", &Partition::gpus_per_node, 0),
      whole_field("cores_per_node", &Partition::cores_per_node, 1),
      {"memory_gb", [](Partition& p, const config::Item& item) { p.memory_gb = item.number(0); }},
      whole_field("nodes", &Partition::nodes, 1),
      whole_field("min_nodes", &Partition::min_nodes, 1),
      whole_field("max_nodes", &Partition::max_nodes, 1),
      duration_field("max_walltime", &Partition::max_walltime_s),
      flag_field("exclusive", &Partition::exclusive),
      {"gpu_type", [](Partition& p, const config::Item& item) { p.gpu_type = gpu_type_of(item); }},
      text_field("account", &Partition::account),
      text_field("qos", &Partition::qos),
      text_field("constraint", &Partition::constraint),
      choice_field("hint", &Partition::hint,
                   {"compute_bound", "memory_bound", "multithread", "nomultithread"}),
      choice_field("gpu_request", &Partition::gpu_request, {"gres", "gpus-per-node", "none"}),
      flag_field("memory_request", &Partition::memory_request),
      text_field("properties", &Partition::properties),
      text_field("gpu_resource", &Partition::gpu_resource),
      text_field("host_resource", &Partition::host_resource),
      texts_field("types", &Partition::types),
      flag_field("moldable", &Partition::moldable),
      text_field("gpu", &Partition::gpu),
      {"link_gbit_s",
       [](Partition& p, const config::Item& item) { p.link_gbit_s = item.number(1e-6); }},
      {"link_latency_us",
       [](Partition& p, const config::Item& item) { p.link_latency_us = item.number(1e-6); }},
      choice_field("link_all_reduce", &Partition::link_all_reduce, {"ring", "tree"}),
  };
  return fields;
}

void read_partitions(Site& site, const config::Item& item) {
  for (const config::Item& entry : item.items()) {
    Partition partition;
    config::read_fields(entry, partition_fields(), partition);
    if (partition.name.empty()) entry.fail("name is missing");
    for (const Partition& other : site.partitions) {
      if (other.name != partition.name) continue;
      entry.fail(fmt::format(
          "name \"{}\" is already used; give this partition another name and queue = \"{}\"",
          other.name, other.queue.value_or(other.name)));
    }
    site.partitions.push_back(std::move(partition));
  }
}

void read_mail(Site& site, const config::Item& item) {
  site.mail = mail_of(item);
}

void read_container(Site& site, const config::Item& item) {
  static const std::vector<config::Field<Container>> fields{
      choice_field("kind", &Container::kind, {"apptainer", "singularity", "pyxis", "enroot"}),
      text_field("image", &Container::image),
      texts_field("args", &Container::args),
  };
  config::read_fields(item, fields, site.container);
  if (site.container.kind.empty()) item.fail("kind is missing");
  if (site.container.image.empty()) item.fail("image is missing");
}

void read_variables(Site& site, const config::Item& item) {
  for (const config::Entry& entry : item.table()) {
    const std::string key = item.key + "." + entry.key;
    if (!config::is_identifier(entry.key)) {
      throw base::SpecError(entry.where, key,
                            "the name of a variable may contain only letters, digits and _, and "
                            "must not begin with a digit");
    }
    site.variables[entry.key] = config::Item{entry.node, key}.text();
  }
}

void read_kept_variables(Site& site, const config::Item& item) {
  site.keep_environment = item.texts();
  for (const std::string& name : site.keep_environment) {
    if (!config::is_identifier(name)) {
      item.fail(
          fmt::format("\"{}\" is not the name of a variable; use only letters, digits and _, and "
                      "do not begin with a digit",
                      name));
    }
    if (!base::is_inherited_variable(name)) {
      item.fail(
          fmt::format("{} reaches jobs without this key; name only variables that dlscale submit "
                      "reports as removed",
                      name));
    }
  }
}

void read_rendezvous_host(Site& site, const config::Item& item) {
  site.rendezvous_host = item.text();
  if (site.rendezvous_host.find_first_not_of(" \t") == std::string::npos) {
    item.fail("is empty; give a command that prints the name of a node, or leave the key out");
  }
  if (site.rendezvous_host.find_first_of("\n\r") != std::string::npos) {
    item.fail("must be one line of shell");
  }
}

const std::vector<config::Field<Site>>& site_fields() {
  static const std::vector<config::Field<Site>> fields{
      text_field("name", &Site::name),
      choice_field("scheduler", &Site::scheduler, {"local", "slurm", "oar"}),
      choice_field("device", &Site::device, contract::vocabulary("device")),
      choice_field("communicator", &Site::communicator, contract::vocabulary("communicator")),
      choice_field("launcher", &Site::launcher, {"mpirun", "oarsh", "srun"}),
      texts_field("launcher_args", &Site::launcher_args),
      choice_field("bind", &Site::bind, {"cores", "none"}),
      {"partitions", read_partitions},
      text_field("account", &Site::account),
      duration_field("walltime", &Site::walltime_s),
      whole_field("cores_per_rank", &Site::cores_per_rank, 1, config::kMostCoresPerRank),
      whole_field("max_array_size", &Site::max_array_size, 1),
      whole_field("max_jobs", &Site::max_jobs, 1),
      whole_field("signal_before_end_s", &Site::signal_before_end_s, 0, kMostSignalSeconds),
      {"requeue", [](Site& site, const config::Item& item) { site.requeue = item.flag(); }},
      {"mail", read_mail},
      {"container", read_container},
      lines_field("modules", &Site::modules),
      lines_field("environment", &Site::environment),
      {"keep_environment", read_kept_variables},
      {"rendezvous_host", read_rendezvous_host},
      text_field("trainer", &Site::trainer),
      text_field("capabilities", &Site::capabilities),
      {"variables", read_variables},
  };
  return fields;
}

/// Key that only some batch systems support, with the names of these batch systems.
struct SchedulerKey {
  const char* key;
  const char* schedulers;
};
constexpr SchedulerKey kSiteKeys[] = {
    {"bind", "slurm oar"},           {"max_array_size", "slurm oar"},
    {"max_jobs", "slurm oar"},       {"signal_before_end_s", "slurm oar"},
    {"requeue", "slurm oar"},        {"mail", "slurm oar"},
    {"rendezvous_host", "slurm oar"}};
constexpr SchedulerKey kPartitionKeys[] = {
    {"exclusive", "slurm oar"}, {"gpu_type", "slurm oar"},   {"account", "slurm oar"},
    {"qos", "slurm"},           {"constraint", "slurm"},     {"hint", "slurm"},
    {"gpu_request", "slurm"},   {"memory_request", "slurm"}, {"properties", "oar"},
    {"gpu_resource", "oar"},    {"host_resource", "oar"},    {"types", "oar"},
    {"moldable", "oar"}};

void check_scheduler_keys(const std::string& scheduler, const config::Item& table,
                          std::span<const SchedulerKey> keys) {
  for (const auto& [key, schedulers] : keys) {
    const config::Entry* entry = config::find_key(table.table(), key);
    if (entry == nullptr || std::string_view(schedulers).find(scheduler) != std::string::npos) {
      continue;
    }
    throw base::SpecError(
        entry->where, table.key.empty() ? key : table.key + "." + key,
        fmt::format("has no effect on {}; leave it out", scheduler_title(scheduler)));
  }
}

/// Throws base::SpecError for a launcher that cannot find out which nodes the site's batch system
/// gave to a job.
void check_launcher(const Site& site, const config::Item& root) {
  static const std::map<std::string, std::vector<std::string>> kLaunchers{
      {"slurm", {"srun", "mpirun"}}, {"oar", {"oarsh", "mpirun"}}, {"local", {"mpirun"}}};
  const std::vector<std::string>& fitting = kLaunchers.at(site.scheduler);
  if (std::find(fitting.begin(), fitting.end(), site.launcher) != fitting.end()) return;
  config::Item{config::find_key(root.table(), "launcher")->node, "launcher"}.fail(
      fmt::format("{} cannot start ranks on {}; use {}", site.launcher,
                  scheduler_title(site.scheduler), fmt::join(fitting, " or ")));
}

void check_partition(const Site& site, const Partition& partition, const config::Item& item) {
  if (partition.memory_request && partition.memory_gb == 0) {
    item.fail("memory_request needs memory_gb");
  }
  if (partition.moldable && partition.exclusive) {
    item.fail(
        "the keys moldable and exclusive cannot be combined, because whole nodes have only one "
        "shape");
  }
  if (partition.max_nodes > 0 && partition.max_nodes < partition.min_nodes) {
    item.fail("max_nodes is below min_nodes");
  }
  if (site.device == "cuda" && partition.gpus_per_node == 0) {
    throw base::SpecError(
        {item.node.where.file}, "partitions.gpus_per_node",
        fmt::format("missing in {}; the device cuda requires it", partition.name));
  }
}

void check_site(const Site& site, const config::Item& root) {
  const auto missing = [&](const char* key, const char* why) {
    throw base::SpecError({root.node.where.file}, key, std::string("missing") + why);
  };
  if (site.scheduler.empty()) missing("scheduler", "; set it to local, slurm or oar");
  check_scheduler_keys(site.scheduler, root, kSiteKeys);
  check_launcher(site, root);
  if (site.container.kind == "pyxis" && site.launcher != "srun") {
    config::Item{config::find_key(root.table(), "container")->node, "container"}.fail(
        "pyxis is a plug-in of srun; set launcher = \"srun\"");
  }
  if (site.scheduler != "local" && site.partitions.empty()) {
    missing("partitions", "; describe the nodes of the batch system in [[partitions]]");
  }
  if (site.scheduler != "local" && site.walltime_s == 0) {
    missing("walltime", "; a batch system needs a time limit");
  }
  if (site.partitions.empty()) return;
  const std::vector<config::Item> items =
      config::Item{config::find_key(root.table(), "partitions")->node, "partitions"}.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    check_scheduler_keys(site.scheduler, items[i], kPartitionKeys);
    if (site.scheduler != "local") check_partition(site, site.partitions[i], items[i]);
  }
}

std::vector<std::string> sites_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Site read_site(std::string_view text, const fs::path& file) {
  const config::Node root = config::parse_document(text, file.string());
  Site site;
  site.name = file.stem();
  config::read_fields(config::Item{root, ""}, site_fields(), site);
  check_site(site, config::Item{root, ""});
  if (!site.capabilities.empty()) {
    site.capabilities = file.parent_path() / site.capabilities;
  }
  return site;
}

fs::path site_file(const std::string& site, const fs::path& folder) {
  if (fs::path(site).extension() == ".toml") return site;
  const std::vector<std::string> known = sites_in(folder);
  if (std::find(known.begin(), known.end(), site) == known.end()) {
    throw base::UsageError(base::unknown_name("site", site, known) +
                           "; a path to a site file must end in .toml");
  }
  return folder / (site + ".toml");
}

}  // namespace dlscale::planner
