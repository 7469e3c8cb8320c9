/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Congestion Notification Message as a kind of notice. It is about any flow, IPv4 or IPv6, and goes
 * to the proxy network node near its sender, which tells the sender in a way that it understands
 * (draft-xiao-rtgwg-proxy-congestion-notification).
 */

#ifndef FCN_NOTICE_CNM_H
#define FCN_NOTICE_CNM_H

#include "fcn_cnm.h"
#include "fcn_notice_kind.h"
#include "fcn_prefix_list.h"
#include "fcn_proxy_map.h"

/*
 * X(symbol, name, option, prefix): from where the address of the proxy is taken: the option in the
 * data packet (section 5.2), the proxies that are known for prefixes of senders (section 5.1), and
 * which of the two is tried first (1) and second (2).
 */
#define FCN_CNM_ADDRESS_SOURCES(X)              \
	X(OPTION_PREFIX, "option-prefix", 1, 2) \
	X(PREFIX_OPTION, "prefix-option", 2, 1) \
	X(OPTION, "option", 1, 0)               \
	X(PREFIX, "prefix", 0, 1)

enum fcn_cnm_address_from {
#define FCN_CNM_ENUM(sym, ...) FCN_CNM_FROM_##sym,
	FCN_CNM_ADDRESS_SOURCES(FCN_CNM_ENUM)
#undef FCN_CNM_ENUM
	FCN_CNM_FROM_COUNT,
};

/* X(symbol, name): whether the sender is told directly, too, by other kinds of notices. */
#define FCN_CNM_DIRECT_POLICIES(X) \
	X(OTHERWISE, "otherwise")  \
	X(ALWAYS, "always")        \
	X(NEVER, "never")

enum fcn_cnm_direct {
#define FCN_CNM_ENUM(sym, name) FCN_CNM_DIRECT_##sym,
	FCN_CNM_DIRECT_POLICIES(FCN_CNM_ENUM)
#undef FCN_CNM_ENUM
	FCN_CNM_DIRECT_COUNT,
};

/** Get the word for an enum fcn_cnm_address_from; never NULL. */
const char *fcn_cnm_address_from_name(unsigned int from);

/** Get the word for an enum fcn_cnm_direct; never NULL. */
const char *fcn_cnm_direct_name(unsigned int direct);

/** The kind's own configuration. Workers only read it. */
struct fcn_notice_cnm_conf {
	uint8_t address_from; /**< enum fcn_cnm_address_from */
	/** it is not known whether a proxy reaches the sender, so a notice does not replace the
	 * mark
	 */
	bool mark_unknown;
	uint16_t arn_port;             /**< UDP port of Adaptive Routing Notifications; 0: none */
	struct fcn_proxy_map *proxies; /**< proxies by prefix of the sender; NULL: none is known */
	bool is_proxy; /**< this switch is a proxy, so its own address may be in an option */
	/** prefixes of proxies that may be told because an option names them, with a value other
	 * than 0; NULL: none */
	struct fcn_prefix_list *allowed;
	/** addresses of proxies that refused notices, with a value other than 0; NULL: none */
	struct fcn_prefix_list *refused;
	struct fcn_parse_codes codes; /**< option types */
	struct fcn_cnm_template message;
};

/** The functions, names and forms of this kind. */
extern const struct fcn_notice_kind fcn_notice_cnm;

#endif /* FCN_NOTICE_CNM_H */
