/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_arn_held.h"

#include "fcn_worker.h"

int
fcn_arn_held_init(struct fcn_worker *w)
{
	return fcn_held_flows_init(&w->arn_held.flows, FCN_ARN_HELD_FLOWS, FCN_ARN_HELD_PACKETS,
			&w->hash_key, w->socket);
}

void
fcn_arn_held_fini(struct fcn_worker *w)
{
	fcn_held_flows_fini(&w->arn_held.flows);
}
