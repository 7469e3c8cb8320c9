/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "endpoint_state.h"
#include "fcn_inet.h"

#define MAX_MESSAGE (UINT64_C(1) << 40)
#define DSCP_MAX 63

static void
peer_key(uint8_t key[ENDPOINT_PEER_KEY_LEN], const uint8_t addr[16], uint32_t qp)
{
	memcpy(key, addr, 16);
	memcpy(key + 16, &qp, sizeof(qp));
}

struct endpoint_qp *
endpoint_qp_by_peer(const struct fcn_endpoint *ep, const uint8_t addr[16], uint32_t peer_qp)
{
	uint8_t key[ENDPOINT_PEER_KEY_LEN];

	peer_key(key, addr, peer_qp);
	return endpoint_hash_find(&ep->by_peer, key);
}

/*
 * Successive numbers of a slot differ by the number of slots, rounded up to a power of two. A
 * number is therefore reused as late as possible, and packets in flight of a closed queue pair are
 * not taken for those of its successor.
 */
static uint32_t
next_number(struct fcn_endpoint *ep, uint32_t slot)
{
	uint32_t number = ep->free_number[slot];
	uint64_t next = (uint64_t)number + ep->slot_mask + 1;

	ep->free_number[slot] = next > ENDPOINT_PSN_MASK ? slot + FCN_ENDPOINT_FIRST_QP
							 : (uint32_t)next;
	return number;
}

/* Initialise a queue pair in its slot. */
static void
qp_init(struct endpoint_qp *qp, uint32_t slot, uint32_t number)
{
	*qp = (struct endpoint_qp){.slot = slot, .number = number, .timer_ns = FCN_ENDPOINT_NEVER};
}

int
fcn_endpoint_qp_add(struct fcn_endpoint *ep)
{
	struct endpoint_qp *qp;
	uint32_t slot = ep->slot_hint;

	if (ep->n_qps == ep->conf.max_qps)
		return -ENOSPC;
	while (ep->qp[slot] != NULL)
		slot = (slot + 1) % ep->conf.max_qps;
	qp = malloc(sizeof(*qp));
	if (qp == NULL)
		return -ENOMEM;
	qp_init(qp, slot, next_number(ep, slot));
	ep->qp[slot] = qp;
	ep->n_qps++;
	ep->slot_hint = (slot + 1) % ep->conf.max_qps;
	return (int)qp->number;
}

static bool
peer_ok(const struct fcn_endpoint_peer *peer)
{
	return fcn_ip6_is_station(peer->addr) && fcn_mac_is_station(&peer->mac) && peer->qp > 0 &&
	       peer->qp <= ENDPOINT_PSN_MASK && peer->dscp <= DSCP_MAX &&
	       peer->operation <= FCN_OPERATION_WRITE;
}

static struct endpoint_peer *
peer_hold(struct fcn_endpoint *ep, const uint8_t addr[16])
{
	struct endpoint_peer *peer;

	peer = endpoint_hash_find(&ep->peers, addr);
	if (peer != NULL) {
		peer->users++;
		return peer;
	}
	peer = calloc(1, sizeof(*peer));
	if (peer == NULL)
		return NULL;
	memcpy(peer->addr, addr, sizeof(peer->addr));
	peer->users = 1;
	endpoint_hash_add(&ep->peers, addr, peer);
	return peer;
}

static void
peer_drop(struct fcn_endpoint *ep, struct endpoint_peer *peer)
{
	if (--peer->users > 0)
		return;
	endpoint_hash_remove(&ep->peers, peer->addr);
	free(peer);
}

int
fcn_endpoint_qp_connect(struct fcn_endpoint *ep, uint32_t number,
		const struct fcn_endpoint_peer *peer, uint64_t now)
{
	struct endpoint_qp *qp = endpoint_qp_find(ep, number);
	uint8_t key[ENDPOINT_PEER_KEY_LEN];
	uint8_t class = peer->dscp >> 3;

	if (qp == NULL)
		return -ENOENT;
	if (qp->connected)
		return -EISCONN;
	if (!peer_ok(peer))
		return -EINVAL;
	if (endpoint_qp_by_peer(ep, peer->addr, peer->qp) != NULL)
		return -EEXIST;
	if (endpoint_heap_reserve(&ep->data[class], ep->n_qps) != 0 ||
			endpoint_heap_reserve(&ep->timers, ep->n_qps) != 0)
		return -ENOMEM;
	if (ep->conf.selective_repeat && qp->selective == NULL) {
		qp->selective = calloc(1, sizeof(*qp->selective));
		if (qp->selective == NULL)
			return -ENOMEM;
	}
	if (ep->conf.trim && qp->trim == NULL) {
		qp->trim = calloc(1, sizeof(*qp->trim));
		if (qp->trim == NULL)
			return -ENOMEM;
	}
	if (fcn_reaction_wants_acks(&ep->conf.reaction) && qp->times == NULL &&
			endpoint_times_begin(qp) != 0)
		return -ENOMEM;
	qp->peer = peer_hold(ep, peer->addr);
	if (qp->peer == NULL)
		return -ENOMEM;
	peer_key(key, peer->addr, peer->qp);
	endpoint_hash_add(&ep->by_peer, key, qp);
	qp->to = *peer;
	qp->write = (peer->operation != FCN_OPERATION_DEFAULT
						    ? peer->operation
						    : ep->conf.operation) == FCN_OPERATION_WRITE;
	qp->data_class = class;
	ep->data_classes |= 1u << class;
	endpoint_template_make(ep, qp);
	fcn_reaction_init(&qp->reaction, &ep->conf.reaction, ep->conf.line_bps,
			endpoint_sender_packet(ep, qp), now);
	qp->connected = true;
	endpoint_sender_reacted(ep, qp, now);
	return 0;
}

static void
qp_disconnect(struct fcn_endpoint *ep, struct endpoint_qp *qp)
{
	uint8_t key[ENDPOINT_PEER_KEY_LEN];

	if (!qp->connected)
		return;
	endpoint_schedule_forget(ep, qp);
	endpoint_sender_fini(ep, qp);
	peer_key(key, qp->to.addr, qp->to.qp);
	endpoint_hash_remove(&ep->by_peer, key);
	peer_drop(ep, qp->peer);
}

static void
qp_free(struct fcn_endpoint *ep, struct endpoint_qp *qp)
{
	qp_disconnect(ep, qp);
	ep->qp[qp->slot] = NULL;
	ep->n_qps--;
	free(qp->selective);
	free(qp->trim);
	endpoint_times_end(qp);
	free(qp);
}

void
fcn_endpoint_qp_close(struct fcn_endpoint *ep, uint32_t number)
{
	struct endpoint_qp *qp = endpoint_qp_find(ep, number);

	if (qp != NULL)
		qp_free(ep, qp);
}

void
endpoint_qps_free(struct fcn_endpoint *ep)
{
	struct endpoint_message *m;

	for (uint32_t i = 0; ep->qp != NULL && i < ep->conf.max_qps; i++) {
		if (ep->qp[i] != NULL)
			qp_free(ep, ep->qp[i]);
	}
	while ((m = ep->spare) != NULL) {
		ep->spare = m->next;
		free(m);
	}
}

int
fcn_endpoint_qp_reset(struct fcn_endpoint *ep, uint32_t number)
{
	struct endpoint_qp *qp = endpoint_qp_find(ep, number);

	if (qp == NULL)
		return -ENOENT;
	qp_disconnect(ep, qp);
	free(qp->selective);
	free(qp->trim);
	endpoint_times_end(qp);
	qp_init(qp, qp->slot, qp->number);
	return 0;
}

static struct endpoint_message *
message_take(struct fcn_endpoint *ep)
{
	struct endpoint_message *m = ep->spare;

	if (m == NULL)
		return malloc(sizeof(*m));
	ep->spare = m->next;
	return m;
}

int
fcn_endpoint_post(struct fcn_endpoint *ep, uint32_t number, uint64_t bytes, uint64_t cookie,
		uint64_t now)
{
	struct endpoint_qp *qp = endpoint_qp_find(ep, number);
	struct endpoint_message *m;

	if (qp == NULL)
		return -ENOENT;
	if (!qp->connected)
		return -ENOTCONN;
	if (bytes == 0 || bytes > (qp->write ? FCN_ENDPOINT_WRITE_MAX : MAX_MESSAGE))
		return -EINVAL;
	m = message_take(ep);
	if (m == NULL)
		return -ENOMEM;
	*m = (struct endpoint_message){
			.first = qp->packets,
			.packets = (bytes + ep->conf.payload - 1) / ep->conf.payload,
			.bytes = bytes,
			.address = qp->posted_bytes,
			.cookie = cookie,
			.created_ns = now,
	};
	if (qp->tail == NULL)
		qp->head = m;
	else
		qp->tail->next = m;
	qp->tail = m;
	if (qp->snd == NULL)
		qp->snd = m;
	qp->packets += m->packets;
	qp->posted_bytes += bytes;
	endpoint_schedule_data(ep, qp, now);
	return 0;
}

int
fcn_endpoint_qp_info(
		const struct fcn_endpoint *ep, uint32_t number, struct fcn_endpoint_qp_info *info)
{
	const struct endpoint_qp *qp = endpoint_qp_find(ep, number);

	if (qp == NULL)
		return -ENOENT;
	*info = (struct fcn_endpoint_qp_info){
			.rate_bps = qp->pacer.rate_bps,
			.window = RTE_MIN(qp->window, ep->conf.window),
			.in_flight = qp->sent_bytes - qp->acked_bytes,
			.on_wire = qp->sent_wire - qp->acked_wire,
			.posted = qp->posted_bytes,
			.acked = qp->acked_bytes,
			.delivered = qp->delivered_bytes,
			.notices = qp->notices,
			.src_port = qp->to.src_port,
			/* It reacts from the moment at which it has a peer. */
			.alpha = qp->connected ? fcn_reaction_alpha(&qp->reaction) : 0,
	};
	return 0;
}
