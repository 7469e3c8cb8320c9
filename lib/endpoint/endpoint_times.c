/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Round-trip times of packets, for reactions that go by them. An acknowledgement does not say which
 * of two transmissions it is about, so packets that were sent more than once have none (Karn's
 * rule); nor have those that waited at the receiver for such a packet.
 */

#include <errno.h>
#include <stdlib.h>

#include "endpoint_state.h"

#define FIRST_ROOM 256 /* a power of 2 */

int
endpoint_times_begin(struct endpoint_qp *qp)
{
	struct endpoint_times *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -ENOMEM;
	t->at = calloc(FIRST_ROOM, sizeof(*t->at));
	if (t->at == NULL) {
		free(t);
		return -ENOMEM;
	}
	t->mask = FIRST_ROOM - 1;
	qp->times = t;
	return 0;
}

/* Double the ring. Without memory, the new packet takes the place of an older one. */
static void
grow(struct endpoint_times *t, uint64_t first)
{
	uint64_t mask = 2 * t->mask + 1, *at = calloc(mask + 1, sizeof(*at));

	if (at == NULL) {
		for (uint64_t i = 0; i <= t->mask; i++)
			t->at[i] = FCN_ENDPOINT_NEVER;
		return;
	}
	for (uint64_t i = first; i <= first + t->mask; i++)
		at[i & mask] = t->at[i & t->mask];
	free(t->at);
	t->at = at;
	t->mask = mask;
}

void
endpoint_times_sent(struct endpoint_qp *qp, uint64_t packet, bool first, uint64_t now)
{
	struct endpoint_times *t = qp->times;

	if (packet - qp->snd_una > t->mask)
		grow(t, qp->snd_una);
	t->at[packet & t->mask] = first ? now : FCN_ENDPOINT_NEVER;
}

uint64_t
endpoint_times_since(const struct endpoint_qp *qp, uint64_t packet, uint64_t now)
{
	const struct endpoint_times *t = qp->times;
	uint64_t at = t->at[packet & t->mask];

	if (t->at[qp->snd_una & t->mask] == FCN_ENDPOINT_NEVER || at == FCN_ENDPOINT_NEVER)
		return FCN_REACTION_NO_RTT;
	return now - at;
}

void
endpoint_times_end(struct endpoint_qp *qp)
{
	if (qp->times == NULL)
		return;
	free(qp->times->at);
	free(qp->times);
	qp->times = NULL;
}
