// SPDX-License-Identifier: Apache-2.0
// Private to contract/: the keys of run.json that say what is trained on and how it is loaded.
#pragma once

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

}  // namespace dlscale::contract
