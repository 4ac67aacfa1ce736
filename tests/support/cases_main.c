/* SPDX-License-Identifier: MIT */
/*
 * The main of a program whose tests run once. See cases.h.
 */
#include "cases.h"

__attribute__((weak)) const struct fixture fixture = {0};

int main(int n_arguments, char **arguments)
{
    return run_cases(arguments[0], &fixture, n_arguments, arguments);
}
