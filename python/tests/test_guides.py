"""The Python code of the guides, as scripts: all of python.md, and the blocks of other pages that import captune."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def code(page):
    blocks = re.findall(r"^```python\n(.*?)^```", (GUIDES / page).read_text(), re.DOTALL | re.MULTILINE)
    found = [block for block in blocks if page == "python.md" or re.search("^(import|from) captune", block, re.MULTILINE)]
    assert found
    return found


@pytest.mark.parametrize("page", ["python.md", "from-optuna.md", "from-smac.md"])
def test_the_code_of_a_guide_runs(page, tmp_path):
    script = tmp_path / "guide.py"
    script.write_text("\n".join(code(page)))
    ended = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
