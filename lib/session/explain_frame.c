/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A frame that is made of fields, or read as hexadecimal digits. */

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include <netinet/in.h>

#include "explain_private.h"
#include "fcn_bth.h"
#include "fcn_icrc.h"

#define PAYLOAD 1024 /* octets that a packet has unless a length is given */
#define UDP_LEN 8u
#define BTH_LEN ((uint32_t)sizeof(struct fcn_bth_hdr))
#define OPCODE_SEND_ONLY 0x04 /* of a reliable connection */
#define BTH_MIG_REQ 0x40
#define DEFAULT_P_KEY 0xFFFF

static void
put16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

/* Write the headers of the link. @return their length */
static uint32_t
put_ether(uint8_t *to, const struct explain_fields *f)
{
	const uint32_t type = f->src.version == 4 ? RTE_ETHER_TYPE_IPV4 : RTE_ETHER_TYPE_IPV6;

	memcpy(to, &f->to, sizeof(f->to));
	memcpy(to + sizeof(f->to), &f->from, sizeof(f->from));
	if (f->vlan == 0) {
		put16(to + 12, type);
		return 14;
	}
	put16(to + 12, RTE_ETHER_TYPE_VLAN);
	put16(to + 14, f->vlan);
	put16(to + 16, type);
	return 18;
}

/* Write the IP header. @param len bytes behind it @return its length */
static uint32_t
put_ip(uint8_t *to, const struct explain_fields *f, uint32_t len)
{
	const uint8_t tclass = (uint8_t)(f->dscp << 2 | f->ecn);

	if (f->src.version == 6) {
		to[0] = (uint8_t)(0x60 | tclass >> 4);
		to[1] = (uint8_t)(tclass << 4);
		put16(to + 4, len);
		to[6] = IPPROTO_UDP;
		to[7] = f->hop_limit;
		memcpy(to + 8, f->src.bytes, 16);
		memcpy(to + 24, f->dst.bytes, 16);
		return 40;
	}
	to[0] = 0x45;
	to[1] = tclass;
	put16(to + 2, 20 + len);
	to[6] = 0x40; /* don't fragment */
	to[8] = f->hop_limit;
	to[9] = IPPROTO_UDP;
	memcpy(to + 12, f->src.bytes, 4);
	memcpy(to + 16, f->dst.bytes, 4);
	put16(to + 10, rte_be_to_cpu_16((uint16_t)~rte_raw_cksum(to, 20)));
	return 20;
}

/* Write UDP and BTH. The datagram has no checksum, as adapters send it. */
static void
put_roce(uint8_t *to, const struct explain_fields *f, uint32_t len)
{
	struct fcn_bth_hdr bth = {
			.opcode = OPCODE_SEND_ONLY,
			.flags = BTH_MIG_REQ,
			.p_key = rte_cpu_to_be_16(DEFAULT_P_KEY),
			.dest_qp = {(uint8_t)(f->qp >> 16), (uint8_t)(f->qp >> 8), (uint8_t)f->qp},
	};

	put16(to, f->source_port);
	put16(to + 2, FCN_ROCE_UDP_PORT);
	put16(to + 4, len);
	memcpy(to + UDP_LEN, &bth, sizeof(bth));
}

int
explain_frame_make(const struct explain_fields *f, struct explain_frame *frame)
{
	const uint32_t ether = f->vlan != 0 ? 18 : 14, ip = f->src.version == 4 ? 20 : 40;
	const uint32_t headers = ether + ip + UDP_LEN + BTH_LEN + FCN_ICRC_LEN;
	const uint32_t len = f->len != 0 ? f->len : headers + PAYLOAD;
	uint8_t *to = frame->data;
	struct fcn_crc32 crc;
	uint32_t icrc;

	if (len < headers || len > FCN_DRY_RUN_MAX_LEN)
		return -ERANGE;
	memset(to, 0, len);
	frame->len = len;
	to += put_ether(to, f);
	put_roce(to + ip, f, len - ether - ip);
	put_ip(to, f, len - ether - ip);
	fcn_crc32_init(&crc);
	icrc = rte_cpu_to_le_32(fcn_icrc(&crc, to, ip, len - ether, FCN_ICRC_SKIP));
	fcn_crc32_fini(&crc);
	memcpy(frame->data + len - FCN_ICRC_LEN, &icrc, FCN_ICRC_LEN);
	return 0;
}

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
is_between(char c)
{
	return c == ' ' || c == '\t' || c == ':' || c == '.' || c == '-';
}

int
explain_frame_read(const char *text, uint32_t len, struct explain_frame *frame, size_t *where)
{
	const uint32_t most = len != 0 ? len : FCN_DRY_RUN_MAX_LEN;
	uint32_t n = 0;

	*where = 0;
	if (most > FCN_DRY_RUN_MAX_LEN)
		return -ERANGE;
	memset(frame->data, 0, most);
	for (const char *c = text; *c != '\0';) {
		const int high = digit(c[0]), low = high >= 0 ? digit(c[1]) : -1;

		*where = (size_t)(c - text);
		if (is_between(*c)) {
			c++;
			continue;
		}
		if (low < 0) {
			*where += high >= 0;
			return -EINVAL;
		}
		if (n == most)
			return -ERANGE;
		frame->data[n++] = (uint8_t)(high << 4 | low);
		c += 2;
	}
	frame->len = len != 0 ? len : n;
	return n != 0 ? 0 : -EINVAL;
}
