/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file The table of hosts and queue pairs, which hosts.c and hosts_lines.c share. */

#ifndef QPD_HOSTS_PRIVATE_H
#define QPD_HOSTS_PRIVATE_H

#include <sys/queue.h>

#include "fcn_hash_key.h"
#include "hosts.h"

/** Where an entry is. */
enum hosts_place {
	HOSTS_NOWHERE, /**< nothing is to be said of it */
	HOSTS_DIRTY,   /**< the switch has to be told; in the list of its host */
	HOSTS_REFUSED, /**< the switch has refused it; in the list of all */
};

struct hosts_entry {
	struct fcn_host_report_qp qp;
	struct host *host;
	struct hosts_entry *chain;
	TAILQ_ENTRY(hosts_entry) link;    /**< in the list of its place */
	TAILQ_ENTRY(hosts_entry) of_host; /**< all entries of the host */
	uint64_t number;     /**< DIRTY: of the change; REFUSED: time of the refusal, ns */
	uint32_t generation; /**< the full state in which it was mentioned last */
	uint16_t unanswered; /**< lines about it that have no answer */
	uint8_t place;
	bool is_wanted;   /**< it is to be there */
	bool is_told;     /**< by this connection, the switch has been told that it is there */
	bool is_in_force; /**< the switch has said that it is there */
};

TAILQ_HEAD(hosts_entries, hosts_entry);

struct host {
	struct hosts *hosts;
	struct hosts_peer peer;
	struct hosts_session session; /**< arg NULL: it has none */
	uint64_t until_ns;            /**< without a session: when it is forgotten */
	uint64_t kept_ns; /**< when the switch was told to keep its entries or forget all of
			    them: it forgets none before the lifetime is over from here */
	uint64_t full_ns; /**< when it may have all records of a second again */
	uint32_t generation;
	uint32_t n, n_in_force, n_dirty; /**< entries */
	uint32_t n_said;     /**< those that are wanted and were mentioned in the last full state or
				since */
	uint32_t unanswered; /**< lines about it and its entries */
	bool is_clear_due, is_keep_due;
	bool is_full;  /**< this session has said all that the host has */
	bool is_ready; /**< in the list of those who have lines */
	/* Changes have rising numbers. */
	uint64_t changes; /**< number of the last one */
	uint64_t done;    /**< number of the last one that has an answer */
	uint64_t barrier; /**< nothing is in force before this one is: the switch was told all again
			   */
	struct hosts_entries entries, dirty;
	TAILQ_ENTRY(host) ready;
};

enum hosts_line {
	HOSTS_LINE_ADD,
	HOSTS_LINE_RETRY,
	HOSTS_LINE_REMOVE,
	HOSTS_LINE_KEEP,
	HOSTS_LINE_CLEAR,
};

/** A line that has no answer yet. */
struct hosts_unanswered {
	enum hosts_line line;
	struct host *host;
	struct hosts_entry *entry; /**< NULL: it is about the host */
	uint64_t number;           /**< of the change; 0: none */
};

struct hosts {
	struct hosts_conf conf;
	struct fcn_hash_key key;
	struct host **host; /**< conf.hosts of them */
	uint32_t n_hosts, n_entries, n_refused;
	uint32_t n_said; /**< of all hosts */
	TAILQ_HEAD(, host) ready;
	struct hosts_entries refused; /**< the time of the refusal rises */
	uint64_t retries_ns;          /**< begin of the second in which retries are counted */
	unsigned int retries;         /**< in this second, without those that were accepted */
	bool is_retry_next;           /**< if both are due */
	uint64_t now_ns;              /**< of the last line or tick */
	unsigned int first, n_unanswered;
	struct hosts_unanswered unanswered[FCN_REMOTE_FEED_WINDOW];
	struct hosts_counters counters;
	uint32_t mask; /**< of the number of a bucket */
	struct hosts_entry **buckets;
};

/** Take an entry to a place. The host gets into the list of those who have lines. */
void hosts_move(struct hosts_entry *e, enum hosts_place place);
/** Free an entry that is not wanted and of which nothing is left to do. */
void hosts_settle(struct hosts_entry *e);
/** Let a host be asked for lines. */
void hosts_make_ready(struct host *host);
/** Have the switch keep what it knows of a host, or tell it all if that may be too late. */
void hosts_keep(struct host *host);
/** The switch has to be told everything of a host. */
void hosts_tell_all(struct host *host);
/** Free a host that is forgotten, unless a line about it has no answer yet. */
void hosts_drop_if_over(struct host *host);

#endif /* QPD_HOSTS_PRIVATE_H */
