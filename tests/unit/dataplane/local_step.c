/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A local behaviour: the last octet of the destination is the number of deliveries after which the
 * packet is routed to 2001:db8:1::2; with 0 it never is.
 */

#include "fcn_stages.h"
#include "local_test.h"

enum fcn_local_result
fcn_local_step(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	static const uint8_t on[16] = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 2};
	uint8_t *dst = rte_pktmbuf_mtod_offset(b->mbuf[i], uint8_t *, b->pkt[i].info.l3_off + 24);

	RTE_SET_USED(w);
	if (dst[15] == 1)
		memcpy(dst, on, sizeof(on));
	else if (dst[15] != 0)
		dst[15]--;
	b->pkt[i].table = FCN_TABLE_MAIN;
	return FCN_LOCAL_ROUTE;
}
