/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The session of a host, octet by octet: order, limits, silence, confirmations, refusals. */

#include <stddef.h>

#include "report_stream.h"
#include "session.h"
#include "stub_switch.h"

#define SILENCE (5 * SECOND)

static struct stub_switch sw;
static struct session session;
static struct session_counters counters;
static unsigned int logged;

static void
note_log(void *arg, const uint64_t *counter, const char *text, const char *detail)
{
	(void)arg;
	(void)detail;
	assert_true(*counter > 0 && text != NULL);
	logged++;
}

static void
open_session(void)
{
	const struct hosts_session calls = {session_moved, session_refused, &session};
	const struct hosts_peer peer = stub_peer("h1");

	session_init(&session, sw.now);
	session.host = hosts_open(sw.hosts, &peer, &calls, sw.now);
	assert_non_null(session.host);
	session.counters = &counters;
	session.log = note_log;
}

static int
setup(void **state)
{
	const struct hosts_conf conf = {.lifetime_ns = 30 * SECOND,
			.hosts = 2,
			.entries = 100,
			.total = 100,
			.changes = 1000};

	(void)state;
	memset(&sw, 0, sizeof(sw));
	memset(&counters, 0, sizeof(counters));
	logged = 0;
	sw.now = 1000 * SECOND;
	sw.hosts = hosts_create(&conf);
	assert_non_null(sw.hosts);
	open_session();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	hosts_close(session.host, sw.now);
	hosts_destroy(sw.hosts);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

/* Let octets come, in pieces of one if there is room. */
static enum session_end
come(const uint8_t *data, size_t len)
{
	enum session_end end = SESSION_GOES_ON;
	uint8_t *place;

	while (len > 0 && end == SESSION_GOES_ON && session_room(&session, &place) > 0) {
		*place = *data++;
		len--;
		end = session_input(&session, 1, sw.now);
	}
	assert_true(len == 0 || end != SESSION_GOES_ON || session.wait_ns > sw.now);
	return end;
}

static enum session_end
come_record(struct fcn_host_report_record record)
{
	uint8_t data[FCN_HOST_REPORT_SIZE];
	const size_t len = fcn_host_report_write(&record, data);

	return come(data, len);
}

#define COME(...) \
	come_record((struct fcn_host_report_record){.type = FCN_HOST_REPORT_##__VA_ARGS__})

static struct fcn_host_report_qp
pair(unsigned int n)
{
	return stub_qp("192.0.2.1", n, "198.51.100.1", n);
}

/* Take the next record that is to be sent. @return whether there is one */
static bool
answer(struct fcn_host_report_record *record)
{
	const int n = fcn_host_report_read(session.out, session.out_len, record);

	assert_true(n >= 0);
	if (n > 0)
		session_sent(&session, (size_t)n);
	return n > 0;
}

static void
begin(void)
{
	assert_int_equal(COME(HELLO, .version = 1), SESSION_GOES_ON);
	assert_int_equal(COME(BEGIN), SESSION_GOES_ON);
	assert_int_equal(COME(END), SESSION_GOES_ON);
}

TEST(order)
{
	assert_int_equal(COME(BEGIN), SESSION_ORDER);
	open_session();
	assert_int_equal(COME(HELLO, .version = 1), SESSION_GOES_ON);
	assert_int_equal(COME(HELLO, .version = 1), SESSION_ORDER);
	open_session();
	assert_int_equal(COME(HELLO, .version = 1), SESSION_GOES_ON);
	assert_int_equal(COME(END), SESSION_ORDER);
	assert_int_equal(COME(ADD, .qp = pair(5)), SESSION_ORDER);
	assert_int_equal(COME(REMOVE, .qp = pair(5)), SESSION_ORDER);
	assert_int_equal(COME(CONFIRM), SESSION_ORDER);
	assert_int_equal(COME(REFUSED), SESSION_ORDER);
	assert_int_equal(COME(SYNC, .number = 7), SESSION_GOES_ON);
	assert_int_equal(COME(SYNC, .number = 7), SESSION_ORDER);
	assert_int_equal(hosts_entries(sw.hosts), 0);
	assert_int_equal(come((const uint8_t *)"G", 1), SESSION_FORMAT);
}

TEST(version)
{
	struct fcn_host_report_record record;

	assert_int_equal(COME(HELLO, .version = 2), SESSION_VERSION);
	assert_true(answer(&record));
	assert_int_equal(record.type, FCN_HOST_REPORT_REFUSED);
	assert_int_equal(record.reason, FCN_HOST_REPORT_REASON_VERSION);
}

/* A confirmation comes at once for what was read, and again when it is in force. */
TEST(confirmed)
{
	struct fcn_host_report_record record;

	begin();
	COME(ADD, .qp = pair(5));
	COME(SYNC, .number = 3);
	assert_true(answer(&record));
	assert_int_equal(record.number, 3);
	assert_int_equal(record.in_force, 0);
	assert_false(answer(&record));
	stub_run(&sw);
	assert_true(answer(&record));
	assert_int_equal(record.in_force, 3);
	assert_false(answer(&record));
	/* Nothing has changed since, so the next one is in force at once. */
	COME(SYNC, .number = 4);
	assert_true(answer(&record));
	assert_int_equal(record.in_force, 4);
	/* More of them than there is room for, none of which is read: the last one counts. */
	COME(ADD, .qp = pair(6));
	for (unsigned int n = 10; n < 100; n++)
		assert_int_equal(COME(SYNC, .number = n), SESSION_GOES_ON);
	stub_run(&sw);
	while (answer(&record))
		;
	assert_int_equal(record.type, 0);
	assert_int_equal(session.force_number, 99);
	assert_int_equal(session.out_len, 0);
}

TEST(refusals)
{
	struct fcn_host_report_record record;
	unsigned int n = 0;

	begin();
	for (unsigned int i = 0; i < 50; i++)
		COME(ADD, .qp = stub_qp("192.0.2.77", 5, "198.51.100.1", 5 + i));
	assert_int_equal(counters.address, 50);
	COME(ADD, .qp = stub_qp("192.0.2.1", 0, "198.51.100.1", 5));
	assert_int_equal(counters.invalid, 1);
	assert_int_equal(logged, 51); /* the log has a limit of its own */
	while (answer(&record)) {
		assert_int_equal(record.type, FCN_HOST_REPORT_REFUSED);
		assert_int_equal(record.reason, FCN_HOST_REPORT_REASON_ADDRESS);
		assert_int_equal(record.qp.local_qp, 5);
		n++;
	}
	assert_in_range(n, 5, SESSION_REFUSALS);
	for (unsigned int i = 2; i < 110; i++)
		COME(ADD, .qp = pair(i));
	assert_int_equal(counters.entries, 8);
	assert_int_equal(counters.added, 100);
	COME(REMOVE, .qp = pair(2));
	COME(REMOVE, .qp = pair(2));
	assert_int_equal(counters.removed, 1);
	assert_int_equal(counters.not_there, 1);
	sw.refuses = true;
	stub_run(&sw);
	assert_int_equal(counters.by_switch, 99);
}

/* Who sends too much waits, and is not silent meanwhile; nothing is lost. */
TEST(too_fast)
{
	uint8_t data[2000 * 12], *place;
	size_t len = 0, at = 0;
	const uint64_t start = sw.now;

	begin();
	for (unsigned int n = 1; n <= 2000; n++) {
		const struct fcn_host_report_record record = {
				.type = FCN_HOST_REPORT_SYNC, .number = n};

		len += fcn_host_report_write(&record, data + len);
	}
	while (at < len) {
		size_t n = session_room(&session, &place);

		n = n < len - at ? n : len - at;
		memcpy(place, data + at, n);
		at += n;
		if (n > 0)
			assert_int_equal(session_input(&session, n, sw.now), SESSION_GOES_ON);
		session_sent(&session, session.out_len);
		if (session.wait_ns > sw.now)
			sw.now = session_due(&session, SILENCE);
		assert_int_equal(session_run(&session, SILENCE, sw.now), SESSION_GOES_ON);
	}
	while (session.wait_ns != 0) {
		sw.now = session_due(&session, SILENCE);
		assert_int_equal(session_run(&session, SILENCE, sw.now), SESSION_GOES_ON);
	}
	assert_int_equal(session.read_number, 2000);
	assert_in_range(sw.now - start, SECOND, SECOND + SECOND / 10);
	assert_true(counters.changes > 0);
}

TEST(silence)
{
	struct fcn_host_report_record record;
	unsigned int n = 0;

	begin();
	while (session_due(&session, SILENCE) < 1000 * SECOND + SILENCE) {
		sw.now = session_due(&session, SILENCE);
		assert_int_equal(session_run(&session, SILENCE, sw.now), SESSION_GOES_ON);
		n += answer(&record);
	}
	assert_in_range(n, 4, 5); /* the host hears that this one lives */
	assert_int_equal(session_run(&session, SILENCE, 1000 * SECOND + SILENCE), SESSION_SILENT);
	assert_string_equal(session_end_text(SESSION_SILENT), "nothing came within --silence");
}

/* ---- with the host's side ---- */

static struct report_stream stream;

/* Carry octets both ways, in pieces of random length. */
static void
carry(unsigned int *seed)
{
	for (unsigned int i = 0; i < 200; i++) {
		uint8_t *place;
		size_t n, room = session_room(&session, &place);

		*seed = *seed * 1103515245 + 12345;
		report_stream_write(&stream, sw.now / 1000000);
		n = 1 + (*seed >> 16) % 100;
		n = n < stream.out_len ? n : stream.out_len;
		n = n < room ? n : room;
		if (n > 0) {
			memcpy(place, stream.out, n);
			report_stream_sent(&stream, n);
			assert_int_equal(session_input(&session, n, sw.now), SESSION_GOES_ON);
		}
		assert_int_equal(session_run(&session, SILENCE, sw.now), SESSION_GOES_ON);
		hosts_tick(sw.hosts, sw.now);
		stub_read(&sw, 3);
		stub_answer(&sw, 2);
		n = 1 + (*seed >> 20) % 10;
		n = n < session.out_len ? n : session.out_len;
		memcpy(stream.in + stream.in_len, session.out, n);
		session_sent(&session, n);
		if (n > 0)
			assert_int_equal(report_stream_input(&stream, n, sw.now / 1000000), 0);
		sw.now += SECOND / 100;
	}
}

TEST(both_sides)
{
	unsigned int seed = 3;
	struct fcn_host_report_qp qp;

	memset(&stream, 0, sizeof(stream));
	stream.table = report_table_create(200, 1);
	for (unsigned int i = 2; i < 80; i++) {
		qp = pair(i);
		assert_int_equal(report_table_add(stream.table, &qp), 0);
	}
	for (unsigned int round = 0; round < 5; round++) {
		report_stream_begin(&stream, sw.now / 1000000);
		for (unsigned int i = 0; i < 20; i++) {
			qp = pair(10 + 7 * round + i);
			if (i % 2 == 0)
				report_table_remove(stream.table, &qp);
			else
				report_table_add(stream.table, &qp);
			carry(&seed);
		}
		carry(&seed);
		assert_true(report_stream_is_in_force(&stream));
		assert_int_equal(sw.n, report_table_count(stream.table));
		assert_int_equal(sw.clears, 1);
		assert_false(report_stream_is_silent(&stream, sw.now / 1000000));
		hosts_close(session.host, sw.now);
		open_session();
	}
	report_table_free(stream.table);
}
