"""The cluster files fit Ray's own schema, hold no secret and open no door."""

import ipaddress
import re
from pathlib import Path

import pytest
import ray
import yaml
from ray.autoscaler._private.util import fillout_defaults, validate_config

FOLDER = Path(__file__).parents[2] / "conf" / "cluster"
RAY_UP = ["aws", "gcp", "onprem"]


def load(name):
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text())


def kuberay():
    job, claim = yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text())
    return job, claim


@pytest.mark.parametrize("name", RAY_UP)
def test_ray_accepts_the_file(name):
    validate_config(fillout_defaults(load(name)))


@pytest.mark.parametrize("name", RAY_UP)
def test_dashboard_on_loopback_and_token_on_every_node(name):
    config = load(name)
    (head,) = (command for command in config["head_start_ray_commands"] if "--head" in command)
    assert "--dashboard-host=127.0.0.1" in head
    for command in (*config["head_start_ray_commands"], *config["worker_start_ray_commands"]):
        assert "ray stop" in command or "RAY_AUTH_MODE=token" in command
    assert config["file_mounts"]["~/.ray/auth_token"] == "~/.ray/auth_token"


@pytest.mark.parametrize("name", [*RAY_UP, "kuberay"])
def test_version_is_the_tested_one(name):
    text = (FOLDER / f"{name}.yaml").read_text()
    found = set(re.findall(r"(?:ray\[default\]==|ray:|rayVersion: )(\d[\w.]+)", text))
    assert found == {ray.__version__}
    assert "nightly" not in text and "latest/ray" not in text


def test_docker_image_is_the_tested_version():
    assert f"FROM rayproject/ray:{ray.__version__}-" in (FOLDER / "Dockerfile").read_text()


def test_aws_lets_in_ssh_from_one_address_only():
    rules = load("aws")["provider"]["security_group"]["IpPermissions"]
    assert [(rule["FromPort"], rule["ToPort"]) for rule in rules] == [(22, 22)]
    for rule in rules:
        for source in rule["IpRanges"]:
            assert ipaddress.ip_network(source["CidrIp"]).num_addresses == 1


@pytest.mark.parametrize("name", ["aws", "gcp"])
def test_selfplay_machines_are_spot_and_go_away(name):
    config = load(name)
    worker = config["available_node_types"]["selfplay"]
    assert "spot" in str(worker["node_config"]).lower()
    assert worker["min_workers"] == 0
    assert config["idle_timeout_minutes"] <= 10


@pytest.mark.parametrize("name", [*RAY_UP, "kuberay"])
def test_no_secrets(name):
    text = (FOLDER / f"{name}.yaml").read_text()
    assert not re.search(r"AKIA[0-9A-Z]{16}|BEGIN [A-Z ]*PRIVATE KEY|[0-9a-f]{40}", text)


def test_kuberay_job_asks_for_the_token_and_stays_on_loopback():
    job, claim = kuberay()
    spec = job["spec"]["rayClusterSpec"]
    groups = [spec["headGroupSpec"], *spec["workerGroupSpecs"]]
    for group in groups:
        (container,) = group["template"]["spec"]["containers"]
        names = {entry["name"]: entry for entry in container["env"]}
        assert names["RAY_AUTH_MODE"]["value"] == "token"
        assert "secretKeyRef" in names["RAY_AUTH_TOKEN"]["valueFrom"]
    assert spec["headGroupSpec"]["rayStartParams"]["dashboard-host"] == "127.0.0.1"
    assert job["spec"]["shutdownAfterJobFinishes"]
    mounted = spec["headGroupSpec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"]
    assert mounted == claim["metadata"]["name"]
