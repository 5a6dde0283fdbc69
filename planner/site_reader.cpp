// SPDX-License-Identifier: Apache-2.0
#include "planner/site_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/registry.hpp"
#include "contract/vocabulary.hpp"
#include "planner/fields.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

template <class T>
Field<T> text_field(std::string name, std::string T::*member) {
  return {std::move(name), [=](T& out, const Item& item) { out.*member = item.text(); }};
}
template <class T>
Field<T> whole_field(std::string name, int T::*member, int least, std::int64_t most = kMostWhole) {
  return {std::move(name), [=](T& out, const Item& item) {
            out.*member = static_cast<int>(item.whole(least, most));
          }};
}
template <class T>
Field<T> duration_field(std::string name, double T::*member) {
  return {std::move(name), [=](T& out, const Item& item) { out.*member = item.duration_s(); }};
}
Field<Site> choice_field(std::string name, std::string Site::*member,
                         std::vector<std::string> choices) {
  return {name, [=](Site& site, const Item& item) { site.*member = item.one_of(name, choices); }};
}
Field<Site> texts_field(std::string name, std::vector<std::string> Site::*member) {
  return {std::move(name), [=](Site& site, const Item& item) { site.*member = item.texts(); }};
}

/// Shell lines: a list of lines, or one text of several lines.
Field<Site> lines_field(std::string name, std::vector<std::string> Site::*member) {
  return {std::move(name), [=](Site& site, const Item& item) {
            for (const std::string& text : item.texts()) {
              for (std::size_t start = 0; start < text.size();) {
                const std::size_t end = std::min(text.find('\n', start), text.size());
                (site.*member).push_back(text.substr(start, end - start));
                start = end + 1;
              }
            }
          }};
}

const std::vector<Field<Partition>>& partition_fields() {
  static const std::vector<Field<Partition>> fields{
      text_field("name", &Partition::name),
      whole_field("gpus_per_node", &Partition::gpus_per_node, 0),
      whole_field("cores_per_node", &Partition::cores_per_node, 1),
      {"memory_gb", [](Partition& p, const Item& item) { p.memory_gb = item.number(0); }},
      whole_field("min_nodes", &Partition::min_nodes, 1),
      whole_field("max_nodes", &Partition::max_nodes, 1),
      duration_field("max_walltime", &Partition::max_walltime_s),
      text_field("properties", &Partition::properties),
      text_field("gpu_resource", &Partition::gpu_resource),
  };
  return fields;
}

void read_partitions(Site& site, const Item& item) {
  for (const Item& entry : item.items()) {
    Partition partition;
    read_fields(entry, partition_fields(), partition);
    if (partition.name.empty()) entry.fail("name is missing");
    site.partitions.push_back(std::move(partition));
  }
}

void read_variables(Site& site, const Item& item) {
  for (const Entry& entry : item.table()) {
    site.variables[entry.key] = Item{entry.node, item.key + "." + entry.key}.text();
  }
}

const std::vector<Field<Site>>& site_fields() {
  static const std::vector<Field<Site>> fields{
      text_field("name", &Site::name),
      choice_field("scheduler", &Site::scheduler, {"local", "slurm", "oar"}),
      choice_field("device", &Site::device, contract::vocabulary("device")),
      choice_field("communicator", &Site::communicator, contract::vocabulary("communicator")),
      choice_field("launcher", &Site::launcher, {"mpirun", "oarsh", "srun"}),
      texts_field("launcher_args", &Site::launcher_args),
      {"partitions", read_partitions},
      text_field("account", &Site::account),
      duration_field("walltime", &Site::walltime_s),
      whole_field("cores_per_rank", &Site::cores_per_rank, 1, kMostCoresPerRank),
      lines_field("modules", &Site::modules),
      lines_field("environment", &Site::environment),
      text_field("trainer", &Site::trainer),
      text_field("capabilities", &Site::capabilities),
      {"variables", read_variables},
  };
  return fields;
}

void check_site(const Site& site, const Item& root) {
  const auto missing = [&](const char* key, const char* why) {
    throw base::SpecError({root.node.where.file}, key, std::string("missing") + why);
  };
  if (site.scheduler.empty()) missing("scheduler", ": local, slurm or oar");
  if (site.scheduler == "local") return;
  if (site.partitions.empty())
    missing("partitions", "; a batch system needs the shape of its nodes");
  if (site.walltime_s == 0) missing("walltime", "; a batch system needs a time limit");
  for (const Partition& partition : site.partitions) {
    if (site.device == "cuda" && partition.gpus_per_node == 0) {
      missing("partitions.gpus_per_node",
              fmt::format(" in {}: the site's device is cuda", partition.name).c_str());
    }
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
  const Node root = parse_document(text, file.string());
  Site site;
  site.name = file.stem();
  read_fields(Item{root, ""}, site_fields(), site);
  check_site(site, Item{root, ""});
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
                           "; a path to a site file ends in .toml");
  }
  return folder / (site + ".toml");
}

}  // namespace dlscale::planner
