/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a host has still to tell its switch, and when it says something. */

#include <errno.h>

#include "report_stream.h"
#include "test_case.h"

static struct report_table *table;

static int
setup(void **state)
{
	(void)state;
	table = report_table_create(1000, 7);
	assert_non_null(table);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	report_table_free(table);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

static struct fcn_host_report_qp
pair(unsigned int local_qp, unsigned int remote_qp)
{
	return (struct fcn_host_report_qp){.local = {[15] = 1},
			.remote = {[15] = 2},
			.local_qp = local_qp,
			.remote_qp = remote_qp};
}

static int
add(unsigned int local_qp, unsigned int remote_qp)
{
	const struct fcn_host_report_qp qp = pair(local_qp, remote_qp);

	return report_table_add(table, &qp);
}

static void
take_back(unsigned int local_qp, unsigned int remote_qp)
{
	const struct fcn_host_report_qp qp = pair(local_qp, remote_qp);

	report_table_remove(table, &qp);
}

/* The next record has to be this one. */
static void
expect(enum fcn_host_report_type type, unsigned int local_qp, unsigned int remote_qp)
{
	struct fcn_host_report_record record;

	assert_true(report_table_has_more(table));
	assert_true(report_table_next(table, &record));
	assert_int_equal(record.type, type);
	assert_int_equal(record.qp.local_qp, local_qp);
	assert_int_equal(record.qp.remote_qp, remote_qp);
}

static void
expect_nothing(void)
{
	struct fcn_host_report_record record;

	assert_false(report_table_next(table, &record));
	assert_false(report_table_has_more(table));
}

TEST(changes)
{
	report_table_begin(table);
	expect(FCN_HOST_REPORT_END, 0, 0);
	expect_nothing();
	add(5, 50);
	add(6, 60);
	expect(FCN_HOST_REPORT_ADD, 5, 50);
	take_back(6, 60); /* it was not said */
	expect_nothing();
	add(7, 50); /* the number is in use by another one */
	take_back(5, 50);
	expect(FCN_HOST_REPORT_ADD, 7, 50);
	expect_nothing();
	add(8, 50);
	take_back(8, 50); /* the switch knows 7 */
	expect(FCN_HOST_REPORT_REMOVE, 7, 50);
	expect_nothing();
	assert_int_equal(report_table_count(table), 0);
}

/* END comes behind all that was there, also if more comes all the time. */
TEST(full)
{
	struct fcn_host_report_record record;
	unsigned int n = 0;

	for (unsigned int i = 0; i < 100; i++)
		add(2 + i, 2 + i);
	report_table_begin(table);
	take_back(50, 50);
	do {
		assert_true(report_table_next(table, &record));
		add(500 + n, 500 + n);
		n++;
	} while (record.type != FCN_HOST_REPORT_END);
	assert_int_equal(n, 100); /* 99 and the end */
	/* A session that breaks off says all of it again. */
	report_table_begin(table);
	n = 0;
	while (report_table_next(table, &record) && record.type == FCN_HOST_REPORT_ADD)
		n++;
	assert_int_equal(record.type, FCN_HOST_REPORT_END);
	assert_int_equal(n, 199);
	expect_nothing();
}

TEST(room)
{
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(add(2 + i, 2 + i), 0);
	assert_int_equal(add(5000, 5000), -ENOSPC);
	assert_int_equal(add(5000, 2), 0); /* one that is there */
	take_back(3, 3);
	assert_int_equal(add(5000, 5000), 0);
	assert_int_equal(report_table_count(table), 1000);
}

/* Against a plain array: what a switch that is told has is what there is. */
TEST(model)
{
	unsigned int truth[64] = {0}, told[64] = {0}, seed = 1;
	struct fcn_host_report_record record;
	bool is_full = false, mentioned[64] = {false};
	unsigned int ends = 0;

	for (unsigned int step = 0; step < 100000; step++) {
		const unsigned int i = (seed = seed * 1103515245 + 12345) >> 16 & 63;
		const unsigned int what = seed >> 22 & 15, fresh = 2 + (seed >> 8 & 7);

		if (what < 4) {
			assert_int_equal(add(fresh, i), 0);
			truth[i] = fresh;
		} else if (what < 8) {
			take_back(fresh, i);
			if (truth[i] == fresh)
				truth[i] = 0;
		} else if (what < 15) {
			if (!report_table_next(table, &record)) {
				assert_true(!is_full || memcmp(truth, told, sizeof(told)) == 0);
				continue;
			}
			if (record.type == FCN_HOST_REPORT_END) {
				for (unsigned int k = 0; k < 64; k++)
					told[k] = mentioned[k] ? told[k] : 0;
				is_full = true;
				ends++;
				continue;
			}
			mentioned[record.qp.remote_qp] = true;
			if (record.type == FCN_HOST_REPORT_ADD)
				told[record.qp.remote_qp] = record.qp.local_qp;
			else if (told[record.qp.remote_qp] == record.qp.local_qp)
				told[record.qp.remote_qp] = 0;
		} else if (step % 50 == 0) {
			report_table_begin(table);
			memset(mentioned, 0, sizeof(mentioned));
			is_full = false;
		}
	}
	assert_true(ends > 50);
}

/* ---- when something is said ---- */

TEST(signs_of_life)
{
	static struct report_stream s;

	s = (struct report_stream){.table = table};
	add(5, 50);
	report_stream_begin(&s, 1000);
	assert_true(report_stream_due(&s) <= 1000);
	report_stream_write(&s, 1000);
	assert_int_equal(s.out_len, 12 + 4 + 44 + 4 + 12); /* up to SYNC */
	report_stream_sent(&s, s.out_len);
	assert_false(report_stream_is_in_force(&s));
	assert_int_equal(report_stream_due(&s), 1000 + STREAM_SYNC_MS);
	add(6, 60);
	assert_int_equal(report_stream_due(&s), 0);
	report_stream_write(&s, 1050);
	assert_int_equal(s.out_len, 44);
	assert_int_equal(report_stream_due(&s), 1000 + STREAM_SYNC_LEAST_MS);
	report_stream_write(&s, 1100);
	assert_int_equal(s.out_len, 44 + 12);
	report_stream_sent(&s, s.out_len);
	assert_false(report_stream_is_silent(&s, 1000 + STREAM_SILENCE_MS - 1));
	assert_true(report_stream_is_silent(&s, 1000 + STREAM_SILENCE_MS));
}

static int
answer(struct report_stream *s, struct fcn_host_report_record record, uint64_t now_ms)
{
	const size_t len = fcn_host_report_write(&record, s->in + s->in_len);

	return report_stream_input(s, len, now_ms);
}

TEST(answers)
{
	static struct report_stream s;

	s = (struct report_stream){.table = table};
	add(5, 50);
	report_stream_begin(&s, 1000);
	report_stream_write(&s, 1000);
	assert_int_equal(answer(&s,
					 (struct fcn_host_report_record){
							 .type = FCN_HOST_REPORT_CONFIRM,
							 .number = 1},
					 1001),
			0);
	assert_false(report_stream_is_in_force(&s));
	assert_int_equal(answer(&s,
					 (struct fcn_host_report_record){
							 .type = FCN_HOST_REPORT_CONFIRM,
							 .number = 1,
							 .in_force = 1},
					 1002),
			0);
	assert_true(report_stream_is_in_force(&s));
	add(6, 60);
	assert_false(report_stream_is_in_force(&s));
	/* No room at the switch: all is said again later. */
	report_stream_write(&s, 1500);
	assert_int_equal(answer(&s,
					 (struct fcn_host_report_record){
							 .type = FCN_HOST_REPORT_REFUSED,
							 .reason = FCN_HOST_REPORT_REASON_ENTRIES},
					 2000),
			0);
	assert_int_equal(s.refused, 1);
	s.out_len = 0;
	s.heard_ms = 2000 + STREAM_AGAIN_MS;
	report_stream_write(&s, 2000 + STREAM_AGAIN_MS);
	assert_int_equal(s.out_len, 4 + 2 * 44 + 4 + 12);
	assert_int_equal(s.out[0], FCN_HOST_REPORT_BEGIN);
	/* What a switch does not say. */
	assert_int_equal(answer(&s,
					 (struct fcn_host_report_record){
							 .type = FCN_HOST_REPORT_CONFIRM,
							 .number = 99},
					 2000),
			-EBADMSG);
	s.in_len = 0;
	assert_int_equal(answer(&s, (struct fcn_host_report_record){.type = FCN_HOST_REPORT_BEGIN},
					 2000),
			-EBADMSG);
}
