# SPDX-License-Identifier: Apache-2.0
# Adds the members in this folder to dlscale. Each line names a family and a file in this folder.
dlscale_extend(model conv_mixer)
dlscale_extend(dataset numpy_images)
dlscale_extend(lr_schedule cooldown)
