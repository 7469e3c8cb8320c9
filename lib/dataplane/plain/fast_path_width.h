/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The functions of the fast path for one width of SIMD registers. This file is included once by the
 * file of each width, behind what depends on it: TARGET, the attribute of its functions; struct
 * head, what the start of a frame is compared with; head_of(), which makes that of a fcn_plain_head
 * and the MAC address in it; and matches6() and matches4(), which compare frames. With HAS_PLAIN6,
 * it also has struct plain_head, plain_head_of(), which makes that of the same and the hull of the
 * switch's addresses, and plain6(), which checks all of a frame of RoCEv2 over IPv6; with
 * HAS_PLAIN4 the same over IPv4, of the same structure.
 */

#ifndef HAS_PLAIN6
struct plain_head {
	struct head head;
	struct fcn_own_hull own;
};

TARGET static __rte_always_inline struct plain_head
plain_head_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac,
		const struct fcn_own_hull *own)
{
	return (struct plain_head){head_of(head, mac), *own};
}

TARGET static __rte_always_inline enum fcn_fast_kind
plain6(const void *head, const uint8_t *data, uint32_t len)
{
	const struct plain_head *h = head;

	return fcn_fast_plain6(matches6, &h->head, &h->own, data, len);
}
#endif

#ifndef HAS_PLAIN4
struct plain_head4 {
	struct head head;
	struct fcn_own_hull own;
};

TARGET static __rte_always_inline struct plain_head4
plain_head4_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac,
		const struct fcn_own_hull *own)
{
	return (struct plain_head4){head_of(head, mac), *own};
}

TARGET static __rte_always_inline enum fcn_fast_kind
plain4(const void *head, const uint8_t *data, uint32_t len)
{
	const struct plain_head4 *h = head;

	return fcn_fast_plain4(matches4, &h->head, &h->own, data, len);
}
#else
#define plain_head4 plain_head
#endif

TARGET static __rte_noinline struct rte_mbuf **
take_ip6_many(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct plain_head head = plain_head_of(f->head, &f->port->mac, &f->w->snap->own);

	return fcn_fast_take_many(f, mbuf, end, plain6, &head, 6);
}

TARGET static __rte_noinline struct rte_mbuf **
take_ip4_many(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct plain_head4 head = plain_head4_of(
			&fcn_plain_head_routed4, &f->port->mac, &f->w->snap->own);

	return fcn_fast_take_many(f, mbuf, end, plain4, &head, 4);
}

TARGET static struct rte_mbuf **
take_ip6(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct plain_head head = plain_head_of(f->head, &f->port->mac, &f->w->snap->own);

	return fcn_fast_take(f, mbuf, end, plain6, &head, take_ip6_many, 6);
}

TARGET static struct rte_mbuf **
take_ip4(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct plain_head4 head = plain_head4_of(
			&fcn_plain_head_routed4, &f->port->mac, &f->w->snap->own);

	return fcn_fast_take(f, mbuf, end, plain4, &head, take_ip4_many, 4);
}

TARGET static __rte_always_inline enum fcn_fast_kind
roce6(const void *head, const uint8_t *data, uint32_t len)
{
	return fcn_fast_roce6(matches6, head, data, len) ? FCN_FAST_PLAIN : FCN_FAST_ODD;
}

TARGET static __rte_always_inline enum fcn_fast_kind
roce4(const void *head, const uint8_t *data, uint32_t len)
{
	return fcn_fast_roce4(matches4, head, data, len) ? FCN_FAST_PLAIN : FCN_FAST_ODD;
}

TARGET static void
admit(const struct fcn_fast *f, unsigned int from, unsigned int to)
{
	const struct rte_ether_addr any = {.addr_bytes = {0}};
	const struct head head6 = head_of(&fcn_plain_head_stations, &any);
	const struct head head4 = head_of(&fcn_plain_head_stations4, &any);
	const struct fcn_fast_stations known = {roce6, roce4, &head6, &head4};

	fcn_fast_admit(f, from, to, &known);
}

TARGET static unsigned int
classify6(struct fcn_burst *b, unsigned int from, unsigned int to, const struct fcn_plain_run *run)
{
	const struct plain_head head = plain_head_of(run->head6, run->mac, run->own);

	return fcn_fast_classify(b, from, to, run, plain6, &head, 6);
}

TARGET static unsigned int
classify4(struct fcn_burst *b, unsigned int from, unsigned int to, const struct fcn_plain_run *run)
{
	const struct plain_head4 head = plain_head4_of(run->head4, run->mac, run->own);

	return fcn_fast_classify(b, from, to, run, plain4, &head, 4);
}

TARGET static unsigned int
count(const struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct plain_head head = plain_head_of(f->head, &f->port->mac, &f->w->snap->own);

	return fcn_fast_count(f, mbuf, end, plain6, &head, 6);
}
