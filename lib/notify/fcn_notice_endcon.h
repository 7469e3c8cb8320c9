/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A kind of notice for RoCEv2 in SRv6 tunnels, sent by a P node: a Fast CNP about the inner packet,
 * in IPv6 to END.CON, the SID that the headend uses as source address of the tunnel
 * (draft-hu-rtgwg-rocev2-fcn section 4.2.2). The headend takes the Fast CNP out and routes it to
 * the sender.
 */

#ifndef FCN_NOTICE_ENDCON_H
#define FCN_NOTICE_ENDCON_H

#include "fcn_endcon.h"
#include "fcn_fastcnp_kind.h"
#include "fcn_notice_kind.h"

/** The kind's own configuration. Workers only read it. */
struct fcn_notice_endcon_conf {
	/** the Fast CNP; `plain` is about the packet that it is sent in */
	struct fcn_fastcnp_kind_conf fast_cnp;
	struct fcn_endcon_template outer; /**< header in front of the Fast CNP */
	/** prefixes of END.CON addresses, with a value other than 0; NULL: none is known */
	struct fcn_prefix_list *endcon;
	/** END.CON addresses that have refused notices; NULL: none has */
	struct fcn_prefix_list *refused;
	/** about tunnels that begin at this switch, Fast CNPs go to the sender itself */
	bool is_direct;
};

/**
 * Initialise what depends on the notice in the kind's own configuration.
 *
 * @param notice header fields of the Fast CNP. The header in front of it has the same source,
 *               DSCP and hop limit
 * @return as fcn_fastcnp_template_init()
 */
int fcn_notice_endcon_init(
		struct fcn_notice_endcon_conf *conf, const struct fcn_fastcnp_conf *notice);

/**
 * Check whether a notice about a packet can be sent to END.CON.
 *
 * @param info result of fcn_parse() on the frame
 * @return FCN_NOTIFY_NONE, or the reason for which none is sent. The sender's capability is not
 *         checked.
 */
enum fcn_notify_verdict fcn_notice_endcon_check(const struct fcn_notice_endcon_conf *conf,
		const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info);

/** The functions, names and forms of this kind. */
extern const struct fcn_notice_kind fcn_notice_endcon;

#endif /* FCN_NOTICE_ENDCON_H */
