/* SPDX-License-Identifier: MIT */
/*
 * Where a launch is cut into slices, get_global_size, get_num_groups, get_group_id, get_global_offset and
 * get_global_linear_id would mean the slice. A program that uses them does not build: pass the values as arguments.
 *
 * The library puts this text in front of a program, so that it holds for what is ahead of the include too; the
 * headers have names of their own for what they ask.
 *
 * Path:    opencl/program.c -> this -> workgroup.cl.h.
 */
#ifndef GRAVELP_SLICED_CL_H
#define GRAVELP_SLICED_CL_H

#if defined(__OPENCL_C_VERSION__)
static inline __attribute__((always_inline)) size_t gravelp_get_group_id(uint dimension)
{
    return get_group_id(dimension);
}
static inline __attribute__((always_inline)) size_t gravelp_get_num_groups(uint dimension)
{
    return get_num_groups(dimension);
}
#else
#define gravelp_get_group_id(dimension) get_group_id(dimension)
#define gravelp_get_num_groups(dimension) get_num_groups(dimension)
#endif

#if defined(GRAVEL_SLICED) && !defined(GRAVELP_INTERNAL)
#define get_global_size(d) \
    gravel_error_launches_are_sliced_here_so_pass_the_global_size_as_an_argument
#define get_num_groups(d) \
    gravel_error_launches_are_sliced_here_so_pass_the_number_of_groups_as_an_argument
#define get_group_id(d) gravel_error_launches_are_sliced_here_so_use_get_global_id
#define get_global_offset(d) gravel_error_launches_are_sliced_here_and_begin_at_offset_0
#define get_global_linear_id() gravel_error_launches_are_sliced_here_so_use_get_global_id
#endif

#endif
