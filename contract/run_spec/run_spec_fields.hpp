// SPDX-License-Identifier: Apache-2.0
// Private to contract/: the keys of run.json that say what is trained on and how it is loaded.
#pragma once

#include <concepts>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, DatasetSpec& s) {
  v.required("kind", s.kind);
  v.optional("path", s.path);
  v.optional("train_samples", s.train_samples);
  v.optional("test_samples", s.test_samples);
  v.sparse("shape", s.shape);
  v.sparse("classes", s.classes);
  v.sparse("first_classes", s.first_classes);
  v.sparse("sha256", s.sha256);
  v.sparse("random_crop", s.random_crop);
  v.sparse("random_flip", s.random_flip);
  v.sparse("image_size", s.image_size);
  v.sparse("resize", s.resize);
  v.sparse("crop_scale", s.crop_scale);
  v.sparse("crop_ratio", s.crop_ratio);
  v.sparse("resample", s.resample);
  v.sparse("folds", s.folds);
  v.sparse("fold", s.fold);
  v.sparse("vocabulary", s.vocabulary);
  v.sparse("min_count", s.min_count);
  v.sparse("max_length", s.max_length);
}

template <class Visitor>
void visit_fields(Visitor& v, LoaderOptions& s) {
  v.sparse("threads", s.threads);
  v.sparse("prefetch", s.prefetch);
  v.sparse("on_broken", s.on_broken);
  v.sparse("shuffle_window", s.shuffle_window);
  v.sparse("sample_order", s.sample_order);
  v.sparse("hand_over", s.hand_over);
}

// Private to contract/: the keys of run.json.

template <class Visitor>
void visit_fields(Visitor& v, LearningRate& s) {
  v.required("base", s.base);
  v.required("peak", s.peak);
  v.optional("scale", s.scale);
  v.sparse("warmup_from", s.warmup_from);
  v.sparse("warmup_update", s.warmup_update);
  v.sparse("warmup_steps", s.warmup_steps);
}

template <class Visitor>
void visit_fields(Visitor& v, LrScheduleSpec& s) {
  v.required("kind", s.kind);
  v.optional("update", s.update);
  v.optional("origin", s.origin);
  v.optional("milestones", s.milestones);
  v.optional("factor", s.factor);
  v.optional("every_epochs", s.every_epochs);
  v.optional("gamma", s.gamma);
  v.optional("lr_min", s.lr_min);
  v.optional("t_max_epochs", s.t_max_epochs);
  v.optional("power", s.power);
}

template <class Visitor>
void visit_fields(Visitor& v, AdamOptions& s) {
  v.optional("beta1", s.beta1);
  v.optional("beta2", s.beta2);
  v.optional("epsilon", s.epsilon);
}

template <class Visitor>
void visit_fields(Visitor& v, LarsOptions& s) {
  v.optional("trust_coefficient", s.trust_coefficient);
  v.optional("epsilon", s.epsilon);
}

template <class Visitor>
void visit_fields(Visitor& v, OptimizerSpec& s) {
  v.required("kind", s.kind);
  v.optional("momentum", s.momentum);
  v.optional("dampening", s.dampening);
  v.optional("nesterov", s.nesterov);
  v.optional("weight_decay", s.weight_decay);
  v.sparse("decayed", s.decayed);
  v.sparse("adam", s.adam);
  v.sparse("lars", s.lars);
}

template <class Visitor>
void visit_fields(Visitor& v, ModelOptions& s) {
  v.sparse("backbone", s.backbone);
  v.sparse("classifier_hidden", s.classifier_hidden);
  v.sparse("dropout", s.dropout);
  v.sparse("embedding", s.embedding);
  v.sparse("hidden", s.hidden);
  v.sparse("cell", s.cell);
}

template <class Visitor>
void visit_fields(Visitor& v, FrameworkOptions& s) {
  v.optional("bucket_cap_mb", s.bucket_cap_mb);
  v.optional("first_bucket_mb", s.first_bucket_mb);
  v.optional("gradient_as_bucket_view", s.gradient_as_bucket_view);
  v.optional("find_unused_parameters", s.find_unused_parameters);
  v.optional("static_graph", s.static_graph);
  v.optional("broadcast_buffers", s.broadcast_buffers);
  v.optional("compression", s.compression);
  v.optional("powersgd_rank", s.powersgd_rank);
  v.optional("powersgd_start_step", s.powersgd_start_step);
  v.optional("fusion_threshold_mb", s.fusion_threshold_mb);
  v.optional("cycle_time_ms", s.cycle_time_ms);
  v.optional("cache_capacity", s.cache_capacity);
  v.optional("hierarchical_all_reduce", s.hierarchical_all_reduce);
  v.optional("autotune", s.autotune);
  v.optional("zero_stage", s.zero_stage);
  v.optional("reduce_bucket_elements", s.reduce_bucket_elements);
  v.optional("allgather_bucket_elements", s.allgather_bucket_elements);
  v.optional("overlap_comm", s.overlap_comm);
  v.optional("use_reduce_scatter", s.use_reduce_scatter);
  v.optional("prefetch_elements", s.prefetch_elements);
  v.optional("persistence_threshold_elements", s.persistence_threshold_elements);
  v.optional("offload_optimizer", s.offload_optimizer);
  v.optional("model_parallel_size", s.model_parallel_size);
  v.optional("balance", s.balance);
  v.optional("micro_batches", s.micro_batches);
  v.optional("pipeline_schedule", s.pipeline_schedule);
}

template <class Visitor>
void visit_fields(Visitor& v, ExternalTrainer& s) {
  v.required("command", s.command);
  v.sparse("log_format", s.log_format);
  v.sparse("launcher", s.launcher);
}

template <class Visitor>
void visit_fields(Visitor& v, CheckpointSpec& s) {
  v.sparse("every_epochs", s.every_epochs);
  v.sparse("every_minutes", s.every_minutes);
  v.sparse("keep", s.keep);
  v.sparse("asynchronous", s.asynchronous);
  v.sparse("weights", s.weights);
}

template <class Visitor>
void visit_fields(Visitor& v, TargetSpec& s) {
  v.sparse("accuracy", s.accuracy);
  v.sparse("loss", s.loss);
  v.sparse("bleu", s.bleu);
  v.sparse("stop", s.stop);
}

template <class Visitor>
void visit_fields(Visitor& v, ResourceRequest& s) {
  v.optional("device", s.device);
  v.optional("communicator", s.communicator);
  v.optional("nodes", s.nodes);
  v.optional("ranks_per_node", s.ranks_per_node);
  v.optional("cores_per_rank", s.cores_per_rank);
  v.optional("walltime_s", s.walltime_s);
}

template <class Visitor>
void visit_fields(Visitor& v, RunSpec& s) {
  v.required("schema_version", s.schema_version);
  v.optional("study", s.study);
  v.required("run_id", s.run_id);
  v.optional("repetition", s.repetition);
  v.optional("seed", s.seed);
  v.sparse("mode", s.mode);
  v.optional("point", s.point);
  v.required("framework", s.framework);
  v.optional("framework_options", s.framework_options);
  v.sparse("all_reduce", s.all_reduce);
  v.required("model", s.model);
  v.sparse("model_options", s.model_options);
  v.required("loader", s.loader);
  v.sparse("loader_options", s.loader_options);
  v.required("dataset", s.dataset);
  v.optional("precision", s.precision);
  v.sparse("batch_norm", s.batch_norm);
  v.sparse("memory_format", s.memory_format);
  v.sparse("cpu_kernels", s.cpu_kernels);
  v.sparse("cuda_graph", s.cuda_graph);
  v.sparse("weights", s.weights);
  v.sparse("zero_init_gamma", s.zero_init_gamma);
  v.sparse("frozen", s.frozen);
  v.sparse("profile", s.profile);
  v.required("gpus", s.gpus);
  v.required("batch_per_gpu", s.batch_per_gpu);
  v.required("global_batch", s.global_batch);
  v.optional("accumulation_steps", s.accumulation_steps);
  v.optional("last_batch", s.last_batch);
  v.required("epochs", s.epochs);
  v.optional("warmup_epochs", s.warmup_epochs);
  v.required("lr", s.lr);
  v.required("lr_schedule", s.lr_schedule);
  v.required("optimizer", s.optimizer);
  v.optional("label_smoothing", s.label_smoothing);
  v.sparse("clip_norm", s.clip_norm);
  v.sparse("ema_decay", s.ema_decay);
  v.sparse("target", s.target);
  v.sparse("plateau_epochs", s.plateau_epochs);
  v.optional("window_steps", s.window_steps);
  v.optional("evaluate_every", s.evaluate_every);
  v.sparse("checkpoint", s.checkpoint);
  v.sparse("trainer", s.trainer);
  v.sparse("parameters", s.parameters);
  v.optional("resources", s.resources);
}

}  // namespace dlscale::contract
