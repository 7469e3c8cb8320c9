/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The functions of the fast path for one width of SIMD registers. This file is included once by the
 * file of each width, behind what depends on it: TARGET, the attribute of its functions; struct
 * head, what the start of a frame is compared with; head_of(), which makes that of a fcn_plain_head
 * and the MAC address in it; and matches6() and matches4(), which compare frames.
 */

TARGET static __rte_noinline struct rte_mbuf **
take_ip6_many(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct head head = head_of(f->run.head, &f->port->mac);

	return fcn_fast_take_many(f, mbuf, end, matches6, &head, 6);
}

TARGET static __rte_noinline struct rte_mbuf **
take_ip4_many(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct head head = head_of(&fcn_fast_ip4_head, &f->port->mac);

	return fcn_fast_take_many(f, mbuf, end, matches4, &head, 4);
}

TARGET static struct rte_mbuf **
take_ip6(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct head head = head_of(f->run.head, &f->port->mac);

	return fcn_fast_take(f, mbuf, end, matches6, &head, take_ip6_many, 6);
}

TARGET static struct rte_mbuf **
take_ip4(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct head head = head_of(&fcn_fast_ip4_head, &f->port->mac);

	return fcn_fast_take(f, mbuf, end, matches4, &head, take_ip4_many, 4);
}

TARGET static unsigned int
admit(const struct fcn_fast *f, struct fcn_fast_bridging *b, unsigned int from, unsigned int to)
{
	const struct rte_ether_addr any = {.addr_bytes = {0}};
	const struct head head = head_of(f->run.head, &any);

	return fcn_fast_admit(f, b, from, to, matches6, &head);
}
