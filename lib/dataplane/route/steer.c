/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "notice_route.h"
#include "route_find.h"
#include "steer.h"

/* Request the neighbour of the first segment that a policy lacks, so that later packets can take
 * the policy. */
static void
request(struct fcn_worker *w, const struct fcn_steering *rule, uint16_t asker)
{
	const struct fcn_next_hop *nh = &w->snap->next_hop[rule->next_hop];

	if (nh->type == FCN_NEXT_HOP_ENCAPS)
		fcn_request_resolution(w, asker, FCN_TABLE_MAIN,
				w->snap->srv6.encaps[nh->first_member].first);
}

static uint32_t
look_up_normal(const struct fcn_snapshot *s, unsigned int number, const struct fcn_steer_key *key)
{
	const struct fcn_snapshot_table *table = &s->table[number];
	uint8_t addr[1][16] = {{0}};
	uint32_t addr4;
	uint64_t nh;

	if (key->version == 6) {
		memcpy(addr[0], key->dst, sizeof(addr[0]));
		fcn_fib6_lookup(table->normal, addr, &nh, 1);
	} else {
		memcpy(addr[0], key->dst, sizeof(addr4));
		addr4 = fcn_get_be32(key->dst);
		fcn_fib4_lookup(table->normal, &addr4, &nh, 1);
	}
	return fcn_route_host(s, table->first + (uint32_t)nh, key->version, addr[0]);
}

uint32_t
fcn_steer(struct fcn_worker *w, const struct fcn_next_hop *nh, unsigned int table, uint16_t asker,
		const struct fcn_steer_key *key, uint16_t len, const struct fcn_steering **rule)
{
	const struct fcn_steering *select = &w->snap->srv6.select[nh->first_member];
	struct fcn_steering_counters *c;

	for (unsigned int i = 0; i < nh->n_members; i++) {
		if (!fcn_steering_is_met(&select[i], key->port, key->dscp, key->is_roce))
			continue;
		c = &w->srv6.steering[select[i].slot];
		if (unlikely(!select[i].is_live)) {
			c->passed_over += len != 0;
			request(w, &select[i], asker);
			continue;
		}
		c->packets += len != 0;
		c->bytes += len;
		*rule = &select[i];
		return select[i].next_hop;
	}
	*rule = NULL;
	return look_up_normal(w->snap, table, key);
}

const struct fcn_steering *
fcn_steer_find(const struct fcn_snapshot *s, const struct fcn_next_hop *nh,
		const struct fcn_steer_key *key)
{
	const struct fcn_steering *rule = &s->srv6.select[nh->first_member];

	for (unsigned int i = 0; i < nh->n_members; i++, rule++) {
		if (fcn_steering_is_met(rule, key->port, key->dscp, key->is_roce))
			return rule->is_live ? rule : NULL;
	}
	return NULL;
}
