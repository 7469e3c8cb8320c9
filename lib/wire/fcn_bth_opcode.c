/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>

#include <bsd/string.h>

#include "fcn_bth.h"
#include "fcn_bth_opcode.h"

static const char *const operations[] = {
#define OPERATION(value, name) [value] = name,
		FCN_BTH_OPERATIONS(OPERATION)
#undef OPERATION
};

static const struct {
	uint8_t value;
	const char *name;
	uint32_t operations;
} transports[] = {
#define TRANSPORT(value, name, operations) {value, name, operations},
		FCN_BTH_TRANSPORTS(TRANSPORT)
#undef TRANSPORT
};

const char *
fcn_bth_opcode_name(uint8_t opcode, char *buf, size_t size)
{
	const unsigned int op = opcode & FCN_BTH_OP_MASK;

	if (opcode == FCN_BTH_OPCODE_CNP) {
		strlcpy(buf, "CNP", size);
		return buf;
	}
	for (size_t i = 0; i < RTE_DIM(transports); i++) {
		if ((opcode & FCN_BTH_TRANSPORT_MASK) == transports[i].value &&
				transports[i].operations >> op & 1) {
			snprintf(buf, size, "%s %s", transports[i].name, operations[op]);
			return buf;
		}
	}
	snprintf(buf, size, "opcode 0x%02x", opcode);
	return buf;
}
