/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The configuration that all kinds of notices have whose message is a Fast CNP
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4), whatever it is sent in.
 */

#ifndef FCN_FASTCNP_KIND_H
#define FCN_FASTCNP_KIND_H

#include "fcn_fastcnp.h"
#include "fcn_parse.h"
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

/** What kinds of notices that send Fast CNPs have in common. Workers only read it. */
struct fcn_fastcnp_kind_conf {
	/** a notice to a sender of unknown capability does not replace the mark */
	bool mark_unknown;
	enum fcn_sender_capability default_capability; /**< of senders that no prefix covers */
	struct fcn_prefix_list *senders; /**< capability by prefix of the source address, or NULL */
	struct fcn_fastcnp_template fastcnp; /**< template of the Fast CNP, without the fields that
						depend on the packet */
	/** option type of the Trimmed Packet option, for the kind that returns headers; else 0 */
	uint8_t trimmed_type;
	struct fcn_wire_info plain; /**< what fcn_parse() finds in every notice, at offset 0 */
};

/**
 * Initialise `fastcnp` and `plain`.
 *
 * @return as fcn_fastcnp_template_init()
 */
int fcn_fastcnp_kind_init(
		struct fcn_fastcnp_kind_conf *conf, const struct fcn_fastcnp_conf *notice);

/** Free what the members point to, not the structure itself. No worker reads it any more. */
void fcn_fastcnp_kind_fini(struct fcn_fastcnp_kind_conf *conf);

#endif /* FCN_FASTCNP_KIND_H */
