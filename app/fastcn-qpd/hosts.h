/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The queue pairs that hosts have reported, and what the switch has to be told of them. Sessions of
 * hosts add and remove queue pairs; the connection to the switch (fcn_remote_feed.h) takes lines
 * and reports the answers.
 *
 * The switch forgets the entries of a host after a lifetime unless it is told to keep them, which
 * it is while the host's session lives. When that has ended, they are known here, too, until the
 * lifetime is over: a host that comes back in time and reports the same changes nothing at the
 * switch. The first line about a host over a new connection to the switch has it forget what it
 * knows of the host, and everything follows: what was removed meanwhile is not there then.
 *
 * Hosts with changes take turns, so that one with many does not delay those of others. What the
 * switch has refused it is told again.
 *
 * There is no clock and no I/O in it.
 */

#ifndef QPD_HOSTS_H
#define QPD_HOSTS_H

#include <stdbool.h>
#include <stdio.h>

#include "fcn_addr.h"
#include "fcn_host_report.h"
#include "fcn_remote_feed.h"

#define HOSTS_NAME_SIZE 64                  /**< size of the name of a host, terminator included */
#define HOSTS_ADDRESSES 64                  /**< maximum number of addresses of a host */
#define HOSTS_RETRY_NS UINT64_C(1000000000) /**< time until a refused line is said again */
#define HOSTS_RETRIES 256 /**< maximum number of those in a second that are refused again */

/* X(member, text) */
#define HOSTS_COUNTERS(X)                                                                    \
	X(told_add, "lines to the switch that add or change a queue pair")                   \
	X(told_remove, "lines to the switch that remove a queue pair")                       \
	X(told_keep, "lines to the switch that keep the queue pairs of a host")              \
	X(told_clear, "lines to the switch that clear the queue pairs of a host, before it " \
		      "is told all of them")                                                 \
	X(told_retry, "lines to the switch that say again what it has refused")              \
	X(refused, "lines that add a queue pair and that the switch has refused")            \
	X(remove_unknown, "lines that remove a queue pair that the switch does not know")    \
	X(keep_unknown, "lines that keep a host that the switch does not know: it was told " \
			"all of it again")                                                   \
	X(forgotten, "hosts that did not come back within the lifetime")                     \
	X(memory, "queue pairs and hosts that were not taken, as memory is used up")

struct hosts_counters {
#define HOSTS_MEMBER(member, text) uint64_t member;
	HOSTS_COUNTERS(HOSTS_MEMBER)
#undef HOSTS_MEMBER
};

struct hosts_conf {
	uint64_t lifetime_ns; /**< after which the switch forgets what it is not told to keep */
	uint64_t secret;      /**< for the hash of queue pairs */
	uint32_t hosts;       /**< maximum number of hosts */
	uint32_t entries;     /**< maximum number of queue pairs of a host */
	uint32_t total;       /**< maximum number of those of all hosts */
	uint32_t changes;     /**< maximum number of records of a host in a second */
};

/** For whom a host speaks, by its certificate. */
struct hosts_peer {
	char name[HOSTS_NAME_SIZE];
	unsigned int n_addresses;
	uint8_t address[HOSTS_ADDRESSES][16]; /**< IPv6, or IPv4 as ::ffff:a.b.c.d */
};

/** The session of a host, as this calls it. */
struct hosts_session {
	/** More of what it has reported may be in force. */
	void (*moved)(void *arg);
	/** The switch has refused a queue pair. @param text the switch's words */
	void (*refused)(void *arg, const struct fcn_host_report_qp *qp, const char *text);
	void *arg;
};

struct hosts;
struct host;

/** @return NULL on lack of memory */
struct hosts *hosts_create(const struct hosts_conf *conf);
/** Sessions must have ended. NULL is allowed. */
void hosts_destroy(struct hosts *hosts);

/** Find the session of a host. @return its arg; NULL: it has none */
void *hosts_find_session(const struct hosts *hosts, const char *name);

/** Begin the session of a host that has none. @return NULL: there are too many hosts, or no memory
 */
struct host *hosts_open(struct hosts *hosts, const struct hosts_peer *peer,
		const struct hosts_session *session, uint64_t now_ns);
/** End it. */
void hosts_close(struct host *host, uint64_t now_ns);

/**
 * Ask whether the host may have a record processed now, and count it if so.
 *
 * @param cost of the record, in records
 * @return 0: it may; otherwise the time when it may
 */
uint64_t hosts_take(struct host *host, uint32_t cost, uint64_t now_ns);

/** Get the cost of hosts_end_full(), in records: the more queue pairs there are, the longer it
 * takes. */
uint32_t hosts_cost(const struct host *host);

/** What is added until hosts_end_full() is all that the host has. */
void hosts_begin_full(struct host *host);
void hosts_end_full(struct host *host, uint64_t now_ns);

/** Add a queue pair, or change what is known of it. @return 0 or enum fcn_host_report_reason */
uint8_t hosts_add(struct host *host, const struct fcn_host_report_qp *qp);
/** Remove a queue pair. One that has another number here by now stays. @return whether it was there
 */
bool hosts_remove(struct host *host, const struct fcn_host_report_qp *qp);

/** Get a mark of what the host has reported so far. */
uint64_t hosts_mark(const struct host *host);
/** Tell whether all is in force that the host had reported by a mark, or was refused by the switch.
 */
bool hosts_is_in_force(const struct host *host, uint64_t mark);

/** Several times a second: what is due. */
void hosts_tick(struct hosts *hosts, uint64_t now_ns);

/** For fcn_remote_feed_init(), with `hosts` as its argument. */
extern const struct fcn_remote_feed_ops hosts_feed;

/* ---- what there is ---- */

/** A host, as the state shows it. */
struct hosts_shown {
	const char *name;
	bool is_live; /**< it has a session */
	uint32_t entries, in_force, pending;
	uint64_t until_ns; /**< not live: when it is forgotten */
};

/** Get a host. @param i 0 to hosts_count() - 1 */
struct hosts_shown hosts_show(const struct hosts *hosts, uint32_t i);
uint32_t hosts_count(const struct hosts *hosts);
/** Number of queue pairs of all hosts, and of those of them that the switch has refused. */
uint32_t hosts_entries(const struct hosts *hosts);
uint32_t hosts_refused(const struct hosts *hosts);
const struct hosts_counters *hosts_counters(const struct hosts *hosts);

#endif /* QPD_HOSTS_H */
