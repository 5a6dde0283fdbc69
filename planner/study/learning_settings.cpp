// SPDX-License-Identifier: Apache-2.0
// How runs learn, as a study says it: learning rate and schedules, the optimizer, what to reach.
#include "planner/study/setting_rows.hpp"

namespace dlscale::planner {
namespace {

using contract::LrScheduleSpec;

std::vector<Setting> rate_settings() {
  return {
      number(
          "warmup_epochs", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.warmup_epochs; }),
      whole(
          "warmup_steps", 0, [](Recipe & r) -> auto& { return r.warmup_steps; }),
      number(
          "lr.base_per_gpu", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.lr_base_per_gpu; }),
      number(
          "lr.base", 0, config::kNoLimit, [](Recipe & r) -> auto& { return r.lr_base; }),
      whole(
          "lr.base_batch", 1, [](Recipe & r) -> auto& { return r.lr_base_batch; }),
      choice(
          "lr.scale", "value", {"linear", "sqrt", "none"},
          [](Recipe & r) -> auto& { return r.lr_scale; }),
      choice_but(
          "base", "lr.warmup_from", {"base", "zero"},
          [](Recipe & r) -> auto& { return r.run.lr.warmup_from; }),
      choice_but(
          "step", "lr.warmup_update", {"step", "epoch"},
          [](Recipe & r) -> auto& { return r.run.lr.warmup_update; }),
  };
}

std::vector<Setting> optimizer_settings() {
  return {
      known(
          "optimizer.kind", "optimizer", [](Recipe & r) -> auto& { return r.run.optimizer.kind; }),
      fraction(
          "optimizer.momentum", [](Recipe & r) -> auto& { return r.run.optimizer.momentum; }),
      number(
          "optimizer.dampening", 0, 1,
          [](Recipe & r) -> auto& { return r.run.optimizer.dampening; }),
      flag(
          "optimizer.nesterov", [](Recipe & r) -> auto& { return r.run.optimizer.nesterov; }),
      number(
          "optimizer.weight_decay", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.weight_decay; }),
      choice_but(
          "all", "optimizer.decayed", {"all", "weights"},
          [](Recipe & r) -> auto& { return r.run.optimizer.decayed; }),
      fraction(
          "optimizer.adam.beta1", [](Recipe & r) -> auto& { return r.run.optimizer.adam.beta1; }),
      fraction(
          "optimizer.adam.beta2", [](Recipe & r) -> auto& { return r.run.optimizer.adam.beta2; }),
      number(
          "optimizer.adam.epsilon", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.adam.epsilon; }),
      number(
          "optimizer.lars.trust_coefficient", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.lars.trust_coefficient; }),
      number(
          "optimizer.lars.epsilon", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.optimizer.lars.epsilon; }),
  };
}

std::vector<Setting> goal_settings() {
  return {
      number(
          "label_smoothing", 0, 0.999, [](Recipe & r) -> auto& { return r.run.label_smoothing; }),
      number(
          "clip_norm", 0, config::kNoLimit, [](Recipe & r) -> auto& { return r.run.clip_norm; }),
      fraction(
          "ema_decay", [](Recipe & r) -> auto& { return r.run.ema_decay; }),
      number(
          "target.accuracy", 0, 1, [](Recipe & r) -> auto& { return r.run.target.accuracy; }),
      number(
          "target.loss", 0, config::kNoLimit,
          [](Recipe & r) -> auto& { return r.run.target.loss; }),
      number(
          "target.bleu", 0, 100, [](Recipe & r) -> auto& { return r.run.target.bleu; }),
      flag(
          "target.stop", [](Recipe & r) -> auto& { return r.run.target.stop; }),
      whole(
          "plateau_epochs", 0, [](Recipe & r) -> auto& { return r.run.plateau_epochs; }),
  };
}

/// Where the parameters of a schedule kind lie in a recipe.
template <class Member>
auto of_schedule(const std::string& kind, Member LrScheduleSpec::*member) {
  return [=](Recipe& r) -> Member& { return r.schedules[kind].*member; };
}

/// `kinds`, and those of extensions: they may read any parameter.
std::vector<std::string> and_of_extensions(std::vector<std::string> kinds) {
  for (const contract::ExtensionName& own : contract::extension_names()) {
    if (own.family == "lr_schedule") kinds.push_back(own.name);
  }
  return kinds;
}

std::vector<Setting> schedule_settings() {
  using S = LrScheduleSpec;
  std::vector<Setting> rows;
  const auto key = [](const std::string& kind, const char* name) {
    return "schedules." + kind + "." + name;
  };
  const auto one = [&](const std::string& kind, const char* name, double S::*member) {
    rows.push_back(number(key(kind, name), 0, config::kNoLimit, of_schedule(kind, member)));
  };
  for (const std::string& kind : and_of_extensions({"step", "multistep"})) {
    rows.push_back(numbers(key(kind, "milestones"), 0, of_schedule(kind, &S::milestones)));
    one(kind, "factor", &S::factor);
  }
  for (const std::string& kind : and_of_extensions({"step"})) {
    one(kind, "every_epochs", &S::every_epochs);
  }
  for (const std::string& kind : and_of_extensions({"exponential"})) one(kind, "gamma", &S::gamma);
  for (const std::string& kind : and_of_extensions({"cosine", "polynomial"})) {
    one(kind, "lr_min", &S::lr_min);
    one(kind, "t_max_epochs", &S::t_max_epochs);
  }
  for (const std::string& kind : and_of_extensions({"polynomial"})) one(kind, "power", &S::power);
  for (const std::string& kind :
       and_of_extensions({"step", "multistep", "cosine", "exponential", "polynomial"})) {
    rows.push_back(
        choice(key(kind, "update"), "value", {"step", "epoch"}, of_schedule(kind, &S::update)));
    rows.push_back(choice(key(kind, "origin"), "value", {"start", "after_warmup"},
                          of_schedule(kind, &S::origin)));
  }
  return rows;
}

}  // namespace

std::vector<Setting> learning_settings() {
  return joined({rate_settings(), goal_settings(), optimizer_settings(), schedule_settings()});
}

}  // namespace dlscale::planner
