/* SPDX-License-Identifier: MIT */
/*
 * What a user of the installed library compiles first: headers, library and version fit each other.
 *
 * Path:    install.sh, cmake.sh, packages.sh, which say what version they expect; WITH_GRAPH: of the library of graphs too.
 * Exit:    0; 1 with what differs.
 */
#include <gravel/gravel.h>
#ifdef WITH_GRAPH
#include <gravel/graph.h>
#endif

#include <stdio.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

int main(int argc, char **argv)
{
    const char *version =
        TEXT(GRAVEL_API_MAJOR) "." TEXT(GRAVEL_API_MINOR) "." TEXT(GRAVEL_API_PATCH);
    struct gravel_config config;
    if (argc != 2 || strcmp(argv[1], version) != 0) {
        fprintf(stderr, "header is of version %s\n", version);
        return 1;
    }
    if (gravel_config_load(&config, sizeof config) ||
        gravel_open(NULL, &config, NULL) != GRAVEL_EINVAL || !*gravel_last_error() ||
        !*gravel_strerror(GRAVEL_EINVAL)) {
        fprintf(stderr, "the library does not answer as its header says\n");
        return 1;
    }
#ifdef WITH_GRAPH
    if (gravel_graph_create(NULL, NULL, NULL) != GRAVEL_EINVAL) {
        fprintf(stderr, "the library of graphs does not answer as its header says\n");
        return 1;
    }
#endif
    return gravel_close(NULL);
}
