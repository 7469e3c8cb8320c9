/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A kind of notice that returns what its sender needs to know of a packet for which a queue had no
 * room: a Fast CNP with option 1 and a Trimmed Packet option (fcn_trimmed_option.h). It goes to the
 * sender of the packet, or to END.CON for one in an SRv6 tunnel that begins elsewhere, as Fast CNPs
 * do. It is about each such packet, so neither an interval nor a bucket limits it, but a share of
 * the link that it leaves by.
 */

#ifndef FCN_NOTICE_TRIMMED_H
#define FCN_NOTICE_TRIMMED_H

#include "fcn_fastcnp_kind.h"
#include "fcn_notice_endcon.h"
#include "fcn_notice_kind.h"

/** The kind's own configuration. Workers only read it. */
struct fcn_notice_trimmed_conf {
	struct fcn_fastcnp_kind_conf fast_cnp;
	/** of the kind of notice to END.CON, if that is on; NULL: nothing is sent there */
	const struct fcn_notice_endcon_conf *endcon;
};

/** The functions, names and forms of this kind. */
extern const struct fcn_notice_kind fcn_notice_trimmed;

#endif /* FCN_NOTICE_TRIMMED_H */
