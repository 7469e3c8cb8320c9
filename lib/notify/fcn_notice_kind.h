/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A kind of notice: what a congested switch can send about a packet, and to
 * whom. Each kind is one file with one struct fcn_notice_kind, and one line in
 * FCN_NOTICE_KINDS. Nothing else knows its name or its format.
 *
 * All functions of a kind are called by workers, on several threads at once:
 * they only read the configuration, and keep no state.
 */

#ifndef FCN_NOTICE_KIND_H
#define FCN_NOTICE_KIND_H

#include <stdbool.h>
#include <stdint.h>

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

#define FCN_NOTICE_KIND_MAX                                                                   \
	4                  /**< kinds a switch can have, those that only a test adds included \
			    */
#define FCN_NOTICE_FORMS 6 /**< forms that the notices of one kind can have */
#define FCN_NOTICE_REQUEST_MAX 64 /**< bytes of a kind's request */

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
	X(BUCKET_GLOBAL, "bucket_global", "token bucket of all notices is empty")                \
	X(BUCKET_DESTINATION, "bucket_destination",                                              \
			"token bucket of the notice's receiver is empty")                        \
	X(BURST_FULL, "burst_full", "more notices in one turn than a worker makes")              \
	X(NO_MBUF, "no_mbuf", "no buffer for the notice")                                        \
	X(UNREACHABLE, "unreachable",                                                            \
			"no route, neighbour or link inside the domain by which a notice could " \
			"reach "                                                                 \
			"the sender")

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

struct fcn_notice_kind {
	const char *name;  /**< in counters, events, JSON, metrics: lower case */
	const char *title; /**< in texts for people */
	struct fcn_notice_form form[FCN_NOTICE_FORMS]; /**< those that are not used have no name */
	uint16_t request_size;                         /**< at most FCN_NOTICE_REQUEST_MAX */

	/**
	 * Whether a notice about a packet is due, whatever the limits say.
	 *
	 * @param conf the kind's own configuration
	 * @param data the frame
	 * @param info result of fcn_parse() on it
	 */
	struct fcn_notice_due (*due)(const void *conf, const struct fcn_notice_common *common,
			const uint8_t *data, const struct fcn_wire_info *info);

	/**
	 * Note what a notice needs of the packet it is about, which stays where it is until
	 * build() was called.
	 *
	 * @param form    what due() said
	 * @param buf     where the IPv6 header of the notice goes
	 * @param request request_size bytes
	 */
	void (*request)(const void *conf, uint8_t form, const uint8_t *data,
			const struct fcn_wire_info *info, uint8_t *buf, void *request);

	/**
	 * Build a burst of notices.
	 *
	 * @param requests n of them, one behind the other
	 * @param info     of each notice: written in full, with offsets from its IPv6 header on;
	 *                 ip_len is its length
	 */
	void (*build)(const void *conf, const struct fcn_notice_common *common, void *requests,
			unsigned int n, struct fcn_wire_info *const *info);

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
