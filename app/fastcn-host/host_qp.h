/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The connected RC queue pairs of this host, as its kernel tells them.
 *
 * Rdma netlink lists queue pairs and, of those that RDMA CM has connected, the addresses; that
 * needs no privilege. With CAP_BPF and CAP_PERFMON (and CAP_SYS_ADMIN where
 * kernel.perf_event_paranoid is above 2, which some distributions make it), probes in the kernel
 * tell the addresses of all of them, and each connection, error and destruction when it happens.
 * Where both speak, the probes are believed. A round of netlink, at the start and then now and
 * then, finds what was there before and what a probe has missed.
 *
 * Capabilities are needed until there are probes only, and may be given up then.
 *
 * Only adapters that the network namespace of the process may see are looked at.
 *
 * Thread safety: none; one thread has a source.
 */

#ifndef HOST_QP_H
#define HOST_QP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A connected queue pair. */
struct host_qp {
	uint8_t local[16], remote[16]; /**< IPv6, or IPv4 as ::ffff:a.b.c.d, network byte order */
	uint32_t local_qp, remote_qp;  /**< host byte order */
};

/** Who is told. A queue pair whose remote end changes is removed, and added. */
struct host_qp_ops {
	/** It is connected (state RTR, RTS or SQD), and its addresses are known. */
	void (*added)(void *arg, const struct host_qp *qp);
	/** It is destroyed, in error or reset. All members are those with which it was added. */
	void (*removed)(void *arg, const struct host_qp *qp);
};

/** Why a connected queue pair is not told: name, text. */
#define HOST_QP_REASONS(X)                                                                       \
	X(NONE, "none", "it is told")                                                            \
	X(OUT_OF_BAND, "out_of_band",                                                            \
			"no RDMA CM has connected it, so only a probe could tell its addresses") \
	X(NO_ADDRESS, "no_address", "the driver of its adapter does not tell its addresses")     \
	X(OTHER_PROCESS, "other_process",                                                        \
			"another process than its owner says what it is connected to")           \
	X(AMBIGUOUS, "ambiguous", "several connections of RDMA CM have its number")              \
	X(NOT_ROCE_V2, "not_roce_v2", "its packets are not RoCEv2")                              \
	X(UNCONFIRMED, "unconfirmed", "it has changed while it was looked at; the next look tells")

/** As HOST_QP_REASONS() lists them. */
enum host_qp_reason {
#define HOST_QP_REASON(id, name, text) HOST_QP_##id,
	HOST_QP_REASONS(HOST_QP_REASON)
#undef HOST_QP_REASON
	HOST_QP_REASON_COUNT
};

/** Get the name of a reason, such as "out_of_band". */
const char *host_qp_reason_name(enum host_qp_reason reason);

/** Get what a reason means, as a sentence without its end. */
const char *host_qp_reason_text(enum host_qp_reason reason);

/** A queue pair as people see it. */
struct host_qp_view {
	struct host_qp qp;
	const char *adapter;
	const char *state;          /**< "RTS" and others */
	uint32_t pid;               /**< its process or thread; 0: the kernel's, or not known */
	bool is_connected;          /**< in a state in which it has a remote end */
	bool is_probed;             /**< a probe has told the addresses, not RDMA CM */
	enum host_qp_reason reason; /**< HOST_QP_NONE: it is told, if it is connected */
};

/** What a source has done. */
struct host_qp_counts {
	uint32_t queue_pairs; /**< RC queue pairs, whatever their state */
	uint32_t told;        /**< those that were added and not removed */
	uint64_t added, removed;
	uint64_t rounds;    /**< of netlink */
	uint64_t events;    /**< of probes */
	uint64_t lost;      /**< events for which the kernel had no room; a round follows */
	uint64_t full;      /**< times that a queue pair was not taken, as there are too many */
	uint64_t malformed; /**< messages of netlink that were not understood */
};

/** How to look. */
struct host_qp_conf {
	uint32_t interval_ms; /**< between rounds; 0: 1 s, with probes 10 s */
	uint32_t most;        /**< number of queue pairs that are kept; 0: 131,072 */
	bool no_probes;       /**< netlink alone */
};

struct host_qp_source;

/**
 * Begin. Nothing is told before host_qp_source_read() is called.
 *
 * @param conf NULL: as if all members were 0
 * @param arg  for the functions of ops
 * @param err  gets the reason if there is no source, and otherwise why there are no probes, or ""
 * @return NULL: out of memory, or this kernel has no rdma netlink
 */
struct host_qp_source *host_qp_source_create(const struct host_qp_conf *conf,
		const struct host_qp_ops *ops, void *arg, char *err, size_t size);

/** Get the descriptor that becomes readable, for epoll or poll, when there is something to read. */
int host_qp_source_fd(const struct host_qp_source *s);

/**
 * Read what there is, a bounded part of it, and tell what has changed. The descriptor stays
 * readable while there is more.
 *
 * @param now_ms a clock that does not go back
 * @return 0; negative errno if nothing more can be learned
 */
int host_qp_source_read(struct host_qp_source *s, uint64_t now_ms);

/** Ask whether probes tell changes when they happen. */
bool host_qp_source_has_probes(const struct host_qp_source *s);

/** Get why there are no probes; "" if there are, or if none were wanted. */
const char *host_qp_source_complaint(const struct host_qp_source *s);

/** Call a function for each RC queue pair, in no order; adapter and state stay until it returns. */
void host_qp_source_walk(const struct host_qp_source *s,
		void (*each)(void *arg, const struct host_qp_view *view), void *arg);

/** Get the numbers. */
void host_qp_source_counts(const struct host_qp_source *s, struct host_qp_counts *counts);

/** End; nothing is told. NULL is allowed. */
void host_qp_source_free(struct host_qp_source *s);

#endif /* HOST_QP_H */
