/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * DPDK's environment for programs in virtual time, which need memory pools and no devices.
 */

#ifndef FCN_VIRTUAL_EAL_H
#define FCN_VIRTUAL_EAL_H

/**
 * Initialize the EAL with one lcore, memory without huge pages, and nothing that is shared with
 * other processes. The thread may use the CPUs that it might use before, so that programs that run
 * side by side share them. To be ended with rte_eal_cleanup().
 *
 * @param program   name of the program, for the message on standard error when it fails
 * @param memory_mb MiB of memory; pages are allocated when they are first used
 * @return 0 or -1
 */
int fcn_virtual_eal_init(const char *program, unsigned int memory_mb);

#endif /* FCN_VIRTUAL_EAL_H */
