# SPDX-License-Identifier: Apache-2.0
"""Trains a small language model with the Trainer of Hugging Face on generated data, without downloads."""
import argparse

import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

from dlscale.huggingface import RecordSteps

WORDS, LENGTH = 64, 32


class Sentences(Dataset):
    """Sentences in which each word determines the next word, except for random changes."""

    def __init__(self, samples: int, seed: int) -> None:
        random = torch.Generator().manual_seed(seed)
        words = [torch.randint(WORDS, (samples,), generator=random)]
        while len(words) < LENGTH:
            is_changed = torch.rand(samples, generator=random) < 0.1
            words.append(torch.where(is_changed, torch.randint(WORDS, (samples,), generator=random),
                                     (5 * words[-1] + 3) % WORDS))
        self.words = torch.stack(words, 1)

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"input_ids": self.words[index], "labels": self.words[index]}


def accuracy_of(results) -> dict[str, float]:
    predicted, labels = results.predictions[:, :-1], results.label_ids[:, 1:]
    return {"accuracy": float((predicted == labels).mean())}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=8, help="samples per rank and step")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    set_seed(arguments.seed)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=WORDS, n_positions=LENGTH, n_embd=arguments.width, n_layer=2,
                                       n_head=4, bos_token_id=0, eos_token_id=0))
    has_gpu = torch.cuda.is_available()
    settings = TrainingArguments(
        use_cpu=not has_gpu, ddp_backend="nccl" if has_gpu else "gloo", output_dir="checkpoints",
        per_device_train_batch_size=arguments.batch_size, learning_rate=1e-3, num_train_epochs=arguments.epochs,
        eval_strategy="epoch", save_strategy="no", logging_steps=10, report_to=[], disable_tqdm=True,
        dataloader_drop_last=True, seed=arguments.seed)
    trainer = Trainer(model=model, args=settings, train_dataset=Sentences(1024, arguments.seed + 1),
                      eval_dataset=Sentences(256, 2), compute_metrics=accuracy_of,
                      preprocess_logits_for_metrics=lambda outputs, labels: outputs.argmax(-1),
                      callbacks=[RecordSteps()])
    trainer.train()


if __name__ == "__main__":
    main()
