/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "reference.h"

static uint32_t
crc_byte(uint32_t crc, uint8_t byte)
{
	crc ^= byte;
	for (int i = 0; i < 8; i++)
		crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
	return crc;
}

/* Get the value with which octet i of the packet enters the ICRC; -1 when it does not. */
static int
seen(const uint8_t *ip, uint32_t l4, enum ref_mode mode, uint32_t i)
{
	if (i >= l4)
		return i == l4 + 6 || i == l4 + 7 || i == l4 + 12 ? 0xFF : ip[i];
	if (ip[0] >> 4 == 4)
		return i == 1 || i == 8 || i == 10 || i == 11 ? 0xFF : ip[i];
	if (i >= 40)
		return mode == REF_COVER ? ip[i] : -1;
	if (i == 0)
		return ip[0] | 0x0F;
	if (i <= 3 || i == 7)
		return 0xFF;
	if (mode == REF_NORM && i <= 6)
		return i == 6 ? 17 : ip[l4 + i];
	return ip[i];
}

uint32_t
ref_icrc(const uint8_t *ip, uint32_t l4, uint32_t len, enum ref_mode mode)
{
	uint32_t crc = 0xDEBB20E3; /* after eight octets of ones */

	for (uint32_t i = 0; i < len - 4; i++) {
		int byte = seen(ip, l4, mode, i);

		if (byte >= 0)
			crc = crc_byte(crc, (uint8_t)byte);
	}
	return ~crc;
}

static uint32_t
add16(uint32_t sum, const uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		sum += i % 2 == 0 ? p[i] << 8 : p[i];
	return sum;
}

uint16_t
ref_udp_sum(const uint8_t *src, const uint8_t *dst, uint32_t addr_len, const uint8_t *udp,
		uint32_t len)
{
	uint32_t sum = 17 + len;

	sum = add16(sum, src, addr_len);
	sum = add16(sum, dst, addr_len);
	sum = add16(sum, udp, len);
	while (sum > 0xFFFF)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)sum;
}

static void
put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

void
ref_udp_set_checksum(uint8_t *ip, uint32_t len)
{
	const uint32_t addr_len = ip[0] >> 4 == 4 ? 4 : 16;
	uint8_t *src = ip + (addr_len == 4 ? 12 : 8), *udp = src + 2 * addr_len;
	uint16_t sum;

	put16(udp + 6, 0);
	sum = ref_udp_sum(src, src + addr_len, addr_len, udp, len - (uint32_t)(udp - ip));
	put16(udp + 6, sum == 0xFFFF ? sum : ~sum);
}

void
ref_udp_finish(uint8_t *ip, uint32_t len)
{
	const bool ip4 = ip[0] >> 4 == 4;
	const uint32_t udp = ip4 ? 20 : 40;
	uint32_t sum;

	put16(ip + udp + 4, len - udp);
	if (ip4) {
		put16(ip + 2, len);
		put16(ip + 10, 0);
		sum = add16(0, ip, 20);
		while (sum > 0xFFFF)
			sum = (sum & 0xFFFF) + (sum >> 16);
		put16(ip + 10, ~sum);
	} else {
		put16(ip + 4, len - udp);
	}
	ref_udp_set_checksum(ip, len);
}

void
ref_fastcnp_finish(uint8_t *ip, enum ref_mode mode, bool checksum)
{
	const uint32_t icrc = ref_icrc(ip, 64, 104, mode);
	uint8_t *udp = ip + 64;
	uint16_t sum;

	for (unsigned int i = 0; i < 4; i++)
		udp[36 + i] = (uint8_t)(icrc >> 8 * i);
	put16(udp + 6, 0);
	sum = ref_udp_sum(ip + 8, ip + 24, 16, udp, 40);
	if (checksum)
		put16(udp + 6, sum == 0xFFFF ? sum : ~sum);
}

uint64_t
ref_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

void
ref_random_fill(uint64_t *state, uint8_t *p, uint32_t len)
{
	while (len-- > 0)
		*p++ = (uint8_t)(ref_random(state) >> 32);
}
