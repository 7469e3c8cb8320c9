/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Network namespaces of ip-netns(8): the calling thread enters one, and comes back. Other threads
 * stay where they are.
 */

#ifndef NETNS_H
#define NETNS_H

#include <stdint.h>

/** Identifies a namespace for as long as it exists. The kernel may give the same numbers to another
 * one afterwards. */
struct fcn_netns_id {
	uint64_t device, inode;
};

/** What fcn_netns_enter() returns. */
enum {
	FCN_NETNS_STAYED = -1, /**< no namespace was asked for */
	FCN_NETNS_FAILED = -2,
};

/**
 * Enter a network namespace.
 *
 * @param name "": stay where the thread is
 * @return a descriptor to come back by; FCN_NETNS_STAYED; FCN_NETNS_FAILED, with errno
 */
int fcn_netns_enter(const char *name);

/**
 * Come back. errno stays. Aborts the program if the kernel refuses: nothing that follows would
 * happen where it belongs.
 *
 * @param home what fcn_netns_enter() returned, whatever it was
 */
void fcn_netns_leave(int home);

/**
 * Tell which network namespace has a name now.
 *
 * @param name not ""
 * @return 0; -1: none has it, with errno
 */
int fcn_netns_id(const char *name, struct fcn_netns_id *id);

#endif /* NETNS_H */
