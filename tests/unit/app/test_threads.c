/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Workers on threads of their own, and control above them: frames go between the workers while the
 * configuration changes, counters are read and cleared, packets are traced, events are collected,
 * and the host functions answer. What happens in which order is chance; that nothing is lost is
 * not. Under ThreadSanitizer (scripts/test, step tsan) every access to what two threads share is
 * looked at. DPDK's shared objects are not instrumented, so the buffers come from a pool whose
 * operations are written here, and many at a time are freed here; mbufs and RCU are inline, and
 * instrumented with the code that uses them, and so are rings, whose order of accesses
 * ThreadSanitizer understands when they are built with -DRTE_USE_C11_MEM_MODEL. What it has to be
 * told of the reference counts of mbufs, tests/tsan/annotate-dpdk says.
 */

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <rte_lcore.h>
#include <rte_mempool.h>

#include "fcn_collector.h"
#include "fcn_control.h"
#include "fcn_session.h"
#include "fcn_test.h"
#include "worker_loop.h"

#define WORKERS 2
#define PORTS 4   /* routed */
#define FLOODED 4 /* of a bridge: what the first receives the others send */
#define FLOODED_LEN 400
#define BUFFERS 8191
#define DEADLINE_S 120

struct port {
	uint16_t number;
	uint64_t received; /* by its worker */
	uint64_t sent;     /* of the bridge; by its worker */
	uint32_t sum;      /* of what it sent: it is read */
};

static struct port port[FCN_MAX_PORTS];
static struct rte_mempool *pool;
static struct fcn_control *ctl;
static struct fcn_loops *loops;
static struct fcn_session session;
static char *said;
static size_t said_size;
static uint64_t events;

/* A pool's operations: a stack behind a lock that ThreadSanitizer knows. */
struct stack {
	pthread_mutex_t lock;
	unsigned int n;
	void *object[BUFFERS];
};

static int
pool_alloc(struct rte_mempool *mp)
{
	struct stack *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return -ENOMEM;
	pthread_mutex_init(&s->lock, NULL);
	mp->pool_data = s;
	return 0;
}

static void
pool_free(struct rte_mempool *mp)
{
	free(mp->pool_data);
}

static int
pool_enqueue(struct rte_mempool *mp, void *const *objects, unsigned int n)
{
	struct stack *s = mp->pool_data;

	pthread_mutex_lock(&s->lock);
	memcpy(&s->object[s->n], objects, n * sizeof(*objects));
	s->n += n;
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static int
pool_dequeue(struct rte_mempool *mp, void **objects, unsigned int n)
{
	struct stack *s = mp->pool_data;
	int rc = -ENOBUFS;

	pthread_mutex_lock(&s->lock);
	if (s->n >= n) {
		s->n -= n;
		memcpy(objects, &s->object[s->n], n * sizeof(*objects));
		rc = 0;
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

static unsigned int
pool_count(const struct rte_mempool *mp)
{
	struct stack *s = mp->pool_data;
	unsigned int n;

	pthread_mutex_lock(&s->lock);
	n = s->n;
	pthread_mutex_unlock(&s->lock);
	return n;
}

static const struct rte_mempool_ops pool_ops = {.name = "test_stack",
		.alloc = pool_alloc,
		.free = pool_free,
		.enqueue = pool_enqueue,
		.dequeue = pool_dequeue,
		.get_count = pool_count};

/* In place of DPDK's, which is not inline: whoever lets go of a shared buffer is seen to do so. */
void
rte_pktmbuf_free_bulk(struct rte_mbuf **mbufs, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		rte_pktmbuf_free(mbufs[i]);
}

/*
 * A frame to the port's own MAC address: Ethernet, IPv6, UDP, BTH, 16 octets, ICRC. Every 16th is
 * an echo request, every 17th has a hop limit of 1.
 */
static void
write_frame(uint8_t *data, const struct port *p, uint64_t n)
{
	static const uint8_t frame[14 + 40 + 8 + 12 + 16 + 4] = {2, 0, 0, 0, 0, 0x10, 2, 0, 0, 0, 1,
			1, 0x86, 0xDD, 0x66, 0xA0, 0, 0, 0, 40, 17, 64, 0x20, 1, 0xd,
			0xb8, [37] = 1, [38] = 0x20, 1, 0xd, 0xb8, [53] = 2, [54] = 0xC0, 0xDE,
			0x12, 0xB7, 0, 40, [62] = 4, 0x40, 0xFF, 0xFF};

	memcpy(data, frame, sizeof(frame));
	data[5] = (uint8_t)(0x10 + p->number);
	data[14] = (uint8_t)(0x60 | (n % 8) << 1);
	data[29] = (uint8_t)p->number;
	data[37] = (uint8_t)n;
	data[45] = (uint8_t)((p->number + n) % (PORTS + 1));
	if (n % 16 == 0) {
		data[20] = 58;
		data[54] = 128;
	}
	if (n % 17 == 0)
		data[21] = 1;
}

static bool
is_flooded(const struct port *p)
{
	return p->number > PORTS && p->number < PORTS + FLOODED;
}

/* A broadcast; each octet of it says which one it is. */
static void
write_flooded(uint8_t *data, uint64_t n)
{
	memset(data, (int)(uint8_t)n, FLOODED_LEN);
	memset(data, 0xFF, 6);
	memcpy(data + 6, (const uint8_t[]){2, 0, 0, 0, 9, 9, 0x88, 0xB5}, 8);
}

/* Behind the headers, which are each copy's own, the octets are shared with copies that other
 * workers have. */
static void
read_flooded(struct port *p, const struct rte_mbuf *m)
{
	uint8_t copy[FLOODED_LEN];
	const uint8_t *data = rte_pktmbuf_read(m, 0, m->pkt_len, copy);

	if (m->pkt_len != FLOODED_LEN || data[FLOODED_LEN - 1] != data[14])
		abort();
	for (uint32_t i = 0; i < FLOODED_LEN; i++)
		p->sum += data[i];
	p->sent++;
}

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct port *p = priv;

	RTE_SET_USED(now);
	n = RTE_MIN(n, p->number == PORTS ? 2 : 8);
	if (is_flooded(p) || rte_pktmbuf_alloc_bulk(pool, pkts, n) != 0)
		return 0;
	for (uint16_t i = 0; i < n; i++, p->received++) {
		if (p->number != PORTS)
			write_frame((uint8_t *)rte_pktmbuf_append(pkts[i], 94), p, p->received);
		else
			write_flooded((uint8_t *)rte_pktmbuf_append(pkts[i], FLOODED_LEN),
					p->received);
	}
	return n;
}

/* Less than arrives: queues fill. */
static uint16_t
tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct port *p = priv;

	n = RTE_MIN(n, 5);
	RTE_SET_USED(now);
	for (uint16_t i = 0; i < n && is_flooded(p); i++)
		read_flooded(p, pkts[i]);
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static uint64_t
link_bps(void *priv)
{
	RTE_SET_USED(priv);
	return UINT64_C(10000000000);
}

static const struct fcn_port_ops ops = {
		.kind = "thread", .rx_burst = rx_burst, .tx_burst = tx_burst, .link_bps = link_bps};

static int
port_open(void *arg, const struct fcn_config_port *conf, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(conf);
	RTE_SET_USED(err);
	RTE_SET_USED(err_size);
	port[number].number = number;
	out->ops = &ops;
	out->priv = &port[number];
	out->info.link_bps = link_bps(NULL);
	return 0;
}

static void
port_close(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(open);
}

static const struct fcn_platform ops_platform = {
		.name = "threads", .port_open = port_open, .port_close = port_close, .host = true};

static void
line(const char *text)
{
	rewind(session.out);
	if (fcn_session_line(&session, text, -1) != 0) {
		fputc('\0', session.out);
		fflush(session.out);
		fail_msg("%s: %s", text, said);
	}
}

static int
start_eal(void)
{
	/* Threads on whatever cores there are. */
	char lcores[64], *argv[] = {"test", "--no-pci", "--no-huge", "--no-shconf", "-m", "512",
					 "--no-telemetry", "--log-level=error", "--lcores", lcores,
					 NULL};
	const char *cores = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? "(0-1)" : "0";

	snprintf(lcores, sizeof(lcores), "0@%s,1@%s,2@%s", cores, cores, cores);
	return rte_eal_init(RTE_DIM(argv) - 1, argv);
}

static int
setup(void **state)
{
	struct fcn_control_conf conf = {.name = "threads",
			.platform = &ops_platform,
			.socket = SOCKET_ID_ANY,
			.n_workers = WORKERS,
			.threaded = true,
			.events = 1024,
			.mac_entries = 1024,
			.flow_sets = 256,
			.dest_sets = 64};
	char err[256] = "";

	RTE_SET_USED(state);
	alarm(DEADLINE_S); /* a worker that hangs fails */
	if (start_eal() < 0 || rte_mempool_register_ops(&pool_ops) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create_by_ops(
			"threads", BUFFERS, 0, 0, FCN_DATA_ROOM, SOCKET_ID_ANY, pool_ops.name);
	conf.pool = pool;
	for (unsigned int i = 0; i < WORKERS; i++)
		conf.worker[i] = (struct fcn_control_worker){
				.lcore = i + 1, .socket = SOCKET_ID_ANY, .pool = pool};
	ctl = pool == NULL ? NULL : fcn_control_create(&conf, err, sizeof(err));
	if (ctl == NULL) {
		print_error("%s\n", err);
		return -1;
	}
	session = (struct fcn_session){.ctl = ctl, .table = fcn_session_commands()};
	session.out = open_memstream(&said, &said_size);
	loops = fcn_loops_start(ctl, err, sizeof(err));
	return loops == NULL ? -1 : 0;
}

static void
configure(void)
{
	char text[128];

	line("set loopback 2001:db8:f::5");
	for (unsigned int p = 0; p < PORTS; p++) {
		snprintf(text, sizeof(text), "port add p%u worker %u", p, p % WORKERS);
		line(text);
		snprintf(text, sizeof(text), "set port p%u mac 02:00:00:00:00:%02x", p, 0x10 + p);
		line(text);
		snprintf(text, sizeof(text), "address add p%u 2001:db8:0:%x::1/64", p, p);
		line(text);
		snprintf(text, sizeof(text),
				"neighbour add p%u 2001:db8:0:%x::2 02:00:00:00:01:%02x", p, p, p);
		line(text);
		snprintf(text, sizeof(text), "set queue p%u class all detector step threshold 3K",
				p);
		line(text);
		snprintf(text, sizeof(text), "set queue p%u class all notify on", p);
		line(text);
	}
	line("bridge add br1");
	for (unsigned int p = PORTS; p < PORTS + FLOODED; p++) {
		snprintf(text, sizeof(text), "port add p%u worker %u", p, p % WORKERS);
		line(text);
		snprintf(text, sizeof(text), "bridge br1 port add p%u", p);
		line(text);
	}
	line("set copies clone");
	line("set host on");
	line("set host dad off");
	line("sender default capable");
	line("set notify fast-cnp on");
}

/* What is done again and again while packets go through. Each leaves things as it found them. */
static const char *const commands[] = {
		"route add 2001:db8:9::/48 via 2001:db8:0:1::2 port p1",
		"set queue p1 class 3 limit 20K",
		"show port",
		"show queue json",
		"route remove 2001:db8:9::/48",
		"set notify interval 1us",
		"show notify",
		"show conservation",
		"set port p2 mtu 1400",
		"show worker",
		"trace add 4",
		"show trace",
		"set queue p1 class 3 limit 1M",
		"neighbour remove p1 2001:db8:0:1::2",
		"show drops json",
		"neighbour add p1 2001:db8:0:1::2 02:00:00:00:01:01",
		"port add p9 worker 1",
		"set port p2 mtu 1500",
		"show events",
		"show neighbour",
		"clear counters",
		"port remove p9",
		"bridge add br0",
		"bridge br0 port add p9",
};

static void
do_one(unsigned int i)
{
	const char *text = commands[i % RTE_DIM(commands)];

	/* The last two want a port, and take it away again. */
	if (strcmp(text, "bridge br0 port add p9") == 0) {
		line("port add p9 worker 0");
		line(text);
		line("show mac");
		line("bridge br0 port remove p9");
		line("bridge remove br0");
		line("port remove p9");
		return;
	}
	line(text);
}

static void
collect(void *arg, const struct fcn_event *ev)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(ev);
	events++;
}

static uint64_t
milliseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void
test_together(void **state)
{
	const char *wish = getenv("FCN_TEST_MS");
	const uint64_t end = milliseconds() + (wish != NULL ? strtoul(wish, NULL, 10) : 1500);
	struct fcn_conservation c = {0};
	unsigned int i = 0, rounds;

	RTE_SET_USED(state);
	configure();
	fcn_collector_listen(fcn_control_collector(ctl), collect, NULL);
	fcn_loops_forward(loops, true);
	/* Each command at least once, however slow the machine is. */
	for (rounds = 0; milliseconds() < end || i < RTE_DIM(commands); rounds++) {
		do_one(i++);
		fcn_control_host_poll(ctl, fcn_loops_now(loops));
		fcn_control_link_poll(ctl);
		fcn_control_drain(ctl);
		fcn_control_conservation(ctl, &c);
		assert_true(fcn_conservation_holds(&c));
	}
	fcn_loops_forward(loops, false);
	line("show conservation");
	assert_true(events > 0);
	for (unsigned int p = 0; p <= PORTS; p++)
		assert_true(port[p].received > 0);
	for (unsigned int p = PORTS + 1; p < PORTS + FLOODED; p++)
		assert_true(port[p].sent > 0);
	print_message("%u rounds, %" PRIu64 " events\n", rounds, events);
}

static int
teardown(void **state)
{
	unsigned int missing;

	RTE_SET_USED(state);
	fcn_loops_stop(loops);
	fcn_control_free(ctl);
	fclose(session.out);
	free(said);
	fcn_command_table_free((struct fcn_command_table *)(uintptr_t)session.table);
	missing = rte_mempool_in_use_count(pool);
	rte_mempool_free(pool);
	rte_eal_cleanup();
	if (missing != 0)
		print_error("%u buffers missing\n", missing);
	return missing == 0 ? 0 : -1;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_together)};

	return cmocka_run_group_tests_name("threads", tests, setup, teardown);
}
