/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Under ThreadSanitizer (scripts/test, step tsan) every access to what two threads share is
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

#include "threads_switch.h"

#define FLOODED_LEN 400
/* All queues, and the rings to the ports of a worker, hold fewer frames than there are buffers. */
#define BUFFERS 32767
#define LIMIT "10K"
#define DEADLINE_S 120

struct threads_switch threads;

void
threads_stand(struct stop *stop)
{
	if (!__atomic_load_n(&stop->wanted, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&stop->stands, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&stop->wanted, __ATOMIC_ACQUIRE))
		usleep(100);
	__atomic_store_n(&stop->stands, 0, __ATOMIC_RELEASE);
}

/* A threads.pool's operations: a stack behind a lock that ThreadSanitizer knows. */
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
write_frame(uint8_t *data, const struct threads_port *p, uint64_t n)
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
is_flooded(const struct threads_port *p)
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
read_flooded(struct threads_port *p, const struct rte_mbuf *m)
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
	struct threads_port *p = priv;

	RTE_SET_USED(now);
	if (p->number == 1)
		threads_stand(&threads.in_turn);
	n = RTE_MIN(n, p->number == PORTS ? 2 : 8);
	if (is_flooded(p) || rte_pktmbuf_alloc_bulk(threads.pool, pkts, n) != 0)
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
	struct threads_port *p = priv;

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
	threads.port[number].number = number;
	out->ops = &ops;
	out->priv = &threads.port[number];
	out->info.link_bps = link_bps(NULL);
	return 0;
}

static void
port_close(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(open);
}

uint64_t
threads_milliseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* The clock by which workers are waited for. Without it, a slow machine makes no worker look
 * stalled. */
static uint64_t
patience_now(void *arg)
{
	RTE_SET_USED(arg);
	threads.impatience++;
	return threads.impatient ? threads_milliseconds() * 1000000 : 1;
}

static const struct fcn_patience patience = {.now = patience_now};

static const struct fcn_platform ops_platform = {.name = "threads",
		.port_open = port_open,
		.port_close = port_close,
		.host = true,
		.patience = &patience};

void
threads_line(const char *text)
{
	rewind(threads.session.out);
	if (fcn_session_line(&threads.session, text, -1) != 0) {
		fputc('\0', threads.session.out);
		fflush(threads.session.out);
		fail_msg("%s: %s", text, threads.said);
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

int
threads_setup(void **state)
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
	threads.pool = rte_pktmbuf_pool_create_by_ops(
			"threads", BUFFERS, 0, 0, FCN_DATA_ROOM, SOCKET_ID_ANY, pool_ops.name);
	conf.pool = threads.pool;
	for (unsigned int i = 0; i < WORKERS; i++)
		conf.worker[i] = (struct fcn_control_worker){
				.lcore = i + 1, .socket = SOCKET_ID_ANY, .pool = threads.pool};
	threads.ctl = threads.pool == NULL ? NULL : fcn_control_create(&conf, err, sizeof(err));
	if (threads.ctl == NULL) {
		print_error("%s\n", err);
		return -1;
	}
	threads.session = (struct fcn_session){.ctl = threads.ctl, .table = fcn_session_commands()};
	threads.session.out = open_memstream(&threads.said, &threads.said_size);
	threads.loops = fcn_loops_start(threads.ctl, err, sizeof(err));
	return threads.loops == NULL ? -1 : 0;
}

void
threads_configure(void)
{
	char text[128];

	threads_line("set loopback 2001:db8:f::5");
	for (unsigned int p = 0; p < PORTS; p++) {
		snprintf(text, sizeof(text), "port add p%u worker %u", p, p % WORKERS);
		threads_line(text);
		snprintf(text, sizeof(text), "set port p%u mac 02:00:00:00:00:%02x", p, 0x10 + p);
		threads_line(text);
		snprintf(text, sizeof(text), "address add p%u 2001:db8:0:%x::1/64", p, p);
		threads_line(text);
		snprintf(text, sizeof(text),
				"neighbour add p%u 2001:db8:0:%x::2 02:00:00:00:01:%02x", p, p, p);
		threads_line(text);
		snprintf(text, sizeof(text), "set queue p%u class all detector step threshold 3K",
				p);
		threads_line(text);
		snprintf(text, sizeof(text), "set queue p%u class all limit " LIMIT, p);
		threads_line(text);
		snprintf(text, sizeof(text), "set queue p%u class all notify on", p);
		threads_line(text);
	}
	threads_line("bridge add br1");
	for (unsigned int p = PORTS; p < PORTS + FLOODED; p++) {
		snprintf(text, sizeof(text), "port add p%u worker %u", p, p % WORKERS);
		threads_line(text);
		snprintf(text, sizeof(text), "set queue p%u class all limit " LIMIT, p);
		threads_line(text);
		snprintf(text, sizeof(text), "bridge br1 port add p%u", p);
		threads_line(text);
	}
	threads_line("set copies clone");
	threads_line("set host on");
	threads_line("set host dad off");
	threads_line("sender default capable");
	threads_line("set notify fast-cnp on");
}

int
threads_teardown(void **state)
{
	unsigned int missing;

	RTE_SET_USED(state);
	fcn_loops_stop(threads.loops);
	fcn_control_free(threads.ctl);
	fclose(threads.session.out);
	free(threads.said);
	fcn_command_table_free((struct fcn_command_table *)(uintptr_t)threads.session.table);
	missing = rte_mempool_in_use_count(threads.pool);
	rte_mempool_free(threads.pool);
	rte_eal_cleanup();
	if (missing != 0)
		print_error("%u buffers missing\n", missing);
	return missing == 0 ? 0 : -1;
}
