# SPDX-License-Identifier: MIT
"""Programs and kernels. A kernel's parameters are read once (gravel_kernel_parameters), and a setter is made for each.

Path: Node.program -> gravel_program_build -> Program -> Kernel -> clSetKernelArg, gravel_launch.
"""
from __future__ import annotations

import ctypes as c
import math
import operator
import re
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Sequence, Union

import numpy as np
import pyopencl as cl
import pyopencl.cltypes

from . import _library
from ._accumulator import Accumulator
from ._array import Array
from ._block_pool import BlockPool
from ._errors import OpenCLError
from ._library import check, lib, number_of
from ._mirror import Mirror

if TYPE_CHECKING:
    from ._node import Node

_PROGRAM_KERNEL_NAMES = 0x1168
_LAUNCHERS = {"gravel_flow_": "Flow.produce", "gravel_round_": "Rounds.run",
              "gravel_steal_": "Deques.launch"}  # of GRAVEL_FLOW, GRAVEL_ROUND and GRAVEL_STEAL
SERVED = "Node.launch_server"
_OF_SERVERS = "gravel_serve"  # how names of kernels begin that the library adds to a program of servers

_INTEGERS: dict[str, Any] = {
    "char": c.c_int8, "uchar": c.c_uint8, "short": c.c_int16, "ushort": c.c_uint16, "int": c.c_int32,
    "uint": c.c_uint32, "long": c.c_int64, "ulong": c.c_uint64, "size_t": c.c_size_t,
}
_REALS: dict[str, Any] = {"float": c.c_float, "double": c.c_double}
_SCALARS = {**_INTEGERS, **_REALS}
_ELEMENT = re.compile(r"(u?(?:char|short|int|long)|half|float|double)(2|3|4|8|16)?\*")

Sizes = Union[int, Sequence[int]]


class _Parameter:
    """A parameter of a kernel, as errors name it, and the box that clSetKernelArg reads its argument from."""

    def __init__(self, kernel_name: str, index: int, row: _library.Block) -> None:
        self.index, self.name, self.type = index, row.name.decode(), row.type.decode()
        self.kind, self.n_bytes = row.kind, row.value_bytes
        self.what = "%s: %s %s" % (kernel_name, self.type, self.name)

    def setter(self, node: Node) -> Callable[[Any], tuple[Optional[int], Any]]:
        """@return a function that checks an argument, and returns its bytes and where they lie; of an accumulator None
        and its address"""
        if self.kind == _library.PARAMETER_ACCUMULATOR:
            return self._accumulator(node)
        if self.kind == _library.PARAMETER_LOCAL:
            return self._local
        if self.kind == _library.PARAMETER_OBJECT:
            return self._object(c.c_void_p())
        if self.type in _INTEGERS:
            return self._integer(node, _INTEGERS[self.type])
        if self.type in _REALS:
            return self._real(_REALS[self.type])
        return self._bytes

    def _refuse(self, value: Any, wants: str) -> TypeError:
        return TypeError("%s takes %s, not %s %r" % (self.what, wants, type(value).__name__, value))

    def _integer(self, node: Node, kind: Any) -> Callable[[Any], tuple[int, Any]]:
        box, n_bytes = kind(), c.sizeof(kind)
        at = c.byref(box)

        def take(value: Any) -> tuple[int, Any]:
            if isinstance(value, (Array, BlockPool, Mirror)):
                if kind is not c.c_uint64:
                    raise self._refuse(value, "a number; what lies in the heap needs a parameter of type ulong")
                self._check_node(node, value)
                number = value.offset
            else:
                try:
                    number = operator.index(value)
                except TypeError:
                    raise self._refuse(value, "an integer") from None
            box.value = number
            if box.value != number:
                raise OverflowError("%s: %d does not fit" % (self.what, number))
            return n_bytes, at
        return take

    def _real(self, kind: Any) -> Callable[[Any], tuple[int, Any]]:
        box, n_bytes = kind(), c.sizeof(kind)
        at = c.byref(box)

        def take(value: Any) -> tuple[int, Any]:
            try:
                number = value.__float__()
            except (AttributeError, TypeError):
                raise self._refuse(value, "a number") from None
            box.value = number
            if math.isinf(box.value) and not math.isinf(number):
                raise OverflowError("%s: %r does not fit" % (self.what, number))
            return n_bytes, at
        return take

    def _object(self, box: Any) -> Callable[[Any], tuple[int, Any]]:
        """Buffers, images and samplers of PyOpenCL, its arrays, and None for NULL."""
        at, n_bytes = c.byref(box), c.sizeof(box)
        element = _element(self.type)

        def take(value: Any) -> tuple[int, Any]:
            held = value
            if hasattr(value, "base_data"):  # an array
                if element and value.dtype not in element or not value.dtype.isnative or not value.flags.c_contiguous:
                    raise TypeError("%s takes an array of %s in C's order, not dtype %s with strides %r" % (
                        self.what, "dtype %s" % element[0] if element else "native types", value.dtype, value.strides))
                held = value.data  # which raises ValueError if it begins inside its buffer
            try:
                box.value = None if held is None else held.int_ptr
            except AttributeError:
                raise self._refuse(value, "a buffer or an array of PyOpenCL (pyopencl.array.to_device)") from None
            return n_bytes, at
        return take

    def _accumulator(self, node: Node) -> Callable[[Any], tuple[Optional[int], Any]]:
        def take(value: Any) -> tuple[Optional[int], Any]:
            if not isinstance(value, Accumulator):
                raise self._refuse(value, "a gravel.Accumulator")
            self._check_node(node, value)
            return None, value._made()
        return take

    def _check_node(self, node: Node, value: Union[Accumulator, Array, BlockPool, Mirror]) -> None:
        if value.node is not node:
            raise ValueError("%s: %r is of another node" % (self.what, value))

    def _local(self, value: Any) -> tuple[int, Any]:
        if not isinstance(value, cl.LocalMemory):
            raise self._refuse(value, "a pyopencl.LocalMemory")
        return value.size, None

    def _bytes(self, value: Any) -> tuple[int, Any]:
        """Vectors and structs: numpy's scalars and arrays of as many bytes; the driver reads past smaller ones."""
        if not isinstance(value, (np.generic, np.ndarray)):
            raise self._refuse(value, "a scalar or an array of numpy")
        memory = value.tobytes()
        if self.n_bytes and len(memory) != self.n_bytes:
            raise self._refuse(value, "%d bytes" % self.n_bytes)
        return len(memory), memory


class Kernel:
    """A kernel of a program. Any thread may call it; one at a time launches it."""

    def __init__(self, node: Node, handle: int, name: str, launcher: Optional[str] = None) -> None:
        """@param handle  of OpenCL's, which this releases. @param launcher  what launches it, if no call of it does"""
        self.name = name
        self._node = node
        self._launcher = launcher
        self._is_ended = False
        self._release = weakref.finalize(self, lib.clReleaseKernel, handle)
        self._release.atexit = False
        self._handle: int = handle
        self._parameters: list[_Parameter] = []
        for parameter in [_Parameter(name, i, row) for i, row in enumerate(_rows(node, handle))]:
            if parameter.kind == _library.PARAMETER_ARENA:
                node._call(lib.gravel_kernel_set_arena, handle, parameter.index)
            elif parameter.name in _LAUNCHERS:
                self._launcher = _LAUNCHERS[parameter.name]
            else:
                self._parameters.append(parameter)
        self._setters = [(parameter.index, parameter.setter(node)) for parameter in self._parameters]
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return "<gravel.Kernel %s>" % self.signature

    @property
    def signature(self) -> str:
        return "%s(%s)" % (self.name, ", ".join("%s %s" % (p.type, p.name) for p in self._parameters))

    def __call__(self, global_size: Sizes, local_size: Optional[Sizes], *arguments: Any,
                 wait: Sequence[cl.Event] = ()) -> cl.Event:
        """Enqueue it on the node's queue.

        Parameters
        ----------
        local_size : int or sequence
            None: chosen by the library.
        arguments
            All except GRAVEL_ARENA: numbers that fit; Array, Mirror or BlockPool for a `ulong`, its offset;
            Accumulator for GRAVEL_ACCUMULATOR; buffers and arrays of PyOpenCL, LocalMemory; numpy's scalars for
            vectors and structs. Kept alive until the launch has ended.

        Returns
        -------
        pyopencl.Event of its end
        """
        self._check_launch(None, arguments)
        node = self._node
        handle = node._opened()
        n, sizes = _sizes(global_size)
        n_local, groups = (n, None) if local_size is None else _sizes(local_size)
        if n_local != n:
            raise ValueError("%s: %r and %r have different dimensions" % (self.name, global_size, local_size))
        event = c.c_void_p()
        with self._lock:
            self._set(arguments)
            check(node._launch(lib.gravel_launch, handle, self._handle, n, sizes, groups, len(wait), events_of(wait),
                               c.byref(event)))
        return self._launched(event, arguments)

    def _launch_by(self, launcher: str, node: Node, arguments: tuple[Any, ...], launch: Callable[[int], int]) -> None:
        """By another call of the library, which waits."""
        if self._node is not node:
            raise ValueError("%r is of another node" % self)
        self._check_launch(launcher, arguments)
        with self._lock:
            self._set(arguments)
            self._node._wait(lambda _: launch(self._handle))

    def _end(self) -> None:
        """Of a flow, which ends: no call of this follows."""
        with self._lock:
            self._release()
            self._is_ended = True

    def _launched(self, event: c.c_void_p, arguments: tuple[Any, ...]) -> cl.Event:
        ended = cl.Event.from_int_ptr(event.value, retain=False)
        self._node._keep(ended, arguments)
        return ended

    def _check_launch(self, launcher: Optional[str], arguments: tuple[Any, ...]) -> None:
        if self._is_ended:
            raise ValueError("%s: its flow was destroyed" % self.signature)
        if launcher != self._launcher:
            raise TypeError("%s is launched by %s, not by %s"
                            % (self.signature, self._launcher or "a call of it", launcher or "a call of it"))
        if len(arguments) != len(self._setters):
            raise TypeError("%s takes %d arguments, not %d" % (self.signature, len(self._setters), len(arguments)))

    def _set(self, arguments: tuple[Any, ...]) -> None:
        """Under the lock."""
        for (index, take), value in zip(self._setters, arguments):
            n_bytes, at = take(value)
            if n_bytes is None:
                check(lib.gravel_kernel_set_accumulator(at, self._handle, index))
                continue
            status = lib.clSetKernelArg(self._handle, index, n_bytes, at)
            if status:
                raise OpenCLError("%s: %r: clSetKernelArg returned %d" % (self.signature, value, status))


class Program:
    """Kernels of a text: program.count or program["count"]; list(program) has their names."""

    def __init__(self, node: Node, source: str, name: str, options: str, build: Callable[..., int] =
                 lib.gravel_program_build, launcher: Optional[str] = None) -> None:
        handle = c.c_void_p()
        node._call(build, name.encode(), source.encode(), options.encode(), c.byref(handle))
        weakref.finalize(self, lib.clReleaseProgram, handle.value).atexit = False
        self._node = node
        self._launcher = launcher
        self._handle: int = handle.value or 0
        self._kernels: dict[str, Kernel] = {}
        self._names = [one for one in _kernel_names(self._handle) if launcher != SERVED or not one.startswith(_OF_SERVERS)]

    def __repr__(self) -> str:
        return "<gravel.Program of %s>" % ", ".join(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names]

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            if name not in self._names:
                raise KeyError("no kernel %r; the program has %s" % (name, ", ".join(self._names)))
            status = c.c_int()
            handle: Optional[int] = lib.clCreateKernel(self._handle, name.encode(), c.byref(status))
            if not handle:
                raise OpenCLError("%s: clCreateKernel returned %d" % (name, status.value))
            self._kernels[name] = Kernel(self._node, handle, name, self._launcher)
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__") or "_kernels" not in self.__dict__:
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None


def _rows(node: Node, kernel: int) -> Any:
    """@return what the kernel takes, as an array of struct gravel_parameter"""
    n, n_bytes = c.c_uint32(), c.sizeof(_library.Parameter)
    node._call(lib.gravel_kernel_parameters, kernel, None, n_bytes, 0, c.byref(n))
    rows = (_library.Parameter * n.value)()
    node._call(lib.gravel_kernel_parameters, kernel, rows, n_bytes, n.value, c.byref(n))
    return rows


def _element(kind: str) -> tuple[np.dtype[Any], ...]:
    """@return the types of elements that a pointer to numbers or vectors of them takes; of other pointers none"""
    found = _ELEMENT.fullmatch(kind)
    if not found:
        return ()
    number = np.dtype({"half": np.float16}.get(found[1]) or _SCALARS[found[1]])
    return (number, cl.cltypes.vec_types[number, int(found[2])]) if found[2] else (number,)


def _sizes(given: Sizes) -> tuple[int, Any]:
    """@return how many dimensions, and their work-items as C takes them"""
    lengths = [given] if isinstance(given, (int, np.integer)) else list(given)
    return len(lengths), (c.c_size_t * len(lengths))(*(number_of("work-items", n, c.c_size_t) for n in lengths))


def events_of(wait: Sequence[cl.Event]) -> Any:
    return (c.c_void_p * len(wait))(*(event.int_ptr for event in wait)) if wait else None


def _kernel_names(program: int) -> list[str]:
    n_bytes = c.c_size_t()
    status = lib.clGetProgramInfo(program, _PROGRAM_KERNEL_NAMES, 0, None, c.byref(n_bytes))
    names = c.create_string_buffer(n_bytes.value + 1)
    status = status or lib.clGetProgramInfo(program, _PROGRAM_KERNEL_NAMES, n_bytes.value, names, None)
    if status:
        raise OpenCLError("clGetProgramInfo returned %d" % status)
    return names.value.decode().split(";")
