/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What a host sends about its queue pairs. An even first byte: the others are records, one behind
 * the other. Each that is read is written as it was, is not read from less, and nothing behind it
 * matters.
 *
 * An odd first byte: two hosts say the others to fastcn-qpd, in steps of a byte, which says who,
 * what the switch does, how much time passes, and how many octets follow. Whatever they say, limits
 * hold, and in the end nothing is left of them.
 */

#include "fcn_host_report.h"
#include "fuzz.h"
#include "session.h"

#define MS UINT64_C(1000000)
#define ENTRIES 8
#define TOTAL 12

static void
fuzz_records(const uint8_t *data, size_t size)
{
	struct fcn_host_report_record record, again;
	uint8_t out[FCN_HOST_REPORT_SIZE];

	while (size > 0) {
		int n = fcn_host_report_read(data, size, &record);

		if (n <= 0)
			return;
		require((size_t)n <= size && (size_t)n <= sizeof(out));
		for (int i = 0; i < n; i++)
			require(fcn_host_report_read(data, (size_t)i, &again) == 0);
		require(fcn_host_report_write(&record, out) == (size_t)n);
		require(fcn_host_report_reason_text(record.reason) != NULL);
		/* Of HELLO, what later versions may add is not kept. */
		if (record.type != FCN_HOST_REPORT_HELLO)
			require(memcmp(out, data, (size_t)n) == 0);
		require(fcn_host_report_read(out, (size_t)n, &again) == n);
		require(memcmp(&record, &again, sizeof(record)) == 0);
		data += n;
		size -= (size_t)n;
	}
}

static void
ignore_log(void *arg, const uint64_t *counter, const char *text, const char *detail)
{
	(void)arg;
	(void)detail;
	require(*counter > 0 && text != NULL);
}

struct world {
	struct hosts *hosts;
	struct session session[2];
	bool is_open[2];
	struct session_counters counters;
	unsigned int waiting; /* lines without an answer */
	uint64_t now;
};

static void
open_session(struct world *w, unsigned int i)
{
	struct session *s = &w->session[i];
	const struct hosts_session calls = {session_moved, session_refused, s};
	struct hosts_peer peer = {.name = {'h', (char)('0' + i)}, .n_addresses = 1};

	peer.address[0][0] = 0x20; /* 2000::i */
	peer.address[0][15] = (uint8_t)i;
	session_init(s, w->now);
	s->host = hosts_open(w->hosts, &peer, &calls, w->now);
	require(s->host != NULL);
	s->counters = &w->counters;
	s->log = ignore_log;
	w->is_open[i] = true;
}

static void
close_session(struct world *w, unsigned int i)
{
	hosts_close(w->session[i].host, w->now);
	w->is_open[i] = false;
}

/* Let the switch read lines, and answer to some; 4: to none. */
static void
run_switch(struct world *w, unsigned int what)
{
	char line[FCN_REMOTE_FEED_LINE];

	while (w->waiting < FCN_REMOTE_FEED_WINDOW && hosts_feed.next(w->hosts, w->now, line)) {
		require(strncmp(line, "proxy qp learned ", 17) == 0);
		w->waiting++;
	}
	if (what == 3) {
		hosts_feed.again(w->hosts);
		w->waiting = 0;
	}
	for (unsigned int n = w->waiting; n > what && what < 4; n--, w->waiting--)
		hosts_feed.answered(w->hosts, w->now, what != 2, "no\n");
}

/* @return whether the session goes on */
static bool
say(struct session *s, const uint8_t *data, size_t len, uint64_t now)
{
	enum session_end end = session_run(s, 5000 * MS, now);
	uint8_t *place;

	while (len > 0 && end == SESSION_GOES_ON) {
		size_t n = session_room(s, &place);

		if (n == 0) /* it has to wait: the host would say it later */
			return true;
		n = n < len ? n : len;
		memcpy(place, data, n);
		data += n;
		len -= n;
		end = session_input(s, n, now);
	}
	return end == SESSION_GOES_ON;
}

static void
fuzz_sessions(const uint8_t *data, size_t size)
{
	const struct hosts_conf conf = {.lifetime_ns = 2000 * MS,
			.secret = 1,
			.hosts = 2,
			.entries = ENTRIES,
			.total = TOTAL,
			.changes = 1000};
	static struct world w;

	memset(&w, 0, sizeof(w));
	w.now = 1000000 * MS;
	w.hosts = hosts_create(&conf);
	require(w.hosts != NULL);
	while (size > 1) {
		const unsigned int i = data[0] & 1;
		size_t len = data[1];

		w.now += data[0] & 8 ? 500 * MS : MS;
		if ((data[0] & 16) == 0)
			run_switch(&w, data[0] >> 1 & 3);
		else if ((data[0] & 32) == 0)
			run_switch(&w, 4);
		if (!w.is_open[i])
			open_session(&w, i);
		data += 2;
		size -= 2;
		len = len < size ? len : size;
		if (!say(&w.session[i], data, len, w.now))
			close_session(&w, i);
		else if (w.session[i].out_len > 0)
			session_sent(&w.session[i], 1 + len % w.session[i].out_len);
		data += len;
		size -= len;
		hosts_tick(w.hosts, w.now);
		require(hosts_entries(w.hosts) <= 2 * TOTAL + 1);
	}
	for (unsigned int i = 0; i < 2; i++)
		if (w.is_open[i])
			close_session(&w, i);
	w.now += 10000 * MS;
	hosts_tick(w.hosts, w.now);
	while (w.waiting > 0 || hosts_feed.due(w.hosts) == 0)
		run_switch(&w, 0);
	require(hosts_count(w.hosts) == 0 && hosts_entries(w.hosts) == 0);
	require(hosts_refused(w.hosts) == 0);
	hosts_destroy(w.hosts);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] % 2 == 0)
		fuzz_records(data + 1, size - 1);
	else
		fuzz_sessions(data + 1, size - 1);
	return 0;
}
