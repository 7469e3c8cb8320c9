/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Adaptive Routing Notifications that downstream switches send to this one: which packets to the
 * switch are such messages. The local behaviour `arn` takes them. Used by the stages only.
 */

#ifndef ARN_RECEIVE_H
#define ARN_RECEIVE_H

#include <netinet/in.h>

#include "fcn_arn_conf.h"
#include "fcn_parse.h"

/** Check whether a packet to an address of the switch is a message, well-formed or not. */
static inline bool
fcn_arn_is_message(const struct fcn_arn_conf *conf, const struct fcn_wire_info *info)
{
	return conf->receive && info->dst_port == conf->port && info->proto == IPPROTO_UDP &&
	       info->l4_off != 0 &&
	       (info->flags & (FCN_PKT_IPV6 | FCN_PKT_TUNNEL | FCN_PKT_FRAGMENT)) == FCN_PKT_IPV6;
}

#endif /* ARN_RECEIVE_H */
