# SPDX-License-Identifier: MIT
"""Where commands of tools/matrix, tests/matrix and study run: place.py."""
