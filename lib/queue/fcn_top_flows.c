/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_top_flows.h"

#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fcn_hash_key.h"

#define NONE UINT32_MAX

/* Parts of a packet in which packets are counted. */
#define PARTS 256

void
fcn_top_flows_clear(struct fcn_top_flows *t, uint64_t *next)
{
	for (unsigned int i = 0; i < RTE_DIM(t->table); i++) {
		t->table[i].bytes = 0;
		t->table[i].n = 0;
	}
	t->size = 1;
	t->end = 1;
	*next = 0;
}

/* A hash that an attacker may know: flows with the same one are told apart by their keys, of which
 * there are few. */
static uint32_t
hash_of(const struct fcn_flow_key *key)
{
	uint64_t word[5], hash;
	uint32_t last;

	memcpy(word, key, sizeof(word));
	memcpy(&last, (const uint8_t *)key + sizeof(word), sizeof(last));
	hash = fcn_hash_fold(word[0] ^ FCN_HASH_WORD0, word[1] ^ FCN_HASH_WORD1);
	hash ^= fcn_hash_fold(word[2] ^ FCN_HASH_WORD2, word[3] ^ FCN_HASH_WORD3);
	hash = fcn_hash_fold(hash ^ word[4], last ^ FCN_HASH_WORD0);
	return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t
find(const struct fcn_flow_table *table, const struct fcn_flow_key *key, uint32_t hash)
{
	for (uint32_t i = 0; i < table->n; i++) {
		if (table->hash[i] == hash && memcmp(&table->flow[i].key, key, sizeof(*key)) == 0)
			return i;
	}
	return NONE;
}

/* Get the index of the least count of a table that has flows. */
static uint32_t
find_least(const struct fcn_flow_table *table)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < table->n; i++) {
		if (table->count[i] < table->count[least])
			least = i;
	}
	return least;
}

/* Get the most bytes that a flow can have brought that is not in a table. */
static uint64_t
most_of_others(const struct fcn_flow_table *table)
{
	return table->n == FCN_TOP_FLOWS ? table->count[find_least(table)] : 0;
}

/* Get the period that a packet belongs to, which may begin with it. */
static struct fcn_flow_table *
period_of(struct fcn_top_flows *t, const struct fcn_flow_arrival *packet, uint64_t now)
{
	struct fcn_flow_table *table = &t->table[t->present];

	if (unlikely(table->bytes != 0 && now - table->since_ns >= FCN_TOP_FLOWS_PERIOD_NS)) {
		/* What was long ago is no part of what goes on. */
		const bool recent = now - table->last_ns < FCN_TOP_FLOWS_PERIOD_NS;

		if (!recent)
			table->bytes = 0;
		t->present ^= 1;
		table = &t->table[t->present];
		table->bytes = 0;
	}
	if (unlikely(table->bytes == 0)) {
		table->since_ns = now;
		table->before = packet->packets - 1;
		table->gone = 0;
		table->n = 0;
		table->sampled = false;
	}
	table->last_ns = now;
	return table;
}

/* Get the bytes of the next stratum from what has arrived in this period. */
static uint64_t
next_size(uint64_t bytes, uint64_t packets)
{
	const uint64_t parts = RTE_MAX(
			packets / FCN_TOP_FLOWS_EXACT, (uint64_t)FCN_TOP_FLOWS_STRATA);

	return packets < FCN_TOP_FLOWS_EXACT || bytes < parts ? 1 : bytes / parts;
}

/* Begin the next stratum. @return the position of the byte that is drawn */
static uint64_t
draw(struct fcn_top_flows *t, uint64_t size, struct fcn_random *random)
{
	const uint64_t begin = t->end;

	t->size = size;
	t->end = begin + size;
	return size == 1 ? begin : begin + ((uint64_t)fcn_random32(random) * size >> 32);
}

/* Get the bytes of all strata whose drawn byte is in a packet. Those that lie in it as a whole need
 * no drawing. */
static uint64_t
weigh(struct fcn_top_flows *t, uint64_t *next, struct fcn_flow_table *table,
		const struct fcn_flow_arrival *packet, struct fcn_random *random)
{
	const uint64_t packets = packet->packets - table->before;
	uint64_t weight = 0;

	do {
		uint64_t whole = 0;

		table->sampled |= t->size != 1;
		if (packet->end > t->end)
			whole = (packet->end - t->end) / t->size * t->size;
		weight += t->size + whole;
		t->end += whole;
		*next = draw(t, next_size(table->bytes + weight, packets), random);
		/* From now on, packets may have come that no drawn one stands for yet. */
		table->sampled |= t->size != 1;
	} while (*next < packet->end);
	return weight;
}

/* Give a flow a place in the table. @return its index */
static uint32_t
add_flow(struct fcn_top_flows *t, struct fcn_flow_table *table, const struct fcn_flow_key *key,
		uint32_t hash, uint64_t now)
{
	const struct fcn_flow_table *other = &t->table[t->present ^ 1];
	const uint32_t known = other->bytes != 0 ? find(other, key, hash) : NONE;
	uint32_t i = table->n;

	if (likely(i == FCN_TOP_FLOWS)) {
		i = find_least(table);
		table->gone += table->flow[i].bytes;
	} else {
		table->n++;
		table->count[i] = 0;
	}
	table->hash[i] = hash;
	table->flow[i] = (struct fcn_top_flow){
			.key = *key,
			.over = table->count[i],
			.first_ns = known != NONE ? other->flow[known].first_ns : now,
	};
	return i;
}

void
fcn_top_flows_add(struct fcn_top_flows *t, uint64_t *next, const struct fcn_flow_key *key,
		const struct fcn_flow_arrival *packet, struct fcn_random *random, uint64_t now)
{
	struct fcn_flow_table *table = period_of(t, packet, now);
	const uint64_t weight = weigh(t, next, table, packet, random);
	const uint64_t packets = weight * PARTS / packet->len;
	const uint32_t hash = hash_of(key);
	struct fcn_top_flow *f;
	uint32_t i = find(table, key, hash);

	if (i == NONE)
		i = add_flow(t, table, key, hash, now);
	f = &table->flow[i];
	table->bytes += weight;
	table->count[i] += weight;
	f->bytes += weight;
	f->packets += packets;
	if (packet->fate & FCN_FLOW_MARKED)
		f->marked += packets;
	if (packet->fate & FCN_FLOW_DROPPED)
		f->dropped += packets;
	f->last_ns = now;
}

static int
compare(const void *va, const void *vb)
{
	const struct fcn_top_flow *a = va, *b = vb;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

void
fcn_top_flows_sum(const struct fcn_top_flows *t, struct fcn_top_flows_sum *sum)
{
	const struct fcn_flow_table *table = &t->table[t->present], *other;
	const struct fcn_flow_table none = {.bytes = 0};
	bool added[FCN_TOP_FLOWS] = {false};

	other = &t->table[t->present ^ 1];
	if (table->bytes == 0)
		table = &none;
	if (other->bytes == 0)
		other = &none;
	sum->bytes = table->bytes + other->bytes;
	sum->exact = !table->sampled && !other->sampled;
	sum->n = table->n;
	for (uint32_t i = 0; i < table->n; i++) {
		const uint32_t before = find(other, &table->flow[i].key, table->hash[i]);
		struct fcn_top_flow *f = &sum->flow[i];

		*f = table->flow[i];
		if (before == NONE) {
			f->over += most_of_others(other);
			continue;
		}
		added[before] = true;
		f->bytes += other->flow[before].bytes;
		f->over += other->flow[before].over;
		f->packets += other->flow[before].packets;
		f->marked += other->flow[before].marked;
		f->dropped += other->flow[before].dropped;
		f->first_ns = RTE_MIN(f->first_ns, other->flow[before].first_ns);
	}
	for (uint32_t i = 0; i < other->n; i++) {
		if (added[i])
			continue;
		sum->flow[sum->n] = other->flow[i];
		sum->flow[sum->n++].over += most_of_others(table);
	}
	qsort(sum->flow, sum->n, sizeof(sum->flow[0]), compare);
}
