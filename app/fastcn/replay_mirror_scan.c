/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_jhash.h>

#include "fcn_capture_stream.h"
#include "replay_mirror_private.h"

#define COPY_BYTES 256
#define WAYS 4 /* frames with the same place in the table of recent ones */
/* In a capture of both directions, almost every second frame is a copy. */
#define COPIES_PERCENT 40

uint32_t
replay_mirror_station(struct replay_mirror *m, const uint8_t *mac, bool add)
{
	struct rte_ether_addr key;
	void *found;

	memcpy(&key, mac, sizeof(key));
	if (rte_hash_lookup_data(m->station_table, &key, &found) >= 0)
		return (uint32_t)(uintptr_t)found;
	if (!add || m->n_stations == MIRROR_STATIONS || !rte_is_valid_assigned_ether_addr(&key))
		return NOBODY;
	if (rte_hash_add_key_data(m->station_table, &key, (void *)(uintptr_t)m->n_stations) != 0)
		return NOBODY;
	m->station[m->n_stations] = (struct mirror_station){
			.mac = key, .interface = NOBODY, .port = -1};
	return m->n_stations++;
}

struct mirror_address *
replay_mirror_address(struct replay_mirror *m, const uint8_t ip[16], bool add)
{
	static const uint8_t none[16];
	static const struct mirror_hop nobody = {.station = NOBODY};
	void *found;

	if (rte_hash_lookup_data(m->address_table, ip, &found) >= 0)
		return &m->address[(uintptr_t)found];
	if (!add || m->n_addresses == MIRROR_ADDRESSES || memcmp(ip, none, sizeof(none)) == 0 ||
			rte_hash_add_key_data(m->address_table, ip,
					(void *)(uintptr_t)m->n_addresses) != 0)
		return NULL;
	m->address[m->n_addresses] = (struct mirror_address){
			.from = {nobody, nobody}, .to = {nobody, nobody}, .home = NOBODY};
	return &m->address[m->n_addresses++];
}

uint32_t
replay_mirror_interface(struct replay_mirror *m, const struct fcn_replay_interface *i)
{
	struct mirror_interface *n;

	if (i == NULL)
		return NOBODY;
	for (uint32_t k = 0; k < m->n_interfaces; k++) {
		n = &m->interface[k];
		if (i->name[0] != '\0' ? strcmp(n->name, i->name) == 0
				       : n->name[0] == '\0' && n->number == i->number)
			return k;
	}
	if (m->n_interfaces == MIRROR_INTERFACES)
		return NOBODY;
	n = &m->interface[m->n_interfaces];
	memcpy(n->name, i->name, sizeof(n->name));
	n->number = i->number;
	n->bps = i->bps;
	n->port = -1;
	return m->n_interfaces++;
}

bool
replay_mirror_selected(const struct replay_mirror *m, const struct fcn_replay_interface *i)
{
	char number[16];

	if (m->opt->interface == NULL)
		return true;
	if (i == NULL)
		return false;
	snprintf(number, sizeof(number), "%u", i->number);
	return strcmp(i->name, m->opt->interface) == 0 || strcmp(number, m->opt->interface) == 0;
}

/* Two frames are copies if they differ at most in the ECN field and what depends on it. */
bool
replay_mirror_is_copy(struct replay_mirror *m, const struct replay_frame *frame)
{
	const uint32_t n = RTE_MIN(frame->captured, (uint32_t)COPY_BYTES);
	const uint32_t ip = frame->info.l3_off;
	struct mirror_recent *slot, *oldest;
	uint8_t bytes[COPY_BYTES];
	uint64_t hash;

	memcpy(bytes, frame->data, n);
	if (ip != 0 && (frame->info.flags & FCN_PKT_IPV4) &&
			ip + sizeof(struct rte_ipv4_hdr) <= n) {
		bytes[ip + 1] &= (uint8_t)~FCN_ECN_CE;
		memset(bytes + ip + offsetof(struct rte_ipv4_hdr, hdr_checksum), 0, 2);
	} else if (ip != 0 && (frame->info.flags & FCN_PKT_IPV6) && ip + 2 <= n) {
		bytes[ip + 1] &= (uint8_t) ~(FCN_ECN_CE << 4);
	}
	hash = (uint64_t)rte_jhash(bytes, n, 1) << 32 | rte_jhash(bytes, n, 2);
	slot = oldest = &m->recent[hash % (MIRROR_RECENT / WAYS) * WAYS];
	for (unsigned int i = 0; i < WAYS; i++) {
		if (slot[i].hash == hash && frame->stamp - slot[i].stamp <= MIRROR_COPY_NS) {
			slot[i].hash = 0; /* the copy of a copy is a frame sent again */
			return true;
		}
		if (slot[i].stamp < oldest->stamp)
			oldest = &slot[i];
	}
	*oldest = (struct mirror_recent){.hash = hash, .stamp = frame->stamp};
	return false;
}

bool
replay_mirror_is_forwarded(const struct mirror_address *source, uint32_t station)
{
	const struct mirror_hop *hop = source->from;

	if (hop[0].station == NOBODY || hop[1].station == NOBODY || hop[0].ttl == hop[1].ttl)
		return false;
	return station == hop[hop[0].ttl < hop[1].ttl ? 0 : 1].station;
}

static void
rate(struct mirror_rate *r, const struct replay_frame *frame, uint32_t len)
{
	if (frame->stamp - r->begin >= MIRROR_RATE_NS) {
		r->begin = frame->stamp;
		r->bytes = 0;
	}
	r->bytes += RTE_MAX(len, 60u) + 24;
	r->most = RTE_MAX(r->most, r->bytes);
}

static void
note_hop(struct mirror_hop hop[2], uint32_t station, uint8_t ttl, bool highest)
{
	for (unsigned int i = 0; i < 2; i++) {
		if (hop[i].station == NOBODY)
			hop[i] = (struct mirror_hop){.station = station, .ttl = ttl};
		if (hop[i].station != station)
			continue;
		hop[i].ttl = highest ? RTE_MAX(hop[i].ttl, ttl) : RTE_MIN(hop[i].ttl, ttl);
		hop[i].n++;
		return;
	}
}

static void
note_addresses(struct replay_mirror *m, const struct replay_frame *frame, uint32_t from,
		uint32_t to)
{
	struct mirror_station *s = &m->station[from];
	struct mirror_address *a;

	if (frame->info.l3_off == 0)
		return;
	a = replay_mirror_address(m, frame->source, true);
	if (a != NULL) {
		note_hop(a->from, from, frame->info.ttl, true);
		if (!s->has_address) {
			memcpy(s->address, frame->source, sizeof(s->address));
			s->has_address = true;
		}
	}
	a = to != NOBODY ? replay_mirror_address(m, frame->destination, true) : NULL;
	if (a != NULL)
		note_hop(a->to, to, frame->info.ttl, false);
}

static void
note_interface(struct replay_mirror *m, const struct fcn_replay_frame *frame,
		const struct replay_frame *f, uint32_t from, uint32_t to)
{
	const uint32_t n = replay_mirror_interface(m, frame->interface);
	struct mirror_interface *i;

	if (n == NOBODY)
		return;
	i = &m->interface[n];
	switch (frame->direction) {
	case FCN_CAPTURE_INBOUND:
		i->in++;
		rate(&i->rate, f, frame->len);
		m->station[from].interface = n;
		break;
	case FCN_CAPTURE_OUTBOUND:
		i->out++;
		if (to != NOBODY && m->station[to].interface == NOBODY)
			m->station[to].interface = n;
		break;
	default:
		i->unknown++;
		break;
	}
}

void
replay_mirror_scan(void *arg, const struct fcn_replay_frame *frame, struct fcn_replay_place *place)
{
	struct replay_mirror *m = arg;
	struct replay_frame f;
	uint32_t from, to;
	bool copy;

	RTE_SET_USED(place);
	if (!replay_mirror_selected(m, frame->interface))
		return;
	m->frames++;
	replay_frame_read(&f, frame->data, frame->captured, frame->len, frame->stamp);
	from = replay_mirror_station(m, frame->data + RTE_ETHER_ADDR_LEN, true);
	to = replay_mirror_station(m, frame->data, true);
	if (from == NOBODY) {
		m->crowded++;
		return;
	}
	copy = replay_mirror_is_copy(m, &f);
	m->copies += copy;
	if (f.kind == REPLAY_FRAME_DATA)
		m->roce_classes |= (uint8_t)(1u << (f.info.tclass >> 5));
	if (f.info.n_vlans > 0)
		m->vlan[(f.info.vlan_tci & 0xFFF) / 64] |= UINT64_C(1)
							   << (f.info.vlan_tci & 0xFFF) % 64;
	note_interface(m, frame, &f, from, to);
	if (copy)
		return;
	m->station[from].sent++;
	rate(&m->station[from].out, &f, frame->len);
	if (to != NOBODY) {
		m->station[to].received++;
		rate(&m->station[to].in, &f, frame->len);
	}
	note_addresses(m, &f, from, to);
}

/* Find the station that has an address: the one that sends from it with the highest hop limit, or
 * the one that gets packets to it with the lowest. If these differ, one of them is a router, and
 * has more addresses. */
static uint32_t
home_of(const struct replay_mirror *m, const struct mirror_address *a)
{
	const struct mirror_hop *from =
			&a->from[a->from[1].station != NOBODY && a->from[1].ttl > a->from[0].ttl];
	const struct mirror_hop *to =
			&a->to[a->to[1].station != NOBODY && a->to[1].ttl < a->to[0].ttl];

	if (from->station == NOBODY || to->station == NOBODY || from->station == to->station)
		return from->station != NOBODY ? from->station : to->station;
	return m->station[from->station].n_addresses < m->station[to->station].n_addresses
			       ? from->station
			       : to->station;
}

void
replay_mirror_conclude(struct replay_mirror *m)
{
	unsigned int receiving = 0;

	for (uint32_t i = 0; i < m->n_interfaces; i++)
		receiving += m->interface[i].in != 0;
	m->by_interface = receiving >= 2;
	m->has_copies = !m->by_interface && m->copies * 100 >= m->frames * COPIES_PERCENT &&
			m->copies != 0;
	for (uint32_t i = 0; i < m->n_stations; i++) {
		m->station[i].own = m->station[i].sent;
		m->station[i].reached = m->station[i].received;
	}
	for (uint32_t i = 0; i < m->n_addresses; i++) {
		const struct mirror_address *a = &m->address[i];

		for (unsigned int k = 0; k < 2; k++) {
			if (a->from[k].station != NOBODY)
				m->station[a->from[k].station].n_addresses++;
			if (a->to[k].station != NOBODY && a->to[k].station != a->from[0].station &&
					a->to[k].station != a->from[1].station)
				m->station[a->to[k].station].n_addresses++;
		}
	}
	for (uint32_t i = 0; i < m->n_addresses; i++) {
		struct mirror_address *a = &m->address[i];

		a->home = home_of(m, a);
		for (unsigned int k = 0; k < 2; k++) {
			if (a->from[k].station != NOBODY &&
					replay_mirror_is_forwarded(a, a->from[k].station))
				m->station[a->from[k].station].own -= a->from[k].n;
			if (a->to[k].station == NOBODY || a->to[k].station == a->home)
				continue;
			m->station[a->to[k].station].reached -= a->to[k].n;
			m->station[a->home].reached += a->to[k].n;
		}
	}
}
