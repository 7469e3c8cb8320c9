/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a worker knows as a part of a proxy network node: flows under notification, pauses of
 * senders' links, flows whose packets are marked, and counters. Only the worker writes it; others
 * use fcn_worker_call(). Times are in nanoseconds, numbers in host byte order.
 *
 * A Congestion Notification Message is checked by the worker that received it. What it asks for is
 * then decided by one worker for each flow, the owner, whatever worker received it.
 */

#ifndef FCN_PROXY_STATE_H
#define FCN_PROXY_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_counter.h"
#include "fcn_fastcnp.h"
#include "fcn_flow_descriptor.h"
#include "fcn_port_limit.h"
#include "fcn_proxy_flows.h"
#include "fcn_queue.h"
#include "fcn_source_limit.h"

#define FCN_PROXY_CLAIMS 256    /**< messages of a worker that may wait for it; a power of two */
#define FCN_PROXY_MARK_SETS 128 /**< sets of flows whose packets are marked; a power of two */
#define FCN_PROXY_MARK_WAYS 8   /**< flows of a set */
#define FCN_PROXY_MARKS (FCN_PROXY_MARK_SETS * FCN_PROXY_MARK_WAYS)

/** longest IOAM trace that fits into a Fast CNP, in bytes */
#define FCN_PROXY_TRACE_LEN (FCN_IOAM_TRACE_HDR_LEN + 4 * FCN_FASTCNP_MAX_TRACE_WORDS)

/*
 * In `show proxy`; the form of the list is described in fcn_counter.h. Each message that was
 * accepted counts once more in one of the lists behind this one, or it waits.
 */
#define FCN_PROXY_MESSAGE_COUNTERS(X)                                                        \
	X(accepted, "messages", COUNTER, "proxy_messages",                                   \
			"Congestion notification messages that were accepted")               \
	X(refused, "refused", COUNTER, "proxy_refused_messages",                             \
			"Congestion notification messages to the switch that were refused")  \
	X(lost, "lost", COUNTER, "proxy_lost_messages",                                      \
			"Accepted messages that were lost, because the worker that decides " \
			"about the flow had too many to process, or the proxy was turned off")

/* Messages that notified the sender of their flow, or raised the level of a notification. */
#define FCN_PROXY_SENT_COUNTERS(X)                                                              \
	X(fast_cnps, "fast_cnp_option1", COUNTER, "proxy_fast_cnps",                            \
			"Fast CNPs with option 1 sent")                                         \
	X(fast_cnps_trace, "fast_cnp_option2", COUNTER, "proxy_fast_cnps_trace",                \
			"Fast CNPs with option 2 sent, with the IOAM trace of the packet")      \
	X(fast_cnps_no_trace, "fast_cnp_no_trace", COUNTER, "proxy_fast_cnps_no_trace",         \
			"Fast CNPs with option 1 sent, because the message does not contain "   \
			"a whole IOAM trace that fits into option 2, or as the trace may not "  \
			"leave its domain")                                                     \
	X(cnps, "cnp", COUNTER, "proxy_cnps", "CNPs sent in the name of receivers")             \
	X(pauses, "pfc", COUNTER, "proxy_pauses", "Times that a sender's link was paused")      \
	X(marks, "ce", COUNTER, "proxy_marks",                                                  \
			"Times that packets of a flow began, or went on, to be marked with CE") \
	X(raised, "raised", COUNTER, "proxy_raised",                                            \
			"Messages within the interval of a flow that reported a higher level")

/* Messages that notified nobody. */
#define FCN_PROXY_SUPPRESSED_COUNTERS(X)                                                           \
	X(paced, "suppressed_interval", COUNTER, "proxy_suppressed_interval",                      \
			"Messages within the interval of a flow")                                  \
	X(unknown, "suppressed_unknown", COUNTER, "proxy_suppressed_unknown",                      \
			"Messages about senders that are in no prefix of proxy sender add")        \
	X(none, "suppressed_none", COUNTER, "proxy_suppressed_none",                               \
			"Messages about senders whose prefix has the translation none")            \
	X(untranslatable, "suppressed_untranslatable", COUNTER, "proxy_suppressed_untranslatable", \
			"Messages about senders that only understand CNPs or Fast CNPs, and "      \
			"about flows for which there are none: flows other than RoCEv2 data, "     \
			"and for Fast CNPs flows over IPv4")                                       \
	X(no_qp, "suppressed_no_qp", COUNTER, "proxy_suppressed_no_qp",                            \
			"Messages about flows whose sender's queue pair is not known")             \
	X(unreachable, "suppressed_unreachable", COUNTER, "proxy_suppressed_unreachable",          \
			"Messages about senders to which there is no way at the moment")           \
	X(not_attached, "suppressed_not_attached", COUNTER, "proxy_suppressed_not_attached",       \
			"Messages about senders that are to be paused, and are not directly "      \
			"attached")                                                                \
	X(not_lossless, "suppressed_not_lossless", COUNTER, "proxy_suppressed_not_lossless",       \
			"Messages about senders that are to be paused, in a class for which "      \
			"their port does not send PFC, or which the DSCP does not tell")           \
	X(link, "suppressed_link", COUNTER, "proxy_suppressed_link",                               \
			"Messages about senders behind a link of which notices have used up "      \
			"their share")                                                             \
	X(no_mbuf, "suppressed_no_mbuf", COUNTER, "proxy_suppressed_no_mbuf",                      \
			"Messages for whose translation there was no packet buffer")

/* What became of packets, and the tables. */
#define FCN_PROXY_TABLE_COUNTERS(X)                                                                \
	X(marked, "marked_packets", COUNTER, "proxy_marked_packets",                               \
			"Packets of flows under notification that were marked with CE")            \
	X(not_ect, "not_ect_packets", COUNTER, "proxy_not_ect_packets",                            \
			"Packets of these flows that were to be marked and are Not-ECT")           \
	X(mark_forgotten, "marks_forgotten", COUNTER, "proxy_forgotten_marks",                     \
			"Flows whose packets were no longer marked, at one worker, because "       \
			"another flow took their place")                                           \
	X(not_distributed, "not_distributed", COUNTER, "proxy_not_distributed",                    \
			"Times that a worker was not told to mark the packets of a flow, because " \
			"the ring to it was full")                                                 \
	X(intercepted, "intercepted", COUNTER, "proxy_intercepted",                                \
			"Fast CNPs on their way to senders that were translated into CNPs")        \
	X(intercept_no_qp, "intercept_no_qp", COUNTER, "proxy_intercept_no_qp",                    \
			"Fast CNPs that went on as they were, because the queue pair of the "      \
			"sender is not known")                                                     \
	X(intercept_malformed, "intercept_malformed", COUNTER, "proxy_intercept_malformed",        \
			"Fast CNPs that went on as they were, because their option or a checksum " \
			"is wrong")

/* In `show proxy`, too: a counter of the table of flows. */
#define FCN_PROXY_FORGOTTEN(X)                                                                 \
	X(flows_forgotten, "flows_forgotten", COUNTER, "proxy_forgotten_flows",                \
			"Flows that the proxy no longer remembers, because another flow took " \
			"their place")

/** All counters. */
struct fcn_proxy_counters {
	FCN_PROXY_MESSAGE_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PROXY_SENT_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PROXY_SUPPRESSED_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PROXY_TABLE_COUNTERS(FCN_COUNTER_MEMBER)
};

/** What a message that was accepted says, for the owner of the flow. */
struct fcn_proxy_claim {
	struct fcn_flow_descriptor flow; /**< with the level; its padding is 0 */
	uint32_t dest_qp;                /**< queue pair that the quoted packet goes to */
	uint16_t p_key;                  /**< of the quoted packet */
	uint16_t in_port;                /**< port that received the message */
	uint64_t generation;             /**< snapshot that the translation is from */
	uint8_t translation;             /**< enum fcn_proxy_translation */
	uint8_t tclass;                  /**< traffic class or TOS of the quoted packet */
	bool has_quote;                  /**< what the quoted packet tells is known */
	bool is_data;                    /**< the quoted packet is a data packet of RoCEv2 */
	uint8_t trace_type;              /**< IOAM Opt-Type of the trace */
	uint16_t trace_len; /**< bytes of the IOAM trace of the quoted packet; 0: there is none */
	uint8_t trace[FCN_PROXY_TRACE_LEN];
};

/** The order of the owner of a flow to another worker to mark packets of the flow. */
struct fcn_proxy_order {
	struct fcn_flow_descriptor flow; /**< with the level; its padding is 0 */
	uint64_t until_ns;               /**< until when packets are marked */
};

/** A flow whose packets are marked. */
struct fcn_proxy_mark {
	/** The flow. Its level is the highest of the notifications whose marking time may not be
	 * over yet; of its packets, level + 1 eighths are marked. */
	struct fcn_flow_descriptor flow;
	bool used;
	uint8_t eighths;     /**< eighths of a packet that are still to be marked, below 8 */
	uint64_t generation; /**< snapshot by which the sender was last found to be told by marks */
	uint64_t until_ns[FCN_PROXY_LEVEL_MAX +
			  1]; /**< until when each level runs; 0: it does not */
};

/** State of a worker. */
struct fcn_proxy_state {
	bool on; /**< messages are received, as the last snapshot says */
	struct fcn_proxy_counters counters;
	struct fcn_source_limit limit; /**< of messages received */
	struct fcn_proxy_flows flows;  /**< those that this worker owns */
	/** Messages received for flows that this worker owns, a ring of FCN_PROXY_CLAIMS. */
	struct fcn_proxy_claim *claim;
	uint32_t claim_head; /**< number of the next one to process */
	uint32_t claim_tail; /**< number of the next one to receive */
	/** Round robin: peer whose message is processed next; n_peers: this worker. */
	unsigned int round_robin_next;
	struct fcn_proxy_mark *mark; /**< FCN_PROXY_MARKS of them, by sets */
	uint32_t n_marks;    /**< flows whose packets are marked; 0: no packet is looked at */
	uint32_t mark_swept; /**< set that is searched next for flows whose time is over */
	/** By port and class: until when this worker has the link partner paused; 0: it has not. */
	uint64_t pause_until[FCN_MAX_PORTS][FCN_CLASSES];
	uint64_t pause_next_ns;           /**< no pause ends before this time */
	uint64_t event_ns[FCN_MAX_PORTS]; /**< time of the last event, by port; 0: never */
};

/**
 * Initialise the state.
 *
 * @param socket NUMA node of the memory
 * @return 0 or -ENOMEM
 */
int fcn_proxy_state_init(struct fcn_proxy_state *s, int socket);

/** Free what the state has allocated; also after a failed init. */
void fcn_proxy_state_fini(struct fcn_proxy_state *s);

/** Set the counters to zero. Flows and pauses stay. */
void fcn_proxy_state_clear(struct fcn_proxy_state *s);

/** Get the number of messages that wait for the worker, without those in rings. */
static inline uint32_t
fcn_proxy_n_claims(const struct fcn_proxy_state *s)
{
	return s->claim_tail - s->claim_head;
}

#endif /* FCN_PROXY_STATE_H */
