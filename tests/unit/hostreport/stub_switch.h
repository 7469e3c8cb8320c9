/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A switch that reads the lines of hosts_feed and keeps what they say, for tests. The lines are
 * read here by their words alone.
 */

#ifndef STUB_SWITCH_H
#define STUB_SWITCH_H

#include "hosts.h"
#include "test_case.h"

#define SECOND UINT64_C(1000000000)
#define STUB_ENTRIES 4096

struct stub_entry {
	char receiver[64], sender[64], host[80];
	unsigned int qp, sender_qp;
	uint64_t until_ns;
};

struct stub_switch {
	struct hosts *hosts;
	uint64_t now;
	bool refuses; /**< lines that add */
	unsigned int n, lines, adds, removes, keeps, clears, unknown;
	/** Lines that were sent and have no answer yet. */
	char waiting[FCN_REMOTE_FEED_WINDOW][FCN_REMOTE_FEED_LINE];
	unsigned int n_waiting;
	struct stub_entry entry[STUB_ENTRIES];
};

/** Take lines, at most `most`, without an answer. @return their number */
unsigned int stub_read(struct stub_switch *s, unsigned int most);
/** Do what the first `most` of them say, and answer. */
void stub_answer(struct stub_switch *s, unsigned int most);
/** All of both, until there is no more. @return number of lines */
unsigned int stub_run(struct stub_switch *s);
/** Forget what is over. */
void stub_expire(struct stub_switch *s);
/** Find an entry. @return NULL: it is not there */
const struct stub_entry *stub_find(struct stub_switch *s, const char *receiver, unsigned int qp);
/** The connection ends; `all` is lost, or what was read was done before. */
void stub_disconnect(struct stub_switch *s, bool all);

/** The queue pair LOCAL:local_qp to REMOTE:remote_qp, which are texts. */
struct fcn_host_report_qp stub_qp(const char *local, unsigned int local_qp, const char *remote,
		unsigned int remote_qp);

/** Who speaks for 192.0.2.1, 2001:db8::1 and 192.0.2.9. */
struct hosts_peer stub_peer(const char *name);

/** A session that does nothing. */
extern const struct hosts_session stub_session;

#endif /* STUB_SWITCH_H */
