/* SPDX-License-Identifier: MIT */
/*
 * Records and lines by OpenCL alone: a buffer, a counter if some work-items have no record, and printf.
 *
 * Path:    bench_records.c -> this -> bench_records.c checks what has come.
 */
struct record {
    uint item, values[7];
};

static struct record record_of(uint item)
{
    struct record record;
    record.item = item;
    for (uint i = 0; i < 7; i++)
        record.values[i] = item + 1 + i;
    return record;
}

kernel void store(global struct record *to)
{
    to[get_global_id(0)] = record_of((uint)get_global_id(0));
}
kernel void store_if(global struct record *to, global uint *n)
{
    const struct record record = record_of((uint)get_global_id(0));
    if ((record.item * 2654435761u) >> 28 == 0)
        to[atomic_inc(n)] = record;
}
kernel void print(uint first)
{
    const uint i = first + (uint)get_global_id(0);
    printf("%u of %u\n", i, 3 * i);
}
