/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_punt.h"
#include "fuzz_bench.h"
#include "testbed.h"

#define HEADROOM 128
#define SEGMENT 1800 /* octets that fit into a buffer of the bench */

uint8_t *
fuzz_begin(const uint8_t *data, size_t size, uint32_t least, uint32_t most, void *setup,
		uint32_t *len)
{
	static bool runs;

	require(runs || fcn_test_eal_init(NULL) == 0);
	runs = true;
	if (size < FRAME_OFFSET + least || size > FRAME_OFFSET + most)
		return NULL;
	memcpy(setup, data, FRAME_OFFSET);
	*len = (uint32_t)size - FRAME_OFFSET;
	bench_setup(NULL);
	return fuzz_exact(data + FRAME_OFFSET, *len);
}

void
fuzz_end(uint8_t *frame)
{
	require(bench_teardown(NULL) == 0);
	free(frame);
}

void
fuzz_change(uint8_t *frame, uint32_t len, uint8_t where, uint8_t change)
{
	uint8_t *p = &frame[12 + where % (len - 12)];

	*p = (uint8_t)(*p + change);
}

static void
release(void *buf, void *shared)
{
	free(buf);
	free(shared);
}

static struct rte_mbuf *
segment_of(const uint8_t *data, uint32_t len, bool in_pool)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(bench.pool);
	struct rte_mbuf_ext_shared_info *shared;
	uint8_t *buf;

	assert_non_null(m);
	if (!in_pool) {
		shared = malloc(sizeof(*shared));
		buf = malloc(HEADROOM + len);
		assert_true(shared != NULL && buf != NULL);
		shared->free_cb = release;
		shared->fcb_opaque = shared;
		rte_mbuf_ext_refcnt_set(shared, 1);
		rte_pktmbuf_attach_extbuf(m, buf, 0, (uint16_t)(HEADROOM + len), shared);
		m->data_off = HEADROOM;
	}
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), data, len);
	return m;
}

void
fuzz_arrive(uint16_t port, const uint8_t *data, uint32_t len, uint32_t segment, bool in_pool)
{
	const uint32_t most = segment != 0 ? segment : SEGMENT;
	struct bench_port *p = &bench.port[port];
	struct rte_mbuf *head = NULL, *m;
	uint32_t done = 0, n;

	do {
		n = head == NULL ? RTE_MAX(most, (uint32_t)RTE_ETHER_HDR_LEN) : most;
		n = RTE_MIN(n, len - done);
		m = segment_of(data + done, n, in_pool);
		if (head == NULL)
			head = m;
		else
			assert_int_equal(rte_pktmbuf_chain(head, m), 0);
		done += n;
	} while (done < len);
	assert_true(p->n_in < RTE_DIM(p->in));
	p->in[p->n_in++] = head;
}

void
fuzz_take_punts(void)
{
	struct fcn_punt punt;

	for (unsigned int k = 0; bench.worker->punts != NULL && k < FCN_PUNT_KIND_COUNT; k++) {
		while (fcn_punt_dequeue(bench.worker->punts, k, &punt)) {
			/* What is read of the packet has to be there. */
			assert_true(punt.mbuf->data_len >= punt.l3_off);
			rte_pktmbuf_free(punt.mbuf);
		}
	}
}
