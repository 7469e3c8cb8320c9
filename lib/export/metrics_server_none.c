/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Replaces metrics_server.c in a build without libmicrohttpd. */

#include <stdio.h>

#include <rte_common.h>

#include "metrics_server.h"

struct fcn_metrics_server *
fcn_metrics_server_create(const struct fcn_metrics_source *source, const struct fcn_addr *addr,
		uint16_t port, char *err, size_t err_size)
{
	RTE_SET_USED(source);
	RTE_SET_USED(addr);
	RTE_SET_USED(port);
	snprintf(err, err_size, "fastcn was built without libmicrohttpd");
	return NULL;
}

void
fcn_metrics_server_free(struct fcn_metrics_server *s)
{
	RTE_SET_USED(s);
}

void
fcn_metrics_server_tick(struct fcn_metrics_server *s)
{
	RTE_SET_USED(s);
}

const char *
fcn_metrics_server_name(const struct fcn_metrics_server *s)
{
	RTE_SET_USED(s);
	return "off";
}

uint16_t
fcn_metrics_server_port(const struct fcn_metrics_server *s)
{
	RTE_SET_USED(s);
	return 0;
}

void
fcn_metrics_server_stats(const struct fcn_metrics_server *s, struct fcn_metrics_server_stats *stats)
{
	RTE_SET_USED(s);
	*stats = (struct fcn_metrics_server_stats){0};
}
