// SPDX-License-Identifier: Apache-2.0
#include "planner/study/resolved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/toml/document.hpp"
#include "planner/study/settings.hpp"

namespace dlscale::planner {
namespace {

/// Dotted key and its default value.
using Default = std::pair<const char*, decltype(config::Node::value)>;

std::vector<Default> study_defaults() {
  const Study study;
  return {{"scaling", study.scaling},
          {"baseline", study.baseline.rule},
          {"repeats", std::int64_t{study.repeats}},
          {"order", study.order},
          {"seed", static_cast<std::int64_t>(study.seed)},
          {"uneven_batch", study.uneven_batch}};
}

std::vector<Default> axis_defaults() {
  const contract::RunSpec run;
  return {
      {"framework", run.framework}, {"loader", run.loader}, {"lr_schedule", run.lr_schedule.kind}};
}

std::vector<Default> data_defaults() {
  const contract::RunSpec run;
  return {{"dataset.kind", run.dataset.kind},
          {"dataset.train_samples", run.dataset.train_samples},
          {"dataset.test_samples", run.dataset.test_samples},
          {"dataset.shape", run.dataset.shape},
          {"dataset.classes", std::int64_t{run.dataset.classes}},
          {"dataset.first_classes", std::int64_t{run.dataset.first_classes}},
          {"dataset.sha256", run.dataset.sha256},
          {"dataset.random_crop", std::int64_t{run.dataset.random_crop}},
          {"dataset.random_flip", run.dataset.random_flip},
          {"dataset.image_size", std::int64_t{run.dataset.image_size}},
          {"dataset.resize", std::int64_t{run.dataset.resize}},
          {"dataset.crop_scale", config::List{{0.08, {}}, {1.0, {}}}},
          {"dataset.crop_ratio", config::List{{3.0 / 4, {}}, {4.0 / 3, {}}}},
          {"dataset.resample", std::string("antialiased")},
          {"dataset.folds", std::int64_t{run.dataset.folds}},
          {"dataset.fold", std::int64_t{run.dataset.fold}},
          {"dataset.vocabulary", std::int64_t{run.dataset.vocabulary}},
          {"dataset.min_count", std::int64_t{run.dataset.min_count}},
          {"dataset.max_length", std::int64_t{run.dataset.max_length}},
          {"last_batch", run.last_batch},
          {"loader_options.threads", std::int64_t{run.loader_options.threads}},
          {"loader_options.prefetch", std::int64_t{run.loader_options.prefetch}},
          {"loader_options.on_broken", std::string("fail")},
          {"loader_options.shuffle_window", std::int64_t{run.loader_options.shuffle_window}},
          {"loader_options.sample_order", std::string("dlscale")},
          {"loader_options.hand_over", std::string("auto")}};
}

std::vector<Default> learning_defaults() {
  const contract::RunSpec run;
  return {{"epochs", std::int64_t{run.epochs}},
          {"warmup_epochs", run.warmup_epochs},
          {"label_smoothing", run.label_smoothing},
          {"clip_norm", run.clip_norm},
          {"ema_decay", run.ema_decay},
          {"target.accuracy", run.target.accuracy},
          {"target.loss", run.target.loss},
          {"target.bleu", run.target.bleu},
          {"target.train_loss", run.target.train_loss},
          {"target.stop", run.target.stop},
          {"plateau_epochs", std::int64_t{run.plateau_epochs}},
          {"optimizer.kind", run.optimizer.kind},
          {"optimizer.momentum", run.optimizer.momentum},
          {"optimizer.dampening", run.optimizer.dampening},
          {"optimizer.nesterov", run.optimizer.nesterov},
          {"optimizer.weight_decay", run.optimizer.weight_decay},
          {"optimizer.decayed", std::string("all")},
          {"accumulation_steps", std::int64_t{run.accumulation_steps}}};
}

std::vector<Default> running_defaults() {
  const contract::RunSpec run;
  return {{"mode", std::string("train")},
          {"all_reduce", std::string("auto")},
          {"precision", run.precision},
          {"batch_norm", std::string("local")},
          {"memory_format", std::string("auto")},
          {"cpu_kernels", std::string("fast")},
          {"gpu_kernels", std::string("fast")},
          {"cuda_graph", run.cuda_graph},
          {"weights", run.weights},
          {"zero_init_gamma", run.zero_init_gamma},
          {"frozen", run.frozen},
          {"profile", run.profile},
          {"profile_epochs", std::int64_t{run.profile_epochs}},
          {"window_steps", std::int64_t{run.window_steps}},
          {"evaluate_every", std::int64_t{run.evaluate_every}},
          {"checkpoint.every_epochs", std::int64_t{run.checkpoint.every_epochs}},
          {"checkpoint.every_minutes", run.checkpoint.every_minutes},
          {"checkpoint.keep", std::int64_t{1}},
          {"checkpoint.asynchronous", run.checkpoint.asynchronous},
          {"checkpoint.weights", run.checkpoint.weights}};
}

/// Returns the table at a key. Adds an empty table if the key is missing. Returns null if the key
/// has a value of another type.
config::Table* table_in(config::Table& table, const std::string& key) {
  if (config::find_key(table, key) == nullptr) table.push_back({key, {}, {config::Table{}, {}}});
  for (config::Entry& entry : table) {
    if (entry.key == key) return std::get_if<config::Table>(&entry.node.value);
  }
  return nullptr;
}

void fill_in(config::Table& table, const Default& row) {
  const std::string key = row.first;
  const std::size_t dot = key.find('.');
  config::Table* const inner =
      dot == std::string::npos ? &table : table_in(table, key.substr(0, dot));
  const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
  if (inner != nullptr && config::find_key(*inner, name) == nullptr) {
    inner->push_back({name, {}, {row.second, {}}});
  }
}

/// Returns whether the key occurs anywhere in the document.
bool mentions(const config::Node& node, std::string_view key) {
  const auto inside = [&](const auto& children, auto node_of) {
    return std::any_of(children.begin(), children.end(),
                       [&](const auto& child) { return mentions(node_of(child), key); });
  };
  if (const auto* list = std::get_if<config::List>(&node.value)) {
    return inside(*list, [](const config::Node& item) -> const config::Node& { return item; });
  }
  const auto* table = std::get_if<config::Table>(&node.value);
  if (table == nullptr) return false;
  return config::find_key(*table, key) != nullptr ||
         inside(*table,
                [](const config::Entry& entry) -> const config::Node& { return entry.node; });
}

/// Returns whether the study gives the alternative of a key. Alternatives exclude each other, so
/// the default of the key must then be left out.
bool is_ruled_out(const config::Node& root, std::string_view key) {
  const auto all = alternatives();
  return std::any_of(all.begin(), all.end(), [&](const Alternative& pair) {
    return (pair.first == key && mentions(root, pair.second)) ||
           (pair.second == key && mentions(root, pair.first));
  });
}

void fill_in(config::Node& root, const char* section, const std::vector<Default>& rows) {
  config::Table* const table = table_in(std::get<config::Table>(root.value), section);
  if (table == nullptr) return;
  for (const Default& row : rows) {
    if (!is_ruled_out(root, row.first)) fill_in(*table, row);
  }
}

/// Returns a TOML comment with the defaults of missing axes. Returns an empty text if the study has
/// a [[zip]] or [[substudy]], because these sections may contain the axes.
std::string note_axes(const config::Table& root) {
  const config::Entry* const section = config::find_key(root, "matrix");
  const auto* matrix =
      section == nullptr ? nullptr : std::get_if<config::Table>(&section->node.value);
  if (matrix == nullptr || config::find_key(root, "zip") != nullptr ||
      config::find_key(root, "substudy") != nullptr) {
    return {};
  }
  std::string text;
  for (const auto& [name, value] : axis_defaults()) {
    if (config::find_key(*matrix, name) == nullptr) {
      text += fmt::format("# Every run has {} = \"{}\".\n", name, config::to_text({value, {}}));
    }
  }
  return text;
}

}  // namespace

std::string resolved_study(std::string_view text, const std::string& file,
                           const std::vector<std::string>& overrides, const FileReader& read) {
  std::vector<SourceText> bases;
  config::Node root = read_extended(text, file, read, bases);
  for (const std::string& assignment : overrides) config::apply_override(root, assignment);
  fill_in(root, "study", study_defaults());
  const bool ours = config::find_key(std::get<config::Table>(root.value), "trainer") == nullptr;
  if (!ours) return config::toml_text(root);  // the defaults do not apply to external trainers
  for (const auto& rows : {data_defaults(), learning_defaults(), running_defaults()}) {
    fill_in(root, "training", rows);
  }
  return note_axes(std::get<config::Table>(root.value)) + config::toml_text(root);
}

}  // namespace dlscale::planner
