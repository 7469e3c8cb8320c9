/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * DPDK's environment for programs in virtual time: memory pools and no devices.
 */

#ifndef FCN_VIRTUAL_EAL_H
#define FCN_VIRTUAL_EAL_H

/**
 * Begin with one lcore on a CPU that the process may use, ordinary memory, and nothing that other
 * processes could see. To be ended with rte_eal_cleanup().
 *
 * @param program   in front of what is said on standard error when it fails
 * @param memory_mb MiB of memory, taken when it is used first
 * @return 0 or -1
 */
int fcn_virtual_eal_init(const char *program, unsigned int memory_mb);

#endif /* FCN_VIRTUAL_EAL_H */
