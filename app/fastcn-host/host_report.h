/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a host tells its first switch about its queue pairs, by TLS 1.3 with certificates of both
 * sides (fcn_host_report.h, doc/hosts.md). The connection is made again whenever it has ended, and
 * begins with all queue pairs.
 *
 * One thread makes all calls, and none of them waits. Messages go to standard error.
 */

#ifndef HOST_REPORT_H
#define HOST_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host_qp.h"

/** Where to report, and who believes whom. The texts must stay. */
struct host_report_conf {
	const char *address; /**< of the switch, IPv4 or IPv6 as numbers */
	uint16_t port;
	const char *ca;          /**< file with certificates of those who sign the switch's, PEM */
	const char *certificate; /**< file with the certificate of this host, PEM */
	const char *key;         /**< file with its private key, PEM */
	const char *name; /**< name that the switch's certificate must have; NULL: its address */
	uint64_t secret;  /**< a random number, for the hash and for pauses between attempts */
	uint32_t most;    /**< maximum number of queue pairs; 0: 131,072 */
};

/** How it is. */
struct host_report_state {
	bool is_connected; /**< the switch has been shown the certificate, and has answered */
	bool is_in_force; /**< all queue pairs are in force at the switch, or it has refused them */
	uint32_t queue_pairs;
	uint64_t connections; /**< that the switch has answered on */
	uint64_t refused;     /**< queue pairs that the switch has refused, as it says */
	uint64_t full;        /**< queue pairs that were not taken, as there are too many */
	const char *problem;  /**< why there is no connection, or the last refusal; "": none */
};

struct host_report;

/**
 * Begin to report. The connection is made by host_report_work().
 *
 * @param err one line, on failure: a file cannot be read, or the address is none
 * @return NULL on failure
 */
struct host_report *host_report_create(const struct host_report_conf *conf, char *err, size_t size);

/** Get a descriptor that is readable when host_report_work() has something to do. It belongs to the
 * report, and stays the same. */
int host_report_fd(const struct host_report *r);

/**
 * Do what can be done without waiting. To be called when the descriptor is readable, after
 * host_report_add() and host_report_remove(), and at the time that the last call gave. The first
 * call should come when all queue pairs that there are have been added: what is added later is
 * told, too, but what was known of the host before is forgotten at first.
 *
 * @param now_ms time in milliseconds from any beginning, which does not go back
 * @return milliseconds until the next call, at least 1 unless there is more to be done now
 */
int host_report_work(struct host_report *r, uint64_t now_ms);

/** Add a queue pair, or one more number for a pair of addresses and remote queue pair: the last one
 * counts. */
void host_report_add(struct host_report *r, const struct host_qp *qp);
/** Remove it, unless another local number has taken its place. */
void host_report_remove(struct host_report *r, const struct host_qp *qp);

void host_report_state(const struct host_report *r, struct host_report_state *state);

/** End. The switch keeps what it knows for its lifetime. NULL is allowed. */
void host_report_free(struct host_report *r);

#endif /* HOST_REPORT_H */
