// SPDX-License-Identifier: Apache-2.0
#include "planner/site/job_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlscale::planner {
namespace {

constexpr double kMostMargin = 100;
constexpr double kLeastQuantile = 0.5, kMostQuantile = 0.999;

config::Field<ResourceSettings> text_request(const char* name,
                                             std::string ResourceSettings::*member) {
  return {name, [=](ResourceSettings& r, const config::Item& i) { r.*member = i.word(); }};
}

const std::vector<config::Field<ResourceSettings>>& resource_fields() {
  using R = ResourceSettings;
  static const std::vector<config::Field<R>> fields{
      {"walltime",
       [](R& r, const config::Item& i) { r.walltime_s = i.text() == "auto" ? 0 : i.duration_s(); }},
      {"margin", [](R& r, const config::Item& i) { r.margin = i.number(1, kMostMargin); }},
      {"quantile",
       [](R& r, const config::Item& i) { r.quantile = i.number(kLeastQuantile, kMostQuantile); }},
      text_request("calibration", &R::calibration),
      {"cores_per_rank",
       [](R& r, const config::Item& i) {
         r.cores_per_rank = static_cast<int>(i.whole(1, config::kMostCoresPerRank));
       }},
      {"partition",
       [](R& r, const config::Item& i) {
         i.word();
         r.partition = i.node;
       }},
      text_request("account", &R::account),
      text_request("qos", &R::qos),
      text_request("constraint", &R::constraint),
      {"gpu_type", [](R& r, const config::Item& i) { r.gpu_type = gpu_type_of(i); }},
      {"exclusive", [](R& r, const config::Item& i) { r.exclusive = i.flag(); }},
      {"memory_gb", [](R& r, const config::Item& i) { r.memory_gb = i.number(0.001); }},
      {"mail", [](R& r, const config::Item& i) { r.mail = mail_of(i); }},
      {"max_gpu_hours",
       [](R& r, const config::Item& i) {
         i.number(0);
         r.max_gpu_hours = i.node;
       }},
  };
  return fields;
}

const std::vector<config::Field<LaunchSettings>>& launch_fields() {
  using L = LaunchSettings;
  static const std::vector<config::Field<L>> fields{
      {"pack", [](L& l, const config::Item& i) { l.pack = i.flag(); }},
      {"array", [](L& l, const config::Item& i) { l.array = i.flag(); }},
      {"throttle", [](L& l, const config::Item& i) { l.throttle = static_cast<int>(i.whole(1)); }},
      {"chain", [](L& l, const config::Item& i) { l.chain = static_cast<int>(i.whole(1)); }},
  };
  return fields;
}

/// Reads a section. Stores the TOML node of each key in `said`, for messages.
template <class Requests>
Requests read_requests(const config::Item& section,
                       const std::vector<config::Field<Requests>>& fields) {
  Requests requested;
  config::read_fields(section, fields, requested);
  for (const config::Entry& entry : section.table()) requested.said[entry.key] = entry.node;
  return requested;
}

/// Returns notes about the keys margin, quantile and calibration if they have no effect.
std::vector<std::string> idle_time_keys(const Site& site, const ResourceSettings& resources,
                                        const LaunchSettings& launch) {
  std::vector<std::string> notes;
  // Packing uses predicted times, so the keys have an effect on packing even if the walltime is
  // fixed.
  const bool packs = launch.pack && site.scheduler != "local";
  if (resources.walltime_s == 0 || packs) return notes;
  for (const char* key : {"margin", "quantile", "calibration"}) {
    if (resources.said.count(key) == 0) continue;
    notes.push_back(fmt::format(
        "resources.{} has no effect because resources.walltime sets the time limits", key));
  }
  return notes;
}

struct Unheard {
  const char* scheduler;
  std::vector<const char*> resources, launch;
};

}  // namespace

ResourceSettings read_resources(const config::Item& section) {
  return read_requests(section, resource_fields());
}

LaunchSettings read_launch(const config::Item& section) {
  auto requested = read_requests(section, launch_fields());
  if (requested.throttle > 0 && !requested.array) {
    config::Item{requested.said.at("throttle"), section.key + ".throttle"}.fail(
        "needs array = true because throttle limits the tasks of an array");
  }
  return requested;
}

Mail mail_of(const config::Item& item) {
  static const std::vector<config::Field<Mail>> fields{
      {"user", [](Mail& m, const config::Item& i) { m.user = i.word(); }},
      {"on",
       [](Mail& m, const config::Item& i) {
         m.on.clear();
         for (const config::Item& event : i.items()) {
           m.on.push_back(event.one_of("event", {"begin", "end", "fail"}));
         }
         if (m.on.empty()) i.fail("the list is empty; give begin, end or fail");
       }},
  };
  Mail mail;
  config::read_fields(item, fields, mail);
  if (mail.user.empty()) item.fail("user is missing");
  return mail;
}

std::string gpu_type_of(const config::Item& item) {
  if (item.word().find_first_of("'\"") != std::string::npos) item.fail("must not contain quotes");
  return item.text();
}

std::string first_conflict(const ResourceSettings& a, const ResourceSettings& b) {
  const auto text = [](const ResourceSettings& requested, const std::string& key) {
    const auto said = requested.said.find(key);
    return said == requested.said.end() ? std::nullopt
                                        : std::optional(config::to_text(said->second));
  };
  for (const config::Field<ResourceSettings>& field : resource_fields()) {
    const bool of_time = field.name == "walltime" || field.name == "margin" ||
                         field.name == "quantile" || field.name == "calibration";
    if (of_time || field.name == "max_gpu_hours") continue;
    if (text(a, field.name) != text(b, field.name)) return field.name;
  }
  return {};
}

std::string scheduler_title(const std::string& scheduler) {
  return scheduler == "slurm" ? "SLURM" : scheduler == "oar" ? "OAR" : "a single machine";
}

std::vector<std::string> unsupported_settings(const Site& site, const ResourceSettings& resources,
                                              const LaunchSettings& launch) {
  static const Unheard kUnheard[] = {
      {"oar", {"qos", "constraint"}, {}},
      {"local",
       {"partition", "account", "qos", "constraint", "gpu_type", "exclusive", "memory_gb", "mail"},
       {"pack", "array", "throttle", "chain"}}};
  if (site.scheduler == "oar" && launch.throttle > 0) {
    config::Item{launch.said.at("throttle"), "launch.throttle"}.fail(
        "OAR cannot limit the number of running tasks of an array; leave the key out");
  }
  std::vector<std::string> notes = idle_time_keys(site, resources, launch);
  if (site.scheduler == "oar" && launch.chain > 0) {
    notes.push_back(fmt::format(
        "launch.chain has no effect on OAR ({}): OAR needs the id of the job to wait for, which is "
        "known only after that job is submitted; the jobs of this plan do not wait",
        site.name));
  }
  for (const auto& [scheduler, resource_keys, launch_keys] : kUnheard) {
    if (site.scheduler != scheduler) continue;
    const auto note = [&](const char* section, const char* key, const auto& said) {
      const auto requested_key = said.find(key);
      if (requested_key == said.end()) return;
      const bool* flag = std::get_if<bool>(&requested_key->second.value);
      if (flag != nullptr && !*flag) return;
      notes.push_back(fmt::format("{}.{} has no effect on {} ({})", section, key,
                                  scheduler_title(site.scheduler), site.name));
    };
    for (const char* key : resource_keys) {
      if (std::string_view(key) == "partition" && !site.partitions.empty()) continue;
      note("resources", key, resources.said);
    }
    for (const char* key : launch_keys) note("launch", key, launch.said);
  }
  return notes;
}

}  // namespace dlscale::planner
