/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "build_parts.h"

int
fcn_build_trim(const struct fcn_config *cfg, unsigned int number, struct fcn_snapshot *s, char *err,
		size_t size)
{
	const struct fcn_config_port *port = &cfg->port[number];
	const uint8_t class = cfg->trim.class;

	if (port->queue[class].trim != FCN_TRIM_OFF)
		return fcn_build_fail(err, size,
				"port %s class %u: this is the class of trimmed packets, which are "
				"not trimmed again: set trim off, or choose another class with set "
				"trim class",
				port->name, class);
	s->port[number].trim = (struct fcn_trim_conf){
			.class = class,
			.dscp = port->trim_dscp == FCN_TRIM_DSCP_AUTO ? cfg->trim.dscp
								      : port->trim_dscp,
			/* The worker that has the queues is the only one that trims. */
			.link = fcn_build_trim_share(
					cfg->trim.link_share, 1, s->port[number].link_bps),
	};
	return 0;
}
