# SPDX-License-Identifier: Apache-2.0
# What this folder adds to dlscale: a line for each family, with the names of the files beside it.
dlscale_extend(model conv_mixer)
dlscale_extend(dataset numpy_images)
dlscale_extend(lr_schedule cooldown)
