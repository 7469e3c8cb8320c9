/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What `fastcn-host show` and `fastcn-host watch` print. */

#ifndef HOST_SHOW_H
#define HOST_SHOW_H

#include <stdbool.h>
#include <stdio.h>

#include "host_qp.h"

#define SHOW_ADDRESS_SIZE 46 /**< INET6_ADDRSTRLEN */

/** Write an address as text; IPv4 as a.b.c.d. */
void show_address(const uint8_t address[16], char out[SHOW_ADDRESS_SIZE]);

/** Print the map, and what is not resolved. @return 0; -1: out of memory */
int show_map(const struct host_qp_source *s, bool is_json, FILE *out);

/** Print one change. @param what "added" or "removed" */
void show_change(const char *what, const struct host_qp *qp, bool is_json, FILE *out);

#endif /* HOST_SHOW_H */
