/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_srv6_state.h"

int
fcn_srv6_state_init(struct fcn_srv6_state *state, int socket)
{
	int rc = fcn_source_limit_init(&state->nodes, socket);

	if (rc == 0)
		rc = fcn_source_limit_init(&state->told, socket);
	if (rc != 0)
		return rc;
	return fcn_crc32_init(&state->crc) == 0 ? 0 : -ENOMEM;
}

void
fcn_srv6_state_fini(struct fcn_srv6_state *state)
{
	fcn_source_limit_fini(&state->nodes);
	fcn_source_limit_fini(&state->told);
	fcn_crc32_fini(&state->crc);
}

void
fcn_srv6_state_clear(struct fcn_srv6_state *state)
{
	memset(state->sid, 0, sizeof(state->sid));
	memset(state->segments, 0, sizeof(state->segments));
	memset(state->steering, 0, sizeof(state->steering));
	memset(state->ecn, 0, sizeof(state->ecn));
	state->endcon = (struct fcn_endcon_counters){0};
}

void
fcn_srv6_state_reconfigure(
		struct fcn_srv6_state *state, const struct fcn_srv6_conf *conf, uint64_t now)
{
	fcn_source_limit_reconfigure(&state->nodes, &conf->endcon, now);
	for (uint32_t i = 0; i < conf->n_sids; i++) {
		const struct fcn_srv6_sid *sid = &conf->sid[i];

		if (state->serial[sid->slot] == sid->serial)
			continue;
		state->serial[sid->slot] = sid->serial;
		state->sid[sid->slot] = (struct fcn_srv6_sid_counters){0};
	}
	for (uint32_t i = 0; i < conf->n_encaps; i++) {
		const struct fcn_encaps *e = &conf->encaps[i];

		if (state->segments_serial[e->slot] == e->serial)
			continue;
		state->segments_serial[e->slot] = e->serial;
		state->segments[e->slot] = (struct fcn_segment_list_counters){0};
	}
	for (uint32_t i = 0; i < conf->n_select; i++) {
		const struct fcn_steering *r = &conf->select[i];

		if (state->steering_serial[r->slot] == r->serial)
			continue;
		state->steering_serial[r->slot] = r->serial;
		state->steering[r->slot] = (struct fcn_steering_counters){0};
	}
}
