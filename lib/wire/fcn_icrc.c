/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <netinet/in.h>

#include <rte_common.h>

#include "fcn_bth.h"
#include "fcn_icrc.h"

#define IPV6_LEN 40
#define IPV6_PLEN_OFF 4
#define IPV6_ALTERED_LEN 3 /* Payload Length and Next Header */
#define UDP_LEN 8
#define UDP_LEN_OFF 4
#define UDP_CKSUM_OFF 6
#define BTH_LEN 12
#define L4_HDR_LEN (UDP_LEN + BTH_LEN)
#define LRH_LEN 8 /* octets of ones in place of InfiniBand's local route header */

/*
 * Packets up to this length are copied and their CRC computed in one call; a packet of the largest
 * RoCEv2 MTU fits.
 */
#define COPY_MAX 4608

#define CRC32_POLY 0xEDB88320u /* reflected: x^0 is the most significant bit */

/* The CRC register after one more zero bit, and after four. */
#define CRC32_BIT(r) ((r) >> 1 ^ ((r)&1 ? CRC32_POLY : 0))
#define CRC32_NIBBLE(r) CRC32_BIT(CRC32_BIT(CRC32_BIT(CRC32_BIT(r))))

static const uint32_t crc32_nibble[16] = {
		CRC32_NIBBLE(0u),
		CRC32_NIBBLE(1u),
		CRC32_NIBBLE(2u),
		CRC32_NIBBLE(3u),
		CRC32_NIBBLE(4u),
		CRC32_NIBBLE(5u),
		CRC32_NIBBLE(6u),
		CRC32_NIBBLE(7u),
		CRC32_NIBBLE(8u),
		CRC32_NIBBLE(9u),
		CRC32_NIBBLE(10u),
		CRC32_NIBBLE(11u),
		CRC32_NIBBLE(12u),
		CRC32_NIBBLE(13u),
		CRC32_NIBBLE(14u),
		CRC32_NIBBLE(15u),
};

/* x^8, then each the square of the one before: the factors for 1, 2, 4, ... octets. */
static const uint32_t crc32_octets[] = {
		0x00800000,
		0x00008000,
		0xEDB88320,
		0xB1E6B092,
		0xA06A2517,
		0xED627DAE,
		0x88D14467,
		0xD7BBFE6A,
		0xEC447F11,
		0x8E7EA170,
		0x6427800E,
		0x4D47BAE0,
		0x09FE548F,
		0x83852D0F,
		0x30362F1A,
		0x7B5A9CC3,
};

/*
 * Compute the product of two polynomials modulo that of CRC-32. The function has no branches,
 * because the CPU could not predict them, and handles four bits of a at a time in independent sums.
 */
static uint32_t
crc32_mul(uint32_t a, uint32_t b)
{
	uint32_t sum[4] = {0};

	for (unsigned int i = 0; i < 8; i++) {
		for (unsigned int j = 0; j < 4; j++)
			sum[j] ^= b & -(a >> (31 - j) & 1);
		a <<= 4;
		b = b >> 4 ^ crc32_nibble[b & 15];
	}
	sum[2] ^= CRC32_BIT(sum[3]);
	sum[1] ^= CRC32_BIT(sum[2]);
	return sum[0] ^ CRC32_BIT(sum[1]);
}

uint32_t
fcn_crc32_shift(uint32_t difference, uint32_t n)
{
	uint32_t power = 0;

	for (unsigned int i = 0; n != 0; n >>= 1, i++) {
		power = i < RTE_DIM(crc32_octets) ? crc32_octets[i] : crc32_mul(power, power);
		if (n & 1)
			difference = crc32_mul(difference, power);
	}
	return difference;
}

uint32_t
fcn_crc32_update(uint32_t reg, const uint8_t *data, uint32_t len)
{
	while (len-- > 0) {
		reg ^= *data++;
		reg = reg >> 4 ^ crc32_nibble[reg & 15];
		reg = reg >> 4 ^ crc32_nibble[reg & 15];
	}
	return reg;
}

/* Compute the CRC of data that follows other octets. @param head CRC of those other octets */
static uint32_t
crc32_append(const struct fcn_crc32 *crc, uint32_t head, const uint8_t *data, uint32_t len)
{
	return len == 0 ? head : fcn_crc32_shift(head, len) ^ fcn_crc32(crc, data, len);
}

/* Write the masked IP header. Returns its length, for IPv6 without extension headers. */
static uint32_t
masked_ip(uint8_t *out, const uint8_t *ip, uint32_t l4, const uint8_t *udp, enum fcn_icrc_mode mode)
{
	if (ip[0] >> 4 == 4) {
		memcpy(out, ip, l4);
		out[1] = 0xFF;
		out[8] = 0xFF;
		out[10] = 0xFF;
		out[11] = 0xFF;
		return l4;
	}
	memcpy(out, ip, IPV6_LEN);
	out[0] |= 0x0F;
	memset(out + 1, 0xFF, 3);
	if (mode == FCN_ICRC_NORM) {
		memcpy(out + 4, udp + 4, 2);
		out[6] = IPPROTO_UDP;
	}
	out[7] = 0xFF;
	return IPV6_LEN;
}

static void
masked_l4(uint8_t *out, const uint8_t *udp)
{
	memcpy(out, udp, L4_HDR_LEN);
	out[6] = 0xFF;
	out[7] = 0xFF;
	out[UDP_LEN + 4] = 0xFF;
}

uint32_t
fcn_icrc(const struct fcn_crc32 *crc, const uint8_t *ip, uint32_t l4, uint32_t len,
		enum fcn_icrc_mode mode)
{
	const uint8_t *udp = ip + l4, *rest = udp + L4_HDR_LEN;
	uint32_t rest_len = len - l4 - L4_HDR_LEN - FCN_ICRC_LEN, n, ext_len = 0, sum;
	uint8_t buf[COPY_MAX];

	memset(buf, 0xFF, LRH_LEN);
	n = LRH_LEN + masked_ip(buf + LRH_LEN, ip, l4, udp, mode);
	if (mode == FCN_ICRC_COVER && ip[0] >> 4 != 4)
		ext_len = l4 - IPV6_LEN;

	if (n + ext_len + L4_HDR_LEN + rest_len <= sizeof(buf)) {
		memcpy(buf + n, ip + IPV6_LEN, ext_len);
		n += ext_len;
		masked_l4(buf + n, udp);
		n += L4_HDR_LEN;
		memcpy(buf + n, rest, rest_len);
		return fcn_crc32(crc, buf, n + rest_len);
	}
	sum = fcn_crc32(crc, buf, n);
	sum = crc32_append(crc, sum, ip + IPV6_LEN, ext_len);
	masked_l4(buf, udp);
	sum = crc32_append(crc, sum, buf, L4_HDR_LEN);
	return crc32_append(crc, sum, rest, rest_len);
}

bool
fcn_icrc_ok(const struct fcn_crc32 *crc, const uint8_t *ip, uint32_t l4, uint32_t len,
		enum fcn_icrc_mode mode)
{
	const uint8_t *end = ip + len;
	uint32_t wire = (uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 |
			(uint32_t)end[-1] << 24;

	if (mode != FCN_ICRC_ANY)
		return fcn_icrc(crc, ip, l4, len, mode) == wire;
	return fcn_icrc(crc, ip, l4, len, FCN_ICRC_SKIP) == wire ||
	       fcn_icrc(crc, ip, l4, len, FCN_ICRC_NORM) == wire ||
	       fcn_icrc(crc, ip, l4, len, FCN_ICRC_COVER) == wire;
}

uint32_t
fcn_icrc_headers_register(const uint8_t *ip, uint32_t l4, enum fcn_icrc_mode mode)
{
	uint8_t base[IPV6_LEN];
	uint32_t reg;

	switch (mode) {
	case FCN_ICRC_SKIP:
		/*
		 * The register may start from 0: no length changes, so the octets in front make no
		 * difference.
		 */
		return fcn_crc32_update(0, ip + IPV6_PLEN_OFF, IPV6_ALTERED_LEN);
	case FCN_ICRC_COVER:
		masked_ip(base, ip, l4, ip + l4, mode);
		reg = fcn_crc32_update(FCN_ICRC_REGISTER, base, sizeof(base));
		return fcn_crc32_update(reg, ip + IPV6_LEN, l4 - IPV6_LEN);
	case FCN_ICRC_NORM:
	case FCN_ICRC_ANY:
	default:
		return 0;
	}
}

/* Update the checksum (RFC 1624). The ICRC may be at an odd offset in the datagram. */
static void
correct_checksum(uint8_t *udp, const uint8_t *before, const uint8_t *now, bool odd)
{
	uint32_t sum = (uint32_t)(udp[UDP_CKSUM_OFF] << 8 | udp[UDP_CKSUM_OFF + 1]);

	if (sum == 0)
		return;
	sum = ~sum & 0xFFFF;
	for (unsigned int i = 0; i < FCN_ICRC_LEN; i++) {
		unsigned int bits = (i + odd) % 2 == 0 ? 8 : 0;

		sum += (uint32_t)now[i] << bits;
		sum += (uint32_t)(uint8_t)~before[i] << bits;
	}
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = ~sum & 0xFFFF;
	if (sum == 0)
		sum = 0xFFFF;
	udp[UDP_CKSUM_OFF] = (uint8_t)(sum >> 8);
	udp[UDP_CKSUM_OFF + 1] = (uint8_t)sum;
}

void
fcn_icrc_correct(uint8_t *udp, uint8_t *icrc, enum fcn_icrc_mode mode, uint32_t difference)
{
	uint32_t udp_len = (uint32_t)(udp[UDP_LEN_OFF] << 8 | udp[UDP_LEN_OFF + 1]);
	uint32_t behind = udp_len - FCN_ICRC_LEN;
	uint8_t before[FCN_ICRC_LEN];

	if (difference == 0)
		return;
	memcpy(before, icrc, sizeof(before));
	if (mode == FCN_ICRC_SKIP)
		behind += IPV6_LEN - IPV6_PLEN_OFF - IPV6_ALTERED_LEN;
	difference = fcn_crc32_shift(difference, behind);
	for (unsigned int i = 0; i < FCN_ICRC_LEN; i++)
		icrc[i] ^= (uint8_t)(difference >> 8 * i);
	correct_checksum(udp, before, icrc, udp_len % 2 != 0);
}
