// SPDX-License-Identifier: Apache-2.0
#include "planner/wishes.hpp"

namespace dlscale::planner {
namespace {

const std::vector<Field<ResourceWishes>>& resource_fields() {
  static const std::vector<Field<ResourceWishes>> fields{
      {"walltime", [](ResourceWishes& r,
                      const Item& i) { r.walltime_s = i.text() == "auto" ? 0 : i.duration_s(); }},
      {"cores_per_rank",
       [](ResourceWishes& r, const Item& i) {
         r.cores_per_rank = static_cast<int>(i.whole(1, kMostCoresPerRank));
       }},
      {"partition",
       [](ResourceWishes& r, const Item& i) {
         i.word();
         r.partition = i.node;
       }},
      {"max_gpu_hours",
       [](ResourceWishes& r, const Item& i) {
         i.number(0);
         r.max_gpu_hours = i.node;
       }},
  };
  return fields;
}

const std::vector<Field<LaunchWishes>>& launch_fields() {
  static const std::vector<Field<LaunchWishes>> fields{};
  return fields;
}

}  // namespace

ResourceWishes read_resources(const Item& section) {
  ResourceWishes wishes;
  read_fields(section, resource_fields(), wishes);
  return wishes;
}

LaunchWishes read_launch(const Item& section) {
  LaunchWishes wishes;
  read_fields(section, launch_fields(), wishes);
  return wishes;
}

}  // namespace dlscale::planner
