"""The example of a workflow: what it runs is run here, and what that writes is what GitHub takes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path, PurePosixPath

import pytest
from real_nvim import shim, workspace

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

WORKFLOW = Path(__file__).parents[2] / "editors" / "ci" / "github-workflow.yml"


@pytest.fixture(scope="module")
def steps():
    """The steps of the workflow's only job."""
    (job,) = yaml.safe_load(WORKFLOW.read_text())["jobs"].values()
    return job["steps"]


def sarif_of(steps, folder, tmp_path):
    """Run the step that checks, and give its exit code and what it wrote for the step that uploads."""
    (command,) = [step["run"] for step in steps if step.get("run", "").startswith("gproj-lsp")]
    (upload,) = [step["with"] for step in steps if "upload-sarif" in step.get("uses", "")]
    path = os.pathsep.join((str(shim(tmp_path / "bin")), os.environ["PATH"]))
    done = subprocess.run(["sh", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, check=False)
    return done.returncode, json.loads((folder / upload["sarif_file"]).read_text())


def test_what_is_found_is_uploaded(steps, tmp_path):
    folder = workspace(tmp_path / "work")
    (folder / "queries").mkdir()
    (folder / "queries" / "a.sql").write_text("-- ö\nSELECT nmae FROM customers;\n")
    code, sarif = sarif_of(steps, folder, tmp_path)
    assert code == 1
    assert sarif["version"] == "2.1.0"
    assert sarif["$schema"].endswith(".json")
    (run,) = sarif["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "gproj-lsp"
    (result,) = run["results"]
    assert result["ruleId"] in {rule["id"] for rule in driver["rules"]}
    assert result["level"] == "error"
    assert "nmae" in result["message"]["text"]
    (location,) = result["locations"]
    place = location["physicalLocation"]
    assert PurePosixPath(place["artifactLocation"]["uri"]) == PurePosixPath("queries/a.sql")
    region = place["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (2, 8, 12)


def test_nothing_found_is_uploaded_too(steps, tmp_path):
    folder = workspace(tmp_path / "work")
    code, sarif = sarif_of(steps, folder, tmp_path)
    assert (code, sarif["runs"][0]["results"]) == (0, [])


def test_the_upload_may_be_written_and_comes_where_the_check_failed(steps):
    workflow = yaml.safe_load(WORKFLOW.read_text())
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}
    (upload,) = [step for step in steps if "upload-sarif" in step.get("uses", "")]
    assert "!cancelled()" in upload["if"]
