/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Answers of ICMP to Congestion Notification Messages: which of them say that a proxy refuses
 * messages. */

#include "fcn_test.h"

#include "fcn_cnm_refused.h"
#include "frame.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define PORT 1021

/* The one's complement sum of bytes, added to a sum. */
static uint32_t
sum_of(uint32_t sum, const uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		sum += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
	while (sum > 0xFFFF)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return sum;
}

/* An ICMP error about a packet, of which `quoted` bytes are quoted, from where it was sent to. */
static uint8_t *
icmp_error(const uint8_t *about, uint32_t quoted, uint8_t type, uint8_t code, uint32_t *len)
{
	const bool v4 = about[0] >> 4 == 4;
	const uint32_t hdr = v4 ? 20 : 40, addr = v4 ? 12 : 8, addr_len = v4 ? 4 : 16;
	uint8_t *ip = calloc(1, hdr + 8 + quoted), *icmp;
	uint32_t sum = 0;

	assert_non_null(ip);
	icmp = ip + hdr;
	*len = hdr + 8 + quoted;
	memcpy(ip + addr, about + addr + addr_len, addr_len);
	memcpy(ip + addr + addr_len, about + addr, addr_len);
	icmp[0] = type;
	icmp[1] = code;
	memcpy(icmp + 8, about, quoted);
	if (v4) {
		ip[0] = 0x45;
		fcn_put_be16(ip + 2, *len);
		ip[8] = 64;
		ip[9] = 1;
		fcn_put_be16(ip + 10, ~sum_of(0, ip, 20));
	} else {
		ip[0] = 0x60;
		fcn_put_be16(ip + 4, 8 + quoted);
		ip[6] = 58;
		ip[7] = 64;
		sum = sum_of(58 + 8 + quoted, ip + 8, 32);
	}
	fcn_put_be16(icmp + 2, ~sum_of(sum, icmp, 8 + quoted));
	return ip;
}

static bool
is_refused(const uint8_t *about, uint32_t quoted, uint8_t type, uint8_t code, uint16_t port,
		struct fcn_refused_notice *out)
{
	uint32_t len;
	uint8_t *ip = icmp_error(about, quoted, type, code, &len);
	bool result = fcn_cnm_is_refused(ip, len, port, &fcn_parse_default_codes, out);

	free(ip);
	return result;
}

/* Port unreachable about each vector, with as much of it as fits, and with less. */
TEST(unreachable)
{
	static const struct {
		uint8_t type, code;
		uint16_t least; /* bytes quoted: up to the BTH of the packet in the message */
		uint8_t proxy_off, flow_version;
	} row[] = {{1, 4, 40 + 8 + 40 + 60, 24, 6}, {1, 4, 40 + 8 + 16 + 40, 24, 4},
			{3, 3, 20 + 8 + 16 + 40, 16, 4}, {1, 4, 40 + 8 + 40 + 60, 24, 6}};
	static const uint8_t prefix[12] = {[10] = 0xFF, 0xFF};
	struct fcn_refused_notice out;
	struct vectors v;

	vectors_load(&v, "14_cnm");
	for (unsigned int i = 0; i < v.n; i++) {
		const uint8_t *cnm = v.data[i] + ETHER_LEN;
		const uint32_t len = RTE_MIN(v.len[i] - ETHER_LEN, 1280u - 48);
		const uint8_t type = row[i].type, code = row[i].code;
		const bool v4 = cnm[0] >> 4 == 4;

		assert_true(is_refused(cnm, len, type, code, PORT, &out));
		assert_memory_equal(v4 ? out.sender + 12 : out.sender, cnm + row[i].proxy_off,
				v4 ? 4 : 16);
		assert_int_equal(memcmp(out.sender, prefix, 12) == 0, v4);
		assert_int_equal(
				memcmp(out.data_source, prefix, 12) == 0, row[i].flow_version == 4);
		assert_int_equal(memcmp(out.receiver, prefix, 12) == 0, row[i].flow_version == 4);
		assert_int_equal(out.dest_qp, 0x0001a7);
		assert_true(is_refused(cnm, row[i].least, type, code, PORT, &out));
		for (uint32_t n = 0; n < row[i].least; n++)
			assert_false(is_refused(cnm, n, type, code, PORT, &out));
		assert_false(is_refused(cnm, len, type, code, PORT + 1, &out));
		assert_false(is_refused(cnm, len, type, code, 0, &out));
		assert_false(is_refused(cnm, len, type, code - 1, PORT, &out));
		assert_false(is_refused(cnm, len, type + 1, code, PORT, &out));
	}
	vectors_free(&v);
}

/* A message that another node sent about, or that was sent to another node. */
TEST(unreachable_others)
{
	struct fcn_refused_notice out;
	struct vectors v;
	uint32_t len;
	uint8_t *ip;

	vectors_load(&v, "14_cnm");
	ip = icmp_error(v.data[2] + ETHER_LEN, v.len[2] - ETHER_LEN, 3, 3, &len);
	assert_true(fcn_cnm_is_refused(ip, len, PORT, &fcn_parse_default_codes, &out));
	ip[15]++;
	fcn_put_be16(ip + 10, 0);
	fcn_put_be16(ip + 10, ~sum_of(0, ip, 20));
	assert_false(fcn_cnm_is_refused(ip, len, PORT, &fcn_parse_default_codes, &out));
	ip[15]--;
	ip[19]++;
	fcn_put_be16(ip + 10, 0);
	fcn_put_be16(ip + 10, ~sum_of(0, ip, 20));
	assert_false(fcn_cnm_is_refused(ip, len, PORT, &fcn_parse_default_codes, &out));
	free(ip);
	vectors_free(&v);
}
