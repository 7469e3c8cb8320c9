/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A plain CNP as a kind of notice (InfiniBand annex A17, as figure 2 of
 * draft-xiao-rtgwg-rocev2-fast-cnp shows it). It is about RoCEv2 over IPv6 or IPv4 and goes to the
 * sender of the packet, in the name of the receiver and with the sender's own queue pair, as if the
 * receiver had sent it. So only senders whose queue pairs are known get it, and it is for the first
 * switch of these senders.
 */

#ifndef FCN_NOTICE_CNP_H
#define FCN_NOTICE_CNP_H

#include <fcn_compat.h>

#include "fcn_cnp_template.h"
#include "fcn_fastcnp_kind.h"
#include "fcn_notice_kind.h"
#include "fcn_qp_map.h"

/** The kind's own configuration. Workers only read it. */
struct fcn_notice_cnp_conf {
	/** Queue pairs of senders; NULL: none is known. The proxy uses the same map, which is not
	 * freed with this structure. */
	const struct fcn_qp_map *qps;
	/** The configuration of Fast CNPs to senders, if these are on: senders that are known to
	 * understand them get these. NULL: all get CNPs. It is not freed with this structure. */
	const struct fcn_fastcnp_kind_conf *fast_cnp;
	struct fcn_crc32 crc; /**< for the ICRC of the CNPs */
	struct fcn_cnp_template ip4, ip6;
};

/** The functions, names and forms of this kind. */
extern const struct fcn_notice_kind fcn_notice_cnp;

#endif /* FCN_NOTICE_CNP_H */
