/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A packet socket that listens on an interface of the kernel to frames of IS-IS and OSPF, those
 * that come in and those that go out. Others are filtered out by the kernel. Nothing is sent.
 */

#ifndef PNC_INTERFACE_H
#define PNC_INTERFACE_H

#define INTERFACE_FRAME 16384 /**< bytes of the longest frame that is read */

/** Find the number of an interface. @return 0, or a negative errno */
int interface_index(const char *name, unsigned int *index);

/** Listen. @return a descriptor, or a negative errno */
int interface_open(unsigned int index);

#endif /* PNC_INTERFACE_H */
