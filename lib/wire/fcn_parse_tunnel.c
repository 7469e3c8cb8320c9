/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_atomic.h>

#include "fcn_parse_tunnel.h"
#include "fcn_srh.h"

#define IP_OFF ((uint32_t)sizeof(struct rte_ether_hdr))
#define IP6_LEN ((uint32_t)sizeof(struct rte_ipv6_hdr))
#define UDP_LEN ((uint32_t)sizeof(struct rte_udp_hdr))
#define BTH_LEN ((uint32_t)sizeof(struct fcn_bth_hdr))
#define MIN_PLEN (UDP_LEN + BTH_LEN + FCN_ICRC_LEN)
#define HEADERS_LEN (IP6_LEN + UDP_LEN + BTH_LEN) /* of the inner packet */

/* Read four octets in network byte order. It is inlined wherever it is called. */
static __rte_always_inline uint32_t
load(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return rte_be_to_cpu_32(v);
}

/* What differs between frames. */
struct found {
	uint32_t flags, inner_off, plen, word0, word1;
	const uint8_t *udp, *bth;
};

#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
/*
 * Write 8 octets. The compiler would join stores by way of the stack, where a load of what was just
 * stored in two parts waits for both.
 */
static __rte_always_inline void
put(struct fcn_wire_info *info, unsigned int word, uint64_t value)
{
	memcpy((uint8_t *)info + sizeof(value) * word, &value, sizeof(value));
	rte_compiler_barrier();
}

/* Write all fields by five stores, each of which holds several fields. */
static __rte_always_inline void
write_info(struct fcn_wire_info *info, const struct found *f)
{
	const uint64_t inner_off = f->inner_off;

	_Static_assert(sizeof(*info) == 40 && offsetof(struct fcn_wire_info, ether_type) == 6 &&
					offsetof(struct fcn_wire_info, l3_off) == 10 &&
					offsetof(struct fcn_wire_info, l4_off) == 16 &&
					offsetof(struct fcn_wire_info, p_key) == 24 &&
					offsetof(struct fcn_wire_info, opcode) == 32,
			"fields are where they are written");
	put(info, 0, f->flags | (uint64_t)RTE_ETHER_TYPE_IPV6 << 48);
	put(info, 1, IP_OFF << 16 | inner_off << 32 | (uint64_t)(IP6_LEN + f->plen) << 48);
	put(info, 2,
			(inner_off + IP6_LEN) |
					(inner_off + offsetof(struct rte_ipv6_hdr, dst_addr))
							<< 16 |
					(uint64_t)(load(f->udp) >> 16) << 32 |
					(uint64_t)FCN_ROCE_UDP_PORT << 48);
	put(info, 3, (load(f->bth) & 0xFFFF) | (uint64_t)(load(f->bth + 4) & 0xFFFFFF) << 32);
	put(info, 4,
			f->bth[0] | IPPROTO_UDP << 8 | (f->word0 >> 4 & 0xFF0000) |
					(uint32_t)(f->word1 << 24));
}
#else
static inline void
write_info(struct fcn_wire_info *info, const struct found *f)
{
	*info = (struct fcn_wire_info){
			.flags = f->flags,
			.error = FCN_WIRE_OK,
			.ether_type = RTE_ETHER_TYPE_IPV6,
			.l3_off = IP_OFF,
			.inner_l3_off = f->inner_off,
			.l4_off = f->inner_off + IP6_LEN,
			.ip_len = IP6_LEN + f->plen,
			.final_dst_off = f->inner_off + offsetof(struct rte_ipv6_hdr, dst_addr),
			.src_port = load(f->udp) >> 16,
			.dst_port = FCN_ROCE_UDP_PORT,
			.p_key = load(f->bth),
			.dest_qp = load(f->bth + 4) & 0xFFFFFF,
			.opcode = f->bth[0],
			.proto = IPPROTO_UDP,
			.tclass = f->word0 >> 20,
			.ttl = f->word1,
	};
}
#endif

/*
 * Read the Segment Routing Header behind the IPv6 header, whose list has to be valid, without TLVs.
 *
 * @return its length, and in *flags whether segments are left; 0: the frame is for the slow path
 */
static __rte_always_inline uint32_t
read_srh(const uint8_t *srh, uint32_t *flags)
{
	const uint32_t units = srh[FCN_SRH_LENGTH_OFF], last = srh[FCN_SRH_LAST_ENTRY_OFF];
	const uint32_t left = srh[FCN_SRH_SEGMENTS_LEFT_OFF];

	if (unlikely(srh[FCN_SRH_TYPE_OFF] != FCN_SRH_ROUTING_TYPE || units != 2 * (last + 1) ||
			    left > last + 1 || srh[FCN_SRH_NEXT_HEADER_OFF] != IPPROTO_IPV6))
		return 0;
	*flags |= left > 0 ? FCN_PKT_SRH : 0;
	return 8 * (units + 1);
}

bool
fcn_parse_tunnel_headers(
		const uint8_t *data, uint32_t seg_len, uint32_t pkt_len, struct fcn_wire_info *info)
{
	struct found f = {.flags = FCN_PKT_IPV6 | FCN_PKT_TUNNEL | FCN_PKT_UDP | FCN_PKT_ROCE |
				   FCN_PKT_ROCE_PORT,
			.inner_off = IP_OFF + IP6_LEN};
	const uint8_t *ip = data + IP_OFF, *inner;
	uint32_t in1, in_plen, srh_len;

	if (unlikely(((const struct rte_ether_hdr *)data)->ether_type !=
			    RTE_BE16(RTE_ETHER_TYPE_IPV6)))
		return false;
	f.word0 = load(ip);
	f.word1 = load(ip + 4);
	f.plen = f.word1 >> 16;
	if ((f.word1 >> 8 & 0xFF) == IPPROTO_ROUTING) {
		srh_len = read_srh(ip + IP6_LEN, &f.flags);
		f.inner_off += srh_len;
		if (unlikely(srh_len == 0 || seg_len < f.inner_off + HEADERS_LEN ||
				    f.inner_off + IP6_LEN > FCN_PARSE_MAX_HEADERS - HEADERS_LEN))
			return false;
	}
	inner = data + f.inner_off;
	f.udp = inner + IP6_LEN;
	f.bth = f.udp + UDP_LEN;
	in1 = load(inner + 4);
	in_plen = in1 >> 16;
	/* The inner packet fills the outer one. As in fcn_parse_fast(), it is no CNP. */
	if (unlikely(f.word0 >> 28 != 6 || inner[0] >> 4 != 6 || (in1 >> 8 & 0xFF) != IPPROTO_UDP ||
			    f.inner_off + in_plen != IP_OFF + f.plen || in_plen < MIN_PLEN ||
			    pkt_len < IP_OFF + IP6_LEN + f.plen || IP6_LEN + f.plen > UINT16_MAX ||
			    load(f.udp + offsetof(struct rte_udp_hdr, dst_port)) !=
					    (FCN_ROCE_UDP_PORT << 16 | in_plen) ||
			    (f.bth[1] & FCN_BTH_TVER_MASK) != 0 || f.bth[0] == FCN_BTH_OPCODE_CNP))
		return false;
	write_info(info, &f);
	return true;
}
