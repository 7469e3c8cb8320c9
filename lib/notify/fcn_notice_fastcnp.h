/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Fast CNP as a kind of notice: to the sender of the packet, with option 1 or
 * option 2 (draft-xiao-rtgwg-rocev2-fast-cnp sections 4 and 5).
 */

#ifndef FCN_NOTICE_FASTCNP_H
#define FCN_NOTICE_FASTCNP_H

#include "fcn_fastcnp.h"
#include "fcn_notice_kind.h"
#include "fcn_prefix_list.h"

/** What is known of a sender's understanding of Fast CNP. */
enum fcn_sender_capability {
	FCN_SENDER_UNKNOWN, /**< notify, and CE-mark as well where marking and mark-unknown are on
			     */
	FCN_SENDER_CAPABLE, /**< notify, never CE-mark a packet one notifies for */
	FCN_SENDER_NONE,    /**< CE-mark only */
};

/** The kind's own configuration; read only for workers. */
struct fcn_notice_fastcnp_conf {
	bool mark_unknown; /**< CE-mark packets of senders of unknown capability one notifies for */
	enum fcn_sender_capability default_capability;
	struct fcn_prefix_list *senders; /**< capability by prefix of the data's source, or NULL */
	struct fcn_fastcnp_template fastcnp;
};

/* Verdicts that a Fast CNP was made, by its form. */
#define FCN_FASTCNP_SENT_OPT1 FCN_NOTIFY_SENT   /**< with option 1 */
#define FCN_FASTCNP_SENT_OPT2 FCN_NOTIFY_SENT_1 /**< with option 2 */
/** with option 1, as the IOAM trace does not fit option 2 */
#define FCN_FASTCNP_SENT_TOO_LONG FCN_NOTIFY_SENT_2
/** with option 1, as its way back crosses the edge of the IOAM domain */
#define FCN_FASTCNP_SENT_EDGE FCN_NOTIFY_SENT_3

extern const struct fcn_notice_kind fcn_notice_fastcnp;

#endif /* FCN_NOTICE_FASTCNP_H */
