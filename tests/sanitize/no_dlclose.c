/* SPDX-License-Identifier: MIT */
/*
 * Keeps every library loaded until the process ends, so that a leak of a driver or of an MPI module is reported
 * with the module's name, by which leaks.supp knows it.
 *
 * Path:    the setups of tests/sanitize/meson.build preload it.
 */
int dlclose(void *handle);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
