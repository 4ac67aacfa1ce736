# SPDX-License-Identifier: MIT
"""The package's objects do what their C calls do, bad arguments are exceptions that name them, and what is closed or
freed refuses calls.

Path: pytest -> this -> python/gravel
"""
import builtins
import ctypes

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
import pyopencl.cltypes
import pytest

import gravel
from conftest import ALONE, refuse
from gravel._library import lib

SOURCE = """#include "gravel.cl.h"
uint twice(struct gravel_call call, uint array, uint i)
{
    volatile global uint *word = gravel_call_at(call, array, i, sizeof(uint));
    return atomic_add(word, 2u);
}
void store(struct gravel_call call, ulong array, ulong i)
{
    *(global uint *)gravel_call_at(call, array, i, sizeof(uint)) = (uint)call.constants[3];
}
"""
KERNELS = """#include "gravel.cl.h"
kernel void add(GRAVEL_ARENA, ulong array, global const uint *values, uint node)
{
    GRAVEL_OPEN(g);
    uint i = (uint)get_global_id(0);
    gravel_add_uint_wg(g, array, i, values[i], node);
}
kernel void types(global double *out, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul, float f,
                  uint2 v, local uint *shared, global uint *nothing)
{
    shared[0] = v.x;
    out[0] = c; out[1] = uc; out[2] = s; out[3] = us; out[4] = i; out[5] = ui; out[6] = l; out[7] = ul; out[8] = f;
    out[9] = shared[0]; out[10] = v.y; out[11] = nothing == 0;
}
kernel void names(GRAVEL_ARENA) { GRAVEL_OPEN(g); }
typedef uint node_t;
typedef double real_t;
struct wide { ulong at; char letter; };
kernel void defined(global double *out, node_t n, struct wide w, const real_t r, global real_t *p)
{
    p[0] = n; out[1] = w.at; out[2] = w.letter; out[3] = r;
}
"""
N = 100


SETTINGS = {"heap_bytes": "8M", "device_code": SOURCE, "handlers": {
    "twice": gravel.Handler(n_args=2, arg_bytes=4, answers=True), "store": gravel.Handler(n_args=2)}}


@pytest.fixture(scope="module")
def program(node):
    return node.program(KERNELS, "kernels.cl")


def last(node):
    return node.size - 1


def test_node(node):
    assert node.rank in node.local and set(node.local) <= set(range(node.size))
    assert node.config["heap_bytes"] == str(8 << 20) and node.step in ("svm", "usm", "pump", "drain")
    assert node.queue.device == node.device and node.queue.context.int_ptr == node.context.int_ptr
    assert node.group_size & (node.group_size - 1) == 0
    assert node.stats["packages"] >= 0 and len(node.stats) > 20
    assert "%d of %d" % (node.rank, node.size) in repr(node)
    assert len(node.local) == node.size > 1 or len(node.share(1001)) in (1001 // node.size, 1001 // node.size + 1)
    assert len(node.local) < node.size or node.share(1001) == range(1001)


def test_array(node):
    array = node.array((4, 25), np.int32)
    assert (array.shape, array.size, array.nbytes, len(array), array.dtype) == ((4, 25), 100, 400, 4, np.int32)
    assert (array.get() == 0).all() and array.get().shape == (4, 25)
    for m in node.local:
        array.set(np.arange(100).reshape(4, 25) + m, m)
    node.barrier()
    assert (array.get(last(node)) == np.arange(100).reshape(4, 25) + last(node)).all()
    assert (np.asarray(array) == array.get()).all() and np.asarray(array, np.float32).dtype == np.float32
    refuse(ValueError, "copy", lambda: array.__array__(copy=False))
    node.barrier()
    for m in node.local:
        with array.map("rw", m) as part:
            part += 1
        refuse(ValueError, "read-only", lambda: part.__setitem__((0, 0), 0))
        assert part[3, 24] == 100 + m and (array.get(m) == part).all()
    with array.map() as part:
        refuse(ValueError, "WRITEABLE", lambda: part[1:].setflags(write=True))
    node.barrier()
    array.put([7, 8, 9], last(node), first=97)
    records = node.array(8, [("key", np.uint64), ("share", np.float32)])
    records.put([(7, 0.5), (8, 1.5)], last(node), first=5)
    node.barrier()
    assert (array.get(last(node), 96, 4) == [97 + last(node), 7, 8, 9]).all()
    assert records.get(last(node), 6, 2).tolist() == [(8, 1.5), (0, 0)] and records.get(last(node), 5)["key"] == 7
    refuse(gravel.RangeError, "3 elements from element 6", lambda: records.get(0, 6, 3))
    node.barrier()
    array.free()
    refuse(ValueError, "freed", array.get, array.free, array.part, lambda: array.offset, lambda: array.put([1], 0))


def test_written_unread(node):
    """What a map for writing replaces is not read before."""
    array, maps = node.array(4, np.uint32), []
    array._pointer = lambda flags, m: maps.append(flags) or gravel.Array._pointer(array, flags, m)
    array.set(3)
    with array.map("w") as part:
        part[:] = 4
    assert array.get().tolist() == [4] * 4 and (node.step in ("svm", "usm") or maps == [4, 4, 1]), maps


def test_part(node):
    """A kernel that PyOpenCL builds changes it, where it is a buffer; else it is what a map shows."""
    array = node.array(N, np.uint32)
    for m in node.local:
        array.set(np.arange(N), m)
    node.barrier()
    for m in node.local:
        part = array.part(m)
        assert (part.buffer is None) == bool(part.pointer) == (node.step in ("svm", "usm"))
        if part.buffer is None:
            with array.map("r", m) as view:
                assert (part.first, part.pointer) == (0, view.ctypes.data)
            continue
        twice = cl.Program(node.context, "kernel void twice(global uint *memory, ulong first)"
                           "{ memory[first / sizeof(uint) + get_global_id(0)] *= 2; }").build().twice
        twice(node.queue, (N,), None, part.buffer, np.uint64(part.first))
        node.queue.finish()
        assert (array.get(m) == 2 * np.arange(N)).all(), array.get(m)


def test_bad_arrays(node):
    array = node.array(10, np.uint32)
    for error, text, use in (
            (ValueError, "shape|broadcast", lambda: array.set(np.zeros(11))),
            (gravel.RangeError, "3 elements from element 8", lambda: array.put([1, 2, 3], 0, first=8)),
            (ValueError, "'x'", lambda: array.map("x").__enter__()),
            (TypeError, "object", lambda: node.array(3, object)),
            (MemoryError, "asked %d bytes.*of %d are free" % (1 << 30, 8 << 20), lambda: node.array(1 << 30, np.uint8))):
        refuse(error, text, use)
    refuse(gravel.RangeError, str(node.size), lambda: array.get(node.size), lambda: array.set(0, node.size),
           lambda: array.put([1], node.size), lambda: array.part(node.size))
    for shape in -1, 0, (3, 0):
        refuse(ValueError, "at least one element", lambda: node.array(shape, np.uint32))


def test_numbers(node):
    """Each that goes to C is there what it is here: none is cut, none wraps in a type of numpy."""
    array = node.array(1 << 15, np.uint32)
    doors = (lambda i: array.map(node=i).__enter__(), array.part, array.get, lambda i: array.set(0, i),
             lambda i: array.put([1], i), lambda i: array.put([1], 0, first=i),
             lambda i: node.update("inc", array, 0, node=i), lambda i: node.update("inc", array, i, node=0),
             lambda i: node.am("store", 1, 2, node=i), lambda i: node.constant(i, 1), lambda i: node.deques(n_groups=i))
    for number, error in (1 << 32, gravel.RangeError), ((1 << 32) + 1, gravel.RangeError), (1.5, TypeError), \
            (np.int64(-(1 << 32) + 1), gravel.RangeError):
        refuse(error, str(number), *(lambda door=door: door(number) for door in doors))
    refuse(gravel.RangeError, str((1 << 64) + 64), lambda: node.array((1 << 62) + 16, np.uint32))
    for m in node.local:
        array.set(0, m)
    node.barrier()
    node.update("put", array, np.uint16(20000), 7, node=node.rank)
    array.put([8], node.rank, first=np.uint16(20001))
    node.barrier()
    assert array.get().nonzero()[0].tolist() == [20000, 20001]


VALUES = {  # dtype: values, and what they are in memory, or what refuses them
    np.uint32: (([0.7, -1, 300], OverflowError), ([-1], OverflowError), ([1 << 32], OverflowError),
                (np.int8([-1]), OverflowError), ([float("nan")], OverflowError), ([1j], TypeError), (["7"], TypeError),
                (np.float32([1 << 32]), OverflowError), ([2.0, 3], [2, 3]), (np.array([7], ">u2"), [7])),
    np.uint64: (([1 << 63, 5], [1 << 63, 5]), ([1 << 64], OverflowError), ([-1], OverflowError)),
    np.int64: ((np.uint64([1 << 63]), OverflowError), (np.float64([1 << 63]), OverflowError)),
    np.float32: (([1e300], OverflowError), ([float("inf"), 0.1], [float("inf"), np.float32(0.1)])),
}


@pytest.mark.parametrize("dtype", VALUES)
def test_values(node, dtype):
    """What the type of an array or a record does not hold is refused by each call that takes values."""
    array = node.array(2, dtype)
    with node.deques(dtype) as deques, node.flow({"in": gravel.Channel(dtype, "stream")}) as flow:
        doors = (lambda values: array.put(values, node.rank), lambda values: array.set(values, node.rank),
                 lambda values: flow.push("in", values), lambda values: flow.post("in", values), deques.fill,
                 lambda values: node.update("put", array, 0, values[0], node=node.rank))
        for values, wanted in VALUES[dtype]:
            if isinstance(wanted, list):
                array.put(values, node.rank)
                node.quiet()
                assert array.get().tolist()[:len(wanted)] == wanted, array.get()
            else:
                refuse(wanted, "values|value|records|tasks", *(lambda door=door: door(values) for door in doors))


def test_bad_types(node):
    array = node.array(2, [("a", "u4"), ("b", "u4")])
    swapped = np.zeros(2, [("b", "u4"), ("a", "u4")])
    refuse(TypeError, "'b'.*is needed", lambda: array.put(swapped, node.rank), lambda: array.set(swapped, node.rank))
    for dtype in ">u4", [("a", "u4"), ("b", ">u4")], "O", "V0":
        refuse(TypeError, "byte order", lambda: node.array(2, dtype), lambda: node.deques(dtype),
               lambda: node.flow({"out": gravel.Channel(dtype, "output")}),
               lambda: gravel.open(streams={"of": gravel.Stream(dtype, print)}))


def test_messages(node):
    array, floats = node.array(N, np.uint32), node.array(4, np.float64)
    node.update("inc", array, 5, node=last(node))
    node.fence()
    node.update("add", array, 5, 10, node=last(node))
    node.update("max", array, 6, np.uint32(4000000000), node=last(node))
    node.update("put", floats, 3, 2.5, node=last(node))
    node.barrier()
    n_processes = node.size // len(node.local)
    assert array.get(last(node))[5] == 11 * n_processes and array.get(last(node))[6] == 4000000000
    assert floats.get(last(node))[3] == 2.5
    node.constant(3, array)
    node.barrier()
    node.am("store", array, 8, node=node.rank)
    node.am("twice", array, 9, node=last(node))
    node.barrier()
    assert array.get()[8] == array.offset and array.get(last(node))[9] == 2 * n_processes
    for error, text, use in (
            (OverflowError, "-1", lambda: node.update("add", array, 5, -1, node=0)),
            (OverflowError, "1.5", lambda: node.update("add", array, 5, 1.5, node=0)),
            (IndexError, "100", lambda: node.update("add", array, 100, 1, node=0)),
            (ValueError, "'sub'", lambda: node.update("sub", array, 5, 1, node=0)),
            (TypeError, "inc", lambda: node.update("inc", array, 5, 1, node=0)),
            (KeyError, "other.*twice, store", lambda: node.am("other", node=0)),
            (gravel.ArgumentError, "store|argument", lambda: node.am("store", 1, node=0)),
            (gravel.RangeError, "node", lambda: node.am("store", 1, 2, node=node.size)),
            (gravel.RangeError, "-1", lambda: node.am("store", 1, -1, node=0))):
        refuse(error, text, use)


def test_barrier_sum(node):
    counters = node.array((2, 2), np.uint32)
    node.update("add", counters, 1, 3, node=node.rank)
    sums, own = node.barrier_sum(counters)
    assert sums.tolist() == [0, 3 * node.size // len(node.local), 0, 0] and own.tolist() == [0, 3, 0, 0]
    assert not counters.get().any()
    refuse(gravel.Error, "33 counters", lambda: node.barrier_sum(node.array(33, np.uint32)))
    refuse(TypeError, "int32", lambda: node.barrier_sum(node.array(1, np.int32)))


def test_reduce(node):
    n = node.size // len(node.local)
    assert node.reduce(3) == 3 * n and isinstance(node.reduce(3), np.integer)
    assert (node.reduce(np.float32([1, 2]), "max") == [1, 2]).all()
    assert node.reduce(node.rank, "max") == node.reduce([node.rank, 0], "max")[0]
    refuse(ValueError, "'mul'", lambda: node.reduce(1, "mul"))
    refuse(TypeError, "int16", lambda: node.reduce(np.int16(1)))


def test_program(node, program):
    program.names(1, 1)
    assert sorted(program) == ["add", "defined", "names", "types"] and program.add is program["add"] and "add" in dir(program)
    refuse(AttributeError, "'sub'.*add", lambda: program.sub)
    refuse(KeyError, "'sub'.*add", lambda: program["sub"])
    refuse(gravel.BuildError, "bad.cl:2", lambda: node.program(
        '#include "gravel.cl.h"\nkernel void bad(GRAVEL_ARENA) { undeclared; }\n', "bad.cl"))


def test_launches(node, program):
    array, values = node.array(N, np.uint32), cla.to_device(node.queue, np.arange(N, dtype=np.uint32))
    event = program.add(N, None, array, values, last(node))
    assert isinstance(event, cl.Event)
    with node.session():
        program.add((N,), (10,), array, values.data, np.uint64(last(node)), wait=[event])
        node.barrier()
    refuse(gravel.ArgumentError, "no session", lambda: node._call(lib.gravel_session_end))  # the statement has ended it
    assert (array.get(last(node)) == 2 * (node.size // len(node.local)) * np.arange(N)).all()


def test_numbers_of_kernels(node, program):
    out = cla.to_device(node.queue, np.zeros(12))
    pair, shared = cl.cltypes.make_uint2(7, 9), cl.LocalMemory(64)
    numbers = [-3, 200, -300, 60000, -5, 4000000000, -(1 << 40), 1 << 63, 1.5]
    program.types(1, 1, out, *numbers, pair, shared, None)
    node.quiet()
    assert (out.get() == numbers + [7, 9, 1]).all(), out.get()
    for i, bad in enumerate([128, 256, 32768, -1, 1 << 31, -1, 1 << 63, -1, 1e300]):
        refuse(OverflowError, "types.*does not fit",
               lambda: program.types(1, 1, out, *numbers[:i], bad, *numbers[i + 1:], pair, shared, None))
    refuse(TypeError, "shared", lambda: program.types(1, 1, out, *numbers, pair, 64, None))
    for few in np.uint32(7), np.zeros(3, np.uint32):
        refuse(TypeError, "types: uint2 v takes 8 bytes", lambda: program.types(1, 1, out, *numbers, few, shared, None))


def test_types_of_programs(node, program):
    """A typedef of a number takes numbers, a structure its bytes."""
    wide = np.dtype([("at", "u8"), ("letter", "i1")], align=True)
    given, out = np.array((7, 8), wide), cla.to_device(node.queue, np.zeros(12))
    program.defined(1, 1, out, 5, given, 2.5, out).wait()
    assert out.get()[:4].tolist() == [5, 7, 8, 2.5], out.get()
    for arguments, error, text in (
            ((out, 5.5, given, 2, out), TypeError, "defined: uint n takes an integer"),
            ((out, 1 << 32, given, 2, out), OverflowError, "defined: uint n"),
            ((out, 5, np.zeros((), [("at", "u8"), ("letter", "i1")]), 2, out), TypeError, "struct wide w takes 16 bytes"),
            ((out, 5, np.uint8(5), 2, out), TypeError, "struct wide w takes 16 bytes"),
            ((out, 5, given, 2, 7), TypeError, "real_t. p takes a buffer")):
        refuse(error, text, lambda: program.defined(1, 1, *arguments))


def test_bad_launches(node, program):
    array, values = node.array(N, np.uint32), cla.to_device(node.queue, np.arange(N, dtype=np.uint32))
    grid = cla.to_device(node.queue, np.zeros((4, N), np.uint32))
    of_c = r"add: uint\* values.*array of dtype uint32 in C's order.*"
    for arguments, error, text in (
            ((array, values), TypeError, r"add\(ulong array, uint\* values, uint node\).*not 2"),
            ((array, values, array), TypeError, "add: uint node.*Array"),
            ((array, values, 1.5), TypeError, "add: uint node.*float"),
            ((array, values, -1), OverflowError, "add: uint node.*-1"),
            ((array, np.zeros(N, np.uint32), 0), TypeError, r"add: uint\* values.*ndarray"),
            ((array, cla.to_device(node.queue, np.zeros(N)), 0), TypeError, of_c + "float64"),
            ((array, values.view(np.int32), 0), TypeError, of_c + "int32"),
            ((array, values.view(">u4"), 0), TypeError, of_c + ">u4"),
            ((array, grid[:, :1], 0), TypeError, of_c + r"strides \(%d, 4\)" % (4 * N)),
            ((array, cla.zeros(node.queue, (4, N), np.uint32, order="F"), 0), TypeError, of_c + r"strides \(4, 16\)")):
        refuse(error, text, lambda: program.add(N, None, *arguments))
    refuse(ValueError, "dimensions", lambda: program.add((N, 1), (10,), array, values, 0))
    for size, error in (-1, gravel.RangeError), ((1 << 64) + 256, gravel.RangeError), (256.0, TypeError):
        refuse(error, "work-items: %s" % size, lambda: program.add((size,), None, array, values, 0))


@pytest.mark.parametrize("settings, error, text", [
    ({"heap_byte": 1}, gravel.SettingError, "heap_byte.*heap_bytes"),
    ({"step": "sideways"}, gravel.SettingError, "sideways.*one of auto, svm, usm, pump, drain"),
    ({"device": "no such", "transport": "self"}, gravel.DeviceError, "no such"),
])
def test_bad_settings(settings, error, text):
    refuse(error, text, lambda: gravel.open(**settings))


def test_names():
    everything = {}
    exec("from gravel import *", everything)
    assert not (everything.keys() - {"__builtins__"}) & set(dir(builtins)), everything.keys()
    assert issubclass(gravel.TimeoutError, builtins.TimeoutError)


def test_own_objects():
    """A node on the caller's queue, with a handler by its address, which fails; one that is given up."""
    device = cl.get_platforms()[0].get_devices()[0]
    queue = cl.CommandQueue(cl.Context([device]))
    getpid = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p).value
    handlers = {"fails": gravel.Handler(n_args=0, function=getpid)}
    with pytest.raises(gravel.HandlerError, match="fails"), gravel.open(queue, handlers=handlers, **ALONE) as node:
        assert node.queue is queue and node.device == device and node.size == 1
        assert node.context.int_ptr == queue.context.int_ptr
        node.am("fails", node=0)
        node.barrier()
    with gravel.open(device=device, loopback_nodes=2, check=True, **ALONE) as node:
        assert node.local == [0, 1] and node.config["check"] == "1"
    node = gravel.open(**ALONE)
    node.abort("the shop is shut")
    refuse(gravel.AbortError, "the shop is shut", node.barrier, node.close)


def test_closed(place):
    node = gravel.open(**place, **SETTINGS)
    array, kernel = node.array(N, np.uint32), node.program(KERNELS).add
    array.set(np.arange(N))
    with array.map() as kept:
        kept = kept[10:]
    node.close()
    node.close()
    refuse(ValueError, "closed", node.barrier, array.get, array.free, lambda: node.stats,
           lambda: node.queue and node.array(1, np.uint8), lambda: kernel(N, None, array, None, 0),
           lambda: node.abort("late"))
    assert "closed" in repr(node) and (kept == np.arange(10, N)).all()
