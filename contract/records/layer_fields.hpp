// SPDX-License-Identifier: Apache-2.0
// Lists the JSON fields of the cost of a layer and of the measured times of layers.
#pragma once

#include "contract/records/layer_times.hpp"
#include "contract/records/model_card.hpp"

namespace dlscale::contract {

template <class Visitor>
void visit_fields(Visitor& v, BatchCost& c) {
  v.sparse("fixed", c.fixed);
  v.sparse("per_sample", c.per_sample);
}

template <class Visitor>
void visit_fields(Visitor& v, PassCost& c) {
  v.sparse("flops", c.flops);
  v.sparse("read", c.read);
  v.sparse("written", c.written);
  v.sparse("live", c.live);
}

template <class Visitor>
void visit_fields(Visitor& v, LayerCard& l) {
  v.required("name", l.name);
  v.required("kind", l.kind);
  v.optional("block", l.block);
  v.sparse("in_place", l.in_place);
  v.sparse("parameters", l.parameters);
  v.sparse("parameter_tensors", l.parameter_tensors);
  v.required("forward", l.forward);
  v.sparse("backward", l.backward);
  v.sparse("saved", l.saved);
  v.sparse("size", l.size);
}

template <class Visitor>
void visit_fields(Visitor& v, MeasuredLayer& l) {
  v.required("cost", l.cost);
  v.required("forward_s", l.forward_s);
  v.required("backward_s", l.backward_s);
  v.sparse("update_s", l.update_s);
}

template <class Visitor>
void visit_fields(Visitor& v, StepLayers& s) {
  v.required("model", s.model);
  v.required("input", s.input);
  v.optional("classes", s.classes);
  v.optional("precision", s.precision);
  v.required("optimizer", s.optimizer);
  v.optional("momentum", s.momentum);
  v.required("batch", s.batch);
  v.required("forward_s", s.forward_s);
  v.required("backward_s", s.backward_s);
  v.optional("repetitions", s.repetitions);
  v.required("layers", s.layers);
  v.required("device", s.device);
  v.optional("host", s.host);
  v.sparse("threads", s.threads);
  v.optional("time", s.time);
  v.optional("made_with", s.made_with);
}

}  // namespace dlscale::contract
