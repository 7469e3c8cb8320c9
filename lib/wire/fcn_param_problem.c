/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <netinet/in.h>

#include "fcn_bth.h"
#include "fcn_cnp_l4.h"
#include "fcn_icmp6.h"
#include "fcn_inet.h"
#include "fcn_ioam.h"
#include "option.h"
#include "fcn_srv6_error.h"
#include "fcn_param_problem.h"
#include "fcn_trimmed_option.h"
#include "fcn_udp.h"

#define PLEN_OFF 4
#define NH_OFF 6
#define SRC_OFF 8
#define DST_OFF 24
#define EXT_MIN_LEN 8

/* Offsets of the options that a notice has. */
struct places {
	uint32_t option;
	uint32_t trimmed; /* 0: it has none */
};

/* Check the option behind option 1, if there is one. */
static bool
parse_trimmed(struct fcn_option_cursor *c, const struct fcn_parse_codes *codes, unsigned int first,
		struct places *where)
{
	enum fcn_wire_error error;
	struct fcn_option opt;

	if (!fcn_option_next(c, &opt, &error))
		return error == FCN_WIRE_OK;
	if (error != FCN_WIRE_OK || first != 1 || opt.type != codes->trimmed ||
			opt.len != FCN_TRIMMED_OPTION_DATA)
		return false;
	where->trimmed = opt.off;
	return !fcn_option_next(c, &opt, &error) && error == FCN_WIRE_OK;
}

/* Read the options of the header at FCN_IP6_LEN, and find their offsets. */
static bool
parse_option(const uint8_t *quote, uint32_t end, const struct fcn_parse_codes *codes,
		struct fcn_refused_notice *out, struct places *where)
{
	struct fcn_option_cursor c = {.data = quote, .next = FCN_IP6_LEN + 2, .end = end};
	enum fcn_wire_error error;
	struct fcn_ioam_trace trace;
	struct fcn_option opt;
	const uint8_t *data;

	if (!fcn_option_next(&c, &opt, &error) || error != FCN_WIRE_OK)
		return false;
	out->option = (uint8_t)fcn_option_fastcnp(&opt, codes);
	if (out->option == 0 || !fcn_option_fastcnp_len_ok(out->option, opt.len) ||
			!parse_trimmed(&c, codes, out->option, where))
		return false;
	out->is_trimmed = where->trimmed != 0;
	data = quote + opt.off + 2;
	memcpy(out->receiver, data + opt.len - 16, 16);
	where->option = opt.off;
	/* Reserved octet, Opt-Type, trace, address. */
	return out->option == 1 || fcn_ioam_trace_parse_type(data[1], data + 2, opt.len - 2 - 16,
						   &trace) == FCN_WIRE_OK;
}

/* Check and read UDP and BTH, FCN_CNP_UDP_LEN bytes. */
static bool
parse_cnp(const uint8_t *quote, const uint8_t *udp, struct fcn_refused_notice *out)
{
	const struct fcn_bth_hdr *bth = (const struct fcn_bth_hdr *)(udp + FCN_CNP_BTH_OFF);

	if (fcn_get_be16(udp + 2) != FCN_ROCE_UDP_PORT || fcn_get_be16(udp + 4) != FCN_CNP_UDP_LEN)
		return false;
	if (bth->opcode != FCN_BTH_OPCODE_CNP || (bth->flags & FCN_BTH_TVER_MASK) != 0 ||
			!(bth->ecn & FCN_BTH_BECN))
		return false;
	if (fcn_get_be16(udp + FCN_UDP_CKSUM_OFF) == 0 ||
			!fcn_udp_checksum_ok(
					quote + SRC_OFF, quote + DST_OFF, 16, udp, FCN_CNP_UDP_LEN))
		return false;
	out->src_port = fcn_get_be16(udp);
	out->p_key = fcn_get_be16(udp + FCN_CNP_P_KEY_OFF);
	out->dest_qp = fcn_bth_dest_qp(bth);
	return true;
}

/* Check and read the quoted packet of len bytes, which claims to be from source. */
static bool
parse_quote(const uint8_t *quote, uint32_t len, const struct fcn_parse_codes *codes,
		const uint8_t source[16], struct fcn_refused_notice *out, struct places *where)
{
	uint32_t ext_end;

	if (len < FCN_IP6_LEN + EXT_MIN_LEN + FCN_CNP_UDP_LEN || quote[0] >> 4 != 6 ||
			quote[NH_OFF] != IPPROTO_DSTOPTS || quote[FCN_IP6_LEN] != IPPROTO_UDP ||
			memcmp(quote + SRC_OFF, source, 16) != 0 ||
			!fcn_ip6_is_station(quote + DST_OFF))
		return false;
	ext_end = FCN_IP6_LEN + (quote[FCN_IP6_LEN + 1] + 1u) * 8;
	if (ext_end + FCN_CNP_UDP_LEN != len ||
			FCN_IP6_LEN + (uint32_t)fcn_get_be16(quote + PLEN_OFF) != len)
		return false;
	if (!parse_option(quote, ext_end, codes, out, where))
		return false;
	memcpy(out->sender, quote + DST_OFF, 16);
	memcpy(out->data_source, out->sender, 16);
	return parse_cnp(quote, quote + ext_end, out);
}

enum fcn_msg_error
fcn_param_problem_check(const uint8_t *ip, uint32_t len, const struct fcn_parse_codes *codes,
		const uint8_t source[16], struct fcn_refused_notice *out)
{
	struct fcn_refused_notice notice = {0};
	enum fcn_msg_error error;
	struct places where = {0};
	struct fcn_icmp6 msg;

	error = fcn_icmp6_parse(ip, len, &msg);
	if (error != FCN_MSG_OK)
		return error;
	if (msg.type != FCN_ICMP6_PARAM_PROBLEM)
		return FCN_MSG_TYPE;
	if (msg.code != FCN_ICMP6_BAD_OPTION)
		return FCN_MSG_CODE;
	if (memcmp(msg.dst, source, 16) != 0)
		return FCN_MSG_DESTINATION;
	if (!parse_quote(ip + msg.quote_off, msg.quote_len, codes, source, &notice, &where))
		return FCN_MSG_QUOTE;
	if (memcmp(msg.src, notice.sender, 16) != 0)
		return FCN_MSG_REPORTER;
	if (msg.param != where.option && (!notice.is_trimmed || msg.param != where.trimmed))
		return FCN_MSG_POINTER;
	*out = notice;
	return FCN_MSG_OK;
}

/* Whether a message about a packet in IPv6 says that its upper layer is not processed. */
static bool
is_about_upper_layer(const struct fcn_icmp6 *msg)
{
	return (msg->code == FCN_ICMP6_BAD_NEXT_HEADER && msg->param == NH_OFF) ||
	       (msg->code == FCN_ICMP6_SR_UPPER_LAYER && msg->param == FCN_IP6_LEN);
}

enum fcn_msg_error
fcn_param_problem_check_endcon(const uint8_t *ip, uint32_t len, const struct fcn_parse_codes *codes,
		const uint8_t source[16], struct fcn_refused_notice *out, uint8_t endcon[16])
{
	struct fcn_refused_notice notice = {0};
	enum fcn_msg_error error;
	struct places where = {0};
	const uint8_t *outer;
	struct fcn_icmp6 msg;

	error = fcn_icmp6_parse(ip, len, &msg);
	if (error != FCN_MSG_OK)
		return error;
	if (msg.type != FCN_ICMP6_PARAM_PROBLEM)
		return FCN_MSG_TYPE;
	if (msg.code != FCN_ICMP6_BAD_NEXT_HEADER && msg.code != FCN_ICMP6_SR_UPPER_LAYER)
		return FCN_MSG_CODE;
	if (memcmp(msg.dst, source, 16) != 0)
		return FCN_MSG_DESTINATION;
	outer = ip + msg.quote_off;
	if (msg.quote_len < FCN_IP6_LEN || outer[0] >> 4 != 6 || outer[NH_OFF] != IPPROTO_IPV6 ||
			FCN_IP6_LEN + (uint32_t)fcn_get_be16(outer + PLEN_OFF) != msg.quote_len ||
			memcmp(outer + SRC_OFF, source, 16) != 0 ||
			!fcn_ip6_is_station(outer + DST_OFF) ||
			!parse_quote(outer + FCN_IP6_LEN, msg.quote_len - FCN_IP6_LEN, codes,
					source, &notice, &where))
		return FCN_MSG_QUOTE;
	if (!is_about_upper_layer(&msg))
		return FCN_MSG_POINTER;
	*out = notice;
	memcpy(endcon, outer + DST_OFF, 16);
	return FCN_MSG_OK;
}
