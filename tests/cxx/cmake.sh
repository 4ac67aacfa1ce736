#!/bin/sh
# SPDX-License-Identifier: MIT
# The project of docs/guide/cxx.md finds the installed library by CMake, builds and runs; so does a project in C. A
# version that the library is not is refused.
#
# usage: cmake.sh SOURCE BUILD VERSION     BUILD is configured and built
# exit:  0; 1 with what went wrong; 77 if CMake, ninja, pkg-config, Meson or a C++ compiler is missing
#
# Path: docs/guide/cxx.md by page.py, tests/headers/installed.sh -> this.
set -u

source=$1 build=$2 version=$3
here=$(cd "$(dirname "$0")" && pwd)
tools="cmake ninja pkg-config meson ${CXX:-c++}"
. "$source/tests/headers/installed.sh"

folder=$(dirname "$(find "$work/a root" -name gravelConfig.cmake)")
[ -f "$folder/gravelConfigVersion.cmake" ] || fail "no gravelConfigVersion.cmake is installed with gravelConfig.cmake"
grep -qE "$source|$build" "$folder"/*.cmake && fail "paths of this machine in $folder"
export CMAKE_GENERATOR=Ninja
prefix=$(dirname "$(find "$work/a root" -type d -name include)")

# configure <folder> <arguments...>: what CMake prints is in $work/log.
configure() { (cd "$work/$1" && shift && cmake -S . -B build -DCMAKE_PREFIX_PATH="$prefix" "$@"); }

mkdir "$work/page" "$work/c"
python3 -B "$here/page.py" "$source/docs/guide/cxx.md" "$work/page" || exit 1
step "setting up the page's project, as C++14 except for Gravel" configure page -DCMAKE_CXX_STANDARD=14
step "building the page's project" cmake --build "$work/page/build"
if [ -f /etc/OpenCL/vendors/pocl.icd ]; then
    step "running the page's project" with_library env GRAVEL_TRANSPORT=self "$work/page/build/histogram"
    grep -q '^node 0 of 1, step [a-z]*: 1048576 keys$' "$work/log" || fail "the page's project:"
fi

eval "step 'the page without CMake' ${CXX:-c++} -std=c++17 -o '$work/plain' '$work/page/histogram.cpp' \
    $(config --cflags --libs)"

cp "$source/tests/headers/user.c" "$work/c"
cat >"$work/c/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(gravel \${ASKED} REQUIRED)
find_package(gravel)
if(NOT EXISTS "\${gravel_OPENCL_INCLUDE_DIR}/gravel.cl.h")
  message(FATAL_ERROR "gravel_OPENCL_INCLUDE_DIR is \${gravel_OPENCL_INCLUDE_DIR}")
endif()
add_executable(user user.c)
target_link_libraries(user gravel::gravel)
add_executable(graph user.c)
target_compile_definitions(graph PRIVATE WITH_GRAPH)
target_link_libraries(graph gravel::graph)
END
step "setting up a project in C" configure c -DASKED="$version"
step "building a project in C" cmake --build "$work/c/build"
for program in user graph; do
    step "running a project in C" env -u LD_LIBRARY_PATH "$work/c/build/$program" "$version"
done
major=${version%%.*} minor=${version#*.}
minor=${minor%%.*}
for asked in 0.1 $major.$((minor + 1)) $((major + 1)) $major.$minor.999; do
    rm -r "$work/c/build"
    configure c -DASKED="$asked" >"$work/log" 2>&1 && fail "version $asked is found, and $version is installed:"
    grep -q "version: $version" "$work/log" || fail "version $asked is refused, but not as $version:"
done
echo "found by CMake: version $version compiles, links and answers"
