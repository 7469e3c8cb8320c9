/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the ways to build many Fast CNPs in one pass have in common. Used by the files of the kind
 * Fast CNP only.
 */

#ifndef FASTCNP_VECTORS_H
#define FASTCNP_VECTORS_H

#include "fcn_fastcnp_fold.h"
#include "fastcnp_kind_build.h"

/* The places in struct fcn_wire_info that are written at once. */
#define FCN_FASTCNP_INFO_FIRST 0
#define FCN_FASTCNP_INFO_SECOND 16
#define FCN_FASTCNP_INFO_REST 32

_Static_assert(offsetof(struct fcn_wire_info, l3_off) == FCN_FASTCNP_INFO_FIRST + 2 * 5 &&
				offsetof(struct fcn_wire_info, ip_len) ==
						FCN_FASTCNP_INFO_FIRST + 2 * 7 &&
				offsetof(struct fcn_wire_info, src_port) ==
						FCN_FASTCNP_INFO_SECOND + 4 &&
				offsetof(struct fcn_wire_info, dest_qp) ==
						FCN_FASTCNP_INFO_SECOND + 12 &&
				sizeof(struct fcn_wire_info) == FCN_FASTCNP_INFO_REST + 8,
		"the places of the fields in the vectors");

/**
 * Least number of notices that are built with AVX-512. What is built of fewer is read by vectors of
 * 512 bits right behind the smaller stores that it was written with, for which a load has to wait
 * until they are in the cache.
 */
#define FCN_FASTCNP_WIDE_MIN 16

/** Put the Ethernet header in front of a notice, whose buffer is new and therefore has headroom. */
static __rte_always_inline void
fcn_fastcnp_put_head(struct rte_mbuf *m, uint8_t *ip, const struct rte_ether_hdr *head)
{
	const size_t at = sizeof(*head) - sizeof(uint64_t);
	uint64_t first, last;

	/* 14 octets are two words, which overlap. */
	memcpy(&first, head, sizeof(first));
	memcpy(&last, (const uint8_t *)head + at, sizeof(last));
	memcpy(ip - sizeof(*head), &first, sizeof(first));
	memcpy(ip - sizeof(*head) + at, &last, sizeof(last));
	m->data_off -= sizeof(*head);
}

_Static_assert(offsetof(struct rte_mbuf, data_len) == offsetof(struct rte_mbuf, pkt_len) + 4 &&
				offsetof(struct rte_mbuf, vlan_tci) ==
						offsetof(struct rte_mbuf, pkt_len) + 6,
		"the lengths are one word");

/** Write the lengths of the buffer of a notice: pkt_len, data_len, and vlan_tci, which a new buffer
 * has no use for. */
static __rte_always_inline void
fcn_fastcnp_put_lengths(struct rte_mbuf *m, uint32_t len)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	const uint64_t lens = len | (uint64_t)len << 32;

	memcpy(&m->pkt_len, &lens, sizeof(lens));
#else
	m->pkt_len = len;
	m->data_len = (uint16_t)len;
#endif
}

/** Build notices with AVX-512, as the member `build` of struct fcn_notice_kind. */
void fcn_fastcnp_build_avx512(const struct fcn_fastcnp_kind_conf *conf,
		const struct fcn_notice_order *order, unsigned int n);

#endif /* FASTCNP_VECTORS_H */
