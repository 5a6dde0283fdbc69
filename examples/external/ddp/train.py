# SPDX-License-Identifier: Apache-2.0
"""Trains a network with DistributedDataParallel on generated data, and continues from its checkpoint."""
import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import dlscale

CLASSES, FEATURES = 10, 64


def generated(samples: int, seed: int) -> TensorDataset:
    """Returns samples of each class that are scattered around the centre of the class."""
    centres = torch.randn(CLASSES, FEATURES, generator=torch.Generator().manual_seed(1))
    random = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (samples,), generator=random)
    return TensorDataset(centres[labels] + 3 * torch.randn(samples, FEATURES, generator=random), labels)


def accuracy_of(model: nn.Module, data: TensorDataset, device: torch.device) -> float:
    model.eval()
    with torch.no_grad():
        inputs, labels = (tensor.to(device) for tensor in data.tensors)
        accuracy = (model(inputs).argmax(1) == labels).float().mean().item()
    model.train()
    return accuracy


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=32, help="samples per rank and step")
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--samples", type=int, default=8192)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    has_gpu = torch.cuda.is_available()
    dist.init_process_group("nccl" if has_gpu else "gloo")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if has_gpu else torch.device("cpu")
    if has_gpu:
        torch.cuda.set_device(device)
    torch.manual_seed(arguments.seed)
    network = nn.Sequential(nn.Linear(FEATURES, arguments.hidden), nn.ReLU(),
                            nn.Linear(arguments.hidden, arguments.hidden), nn.ReLU(),
                            nn.Linear(arguments.hidden, CLASSES)).to(device)
    model = DistributedDataParallel(network)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05 * dist.get_world_size(), momentum=0.9)

    # Each launch has its own folder in the folder of the run. All launches of the run share the checkpoint.
    checkpoint = Path.cwd().parent / "checkpoint.pt" if Path.cwd().name.startswith("launch-") else Path("checkpoint.pt")
    first_epoch = 0
    if checkpoint.exists():
        saved = torch.load(checkpoint, map_location=device)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        first_epoch = saved["epochs"]

    train, test = generated(arguments.samples, arguments.seed + 1), generated(2048, 2)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, arguments.batch_size, sampler=sampler, drop_last=True)
    with dlscale.run(start_epoch=first_epoch) as run:
        for epoch in range(first_epoch, arguments.epochs):
            sampler.set_epoch(epoch)
            for inputs, labels in run.steps(loader):
                loss = nn.functional.cross_entropy(model(inputs.to(device)), labels.to(device))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                run.log(loss=loss, lr=optimizer.param_groups[0]["lr"])
            run.evaluated(accuracy=accuracy_of(network, test, device), samples=len(test))
            if dist.get_rank() == 0:
                torch.save({"network": network.state_dict(), "optimizer": optimizer.state_dict(), "epochs": epoch + 1},
                           checkpoint)
    dist.barrier()  # no rank closes its connections while another still uses them
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
