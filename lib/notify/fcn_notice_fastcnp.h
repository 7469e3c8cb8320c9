/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Fast CNP as a kind of notice. It goes to the sender of the packet, with option 1 or option 2
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4).
 */

#ifndef FCN_NOTICE_FASTCNP_H
#define FCN_NOTICE_FASTCNP_H

#include "fcn_fastcnp.h"
#include "fcn_notice_kind.h"
#include "fcn_prefix_list.h"

/** Capability of a sender to process Fast CNPs (draft-xiao-rtgwg-rocev2-fast-cnp section 4). */
enum fcn_sender_capability {
	/**
	 * It is not known: the sender is notified, and its packets are also CE-marked if both
	 * marking and `mark-unknown` are on.
	 */
	FCN_SENDER_UNKNOWN,
	FCN_SENDER_CAPABLE, /**< It can: a notice to it replaces the CE mark on the packet. */
	FCN_SENDER_NONE,    /**< It cannot: its packets are only CE-marked. */
};

/** The kind's own configuration. Workers only read it. */
struct fcn_notice_fastcnp_conf {
	/** a notice to a sender of unknown capability does not replace the mark */
	bool mark_unknown;
	enum fcn_sender_capability default_capability; /**< of senders that no prefix covers */
	struct fcn_prefix_list *senders; /**< capability by prefix of the source address, or NULL */
	struct fcn_fastcnp_template fastcnp; /**< template of the notice, without the fields that
						depend on the packet */
	struct fcn_wire_info plain; /**< what fcn_parse() finds in every notice, at offset 0 */
};

/**
 * Initialise what depends on the notice in the kind's own configuration.
 *
 * @return as fcn_fastcnp_template_init()
 */
int fcn_notice_fastcnp_init(
		struct fcn_notice_fastcnp_conf *conf, const struct fcn_fastcnp_conf *notice);

/* The verdicts that a Fast CNP was made, by its form. */
#define FCN_FASTCNP_SENT_OPT1 FCN_NOTIFY_SENT   /**< with option 1 */
#define FCN_FASTCNP_SENT_OPT2 FCN_NOTIFY_SENT_1 /**< with option 2 */
/** with option 1, as the packet's IOAM trace does not fit into option 2 */
#define FCN_FASTCNP_SENT_TOO_LONG FCN_NOTIFY_SENT_2
/** with option 1, as the route to the sender crosses the edge of the IOAM domain */
#define FCN_FASTCNP_SENT_EDGE FCN_NOTIFY_SENT_3

/** The functions, names and forms of this kind. */
extern const struct fcn_notice_kind fcn_notice_fastcnp;

#endif /* FCN_NOTICE_FASTCNP_H */
