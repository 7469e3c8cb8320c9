/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Received frames go to neighbour discovery and echo, or to the endpoint. */

#include <string.h>

#include "live_endpoint.h"

void
live_send_copy(struct live_endpoint *live, const uint8_t *frame, uint32_t len, uint64_t now)
{
	struct rte_mbuf *m = live_port_buffer(live);

	if (m == NULL) {
		live->n.reply_dropped++;
		return;
	}
	memcpy(rte_pktmbuf_mtod(m, uint8_t *), frame, len);
	live_port_send(live, m, len);
	fcn_serializer_send(&live->serializer, len, now);
}

void
live_receive(struct live_endpoint *live, const struct rte_mbuf *m, uint64_t now)
{
	uint8_t linear[FCN_ENDPOINT_MAX_FRAME], answer[FCN_ENDPOINT_MAX_FRAME];
	uint32_t len = m->pkt_len, answer_len;
	const uint8_t *frame;

	if (len > sizeof(linear)) {
		live->n.rx_too_long++;
		return;
	}
	frame = rte_pktmbuf_read(m, 0, len, linear);
	if (live_nd_receive(&live->nd, frame, len, answer, sizeof(answer), &answer_len)) {
		if (answer_len != 0)
			live_send_copy(live, answer, answer_len, now);
		return;
	}
	if (live->opt.listen)
		live_listen(live, frame, len, now);
	fcn_endpoint_receive(live->ep, frame, len, now);
}
