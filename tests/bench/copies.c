/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "copies.h"
#include "fcn_copy.h"

#define OWN 128         /* bytes that are copied in any case, as a later stage may write to them */
#define TRACE_OFF 62    /* offset of the trace in the packet */
#define BEFORE_TRACE 48 /* bytes of a Fast CNP with option 2 before its trace: IPv6, option */
#define AFTER_TRACE 60  /* and after it: receiver's address, PadN, UDP, BTH, ICRC */

struct rte_mbuf *
bench_flooded(const struct bench_copies *c, struct rte_mbuf *from, uint32_t len, enum bench_way way)
{
	RTE_SET_USED(len);
	if (way == BENCH_COPY)
		return rte_pktmbuf_copy(from, c->pool, 0, UINT32_MAX);
	return fcn_copy_packet(from, OWN, c->pool);
}

/* Append bytes that a notice has of its own. */
static int
append_own(struct rte_mbuf *m, uint32_t len)
{
	char *to = rte_pktmbuf_append(m, len);

	if (to == NULL)
		return -1;
	memset(to, 0, len);
	return 0;
}

struct rte_mbuf *
bench_trace(const struct bench_copies *c, struct rte_mbuf *from, uint32_t len, enum bench_way way)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(c->pool), *last;

	if (m == NULL || append_own(m, BEFORE_TRACE) != 0)
		return NULL;
	if (way == BENCH_COPY) {
		if (fcn_copy_append(m, from, TRACE_OFF, len, c->pool) != 0)
			return NULL;
		return append_own(m, AFTER_TRACE) == 0 ? m : NULL;
	}
	if (fcn_copy_append_clone(m, from, TRACE_OFF, len, c->pool) != 0)
		return NULL;
	last = rte_pktmbuf_alloc(c->pool);
	if (last == NULL || append_own(last, AFTER_TRACE) != 0)
		return NULL;
	return rte_pktmbuf_chain(m, last) == 0 ? m : NULL;
}

struct rte_mbuf *
bench_message(const struct bench_copies *c, struct rte_mbuf *from, uint32_t len, enum bench_way way)
{
	static const struct fcn_flow_descriptor flow = {.version = 6, .proto = 17};
	const uint32_t head = fcn_cnm_head_len(6, 6);
	struct rte_mbuf *m = rte_pktmbuf_alloc(c->pool);
	uint16_t sum;

	if (m == NULL || rte_pktmbuf_append(m, head) == NULL)
		return NULL;
	if (way == BENCH_COPY) {
		if (fcn_copy_append(m, from, 0, len, c->pool) != 0)
			return NULL;
		sum = rte_raw_cksum(rte_pktmbuf_mtod_offset(m, const void *, head), len);
	} else if (fcn_copy_append(m, from, 0, OWN, c->pool) != 0 ||
			fcn_copy_append_clone(m, from, OWN, len - OWN, c->pool) != 0 ||
			rte_raw_cksum_mbuf(m, head, len, &sum) != 0) {
		return NULL;
	}
	fcn_cnm_write(&c->message, 6, flow.src, flow.dst, &flow, len, sum,
			rte_pktmbuf_mtod(m, uint8_t *));
	return m;
}
