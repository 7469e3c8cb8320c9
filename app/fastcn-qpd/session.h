/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a host says in a session (fcn_host_report.h), once its certificate is known, and what it is
 * answered. There is no clock and no I/O in it: octets go in and out.
 */

#ifndef QPD_SESSION_H
#define QPD_SESSION_H

#include "hosts.h"

#define SESSION_IN 4096     /**< octets that wait to be processed */
#define SESSION_OUT 512     /**< octets that wait to be sent */
#define SESSION_MARKS 8     /**< SYNCs that wait for being in force; more are merged */
#define SESSION_REFUSALS 10 /**< REFUSED records in a second; what is beyond is counted only */
#define SESSION_CONFIRM_NS UINT64_C(1000000000) /**< a CONFIRM is sent at least this often */

/* X(symbol, name, text): why a session ends. The counters have the names. */
#define SESSION_ENDS(X)                                                      \
	X(CLOSED, closed, "the host has closed it")                          \
	X(LOST, lost, "it was lost")                                         \
	X(FORMAT, format, "what came is no record")                          \
	X(ORDER, order, "a record came that is not expected here")           \
	X(VERSION, version, "the host speaks another version of the report") \
	X(SILENT, silent, "nothing came within --silence")                   \
	X(REPLACED, replaced, "the same host has begun another one")         \
	X(EXPIRED, expired, "the certificate has expired")                   \
	X(RELOADED, reloaded,                                                \
			"certificates were read again, and the host has to show its own again")

enum session_end {
	SESSION_GOES_ON,
#define SESSION_END(sym, name, text) SESSION_##sym,
	SESSION_ENDS(SESSION_END)
#undef SESSION_END
	SESSION_END_COUNT
};

/* X(member, text): of all hosts, and of each. */
#define SESSION_COUNTERS(X)                                                               \
	X(added, "queue pairs that hosts have added, also those that were there")         \
	X(removed, "queue pairs that hosts have removed")                                 \
	X(not_there, "removals of a queue pair that is not there or has another number")  \
	X(address, "queue pairs refused, as the certificate does not name their address") \
	X(entries, "queue pairs refused, as the host has as many as --entries permits")   \
	X(total, "queue pairs refused, as all hosts have as many as --total permits")     \
	X(invalid, "queue pairs refused, as an address or number cannot be that of one")  \
	X(by_switch, "queue pairs that the switch has refused")                           \
	X(changes, "times that a host had to wait, as it sent more than --changes permits")

struct session_counters {
#define SESSION_MEMBER(member, text) uint64_t member;
	SESSION_COUNTERS(SESSION_MEMBER)
#undef SESSION_MEMBER
};

/** A SYNC that is not in force yet. */
struct session_mark {
	uint64_t number, mark;
};

struct session {
	struct host *host;
	struct session_counters *counters;
	/** Log a refusal. @param detail NULL: none */
	void (*log)(void *arg, const uint64_t *counter, const char *text, const char *detail);
	void *log_arg;
	enum {
		SESSION_HELLO,
		SESSION_BEGIN,
		SESSION_FULL,
		SESSION_LIVE
	} state;
	uint64_t heard_ns;   /**< when something came */
	uint64_t wait_ns;    /**< until when nothing is processed; 0: it is */
	uint64_t confirm_ns; /**< when the last CONFIRM was written */
	uint64_t read_number, force_number;
	bool is_confirm_due;
	struct session_mark mark[SESSION_MARKS];
	unsigned int n_marks;
	uint64_t refusals_ns; /**< begin of the second in which refusals are counted */
	unsigned int refusals;
	uint64_t now_ns; /**< of the last call */
	size_t in_len, out_len;
	uint8_t in[SESSION_IN], out[SESSION_OUT];
};

/** Begin; `host`, `counters`, `log` and `log_arg` are set after it. */
void session_init(struct session *s, uint64_t now_ns);

/** Get the place for octets that came, unless some have to wait. @return its size; 0: read nothing
 */
size_t session_room(struct session *s, uint8_t **place);

/** Process octets that were put there. */
enum session_end session_input(struct session *s, size_t len, uint64_t now_ns);

/** What is due: input that had to wait, confirmations. @param silence_ns after which it ends */
enum session_end session_run(struct session *s, uint64_t silence_ns, uint64_t now_ns);

/** Get the time when session_run() is due. @param silence_ns as there */
uint64_t session_due(const struct session *s, uint64_t silence_ns);

/** Note that `len` octets of `out` were sent. */
void session_sent(struct session *s, size_t len);

/** For hosts_open(). @param arg a struct session */
void session_moved(void *arg);
void session_refused(void *arg, const struct fcn_host_report_qp *qp, const char *text);

/** Get the text of an end. */
const char *session_end_text(enum session_end end);

#endif /* QPD_SESSION_H */
