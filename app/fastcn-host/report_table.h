/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The queue pairs of a host, and which of them the switch has not been told of. It takes 56 octets
 * for each.
 */

#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>

#include "fcn_host_report.h"

struct report_table;

/** @param most maximum number of queue pairs @param secret for the hash @return NULL: no memory */
struct report_table *report_table_create(uint32_t most, uint64_t secret);
void report_table_free(struct report_table *t);

/**
 * Add a queue pair, or change its local number.
 *
 * @return 0; -ENOSPC: there are too many; -ENOMEM
 */
int report_table_add(struct report_table *t, const struct fcn_host_report_qp *qp);

/** Remove a queue pair, unless its local number is another one. */
void report_table_remove(struct report_table *t, const struct fcn_host_report_qp *qp);

/** A session begins: the switch has to be told of all there are. */
void report_table_begin(struct report_table *t);

/** Take what the switch has to be told next: ADD, REMOVE, or END once all that were there when the
 * session began have been. @return false: there is nothing */
bool report_table_next(struct report_table *t, struct fcn_host_report_record *record);

/** Tell whether report_table_next() has something. */
bool report_table_has_more(const struct report_table *t);

uint32_t report_table_count(const struct report_table *t);

#endif /* REPORT_TABLE_H */
