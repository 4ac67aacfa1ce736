# SPDX-License-Identifier: MIT
"""What a statement has to raise.

Path: calls.py, communicator.py, loaders.py, records.py, sharing.py, tasks.py -> this.
"""
import contextlib
import re


@contextlib.contextmanager
def refused(error, *texts):
    """The statement raises it, and its text has these patterns."""
    try:
        yield
    except error as raised:
        missing = [text for text in texts if not re.search(text, str(raised))]
        assert not missing, "%r lacks %s" % (raised, missing)
    else:
        raise AssertionError("nothing is raised, instead of %s" % error.__name__)
