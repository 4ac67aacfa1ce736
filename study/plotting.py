# SPDX-License-Identifier: MIT
"""To plot in a Python that has matplotlib, which need not be the one that runs."""
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


def elsewhere(script, *words):
    """Run a script in a Python that can plot, unless this one can. @return whether it has run; Failed if it fails"""
    argv = [find_python(), os.path.abspath(script), *words]
    if argv[0] == sys.executable:
        return False
    if subprocess.run(argv, stdout=subprocess.DEVNULL, check=False).returncode:
        raise Failed("the plots could not be made: " + " ".join(argv))
    return True
