#!/bin/sh
# SPDX-License-Identifier: MIT
# Every public header compiles alone, in every language it is meant for, without a warning.
#
# usage: alone.sh SOURCE gravel.cl.h accumulator.cl.h subgroup.cl.h      top of the sources, and the joined device headers
# exit:  0; 1 with the compiler's words; 77 if no C compiler is there
#        A C++ or OpenCL compiler that is missing is said, and its part left out.
#
# Path: include/gravel, cl/ -> alone.sh.
set -u

source=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
n_failed=0 n_good=0

has()
{
    command -v "${1%% *}" >/dev/null
}

# check <what> <compiler and arguments...>
check()
{
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        n_good=$((n_good + 1))
        return
    fi
    n_failed=$((n_failed + 1))
    echo "$what:"
    cat "$work/log"
}

c=${CC:-cc} cxx=${CXX:-c++} opencl=${CLANG:-clang}
has "$c" || { echo "skipped: no C compiler"; exit 77; }
has "$cxx" || echo "left out: C++ ($cxx is missing)"
has "$opencl" || echo "left out: OpenCL C ($opencl is missing)"

# The OpenCL headers are a system's own: their warnings are not ours.
strict="-Wall -Wextra -pedantic -Werror -fsyntax-only -DCL_TARGET_OPENCL_VERSION=300"
for header in "$source"/include/gravel/*.h "$source"/cl/layout/*.h; do
    name=${header#"$source/"}
    name=${name#include/}
    name=${name#cl/}
    printf '#include "%s"\n#include "%s"\nextern int alone;\n' "$name" "$name" >"$work/alone.c"
    cp "$work/alone.c" "$work/alone.cc"
    check "$name as C11" $c -std=c11 $strict -I"$source/include" -I"$source/cl" "$work/alone.c"
    has "$cxx" &&
        check "$name as C++11" $cxx -std=c++11 $strict -I"$source/include" -I"$source/cl" "$work/alone.cc"
done

# check_opencl <what> <file> <arguments...>
check_opencl()
{
    what=$1 file=$2
    shift 2
    check "$what" $opencl -x cl -Xclang -finclude-default-header -fsyntax-only -Wall -Wextra \
        -Werror -Wno-unused-function "$@" "$file"
}

# One kernel that calls each form, so that the header's functions are compiled with their real arguments.
cat >"$work/kernel.cl" <<'EOF'
#include "gravel.cl.h"
#include "accumulator.cl.h"
#include "subgroup.cl.h"

kernel void use(GRAVEL_ARENA, ulong base, global const uint *keys)
{
    GRAVEL_OPEN(g);
    uint key = keys[get_global_id(0)];
    gravel_inc_uint_wg(g, base, key, key % gravel_n_nodes(g));
    gravel_add_ulong_wg_if(g, key & 1, base, key, 2, gravel_node(g));
    GRAVEL_FOR_WG(g, i, active, key) {
        gravel_put_float_wg_if(g, active, base, i, 1.0f, 0);
    }
    if (key & 2)
        gravel_am4_wi(g, 0, 1, 2, 3, 4, 0);
}

kernel void share(GRAVEL_ARENA, ulong base, global const uint *keys)
{
    GRAVEL_OPEN(g);
    GRAVEL_SHARES(shares);
    GRAVEL_FOR_SHARED_WG(g, shares, turn, keys[get_global_id(0)]) {
        gravel_inc_int_wg_if(g, turn.active, base, turn.i, turn.lane);
    }
}

#ifdef GRAVEL_HAS_SUBGROUPS
kernel void subgroups(GRAVEL_ARENA, ulong base, global uint *keys)
{
    GRAVEL_OPEN(g);
    GRAVEL_FBAR(f);
    uint key = keys[get_global_id(0)];
    GRAVEL_FOR_SG(g, i, active, key) {
        gravel_add_ulong_sg_if(g, active, base, i, 2, 0);
        gravel_am4_sg_if(g, active, 0, 1, 2, 3, 4, 0);
    }
    GRAVEL_FOR_FBAR(g, f, i, active, key) {
        gravel_put_float_fbar_if(g, f, active, base, i, 1.0f, 0);
    }
    keys[get_global_id(0)] = gravel_fbar_rounds_wg(f, 16, 1000);
}
#endif

kernel void accumulate(GRAVEL_ARENA, GRAVEL_ACCUMULATOR(a), global const uint *keys)
{
    GRAVEL_OPEN(g);
    uint key = keys[get_global_id(0)];
    if (key & 1)
        gravel_accumulate_uint_wi(g, a, key, 1, key % gravel_n_nodes(g));
    gravel_accumulate_float_wi(g, a, key, 1, 0);
#ifdef GRAVELP_HAS_LONG_UPDATES
    gravel_accumulate_long_wi(g, a, key, -1, 0);
#endif
}

void handler(struct gravel_call call, ulong offset)
{
    atomic_inc((volatile global uint *)gravel_call_local(call, offset + call.source));
}
kernel void calls(GRAVELP_CALL_RUN)
{
    GRAVELP_CALL_EACH(number)
        handler(GRAVELP_CALL, GRAVELP_CALL_ARGUMENT(0, number));
}
kernel void served_calls(GRAVELP_CALL_RUN)
{
    GRAVELP_CALL_SERVED(number)
        handler(GRAVELP_CALL, GRAVELP_CALL_ARGUMENT(0, number));
}
EOF

if has "$opencl"; then
    cp "$2" "$3" "$4" "$work" || exit 1
    c11="-DGRAVELP_ATOMICS_C11 -DGRAVEL_HAS_DOUBLE -DGRAVELP_HOST_SCOPE"
    collectives="-DGRAVELP_COLLECTIVES -D__opencl_c_work_group_collective_functions=1"
    for version in CL1.2 CL2.0 CL3.0; do
        target="-target spir64-unknown-unknown -cl-std=$version"
        for header in "$source"/cl/layout/*.h; do
            check_opencl "${header#"$source/cl/"} as $version" "$header" $target -I"$source/include" -I"$source/cl"
        done
        check_opencl "gravel.cl.h as $version, OpenCL 1.2 atomics" "$work/kernel.cl" $target
        [ $version = CL1.2 ] && continue
        check_opencl "gravel.cl.h as $version" "$work/kernel.cl" $target \
            $c11=memory_scope_all_svm_devices
        check_opencl "gravel.cl.h as $version, serial" "$work/kernel.cl" -cl-std=$version \
            $c11=memory_scope_device -DGRAVELP_SERIAL_GROUP -DGRAVELP_YIELD_SYSCALL
        check_opencl "gravel.cl.h as $version, collectives" "$work/kernel.cl" $target \
            $c11=memory_scope_all_svm_devices $collectives
        check_opencl "gravel.cl.h as $version, sub-groups" "$work/kernel.cl" $target \
            $c11=memory_scope_all_svm_devices -DGRAVELP_SUBGROUP_BUILTINS -D__opencl_c_subgroups=1
        check_opencl "gravel.cl.h as $version, warps" "$work/kernel.cl" -target nvptx64 \
            -cl-std=$version $c11=memory_scope_device -DGRAVELP_WARP_ITEMS=32
    done
fi

echo "$n_good compilations without a word, $n_failed with"
[ $n_failed -eq 0 ]
