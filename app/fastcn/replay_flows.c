/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "replay_flows_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_hash_crc.h>

#include "fcn_fastcnp.h"

#define ROOM 1024 /* of a table at first, and how it grows */
#define ROOM_GROWS 8
#define HASH_SEED 1
#define PSN_MASK 0xFFFFFFu
/* Acknowledgements of packets that are further back than this tell nothing: sequence numbers come
 * again after 2^24 packets. */
#define PSN_REACH 0x10000u
#define MAX_CONFLICTS 8
#define MAX_CANDIDATES 1024 /* flows between two addresses among which one is looked for */
/* No Fast CNP is longer, in a tunnel or not. */
#define FAST_MAX_LEN 1024
#define BTH_OFF (sizeof(struct rte_udp_hdr))

/* ---- frames ---- */

static enum replay_frame_kind
kind_of(const struct fcn_wire_info *info)
{
	if (info->flags & FCN_PKT_ROCE) {
		if (info->opcode == FCN_BTH_OPCODE_CNP)
			return REPLAY_FRAME_CNP;
		return fcn_bth_opcode_triggers(info->opcode) ? REPLAY_FRAME_DATA : REPLAY_FRAME_ACK;
	}
	return info->l3_off != 0 ? REPLAY_FRAME_IP : REPLAY_FRAME_OTHER;
}

void
replay_frame_read(struct replay_frame *frame, const uint8_t *data, uint32_t captured, uint32_t len,
		uint64_t stamp)
{
	static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
	const uint8_t *ip;

	frame->data = data;
	frame->captured = captured;
	frame->stamp = stamp;
	fcn_parse(data, captured, len, &fcn_parse_default_codes, &frame->info);
	frame->kind = kind_of(&frame->info);
	memset(frame->source, 0, sizeof(frame->source));
	memset(frame->destination, 0, sizeof(frame->destination));
	ip = data + frame->info.inner_l3_off;
	if (frame->info.l3_off == 0)
		return;
	if ((frame->info.flags & FCN_PKT_TUNNEL) ? frame->info.flags & FCN_PKT_INNER_IPV4
						 : frame->info.flags & FCN_PKT_IPV4) {
		if (frame->info.inner_l3_off + sizeof(struct rte_ipv4_hdr) > captured)
			return;
		memcpy(frame->source, mapped, sizeof(mapped));
		memcpy(frame->destination, mapped, sizeof(mapped));
		memcpy(frame->source + 12, ip + offsetof(struct rte_ipv4_hdr, src_addr), 4);
		memcpy(frame->destination + 12, ip + offsetof(struct rte_ipv4_hdr, dst_addr), 4);
	} else {
		if (frame->info.inner_l3_off + sizeof(struct rte_ipv6_hdr) > captured)
			return;
		memcpy(frame->source, ip + offsetof(struct rte_ipv6_hdr, src_addr), 16);
		memcpy(frame->destination,
				frame->info.final_dst_off != 0
						? data + frame->info.final_dst_off
						: ip + offsetof(struct rte_ipv6_hdr, dst_addr),
				16);
	}
}

static uint32_t
psn_of(const struct replay_frame *frame)
{
	const struct fcn_bth_hdr *bth = (const void *)(frame->data + frame->info.l4_off + BTH_OFF);

	return (uint32_t)bth->psn[0] << 16 | (uint32_t)bth->psn[1] << 8 | bth->psn[2];
}

/* ---- tables ---- */

static struct rte_hash *
table(const char *name, uint32_t key_len, uint32_t entries)
{
	char full[RTE_HASH_NAMESIZE];

	snprintf(full, sizeof(full), "%s_%u", name, entries);
	return rte_hash_create(&(struct rte_hash_parameters){
			.name = full,
			.entries = entries,
			.key_len = key_len,
			.hash_func = rte_hash_crc,
			.hash_func_init_val = HASH_SEED,
			.socket_id = SOCKET_ID_ANY,
	});
}

static bool
create(struct flow_table *t, const char *name, uint32_t key_len)
{
	*t = (struct flow_table){.name = name, .key_len = key_len, .room = ROOM};
	t->hash = table(name, key_len, t->room);
	return t->hash != NULL;
}

/* Give a table more room. @return there was memory for it */
static bool
grow(struct flow_table *t)
{
	const uint32_t room = RTE_MIN(ROOM_GROWS * t->room, REPLAY_FLOWS_MAX);
	struct rte_hash *hash = table(t->name, t->key_len, room);
	const void *key;
	uint32_t next = 0;
	void *data;

	if (hash == NULL)
		return false;
	while (rte_hash_iterate(t->hash, &key, &data, &next) >= 0)
		if (rte_hash_add_key_data(hash, key, data) != 0) {
			rte_hash_free(hash);
			return false;
		}
	rte_hash_free(t->hash);
	t->hash = hash;
	t->room = room;
	return true;
}

/* Add what is not there yet, as number n of its kind. @return there was room */
static bool
add_key(struct flow_table *t, const void *key, uint32_t n)
{
	if (n == REPLAY_FLOWS_MAX || (n >= t->room / 2 && t->room < REPLAY_FLOWS_MAX && !grow(t)))
		return false;
	return rte_hash_add_key_data(t->hash, key, (void *)(uintptr_t)n) == 0;
}

struct replay_flows *
replay_flows_create(void)
{
	struct replay_flows *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->flow = calloc(REPLAY_FLOWS_MAX, sizeof(*f->flow));
	f->back = calloc(REPLAY_FLOWS_MAX, sizeof(*f->back));
	f->pair = calloc(REPLAY_FLOWS_MAX, sizeof(*f->pair));
	f->has_crc = fcn_crc32_init(&f->crc) == 0;
	if (f->has_crc && f->flow != NULL && f->back != NULL && f->pair != NULL &&
			create(&f->flow_table, "cnp_flows", sizeof(struct flow_key)) &&
			create(&f->back_table, "cnp_qps", sizeof(struct flow_key)) &&
			create(&f->pair_table, "cnp_pairs", sizeof(struct pair_key)))
		return f;
	replay_flows_free(f);
	return NULL;
}

void
replay_flows_free(struct replay_flows *f)
{
	if (f == NULL)
		return;
	for (uint32_t i = 0; f->back != NULL && i < f->n_back; i++)
		free(f->back[i].candidate);
	rte_hash_free(f->flow_table.hash);
	rte_hash_free(f->back_table.hash);
	rte_hash_free(f->pair_table.hash);
	free(f->flow);
	free(f->back);
	free(f->pair);
	free(f->cnp);
	free(f->fast);
	if (f->has_crc)
		fcn_crc32_fini(&f->crc);
	free(f);
}

static struct flow_pair *
pair_of(struct replay_flows *f, const uint8_t sender[16], const uint8_t receiver[16])
{
	struct pair_key key;
	void *found;

	memcpy(key.sender, sender, sizeof(key.sender));
	memcpy(key.receiver, receiver, sizeof(key.receiver));
	if (rte_hash_lookup_data(f->pair_table.hash, &key, &found) >= 0)
		return &f->pair[(uintptr_t)found];
	if (!add_key(&f->pair_table, &key, f->n_pairs))
		return NULL;
	f->pair[f->n_pairs].first = NONE;
	return &f->pair[f->n_pairs++];
}

/* Find a flow. @param add make it if it is not known. @return NULL: it is not known, or there is no
 * room */
static struct flow *
flow_of(struct replay_flows *f, const struct flow_key *key, bool add)
{
	uint32_t *lately = &f->lately[(key->qp ^ key->sender[15]) % REPLAY_FLOWS_LATELY];
	struct flow_pair *pair;
	struct flow *flow;
	void *found;

	/* Most packets are of a flow that was looked up lately. */
	if (*lately < f->n_flows && memcmp(&f->flow[*lately].key, key, sizeof(*key)) == 0)
		return &f->flow[*lately];
	if (rte_hash_lookup_data(f->flow_table.hash, key, &found) >= 0) {
		*lately = (uint32_t)(uintptr_t)found;
		return &f->flow[*lately];
	}
	if (!add)
		return NULL;
	pair = pair_of(f, key->sender, key->receiver);
	if (pair == NULL || !add_key(&f->flow_table, key, f->n_flows)) {
		f->overflow = true;
		return NULL;
	}
	flow = &f->flow[f->n_flows];
	flow->key = *key;
	flow->next = pair->first;
	pair->first = f->n_flows++;
	pair->n++;
	return flow;
}

/* Find or make the entry of a queue pair of a sender. */
static struct flow_back *
back_of(struct replay_flows *f, const struct flow_key *key)
{
	struct flow_back *back;
	void *found;

	if (rte_hash_lookup_data(f->back_table.hash, key, &found) >= 0)
		return &f->back[(uintptr_t)found];
	if (!add_key(&f->back_table, key, f->n_back)) {
		f->overflow = true;
		return NULL;
	}
	back = &f->back[f->n_back++];
	back->key = *key;
	return back;
}

static bool
append(struct flow_time **list, size_t *n, size_t *room, const struct flow_time *entry)
{
	if (*n == *room) {
		const size_t more = *room != 0 ? 2 * *room : 1024;
		struct flow_time *grown = realloc(*list, more * sizeof(*grown));

		if (grown == NULL)
			return false;
		*list = grown;
		*room = more;
	}
	(*list)[(*n)++] = *entry;
	return true;
}

/* ---- which queue pairs belong together ---- */

/* Whether a sequence number is one of those that a flow has sent lately. */
static bool
has_sent(const struct flow *flow, uint32_t psn)
{
	const uint32_t back = (flow->psn_last - psn) & PSN_MASK;

	return flow->packets != 0 && back < RTE_MIN(PSN_REACH, flow->psn_span + 1);
}

static void
note_psn(struct flow *flow, uint32_t psn)
{
	const uint32_t ahead = (psn - flow->psn_last) & PSN_MASK;

	if (flow->packets == 0) {
		flow->psn_last = psn;
	} else if (ahead != 0 && ahead < PSN_REACH) {
		flow->psn_last = psn;
		flow->psn_span = RTE_MIN(flow->psn_span + ahead, PSN_MASK);
	} else if (ahead >= PSN_REACH && ((0 - ahead) & PSN_MASK) >= PSN_REACH) {
		/* Neither a bit ahead nor a retransmission: the queue pair is used anew. */
		flow->psn_last = psn;
		flow->psn_span = 0;
	}
}

/* A response names queue pair and sequence number: only flows that have sent it can be meant. */
static void
narrow(struct replay_flows *f, struct flow_back *back, uint32_t psn)
{
	const struct flow_pair *pair;
	uint32_t n = 0;

	if (back->conflicts > MAX_CONFLICTS ||
			(back->narrowed && back->n == 1 &&
					has_sent(&f->flow[back->candidate[0]], psn)))
		return;
	pair = pair_of(f, back->key.sender, back->key.receiver);
	if (pair == NULL || pair->n == 0 || pair->n > MAX_CANDIDATES)
		return;
	if (!back->narrowed) {
		uint32_t *list = realloc(back->candidate, pair->n * sizeof(*list));

		if (list == NULL)
			return;
		back->candidate = list;
		for (uint32_t i = pair->first; i != NONE; i = f->flow[i].next) {
			if (has_sent(&f->flow[i], psn))
				list[n++] = i;
		}
	} else {
		for (uint32_t i = 0; i < back->n; i++) {
			if (has_sent(&f->flow[back->candidate[i]], psn))
				back->candidate[n++] = back->candidate[i];
		}
	}
	back->conflicts += n == 0;
	back->narrowed = n != 0;
	back->n = n;
}

/* Whether a packet is a response whose sequence number is that of a request. */
static bool
is_response(uint8_t opcode)
{
	const uint8_t op = opcode & FCN_BTH_OP_MASK;

	return op == FCN_BTH_OP_ACK || op == FCN_BTH_OP_ATOMIC_ACK || op == OP_READ_FIRST ||
	       op == OP_READ_ONLY;
}

/* ---- what is noted ---- */

static struct flow_key
key_of(const uint8_t sender[16], const uint8_t receiver[16], uint32_t qp)
{
	struct flow_key key = {.qp = qp};

	memcpy(key.sender, sender, sizeof(key.sender));
	memcpy(key.receiver, receiver, sizeof(key.receiver));
	return key;
}

static void
note_cnp(struct replay_flows *f, const struct replay_frame *frame, bool entered)
{
	const struct flow_key key = key_of(frame->destination, frame->source, frame->info.dest_qp);
	struct flow_back *back = back_of(f, &key);

	f->cnps += entered;
	f->cnps_seen++;
	if (back == NULL || !append(&f->cnp, &f->n_cnp, &f->cnp_room,
					    &(struct flow_time){.ns = frame->stamp,
							    .index = back - f->back,
							    .entered = entered})) {
		f->overflow = true;
		return;
	}
	if (entered)
		back->entered = true;
}

void
replay_flows_frame(struct replay_flows *f, const struct replay_frame *frame, bool entered)
{
	const bool roce = frame->kind == REPLAY_FRAME_DATA || frame->kind == REPLAY_FRAME_ACK;
	struct flow_key key;
	struct flow *flow;
	struct flow_back *back;

	if (frame->info.flags & FCN_PKT_FASTCNP)
		f->fast_in_capture++;
	else if (frame->kind == REPLAY_FRAME_CNP)
		note_cnp(f, frame, entered);
	/* Queue pairs 0 and 1 are for management, and not of a connection. */
	if (!roce || frame->info.dest_qp < 2)
		return;
	if (is_response(frame->info.opcode)) {
		key = key_of(frame->destination, frame->source, frame->info.dest_qp);
		back = back_of(f, &key);
		if (back != NULL)
			narrow(f, back, psn_of(frame));
	}
	if (frame->kind != REPLAY_FRAME_DATA)
		return;
	key = key_of(frame->source, frame->destination, frame->info.dest_qp);
	flow = flow_of(f, &key, true);
	if (flow == NULL)
		return;
	note_psn(flow, psn_of(frame));
	flow->packets++;
	flow->entered += entered;
	/* A mark in what a switch sent is newer than one in what it received. */
	if ((frame->info.tclass & FCN_ECN_CE) == FCN_ECN_CE && flow->first_ce == 0)
		flow->first_ce = frame->stamp;
}

/* Most packets have UDP behind an untagged IPv6 header, and are none. */
static bool
can_be_fast(const uint8_t *data)
{
	const uint16_t type = fcn_get_be16(data + offsetof(struct rte_ether_hdr, ether_type));

	if (type == RTE_ETHER_TYPE_IPV4)
		return false;
	return type != RTE_ETHER_TYPE_IPV6 ||
	       data[RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, proto)] != IPPROTO_UDP;
}

void
replay_flows_sent(struct replay_flows *f, const struct fcn_config *cfg,
		const struct fcn_snapshot *snapshot, const struct rte_mbuf *m, uint64_t left_ns)
{
	static const uint8_t translated[12] = {0x00, 0x64, 0xFF, 0x9B};
	static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct fcn_wire_info info;
	struct fcn_fastcnp notice;
	struct flow_key key;
	struct flow *flow;

	if (m->nb_segs != 1 || m->data_len > FAST_MAX_LEN || !can_be_fast(data))
		return;
	fcn_parse_slow(data, m->data_len, m->data_len, &snapshot->codes, &info);
	if (!(info.flags & FCN_PKT_FASTCNP) ||
			fcn_fastcnp_parse(&f->crc, FCN_ICRC_ANY, data, m->data_len, &info,
					&snapshot->codes, &notice) != FCN_WIRE_OK ||
			memcmp(notice.cnp.src, cfg->loopback.bytes, sizeof(key.sender)) != 0)
		return;
	f->fast_sent++;
	key = key_of(notice.cnp.dst, notice.receiver, info.dest_qp);
	flow = flow_of(f, &key, false);
	if (flow == NULL && memcmp(key.sender, translated, sizeof(translated)) == 0) {
		memcpy(key.sender, mapped, sizeof(mapped));
		memcpy(key.receiver, mapped, sizeof(mapped));
		flow = flow_of(f, &key, false);
	}
	if (flow == NULL || !append(&f->fast, &f->n_fast, &f->fast_room,
					    &(struct flow_time){.ns = left_ns,
							    .index = flow - f->flow}))
		f->overflow = true;
}

bool
replay_flows_has_cnps(const struct replay_flows *f)
{
	return f->cnps_seen != 0;
}
