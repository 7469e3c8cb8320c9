/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Queue pairs that hosts report: which queue pair of a sender is connected to which of a receiver,
 * for CNPs. A program tells the control, which changes the map that workers read, without a new
 * snapshot. They are no part of the configuration.
 *
 * A host has a name and a lifetime. All that it reported is forgotten when the lifetime ends before
 * it reports more or is kept. What another host has reported, or is configured, is not replaced.
 *
 * Not thread safe: the control thread makes all calls.
 */

#ifndef FCN_REPORTED_H
#define FCN_REPORTED_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_counter.h"
#include "fcn_qp_map.h"

struct fcn_control;

#define FCN_REPORTED_HOSTS (FCN_QP_MAP_OWNERS - 1) /**< most hosts */
#define FCN_REPORTED_NAME 64                       /**< size of a name of a host, with terminator */
#define FCN_REPORTED_MAX_LIFETIME 1000000          /**< longest lifetime, seconds */

/* In `show proxy hosts`; the form of the list is described in fcn_counter.h. */
#define FCN_REPORTED_COUNTERS(X)                                                                  \
	X(added, "added", COUNTER, "proxy_qps_added", "Queue pairs that hosts reported as new")   \
	X(replaced, "replaced", COUNTER, "proxy_qps_replaced",                                    \
			"Reported queue pairs that got another sender or queue pair of a sender") \
	X(renewed, "renewed", COUNTER, "proxy_qps_renewed",                                       \
			"Times that a queue pair was reported again as it was")                   \
	X(removed, "removed", COUNTER, "proxy_qps_removed",                                       \
			"Reported queue pairs that their hosts removed")                          \
	X(expired, "expired", COUNTER, "proxy_qps_expired",                                       \
			"Reported queue pairs that were forgotten at the end of the lifetime of " \
			"their host")                                                             \
	X(held, "refused_held", COUNTER, "proxy_qps_refused_held",                                \
			"Reports that were refused because another host has reported the queue "  \
			"pair, or it is configured")                                              \
	X(over_host, "refused_host_limit", COUNTER, "proxy_qps_refused_host_limit",               \
			"Reports that were refused because the host has as many queue pairs as "  \
			"set proxy reported per-host allows")                                     \
	X(over_all, "refused_limit", COUNTER, "proxy_qps_refused_limit",                          \
			"Reports that were refused because there are as many queue pairs as set " \
			"proxy reported allows, or as many hosts as there can be")                \
	X(not_removed, "not_there", COUNTER, "proxy_qps_not_there",                               \
			"Queue pairs that hosts removed and that were not there")

struct fcn_reported_counters {
	FCN_REPORTED_COUNTERS(FCN_COUNTER_MEMBER)
};

/** A host. */
struct fcn_reported_host {
	char name[FCN_REPORTED_NAME];
	uint64_t since_ns;   /**< when it reported first */
	uint64_t expires_ns; /**< when it is forgotten */
	struct fcn_reported_counters count;
};

/** Why something is not done, and who has the queue pair then. */
struct fcn_reported_error {
	const char *holder; /**< -EEXIST: name of the host that has it; NULL: it is configured */
};

/** Tell whether a text can be the name of a host: 1 to 63 letters, digits, '.', '-' and '_'. */
bool fcn_reported_is_name(const char *name);

/**
 * Report a queue pair, and keep the host at least for the lifetime. Workers use it when this
 * returns. If the same host has reported the receiver's queue pair before, this is replaced, and no
 * worker uses what was replaced any more after fcn_reported_settle().
 *
 * @param pair     with a sender
 * @param lifetime seconds, 1 to FCN_REPORTED_MAX_LIFETIME
 * @return 0; -EOPNOTSUPP: no reports are accepted; -EINVAL: sender and receiver are not both
 *  addresses of hosts, of the same IP version; -EEXIST: somebody else has it; -EDQUOT: the host has
 *  as many as it may have; -ENOSPC: there are as many as there may be; -EUSERS: there are as many
 *  hosts
 */
int fcn_reported_add(struct fcn_control *ctl, const struct fcn_qp_pair *pair, const char *host,
		uint64_t lifetime, struct fcn_reported_error *error);

/**
 * Forget what a host has reported of a receiver's queue pair with this sender. No worker uses it
 * after fcn_reported_settle().
 *
 * @return 0; -ENOENT: the host has not reported it
 */
int fcn_reported_remove(struct fcn_control *ctl, const struct fcn_qp_pair *pair, const char *host);

/**
 * Let all that a host has reported live for so long from now.
 *
 * @return 0; -EOPNOTSUPP: as fcn_reported_add(); -ENOENT: the host has reported nothing, or all was
 *         forgotten since, so it has to report again
 */
int fcn_reported_keep(struct fcn_control *ctl, const char *host, uint64_t lifetime);

/** Forget a host and all that it has reported. No worker uses it after fcn_reported_settle().
 * @return how many queue pairs there were */
uint32_t fcn_reported_clear(struct fcn_control *ctl, const char *host);

/**
 * Wait until no worker uses what was removed or replaced before: each has begun another turn, or is
 * stalled. Changes that are made together need one wait.
 */
void fcn_reported_settle(struct fcn_control *ctl);

/** Tell whether fcn_reported_settle() has something to wait for. */
bool fcn_reported_is_unsettled(const struct fcn_control *ctl);

/**
 * Get a host by its number, which is the owner of its entries in the map.
 *
 * @param number 1 to FCN_REPORTED_HOSTS
 * @return NULL: there is none
 */
const struct fcn_reported_host *fcn_reported_host(
		const struct fcn_control *ctl, unsigned int number);

/** Get the number of hosts. */
unsigned int fcn_reported_hosts(const struct fcn_control *ctl);

/** Get the counters of all hosts that ever were. */
const struct fcn_reported_counters *fcn_reported_counters(const struct fcn_control *ctl);

#endif /* FCN_REPORTED_H */
