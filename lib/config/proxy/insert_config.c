/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Names of what ports do with the option that contains the address of a proxy. */

#include "fcn_config_names.h"

const char *
fcn_proxy_edge_name(unsigned int edge)
{
	static const char *const names[] = {
			[FCN_PROXY_EDGE_OFF] = "off",
			[FCN_PROXY_EDGE_INSERT] = "insert",
			[FCN_PROXY_EDGE_REMOVE] = "remove",
			[FCN_PROXY_EDGE_BOTH] = "both",
	};

	return names[edge];
}

const char *
fcn_proxy_too_big_name(unsigned int what)
{
	return what == FCN_PROXY_TOO_BIG_ERROR ? "error" : "omit";
}
