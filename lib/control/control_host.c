/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Connection of the host functions to the switch: rings carry packets to and from them, and the
 * neighbours and senders that they learn are published in snapshots.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_ring_elem.h>

#include "fcn_control.h"
#include "control_kernel.h"
#include "control_private.h"

/* Maximum number of packets that one poll takes from a worker, and minimum number of each kind. */
#define PUNTS_A_POLL 256
#define LEAST_OF_A_KIND 16u

/*
 * Number of entries in the ring to a worker that are reserved for frames of ARP and Neighbour
 * Discovery, because no other frame can be sent before its neighbour is known. One poll generates
 * fewer such frames than that, by timers and in answer to the packets that a worker may have
 * queued.
 */
#define DISCOVERY_ROOM 512u

/* Time, ns, after which publishing is tried again if memory was exhausted. */
#define FOUND_AGAIN_NS UINT64_C(500000000)

/*
 * Put a frame into the ring of a port's worker.
 *
 * @param kept number of entries to leave free
 * @return whether there was room
 */
static bool
put(struct fcn_control *ctl, uint16_t port, struct fcn_inject *frame, unsigned int kept)
{
	const uint16_t line = ctl->published->port[port].parent;
	struct rte_ring *ring = fcn_control_owner(ctl, line)->injects;

	return rte_ring_count(ring) + kept <
			       fcn_inject_limit(ctl->published->budget.control_shift) &&
	       rte_ring_sp_enqueue_elem(ring, frame, sizeof(*frame)) == 0;
}

static bool
send_frame(void *arg, struct rte_mbuf *m, uint16_t port, uint8_t class, bool discovery)
{
	struct fcn_inject frame = {
			.mbuf = m, .out_port = port, .class = class, .kind = FCN_INJECT_SEND};

	if (put(arg, port, &frame, discovery ? 0 : DISCOVERY_ROOM))
		return true;
	rte_pktmbuf_free(m);
	return false;
}

bool
fcn_control_send_frame(struct fcn_control *ctl, struct rte_mbuf *m, uint16_t port, uint8_t class)
{
	return send_frame(ctl, m, port, class, false);
}

/*
 * Let a worker drop a packet, because drop counters and captures belong to workers. If its ring has
 * no room, another worker drops the packet between two turns, the first one that is not stalled.
 */
static void
drop_packet(void *arg, struct rte_mbuf *m, uint16_t in_port, uint8_t class,
		enum fcn_drop_reason why)
{
	struct fcn_control *ctl = arg;
	struct fcn_inject frame = {.mbuf = m,
			.in_port = in_port,
			.class = class,
			.kind = FCN_INJECT_DROP,
			.drop = why};

	if (put(ctl, in_port, &frame, DISCOVERY_ROOM))
		return;
	for (unsigned int i = 0; i < ctl->n_workers; i++) {
		int rc = fcn_worker_call(ctl->worker[i], fcn_inject_refused, &frame, sizeof(frame));

		if (rc == 0 || rc == -EINPROGRESS)
			return;
	}
	/* None of them turns: it waits for one that does. */
	for (unsigned int i = 0; i < ctl->n_workers; i++) {
		if (rte_ring_sp_enqueue_elem(ctl->worker[i]->injects, &frame, sizeof(frame)) == 0)
			return;
	}
	rte_pktmbuf_free(m); /* still counted as consumed by the host functions */
}

static bool
forward_packet(void *arg, struct rte_mbuf *m, uint16_t port, uint16_t in_port, uint8_t class)
{
	struct fcn_inject frame = {.mbuf = m,
			.out_port = port,
			.in_port = in_port,
			.class = class,
			.kind = FCN_INJECT_FORWARD};

	if (put(arg, port, &frame, DISCOVERY_ROOM))
		return true;
	drop_packet(arg, m, in_port, class, FCN_DROP_INJECT_FULL);
	return false;
}

/* Let the worker of a port route a packet. The table is that of the port or of a local SID. */
static bool
route_own(void *arg, struct rte_mbuf *m, uint16_t in_port, unsigned int table, uint8_t class)
{
	struct fcn_inject frame = {.mbuf = m,
			.out_port = FCN_PORT_NONE,
			.in_port = in_port,
			.class = class,
			.kind = FCN_INJECT_ROUTE,
			.table = (uint8_t)table};

	if (put(arg, in_port, &frame, DISCOVERY_ROOM))
		return true;
	rte_pktmbuf_free(m);
	return false;
}

struct notified_question {
	unsigned int kind;
	struct fcn_refused_notice notice;
	uint64_t within_ns;
	bool answer;
};

static void
ask_notified(struct fcn_worker *w, void *arg)
{
	struct notified_question *q = arg;

	q->answer = q->answer ||
		    fcn_notify_was_notified(&w->notify[q->kind], q->notice.data_source,
				    q->notice.receiver, q->notice.dest_qp, w->now, q->within_ns);
}

static enum fcn_host_refused
is_refused(void *arg, uint16_t in_port, const uint8_t *ip, uint32_t len, uint64_t within_ns,
		struct fcn_host_refusal *refusal)
{
	struct fcn_control *ctl = arg;
	enum fcn_host_refused result = FCN_HOST_NOT_REFUSED;

	for (unsigned int k = 0; k < ctl->published->notify.n_kinds; k++) {
		const struct fcn_notify_conf *conf = &ctl->published->notify.kind[k];
		struct notified_question q = {.kind = k, .within_ns = within_ns};

		if (conf->kind->is_refused == NULL ||
				!conf->kind->is_refused(
						conf->own, conf->common, ip, len, &q.notice))
			continue;
		fcn_control_read(ctl, ask_notified, &q, sizeof(q));
		if (!q.answer)
			continue;
		if (!fcn_control_refusal_comes_by(ctl->published, &q.notice, in_port)) {
			result = FCN_HOST_REFUSED_ELSEWHERE;
			continue;
		}
		memcpy(refusal->sender, q.notice.sender, sizeof(refusal->sender));
		refusal->kind = k;
		refusal->ignored = q.notice.is_trusted;
		if (refusal->ignored)
			fcn_control_refusal_ignored(ctl, refusal);
		return FCN_HOST_REFUSED;
	}
	return result;
}

static void
log_line(void *arg, const char *line)
{
	fcn_control_log(arg, line);
}

int
fcn_control_host_create(struct fcn_control *ctl, const struct fcn_control_conf *conf)
{
	const struct fcn_host_env env = {
			.send = send_frame,
			.forward = forward_packet,
			.route_own = route_own,
			.drop = drop_packet,
			.route = fcn_control_host_find_route,
			.refused = is_refused,
			.kernel = fcn_control_kernel_deliver,
			.log = log_line,
			.hash_secret = conf->hash_secret,
			.arg = ctl,
	};

	ctl->host = fcn_host_create(conf->pool, &env, conf->seed);
	return ctl->host == NULL ? -1 : 0;
}

void
fcn_control_host_free(struct fcn_control *ctl)
{
	fcn_host_free(ctl->host);
	free(ctl->neighbours);
	free(ctl->refusals);
}

bool
fcn_control_host_is_on(const struct fcn_control *ctl, const struct fcn_config *cfg)
{
	if (cfg->host.mode == FCN_HOST_AUTO)
		return ctl->platform->host;
	return cfg->host.mode == FCN_HOST_ON;
}

/* Append an address that belongs to no port. */
static void
append_own(struct fcn_host_address *list, size_t *n, const struct fcn_addr *addr,
		unsigned int table)
{
	list[(*n)++] = (struct fcn_host_address){.port = FCN_HOST_LOOPBACK,
			.prefix = {.addr = *addr, .len = addr->version == 6 ? 128 : 32},
			.table = (uint8_t)table};
}

/*
 * Collect the addresses of the switch but the IPv6 loopback: those of ports, the IPv4 loopback, and
 * those of the kernel.
 *
 * @return NULL when memory is exhausted
 */
static struct fcn_host_address *
collect_addresses(const struct fcn_control *ctl, size_t *n)
{
	const struct fcn_config *cfg = ctl->config;
	const struct fcn_build_env *env = &ctl->env;
	struct fcn_host_address *list = calloc(
			cfg->addresses.n + env->n_kernel_own + 1, sizeof(*list));

	*n = 0;
	if (list == NULL)
		return NULL;
	if (cfg->loopback4.version != 0)
		append_own(list, n, &cfg->loopback4, FCN_TABLE_MAIN);
	for (size_t i = 0; i < cfg->addresses.n; i++)
		list[(*n)++] = (struct fcn_host_address){.port = cfg->addresses.item[i].port,
				.prefix = cfg->addresses.item[i].prefix};
	for (size_t i = 0; i < env->n_kernel_own; i++)
		append_own(list, n, &env->kernel_own[i].addr, env->kernel_own[i].table);
	return list;
}

uint64_t
fcn_control_now(struct fcn_control *ctl)
{
	for (unsigned int i = 0; i < ctl->n_workers; i++) {
		uint64_t now = __atomic_load_n(&ctl->worker[i]->now, __ATOMIC_RELAXED);

		ctl->host_now = RTE_MAX(ctl->host_now, now);
	}
	return ctl->host_now;
}

/* Whether a port is up. A bridge interface is up while at least one port of the bridge is up. */
static bool
is_up(const struct fcn_control *ctl, unsigned int p)
{
	const struct fcn_snapshot *s = ctl->published;

	if (s->port[p].mode == FCN_PORT_BRIDGE_INTERFACE)
		return !fcn_port_set_is_empty(&s->bridge[s->port[p].bridge].members);
	return !ctl->env.port[s->port[p].parent].down;
}

void
fcn_control_host_configure(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = ctl->config;
	const struct fcn_config_host *h = &cfg->host;
	size_t n_addresses;
	struct fcn_host_address *addresses = collect_addresses(ctl, &n_addresses);
	struct fcn_host_conf conf = {
			.addresses = addresses,
			.n_addresses = n_addresses,
			.loopback = cfg->loopback,
			.dad = h->dad,
			.mld = h->mld,
			.icmp_errors = {h->errors.rate, h->errors.burst},
			.icmp_replies = {h->replies.rate, h->replies.burst},
			.solicitations = {h->solicitations.rate, h->solicitations.burst},
			.reachable_ns = h->reachable_ns,
			.retrans_ns = h->retrans_ns,
			.max_neighbours = h->max_neighbours,
			.port_neighbours = h->port_neighbours,
			.port_waiting = FCN_HOST_WAIT_PORT >> ctl->published->budget.control_shift,
			.ra_interval_ns = h->advertise_ns,
			.capability_ns = h->capability_ns,
			.notice_recent_ns = h->notice_recent_ns,
			.codes = cfg->codes,
			.class = h->class,
	};

	if (!fcn_control_host_is_on(ctl, cfg))
		conf.n_addresses = 0;
	for (unsigned int p = 0; p < cfg->n_ports && fcn_control_host_is_on(ctl, cfg); p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (port->name[0] == '\0' || port->bridge >= 0)
			continue;
		conf.port[p] = (struct fcn_host_port){
				.routed = true,
				.in_bridge = fcn_config_is_bridge_interface(cfg, p),
				.up = is_up(ctl, p),
				.table = (uint8_t)ctl->published->port[p].table,
				.mac = ctl->published->port[p].mac,
				.mtu = ctl->published->port[p].tx_mtu,
				.advertise = port->advertise,
				.kernel = ctl->published->port[p].kernel,
		};
	}
	/*
	 * If memory is exhausted, the host functions keep their previous configuration, while
	 * workers use the new one.
	 */
	if (addresses == NULL || fcn_host_configure(ctl->host, &conf, fcn_control_now(ctl)) != 0)
		log_line(ctl, "host functions: out of memory; they stay as they were");
	free(addresses);
}

/*
 * Store the neighbours whose MAC address is known in ctl->env, for snapshots.
 *
 * @return 0; -1 when memory is exhausted, and the previous ones stay
 */
static int
collect_neighbours(struct fcn_control *ctl)
{
	struct fcn_build_neighbour *list;
	struct fcn_host_neighbour neighbour;
	uint32_t next = 0;
	size_t room = 0, n = 0;

	while (fcn_host_neighbour_next(ctl->host, &next, &neighbour))
		room++;
	list = calloc(room + 1, sizeof(*list));
	if (list == NULL)
		return -1;
	next = 0;
	while (fcn_host_neighbour_next(ctl->host, &next, &neighbour)) {
		if (neighbour.state == FCN_NEIGHBOUR_REACHABLE ||
				neighbour.state == FCN_NEIGHBOUR_PROBE)
			list[n++] = (struct fcn_build_neighbour){
					neighbour.port, neighbour.addr, neighbour.mac};
	}
	fcn_control_neighbour_events(ctl, ctl->neighbours, ctl->env.n_neighbours, list, n);
	free(ctl->neighbours);
	ctl->env.neighbours = ctl->neighbours = list;
	ctl->env.n_neighbours = n;
	return 0;
}

/* Put the senders that do not understand notices into ctl->env, the same way. */
static int
collect_senders(struct fcn_control *ctl)
{
	struct fcn_host_refusal *list;
	struct fcn_host_sender sender;
	uint32_t next = 0;
	size_t room = 0, n = 0;

	while (fcn_host_sender_next(ctl->host, &next, &sender))
		room++;
	list = calloc(room + 1, sizeof(*list));
	if (list == NULL)
		return -1;
	next = 0;
	while (fcn_host_sender_next(ctl->host, &next, &sender))
		list[n++] = sender.refusal;
	fcn_control_sender_events(ctl, ctl->refusals, ctl->env.n_refusals, list, n);
	free(ctl->refusals);
	ctl->env.refusals = ctl->refusals = list;
	ctl->env.n_refusals = n;
	return 0;
}

static bool
has_found_more(const struct fcn_control *ctl)
{
	return fcn_host_version(ctl->host) != ctl->host_version;
}

/*
 * Publish a snapshot with the neighbours and senders that were learned. If that fails, it is tried
 * again later.
 */
static void
publish_found(struct fcn_control *ctl, uint64_t now)
{
	uint64_t version = fcn_host_version(ctl->host);

	ctl->found_due_ns = now + FOUND_AGAIN_NS;
	if (collect_neighbours(ctl) != 0 || collect_senders(ctl) != 0) {
		log_line(ctl, "host functions: out of memory; what they found is not used yet");
		return;
	}
	if (fcn_control_refresh(ctl) != 0)
		return;
	ctl->host_version = version;
	ctl->found_due_ns = now;
}

/* Process at most `most` packets of a kind from a worker. @return number of packets */
static unsigned int
receive_kind(struct fcn_control *ctl, struct fcn_worker *w, enum fcn_punt_kind kind,
		unsigned int most, uint64_t now)
{
	struct fcn_punt punt;
	unsigned int n = 0;

	for (; n < most && fcn_punt_dequeue(w->punts, kind, &punt); n++) {
		ctl->host_busy = true;
		punt.in_port = punt.interface;
		fcn_host_receive(ctl->host, &punt, now);
	}
	return n;
}

/*
 * Process packets from a worker by kind. Packets about neighbours come first, and a few packets of
 * each kind are processed in any case.
 */
static void
receive_from(struct fcn_control *ctl, struct fcn_worker *w, uint64_t now)
{
	unsigned int left = PUNTS_A_POLL;

	if (!fcn_punt_is_waiting(w->punts))
		return;
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		unsigned int n = receive_kind(ctl, w, k, RTE_MAX(left, LEAST_OF_A_KIND), now);

		left -= RTE_MIN(left, n);
	}
}

/* Resolve the next hops that a worker has requested: those to senders that are to be notified. */
static void
answer_resolve_requests(struct fcn_control *ctl, struct fcn_worker *w, uint64_t now)
{
	struct fcn_resolve_request question;
	struct fcn_host_route route;

	if (rte_ring_empty(w->resolve.requests))
		return;
	for (unsigned int i = 0; i < FCN_RESOLVE_RECENT_MAX &&
				 rte_ring_sc_dequeue_elem(w->resolve.requests, &question,
						 sizeof(question)) == 0;
			i++) {
		const struct fcn_addr sender = fcn_addr_unmap(question.sender);

		ctl->host_busy = true;
		if (fcn_control_host_find_normal(
				    ctl->published, question.table, &sender, true, &route) &&
				!route.by_policy && !route.resolved)
			fcn_host_resolve(ctl->host, route.port, &route.next_hop, question.in_port,
					now);
	}
}

uint64_t
fcn_control_host_poll(struct fcn_control *ctl, uint64_t now)
{
	uint64_t next;

	if (ctl->worker[0]->punts == NULL)
		return FCN_HOST_NEVER;
	now = ctl->host_now = RTE_MAX(now, ctl->host_now);
	for (unsigned int i = 0; i < ctl->n_workers; i++)
		receive_from(ctl, ctl->worker[i], now);
	for (unsigned int i = 0; i < ctl->n_workers; i++)
		answer_resolve_requests(ctl, ctl->worker[i], now);
	if (fcn_host_next(ctl->host) <= now)
		fcn_host_tick(ctl->host, now);
	if (has_found_more(ctl) && now >= ctl->found_due_ns)
		publish_found(ctl, now);
	next = fcn_host_next(ctl->host);
	return has_found_more(ctl) ? RTE_MIN(next, ctl->found_due_ns) : next;
}
