// SPDX-License-Identifier: Apache-2.0
#include "trainer/device/timeline.hpp"

namespace dlscale::trainer {
namespace {

class HostTimeline : public Timeline {
 public:
  explicit HostTimeline(const base::Clock& clock) : clock_(clock) {}
  void mark() override { marks_s_.push_back(clock_.steady_s()); }
  std::vector<double> take_intervals() override {
    std::vector<double> between_s;
    for (std::size_t i = 1; i < marks_s_.size(); ++i) {
      between_s.push_back(marks_s_[i] - marks_s_[i - 1]);
    }
    if (!marks_s_.empty()) marks_s_.erase(marks_s_.begin(), marks_s_.end() - 1);
    return between_s;
  }

 private:
  const base::Clock& clock_;
  std::vector<double> marks_s_;
};

}  // namespace

std::unique_ptr<Timeline> make_host_timeline(const base::Clock& clock) {
  return std::make_unique<HostTimeline>(clock);
}

}  // namespace dlscale::trainer
