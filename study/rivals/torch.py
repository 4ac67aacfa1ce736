# SPDX-License-Identifier: MIT
"""PyTorch's PageRank on GPUs of NVIDIA, as one writes it: cuSPARSE multiplies, and NCCL gathers the ranks of several GPUs.

Each GPU has a process, and the rows of an equal part of the vertices. --by-degree numbers vertices in order of degree first,
and deals them to the GPUs in turn. Equal edges are one entry. Timed are the iterations, on all GPUs, by the process of the
first one. PyTorch is used where it is: study/rival --install leaves it out.
"""
import os
import time

from study.rivals import problems

NAME, PACKAGE = "torch", None


def version():
    import torch
    if not torch.cuda.is_available():
        raise ImportError("no GPU for PyTorch")
    return torch.__version__


def threads(_problem):
    return "GPU"


def pagerank(given, options):
    """All processes end before the first time is asked for."""
    import numpy
    import torch
    if given.n_vertices % options.gpus:
        raise problems.Refused("%d vertices have no equal parts for %d GPUs" % (given.n_vertices, options.gpus))
    torch.multiprocessing.spawn(work, (given.folder, given.n_vertices, options), options.gpus)
    seconds = iter(numpy.fromfile(os.path.join(given.folder, "seconds")).tolist())
    return lambda: next(seconds), lambda _: numpy.fromfile(os.path.join(given.folder, "ranks"), "f4"), float


def work(gpu, folder, n, options):
    """Is the process of a GPU. That of the first one writes the seconds of each run, and the ranks."""
    import numpy
    import torch
    import torch.distributed as group
    torch.cuda.set_device(gpu)
    group.init_process_group("nccl", init_method="file://%s/meeting" % folder, rank=gpu, world_size=options.gpus)
    with torch.device("cuda"):  # left before the iterations, which it would slow down
        number, degrees, matrix = rows_of(gpu, folder, n, options)
        parts, is_idle = torch.where(degrees > 0, 0.85 / degrees, 0), (degrees == 0).float()
        ranks, seconds = torch.empty(n), []
    for _ in range(1 + options.trials):
        ranks.fill_(1 / n)
        group.barrier(device_ids=[gpu])
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(options.iterations):
            own = matrix @ (ranks * parts) + (0.15 + 0.85 * (ranks * is_idle).sum()) / n
            if options.gpus > 1:
                group.all_gather_into_tensor(ranks, own)
            else:
                ranks = own
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    if gpu == 0:
        numpy.array(seconds).tofile(os.path.join(folder, "seconds"))
        ranks[number].cpu().numpy().tofile(os.path.join(folder, "ranks"))
    group.destroy_process_group()


def rows_of(gpu, folder, n, options):
    """The number of each vertex, degrees by number, and of this GPU's vertices a row each: a column for each edge that ends there."""
    import numpy
    import torch
    offsets, ends = (torch.from_numpy(numpy.fromfile(os.path.join(folder, name), kind)).cuda().long()
                     for name, kind in (("offsets", "i8"), ("neighbours", "i4")))
    degrees, number, n_own = offsets.diff(), torch.arange(n), n // options.gpus
    if options.by_degree:
        number[degrees.argsort(descending=True)] = number % options.gpus * n_own + number // options.gpus
    starts, ends = number.repeat_interleave(degrees), number[ends] - gpu * n_own
    is_own = (ends >= 0) & (ends < n_own)
    cells, counts = (ends[is_own] * n + starts[is_own]).unique(return_counts=True)
    first = torch.zeros(n_own + 1, dtype=torch.int32)
    first[1:] = (cells // n).bincount(minlength=n_own).cumsum(0)
    matrix = torch.sparse_csr_tensor(first, (cells % n).int(), counts.float(), (n_own, n))
    by_number = torch.empty_like(degrees)
    by_number[number] = degrees
    return number, by_number, matrix
