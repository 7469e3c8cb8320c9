/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A kind of notice: what a congested switch can send about a packet, and to
 * whom. Each kind is one struct fcn_notice_kind in a file of its own, and one
 * line in FCN_NOTICE_KINDS; what decides, sends, counts and shows notices knows
 * no more of it. Control has a function that makes the kind's own configuration,
 * and commands for that.
 *
 * Notices are about RoCEv2 over IPv6: a kind says of any other packet that none
 * is due. All functions of a kind are called by workers, on several threads at
 * once: they only read the configuration, and keep no state.
 */

#ifndef FCN_NOTICE_KIND_H
#define FCN_NOTICE_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_parse.h"

/*
 * X(symbol, name). The kinds there are. The struct fcn_notice_kind is called
 * fcn_notice_<name>, what makes its configuration fcn_build_notice_<name>().
 */
#define FCN_NOTICE_KINDS(X) X(FAST_CNP, fastcnp)

enum fcn_notice_kind_number {
#define FCN_NOTICE_ENUM(sym, name) FCN_NOTICE_##sym,
	FCN_NOTICE_KINDS(FCN_NOTICE_ENUM)
#undef FCN_NOTICE_ENUM
	FCN_NOTICE_KIND_COUNT,
};

/** Kinds a switch can have, those that only a test adds included. Packets, queue entries and events
 * have room for so many in their flags. */
#define FCN_NOTICE_KIND_MAX 4

#define FCN_NOTICE_FORMS 6 /**< forms that the notices of one kind can have */
#define FCN_NOTICE_MAX 64  /**< notices built in one go */

/*
 * What became of a packet that met congestion in a queue with notices on, as
 * far as one kind of notice is concerned: X(symbol, name, text). From NOT_ROCE to
 * SENDER_NONE no notice is due, and this is why; from INTERVAL on one was
 * wanted and a limit suppressed it, so that wanted = sent + suppressed by reason.
 */
#define FCN_NOTIFY_REASONS(X)                                                                    \
	X(NONE, "none", "met no congestion, or notices are off")                                 \
	X(NOT_ROCE, "not_roce", "not RoCEv2, or malformed")                                      \
	X(NOT_DATA, "not_data", "acknowledgement or CNP")                                        \
	X(IPV4, "ipv4", "RoCEv2 over IPv4, for which this kind of notice does not exist")        \
	X(TUNNELLED, "tunnelled", "RoCEv2 inside a tunnel")                                      \
	X(SOURCE, "source", "source address is not one to answer")                               \
	X(SENDER_NONE, "sender_none", "sender does not understand this kind of notice")          \
	X(INTERVAL, "interval", "flow was notified less than the minimum interval ago")          \
	X(CONTRIBUTOR, "contributor", "flow holds less than its part of the queue")              \
	X(BUCKET_QUEUE, "bucket_queue", "token bucket of the congested queue is empty")          \
	X(BUCKET_GLOBAL, "bucket_global", "token bucket of all notices of this kind is empty")   \
	X(BUCKET_DESTINATION, "bucket_destination",                                              \
			"token bucket of the notice's receiver is empty")                        \
	X(BURST_FULL, "burst_full", "more notices in one turn than a worker makes")              \
	X(NO_MBUF, "no_mbuf", "no buffer for the notice")                                        \
	X(UNREACHABLE, "unreachable",                                                            \
			"no route, neighbour or link inside the domain leads a notice where it " \
			"goes")

enum fcn_notify_verdict {
#define FCN_NOTIFY_ENUM(sym, name, text) FCN_NOTIFY_##sym,
	FCN_NOTIFY_REASONS(FCN_NOTIFY_ENUM)
#undef FCN_NOTIFY_ENUM
	FCN_NOTIFY_SENT,   /**< a notice was made, in the kind's first form */
	FCN_NOTIFY_SENT_1, /**< ... in its second */
	FCN_NOTIFY_SENT_2,
	FCN_NOTIFY_SENT_3,
	FCN_NOTIFY_SENT_4,
	FCN_NOTIFY_SENT_5,
	FCN_NOTIFY_VERDICT_COUNT,
};

/** A form that notices of a kind can have, and the verdict that such a one was made. */
struct fcn_notice_form {
	const char *name; /**< in counters, events, JSON */
	const char *text; /**< one line for people */
};

/** What a kind says about a packet. */
struct fcn_notice_due {
	const uint8_t *to;  /**< 16 bytes: IPv6 address that the notice would go to */
	uint8_t reason;     /**< FCN_NOTIFY_NONE: a notice is due; else why there is none, up to
			       SENDER_NONE */
	uint8_t form;       /**< form that the notice would have ... */
	uint8_t edge_form;  /**< ... and where it leaves by an edge of the IOAM domain, which no
			       trace may cross (RFC 9486 section 4) */
	bool replaces_mark; /**< who is notified needs no CE mark on the packet */
};

/** What the notices of a switch have in common. */
struct fcn_notice_common {
	uint8_t source[16]; /**< IPv6 source address: the switch's loopback */
	uint8_t dscp;       /**< 0..63; the ECN field is Not-ECT */
	uint8_t hop_limit;
	uint8_t icrc_mode; /**< enum fcn_icrc_mode */
	uint8_t class;     /**< class queue they wait in */
};

/** A notice that is to be built. */
struct fcn_notice_order {
	const uint8_t *data;               /**< the frame it is about */
	const struct fcn_wire_info *about; /**< result of fcn_parse() on that */
	/** Empty; its data begins where the IPv6 header goes. build() sets its lengths, and may
	 * chain other buffers to it. */
	struct rte_mbuf *mbuf;
	/** Result, written in full: what it holds. Offsets are 0; ip_len is its length. */
	struct fcn_wire_info *info;
	uint8_t form; /**< what due() said */
};

struct fcn_notice_kind {
	const char *name;  /**< in counters, events, JSON, metrics: lower case */
	const char *title; /**< in texts for people */
	struct fcn_notice_form form[FCN_NOTICE_FORMS]; /**< those that are not used have no name */

	/**
	 * Whether a notice about a packet is due, whatever the limits say.
	 *
	 * @param conf the kind's own configuration
	 * @param data the frame
	 * @param info result of fcn_parse() on it
	 * @param due  zero before; without a reason not to, all of it is filled in
	 */
	void (*due)(const void *conf, const struct fcn_notice_common *common, const uint8_t *data,
			const struct fcn_wire_info *info, struct fcn_notice_due *due);

	/**
	 * Build a burst of notices.
	 *
	 * @param order n of them, 1..FCN_NOTICE_MAX
	 */
	void (*build)(const void *conf, const struct fcn_notice_common *common,
			const struct fcn_notice_order *order, unsigned int n);

	/** Free the kind's own configuration, when no worker reads it any more. NULL is allowed. */
	void (*free)(void *conf);
};

/** The kinds by number, FCN_NOTICE_KIND_COUNT of them. */
extern const struct fcn_notice_kind *const fcn_notice_kinds[FCN_NOTICE_KIND_COUNT];

/**
 * A kind by its number, for those who only have that: name, title and forms.
 *
 * @return never NULL; of a number that is none's, one that is called "notice"
 */
const struct fcn_notice_kind *fcn_notice_kind_of(unsigned int number);

static inline bool
fcn_notify_verdict_is_sent(unsigned int v)
{
	return v >= FCN_NOTIFY_SENT;
}

static inline bool
fcn_notify_verdict_is_suppressed(unsigned int v)
{
	return v >= FCN_NOTIFY_INTERVAL && v < FCN_NOTIFY_SENT;
}

/**
 * Name of a verdict in counters, events and JSON.
 *
 * @return never NULL
 */
const char *fcn_notify_verdict_name(const struct fcn_notice_kind *kind, unsigned int v);

/** One line of text for people, likewise. */
const char *fcn_notify_verdict_text(const struct fcn_notice_kind *kind, unsigned int v);

/** Whether a kind can come to a verdict: the forms it does not have are none. */
bool fcn_notify_verdict_exists(const struct fcn_notice_kind *kind, unsigned int v);

#endif /* FCN_NOTICE_KIND_H */
