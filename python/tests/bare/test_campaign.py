"""Campaigns of the program, which the wheel installs."""

import html
import re
import struct
import subprocess

import pytest

import captune
from captune._program import program

SCENARIO = """
[target]
command = ["./target.sh", "{param:x}"]
[space]
x = { integer = [1, 100], default = 60 }
[objective]
minimise = "cost"
[outputs]
cost = { pattern = 'cost: ([0-9.]+)' }
[budget]
trials = 20
"""


@pytest.fixture
def scenario(tmp_path):
    target = tmp_path / "target.sh"
    target.write_text('#!/bin/sh\necho "cost: $1"\n')
    target.chmod(0o755)
    path = tmp_path / "line.toml"
    path.write_text(SCENARIO)
    return path


def test_the_program_is_installed_next_to_python():
    shown = subprocess.run([program(), "--version"], capture_output=True, text=True)
    assert shown.stdout.startswith("captune ")


def test_the_program_needs_no_library_of_the_system():
    """An ELF file with a segment of type 3 asks for a loader of dynamic libraries."""
    with open(program(), "rb") as file:
        image = file.read()
    assert image[:5] == b"\x7fELF\x02"
    (first,), (size, count) = struct.unpack_from("<Q", image, 32), struct.unpack_from("<HH", image, 54)
    assert count > 0
    assert 3 not in [struct.unpack_from("<I", image, first + number * size)[0] for number in range(count)]


def test_a_campaign_runs_and_is_read(scenario, tmp_path):
    campaign = captune.run(scenario, progress="none", seed=3)
    assert campaign.status()["trials"]["finished"] == 20
    assert campaign.best["x"] < 60
    trials = campaign.trials()
    assert trials.rows >= 20 and trials["cost"] == [float(x) for x in trials["param:x"]]
    assert set(trials["status"]) == {"finished"}
    incumbents = campaign.incumbents()
    assert incumbents["cost"] == sorted(incumbents["cost"], reverse=True)
    again = captune.open(tmp_path / "line.campaign")
    assert again.best == campaign.best and dict(again.trials()) == dict(trials)


def test_a_notebook_shows_the_report_in_a_frame_of_its_own(scenario, tmp_path):
    campaign = captune.run(scenario, progress="none")
    report = campaign.report()
    assert report.startswith("<!doctype html>") and '<section id="trials">' in report
    assert str(tmp_path) in report and str(tmp_path) not in campaign.report(redact=True)
    shown = campaign._repr_html_()
    (document,) = re.findall(r'^<iframe sandbox="allow-scripts"[^<>]* srcdoc="([^"<>]*)"></iframe>$', shown)
    assert html.unescape(document) == report


def test_a_campaign_continues_with_a_larger_budget(scenario):
    captune.run(scenario, progress="none")
    assert captune.run(scenario, progress="none", trials=30).status()["spent"]["trials"] == 30


def test_a_mistake_in_a_scenario_is_an_error(scenario):
    scenario.write_text(SCENARIO.replace("minimise", "minimalise"))
    with pytest.raises(captune.CampaignError, match="ended with code 2") as error:
        captune.run(scenario, progress="none")
    assert error.value.code == 2


def test_a_folder_without_a_campaign_is_an_error(tmp_path):
    with pytest.raises(captune.CampaignError, match="no campaign|not a campaign|captune"):
        captune.open(tmp_path / "nothing")
