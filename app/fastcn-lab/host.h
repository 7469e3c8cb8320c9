/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * `fastcn-lab host`: a live RoCEv2 endpoint.
 */

#ifndef LAB_HOST_H
#define LAB_HOST_H

/** argv[0] is "host". @return exit status: 0; 1 not all messages complete; 2 could not begin */
int lab_host_main(int argc, char **argv);

#endif /* LAB_HOST_H */
