// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/compression_hook.hpp"

#include <torch/types.h>

#include <vector>

namespace dlscale::trainer {
namespace {

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

class CompressionHook : public c10d::CppCommHookInterface<Group> {
 public:
  CompressionHook(at::ScalarType type, const Group& group)
      : CppCommHookInterface(group), type_(type) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    const at::Tensor buffer = bucket.getBufferRef();
    std::vector<at::Tensor> compressed{buffer.to(type_).div_(state_->getSize())};
    return state_->allreduce(compressed)
        ->getFuture()
        ->then(
            [buffer, compressed](c10::ivalue::Future& done) {
              done.value();  // throws what the collective threw
              buffer.copy_(compressed.front());
              return c10::IValue(std::vector<at::Tensor>{buffer});
            },
            c10::ListType::create(c10::TensorType::get()));
  }

 private:
  at::ScalarType type_;
};

}  // namespace

std::unique_ptr<c10d::CommHookInterface> make_compression_hook(const std::string& name,
                                                               const Group& group) {
  return std::make_unique<CompressionHook>(name == "fp16" ? at::kHalf : at::kBFloat16, group);
}

}  // namespace dlscale::trainer
