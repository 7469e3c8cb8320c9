/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_pause.h>

#include "config.h"
#include "fcn_ethdev.h"
#include "rig.h"

/* As in the live switch. */
#define MBUF_CACHE 256
#define EVENTS 8192
#define MAC_ENTRIES 65536
#define FLOW_SETS 16384
#define DEST_SETS 1024
#define DESTINATIONS 65536
#define SLACK_NS 100000

#define FEW_MAC_ENTRIES 1024 /* of each of several workers */
#define LIVE_MBUFS 65535     /* of several workers: as in the live switch */
#define MBUFS 16383          /* besides those that net_pcap fills with the packets of its file */
#define MBUFS_NULL 2047      /* all of them hold a packet, so few */
#define RING_PACKETS 512

int
bench_port_open(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *why, size_t why_size)
{
	struct bench_rig *rig = arg;
	const struct fcn_ethdev_conf conf = {
			.device = port->device,
			.pool = rig->pool,
			.mtu = port->mtu,
			.queues = port->queues,
			.mac = &port->mac,
	};
	struct fcn_ethdev *dev;

	RTE_SET_USED(number);
	dev = fcn_ethdev_open(&conf, why, why_size);
	if (dev == NULL)
		return -ENODEV;
	out->ops = &fcn_ethdev_port_ops;
	out->priv = dev;
	fcn_ethdev_mac(dev, &out->info.mac);
	out->info.link_bps = fcn_ethdev_port_ops.link_bps(dev);
	return 0;
}

void
bench_port_close(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	fcn_ethdev_close(open->priv);
}

static int
worker_main(void *arg)
{
	struct bench_thread *t = arg;
	struct fcn_worker *w = fcn_control_worker(t->rig->ctl, t->number);
	struct rte_rcu_qsbr *qsbr = fcn_control_qsbr(t->rig->ctl);

	rte_rcu_qsbr_thread_register(qsbr, w->id);
	rte_rcu_qsbr_thread_online(qsbr, w->id);
	while (!__atomic_load_n(&t->quit, __ATOMIC_ACQUIRE)) {
		void (*job)(struct bench_rig * r, void *a) = __atomic_load_n(
				&t->job, __ATOMIC_ACQUIRE);

		fcn_poll_idle(w, bench_rig_ns(t->rig, rte_rdtsc()));
		if (job == NULL) {
			usleep(100);
			continue;
		}
		job(t->rig, t->arg);
		__atomic_store_n(&t->job, NULL, __ATOMIC_RELEASE);
	}
	rte_rcu_qsbr_thread_offline(qsbr, w->id);
	rte_rcu_qsbr_thread_unregister(qsbr, w->id);
	return 0;
}

void
bench_thread_launch(struct bench_thread *t, struct bench_rig *rig, unsigned int number,
		unsigned int lcore)
{
	*t = (struct bench_thread){.rig = rig, .number = number};
	if (rte_eal_remote_launch(worker_main, t, lcore) != 0)
		errx(1, "cannot start lcore %u", lcore);
}

void
bench_thread_start(struct bench_thread *t, void (*job)(struct bench_rig *rig, void *arg), void *arg)
{
	t->arg = arg;
	__atomic_store_n(&t->job, job, __ATOMIC_RELEASE);
}

bool
bench_thread_is_busy(const struct bench_thread *t)
{
	return __atomic_load_n(&t->job, __ATOMIC_ACQUIRE) != NULL;
}

void
bench_thread_wait(struct bench_thread *t)
{
	while (bench_thread_is_busy(t))
		usleep(1000);
}

void
bench_thread_end(struct bench_thread *t)
{
	__atomic_store_n(&t->quit, true, __ATOMIC_RELEASE);
}

void
bench_rig_start(struct bench_rig *rig, void (*job)(struct bench_rig *rig, void *arg), void *arg)
{
	bench_thread_start(&rig->thread, job, arg);
}

void
bench_rig_wait(struct bench_rig *rig)
{
	bench_thread_wait(&rig->thread);
}

void
bench_rig_run(struct bench_rig *rig, void (*job)(struct bench_rig *rig, void *arg), void *arg)
{
	bench_rig_start(rig, job, arg);
	bench_rig_wait(rig);
}

static void
fill(struct rte_mempool *pool, void *arg, void *obj, unsigned int i)
{
	const struct bench_rig *rig = arg;
	const unsigned int ports = bench_ports(&rig->setup.traffic);
	struct rte_mbuf *m = obj;

	RTE_SET_USED(pool);
	bench_packet(&rig->setup.traffic, i % ports, i / ports % bench_flows(&rig->setup.traffic),
			(uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM);
}

static void
refresh_object(struct rte_mempool *pool, void *arg, void *obj, unsigned int i)
{
	const struct rte_mbuf *m = obj;

	RTE_SET_USED(pool);
	RTE_SET_USED(arg);
	RTE_SET_USED(i);
	bench_hop_limit((uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM + RTE_ETHER_HDR_LEN);
}

static void
ring_refresh(uint16_t device)
{
	struct rte_mbuf *m[FCN_RX_BURST];

	for (unsigned int i = 0; i < RING_PACKETS / FCN_RX_BURST; i++) {
		unsigned int n = rte_eth_rx_burst(device, 0, m, FCN_RX_BURST);

		for (unsigned int k = 0; k < n; k++)
			bench_hop_limit(rte_pktmbuf_mtod_offset(
					m[k], uint8_t *, RTE_ETHER_HDR_LEN));
		if (rte_eth_tx_burst(device, 0, m, n) != n)
			errx(1, "a ring is full");
	}
}

void
bench_rig_refresh(struct bench_rig *rig)
{
	struct fcn_event ev;

	if (rig->setup.source == BENCH_NULL)
		rte_mempool_obj_iter(rig->pool, refresh_object, NULL);
	if (rig->setup.source == BENCH_RING) {
		for (unsigned int p = 0; p < bench_ports(&rig->setup.traffic); p++)
			ring_refresh(rig->device[p]);
	}
	while (rig->events != NULL && rte_ring_sc_dequeue_elem(rig->events, &ev, sizeof(ev)) == 0)
		;
}

static void
ring_fill(const struct bench_rig *rig, unsigned int port)
{
	for (unsigned int i = 0; i < RING_PACKETS; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(rig->pool);
		uint32_t len;

		if (m == NULL)
			errx(1, "no buffer");
		len = bench_packet(&rig->setup.traffic, port, i % bench_flows(&rig->setup.traffic),
				rte_pktmbuf_mtod(m, uint8_t *));
		rte_pktmbuf_append(m, len);
		if (rte_eth_tx_burst(rig->device[port], 0, &m, 1) != 1)
			errx(1, "a ring is full");
	}
}

/* On the worker's lcore, as the sender of all the rest. */
static void
fill_rings(struct bench_rig *rig, void *arg)
{
	RTE_SET_USED(arg);
	for (unsigned int p = 0; p < bench_ports(&rig->setup.traffic); p++)
		ring_fill(rig, p);
}

static uint64_t
read_cycles(void)
{
	return rte_rdtsc();
}

/* Without a counter of cycles, as long as nobody wants it: what takes how many instructions must
 * not depend on the time. */
static void
create_control(struct bench_rig *rig, const struct fcn_platform *platform)
{
	const struct fcn_control_conf conf = {
			.name = "bench",
			.platform = platform,
			.socket = rte_lcore_to_socket_id(rig->lcore),
			.pool = rig->pool,
			.threaded = true,
			.events = EVENTS,
			.mac_entries = MAC_ENTRIES,
			.flow_sets = FLOW_SETS,
			.dest_sets = DEST_SETS,
			.destinations = DESTINATIONS,
			.read_cycles = rig->setup.has_counter ? read_cycles : NULL,
	};
	char why[256];

	rig->ctl = fcn_control_create(&conf, why, sizeof(why));
	if (rig->ctl == NULL)
		errx(1, "%s", why);
	rig->events = fcn_control_worker(rig->ctl, 0)->events;
	if (!rig->setup.events)
		fcn_control_worker(rig->ctl, 0)->events = NULL;
	bench_thread_launch(&rig->thread, rig, 0, rig->lcore);
}

void
bench_rig_create(struct bench_rig *rig, const struct bench_setup *setup)
{
	static struct fcn_platform platform = {
			.name = "bench",
			.slack_ns = SLACK_NS,
			.port_open = bench_port_open,
			.port_close = bench_port_close,
	};
	const struct bench_variant first = {.name = "first"};
	bool null = setup->source == BENCH_NULL;
	const unsigned int ports = bench_ports(&setup->traffic);
	const unsigned int mbufs = MBUFS + ports * bench_flows(&setup->traffic);
	const uint16_t room = RTE_MAX((uint16_t)FCN_DATA_ROOM,
			(uint16_t)(RTE_PKTMBUF_HEADROOM + bench_packet_len(&setup->traffic)));

	*rig = (struct bench_rig){.setup = *setup};
	platform.arg = rig;
	if (rte_lcore_count() != 2)
		errx(1, "two lcores are needed: -l 0,1");
	if (rte_eth_dev_count_avail() < ports)
		errx(1, "%u ports are needed", ports);
	for (unsigned int p = 0; p < ports; p++)
		rig->device[p] = p;
	rig->lcore = rte_get_next_lcore(-1, 1, 0);
	rig->tsc_start = rte_rdtsc();
	rig->tsc_mult = (uint64_t)(((unsigned __int128)1000000000 << 32) / rte_get_tsc_hz());
	rig->pool = rte_pktmbuf_pool_create("packets", null ? MBUFS_NULL : mbufs, MBUF_CACHE, 0,
			room, rte_lcore_to_socket_id(rig->lcore));
	if (rig->pool == NULL)
		errx(1, "packet buffers: %s", rte_strerror(rte_errno));
	if (null)
		rte_mempool_obj_iter(rig->pool, fill, rig);
	create_control(rig, &platform);
	bench_rig_configure(rig, &first);
	if (setup->source == BENCH_RING)
		bench_rig_run(rig, fill_rings, NULL);
}

void
bench_rig_create_workers(struct bench_rig *rig, struct fcn_platform *platform, unsigned int n)
{
	struct fcn_control_conf conf = {
			.name = "bench",
			.platform = platform,
			.socket = (int)rte_socket_id(),
			.n_workers = n,
			.threaded = true,
			.read_cycles = read_cycles,
			.mac_entries = FEW_MAC_ENTRIES,
			.flow_sets = FLOW_SETS,
			.dest_sets = DEST_SETS,
			.destinations = DESTINATIONS,
	};
	unsigned int i = 0, lcore;
	char why[256];

	rig->pool = rte_pktmbuf_pool_create(
			"packets", LIVE_MBUFS, MBUF_CACHE, 0, FCN_DATA_ROOM, conf.socket);
	if (rig->pool == NULL)
		errx(1, "packet buffers: %s", rte_strerror(rte_errno));
	conf.pool = rig->pool;
	RTE_LCORE_FOREACH_WORKER (lcore) {
		rig->lcores[i] = conf.worker[i].lcore = lcore;
		conf.worker[i].socket = conf.socket;
		conf.worker[i++].pool = rig->pool;
	}
	rig->ctl = fcn_control_create(&conf, why, sizeof(why));
	if (rig->ctl == NULL)
		errx(1, "%s", why);
}

void
bench_rig_configure(struct bench_rig *rig, const struct bench_variant *variant)
{
	struct fcn_config *cfg = bench_config(&rig->setup, variant);
	char why[256];

	if (fcn_control_commit(rig->ctl, cfg, why, sizeof(why)) != 0)
		errx(1, "%s: %s", variant->name, why);
}

void
bench_rig_free(struct bench_rig *rig)
{
	bench_thread_end(&rig->thread);
	rte_eal_wait_lcore(rig->lcore);
	fcn_control_worker(rig->ctl, 0)->events = rig->events;
	fcn_control_free(rig->ctl);
	/* The pool stays until the end: net_pcap gives buffers back only when EAL closes it. */
}
