/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Records of messages, a line for each one that is complete, in the order of completion:
 * messages.csv, and fct.txt as the ns-3 simulations published with HPCC write it.
 */

#ifndef LAB_RECORD_H
#define LAB_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "scenario.h"

struct lab_records;

/** A complete message. */
struct lab_message_record {
	unsigned int flow;
	const char *label; /**< of the flow */
	uint32_t qp;       /**< of the sender */
	uint64_t bytes, start_ns, end_ns;
	uint64_t ideal_ns; /**< 0: not known */
};

/**
 * Open the files that the scenario asks for.
 *
 * @return NULL with a line in err
 */
struct lab_records *lab_records_create(
		const struct lab_scenario *sc, const char *dir, char *err, size_t err_size);
void lab_records_put(struct lab_records *r, const struct lab_message_record *message);
/** @return 0, or a negative errno after a message on stderr when a file could not be written */
int lab_records_close(struct lab_records *r);

#endif /* LAB_RECORD_H */
