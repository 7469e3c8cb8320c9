/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Records of the report of a host: their octets, and what is none. */

#include <errno.h>

#include "fcn_host_report.h"
#include "test_case.h"

/* The octets of a queue pair, 198.51.100.1:0x010203 to 2001:db8::2:0x0A0B0C. */
#define QP                                                                                       \
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 198, 51, 100, 1, 0x20, 0x01, 0x0D, 0xB8, 0, 0, \
			0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 0, 0x0A, 0x0B, 0x0C

/* The same, as a struct. */
#define PAIR                                                                        \
	{                                                                           \
		.local = {[10] = 0xFF, 0xFF, 198, 51, 100, 1},                      \
		.remote = {0x20, 0x01, 0x0D, 0xB8, [15] = 2}, .local_qp = 0x010203, \
		.remote_qp = 0x0A0B0C                                               \
	}

static const struct {
	struct fcn_host_report_record record;
	uint8_t len, octets[FCN_HOST_REPORT_SIZE];
} vectors[] = {
		{{.type = FCN_HOST_REPORT_HELLO, .version = 1}, 12,
				{1, 0, 0, 12, 'F', 'Q', 'P', 'R', 1, 0, 0, 0}},
		{{.type = FCN_HOST_REPORT_BEGIN}, 4, {2, 0, 0, 4}},
		{{.type = FCN_HOST_REPORT_ADD, .qp = PAIR}, 44, {3, 0, 0, 44, QP}},
		{{.type = FCN_HOST_REPORT_REMOVE, .qp = PAIR}, 44, {4, 0, 0, 44, QP}},
		{{.type = FCN_HOST_REPORT_END}, 4, {5, 0, 0, 4}},
		{{.type = FCN_HOST_REPORT_SYNC, .number = 0x0102030405060708}, 12,
				{6, 0, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8}},
		{{.type = FCN_HOST_REPORT_CONFIRM, .number = 258, .in_force = 7}, 20,
				{7, 0, 0, 20, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 7}},
		{{.type = FCN_HOST_REPORT_REFUSED, .reason = 2, .qp = PAIR}, 48,
				{8, 0, 0, 48, 2, 0, 0, 0, QP}},
};

#define N_VECTORS (sizeof(vectors) / sizeof(vectors[0]))

TEST(octets)
{
	uint8_t out[FCN_HOST_REPORT_SIZE];
	struct fcn_host_report_record record;

	for (size_t i = 0; i < N_VECTORS; i++) {
		assert_int_equal(fcn_host_report_write(&vectors[i].record, out), vectors[i].len);
		assert_memory_equal(out, vectors[i].octets, vectors[i].len);
		assert_int_equal(fcn_host_report_read(vectors[i].octets, sizeof(out), &record),
				vectors[i].len);
		assert_memory_equal(&record, &vectors[i].record, sizeof(record));
	}
}

/* A part of a record is none yet, and no octet behind it is read. */
TEST(parts)
{
	struct fcn_host_report_record record;

	for (size_t i = 0; i < N_VECTORS; i++)
		for (size_t len = 0; len < vectors[i].len; len++) {
			uint8_t *part = malloc(len > 0 ? len : 1);

			assert_non_null(part);
			memcpy(part, vectors[i].octets, len);
			assert_int_equal(fcn_host_report_read(part, len, &record), 0);
			free(part);
		}
}

/* The octet that is wrong is found as soon as it is there. */
TEST(none)
{
	static const struct {
		uint8_t len, octets[FCN_HOST_REPORT_SIZE];
	} bad[] = {
			{1, {0}}, {1, {9}}, {1, {'G'}}, {2, {2, 1}}, {3, {2, 0, 1}},
			{4, {2, 0, 0, 5}}, {4, {3, 0, 0, 40}},
			{12, {1, 0, 0, 12, 'F', 'Q', 'P', 'S', 1}},
			{44, {3, 0, 0, 44, [36] = 1}}, /* queue pairs of 25 bits */
			{44, {4, 0, 0, 44, [40] = 1}}, {48, {8, 0, 0, 48, 1, 1}}, /* not 0 */
			{20, {7, 0, 0, 20, [11] = 1, [19] = 2}}, /* in force before it was read */
	};
	struct fcn_host_report_record record;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(
				fcn_host_report_read(bad[i].octets, bad[i].len, &record), -EBADMSG);
		assert_true(fcn_host_report_read(bad[i].octets, bad[i].len - 1, &record) <= 0);
	}
}

/* What a later version puts into its first record does not keep this one from saying which it is.
 */
TEST(later_version)
{
	static const uint8_t hello[] = {1, 0, 0, 12, 'F', 'Q', 'P', 'R', 2, 1, 2, 3};
	struct fcn_host_report_record record;

	assert_int_equal(fcn_host_report_read(hello, sizeof(hello), &record), 12);
	assert_int_equal(record.version, 2);
}

TEST(reasons)
{
	for (unsigned int i = FCN_HOST_REPORT_REASON_VERSION; i <= FCN_HOST_REPORT_REASON_INVALID;
			i++)
		assert_string_not_equal(fcn_host_report_reason_text((uint8_t)i),
				fcn_host_report_reason_text(0));
}
