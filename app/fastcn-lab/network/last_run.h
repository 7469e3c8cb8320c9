/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Memory of DPDK at the end of a program's last run. rte_free() fills what it frees with zeros, so
 * a switch would take twice the memory at its end that it used while it ran, and most of the time
 * of a short run would be spent there.
 */

#ifndef LAB_LAST_RUN_H
#define LAB_LAST_RUN_H

/** From now on, rte_free() does nothing when this program calls it: what the program allocated is
 * given back when its process ends. Not thread safe. */
void lab_last_run_ends(void);

#endif /* LAB_LAST_RUN_H */
