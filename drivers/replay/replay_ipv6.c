/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * IPv4 frames as IPv6 frames: only the IP header is another one (RFC 7915 section 4.1, addresses as
 * in RFC 6052 section 2.1). Checksums and CRCs behind it stay as they are; the switch does not
 * check them.
 */

#include <string.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>

#include "replay_impl.h"

#define TAG_LEN sizeof(struct rte_vlan_hdr)
#define MAX_TAGS 2

static const uint8_t well_known_prefix[12] = {0x00, 0x64, 0xFF, 0x9B};

/* Find the IPv4 header. @return its offset; 0: there is none without options */
static uint32_t
ipv4_at(const uint8_t *data, uint32_t n)
{
	uint32_t at = 2 * RTE_ETHER_ADDR_LEN;

	for (unsigned int tags = 0; at + 2 + sizeof(struct rte_ipv4_hdr) <= n; tags++) {
		const uint16_t type = (uint16_t)(data[at] << 8 | data[at + 1]);

		if (type == RTE_ETHER_TYPE_IPV4)
			return data[at + 2] == RTE_IPV4_VHL_DEF ? at + 2 : 0;
		if ((type != RTE_ETHER_TYPE_VLAN && type != RTE_ETHER_TYPE_QINQ) ||
				tags == MAX_TAGS)
			return 0;
		at += TAG_LEN;
	}
	return 0;
}

uint32_t
replay_ipv6_more(const uint8_t *data, uint32_t n)
{
	const uint32_t at = ipv4_at(data, n);
	struct rte_ipv4_hdr v4;

	if (at == 0)
		return 0;
	memcpy(&v4, data + at, sizeof(v4));
	/* Fragments would need a header of their own. */
	if ((v4.fragment_offset &
			    rte_cpu_to_be_16(RTE_IPV4_HDR_MF_FLAG | RTE_IPV4_HDR_OFFSET_MASK)) != 0)
		return 0;
	return sizeof(struct rte_ipv6_hdr) - sizeof(struct rte_ipv4_hdr);
}

uint32_t
replay_ipv6_head(const uint8_t *data, uint32_t len, uint8_t *head, uint32_t *read)
{
	const uint32_t at = ipv4_at(data, len);
	struct rte_ipv6_hdr v6 = {0};
	uint8_t *source, *destination;
	struct rte_ipv4_hdr v4;

	memcpy(&v4, data + at, sizeof(v4));
	memcpy(head, data, at);
	head[at - 2] = RTE_ETHER_TYPE_IPV6 >> 8;
	head[at - 1] = RTE_ETHER_TYPE_IPV6 & 0xFF;
	v6.vtc_flow = rte_cpu_to_be_32(UINT32_C(6) << 28 | (uint32_t)v4.type_of_service << 20);
	v6.payload_len = rte_cpu_to_be_16(
			RTE_MAX(rte_be_to_cpu_16(v4.total_length), (uint16_t)sizeof(v4)) -
			sizeof(v4));
	v6.proto = v4.next_proto_id;
	v6.hop_limits = v4.time_to_live;
	memcpy(head + at, &v6, sizeof(v6));
	/* The type of the addresses depends on the version of DPDK. */
	source = head + at + offsetof(struct rte_ipv6_hdr, src_addr);
	destination = head + at + offsetof(struct rte_ipv6_hdr, dst_addr);
	memcpy(source, well_known_prefix, sizeof(well_known_prefix));
	memcpy(source + sizeof(well_known_prefix), &v4.src_addr, sizeof(v4.src_addr));
	memcpy(destination, well_known_prefix, sizeof(well_known_prefix));
	memcpy(destination + sizeof(well_known_prefix), &v4.dst_addr, sizeof(v4.dst_addr));
	*read = at + sizeof(v4);
	return at + sizeof(v6);
}
