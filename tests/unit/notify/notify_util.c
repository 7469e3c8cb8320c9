/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "notify_util.h"

struct fcn_notify_conf conf;
struct fcn_notify_state notify;

int
notify_setup(void **state)
{
	RTE_SET_USED(state);
	memset(&conf, 0, sizeof(conf));
	conf.fast_cnp = true;
	conf.mark_unknown = true;
	conf.queue_burst = conf.global_burst = conf.dest_burst = 1;
	conf.senders = fcn_prefix_list_create("senders", NULL, 0, SOCKET_ID_ANY);
	assert_non_null(conf.senders);
	return fcn_notify_state_init(&notify, 64, 64, SOCKET_ID_ANY);
}

int
notify_teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_notify_state_fini(&notify);
	fcn_prefix_list_free(conf.senders);
	return 0;
}
