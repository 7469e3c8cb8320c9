/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Chained packets at local SIDs: their headers are gathered in one buffer, so that they can be
 * changed and removed wherever the segments begin, and whoever shares their bytes.
 */

#include "srv6.h"

/* Remove the first len bytes of a chain; segments without bytes are freed. @return the rest, which
 * is NULL if there is none */
static struct rte_mbuf *
remove_front(struct rte_mbuf *m, uint32_t len)
{
	const uint32_t rest = m->pkt_len - len;
	uint16_t segs = m->nb_segs;

	while (m != NULL && len >= m->data_len) {
		struct rte_mbuf *next = m->next;

		len -= m->data_len;
		m->next = NULL;
		rte_pktmbuf_free_seg(m);
		m = next;
		segs--;
	}
	if (m == NULL)
		return NULL;
	m->data_off += (uint16_t)len;
	m->data_len -= (uint16_t)len;
	m->pkt_len = rest;
	m->nb_segs = segs;
	return m;
}

bool
fcn_srv6_gather(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct rte_mbuf *m = b->mbuf[i], *front;
	const uint32_t len = RTE_MIN(m->pkt_len, (uint32_t)FCN_SRV6_GATHER);
	const void *bytes;
	void *to;

	if (fcn_mbuf_is_private(m) && m->data_len >= len)
		return true;
	front = rte_pktmbuf_alloc(w->pool);
	if (front == NULL)
		return false;
	to = rte_pktmbuf_append(front, (uint16_t)len);
	if (to == NULL) {
		rte_pktmbuf_free(front);
		return false;
	}
	bytes = rte_pktmbuf_read(m, 0, len, to);
	if (bytes != to)
		memcpy(to, bytes, len);
	front->port = m->port;
	m = remove_front(m, len);
	if (m != NULL) {
		front->next = m;
		front->nb_segs = m->nb_segs + 1;
		front->pkt_len += m->pkt_len;
	}
	b->mbuf[i] = front;
	return true;
}
