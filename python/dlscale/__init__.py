# SPDX-License-Identifier: Apache-2.0
"""Records the steps of a training script in the format of dlscale, and reads the records of a plan folder.

    with dlscale.run() as run:
        for epoch in range(epochs):
            for batch in run.steps(loader):
                run.log(loss=train(batch))
            run.evaluated(accuracy=evaluate())

Recording needs no other package. dlscale.load() needs pandas.
"""
from dlscale.frames import Frames, load
from dlscale.recorder import Run, run

__version__ = "0.2.0"
__all__ = ["Frames", "Run", "load", "run"]
