/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "cross_core.h"
#include "lossless.h"
#include "fcn_stages.h"
#include "fcn_worker.h"

static struct rte_ring *
create_ring(const struct fcn_worker_conf *conf, const char *what, unsigned int elem_size,
		unsigned int count)
{
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "%s_%s", conf->name, what);
	return rte_ring_create_elem(name, elem_size, count, conf->socket,
			RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
}

static struct fcn_burst *
create_burst(int socket)
{
	return rte_zmalloc_socket(
			"fcn_burst", sizeof(struct fcn_burst), RTE_CACHE_LINE_SIZE, socket);
}

#define SID_CACHE_BITS 8 /* binary logarithm of the number of local SIDs that are remembered */

static int
create_dest_cache(struct fcn_dest_cache *cache, const struct fcn_hash_key *key, unsigned int bits,
		int socket)
{
	struct fcn_dest_cache_entry *entry = rte_malloc_socket("fcn_dest_cache",
			sizeof(*entry) << bits, FCN_DEST_CACHE_WAYS * sizeof(*entry), socket);

	if (entry == NULL) {
		rte_errno = ENOMEM;
		return -1;
	}
	fcn_dest_cache_init(cache, key, entry, bits);
	return 0;
}

static int
create_parts(struct fcn_worker *w, const struct fcn_worker_conf *conf)
{
	char name[24];
	int rc;

	fcn_hash_key_make(&w->hash_key, conf->hash_secret);
	w->notify = rte_zmalloc_socket("fcn_notify", fcn_notice_kind_count * sizeof(*w->notify),
			RTE_CACHE_LINE_SIZE, conf->socket);
	if (w->notify == NULL) {
		rte_errno = ENOMEM;
		return -1;
	}
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		rc = fcn_notify_state_init(
				&w->notify[k], conf->flow_sets, conf->dest_sets, conf->socket);
		if (rc != 0) {
			rte_errno = -rc;
			return -1;
		}
		w->notify[k].key = w->hash_key;
	}
	w->arn = rte_malloc_socket(
			"fcn_arn_sender", sizeof(*w->arn), RTE_CACHE_LINE_SIZE, conf->socket);
	w->arn_edge = rte_zmalloc_socket(
			"fcn_arn_edge", sizeof(*w->arn_edge), RTE_CACHE_LINE_SIZE, conf->socket);
	if (w->arn == NULL || w->arn_edge == NULL) {
		rte_errno = ENOMEM;
		return -1;
	}
	fcn_arn_sender_init(w->arn);
	w->arn->key = w->hash_key;
	rc = fcn_arn_held_init(w);
	if (rc == 0)
		rc = fcn_arn_received_init(&w->arn_received, conf->socket);
	if (rc == 0)
		rc = fcn_proxy_state_init(&w->proxy, conf->socket);
	if (rc == 0)
		rc = fcn_srv6_state_init(&w->srv6, conf->socket);
	if (rc != 0) {
		rte_errno = -rc;
		return -1;
	}
	w->fast = fcn_fast_path_choose();
	if (create_dest_cache(&w->dest_cache, &w->hash_key,
			    rte_log2_u32(RTE_MAX(conf->destinations, 64u)), conf->socket) != 0 ||
			create_dest_cache(&w->sid_cache, &w->hash_key, SID_CACHE_BITS,
					conf->socket) != 0)
		return -1;
	snprintf(name, sizeof(name), "%s_macs", conf->name);
	w->macs = fcn_mac_table_create(name, conf->mac_entries, conf->socket,
			(uint32_t)(conf->hash_secret ^ conf->hash_secret >> 32));
	if (w->macs != NULL)
		fcn_mac_table_reserve(w->macs, 0);
	w->rx = create_burst(conf->socket);
	w->waited = create_burst(conf->socket);
	w->flood = create_burst(conf->socket);
	w->notices = create_burst(conf->socket);
	w->leaving = create_burst(conf->socket);
	w->received_cross_core = create_burst(conf->socket);
	if (w->macs == NULL || w->rx == NULL || w->waited == NULL || w->flood == NULL ||
			w->notices == NULL || w->leaving == NULL || w->received_cross_core == NULL)
		return -1;
	if (conf->events != 0) {
		w->events = create_ring(conf, "events", sizeof(struct fcn_event), conf->events);
		if (w->events == NULL)
			return -1;
	}
	if (conf->injects != 0) {
		w->punts = fcn_punt_queues_create(conf->socket);
		w->injects = create_ring(conf, "injects", sizeof(struct fcn_inject), conf->injects);
		w->resolve.requests = create_ring(conf, "asks", sizeof(struct fcn_resolve_request),
				FCN_RESOLVE_RECENT_MAX);
		if (w->punts == NULL || w->injects == NULL || w->resolve.requests == NULL)
			return -1;
	}
	return 0;
}

struct fcn_worker *
fcn_worker_create(const struct fcn_worker_conf *conf)
{
	struct fcn_worker *w;

	w = rte_zmalloc_socket("fcn_worker", sizeof(*w), RTE_CACHE_LINE_SIZE, conf->socket);
	if (w == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	w->id = conf->id;
	w->socket = conf->socket;
	w->pool = conf->pool;
	w->published = conf->published;
	w->qsbr = conf->qsbr;
	w->local = conf->local != NULL ? conf->local : fcn_local_behaviours;
	w->random.state = conf->seed;
	w->drawing.state = ~conf->seed;
	w->clears = conf->clears;
	w->n_ports = FCN_SNAPSHOT_PORTS;
	w->threaded = conf->threaded;
	/* Until the first snapshot. */
	w->packets.most = w->packets.shared_free = w->packets.quiet = FCN_PACKETS_ANY;
	w->watch.patience = conf->patience;
	w->stage_clock.read = conf->read_cycles;
	w->rx_share.measured = FCN_PORT_NONE;
	w->queued_offset = fcn_queued_register();
	if (w->queued_offset < 0) {
		rte_errno = -w->queued_offset;
		rte_free(w);
		return NULL;
	}
	if (create_parts(w, conf) != 0) {
		int err = rte_errno != 0 ? rte_errno : ENOMEM;

		fcn_worker_free(w);
		rte_errno = err;
		return NULL;
	}
	return w;
}

/* Free the rings and the packets in them. */
static void
free_rings(struct fcn_worker *w)
{
	struct fcn_inject inject;

	while (w->injects != NULL &&
			rte_ring_sc_dequeue_elem(w->injects, &inject, sizeof(inject)) == 0)
		rte_pktmbuf_free(inject.mbuf);
	fcn_punt_queues_free(w->punts);
	rte_ring_free(w->injects);
	rte_ring_free(w->resolve.requests);
}

void
fcn_worker_free(struct fcn_worker *w)
{
	if (w == NULL)
		return;
	fcn_worker_watch_fini(w); /* the worker no longer runs: calls are made directly */
	while (w->n_own_ports > 0)
		fcn_worker_port_remove(w, w->own_port[0]);
	/* What the worker receives by is the other's to free. */
	for (unsigned int i = 0; i < w->n_peers; i++) {
		for (unsigned int r = 0; r < FCN_PEER_RINGS; r++)
			rte_ring_free(w->peer[i].tx[r]);
		rte_free(w->peer[i].released_tx);
		fcn_cross_core_free(w->peer[i].cross_core_tx);
	}
	fcn_arn_held_fini(w);
	fcn_arn_received_fini(&w->arn_received);
	fcn_proxy_state_fini(&w->proxy);
	fcn_lossless_fini(w);
	rte_pktmbuf_free_bulk(w->spare.mbuf, w->spare.n);
	fcn_trace_filter_free(&w->trace);
	for (unsigned int k = 0; w->notify != NULL && k < fcn_notice_kind_count; k++)
		fcn_notify_state_fini(&w->notify[k]);
	rte_free(w->notify);
	fcn_srv6_state_fini(&w->srv6);
	fcn_mac_table_free(w->macs);
	rte_free(w->dest_cache.entry);
	rte_free(w->sid_cache.entry);
	free_rings(w);
	rte_ring_free(w->events);
	rte_ring_free(w->capture.ring);
	rte_free(w->arn);
	rte_free(w->arn_edge);
	rte_free(w->rx);
	rte_free(w->waited);
	rte_free(w->flood);
	rte_free(w->notices);
	rte_free(w->leaving);
	rte_free(w->received_cross_core);
	rte_free(w);
}

static void
clear_worker_counters(struct fcn_worker *c)
{
	FCN_WORKER_COUNTERS(FCN_COUNTER_CLEAR)
}

void
fcn_worker_clear_counters(struct fcn_worker *w)
{
	w->carried = w->cross_core_tx - w->cross_core_rx + w->held.n + w->arn_held.flows.packets;
	memset(&w->retired, 0, sizeof(w->retired));
	for (unsigned int p = 0; p < w->n_ports; p++) {
		struct fcn_egress *eg = w->port[p].egress;

		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			fcn_ingress_clear_counters(&w->ingress[p][c]);
		if (eg == NULL)
			continue;
		w->carried += fcn_egress_packets(eg);
		fcn_pause_clear_stats(&w->port[p].pause, w->now);
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			fcn_queue_clear_counters(&eg->queue[c]);
	}
	memset(w->counters, 0, w->n_ports * sizeof(w->counters[0]));
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++)
		fcn_notice_accounting_clear(&w->notice_accounting[k]);
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		fcn_notify_state_clear_stats(&w->notify[k], w->n_ports);
	fcn_srv6_state_clear(&w->srv6);
	fcn_arn_sender_clear_counters(w->arn);
	fcn_arn_held_clear_counters(w);
	fcn_arn_received_clear(&w->arn_received);
	fcn_proxy_state_clear(&w->proxy);
	fcn_arn_edge_clear_counters(w->arn_edge);
	clear_worker_counters(w);
	memset(&w->load, 0, sizeof(w->load));
	memset(w->stage_cycles.sum, 0, sizeof(w->stage_cycles.sum));
	w->stage_cycles.left_out = 0;
}

void
fcn_worker_clear_watermarks(struct fcn_worker *w)
{
	fcn_buffer_clear_watermarks(&w->buffer);
	fcn_buffer_clear_watermarks(&w->packets.packets);
	fcn_arn_held_clear_watermarks(w);
	for (unsigned int p = 0; p < w->n_ports; p++) {
		struct fcn_egress *eg = w->port[p].egress;

		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			fcn_ingress_clear_watermarks(&w->ingress[p][c]);
			fcn_ingress_clear_watermarks(&w->ingress_packets[p][c]);
			if (eg != NULL)
				fcn_queue_clear_watermarks(&eg->queue[c], w->now);
		}
	}
}

void
fcn_worker_clear_counters_once(struct fcn_worker *w)
{
	uint64_t clears = w->clears != NULL ? __atomic_load_n(w->clears, __ATOMIC_RELAXED) : 0;

	if (w->clears != NULL && w->cleared == clears)
		return;
	w->cleared = clears;
	fcn_worker_clear_counters(w);
}
