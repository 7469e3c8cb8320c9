/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Checks of the conditions that hold after every turn, by the counters. */

#include "testbed.h"
#include "port_bits.h"

uint64_t
bench_drops(enum fcn_drop_reason reason)
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < bench.snap.n_ports; p++)
		n += bench.worker->counters[p].drop[reason];
	return n;
}

uint64_t
bench_all_drops(void)
{
	uint64_t n = 0;

	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		n += bench_drops(r);
	return n;
}

/* As assert_int_equal(), where it is done thousands of times a turn: a call costs more than what it
 * checks. */
#define ASSERT_SAME(a, b)                           \
	do {                                        \
		if (unlikely((a) != (b)))           \
			assert_int_equal((a), (b)); \
	} while (0)

/* What is charged to the account of a lossless class. */
struct charged {
	uint32_t bytes, packets;
};

/* Sums over the packets of a queue. */
struct bench_sums {
	uint32_t lossless; /* packets */
	uint32_t bytes;
	uint32_t charged;
	uint32_t flow;
};

static void
charge(struct charged ingress[FCN_MAX_PORTS][FCN_CLASSES], const struct rte_mbuf *m,
		unsigned int class)
{
	const uint16_t port = fcn_queued_at(m, bench.worker->queued_offset)->in_port;

	ingress[port][class].bytes += m->pkt_len;
	ingress[port][class].packets++;
}

static struct bench_sums
sum_queue(const struct fcn_queue *q, struct charged ingress[FCN_MAX_PORTS][FCN_CLASSES],
		uint64_t notices[FCN_NOTICE_KIND_MAX])
{
	struct bench_sums sums = {0};

	for (uint32_t i = q->head; i != q->tail; i++) {
		const struct fcn_queue_entry *e = &q->ring[i & q->mask];

		ASSERT_SAME(e->len, e->mbuf->pkt_len);
		sums.bytes += e->len;
		if (e->flags & FCN_ENTRY_NOTICE)
			notices[fcn_entry_notice_kind(e)]++;
		if (e->flags & FCN_ENTRY_CHARGED)
			sums.charged += e->len;
		if (e->flags & FCN_ENTRY_FLOW)
			sums.flow += e->len;
		if (e->flags & FCN_ENTRY_LOSSLESS) {
			charge(ingress, e->mbuf, e->flags & FCN_ENTRY_CLASS);
			sums.lossless++;
		}
	}
	return sums;
}

/*
 * Check the queues of a port, its bit sets, and the occupancy of flows. @return bytes of the
 * accounts above their reserves
 */
static uint64_t
check_queues(uint16_t port, struct charged ingress[FCN_MAX_PORTS][FCN_CLASSES],
		uint64_t notices[FCN_NOTICE_KIND_MAX])
{
	static const uint32_t no_flows[FCN_FLOW_SLOTS];
	const struct fcn_egress *eg = bench.worker->port[port].egress;
	uint64_t shared = 0;

	for (unsigned int c = 0; eg != NULL && c < FCN_CLASSES; c++) {
		const struct fcn_queue *q = &eg->queue[c];
		const struct bench_sums sums = sum_queue(q, ingress, notices);
		uint32_t flow = 0, flows = 0;

		ASSERT_SAME(q->bytes, sums.bytes);
		ASSERT_SAME(q->charged, sums.charged);
		ASSERT_SAME(q->lossless, sums.lossless);
		ASSERT_SAME(eg->backlog >> c & 1, !fcn_queue_is_empty(q));
		ASSERT_SAME(eg->congested >> c & 1, q->detector.congested);
		/* Most queues have none. */
		if (memcmp(q->flows->bytes, no_flows, sizeof(no_flows)) != 0) {
			for (unsigned int s = 0; s < FCN_FLOW_SLOTS; s++) {
				flow += q->flows->bytes[s];
				flows += q->flows->bytes[s] != 0;
			}
		}
		ASSERT_SAME(flow, sums.flow);
		ASSERT_SAME(q->flows->n, flows);
		shared += fcn_buffer_over(q->charged, bench_queue_conf(port, c)->account.reserve);
	}
	for (unsigned int i = 0; eg != NULL && i < eg->n_staged; i++)
		if (eg->staged[i].flags & FCN_ENTRY_NOTICE)
			notices[fcn_entry_notice_kind(&eg->staged[i])]++;
	return shared;
}

/* Check the packets of held flows, of which lossless ones count on their accounts. */
static void
check_held(struct charged ingress[FCN_MAX_PORTS][FCN_CLASSES])
{
	const struct fcn_arn_held *h = &bench.worker->arn_held;
	uint32_t packets = 0;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < h->flows.max_flows; i++) {
		const struct fcn_held_flow *f = &h->flows.flow[i];

		if (!f->used)
			continue;
		for (uint32_t s = f->first; s != FCN_HELD_FLOWS_NONE; s = h->flows.slot[s].next) {
			const struct rte_mbuf *m = h->waiting[s].mbuf;
			const struct fcn_packet *p = &h->packet[s];

			packets++;
			bytes += m->pkt_len;
			assert_int_equal(h->flows.slot[s].len, m->pkt_len);
			assert_int_equal(!(p->flags & FCN_PACKET_LOSSLESS),
					!(p->flags & FCN_PACKET_ACCOUNTED));
			if (p->flags & FCN_PACKET_ACCOUNTED)
				charge(ingress, m, p->class);
		}
	}
	assert_int_equal(h->flows.packets, packets);
	assert_int_equal(h->flows.bytes, bytes);
}

void
bench_check(void)
{
	static struct charged ingress[FCN_MAX_PORTS][FCN_CLASSES];
	const struct fcn_worker *w = bench.worker;
	struct fcn_conservation c = {0};
	uint64_t shared = 0, headroom = 0, packets = 0, packets_headroom = 0,
		 notices[FCN_NOTICE_KIND_MAX] = {0};

	fcn_worker_conservation(w, &c);
	assert_true(fcn_conservation_holds(&c));
	/* Every copy was copied or cloned, or is lost with a drop reason. */
	for (unsigned int p = 0; p < bench.snap.n_ports; p++) {
		const struct fcn_port_counters *n = &w->counters[p];

		ASSERT_SAME(n->replicated, n->copied + n->cloned + n->drop[FCN_DROP_FLOOD_LIMIT] +
							   n->drop[FCN_DROP_NO_MBUF]);
	}
	memset(ingress, 0, bench.snap.n_ports * sizeof(ingress[0]));
	for (unsigned int p = 0; p < bench.snap.n_ports; p++)
		shared += check_queues(p, ingress, notices);
	check_held(ingress);
	/*
	 * Every notice that was made was transmitted, was taken by the switch itself, is lost with
	 * a drop reason, or is still queued.
	 */
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++) {
		const struct fcn_notice_accounting *l = &w->notice_accounting[k];

		assert_int_equal(l->carried + l->made,
				l->transmitted + l->taken + fcn_notice_accounting_lost(l) +
						l->queued);
		assert_int_equal(l->queued, notices[k]);
	}
	for (unsigned int p = 0; p < bench.snap.n_ports; p++) {
		for (unsigned int k = 0; k < FCN_CLASSES; k++) {
			const struct fcn_ingress *in = &w->ingress[p][k];

			ASSERT_SAME(in->used, ingress[p][k].bytes);
			if (unlikely(in->headroom > in->used))
				assert_true(in->headroom <= in->used);
			headroom += in->headroom;
			shared += fcn_ingress_shared(in, &bench.snap.port[p].ingress[k]);
			in = &w->ingress_packets[p][k];
			assert_int_equal(in->used, ingress[p][k].packets);
			packets += fcn_ingress_shared(in, &bench.snap.port[p].ingress_packets[k]);
			packets_headroom += in->headroom;
		}
	}
	/* The reserves of a new snapshot take effect with its first turn. */
	if (w->generation != bench.snap.generation)
		return;
	assert_int_equal(w->buffer.shared_used, shared);
	assert_int_equal(w->buffer.headroom_used, headroom);
	assert_int_equal(w->packets.packets.shared_used, packets + w->packets.counted);
	assert_int_equal(w->packets.packets.headroom_used, packets_headroom);
}

void
bench_trace(uint32_t n, const char *filter)
{
	struct fcn_trace *t = &bench.worker->trace;

	fcn_trace_filter_free(t);
	if (filter != NULL) {
		pcap_t *dead = pcap_open_dead(DLT_EN10MB, 65535);

		assert_int_equal(
				pcap_compile(dead, &t->filter, filter, 1, PCAP_NETMASK_UNKNOWN), 0);
		pcap_close(dead);
		t->has_filter = true;
	}
	t->wanted = n;
}

void
bench_capture(uint64_t ports)
{
	struct fcn_capture *c = &bench.worker->capture;
	struct fcn_capture_tap tap = {.snaplen = 64, .ports = {[FCN_CAPTURE_RX] = ports_of(ports)}};

	if (c->ring == NULL)
		c->ring = fcn_capture_ring_create("bench_capture", 64, SOCKET_ID_ANY);
	assert_non_null(c->ring);
	fcn_capture_close(bench.worker, 0);
	if (ports != 0)
		fcn_capture_open(bench.worker, 0, &tap);
}
