/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <netinet/in.h>

#include "fcn_cnp_l4.h"
#include "fcn_fastcnp.h"
#include "option.h"
#include "fcn_udp.h"

#define IPV6_LEN 40

static enum fcn_wire_error
parse_option(const uint8_t *data, unsigned int number, const struct fcn_option *opt,
		struct fcn_fastcnp *out)
{
	const uint8_t *p = data + opt->off + 2;
	struct fcn_ioam_trace trace;

	if (out->option != 0)
		return FCN_WIRE_OPTION_DUPLICATE;
	if (!fcn_option_fastcnp_len_ok(number, opt->len))
		return FCN_WIRE_OPTION_LENGTH;
	out->option = (uint8_t)number;
	memcpy(out->receiver, p + opt->len - 16, 16);
	if (number == 1)
		return FCN_WIRE_OK;
	/* Reserved octet, Opt-Type, trace, address. */
	out->trace_type = p[1];
	out->trace = p + 2;
	out->trace_len = opt->len - 2 - 16;
	return fcn_ioam_trace_parse_type(out->trace_type, out->trace, out->trace_len, &trace);
}

/* Find the Fast CNP option in all Destination Options headers between the IPv6 header and UDP. */
static enum fcn_wire_error
find_option(const uint8_t *data, const struct fcn_wire_info *info,
		const struct fcn_parse_codes *codes, struct fcn_fastcnp *out)
{
	uint32_t off = info->inner_l3_off + IPV6_LEN;
	uint8_t proto = data[info->inner_l3_off + 6];

	while (off < info->l4_off) {
		uint32_t end = off + (data[off + 1] + 1) * 8;
		struct fcn_option_cursor c = {.data = data, .next = off + 2, .end = end};
		enum fcn_wire_error error = FCN_WIRE_OK;
		struct fcn_option opt;

		while (proto == IPPROTO_DSTOPTS && fcn_option_next(&c, &opt, &error)) {
			unsigned int number = fcn_option_fastcnp(&opt, codes);

			if (error == FCN_WIRE_OK && number != 0)
				error = parse_option(data, number, &opt, out);
			if (error != FCN_WIRE_OK)
				return error;
		}
		if (error != FCN_WIRE_OK)
			return error;
		proto = data[off];
		off = end;
	}
	return out->option != 0 ? FCN_WIRE_OK : FCN_WIRE_OPTION_MISSING;
}

enum fcn_wire_error
fcn_fastcnp_parse(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode, const uint8_t *data,
		uint32_t len, const struct fcn_wire_info *info, const struct fcn_parse_codes *codes,
		struct fcn_fastcnp *out)
{
	const uint8_t *ip = data + info->inner_l3_off, *udp = data + info->l4_off;
	uint32_t l4 = info->l4_off - info->inner_l3_off;
	enum fcn_wire_error error;

	if (!(info->flags & FCN_PKT_ROCE))
		return info->error != FCN_WIRE_OK ? info->error : FCN_WIRE_NOT_CNP;
	if (info->opcode != FCN_BTH_OPCODE_CNP)
		return FCN_WIRE_NOT_CNP;
	if (info->flags & FCN_PKT_INNER_IPV4)
		return FCN_WIRE_OPTION_MISSING;
	if (len < (uint32_t)info->l4_off + FCN_CNP_UDP_LEN)
		return FCN_WIRE_CNP_LENGTH;

	memset(out, 0, sizeof(*out));
	error = find_option(data, info, codes, out);
	if (error != FCN_WIRE_OK)
		return error;
	if (!fcn_icrc_ok(crc, ip, l4, l4 + FCN_CNP_UDP_LEN, mode))
		return FCN_WIRE_ICRC;
	fcn_cnp_read(data, info, &out->cnp);
	if ((udp[FCN_UDP_CKSUM_OFF] | udp[FCN_UDP_CKSUM_OFF + 1]) == 0)
		return mode == FCN_ICRC_ANY ? FCN_WIRE_OK : FCN_WIRE_UDP_CHECKSUM;
	if (!fcn_udp_checksum_ok(out->cnp.src, out->cnp.dst, 16, udp, FCN_CNP_UDP_LEN))
		return FCN_WIRE_UDP_CHECKSUM;
	return FCN_WIRE_OK;
}
