/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_ip.h>
#include <rte_mbuf.h>

#include "host_state.h"
#include "fcn_param_problem.h"
#include "hostbed.h"

struct bed bed;

static bool
env_send(void *arg, struct rte_mbuf *m, uint16_t port, uint8_t class, bool discovery)
{
	struct sent *s;
	const void *p;

	RTE_SET_USED(arg);
	assert_true(rte_mbuf_check(m, 1, NULL) == 0);
	if (bed.refuse) {
		rte_pktmbuf_free(m);
		return false;
	}
	assert_true(bed.n_sent < BED_SENT);
	assert_true(m->pkt_len <= BED_BYTES);
	s = &bed.sent[bed.n_sent++];
	p = rte_pktmbuf_read(m, 0, m->pkt_len, s->data);
	assert_non_null(p);
	if (p != s->data)
		memcpy(s->data, p, m->pkt_len);
	s->len = m->pkt_len;
	s->port = port;
	s->class = class;
	s->discovery = discovery;
	s->at = bed.now;
	rte_pktmbuf_free(m);
	return true;
}

static bool
env_forward(void *arg, struct rte_mbuf *m, uint16_t port, uint16_t in_port, uint8_t class)
{
	assert_true(in_port < FCN_MAX_PORTS);
	bed.forwarded++;
	return env_send(arg, m, port, class, false);
}

static void
env_drop(void *arg, struct rte_mbuf *m, uint16_t in_port, uint8_t class, enum fcn_drop_reason why)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(class);
	assert_true(in_port < FCN_MAX_PORTS);
	bed.dropped[why]++;
	rte_pktmbuf_free(m);
}

static bool
env_route(void *arg, unsigned int table, const struct fcn_addr *dst, struct fcn_host_route *route)
{
	const struct bed_route *best = NULL;

	RTE_SET_USED(arg);
	RTE_SET_USED(table);
	for (unsigned int i = 0; i < bed.n_routes; i++) {
		const struct bed_route *r = &bed.route[i];

		if (fcn_prefix_contains(&r->prefix, dst) &&
				(best == NULL || r->prefix.len > best->prefix.len))
			best = r;
	}
	if (best == NULL)
		return false;
	*route = best->route;
	if (route->next_hop.version == 0)
		route->next_hop = *dst;
	return true;
}

/* Notices of the kind bed.refused_kind are refused in the way that Fast CNPs are. */
static enum fcn_host_refused
env_refused(void *arg, uint16_t in_port, const uint8_t *ip, uint32_t len, uint64_t within_ns,
		struct fcn_host_refusal *refusal)
{
	const uint8_t *source = bed.conf.loopback.bytes;
	struct fcn_refused_notice notice;
	uint8_t endcon[16];

	RTE_SET_USED(arg);
	if (fcn_param_problem_check(ip, len, &bed.conf.codes, source, &notice) != FCN_MSG_OK &&
			fcn_param_problem_check_endcon(ip, len, &bed.conf.codes, source, &notice,
					endcon) != FCN_MSG_OK)
		return FCN_HOST_NOT_REFUSED;
	bed.n_asked++;
	bed.asked_port = in_port;
	memcpy(bed.asked_sender, notice.sender, 16);
	memcpy(bed.asked_receiver, notice.receiver, 16);
	bed.asked_qp = notice.dest_qp;
	bed.asked_within = within_ns;
	memcpy(refusal->sender, notice.sender, 16);
	refusal->kind = bed.refused_kind;
	refusal->ignored = bed.trusted;
	if (!bed.notified)
		return FCN_HOST_NOT_REFUSED;
	return bed.elsewhere ? FCN_HOST_REFUSED_ELSEWHERE : FCN_HOST_REFUSED;
}

static void
env_log(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	bed.n_logs++;
	snprintf(bed.log, sizeof(bed.log), "%s", line);
}

int
bed_begin(void **state)
{
	if (fcn_test_eal_init(state) != 0)
		return -1;
	bed.pool = rte_pktmbuf_pool_create("host", 4095, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
	return bed.pool == NULL ? -1 : 0;
}

int
bed_end(void **state)
{
	rte_mempool_free(bed.pool);
	return fcn_test_eal_cleanup(state);
}

int
bed_setup_fresh(void **state)
{
	const struct fcn_host_env env = {.send = env_send,
			.forward = env_forward,
			.drop = env_drop,
			.route = env_route,
			.refused = env_refused,
			.log = env_log};
	struct rte_mempool *pool = bed.pool;

	RTE_SET_USED(state);
	memset(&bed, 0, sizeof(bed));
	bed.pool = pool;
	bed.host = fcn_host_create(pool, &env, 1);
	if (bed.host == NULL)
		return -1;
	bed.conf = (struct fcn_host_conf){.loopback = addr_of("2001:db8:ffff::1"),
			.icmp_errors = {.per_second = 1000, .burst = 1000},
			.icmp_replies = {.per_second = 1000, .burst = 1000},
			.solicitations = {.per_second = 100000, .burst = 10000},
			.reachable_ns = 30 * S,
			.retrans_ns = S,
			.max_neighbours = 64,
			.ra_interval_ns = 600 * S,
			.capability_ns = 600 * S,
			.notice_recent_ns = 2 * S,
			.codes = fcn_parse_default_codes,
			.class = 7};
	for (uint16_t p = 0; p < 2; p++)
		bed.conf.port[p] = (struct fcn_host_port){
				.routed = true, .up = true, .mac = mac_of_port(p), .mtu = 1500};
	bed_address(0, "2001:db8::1/64");
	bed_address(0, "192.0.2.1/24");
	bed_address(1, "2001:db8:1::1/64");
	bed_address(1, "198.51.100.1/24");
	bed_route("2001:db8::/64", 0, NULL);
	bed_route("192.0.2.0/24", 0, NULL);
	bed_route("2001:db8:1::/64", 1, NULL);
	bed_route("198.51.100.0/24", 1, NULL);
	return 0;
}

int
bed_setup(void **state)
{
	if (bed_setup_fresh(state) != 0)
		return -1;
	bed_configure();
	bed_run(10 * S);
	bed_forget();
	bed_forget_counts();
	return 0;
}

int
bed_teardown(void **state)
{
	RTE_SET_USED(state);
	bed_check();
	fcn_host_free(bed.host);
	assert_int_equal(rte_mempool_in_use_count(bed.pool), 0);
	return 0;
}

void
bed_configure(void)
{
	bed.conf.addresses = bed.address;
	assert_int_equal(fcn_host_configure(bed.host, &bed.conf, bed.now), 0);
	bed_check();
}

void
bed_check(void)
{
	uint32_t waiting = fcn_host_waiting(bed.host), next = 0, sum = 0, buffers = 0;
	const struct fcn_host_wait *w;
	struct fcn_host_neighbour n;

	for (unsigned int i = 0; i < FCN_HOST_SHARES; i++) {
		TAILQ_FOREACH (w, &bed.host->waiting[i], port)
			buffers += w->mbuf->nb_segs;
	}
	assert_int_equal(rte_mempool_in_use_count(bed.pool), buffers);
	while (fcn_host_neighbour_next(bed.host, &next, &n))
		sum += n.waiting;
	assert_int_equal(sum, waiting);
	assert_int_equal(bed_count(FCN_HOST_WAIT_QUEUED),
			bed_count(FCN_HOST_WAIT_SENT) + bed_count(FCN_HOST_WAIT_DROPPED) + waiting);
}

void
bed_run(uint64_t until)
{
	uint64_t next;
	unsigned int steps = 0;

	while ((next = fcn_host_next(bed.host)) <= until) {
		assert_true(++steps < 1000000);
		bed.now = RTE_MAX(bed.now, next);
		fcn_host_tick(bed.host, bed.now);
		bed_check();
	}
	bed.now = until;
	fcn_host_tick(bed.host, bed.now);
}

void
bed_forget(void)
{
	bed.n_sent = 0;
}

void
bed_address(uint16_t port, const char *prefix)
{
	struct fcn_host_address *a = &bed.address[bed.conf.n_addresses++];

	assert_true(bed.conf.n_addresses <= RTE_DIM(bed.address));
	a->port = port;
	assert_int_equal(fcn_prefix_parse(prefix, &a->prefix), 0);
}

void
bed_route(const char *prefix, uint16_t port, const char *next_hop)
{
	struct bed_route *r = &bed.route[bed.n_routes++];

	assert_true(bed.n_routes <= RTE_DIM(bed.route));
	memset(r, 0, sizeof(*r));
	assert_int_equal(fcn_prefix_parse(prefix, &r->prefix), 0);
	r->route.port = port;
	if (next_hop != NULL)
		r->route.next_hop = addr_of(next_hop);
}

void
bed_static(const char *addr, uint16_t port, uint8_t n)
{
	struct bed_route *r = &bed.route[bed.n_routes];

	bed_route(addr, port, NULL);
	r->route.resolved = true;
	r->route.mac = mac_of(n);
}

static void
punt(enum fcn_punt_reason reason, uint16_t port, const struct bytes *b, uint32_t segment,
		uint16_t mtu)
{
	struct fcn_punt p = {.in_port = port,
			.reason = reason,
			.class = 3,
			.l3_off = reason == FCN_PUNT_ARP ? 0 : RTE_ETHER_HDR_LEN,
			.mtu = mtu};
	struct rte_mbuf *seg;

	for (uint32_t off = 0; off < b->len; off += segment) {
		uint32_t part = RTE_MIN(segment, b->len - off);

		seg = rte_pktmbuf_alloc(bed.pool);
		assert_non_null(seg);
		memcpy(rte_pktmbuf_append(seg, (uint16_t)part), b->data + off, part);
		if (p.mbuf == NULL)
			p.mbuf = seg;
		else
			assert_int_equal(rte_pktmbuf_chain(p.mbuf, seg), 0);
	}
	assert_non_null(p.mbuf);
	fcn_host_receive(bed.host, &p, bed.now);
	bed_check();
}

void
bed_punt(enum fcn_punt_reason reason, uint16_t port, const struct bytes *b)
{
	punt(reason, port, b, 1900, 0);
}

void
bed_punt_once(enum fcn_punt_reason reason, uint16_t port, struct bytes b)
{
	bed_punt(reason, port, &b);
}

void
bed_punt_chain(enum fcn_punt_reason reason, uint16_t port, const struct bytes *b, uint32_t segment)
{
	punt(reason, port, b, segment, 0);
}

void
bed_punt_mtu(uint16_t port, const struct bytes *b, uint16_t mtu)
{
	punt(FCN_PUNT_MTU, port, b, 1900, mtu);
}

void
bed_sent_is(unsigned int i, uint16_t port, const char *hex)
{
	struct bytes b = hex_of(hex);

	assert_true(i < bed.n_sent);
	assert_int_equal(bed.sent[i].port, port);
	assert_int_equal(bed.sent[i].len, b.len);
	assert_memory_equal(bed.sent[i].data, b.data, b.len);
}

uint64_t
bed_count(enum fcn_host_counter c)
{
	return fcn_host_counter(bed.host, c) - bed.forgotten[c];
}

void
bed_forget_counts(void)
{
	for (unsigned int c = 0; c < FCN_HOST_COUNTER_COUNT; c++)
		bed.forgotten[c] = fcn_host_counter(bed.host, c);
}

int
bed_neighbour(uint16_t port, const char *addr, struct fcn_host_neighbour *out)
{
	struct fcn_addr a = addr_of(addr);
	struct fcn_host_neighbour n;
	uint32_t next = 0;

	while (fcn_host_neighbour_next(bed.host, &next, &n)) {
		if (n.port != port || !fcn_addr_equal(&n.addr, &a))
			continue;
		if (out != NULL)
			*out = n;
		return n.state;
	}
	return -1;
}
