/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packets in tunnels. */

#include <netinet/in.h>
#include <string.h>

#include <rte_ip.h>
#include <rte_udp.h>

#include "fcn_bth.h"
#include "traffic.h"

#define IP6_LEN 40
#define SRH_LEN (8 + 2 * 16)
#define FASTCNP_LEN (IP6_LEN + 24 + 40)
#define FASTCNP_OPTION 0x9E

/* The SIDs are 2001:db8:5100::<n>, P nodes and PEs in 2001:db8:5f00::/40. */
void
bench_sid_address(unsigned int sid, uint8_t addr[16])
{
	static const uint8_t block[] = {0x20, 0x01, 0x0d, 0xb8, 0x51};

	memset(addr, 0, 16);
	memcpy(addr, block, sizeof(block));
	addr[15] = (uint8_t)sid;
}

void
bench_outer_source(unsigned int port, uint8_t addr[16])
{
	bench_sid_address(0x10 + port, addr);
	addr[4] = 0x5f;
}

static void
put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/* ICRC without extension headers: behind eight octets of ones the headers, with ones where they
 * change. */
static uint32_t
icrc(const uint8_t *ip, const uint8_t *udp)
{
	uint8_t bytes[8 + IP6_LEN + 36];
	uint32_t crc = UINT32_MAX;

	memset(bytes, 0xFF, 8);
	memcpy(bytes + 8, ip, IP6_LEN);
	memcpy(bytes + 8 + IP6_LEN, udp, 36);
	bytes[8] |= 0x0F;
	memset(bytes + 9, 0xFF, 3);
	bytes[8 + 7] = 0xFF;
	memset(bytes + 8 + IP6_LEN + 6, 0xFF, 2);
	bytes[8 + IP6_LEN + 12] = 0xFF;
	for (unsigned int i = 0; i < sizeof(bytes); i++) {
		crc ^= bytes[i];
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
	}
	return ~crc;
}

/* Make the Fast CNP about a data packet, in its place, from a P node. */
static uint32_t
make_fastcnp(uint8_t *ip, unsigned int port)
{
	uint8_t *option = ip + IP6_LEN, *udp = option + 24;
	struct rte_ipv6_hdr pseudo;
	uint16_t source_port;
	uint8_t receiver[16];
	uint32_t crc;

	memcpy(receiver, ip + 24, 16);
	memcpy(&source_port, ip + IP6_LEN, 2);
	memset(option, 0, 64);
	put16(ip, 0x6c00);
	ip[7] = 64;
	bench_outer_source(port, ip + 8);
	ip[6] = IPPROTO_DSTOPTS;
	option[0] = IPPROTO_UDP;
	option[1] = 2;
	option[2] = 1;
	option[3] = 2;
	option[6] = FASTCNP_OPTION;
	option[7] = 16;
	memcpy(option + 8, receiver, 16);
	memcpy(udp, &source_port, 2);
	put16(udp + 2, FCN_ROCE_UDP_PORT);
	put16(udp + 4, 40);
	udp[8] = FCN_BTH_OPCODE_CNP;
	udp[10] = 0xFF;
	udp[11] = 0xFF;
	udp[12] = 0x40;
	put16(ip + 4, 64);
	crc = icrc(ip, udp);
	for (unsigned int i = 0; i < 4; i++)
		udp[36 + i] = (uint8_t)(crc >> 8 * i);
	memcpy(&pseudo, ip, sizeof(pseudo));
	pseudo.payload_len = RTE_BE16(40);
	pseudo.proto = IPPROTO_UDP;
	*(uint16_t *)(void *)(udp + 6) = rte_ipv6_udptcp_cksum(&pseudo, udp);
	return FASTCNP_LEN;
}

uint32_t
bench_wrap_srv6(enum bench_srv6 kind, unsigned int port, uint8_t *frame, uint32_t len)
{
	const uint32_t outer = IP6_LEN + (kind == BENCH_SRV6_END ? SRH_LEN : 0);
	uint8_t *ip = frame + sizeof(struct rte_ether_hdr), *inner = ip + outer,
		*srh = ip + IP6_LEN;
	uint32_t inner_len = len - (uint32_t)sizeof(struct rte_ether_hdr);

	memmove(inner, ip, inner_len);
	memset(ip, 0, outer);
	if (kind == BENCH_SRV6_END_CON)
		inner_len = make_fastcnp(inner, port);
	memcpy(ip, inner, 8); /* traffic class, hop limit */
	put16(ip + 4, (uint16_t)(outer - IP6_LEN + inner_len));
	ip[6] = kind == BENCH_SRV6_END ? IPPROTO_ROUTING : IPPROTO_IPV6;
	bench_outer_source(port, ip + 8);
	if (kind == BENCH_SRV6_P_NODE)
		memcpy(ip + 24, inner + 24, 16);
	else
		bench_sid_address(kind, ip + 24);
	if (kind == BENCH_SRV6_END) {
		srh[0] = IPPROTO_IPV6;
		srh[1] = (SRH_LEN - 8) / 8;
		srh[2] = 4;
		srh[3] = 1;
		srh[4] = 1;
		memcpy(srh + 8, inner + 24, 16);
		bench_sid_address(kind, srh + 24);
	}
	return (uint32_t)sizeof(struct rte_ether_hdr) + outer + inner_len;
}
