// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/models/made_model.hpp"

using namespace dlscale;
using test::make_model;
using test::model_context;

TEST_CASE("an autoencoder returns images of the same shape and encodes each side to a quarter") {
  for (const trainer::ImageShape& shape :
       {trainer::ImageShape{1, 28, 28}, trainer::ImageShape{3, 32, 4}}) {
    const auto model = make_model("conv_autoencoder", model_context(shape, 10));
    const at::Tensor images = torch::rand({2, shape.channels, shape.height, shape.width});
    CHECK(model->forward(images).sizes() == images.sizes());
    const at::Tensor code = model->forward_block(1, model->forward_block(0, images));
    CHECK(code.sizes() == at::IntArrayRef{2, 4, shape.height / 4, shape.width / 4});
  }
  CHECK(trainer::parameter_count(*make_model("conv_autoencoder", model_context({1, 28, 28}, 10))) ==
        4069);
}

TEST_CASE("an autoencoder rejects images whose sides are not divisible by 4") {
  CHECK_THROWS_WITH(make_model("conv_autoencoder", model_context({1, 28, 30}, 10)),
                    "model conv_autoencoder needs images whose sides are multiples of 4, but these "
                    "images have 28x30 pixels");
}
