/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The parts of fcn_snapshot_build(), and what they share. Each function that
 * takes a snapshot fills its part of it, and returns 0, or -1 with a message in
 * err. Internal to lib/config.
 */

#ifndef FCN_BUILD_PARTS_H
#define FCN_BUILD_PARTS_H

#include "fcn_build.h"

/** Write a message of one line to err. @return -1 */
int fcn_build_fail(char *err, size_t size, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

/** Convert a ratio from billionths to units of 2^-32, rounded down. */
uint64_t fcn_build_fixed(uint64_t ratio);

/** Get the time after which a bucket gains a token, in nanoseconds; 0: it sets no limit. */
uint32_t fcn_build_cost_ns(const struct fcn_config_bucket *b);

/** What is configured of messages of one kind that other nodes send, with names for errors. */
struct fcn_build_received {
	const struct fcn_config_bucket *each, *all; /**< of each node, and of all */
	const char *each_name, *all_name;
};

/**
 * Build the limits of messages of one kind that other nodes send. Each worker has the limit of each
 * node, and a part of a configured one of all nodes; the defaults are by port. The links of all
 * ports are filled in already.
 *
 * @return 0; -1 if a bucket takes too long to fill, with a message in err
 */
int fcn_build_source_limits(const struct fcn_build_received *from, unsigned int n_workers,
		const struct fcn_snapshot *s, struct fcn_source_limits *to, char *err, size_t size);

/**
 * Get the limit that lets trimmed packets, or notices about them, use a share of a link at most.
 * Each of the workers has an equal part of it.
 *
 * @param share in billionths of the link; 0: there is no limit
 * @param bps   speed of the link, bits per second; 0: not known, no limit
 */
struct fcn_notify_link fcn_build_trim_share(uint64_t share, unsigned int n_workers, uint64_t bps);

/** Build how trimmed packets leave by a port, whose link is built already. */
int fcn_build_trim(const struct fcn_config *cfg, unsigned int number, struct fcn_snapshot *s,
		char *err, size_t size);

/** Get the maximum frame length of a port in bytes without FCS: with two VLAN tags in a bridge. */
uint32_t fcn_build_frame(const struct fcn_config_port *port);

/** Compute the bytes that leave within a time (ns) at a rate (bits per second). */
uint32_t fcn_build_bytes(uint64_t bps, uint64_t ns);

/** Compute the time (ns) that the longest frame of a port takes at a rate (bits per second). */
uint64_t fcn_build_frame_ns(const struct fcn_config_port *port, uint64_t bps);

/** Get the limit of a queue in bytes: the configured one, or the default at its rate. */
uint32_t fcn_build_limit(const struct fcn_config_queue *q, uint64_t rate_bps);
/** Get the limit of a queue in packets: the configured one, or the default for a limit in bytes. */
uint32_t fcn_build_limit_packets(const struct fcn_config_queue *q, uint32_t limit_bytes);
/** Get the number of packets for which a queue needs memory. All ports' flow control and the buffer
 * are built already. */
uint32_t fcn_build_slots(const struct fcn_snapshot *s, unsigned int class,
		const struct fcn_config_queue *q, uint32_t limit_packets);
/** Get how many bytes a queue can hold: its limit, or what it can have of the shared buffer while
 * other queues are empty. */
uint32_t fcn_build_room(const struct fcn_config_queue *q, uint32_t limit_bytes,
		const struct fcn_buffer_conf *buffer);

/**
 * Fit the default of a threshold into what a queue can hold: at most an eighth of it, but at least
 * a frame, and at most half of it if that is less than a frame.
 *
 * @param bytes by the rate alone
 * @param room  bytes that the queue can hold
 */
uint32_t fcn_build_threshold(const struct fcn_config_port *port, uint32_t bytes, uint32_t room);
/** Get the bytes at which a queue is congested: those configured, or the default. */
uint32_t fcn_build_enter(const struct fcn_config_port *port, const struct fcn_config_detector *c,
		uint64_t rate_bps, uint32_t room);
/** Get the bytes from which on RED selects all packets: those configured, or the default. */
uint32_t fcn_build_kmax(const struct fcn_config_detector *c, uint32_t enter, uint64_t rate_bps,
		uint32_t room);

/** Get the rate at which a class queue can drain: the lowest of the link's, the port's shaper's and
 * its own peak rate. */
uint64_t fcn_build_queue_rate(const struct fcn_config_port *port, const struct fcn_config_queue *q,
		uint64_t link_bps);

/** Build scheduler, shapers, queues and detectors of a port. The flow control of all ports and the
 * buffer are built already. */
int fcn_build_egress(const struct fcn_config *cfg, const struct fcn_build_env *env,
		unsigned int number, struct fcn_snapshot *s, char *err, size_t size);

/** Build the flow control of a port, whose link_bps is filled in already, without the static
 * thresholds of lossless classes. */
int fcn_build_pfc(const struct fcn_config *cfg, const struct fcn_build_env *env,
		unsigned int number, struct fcn_snapshot *s, char *err, size_t size);

/** Build the static thresholds of a port's lossless classes. The buffer is built already. */
int fcn_build_pfc_thresholds(const struct fcn_config *cfg, unsigned int number,
		struct fcn_snapshot *s, char *err, size_t size);

/** Compute the part of the buffer that is left to share. The flow control of all ports is built
 * already. */
int fcn_build_buffer(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Build the budget of packet buffers. The flow control of all ports and the buffer are built
 * already. */
void fcn_build_budget(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s);

/** Build IOAM of the switch and of ports. */
int fcn_build_ioam(const struct fcn_config *cfg, struct fcn_snapshot *s, char *err, size_t size);

/** Build the border of the domain, and the trust in ports. */
int fcn_build_border(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Build the outer headers of all segment lists of policies, without what leads to their first
 * segments, and allocate the steering rules. @return 0; -1 with a message in err */
int fcn_build_srv6_encaps(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);
/** Find the element of s->srv6.encaps[] of a segment list by its serial. @return -ENOENT */
int fcn_build_srv6_encaps_find(const struct fcn_snapshot *s, uint64_t serial);
/** Look up what leads to the first segment of a list, in the main table. Groups of paths are built,
 * but next hops that are segment lists are not. */
void fcn_build_srv6_via(const struct fcn_snapshot *s, struct fcn_encaps *e);
/** Build the next hop of element `index` of s->srv6.encaps[]. It is "no route" if nothing leads to
 * the first segment. */
void fcn_build_srv6_next_hop(const struct fcn_snapshot *s, uint32_t index, struct fcn_next_hop *nh);

/** Build a steering rule. @param next_hop index of the next hop of its policy */
void fcn_build_srv6_steering(const struct fcn_config_srv6_steering *from, uint32_t next_hop,
		bool is_live, struct fcn_steering *to);

/** Build the next hop that is the local SID of the kernel with this serial, if there is one and the
 * switch can do what it does. */
void fcn_build_kernel_sid_next_hop(const struct fcn_config *cfg, const struct fcn_build_env *env,
		uint64_t serial, struct fcn_next_hop *nh);

/** Build local SIDs and END.CON of SRv6. The routes are built already. */
int fcn_build_srv6_sids(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Free what fcn_build_srv6_sids() allocated, whether it succeeded or not. */
void fcn_build_srv6_sids_free(struct fcn_snapshot *s);
/** Build precise flow control. */
int fcn_build_arn(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Build the ports that insert or remove the option with the address of a proxy. The border is
 * built already. */
int fcn_build_proxy_edge(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);
/** Build the proxy for congestion notification. The notices are built already. */
int fcn_build_proxy(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);
/** Build the map of queue pairs, unless it is there already: the proxy uses it, and CNPs to
 * senders. fcn_build_proxy_free() frees it. */
int fcn_build_qps(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);
/** Free what fcn_build_proxy() allocated, whether it succeeded or not. */
void fcn_build_proxy_free(struct fcn_snapshot *s);

/** Check that ports belong to tables that exist, and have different addresses within a table. */
int fcn_build_check_tables(const struct fcn_config *cfg, char *err, size_t size);

/** Build notices of all kinds. */
int fcn_build_notify(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Free what fcn_build_notify() allocated, whether it succeeded or not. */
void fcn_build_notify_free(struct fcn_snapshot *s);

/**
 * Build what a kind of notice that sends Fast CNPs has in common with the others.
 *
 * @param kind   enum fcn_notice_kind_number, for the senders that refused notices of this kind
 * @param notice result: the header fields of its Fast CNPs
 * @param out    result: all but what fcn_fastcnp_kind_init() makes of notice
 */
int fcn_build_fastcnp_kind(const struct fcn_config *cfg, const struct fcn_build_env *env,
		const struct fcn_snapshot *s, unsigned int kind, struct fcn_fastcnp_conf *notice,
		struct fcn_fastcnp_kind_conf *out, char *err, size_t size);

/* fcn_build_notice_<name>() builds the configuration that only this kind of notice has. What all
 * kinds have in common is filled in already. */
#define FCN_BUILD_NOTICE(sym, name)                                                                \
	int fcn_build_notice_##name(const struct fcn_config *cfg, const struct fcn_build_env *env, \
			struct fcn_snapshot *s, char *err, size_t size);
FCN_NOTICE_KINDS(FCN_BUILD_NOTICE)
#undef FCN_BUILD_NOTICE

#endif /* FCN_BUILD_PARTS_H */
