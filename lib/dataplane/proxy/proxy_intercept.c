/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "proxy_intercept.h"

/* Find the flow that a Fast CNP is about. @param qp result: the queue pair of its sender */
static bool
find_flow(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_fastcnp *notice, uint32_t *qp)
{
	const struct fcn_proxy_conf *conf = &w->snap->proxy;
	struct fcn_proxy_counters *c = &w->proxy.counters;

	/* What is in several segments is not read; a Fast CNP fits in one. */
	if (m->nb_segs != 1 || fcn_fastcnp_parse(&conf->crc, FCN_ICRC_ANY,
					       rte_pktmbuf_mtod(m, const uint8_t *), m->data_len,
					       &p->info, &w->snap->codes, notice) != FCN_WIRE_OK) {
		c->intercept_malformed++;
		return false;
	}
	if (!fcn_qp_map_find(conf->qps, 6, notice->receiver, notice->cnp.dest_qp, notice->cnp.dst,
			    qp)) {
		c->intercept_no_qp++;
		return false;
	}
	return true;
}

void
fcn_proxy_intercept_one(struct fcn_worker *w, struct rte_mbuf *m, struct fcn_packet *p)
{
	const struct fcn_proxy_conf *conf = &w->snap->proxy;
	const uint16_t l3_off = p->info.l3_off;
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	struct fcn_fastcnp notice;
	struct fcn_cnp cnp;
	uint32_t qp, len;

	if (!find_flow(w, m, p, &notice, &qp))
		return;
	cnp = notice.cnp;
	memcpy(cnp.src, notice.receiver, sizeof(cnp.src));
	cnp.tclass = (uint8_t)(conf->dscp << 2);
	cnp.hop_limit = conf->hop_limit;
	cnp.dest_qp = qp;
	/* It is shorter than the Fast CNP, which has an option besides. */
	len = fcn_cnp_build(&conf->crc, &cnp, data + l3_off, m->data_len - l3_off);
	m->data_len = (uint16_t)(l3_off + len);
	m->pkt_len = m->data_len;
	fcn_parse_slow(data, m->data_len, m->pkt_len, &w->snap->codes, &p->info);
	/* The CNP begins here, with a hop limit of its own. */
	p->flags |= FCN_PACKET_TRANSLATED | FCN_PACKET_HOP_COUNTED;
	w->proxy.counters.intercepted++;
}
