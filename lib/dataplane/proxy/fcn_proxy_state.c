/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_malloc.h>

#include "fcn_proxy_state.h"

int
fcn_proxy_state_init(struct fcn_proxy_state *s, int socket)
{
	memset(s, 0, sizeof(*s));
	s->pause_next_ns = UINT64_MAX;
	if (fcn_source_limit_init(&s->limit, socket) != 0 ||
			fcn_proxy_flows_init(&s->flows, socket) != 0)
		return -ENOMEM;
	s->claim = rte_calloc_socket("fcn_proxy_claims", FCN_PROXY_CLAIMS, sizeof(*s->claim),
			RTE_CACHE_LINE_SIZE, socket);
	s->mark = rte_calloc_socket("fcn_proxy_marks", FCN_PROXY_MARKS, sizeof(*s->mark),
			RTE_CACHE_LINE_SIZE, socket);
	return s->claim != NULL && s->mark != NULL ? 0 : -ENOMEM;
}

void
fcn_proxy_state_fini(struct fcn_proxy_state *s)
{
	fcn_source_limit_fini(&s->limit);
	fcn_proxy_flows_fini(&s->flows);
	rte_free(s->claim);
	rte_free(s->mark);
	s->claim = NULL;
	s->mark = NULL;
}

void
fcn_proxy_state_clear(struct fcn_proxy_state *s)
{
	memset(&s->counters, 0, sizeof(s->counters));
	s->flows.forgotten = 0;
}
