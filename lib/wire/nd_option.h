/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Code points and lengths of Neighbour Discovery (RFC 4861 section 4), used both to read and to
 * build messages. Internal to lib/wire.
 */

#ifndef ND_OPTION_H
#define ND_OPTION_H

/* Fixed parts of the messages, bytes. */
#define ND_RS_LEN 8
#define ND_RA_LEN 16
#define ND_NEIGHBOUR_LEN 24

/* Option types. */
#define ND_OPT_SOURCE_LLADDR 1
#define ND_OPT_TARGET_LLADDR 2
#define ND_OPT_PREFIX 3
#define ND_OPT_MTU 5

/* Lengths of options, bytes. */
#define ND_LLADDR_LEN 8
#define ND_PREFIX_LEN 32
#define ND_MTU_LEN 8

#endif /* ND_OPTION_H */
