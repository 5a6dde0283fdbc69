# SPDX-License-Identifier: Apache-2.0
"""Trains a small language model with fully_shard (FSDP 2), which divides parameters and gradients among the ranks."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import dlscale

WORDS, LENGTH = 64, 32


class Model(nn.Module):
    """Transformer that predicts the next word."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, width)
        self.places = nn.Embedding(LENGTH, width)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True)
                                    for _ in range(depth))
        self.head = nn.Linear(width, WORDS)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        length = words.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=words.device)
        values = self.words(words) + self.places(torch.arange(length, device=words.device))
        for block in self.blocks:
            values = block(values, src_mask=mask, is_causal=True)
        return self.head(values)


def generated(samples: int, seed: int) -> TensorDataset:
    """Returns sentences in which each word determines the next word, except for random changes."""
    random = torch.Generator().manual_seed(seed)
    words = [torch.randint(WORDS, (samples,), generator=random)]
    while len(words) < LENGTH:
        is_changed = torch.rand(samples, generator=random) < 0.1
        words.append(torch.where(is_changed, torch.randint(WORDS, (samples,), generator=random),
                                 (5 * words[-1] + 3) % WORDS))
    return TensorDataset(torch.stack(words, 1))


def loss_of(model: nn.Module, words: torch.Tensor) -> torch.Tensor:
    return nn.functional.cross_entropy(model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=8, help="samples per rank and step")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--samples", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    kind = "cuda" if torch.cuda.is_available() else "cpu"
    dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    device = torch.device(kind, int(os.environ["LOCAL_RANK"])) if kind == "cuda" else torch.device("cpu")
    if kind == "cuda":
        torch.cuda.set_device(device)
    torch.manual_seed(arguments.seed)
    model = Model(arguments.width, arguments.depth).to(device)
    mesh = init_device_mesh(kind, (dist.get_world_size(),))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    train, test = generated(arguments.samples, arguments.seed + 1), generated(256, 2)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, arguments.batch_size, sampler=sampler, drop_last=True)
    with dlscale.run() as run:
        for epoch in range(arguments.epochs):
            sampler.set_epoch(epoch)
            for words, in run.steps(loader):
                loss = loss_of(model, words.to(device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                run.log(loss=loss, lr=optimizer.param_groups[0]["lr"])
            with torch.no_grad():  # all ranks take part, because each has only a part of the parameters
                run.evaluated(loss=loss_of(model, test.tensors[0].to(device)), samples=len(test))
    dist.barrier()  # no rank closes its connections while another still uses them
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
