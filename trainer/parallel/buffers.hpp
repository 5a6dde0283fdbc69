// SPDX-License-Identifier: Apache-2.0
// What a model keeps beside parameters (running statistics), brought to other ranks.
#pragma once

#include "trainer/comm/collective_queue.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// **Collective.** Every rank gets the buffers that the first one has, all in one message.
void broadcast_buffers(const Model& model, CollectiveQueue& queue);

}  // namespace dlscale::trainer
