# SPDX-License-Identifier: MIT
"""The C library: where it is, what its calls take, and how a code becomes an exception.

CALLS and the structures are those of the headers once more, as ctypes needs them; tests/bindings/table.py compares
both. Each call releases the GIL. OpenCL is called through the library's handle too, so that both sides use one loader.

Path: $GRAVEL_LIBRARY, the wheel's library or libgravel.so -> this -> all other files of the package.
"""
from __future__ import annotations

import ctypes as c
import glob
import operator
import os
from typing import Any, Callable, cast

from ._errors import BY_CODE, Error, RangeError

API = (0, 3)  # GRAVEL_API_MAJOR and _MINOR of the header that this file was written by
SONAME = "libgravel.so.%d.%d" % API

AM_MAX_ARGS = 4
MAX_COUNTERS = 32
MAX_CONFIG_BYTES = 65536  # gravel_config_load fills any block up to this, so settings are known by name alone
CONFIG_STRING_BYTES = 256
ALL_NODES = 0xFFFFFFFF

OPERATIONS = {"put": 1, "inc": 2, "add": 3, "min": 4, "max": 5, "and": 6, "or": 7, "xor": 8}
CHANNELS = {"stream": 0, "output": 1, "spawn": 2, "after": 3, "held": 4}
MAY_FILL, GROUP_NODE = 0x100, 0x200  # or-ed to them
ALL_GROUPS = 0xFFFFFFFF
UNTIL_MOST, UNTIL_ZERO = 0, 1
NO_BOUND = 0xFFFFFFFFFFFFFFFF  # of rounds
PARAMETER_VALUE, PARAMETER_OBJECT, PARAMETER_LOCAL, PARAMETER_ARENA, PARAMETER_ACCUMULATOR = 1, 2, 3, 4, 5
TYPES = {"i4": 0, "u4": 1, "i8": 2, "u8": 3, "f4": 4, "f8": 5}  # by kind and bytes of numpy's types

# C types as CALLS names them. What points to a structure, and OpenCL's handles, are addresses.
address, text, flag, code = c.c_void_p, c.c_char_p, c.c_bool, c.c_int
u32, u64, size = c.c_uint32, c.c_uint64, c.c_size_t


to: Any = c.POINTER


class node(c.c_uint32):
    """A parameter `uint32_t node`."""


def number_of(what: str, value: Any, kind: Any = u64) -> int:
    """A number as C takes it: ctypes would cut another one. Each number that goes to C passes here."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError("%s: %r is not an integer" % (what, value)) from None
    most = (1 << 8 * c.sizeof(kind)) - 1
    if not 0 <= number <= most:
        raise RangeError("%s: %d is out of range (0 to %d)" % (what, number, most))
    return number


def _checked(name: str, function: Callable[..., Any], kinds: tuple[Any, ...]) -> Callable[..., Any]:
    """@return the call, whose numbers have passed number_of"""
    numbers = [(i, kind, "%s: %s" % (name, "node" if kind is node else "argument %d" % i))
               for i, kind in enumerate(kinds) if kind in (u32, u64, size, node)]
    if not numbers:
        return function

    def call(*arguments: Any) -> Any:
        passed = list(arguments)
        for i, kind, what in numbers:
            passed[i] = number_of(what, passed[i], kind)
        return function(*passed)
    return call


class Block(c.Structure):
    """A structure whose numbers have passed number_of."""

    def __setattr__(self, name: str, value: Any) -> None:
        kind = next((field[1] for field in self._fields_ if field[0] == name), None)
        if kind in (u32, u64, size):
            value = number_of(name, value, kind)
        super().__setattr__(name, value)


def block(name: str, /, **members: Any) -> type[Block]:
    """@return the structure of this name in C"""
    return cast("type[Block]", type(name, (Block,), {"_fields_": list(members.items())}))


def _counters(name: str, *members: str) -> type[Block]:
    return block(name, **dict.fromkeys(members, u64))


STREAM_FUNCTION = c.CFUNCTYPE(code, address, address, u32, address, u32)  # gravel_stream_function
PRINT_FUNCTION = c.CFUNCTYPE(code, address, address, size)  # gravel_print_function

Serve = block("gravel_serve", n_keys=u32, datum_words=u32, datum=text, max_pending=u64)
HandlerRow = block("gravel_handler", name=text, n_args=u32, arg_bytes=u32, function=address, user=address,
                   n_answers=u32, serve=Serve, answer=address, blocks=u32)
StreamRow = block("gravel_stream", name=text, record_bytes=u32, function=STREAM_FUNCTION, user=address)
DeviceCode = block("gravel_device_code", source=text, name=text, options=text)
Bindings = block("gravel_bindings", bytes=size, handler_bytes=size, context=address, device=address, queue=address,
                 handlers=to(HandlerRow), n_handlers=u32, log=address, log_user=address, device_code=DeviceCode,
                 mpi_comm=address, streams=to(StreamRow), n_streams=u32, print=PRINT_FUNCTION, print_user=address)
Words = block("gravel_words", bytes=size, offset=u64, type=u32, n_words=to(u64), indices=to(u32))
BlockPoolStats = _counters("gravel_block_pool_stats", "n_blocks", "n_used", "n_failed")
Edge = block("gravel_edge", into=text, at_most=u32)
ChannelRow = block("gravel_channel", name=text, record_bytes=u32, kind=u32, width=u32, n_into=u32, into=to(Edge))
Graph = block("gravel_channel_graph", bytes=size, channel_bytes=size, channels=to(ChannelRow), n_channels=u32,
              depth=u32, max_bytes=u64, group_items=u32, n_messages=u32)
Parameter = block("gravel_parameter", kind=u32, value_bytes=u32, name=c.c_char * 128, type=c.c_char * 128)
FlowStats = _counters("gravel_flow_stats", "rounds", "small_rounds", "elements", "lanes", "run_ns", "scheduler_ns",
                      "bytes", "runs", "launches")
RoundsProgram = block("gravel_rounds_program", bytes=size, name=text, source=text, options=text, function=text,
                      group_items=u32, n_groups=u32)
RoundsEnded = _counters("gravel_rounds_ended", "n_rounds", "sum")
RoundsStats = _counters("gravel_rounds_stats", "rounds", "stayed", "launches", "run_ns", "groups", "exchanged",
                        "messages", "device_ns", "exchange_ns")
StealOptions = block("gravel_steal_options", bytes=size, n_groups=u32, group_size=u32, capacity=u32, task_bytes=u32)
StealStats = _counters("gravel_steal_stats", "done", "stolen", "failed", "offers", "looks", "most", "left")


def counted(stats: c.Structure) -> dict[str, int]:
    """What a structure of counters has, by name."""
    return {field[0]: int(getattr(stats, field[0])) for field in stats._fields_}


CALLS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    **dict.fromkeys((
        "gravel_close", "gravel_quiet", "gravel_fence", "gravel_barrier", "gravel_session_begin",
        "gravel_session_end", "gravel_mirror_begin", "gravel_mirror_end", "gravel_mirror_share",
        "gravel_mirror_destroy", "gravel_accumulator_flush", "gravel_accumulator_begin", "gravel_accumulator_reset",
        "gravel_accumulator_destroy", "gravel_block_pool_destroy", "gravel_flow_destroy", "gravel_flow_run",
        "gravel_flow_start", "gravel_flow_wait", "gravel_flow_stats_reset", "gravel_rounds_destroy",
        "gravel_steal_wait", "gravel_steal_stats_reset", "gravel_steal_destroy"), (code, (address,))),
    "gravel_version": (text, (to(u32),)),
    "gravel_strerror": (text, (code,)),
    "gravel_last_error": (text, ()),
    "gravel_config_load": (code, (address, size)),
    "gravel_config_set": (code, (address, text, text)),
    "gravel_config_get": (code, (address, u32, to(text), text, size)),
    "gravel_open": (code, (to(address), address, address)),
    "gravel_abort": (code, (address, text)),
    "gravel_node": (u32, (address,)),
    "gravel_n_nodes": (u32, (address,)),
    "gravel_config_of": (address, (address,)),
    "gravel_step": (text, (address,)),
    "gravel_group_size": (u32, (address,)),
    "gravel_cl_context": (address, (address,)),
    "gravel_cl_device": (address, (address,)),
    "gravel_cl_queue": (address, (address,)),
    "gravel_alloc": (code, (address, u64, to(u64))),
    "gravel_free": (code, (address, u64)),
    "gravel_is_local": (flag, (address, node)),
    "gravel_share": (code, (address, u64, to(u64), to(u64))),
    "gravel_heap_part": (code, (address, u64, u64, node, to(address), to(u64), to(address))),
    "gravel_map": (code, (address, u64, u64, u64, node, to(address))),
    "gravel_unmap": (code, (address, address)),
    "gravel_program_build": (code, (address, text, text, text, to(address))),
    "gravel_kernel_set_arena": (code, (address, address, u32)),
    "gravel_kernel_parameters": (code, (address, address, address, size, u32, to(u32))),
    "gravel_launch": (code, (address, address, u32, to(size), to(size), u32, to(address), to(address))),
    "gravel_barrier_sum": (code, (address, u64, u32, to(u64), to(u64))),
    "gravel_reduce": (code, (address, u32, u32, address, u32)),
    "gravel_put": (code, (address, u64, address, u64, node)),
    "gravel_get": (code, (address, u64, address, u64, node)),
    "gravel_update": (code, (address, u32, u32, u64, address, node)),
    "gravel_set_constant": (code, (address, u32, u64)),
    "gravel_am": (code, (address, u32, to(u64), u32, node)),
    "gravel_stats_read": (code, (address, address, size, node)),
    "gravel_stats_get": (code, (address, u32, to(text), to(u64))),
    "gravel_mirror_create": (code, (to(address), address, address)),
    "gravel_mirror_create_slots": (code, (to(address), address, u32, address)),
    "gravel_mirror_offset": (u64, (address,)),
    "gravel_accumulator_create": (code, (to(address), address, u64, u64, u32, u32)),
    "gravel_kernel_set_accumulator": (code, (address, address, u32)),
    "gravel_block_pool_create": (code, (to(address), address, u64, u64)),
    "gravel_block_pool_offset": (u64, (address,)),
    "gravel_block_pool_stats_read": (code, (address, address, size)),
    "gravel_flow_create": (code, (to(address), address, address)),
    "gravel_flow_build": (code, (address, text, text, text, text)),
    "gravel_flow_set_argument": (code, (address, u32, size, address)),
    "gravel_flow_push": (code, (address, text, address, u32)),
    "gravel_flow_post": (code, (address, text, address, u32)),
    "gravel_flow_kernel": (code, (address, text, to(address))),
    "gravel_flow_produce": (code, (address, address, size, address, u32)),
    "gravel_flow_call": (code, (address, text, address, size, address, size)),
    "gravel_flow_take": (code, (address, text, address, u32, to(u32))),
    "gravel_flow_stats_read": (code, (address, address, size)),
    "gravel_flow_channel_read": (code, (address, text, to(u32), to(u32))),
    "gravel_rounds_create": (code, (to(address), address, address)),
    "gravel_rounds_kernel": (code, (address, to(address))),
    "gravel_rounds_run": (code, (address, u32, u64, address, size)),
    "gravel_rounds_stats_read": (code, (address, address, size)),
    "gravel_steal_create": (code, (to(address), address, address)),
    "gravel_steal_fill": (code, (address, address, u64)),
    "gravel_steal_fill_at": (code, (address, u32, address, u64)),
    "gravel_steal_n_groups": (u32, (address,)),
    "gravel_steal_launch": (code, (address, address, u32, to(address), to(address))),
    "gravel_steal_stats_read": (code, (address, address, size, u32)),
    "gravel_server_build": (code, (address, text, text, text, to(address))),
    "gravel_server_launch": (code, (address, address, u64, u32, to(address), to(address))),
}

OPENCL: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "clGetPlatformIDs": (code, (u32, address, to(u32))),
    "clCreateKernel": (address, (address, text, to(code))),
    "clReleaseKernel": (code, (address,)),
    "clReleaseProgram": (code, (address,)),
    "clSetKernelArg": (code, (address, u32, size, address)),
    "clGetProgramInfo": (code, (address, u32, size, address, to(size))),
}


def _candidates(variable: str, name: str, soname: str) -> list[str]:
    """Returns files and names of a library; a wheel has it beside the package."""
    chosen = os.environ.get(variable)
    if chosen:
        return [chosen]
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    of_wheel = os.path.join(glob.escape(beside), ".gravel.mesonpy.libs", name + ".so*")  # meson-python's place
    return sorted(glob.glob(of_wheel)) + [soname]


def declare(library: c.CDLL, calls: dict[str, tuple[Any, tuple[Any, ...]]], checked: bool = True) -> None:
    """Tells ctypes what calls take. Raises OSError if the library lacks one."""
    for name, (result, arguments) in calls.items():
        try:
            function = getattr(library, name)
        except AttributeError as missing:
            raise OSError("is no such library: %s" % missing) from None
        function.restype, function.argtypes = result, arguments
        setattr(library, name, _checked(name, function, arguments) if checked else function)


def _version(library: c.CDLL) -> str:
    """@return what it says. Raises OSError if it is no Gravel, or another one."""
    numbers = (u32 * 3)()
    declare(library, {"gravel_version": CALLS["gravel_version"]})
    says: str = library.gravel_version(numbers).decode()
    declare(library, CALLS)
    declare(library, OPENCL, checked=False)
    if (numbers[0], numbers[1]) != API:
        raise OSError("is version %s, and this package is for version %d.%d" % (says, *API))
    return says


def load(what: str, variable: str, name: str, soname: str, prepare: Callable[[c.CDLL], Any]) -> tuple[Any, Any]:
    """@return the library that `prepare` takes, and what that returns"""
    failures = []
    for path in _candidates(variable, name, soname):
        try:
            library = c.CDLL(path)
            return library, prepare(library)
        except OSError as error:
            failures.append("%s %s" % (path, str(error).removeprefix(path + ": ")))
    raise ImportError("%s is not found: %s. %s=/path/to/%s names it."
                      % (what, "; ".join(failures), variable, soname), name="gravel")


lib, version = load("Gravel's library", "GRAVEL_LIBRARY", "libgravel", SONAME, _version)


def error_of(number: int) -> Error:
    """The exception of a code that a call of this thread has just returned."""
    said: bytes = lib.gravel_last_error() or lib.gravel_strerror(number)
    error = BY_CODE.get(number, Error)(said.decode(errors="replace"))
    error.code = number
    return error


def check(number: int) -> None:
    if number:
        raise error_of(number)
