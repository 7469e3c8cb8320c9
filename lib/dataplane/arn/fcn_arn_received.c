/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_arn_received.h"

int
fcn_arn_received_init(struct fcn_arn_received *r, int socket)
{
	return fcn_source_limit_init(&r->limit, socket);
}

void
fcn_arn_received_fini(struct fcn_arn_received *r)
{
	fcn_source_limit_fini(&r->limit);
}

void
fcn_arn_received_clear(struct fcn_arn_received *r)
{
	memset(&r->counters, 0, sizeof(r->counters));
	memset(r->source, 0, sizeof(r->source));
	r->forgotten = 0;
}

/* Whether the last message of `a` is longer ago than that of `b`; elements that are not used come
 * first. */
static bool
is_older(const struct fcn_arn_received_source *a, const struct fcn_arn_received_source *b)
{
	if (a->used != b->used)
		return !a->used;
	return a->last_ns < b->last_ns;
}

struct fcn_arn_received_counters *
fcn_arn_received_source(struct fcn_arn_received *r, const struct fcn_hash_key *key,
		const uint8_t addr[16], uint64_t now)
{
	struct fcn_arn_received_source *set, *s = NULL;
	uint64_t words[2];

	memcpy(words, addr, sizeof(words));
	set = r->source[fcn_hash_pair(key, words[0], words[1]) & (FCN_ARN_RECEIVED_SETS - 1)];
	for (unsigned int i = 0; i < FCN_ARN_RECEIVED_WAYS; i++) {
		if (set[i].used && memcmp(set[i].addr, addr, sizeof(set[i].addr)) == 0) {
			set[i].last_ns = now;
			return &set[i].counters;
		}
		if (s == NULL || is_older(&set[i], s))
			s = &set[i];
	}
	r->forgotten += s->used;
	*s = (struct fcn_arn_received_source){.used = true, .last_ns = now};
	memcpy(s->addr, addr, sizeof(s->addr));
	return &s->counters;
}

void
fcn_arn_received_count(struct fcn_arn_received_counters *c, const struct fcn_arn *arn,
		enum fcn_arn_mode mode)
{
	if (fcn_arn_is_end(arn))
		c->resumes++;
	else
		c->halts++;
	switch (mode) {
	case FCN_ARN_MODE_SERVICE:
		c->services++;
		break;
	case FCN_ARN_MODE_FLOW:
		c->flows++;
		break;
	case FCN_ARN_MODE_PRIORITY:
		c->priorities++;
		break;
	case FCN_ARN_MODE_COUNT:
		break;
	}
}
