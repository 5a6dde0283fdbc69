# SPDX-License-Identifier: Apache-2.0
"""Trains a network with Lightning on generated data."""
import argparse

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from dlscale.lightning import RecordSteps

CLASSES, FEATURES = 10, 64


def generated(samples: int, seed: int) -> TensorDataset:
    """Returns samples of each class that are scattered around the centre of the class."""
    centres = torch.randn(CLASSES, FEATURES, generator=torch.Generator().manual_seed(1))
    random = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (samples,), generator=random)
    return TensorDataset(centres[labels] + 3 * torch.randn(samples, FEATURES, generator=random), labels)


class Classifier(pl.LightningModule):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.network = nn.Sequential(nn.Linear(FEATURES, hidden), nn.ReLU(), nn.Linear(hidden, CLASSES))

    def training_step(self, batch, batch_idx):
        inputs, labels = batch
        return nn.functional.cross_entropy(self.network(inputs), labels)

    def validation_step(self, batch, batch_idx):
        inputs, labels = batch
        outputs = self.network(inputs)
        self.log("val_loss", nn.functional.cross_entropy(outputs, labels), sync_dist=True)
        self.log("val_acc", (outputs.argmax(1) == labels).float().mean(), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=32, help="samples per rank and step")
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--ranks", type=int, default=1, help="ranks on each node")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    pl.seed_everything(arguments.seed)
    train = DataLoader(generated(8192, arguments.seed + 1), arguments.batch_size, shuffle=True, drop_last=True)
    test = DataLoader(generated(2048, 2), 256)
    trainer = pl.Trainer(
        max_epochs=arguments.epochs, devices=arguments.ranks, num_nodes=arguments.nodes, logger=False,
        strategy="auto" if arguments.ranks * arguments.nodes == 1 else "ddp", enable_progress_bar=False,
        enable_checkpointing=False, callbacks=[RecordSteps(accuracy="val_acc", loss="val_loss")])
    trainer.fit(Classifier(arguments.hidden), train, test)


if __name__ == "__main__":
    main()
