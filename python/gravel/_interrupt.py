# SPDX-License-Identifier: MIT
"""Ctrl-C in a call that waits: it gives the node up, so that the call returns and Python raises KeyboardInterrupt.

Python runs its handlers of signals between two of its own instructions, and a call of the library is one. So while the
main thread is in such a call, the byte that a signal writes (signal.set_wakeup_fd) goes to a thread here, which calls
gravel_abort; then to the file that had the byte before, such as asyncio's. Only where SIGINT has Python's own handler:
a program that does something else with the signal does not want the node given up.

What opens, makes or ends something is in held_back(): there the exception comes when what the call came to is noted,
so that nothing is closed or destroyed twice.

Path: SIGINT -> the pipe -> _listen -> gravel_abort -> the call in `waiting` returns.
"""
from __future__ import annotations

import contextlib
import os
import signal
import threading
from types import FrameType
from typing import Any, Callable, Iterator, Optional

from ._library import lib


class _State:
    """Written by the main thread; `node` under `lock`, so that no node is aborted after its call."""

    lock = threading.Lock()
    node: Optional[int] = None
    others = -1  # the file that gets the bytes when no call waits
    writer: Optional[int] = None  # of the pipe; None until the thread runs
    is_pressed = False  # while exceptions are held back


def _listen(reader: int) -> None:
    while True:
        data = os.read(reader, 64)
        with _State.lock:
            if signal.SIGINT in data and _State.node is not None:
                lib.gravel_abort(_State.node, b"KeyboardInterrupt")
        if _State.others >= 0:
            with contextlib.suppress(OSError):
                os.write(_State.others, data)


def _start() -> int:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    threading.Thread(target=_listen, args=(reader,), daemon=True, name="gravel-interrupt").start()
    return writer


def _forget() -> None:
    """In a forked child, whose signals are no matter of its parent's node: the thread and the pipe are the parent's."""
    file = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(_State.others if file == _State.writer else file)
    _State.lock, _State.node, _State.writer = threading.Lock(), None, None


os.register_at_fork(after_in_child=_forget)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _hold(_number: int, _frame: Optional[FrameType]) -> None:
    _State.is_pressed = True


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Ctrl-C in the statement ends calls that wait, as it does elsewhere, and raises KeyboardInterrupt at its end."""
    if not _is_main() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # another statement, further out, or the program takes the signal
        return
    _State.is_pressed = False
    signal.signal(signal.SIGINT, _hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if _State.is_pressed:
            raise KeyboardInterrupt


def waiting(function: Callable[..., int], node: int, *arguments: Any) -> int:
    """A call that may wait, of any thread. @return its code."""
    if not _is_main() or signal.getsignal(signal.SIGINT) not in (signal.default_int_handler, _hold):
        return function(node, *arguments)
    if _State.writer is None:
        _State.writer = _start()
    others = signal.set_wakeup_fd(_State.writer, warn_on_full_buffer=False)
    _State.others, _State.node = others, node
    try:
        return function(node, *arguments)
    finally:
        signal.set_wakeup_fd(others, warn_on_full_buffer=False)
        with _State.lock:
            _State.node = None
