/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A notice is a message by which a congested switch tells the sender of a packet, or another node
 * in its place, of congestion. A kind of notice has a rule that determines the receiver. Adaptive
 * Routing Notifications are no notices: see fcn_arn_sender.h.
 *
 * Each kind is one struct fcn_notice_kind in a file of its own, and one line in FCN_NOTICE_KINDS;
 * the code that decides about notices, sends, counts and shows them is the same for all kinds. In
 * lib/config a function builds the kind's own configuration.
 *
 * The kinds that send Fast CNPs are about RoCEv2 over IPv6, CNPs about RoCEv2 over IPv6 or IPv4,
 * and others about any flow; for any other packet, a kind's rule says that no notice is due.
 * Several workers call the functions of a kind at the same time, so these only read the
 * configuration and keep no state.
 */

#ifndef FCN_NOTICE_KIND_H
#define FCN_NOTICE_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_notify_link.h"
#include "fcn_param_problem.h"
#include "fcn_parse.h"
#include "fcn_port_limit.h"
#include "fcn_prefix_list.h"

/*
 * The list of kinds: X(symbol, name). The struct fcn_notice_kind is called fcn_notice_<name>, and
 * the function that builds its configuration fcn_build_notice_<name>().
 */
#define FCN_NOTICE_KINDS(X)  \
	X(FAST_CNP, fastcnp) \
	X(ENDCON, endcon)    \
	X(CNM, cnm)          \
	X(CNP, cnp)          \
	X(TRIMMED, trimmed)  \
	FCN_NOTICE_KINDS_OF_TEST(X)

/*
 * Further lines of the list. A test that runs a whole switch with one more kind defines them when
 * it compiles fcn_notice_kind.c and lib/config/notify/notify_build.c for itself. All other code
 * takes the number of kinds from fcn_notice_kind_count.
 */
#ifndef FCN_NOTICE_KINDS_OF_TEST
#define FCN_NOTICE_KINDS_OF_TEST(X)
#endif

enum fcn_notice_kind_number {
#define FCN_NOTICE_ENUM(sym, name) FCN_NOTICE_##sym,
	FCN_NOTICE_KINDS(FCN_NOTICE_ENUM)
#undef FCN_NOTICE_ENUM
};

/** Maximum number of kinds, including those that only a test has. Bit sets of kinds and the flags
 * of queue entries have room for this many, and those of events for more. */
#define FCN_NOTICE_KIND_MAX 8

#define FCN_NOTICE_FORMS \
	6                 /**< maximum number of forms of one kind, such as option 1 and option 2 */
#define FCN_NOTICE_MAX 64 /**< maximum number of notices built in one call */

/*
 * The reasons for which a packet that met congestion causes no notice of a kind: X(symbol, name,
 * text, help). With NOT_ROCE to OTHER_KIND no notice is due. With the others a notice was wanted,
 * and a limit, a lack of room or of a route suppressed it; so wanted = sent + suppressed. The help
 * is what an operator can do about it, with the command; "": it is as it should be.
 */
#define FCN_NOTIFY_REASONS(X)                                                                      \
	X(NONE, "none", "the packet met no congestion, or notices are off", "")                    \
	X(NOT_ROCE, "not_roce", "the packet is not RoCEv2, or is malformed",                       \
			"only RoCEv2 causes notices; set class-map keeps other packets out of "    \
			"its class")                                                               \
	X(NOT_DATA, "not_data",                                                                    \
			"the packet is an acknowledgement, a notice or network control, not data", \
			"")                                                                        \
	X(IPV4, "ipv4",                                                                            \
			"the packet is RoCEv2 over IPv4, for which this kind of notice "           \
			"is not defined",                                                          \
			"set notify cnp on tells a sender whose queue pair is known, and set "     \
			"notify cnm on a proxy of the sender, also over IPv4")                     \
	X(TUNNELLED, "tunnelled", "the packet is RoCEv2 inside a tunnel",                          \
			"set notify endcon on tells the node at which the tunnel begins")          \
	X(SOURCE, "source",                                                                        \
			"the source address of the packet is one that no notice may be "           \
			"sent to",                                                                 \
			"the sender needs an address by which it can be reached")                  \
	X(SENDER_NONE, "sender_none", "the sender does not support this kind of notice",           \
			"show sender tells whether that is configured or learned: sender add "     \
			"PREFIX capable, if it does")                                              \
	X(NOT_TUNNELLED, "not_tunnelled",                                                          \
			"the packet is RoCEv2 outside of tunnels, and this kind of "               \
			"notice is for tunnels",                                                   \
			"set notify fast-cnp on tells the sender itself")                          \
	X(NO_ENDCON, "no_endcon",                                                                  \
			"the tunnel does not begin at a known END.CON address, or that "           \
			"one has refused notices",                                                 \
			"srv6 endcon add PREFIX, with the address at which the tunnel begins")     \
	X(NO_FLOW, "no_flow",                                                                      \
			"the five-tuple of the packet is not known: it is not IP, a fragment, "    \
			"malformed, or its headers are too long",                                  \
			"")                                                                        \
	X(NO_PROXY, "no_proxy", "no proxy is known for the sender of the packet",                  \
			"proxy prefix add PREFIX address ADDRESS, or a program that learns "       \
			"proxies")                                                                 \
	X(PROXY_UNUSABLE, "proxy_unusable",                                                        \
			"the proxy that the packet names may not be told, or the proxy has "       \
			"refused notices, and no other is known",                                  \
			"proxy allowed add PREFIX, with the address of the proxy")                 \
	X(NO_QP, "no_qp", "the queue pair of the sender is not known",                             \
			"proxy qp add RECEIVER QP sender-qp QP, with the address and queue pair "  \
			"that the packets go to")                                                  \
	X(OTHER_KIND, "other_kind",                                                                \
			"another kind of notice has precedence over this one, whether it is sent " \
			"or not",                                                                  \
			"")                                                                        \
	X(INTERVAL, "interval",                                                                    \
			"a notice for the flow was sent less than the minimum interval "           \
			"ago",                                                                     \
			"")                                                                        \
	X(LIGHT_FLOW, "light_flow",                                                                \
			"heavy-flow filter: the flow occupies too little of the queue",            \
			"set queue PORT class CLASS heavy-flows off notifies all senders")         \
	X(BUCKET_QUEUE, "bucket_queue", "the token bucket of the congested queue is empty",        \
			"set notify bucket queue RATE burst BURST")                                \
	X(BUCKET_GLOBAL, "bucket_global", "the token bucket of all notices of this kind is empty", \
			"set notify bucket global RATE burst BURST")                               \
	X(BUCKET_DESTINATION, "bucket_destination",                                                \
			"the token bucket of the notice's receiver is empty",                      \
			"set notify bucket destination RATE burst BURST")                          \
	X(BUCKET_SOURCE, "bucket_source",                                                          \
			"the notice would go to another node in place of the sender, and the "     \
			"token bucket of the sender is empty",                                     \
			"set notify bucket source RATE burst BURST")                               \
	X(BUCKET_LINK, "bucket_link",                                                              \
			"notices have used up their share of the link that the notice would "      \
			"leave by",                                                                \
			"set notify link-share SHARE")                                             \
	X(NO_MBUF, "no_mbuf", "there was no packet buffer for the notice",                         \
			"more packet buffers (--mbufs), or lower limits of queues; show buffer "   \
			"tells who has them")                                                      \
	X(UNREACHABLE, "unreachable",                                                              \
			"the notice's receiver cannot be reached: there is no route, "             \
			"neighbour or link inside the domain",                                     \
			"show route PREFIX and show neighbour tell what is missing: route add "    \
			"PREFIX ..., or the address of a port")

enum fcn_notify_verdict {
#define FCN_NOTIFY_ENUM(sym, name, text, help) FCN_NOTIFY_##sym,
	FCN_NOTIFY_REASONS(FCN_NOTIFY_ENUM)
#undef FCN_NOTIFY_ENUM
	FCN_NOTIFY_SENT,   /**< a notice was made, in the first form of the kind */
	FCN_NOTIFY_SENT_1, /**< a notice was made, in the second form, and so on */
	FCN_NOTIFY_SENT_2,
	FCN_NOTIFY_SENT_3,
	FCN_NOTIFY_SENT_4,
	FCN_NOTIFY_SENT_5,
	FCN_NOTIFY_VERDICT_COUNT,
};

/** A form that notices of a kind can have. It is also the verdict that such a notice was made. */
struct fcn_notice_form {
	const char *name; /**< in counters, events, JSON */
	const char *text; /**< one line for people */
};

/** Number of class queues of a port. */
#define FCN_NOTIFY_CLASSES 8

/** A token bucket of notices. */
struct fcn_notify_bucket {
	uint32_t cost_ns; /**< nanoseconds per token; 0: there is no limit */
	uint32_t burst;   /**< tokens that it can hold, at least 1 */
};

/** Settings that all notices of a switch share. */
struct fcn_notice_common {
	uint8_t source[16]; /**< IPv6 source address: the switch's loopback */
	uint8_t dscp;       /**< 0 to 63; the ECN field of notices is Not-ECT */
	uint8_t hop_limit;
	uint8_t icrc_mode; /**< enum fcn_icrc_mode */
	uint8_t class;     /**< class queue that notices are put into */
	bool entropy;      /**< RoCEv2 notices over IPv6 have the flow label of the packet */
	/** IPv4 source addresses, by the interface that a notice over IPv4 leaves by; 0.0.0.0: it
	 * has none, and no such notice can leave by it */
	uint8_t source4[FCN_MAX_PORTS][4];
	/** By ingress port: number of its part in the buckets of notices, see
	 * fcn_notify_shares.h. Interfaces of one port have the same. */
	uint8_t part[FCN_MAX_PORTS];
	/** By port and class: bucket of the notices of each kind about a congested queue. It is
	 * different from queue to queue, as it follows the rate of the queue. */
	struct fcn_notify_bucket queue[FCN_MAX_PORTS][FCN_NOTIFY_CLASSES];
	/** By egress port: limit of the octets of all notices together. */
	struct fcn_notify_link link[FCN_MAX_PORTS];
	/** The same of notices of kinds that are about lost packets, see fcn_notify_lost(). */
	struct fcn_notify_link loss_link[FCN_MAX_PORTS];
	/** prefixes of END.CON SIDs of this switch; NULL: none. Tunnels that begin there begin
	 * here, where the way to the sender is known. */
	struct fcn_prefix_list *own_endcon;
	/** The bucket of a receiver follows the link by which its notices leave. */
	bool receiver_by_link;
	/** By egress port, if receiver_by_link: bucket of the notices of each kind to a receiver.
	 * None of them takes longer to fill than that of struct fcn_notify_conf. */
	struct fcn_notify_bucket receiver[FCN_MAX_PORTS];
};

/** A notice that is to be built, one cache line. */
struct fcn_notice_order {
	const uint8_t *data;               /**< the frame that the notice is about */
	const struct fcn_wire_info *about; /**< result of fcn_parse() on that frame */
	/** An empty buffer for the notice. Its data begins with the IPv6 header. build() sets its
	 * lengths, and may chain other buffers to it. */
	struct rte_mbuf *mbuf;
	/** Result: build() writes what fcn_parse() would find in the notice. Offsets are 0, and
	 * ip_len is the length of the notice. With a head, l3_off is its length. */
	struct fcn_wire_info *info;
	/** Ethernet header that build() puts in front of the notice, where the kind can do so;
	 * NULL: none. */
	const struct rte_ether_hdr *head;
	uint32_t found; /**< what the kind's prepare() has found out about the packet */
	uint8_t form;   /**< the form that was decided upon */
	/* What the worker needs to know of it. build() does not use it. */
	uint8_t kind;       /**< enum fcn_notice_kind_number */
	uint32_t occupancy; /**< bytes in the congested queue, that packet included */
	/** index of the next hop towards the notice's target, or FCN_NOTICE_BY_BRIDGE */
	uint32_t next_hop;
	const struct rte_mbuf *cause; /**< that packet, chained or not */
} __rte_cache_aligned;

_Static_assert(sizeof(struct fcn_notice_order) == 64, "an order is one cache line");

/** What else is known about a notice that quotes the packet it is about. */
struct fcn_notice_quote {
	/** source address of a notice over IPv4, 4 bytes; NULL: the address that it is sent to, as
	 * the switch takes it itself */
	const uint8_t *source4;
	uint16_t mtu;  /**< maximum length of the notice, from its IP header on, for its next hop */
	uint8_t level; /**< congestion level, 0 to 7 */
};

struct fcn_notify_conf;
struct fcn_notify_state;
struct fcn_notify_place;
struct fcn_notify_case;

/** A kind of notice. */
struct fcn_notice_kind {
	const char *name;  /**< lower case, for counters, events, JSON and metrics */
	const char *title; /**< for texts that people read */
	struct fcn_notice_form form[FCN_NOTICE_FORMS]; /**< the name of an unused form is NULL */
	/** Notices are about packets in tunnels, and are sent to the END.CON address at which the
	 * tunnel begins. */
	bool to_endcon;
	/** Notices are sent to the proxy of a sender, which may be this switch itself. */
	bool to_proxy;
	/** Notices are about packets for which a queue has no room, one about each, where the queue
	 * asks for them. Those of other kinds are about congestion. Neither intervals nor buckets
	 * limit them, only a share of the link. */
	bool about_loss;
	/** Notices are RoCEv2 packets, which steering may tell from others. */
	bool is_roce;
	/** Greatest length of a notice of this kind, if build() can put the Ethernet header of its
	 * next hop in front of it; 0: it cannot. */
	uint16_t framed_max;

	/**
	 * Find out about packets whether notices are due. Of each packet, `due` is written, and if
	 * a notice is due, what the limits need to know. FCN_NOTICE_PREPARE() defines this function
	 * from the kind's rule. The limits, which are the same for all kinds, follow in
	 * fcn_notify_limit().
	 */
	void (*prepare)(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
			struct fcn_notify_case *c, unsigned int n);

	/**
	 * Build a burst of notices.
	 *
	 * @param conf   the kind's own configuration
	 * @param common the settings that all kinds share
	 * @param order  the notices to be built
	 * @param n      their number, 1 to FCN_NOTICE_MAX
	 */
	void (*build)(const void *conf, const struct fcn_notice_common *common,
			const struct fcn_notice_order *order, unsigned int n);

	/**
	 * The same for a kind whose notices quote the packets that they are about, in place of
	 * build(), which is NULL then.
	 *
	 * @param quote what else is known of each of the notices
	 */
	void (*build_quoting)(const void *conf, const struct fcn_notice_common *common,
			const struct fcn_notice_order *order, const struct fcn_notice_quote *quote,
			unsigned int n);

	/**
	 * Recognise an ICMP error by which the receiver of a notice says that it does not
	 * understand notices of this kind (RFC 8200 section 4.2, RFC 4443 sections 3.1 and 3.4, RFC
	 * 792). NULL: notices of this kind cause no such message.
	 *
	 * The message may be forged. The caller finds out whether the switch sent such a notice.
	 *
	 * @param conf    the kind's own configuration
	 * @param common  the settings that all kinds share
	 * @param ip      IPv6 or IPv4 header of the message
	 * @param len     bytes readable at ip
	 * @param refused written when the result is true: the notice that the message quotes
	 * @return whether the message is valid, and quotes a notice of this kind as this switch
	 *         builds it
	 */
	bool (*is_refused)(const void *conf, const struct fcn_notice_common *common,
			const uint8_t *ip, uint32_t len, struct fcn_refused_notice *refused);

	/** Free the kind's own configuration. No worker reads it any more. NULL is allowed. */
	void (*free)(void *conf);
};

/** The kinds, by enum fcn_notice_kind_number. */
extern const struct fcn_notice_kind *const fcn_notice_kinds[];

/** Number of kinds. */
extern const unsigned int fcn_notice_kind_count;

/**
 * Get a kind by its number, for its name, title and forms.
 *
 * @return never NULL: a number that no kind has gives a kind whose name is "notice"
 */
const struct fcn_notice_kind *fcn_notice_kind_of(unsigned int number);

/** Check whether a verdict (enum fcn_notify_verdict) says that a notice was made. */
static inline bool
fcn_notify_verdict_is_sent(unsigned int v)
{
	return v >= FCN_NOTIFY_SENT;
}

/** Check whether a verdict says that a notice was wanted, and suppressed. */
static inline bool
fcn_notify_verdict_is_suppressed(unsigned int v)
{
	return v >= FCN_NOTIFY_INTERVAL && v < FCN_NOTIFY_SENT;
}

/**
 * Get the name that a verdict has in counters, events and JSON.
 *
 * @param kind the kind that the verdict is of, as the forms differ
 * @return never NULL; "unknown" for a form that the kind does not have
 */
const char *fcn_notify_verdict_name(const struct fcn_notice_kind *kind, unsigned int v);

/** Get the meaning of a verdict as one line of text. @return as fcn_notify_verdict_name() */
const char *fcn_notify_verdict_text(const struct fcn_notice_kind *kind, unsigned int v);

/** Get what an operator can do so that a packet with this verdict causes a notice, one line without
 * a full stop; "" if the verdict is as it should be, or if a notice was sent. */
const char *fcn_notify_verdict_help(unsigned int v);

/** Check whether a kind can give a verdict: it is one of the reasons, or one of the forms of this
 * kind. */
bool fcn_notify_verdict_exists(const struct fcn_notice_kind *kind, unsigned int v);

#endif /* FCN_NOTICE_KIND_H */
