/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "test_case.h"

#include "message.h"

#define EMPTY 0xEE

static void
put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

uint16_t
msg_sum(const uint8_t *p, uint32_t len, uint32_t sum)
{
	for (uint32_t i = 0; i < len; i++) {
		sum += i % 2 == 0 ? p[i] << 8 : p[i];
		if (sum > 0xFFFF)
			sum -= 0xFFFF;
	}
	return (uint16_t)sum;
}

uint16_t
msg_sum6(const uint8_t *ip, uint32_t icmp_off, uint32_t len)
{
	uint32_t sum = msg_sum(ip + 8, 32, 58);

	len -= icmp_off;
	sum += len >> 16;
	sum += len & 0xFFFF;
	while (sum > 0xFFFF)
		sum -= 0xFFFF;
	return msg_sum(ip + icmp_off, len, sum);
}

void
msg_finish6(uint8_t *ip, uint32_t icmp_off, uint32_t len)
{
	put16(ip + 4, len - 40);
	if (len < icmp_off + 4)
		return;
	put16(ip + icmp_off + 2, 0);
	put16(ip + icmp_off + 2, 0xFFFF - msg_sum6(ip, icmp_off, len));
}

void
msg_finish4(uint8_t *ip, uint32_t len)
{
	uint32_t hdr = (ip[0] & 0x0F) * 4;

	put16(ip + 2, len);
	put16(ip + 10, 0);
	put16(ip + 10, 0xFFFF - msg_sum(ip, hdr, 0));
	if (len < hdr + 4)
		return;
	put16(ip + hdr + 2, 0);
	put16(ip + hdr + 2, 0xFFFF - msg_sum(ip + hdr, len - hdr, 0));
}

uint8_t *
msg_room(uint32_t size)
{
	uint8_t *p = malloc(size);

	assert_true(p != NULL || size == 0);
	if (size > 0)
		memset(p, EMPTY, size);
	return p;
}

bool
msg_untouched(const uint8_t *p, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++) {
		if (p[i] != EMPTY)
			return false;
	}
	return true;
}
