/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Time from the packet that meets congestion, when the device has it, to its notice, when the
 * device is given that, a Fast CNP or with --cnp a CNP, at some load of the workers. The devices
 * are ports of this program: packets arrive at random times (Poisson), whether the worker comes to
 * take them or not, and wait in the receive ring; a packet in a number of them is of a class whose
 * queue is congested, so that its sender is notified, and the others are forwarded. The load is
 * relative to what the workers forward of the same packets when there is always one more. Two lines
 * of JSON for each load: the first is of no switch ("bare"), of a loop that takes the same packets
 * from the devices: what the machine itself adds.
 *
 * With --wire, the ports are ethdevs: the second half of those in the arguments of EAL are ports of
 * the switch, and the first half their other ends, as pairs of net_memif. The first lcore plays the
 * hosts there. Time goes from the moment at which a host gives the packet to its driver to that at
 * which its driver has the Fast CNP, and the loop without a switch returns what it takes.
 */

#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include "config.h"
#include "latency_hosts.h"
#include "rig.h"

#define SLACK_NS 100000
#define MS 200 /* ms that a load lasts, unless --ms says another number */
#define WARM_UP_MS 20
#define LINK_MS 5000
#define TRIES 20

struct thread {
	struct bench_thread thread;
	uint64_t cycles;       /* of a load */
	uint64_t sent, passed; /* packets, in how many cycles */
};

static struct thread threads[FCN_MAX_WORKERS];
/* Of each port. Its worker alone uses them; with --wire, the first lcore alone. */
static struct bench_hosts *hosts[BENCH_DEVICES];
static unsigned int n_workers, n_ports, n_ready;
static bool counting;
static bool bare; /* packets are taken from the devices, by no switch */
static bool wire; /* ports are ethdevs, with hosts at their other ends */

/* ---- devices of this program ---- */

static uint16_t
receive(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(now);
	return counting ? bench_hosts_packets(port, pkts, n) : 0;
}

static uint16_t
transmit(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	const uint64_t tsc = rte_rdtsc();

	RTE_SET_USED(now);
	for (uint16_t i = 0; i < n; i++)
		bench_hosts_notified(port, rte_pktmbuf_mtod(pkts[i], const uint8_t *), tsc);
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

/* ---- ethdevs ---- */

static void
start_other_end(uint16_t port, struct rte_mempool *pool)
{
	const struct rte_eth_conf conf = {0};
	if (rte_eth_dev_configure(port, 1, 1, &conf) != 0 ||
			rte_eth_rx_queue_setup(port, 0, BENCH_HOSTS_RING, SOCKET_ID_ANY, NULL,
					pool) != 0 ||
			rte_eth_tx_queue_setup(port, 0, BENCH_HOSTS_RING, SOCKET_ID_ANY, NULL) !=
					0 ||
			rte_eth_dev_start(port) != 0)
		errx(1, "the other end of port %u cannot be started", port);
}

/* The switch has to see the links of its ports, which come up when both ends are there. */
static void
wait_for_links(struct bench_rig *rig)
{
	for (unsigned int ms = 0; ms < LINK_MS; ms++) {
		unsigned int up = 0;

		for (unsigned int p = 0; p < n_ports; p++) {
			struct rte_eth_link link = {0};

			rte_eth_link_get_nowait(n_ports + p, &link);
			up += link.link_status;
		}
		if (up == n_ports) {
			fcn_control_link_poll(rig->ctl);
			return;
		}
		usleep(1000);
	}
	errx(1, "a port has no link");
}

/* Give the driver the packets that hosts send now. */
static void
hosts_send(uint16_t port)
{
	struct bench_hosts *h = hosts[port];
	struct rte_mbuf *m[FCN_RX_BURST];
	const uint16_t n = bench_hosts_packets(h, m, FCN_RX_BURST);
	uint16_t sent;

	bench_hosts_sent(h, m, n, rte_rdtsc());
	sent = rte_eth_tx_burst(port, 0, m, n);
	if (h->gap != 0)
		h->lost += n - sent;
	rte_pktmbuf_free_bulk(m + sent, n - sent);
}

/* Take what came back: notices, and without a switch the packets themselves. */
static void
hosts_take(uint16_t port)
{
	struct rte_mbuf *m[FCN_RX_BURST];
	const uint16_t n = rte_eth_rx_burst(port, 0, m, FCN_RX_BURST);
	const uint64_t now = rte_rdtsc();

	for (uint16_t i = 0; i < n; i++) {
		const uint8_t *frame = rte_pktmbuf_mtod(m[i], const uint8_t *);

		if (bare)
			bench_hosts_seen(hosts[port], frame, now);
		else
			bench_hosts_notified(hosts[port], frame, now);
	}
	rte_pktmbuf_free_bulk(m, n);
}

/* ---- what the switch opens ---- */

static int
open_device(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *why, size_t why_size)
{
	const struct bench_rig *rig = arg;

	hosts[number] = bench_hosts_create(&rig->setup.traffic, number, rig->pool);
	if (wire)
		return bench_port_open(arg, port, number, out, why, why_size);
	out->ops = &device_ops;
	out->priv = hosts[number];
	out->info.mac = port->mac;
	out->info.link_bps = link_bps(out->priv);
	return 0;
}

static void
close_device(void *arg, struct fcn_control_port *open)
{
	if (wire)
		bench_port_close(arg, open);
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
take(struct bench_hosts *h)
{
	struct rte_mbuf *m[FCN_RX_BURST];
	const uint16_t n = receive(h, m, FCN_RX_BURST, 0);
	const uint64_t now = rte_rdtsc();

	for (uint16_t i = 0; i < n; i++)
		bench_hosts_seen(h, rte_pktmbuf_mtod(m[i], const uint8_t *), now);
	rte_pktmbuf_free_bulk(m, n);
}

/* Return what has arrived at an ethdev. */
static void
give_back(uint16_t dev)
{
	struct rte_mbuf *m[FCN_RX_BURST];
	const uint16_t n = rte_eth_rx_burst(dev, 0, m, FCN_RX_BURST);
	const uint16_t sent = rte_eth_tx_burst(dev, 0, m, n);

	rte_pktmbuf_free_bulk(m + sent, n - sent);
}

static void
turn(const struct thread *t, struct fcn_worker *w, uint64_t tsc)
{
	const unsigned int first = BENCH_PORTS * t->thread.number;

	if (!bare) {
		fcn_poll_once(w, bench_rig_ns(t->thread.rig, tsc));
		return;
	}
	for (unsigned int p = first; p < first + BENCH_PORTS; p++) {
		if (wire)
			give_back(n_ports + p);
		else
			take(hosts[p]);
	}
}

/* A job of the thread of a worker. */
static void
forward(struct bench_rig *rig, void *arg)
{
	struct thread *t = arg;
	const unsigned int number = t->thread.number;
	struct fcn_worker *w = fcn_control_worker(rig->ctl, number);
	uint64_t tsc, begin, sent = 0, measured_from = 0;

	__atomic_add_fetch(&n_ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&n_ready, __ATOMIC_ACQUIRE) < n_workers)
		rte_pause();
	begin = tsc = rte_rdtsc();
	for (unsigned int p = BENCH_PORTS * number; p < BENCH_PORTS * (number + 1) && !wire; p++)
		hosts[p]->due = begin;
	while (tsc - begin < t->cycles) {
		turn(t, w, tsc);
		tsc = rte_rdtsc();
		if (measured_from == 0 && tsc - begin > t->cycles / 10) {
			measured_from = tsc;
			sent = sent_by(w, number);
		}
	}
	t->sent = sent_by(w, number) - sent;
	t->passed = tsc - measured_from;
}

/* Wait until a worker has forwarded for its time. With --wire, hosts send and receive meanwhile. */
static void
attend(const struct thread *t)
{
	while (bench_thread_is_busy(&t->thread)) {
		if (!wire) {
			usleep(1000);
			continue;
		}
		for (unsigned int p = 0; p < n_ports; p++) {
			hosts_send(p);
			hosts_take(p);
		}
	}
}

/* Let the workers forward for some time. @param gap cycles between the packets of a port */
static void
run(double gap, unsigned int ms, bool without_switch)
{
	for (unsigned int p = 0; p < n_ports; p++)
		bench_hosts_begin(hosts[p], p, gap);
	n_ready = 0;
	bare = without_switch;
	__atomic_store_n(&counting, true, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < n_workers; i++) {
		threads[i].cycles = rte_get_tsc_hz() / 1000 * ms;
		bench_thread_start(&threads[i].thread, forward, &threads[i]);
	}
	for (unsigned int i = 0; i < n_workers; i++)
		attend(&threads[i]);
	__atomic_store_n(&counting, false, __ATOMIC_RELEASE);
}

/* Get the number of packets that hosts have had an answer to. */
static uint64_t
answers(void)
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < n_ports; p++)
		n += hosts[p]->answered;
	return n;
}

/* The same with packets that are answered: once more, if something else had a core the whole time.
 */
static void
run_load(double gap, unsigned int ms, bool without_switch)
{
	for (unsigned int try = 0; try < TRIES; try++) {
		run(gap, ms, without_switch);
		if (answers() != 0)
			return;
	}
	errx(1, "no packet was answered");
}

/* ---- results ---- */

/* Get the packets a second that the workers sent on. */
static double
rate(void)
{
	double sum = 0;

	for (unsigned int i = 0; i < n_workers; i++)
		sum += (double)threads[i].sent / (double)RTE_MAX(threads[i].passed, UINT64_C(1)) *
		       (double)rte_get_tsc_hz();
	return sum;
}

static double
quantile(double share)
{
	return bench_hosts_quantile(hosts, n_ports, share);
}

static void
print(const struct bench_rig *rig, const char *leave, unsigned int load, double capacity)
{
	uint64_t told = 0, repeated = 0, lost = 0;
	struct fcn_conservation sum;

	for (unsigned int p = 0; p < n_ports; p++) {
		told += hosts[p]->told;
		repeated += hosts[p]->repeated;
		lost += hosts[p]->lost;
	}
	fcn_control_conservation(rig->ctl, &sum);
	printf("{\"bench\": \"latency\", \"workers\": %u, \"leave\": \"%s\", \"load\": %u, "
	       "\"wire\": %s, \"bare\": %s, \"capacity\": %.0f, \"rate\": %.0f, \"told\": %" PRIu64
	       ", \"answered\": %" PRIu64 ", \"repeated\": %" PRIu64 ", \"lost\": %" PRIu64
	       ", \"p50\": %.0f, \"p99\": %.0f, "
	       "\"p999\": %.0f, \"balances\": %s}\n",
			n_workers, leave, load, wire ? "true" : "false", bare ? "true" : "false",
			capacity, rate(), told, answers(), repeated, lost, quantile(0.5),
			quantile(0.99), quantile(0.999),
			fcn_conservation_holds(&sum) ? "true" : "false");
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
	for (unsigned int p = 0; wire && p < n_ports; p++)
		start_other_end(p, rig->pool);
	for (unsigned int i = 0; i < n_workers; i++)
		bench_thread_launch(&threads[i].thread, rig, i, rig->lcores[i]);
	configure(rig);
}

static const char usage[] =
		"[EAL options, a lcore and one for each worker] -- "
		"[--leave apart|next|any] [--ms N] [--wire] [--cnp] [LOAD, percent]...\n";

/* @return index of the first load */
static int
read_options(int argc, char **argv, struct bench_setup *setup, const char **leave, unsigned int *ms)
{
	static const char *const ways[] = {
			[BENCH_APART] = "apart", [BENCH_NEXT] = "next", [BENCH_ANY] = "any"};
	static const struct option options[] = {
			{"leave", required_argument, NULL, 'l'},
			{"ms", required_argument, NULL, 'm'},
			{"wire", no_argument, NULL, 'w'},
			{"cnp", no_argument, NULL, 'c'},
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
		else if (c == 'w')
			wire = true;
		else if (c == 'c')
			setup->cnp = true;
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
			.setup.traffic = {.hosts = BENCH_HOSTS_FLOWS, .flows = BENCH_HOSTS_FLOWS},
	};
	const char *leave = "apart";
	unsigned int ms = MS;
	double capacity = 0;
	int n = rte_eal_init(argc, argv), i;

	if (n < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	i = n + read_options(argc - n, argv + n, &rig.setup, &leave, &ms);
	n_workers = rte_lcore_count() - 1;
	n_ports = n_workers * BENCH_PORTS;
	if (n_workers == 0 || n_ports > 14) /* the loopback address has the number 15 */
		errx(2, "usage: %s", usage);
	rig.setup.traffic.workers = n_workers;
	if (wire) {
		rig.setup.source = BENCH_RING; /* ports are named by their ethdevs */
		rig.setup.first_ethdev = n_ports;
		if (rte_eth_dev_count_avail() != 2 * n_ports)
			errx(2, "--wire needs %u other ends and as many ethdevs", n_ports);
	}
	platform.arg = &rig;
	rig.tsc_start = rte_rdtsc();
	rig.tsc_mult = (uint64_t)(((unsigned __int128)1000000000 << 32) / rte_get_tsc_hz());
	create(&rig, &platform);
	if (wire)
		wait_for_links(&rig);
	run(0, WARM_UP_MS, false);
	/* Once more, if something else had the core the whole time. */
	for (unsigned int try = 0; try < TRIES && capacity == 0; try++) {
		run(0, ms, false);
		capacity = rate();
	}
	if (capacity == 0)
		errx(1, "something else has the core of a worker");
	for (; i < argc; i++) {
		const unsigned int load = (unsigned int)atoi(argv[i]);
		const double gap = (double)rte_get_tsc_hz() * n_ports / (capacity * load / 100);

		if (load == 0)
			errx(2, "usage: %s", usage);
		run_load(gap, ms, true);
		print(&rig, leave, load, capacity);
		run_load(gap, ms, false);
		print(&rig, leave, load, capacity);
	}
	for (i = 0; i < (int)n_workers; i++)
		bench_thread_end(&threads[i].thread);
	rte_eal_mp_wait_lcore();
	fcn_control_free(rig.ctl);
	/* net_memif leaves its other end in EAL's interrupt thread, and must not be stopped in two
	 * threads at a time: those of the hosts end with the process. */
	if (!wire)
		rte_eal_cleanup();
	return 0;
}
