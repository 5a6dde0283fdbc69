// SPDX-License-Identifier: Apache-2.0
#include "planner/study/resolved.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"
#include "config/toml/document.hpp"
#include "planner/study/expand.hpp"
#include "planner/study/settings.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

const std::string kStudy = R"(
extends = "base.toml"
[study]
name = "s"
[matrix]
model = ["mlp"]
gpus = { from = 1, to = 4, times = 2 }
batch_per_gpu = [8, 16]
optimizer.momentum = [0, 0.9]
[[exclude]]
when = 'gpus == 4 && batch_per_gpu == 16'
why = "a \"quote\" and a\nline break"
[training]
lr = { base = 0.1 }
)";
const std::string kResolvedBase = "[training]\nepochs = 7\nlr = { base = 1.0 }\n";

std::string resolved(const std::vector<std::string>& overrides = {}) {
  return planner::resolved_study(kStudy, "s.toml", overrides,
                                 [](const std::string&) { return kResolvedBase; });
}

std::vector<std::string> ids(const planner::Study& study) {
  std::vector<std::string> list;
  for (const planner::Point& point : expand(study).points) list.push_back(point.id);
  return list;
}

}  // namespace

TEST_CASE("a resolved study contains its bases, -S values and defaults") {
  const std::string text = resolved({"study.repeats=2"});
  CHECK_THAT(text, Contains("repeats = 2\n") && Contains("order = \"repetitions\"\n") &&
                       Contains("epochs = 7\n") && Contains("lr = { base = 0.1 }") &&
                       Contains("precision = \"fp32\"\n") && Contains("scaling = \"weak\"\n") &&
                       Contains("# Every run has framework = \"ddp\".\n") && !Contains("extends"));
}

TEST_CASE("a resolved study plans the same runs, and resolves to itself") {
  const auto original =
      planner::read_study(kStudy, "s.toml", {}, [](const std::string&) { return kResolvedBase; });
  const std::string text = resolved();
  CHECK(ids(planner::read_study(text, "r.toml", {})) == ids(original));
  CHECK(ids(original).size() == 10);
  CHECK(planner::resolved_study(text, "r.toml", {}) == text);
}

TEST_CASE("every plain key of [training] is written with its default") {
  const std::string text = resolved();
  const config::Node root = config::parse_document(text, "r.toml");
  const auto& sections = std::get<config::Table>(root.value);
  const auto& training = std::get<config::Table>(find_key(sections, "training")->node.value);
  for (const planner::Setting& setting : planner::training_settings()) {
    const std::string& name = setting.symbol.name;
    const std::string group = name.substr(0, name.find('.'));
    if (group == "lr" || group == "schedules" || group == "frameworks" || group == "models") {
      continue;
    }
    if (name.starts_with("optimizer.adam.") || name.starts_with("optimizer.lars.")) continue;
    // These keys have no default, or are alternatives to a key that has a default.
    const std::set<std::string> without{"batch_per_gpu", "global_batch", "max_batch_per_gpu",
                                        "warmup_steps",  "dataset.path", "steps"};
    if (without.contains(name)) continue;
    INFO(name);
    const config::Entry* found = find_key(training, group);
    REQUIRE(found != nullptr);
    if (group == name) continue;
    const auto& inner = std::get<config::Table>(found->node.value);
    CHECK(find_key(inner, name.substr(name.find('.') + 1)) != nullptr);
  }
}

TEST_CASE("a default is not written next to its alternative") {
  const std::string text = resolved({"training.warmup_steps=5", "matrix.max_batch_per_gpu=8"});
  CHECK_THAT(text, Contains("warmup_steps = 5\n") && !Contains("warmup_epochs") &&
                       !Contains("accumulation_steps"));
}

TEST_CASE("TOML text with special characters is read back unchanged") {
  const std::string text =
      "a = [1, 2.0, \"x\\u0001\\\"\\\\é\", { b = true }]\n\"k e.y\" = 1e-05\n\n"
      "[s]\nx = 1\n\n[s.t]\nu = { v = [] }\n\n[[l]]\nx = 1\n\n[[l]]\n";
  CHECK(toml_text(config::parse_document(text, "t.toml")) == text);
}

TEST_CASE("a study that is not TOML cannot be resolved") {
  CHECK_THROWS_AS(planner::resolved_study("[study", "s.toml", {}), base::SpecError);
}
