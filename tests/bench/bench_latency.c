/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Time from the packet that meets congestion, when the device has it, to its Fast CNP, when the
 * device is given that, at some load of the workers. The devices are ports of this program: packets
 * arrive at random times (Poisson), whether the worker comes to take them or not, and wait in the
 * receive ring; a packet in a number of them is of a class whose queue is congested, so that its
 * sender is notified, and the others are forwarded. The load is relative to what the workers
 * forward of the same packets when there is always one more. Two lines of JSON for each load: the
 * first is of no switch ("bare"), of a loop that takes the same packets from the devices: what the
 * machine itself adds.
 */

#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include "config.h"
#include "fcn_random.h"
#include "rig.h"

#define FLOWS 4096
#define FRAME 128  /* room for a frame; few, so that the device costs the worker's caches little */
#define ONE_IN 32  /* packets: one of them meets congestion */
#define RING 1024  /* packets that may wait at a device: the default of the live switch */
#define GAPS 65536 /* random times between packets, a power of two */
#define BIN_NS 10  /* width of a bin of the histogram */
#define BINS 1000000 /* the last one is of all longer times */
#define SLACK_NS 100000
#define MS 200 /* ms that a load lasts, unless --ms says another number */
#define WARM_UP_MS 20

#define FRAME_AT RTE_ETHER_HDR_LEN
#define SOURCE_AT (FRAME_AT + 8)
#define DESTINATION_AT (FRAME_AT + 24)

/* The device of a port. Its worker alone uses it. */
struct device {
	struct rte_mempool *pool;
	unsigned int number;
	uint32_t len; /* of the packets */
	double gap;   /* cycles between packets, in the mean; 0: there is always one more */
	uint64_t due; /* when the next packet arrives */
	unsigned int next_gap; /* the one after it */
	unsigned int next_flow;
	uint64_t arrived, lost; /* packets; those that found the ring full */
	uint64_t told, answered, repeated;
	uint64_t since[FLOWS]; /* when the last packet that meets congestion came; 0: answered */
	uint32_t histogram[BINS];
	uint8_t packet[FLOWS][FRAME];
};

struct thread {
	struct bench_rig *rig;
	unsigned int number;
	uint64_t cycles; /* of a load; 0: none is wanted */
	bool quit;
	uint64_t sent, passed; /* packets, in how many cycles */
};

static struct thread threads[FCN_MAX_WORKERS];
static struct device *devices[BENCH_DEVICES];
static unsigned int n_workers, n_ports, n_ready;
static double gaps[GAPS]; /* exponentially distributed, of mean 1 */
static bool counting;
static bool bare; /* packets are taken from the devices and freed, by no switch */

static void
make_gaps(void)
{
	struct fcn_random random = {.state = 1};

	for (unsigned int i = 0; i < GAPS; i++)
		gaps[i] = -log(((double)(fcn_random64(&random) >> 11) + 1) / 0x1p53);
}

/* ---- devices ---- */

/* Write the packet of the next flow into a buffer. */
static void
write_packet(struct device *d, struct rte_mbuf *m, uint64_t arrived)
{
	const unsigned int flow = d->next_flow;

	d->next_flow = (flow + 1) % FLOWS;
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), d->packet[flow], d->len);
	m->pkt_len = m->data_len = d->len;
	if (flow % ONE_IN != 0)
		return;
	d->told++;
	d->repeated += d->since[flow] != 0;
	d->since[flow] = arrived;
}

/* Let packets arrive until now. Those that find the ring full are lost. @return how many wait */
static unsigned int
waiting(struct device *d, uint64_t now, uint64_t arrivals[RING], unsigned int n)
{
	unsigned int found = 0;

	while (found < n && (d->gap == 0 || d->due <= now)) {
		arrivals[found++] = d->gap == 0 ? now : d->due;
		d->due += (uint64_t)(d->gap * gaps[d->next_gap++ % GAPS]) + 1;
	}
	/* A worker that was away finds what the ring holds. */
	if (d->gap != 0 && d->due + (uint64_t)(RING * d->gap) < now) {
		d->lost += (uint64_t)((double)(now - d->due) / d->gap) - RING;
		d->due = now - (uint64_t)(RING * d->gap);
	}
	return found;
}

static uint16_t
receive(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct device *d = port;
	uint64_t arrivals[RING];
	unsigned int found;

	RTE_SET_USED(now);
	if (!counting)
		return 0;
	found = waiting(d, rte_rdtsc(), arrivals, RTE_MIN(n, (uint16_t)RING));
	if (found == 0 || rte_pktmbuf_alloc_bulk(d->pool, pkts, found) != 0)
		return 0;
	for (unsigned int i = 0; i < found; i++)
		write_packet(d, pkts[i], arrivals[i]);
	d->arrived += found;
	return found;
}

/* Get the host of an address in a frame. */
static unsigned int
host_at(const uint8_t *frame, unsigned int at)
{
	return frame[at + 6] << 8 | frame[at + 7];
}

/* The packet of a host that meets congestion came at some time, and is answered now. */
static void
answer(struct device *d, unsigned int host, uint64_t now)
{
	uint64_t ns;

	if (d->since[host] == 0)
		return;
	ns = (now - d->since[host]) * 1000000000 / rte_get_tsc_hz();
	d->since[host] = 0;
	d->answered++;
	d->histogram[RTE_MIN(ns / BIN_NS, (uint64_t)BINS - 1)]++;
}

/* Notices are what comes from the loopback address of the switch: 2001:db8:ffff::1. */
static bool
is_notice(const uint8_t *frame)
{
	static const uint8_t loopback[6] = {0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff};

	return memcmp(frame + SOURCE_AT, loopback, sizeof(loopback)) == 0;
}

static uint16_t
transmit(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct device *d = port;
	const uint64_t tsc = rte_rdtsc();

	RTE_SET_USED(now);
	for (uint16_t i = 0; i < n; i++) {
		const uint8_t *frame = rte_pktmbuf_mtod(pkts[i], const uint8_t *);

		if (is_notice(frame))
			answer(d, host_at(frame, DESTINATION_AT), tsc);
	}
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static uint64_t
link_bps(void *port)
{
	RTE_SET_USED(port);
	return UINT64_C(400000000000);
}

static const struct fcn_port_ops device_ops = {
		.kind = "latency", .rx_burst = receive, .tx_burst = transmit, .link_bps = link_bps};

static int
open_device(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *why, size_t why_size)
{
	const struct bench_rig *rig = arg;
	struct device *d = calloc(1, sizeof(*d));

	RTE_SET_USED(port);
	RTE_SET_USED(why);
	RTE_SET_USED(why_size);
	if (d == NULL)
		return -ENOMEM;
	d->pool = rig->pool;
	d->number = number;
	d->len = bench_packet_len(&rig->setup.traffic);
	for (unsigned int flow = 0; flow < FLOWS; flow++) {
		uint8_t packet[BENCH_PACKET_MAX];

		memcpy(d->packet[flow], packet,
				bench_packet(&rig->setup.traffic, number, flow, packet));
		if (flow % ONE_IN != 0) { /* DSCP 0 */
			d->packet[flow][FRAME_AT] &= 0xF0;
			d->packet[flow][FRAME_AT + 1] &= 0x3F;
		}
	}
	devices[number] = d;
	out->ops = &device_ops;
	out->priv = d;
	out->info.mac = port->mac;
	out->info.link_bps = link_bps(d);
	return 0;
}

static void
close_device(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	free(open->priv);
}

/* ---- workers ---- */

static uint64_t
sent_by(const struct fcn_worker *w, unsigned int worker)
{
	uint64_t sum = 0;

	for (unsigned int p = BENCH_PORTS * worker; p < BENCH_PORTS * (worker + 1); p++)
		sum += w->counters[p].tx_packets - w->counters[p].generated;
	return sum;
}

/* Take what has arrived at a device, as testpmd does in mode rxonly: the time until then is the
 * machine's own. */
static void
take(struct device *d)
{
	struct rte_mbuf *m[FCN_RX_BURST];
	const uint16_t n = receive(d, m, FCN_RX_BURST, 0);
	const uint64_t now = rte_rdtsc();

	for (uint16_t i = 0; i < n; i++)
		answer(d, host_at(rte_pktmbuf_mtod(m[i], const uint8_t *), SOURCE_AT), now);
	rte_pktmbuf_free_bulk(m, n);
}

static void
turn(const struct thread *t, struct fcn_worker *w, uint64_t tsc)
{
	if (!bare) {
		fcn_poll_once(w, bench_rig_ns(t->rig, tsc));
		return;
	}
	for (unsigned int p = BENCH_PORTS * t->number; p < BENCH_PORTS * (t->number + 1); p++)
		take(devices[p]);
}

static void
forward(struct thread *t, struct fcn_worker *w)
{
	uint64_t tsc, begin, sent = 0, measured_from = 0;

	__atomic_add_fetch(&n_ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&n_ready, __ATOMIC_ACQUIRE) < n_workers)
		rte_pause();
	begin = tsc = rte_rdtsc();
	for (unsigned int p = BENCH_PORTS * t->number; p < BENCH_PORTS * (t->number + 1); p++)
		devices[p]->due = begin;
	while (tsc - begin < t->cycles) {
		turn(t, w, tsc);
		tsc = rte_rdtsc();
		if (measured_from == 0 && tsc - begin > t->cycles / 10) {
			measured_from = tsc;
			sent = sent_by(w, t->number);
		}
	}
	t->sent = sent_by(w, t->number) - sent;
	t->passed = tsc - measured_from;
}

static int
worker_main(void *arg)
{
	struct thread *t = arg;
	struct fcn_worker *w = fcn_control_worker(t->rig->ctl, t->number);
	struct rte_rcu_qsbr *qsbr = fcn_control_qsbr(t->rig->ctl);

	rte_rcu_qsbr_thread_register(qsbr, w->id);
	rte_rcu_qsbr_thread_online(qsbr, w->id);
	while (!__atomic_load_n(&t->quit, __ATOMIC_ACQUIRE)) {
		fcn_poll_idle(w, bench_rig_ns(t->rig, rte_rdtsc()));
		if (__atomic_load_n(&t->cycles, __ATOMIC_ACQUIRE) == 0) {
			usleep(100);
			continue;
		}
		forward(t, w);
		__atomic_store_n(&t->cycles, 0, __ATOMIC_RELEASE);
	}
	rte_rcu_qsbr_thread_offline(qsbr, w->id);
	rte_rcu_qsbr_thread_unregister(qsbr, w->id);
	return 0;
}

/* Let the workers forward for some time. @param gap cycles between the packets of a port */
static void
run(double gap, unsigned int ms, bool without_switch)
{
	for (unsigned int p = 0; p < n_ports; p++) {
		struct device *d = devices[p];

		d->gap = gap;
		d->next_gap = p * (GAPS / BENCH_DEVICES);
		d->arrived = d->lost = d->told = d->answered = d->repeated = 0;
		memset(d->since, 0, sizeof(d->since));
		memset(d->histogram, 0, sizeof(d->histogram));
	}
	n_ready = 0;
	bare = without_switch;
	__atomic_store_n(&counting, true, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < n_workers; i++)
		__atomic_store_n(
				&threads[i].cycles, rte_get_tsc_hz() / 1000 * ms, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < n_workers; i++) {
		while (__atomic_load_n(&threads[i].cycles, __ATOMIC_ACQUIRE) != 0)
			usleep(1000);
	}
	__atomic_store_n(&counting, false, __ATOMIC_RELEASE);
}

/* ---- results ---- */

/* Get the packets a second that the workers sent on. */
static double
rate(void)
{
	double sum = 0;

	for (unsigned int i = 0; i < n_workers; i++)
		sum += (double)threads[i].sent / (double)threads[i].passed *
		       (double)rte_get_tsc_hz();
	return sum;
}

/* Get the time, ns, below which a share of the notices were with the device. */
static double
quantile(double share, uint64_t answered)
{
	uint64_t seen = 0;

	for (unsigned int bin = 0; bin < BINS; bin++) {
		for (unsigned int p = 0; p < n_ports; p++)
			seen += devices[p]->histogram[bin];
		if (seen != 0 && (double)seen >= share * (double)answered)
			return (bin + 1) * BIN_NS;
	}
	return NAN;
}

static void
print(const struct bench_rig *rig, const char *leave, unsigned int load, double capacity)
{
	uint64_t told = 0, answered = 0, repeated = 0, lost = 0;
	struct fcn_conservation sum;

	for (unsigned int p = 0; p < n_ports; p++) {
		told += devices[p]->told;
		answered += devices[p]->answered;
		repeated += devices[p]->repeated;
		lost += devices[p]->lost;
	}
	fcn_control_conservation(rig->ctl, &sum);
	printf("{\"bench\": \"latency\", \"workers\": %u, \"leave\": \"%s\", \"load\": %u, "
	       "\"bare\": %s, \"capacity\": %.0f, \"rate\": %.0f, \"told\": %" PRIu64
	       ", \"answered\": %" PRIu64 ", \"repeated\": %" PRIu64 ", \"lost\": %" PRIu64
	       ", \"p50\": %.0f, \"p99\": %.0f, "
	       "\"p999\": %.0f, \"balances\": %s}\n",
			n_workers, leave, load, bare ? "true" : "false", capacity, rate(), told,
			answered, repeated, lost, quantile(0.5, answered), quantile(0.99, answered),
			quantile(0.999, answered), fcn_conservation_holds(&sum) ? "true" : "false");
	fflush(stdout);
}

/* ---- the switch ---- */

/* The class of most packets is not congested. */
static void
configure(struct bench_rig *rig)
{
	const struct bench_variant variant = {
			.name = "step", .detector = FCN_DETECTOR_STEP, .congested = true};
	struct fcn_config *cfg = bench_config(&rig->setup, &variant);
	char why[256];

	for (unsigned int p = 0; p < n_ports; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (c != BENCH_CLASS)
				cfg->port[p].queue[c].policy = (struct fcn_config_queue){0}.policy;
		}
	}
	if (fcn_control_commit(rig->ctl, cfg, why, sizeof(why)) != 0)
		errx(1, "%s", why);
}

static void
create(struct bench_rig *rig, struct fcn_platform *platform)
{
	bench_rig_create_workers(rig, platform, n_workers);
	for (unsigned int i = 0; i < n_workers; i++) {
		threads[i] = (struct thread){.rig = rig, .number = i};
		if (rte_eal_remote_launch(worker_main, &threads[i], rig->lcores[i]) != 0)
			errx(1, "cannot start lcore %u", rig->lcores[i]);
	}
	configure(rig);
}

static const char usage[] = "[EAL options, a lcore and one for each worker] -- "
			    "[--leave apart|next|any] [--ms N] [LOAD, percent]...\n";

/* @return index of the first load */
static int
read_options(int argc, char **argv, struct bench_setup *setup, const char **leave, unsigned int *ms)
{
	static const char *const ways[] = {
			[BENCH_APART] = "apart", [BENCH_NEXT] = "next", [BENCH_ANY] = "any"};
	static const struct option options[] = {
			{"leave", required_argument, NULL, 'l'},
			{"ms", required_argument, NULL, 'm'},
			{0},
	};
	unsigned int i = 0;
	int c;

	optind = 1;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'l')
			*leave = optarg;
		else if (c == 'm')
			*ms = (unsigned int)atoi(optarg);
		else
			errx(2, "usage: %s", usage);
	}
	while (i < RTE_DIM(ways) && strcmp(*leave, ways[i]) != 0)
		i++;
	if (i == RTE_DIM(ways) || *ms == 0)
		errx(2, "usage: %s", usage);
	setup->traffic.leave = i;
	return optind;
}

int
main(int argc, char **argv)
{
	struct fcn_platform platform = {
			.name = "bench",
			.slack_ns = SLACK_NS,
			.port_open = open_device,
			.port_close = close_device,
	};
	struct bench_rig rig = {
			.setup.source = BENCH_HEADERS,
			.setup.traffic = {.hosts = FLOWS, .flows = FLOWS},
	};
	const char *leave = "apart";
	unsigned int ms = MS;
	double capacity;
	int n = rte_eal_init(argc, argv), i;

	if (n < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	i = n + read_options(argc - n, argv + n, &rig.setup, &leave, &ms);
	n_workers = rte_lcore_count() - 1;
	n_ports = n_workers * BENCH_PORTS;
	if (n_workers == 0 || n_ports > 14) /* the loopback address has the number 15 */
		errx(2, "usage: %s", usage);
	rig.setup.traffic.workers = n_workers;
	platform.arg = &rig;
	rig.tsc_start = rte_rdtsc();
	rig.tsc_mult = (uint64_t)(((unsigned __int128)1000000000 << 32) / rte_get_tsc_hz());
	make_gaps();
	create(&rig, &platform);
	run(0, WARM_UP_MS, false);
	run(0, ms, false);
	capacity = rate();
	for (; i < argc; i++) {
		const unsigned int load = (unsigned int)atoi(argv[i]);
		const double gap = (double)rte_get_tsc_hz() * n_ports / (capacity * load / 100);

		if (load == 0)
			errx(2, "usage: %s", usage);
		run(gap, ms, true);
		print(&rig, leave, load, capacity);
		run(gap, ms, false);
		print(&rig, leave, load, capacity);
	}
	for (i = 0; i < (int)n_workers; i++)
		__atomic_store_n(&threads[i].quit, true, __ATOMIC_RELEASE);
	rte_eal_mp_wait_lcore();
	fcn_control_free(rig.ctl);
	rte_eal_cleanup();
	return 0;
}
