# SPDX-License-Identifier: MIT
"""A Python that has matplotlib, which need not be the one that runs."""
import os
import subprocess
import sys

from portability.place import TOP
from study.place import Failed


def can_plot(python):
    return subprocess.run([python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def find_python():
    """Failed if there is none, and none can be installed."""
    pythons = [sys.executable, "/usr/bin/python3"]
    for python in filter(os.path.exists, pythons):
        if can_plot(python):
            return python
    install = subprocess.run([os.path.join(TOP, "tools", "install-packages"), "python3-matplotlib"], text=True,
                             capture_output=True, check=False)
    if install.returncode or not can_plot(pythons[-1]):
        raise Failed("no plots: " + (install.stdout + install.stderr).strip())
    return pythons[-1]
