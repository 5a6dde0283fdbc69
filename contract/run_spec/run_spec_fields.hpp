// SPDX-License-Identifier: Apache-2.0
// Lists the keys of run.json. The order is alphabetical and must stay, because run ids are digests
// of the JSON text. The file is private to contract/.
#pragma once

#include <concepts>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, DatasetSpec& s) {
  v.sparse("classes", s.classes);
  v.sparse("crop_ratio", s.crop_ratio);
  v.sparse("crop_scale", s.crop_scale);
  v.sparse("first_classes", s.first_classes);
  v.sparse("fold", s.fold);
  v.sparse("folds", s.folds);
  v.sparse("image_size", s.image_size);
  v.required("kind", s.kind);
  v.sparse("max_length", s.max_length);
  v.sparse("min_count", s.min_count);
  v.optional("path", s.path);
  v.sparse("random_crop", s.random_crop);
  v.sparse("random_flip", s.random_flip);
  v.sparse("resample", s.resample);
  v.sparse("resize", s.resize);
  v.sparse("sha256", s.sha256);
  v.sparse("shape", s.shape);
  v.optional("test_samples", s.test_samples);
  v.optional("train_samples", s.train_samples);
  v.sparse("vocabulary", s.vocabulary);
}

template <class Visitor>
void visit_fields(Visitor& v, LoaderOptions& s) {
  v.sparse("hand_over", s.hand_over);
  v.sparse("on_broken", s.on_broken);
  v.sparse("prefetch", s.prefetch);
  v.sparse("sample_order", s.sample_order);
  v.sparse("shuffle_window", s.shuffle_window);
  v.sparse("threads", s.threads);
}

template <class Visitor>
void visit_fields(Visitor& v, LearningRate& s) {
  v.required("base", s.base);
  v.required("peak", s.peak);
  v.optional("scale", s.scale);
  v.sparse("warmup_from", s.warmup_from);
  v.sparse("warmup_steps", s.warmup_steps);
  v.sparse("warmup_update", s.warmup_update);
}

template <class Visitor>
void visit_fields(Visitor& v, LrScheduleSpec& s) {
  v.optional("every_epochs", s.every_epochs);
  v.optional("factor", s.factor);
  v.optional("gamma", s.gamma);
  v.required("kind", s.kind);
  v.optional("lr_min", s.lr_min);
  v.optional("milestones", s.milestones);
  v.optional("origin", s.origin);
  v.optional("power", s.power);
  v.optional("t_max_epochs", s.t_max_epochs);
  v.optional("update", s.update);
}

template <class Visitor>
void visit_fields(Visitor& v, AdamOptions& s) {
  v.optional("beta1", s.beta1);
  v.optional("beta2", s.beta2);
  v.optional("epsilon", s.epsilon);
}

template <class Visitor>
void visit_fields(Visitor& v, LarsOptions& s) {
  v.optional("epsilon", s.epsilon);
  v.optional("trust_coefficient", s.trust_coefficient);
}

template <class Visitor>
void visit_fields(Visitor& v, OptimizerSpec& s) {
  v.sparse("adam", s.adam);
  v.optional("dampening", s.dampening);
  v.sparse("decayed", s.decayed);
  v.required("kind", s.kind);
  v.sparse("lars", s.lars);
  v.optional("momentum", s.momentum);
  v.optional("nesterov", s.nesterov);
  v.optional("weight_decay", s.weight_decay);
}

template <class Visitor>
void visit_fields(Visitor& v, ModelOptions& s) {
  v.sparse("backbone", s.backbone);
  v.sparse("cell", s.cell);
  v.sparse("classifier_hidden", s.classifier_hidden);
  v.sparse("dropout", s.dropout);
  v.sparse("embedding", s.embedding);
  v.sparse("hidden", s.hidden);
}

template <class Visitor>
void visit_fields(Visitor& v, FrameworkOptions& s) {
  v.optional("allgather_bucket_elements", s.allgather_bucket_elements);
  v.optional("autotune", s.autotune);
  v.optional("balance", s.balance);
  v.optional("broadcast_buffers", s.broadcast_buffers);
  v.optional("bucket_cap_mb", s.bucket_cap_mb);
  v.optional("cache_capacity", s.cache_capacity);
  v.optional("compression", s.compression);
  v.optional("cycle_time_ms", s.cycle_time_ms);
  v.optional("find_unused_parameters", s.find_unused_parameters);
  v.optional("first_bucket_mb", s.first_bucket_mb);
  v.optional("fusion_threshold_mb", s.fusion_threshold_mb);
  v.optional("gradient_as_bucket_view", s.gradient_as_bucket_view);
  v.optional("hierarchical_all_reduce", s.hierarchical_all_reduce);
  v.optional("micro_batches", s.micro_batches);
  v.optional("model_parallel_size", s.model_parallel_size);
  v.optional("offload_optimizer", s.offload_optimizer);
  v.optional("overlap_comm", s.overlap_comm);
  v.optional("persistence_threshold_elements", s.persistence_threshold_elements);
  v.optional("pipeline_schedule", s.pipeline_schedule);
  v.optional("powersgd_rank", s.powersgd_rank);
  v.optional("powersgd_start_step", s.powersgd_start_step);
  v.optional("prefetch_elements", s.prefetch_elements);
  v.optional("reduce_bucket_elements", s.reduce_bucket_elements);
  v.optional("static_graph", s.static_graph);
  v.optional("use_reduce_scatter", s.use_reduce_scatter);
  v.optional("zero_stage", s.zero_stage);
}

template <class Visitor>
void visit_fields(Visitor& v, TrainerFile& s) {
  v.required("sha256", s.sha256);
  v.required("to", s.to);
}

template <class Visitor>
void visit_fields(Visitor& v, ExternalTrainer& s) {
  v.required("command", s.command);
  v.sparse("files", s.files);
  v.sparse("launcher", s.launcher);
  v.sparse("log_format", s.log_format);
}

template <class Visitor>
void visit_fields(Visitor& v, CheckpointSpec& s) {
  v.sparse("asynchronous", s.asynchronous);
  v.sparse("every_epochs", s.every_epochs);
  v.sparse("every_minutes", s.every_minutes);
  v.sparse("keep", s.keep);
  v.sparse("weights", s.weights);
}

template <class Visitor>
void visit_fields(Visitor& v, TargetSpec& s) {
  v.sparse("accuracy", s.accuracy);
  v.sparse("bleu", s.bleu);
  v.sparse("loss", s.loss);
  v.sparse("stop", s.stop);
  v.sparse("train_loss", s.train_loss);
}

template <class Visitor>
void visit_fields(Visitor& v, ResourceRequest& s) {
  v.optional("communicator", s.communicator);
  v.optional("cores_per_rank", s.cores_per_rank);
  v.optional("device", s.device);
  v.optional("nodes", s.nodes);
  v.optional("ranks_per_node", s.ranks_per_node);
  v.optional("walltime_s", s.walltime_s);
}

template <class Visitor>
void visit_fields(Visitor& v, RunSpec& s) {
  v.optional("accumulation_steps", s.accumulation_steps);
  v.sparse("all_reduce", s.all_reduce);
  v.sparse("batch_norm", s.batch_norm);
  v.required("batch_per_gpu", s.batch_per_gpu);
  v.sparse("checkpoint", s.checkpoint);
  v.sparse("clip_norm", s.clip_norm);
  v.sparse("cpu_kernels", s.cpu_kernels);
  v.sparse("cuda_graph", s.cuda_graph);
  v.required("dataset", s.dataset);
  v.sparse("ema_decay", s.ema_decay);
  v.sparse("environment", s.environment);
  v.required("epochs", s.epochs);
  v.optional("evaluate_every", s.evaluate_every);
  v.required("framework", s.framework);
  v.optional("framework_options", s.framework_options);
  v.sparse("frozen", s.frozen);
  v.required("global_batch", s.global_batch);
  v.sparse("gpu_kernels", s.gpu_kernels);
  v.required("gpus", s.gpus);
  v.optional("label_smoothing", s.label_smoothing);
  v.optional("last_batch", s.last_batch);
  v.required("loader", s.loader);
  v.sparse("loader_options", s.loader_options);
  v.required("lr", s.lr);
  v.required("lr_schedule", s.lr_schedule);
  v.sparse("memory_format", s.memory_format);
  v.sparse("mode", s.mode);
  v.required("model", s.model);
  v.sparse("model_options", s.model_options);
  v.required("optimizer", s.optimizer);
  v.sparse("parameters", s.parameters);
  v.sparse("plateau_epochs", s.plateau_epochs);
  v.optional("point", s.point);
  v.optional("precision", s.precision);
  v.sparse("profile", s.profile);
  v.sparse("profile_epochs", s.profile_epochs);
  v.optional("repetition", s.repetition);
  v.optional("resources", s.resources);
  v.required("run_id", s.run_id);
  v.required("schema_version", s.schema_version);
  v.optional("seed", s.seed);
  v.sparse("steps", s.steps);
  v.optional("study", s.study);
  v.sparse("target", s.target);
  v.sparse("trainer", s.trainer);
  v.sparse("uneven_batch", s.uneven_batch);
  v.optional("warmup_epochs", s.warmup_epochs);
  v.sparse("weights", s.weights);
  v.optional("window_steps", s.window_steps);
  v.sparse("zero_init_gamma", s.zero_init_gamma);
}

}  // namespace dlscale::contract
