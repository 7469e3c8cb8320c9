/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Names of opcodes. Values and names are those of the InfiniBand Architecture Specification, table
 * 38, as tshark shows them (infiniband.bth.opcode), too. */

#include <string.h>

#include "fcn_bth_opcode.h"
#include "fcn_test.h"

TEST(names)
{
	static const struct {
		uint8_t opcode;
		const char *name;
	} cases[] = {
			{0x00, "RC SEND First"},
			{0x01, "RC SEND Middle"},
			{0x04, "RC SEND Only"},
			{0x0a, "RC RDMA WRITE Only"},
			{0x0c, "RC RDMA READ Request"},
			{0x10, "RC RDMA READ Response Only"},
			{0x11, "RC Acknowledge"},
			{0x12, "RC ATOMIC Acknowledge"},
			{0x13, "RC CmpSwap"},
			{0x14, "RC FetchAdd"},
			{0x15, "opcode 0x15"},
			{0x16, "RC SEND Last with Invalidate"},
			{0x17, "RC SEND Only with Invalidate"},
			{0x18, "opcode 0x18"},
			{0x2b, "UC RDMA WRITE Only with Immediate"},
			{0x2c, "opcode 0x2c"},
			{0x55, "RD RESYNC"},
			{0x56, "opcode 0x56"},
			{0x63, "opcode 0x63"},
			{0x64, "UD SEND Only"},
			{0x65, "UD SEND Only with Immediate"},
			{0x66, "opcode 0x66"},
			{0x80, "opcode 0x80"},
			{0x81, "CNP"},
			{0x82, "opcode 0x82"},
			{0xa0, "XRC SEND First"},
			{0xb7, "XRC SEND Only with Invalidate"},
			{0xff, "opcode 0xff"},
	};
	char name[FCN_BTH_OPCODE_NAME_LEN];

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		if (strcmp(fcn_bth_opcode_name(cases[i].opcode, name, sizeof(name)),
				    cases[i].name) != 0)
			fail_msg("0x%02x: %s", cases[i].opcode, name);
	}
}

/* Every name fits into the length that the header gives. */
TEST(lengths)
{
	char name[2 * FCN_BTH_OPCODE_NAME_LEN];

	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		fcn_bth_opcode_name(opcode, name, sizeof(name));
		assert_true(strlen(name) < FCN_BTH_OPCODE_NAME_LEN);
		assert_null(strstr(name, "null"));
	}
}
