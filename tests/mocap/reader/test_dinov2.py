# SPDX-FileCopyrightText: 2026 The Anymove authors
# SPDX-License-Identifier: Apache-2.0
import pytest
import torch
from transformers import Dinov2WithRegistersConfig, Dinov2WithRegistersModel

from mocap import cli
from mocap.devices import Probe
from mocap.reader import backbones, checkpoint, dinov2, losses, train
from mocap.reader.config import Dinov2Config, TrainConfig
from mocap.reader.optimise import Optimisers
from tests.mocap.synthetic import TRAIN


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny random model, saved as the real one is."""
    torch.manual_seed(0)
    config = Dinov2WithRegistersConfig(
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        mlp_ratio=2,
        image_size=56,
        patch_size=14,
        num_register_tokens=2,
    )
    path = tmp_path_factory.mktemp("dinov2")
    Dinov2WithRegistersModel(config).save_pretrained(path)
    return path


def test_local_weights_arrive_in_the_network(folder):
    config, weights = dinov2.load_pretrained(Dinov2Config(weights=str(folder)), offline=True)
    assert config.architecture["hidden_size"] == 32
    net = backbones.build(config, 5, 4, 2)
    net.trunk.transformer.load_state_dict(weights)
    assert torch.equal(net.trunk.transformer.embeddings.cls_token, weights["embeddings.cls_token"])
    assert net.trunk.layers == [1, 2, 3, 4]


def test_forward_and_a_training_step(folder):
    config, weights = dinov2.load_pretrained(
        Dinov2Config(weights=str(folder), input_size=56, neck=16, heads=2), offline=True
    )
    net = backbones.build(config, 3, 4, 2)
    net.trunk.transformer.load_state_dict(weights)
    assert net.stride == 3.5
    optimiser = torch.optim.AdamW(net.parameters(), 1e-2)
    truth = losses.Truth(
        torch.rand(4, 3, 2) * 56,
        torch.ones(4, 3, dtype=torch.bool),
        torch.rand(4, 3) < 0.5,
        torch.randn(4, 3),
        torch.randint(0, 5, (4, 28, 28)),
    )
    pictures, found = torch.randn(4, 3, 56, 56), []
    for _ in range(8):
        maps = net(pictures, 2)
        assert maps.heatmaps.shape == (4, 3, 16, 16)
        assert maps.masks.shape == (4, 5, 32, 32)
        step = losses.compute(net, maps, truth, 2, 1.5)
        optimiser.zero_grad()
        losses.total(step).backward()
        optimiser.step()
        found.append([value.item() for value in step])
    assert all(last < first for first, last in zip(found[0], found[-1]))
    used = [name for name, w in net.named_parameters() if w.grad is not None and w.grad.abs().sum() > 0]
    assert any(name.startswith("trunk.transformer.encoder.layer.0") for name in used)


def test_gradient_checkpointing_changes_memory_not_gradients(folder):
    config, weights = dinov2.load_pretrained(
        Dinov2Config(weights=str(folder), input_size=56, neck=16, heads=2), offline=True
    )
    gradients = []
    for checkpointing in (True, False):
        torch.manual_seed(0)
        net = backbones.build(config.model_copy(update={"checkpointing": checkpointing}), 3, 4, 2).train()
        net.trunk.transformer.load_state_dict(weights)
        assert net.trunk.transformer.is_activation_checkpointing == checkpointing
        torch.manual_seed(1)
        net(torch.randn(2, 3, 56, 56), 2).heatmaps.square().mean().backward()
        gradients.append(net.trunk.transformer.encoder.layer[0].mlp.fc1.weight.grad)
    assert torch.allclose(*gradients, atol=1e-6)


def test_pretrained_layers_learn_more_slowly_the_earlier_they_are(folder):
    config, _ = dinov2.load_pretrained(Dinov2Config(weights=str(folder)), offline=True)
    net = backbones.build(config, 5, 4, 2)
    muon, own, layers = net.groups()
    assert muon == []
    assert len(layers) == 5
    assert {id(w) for w in own} | {id(w) for layer in layers for w in layer} == {
        id(w) for w in net.parameters()
    }
    made = TrainConfig(batch=2, pairs=4, muon_lr=0.1, adamw_lr=1e-3, backbone_lr=1e-4, layer_decay=0.5)
    rates = Optimisers(net, made).rates["adamw"]
    assert rates == [1e-3, 1e-3, 1e-4, 5e-5, 2.5e-5, 1.25e-5, 6.25e-6]


def test_frozen_weights_do_not_move(folder):
    config, _ = dinov2.load_pretrained(
        Dinov2Config(weights=str(folder), input_size=56, neck=16, heads=2), offline=True
    )
    net = backbones.build(config, 3, 4, 2)
    optimisers = Optimisers(net, TrainConfig(batch=2, pairs=4, muon_lr=0.1, adamw_lr=1e-2, backbone_lr=1e-2))
    before = {name: value.clone() for name, value in net.state_dict().items()}

    def moved() -> set[bool]:
        """Whether transformer weights, and whether the head's weights moved in one step."""
        net.zero_grad(set_to_none=True)
        net(torch.randn(2, 3, 56, 56), 2).heatmaps.square().mean().backward()
        optimisers.step(1.0)
        names = ("trunk.transformer.encoder.layer.0.mlp.fc1.weight", "heatmaps.weight")
        return [not torch.equal(net.state_dict()[name], before[name]) for name in names]

    optimisers.freeze(True)
    assert moved() == [False, True]
    optimisers.freeze(False)
    assert moved() == [True, True]


def test_train_command_and_checkpoint_round_trip(folder, stick, capsys):
    arguments = ["1", *TRAIN, "--creature", str(stick.home), "--weights", str(folder)]
    arguments[arguments.index("compact")] = "dinov2"
    assert cli.run(train.main, arguments) == 0
    assert "backbone: dinov2 (asked for)" in capsys.readouterr().out
    loaded = checkpoint.load(stick.reader)
    assert loaded.backbone.kind == "dinov2"
    # Rebuilt from the checkpoint alone: the pretrained folder is not needed any more.
    elsewhere = loaded.backbone.model_copy(update={"weights": "/gone"})
    net = backbones.build(elsewhere, len(loaded.card.joint_names), len(loaded.card.part_names), 2)
    net.load_state_dict(loaded.weights)
    assert loaded.reader().engine.net.stride == 3.5


def test_missing_weights_are_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for source in ("facebook/no-such-model-here", str(tmp_path / "none")):
        with pytest.raises(Exception, match="use --backbone compact, which needs none") as caught:
            backbones.choose("dinov2", source, Probe("cpu", "x", True, ""))
        assert caught.value.exit_code == 2
        assert "hf download" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_auto_takes_it_where_a_gpu_works_and_weights_are_here(folder):
    choice = backbones.choose("auto", str(folder), Probe("cuda", "a GPU", True, ""))
    assert choice.config.kind == "dinov2"
    assert "a GPU works" in choice.why


def test_input_must_fit_the_patches(folder):
    config, _ = dinov2.load_pretrained(Dinov2Config(weights=str(folder), input_size=60), offline=True)
    with pytest.raises(Exception, match="60 is not a multiple of the patch size 14"):
        backbones.build(config, 3, 4, 2)
