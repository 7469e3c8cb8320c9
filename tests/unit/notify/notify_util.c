/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "notify_util.h"

struct fcn_notices_conf conf;
struct fcn_fastcnp_kind_conf fastcnp;
struct fcn_notify_state notify[FCN_NOTICE_KIND_MAX];

int
notify_setup(void **state)
{
	RTE_SET_USED(state);
	memset(&conf, 0, sizeof(conf));
	memset(&fastcnp, 0, sizeof(fastcnp));
	conf.n_kinds = 1;
	conf.kind[0].kind = &fcn_notice_fastcnp;
	conf.kind[0].common = &conf.common;
	conf.kind[0].own = &fastcnp;
	conf.on = 1;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		conf.common.part[p] = p % FCN_NOTIFY_SHARES;
	fastcnp.mark_unknown = true;
	conf.kind[0].global_burst = conf.kind[0].dest_burst = 1;
	fastcnp.senders = fcn_prefix_list_create("senders", NULL, 0, SOCKET_ID_ANY);
	assert_non_null(fastcnp.senders);
	memset(&notify[0], 0, sizeof(notify[0]));
	return fcn_notify_state_init(&notify[0], 64, 64, SOCKET_ID_ANY);
}

void
set_queue_bucket(uint32_t cost_ns, uint32_t burst)
{
	struct fcn_notify_bucket *b = &conf.common.queue[0][0];

	for (size_t i = 0; i < sizeof(conf.common.queue) / sizeof(*b); i++)
		b[i] = (struct fcn_notify_bucket){cost_ns, burst};
}

int
notify_teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_notify_state_fini(&notify[0]);
	fcn_prefix_list_free(fastcnp.senders);
	return 0;
}
