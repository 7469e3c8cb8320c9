/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>
#include <string.h>

#include "fcn_arn.h"
#include "fcn_inet.h"
#include "fcn_names.h"
#include "fcn_udp.h"

#define TYPE_OFF 0
#define VERSION_OFF 1 /* in the high 4 bits */
#define LEVEL_OFF 2
#define PARAMETERS_OFF 3

#define IP6_PLEN_OFF 4
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24
#define UDP_LEN 8
#define UDP_LENGTH_OFF 4
#define UDP_CKSUM_OFF 6

FCN_NAME_FUNCTION(fcn_arn_error_name, enum fcn_arn_error, "ok", FCN_ARN_REFUSALS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_arn_error_text, enum fcn_arn_error, "valid", FCN_ARN_REFUSALS(FCN_ITEM_TEXT))
FCN_NAME_FUNCTION(fcn_arn_mode_name, enum fcn_arn_mode, FCN_ARN_MODES(FCN_ITEM_WORD))

uint8_t
fcn_arn_mode_parameters(enum fcn_arn_mode mode)
{
#define PARAMETERS(sym, name, set) set,
	static const uint8_t parameters[] = {FCN_ARN_MODES(PARAMETERS)};

	return (unsigned int)mode < FCN_ARN_MODE_COUNT ? parameters[mode] : 0;
}

enum fcn_arn_mode
fcn_arn_mode_of_flow(const struct fcn_flow_descriptor *flow)
{
	const bool tunnel = flow->proto == IPPROTO_IPV6 || flow->proto == IPPROTO_IPIP;

	return tunnel && flow->src_port == 0 && flow->dst_port == 0 ? FCN_ARN_MODE_SERVICE
								    : FCN_ARN_MODE_FLOW;
}

enum fcn_arn_mode
fcn_arn_mode_of(const struct fcn_arn *arn)
{
	if (arn->parameters & FCN_ARN_FLOW)
		return fcn_arn_mode_of_flow(&arn->flow);
	return arn->parameters & FCN_ARN_PRIORITY ? FCN_ARN_MODE_PRIORITY : FCN_ARN_MODE_FLOW;
}

enum fcn_arn_error
fcn_arn_check_parameters(const struct fcn_arn *arn)
{
	if (!(arn->parameters & (FCN_ARN_FLOW | FCN_ARN_PRIORITY)))
		return FCN_ARN_BAD_NO_FLOW;
	if (!(arn->parameters & FCN_ARN_TIME) && arn->type == FCN_ARN_CONGESTION)
		return FCN_ARN_BAD_NO_TIME;
	return FCN_ARN_OK;
}

void
fcn_arn_service(const uint8_t src[16], const uint8_t last[16], struct fcn_flow_descriptor *flow)
{
	*flow = (struct fcn_flow_descriptor){.version = 6, .proto = IPPROTO_IPV6};
	memcpy(flow->src, src, 16);
	memcpy(flow->dst, last, 16);
}

static enum fcn_arn_error
read_flow(const uint8_t **p, const uint8_t *end, struct fcn_flow_descriptor *flow)
{
	uint32_t len;

	if (*p == end)
		return FCN_ARN_BAD_TRUNCATED;
	len = fcn_flow_descriptor_len(**p);
	if (len == 0)
		return FCN_ARN_BAD_FLOW;
	if ((uint32_t)(end - *p) < len)
		return FCN_ARN_BAD_TRUNCATED;
	fcn_flow_descriptor_read(*p, flow);
	flow->level = 0;
	*p += len;
	return FCN_ARN_OK;
}

static enum fcn_arn_error
read_word(const uint8_t **p, const uint8_t *end, uint32_t *word)
{
	if (end - *p < 4)
		return FCN_ARN_BAD_TRUNCATED;
	*word = fcn_get_be32(*p);
	*p += 4;
	return FCN_ARN_OK;
}

static enum fcn_arn_error
read_parameters(const uint8_t *p, const uint8_t *end, struct fcn_arn *arn)
{
	enum fcn_arn_error error = FCN_ARN_OK;
	uint32_t priority = 0;

	if (arn->parameters & FCN_ARN_FLOW)
		error = read_flow(&p, end, &arn->flow);
	if (error == FCN_ARN_OK && arn->parameters & FCN_ARN_PATH)
		error = read_word(&p, end, &arn->path_id);
	if (error == FCN_ARN_OK && arn->parameters & FCN_ARN_PRIORITY)
		error = read_word(&p, end, &priority);
	if (error == FCN_ARN_OK && arn->parameters & FCN_ARN_TIME)
		error = read_word(&p, end, &arn->time_us);
	if (error != FCN_ARN_OK)
		return error;
	if (priority > FCN_ARN_MAX_PRIORITY)
		return FCN_ARN_BAD_PRIORITY;
	arn->priority = (uint8_t)priority;
	return p == end ? FCN_ARN_OK : FCN_ARN_BAD_LENGTH;
}

enum fcn_arn_error
fcn_arn_read(const uint8_t *data, uint32_t len, struct fcn_arn *arn)
{
	struct fcn_arn out = {0};
	enum fcn_arn_error error;

	if (len < FCN_ARN_HEADER_LEN)
		return FCN_ARN_BAD_TRUNCATED;
	if (data[VERSION_OFF] >> 4 != FCN_ARN_VERSION)
		return FCN_ARN_BAD_VERSION;
	out.type = data[TYPE_OFF];
	out.level = data[LEVEL_OFF];
	out.parameters = data[PARAMETERS_OFF];
	if (out.type != FCN_ARN_CONGESTION && out.type != FCN_ARN_ENDED)
		return FCN_ARN_BAD_TYPE;
	if (out.level > FCN_ARN_MAX_LEVEL)
		return FCN_ARN_BAD_LEVEL;
	/* The length of an unknown parameter is not known, so what follows it cannot be read. */
	if (out.parameters & ~FCN_ARN_KNOWN)
		return FCN_ARN_BAD_UNKNOWN_PARAMETER;
	error = read_parameters(data + FCN_ARN_HEADER_LEN, data + len, &out);
	if (error == FCN_ARN_OK)
		*arn = out;
	return error;
}

enum fcn_arn_error
fcn_arn_parse(const uint8_t *ip, uint32_t udp_off, uint32_t len, struct fcn_arn *arn)
{
	const uint8_t *udp = ip + udp_off;
	uint32_t end, udp_len;

	if (len < udp_off || len - udp_off < UDP_LEN)
		return FCN_ARN_BAD_UDP_LENGTH;
	end = FCN_IP6_LEN + (uint32_t)fcn_get_be16(ip + IP6_PLEN_OFF);
	udp_len = fcn_get_be16(udp + UDP_LENGTH_OFF);
	if (end > len || udp_len < UDP_LEN || udp_off + udp_len != end)
		return FCN_ARN_BAD_UDP_LENGTH;
	if (fcn_get_be16(udp + UDP_CKSUM_OFF) == 0 ||
			!fcn_udp_checksum_ok(ip + IP6_SRC_OFF, ip + IP6_DST_OFF, 16, udp, udp_len))
		return FCN_ARN_BAD_UDP_CHECKSUM;
	return fcn_arn_read(udp + UDP_LEN, udp_len - UDP_LEN, arn);
}

static bool
is_valid(const struct fcn_arn *arn)
{
	if (arn->type != FCN_ARN_CONGESTION && arn->type != FCN_ARN_ENDED)
		return false;
	if (arn->level > FCN_ARN_MAX_LEVEL || arn->parameters & ~FCN_ARN_KNOWN)
		return false;
	if (arn->parameters & FCN_ARN_PRIORITY && arn->priority > FCN_ARN_MAX_PRIORITY)
		return false;
	return !(arn->parameters & FCN_ARN_FLOW) || arn->flow.version == 4 ||
	       arn->flow.version == 6;
}

static uint32_t
message_len(const struct fcn_arn *arn)
{
	uint32_t len = FCN_ARN_HEADER_LEN;

	if (arn->parameters & FCN_ARN_FLOW)
		len += arn->flow.version == 4 ? FCN_FLOW_DESCRIPTOR_LEN4 : FCN_FLOW_DESCRIPTOR_LEN6;
	return len + 4 * (uint32_t)__builtin_popcount(arn->parameters & ~FCN_ARN_FLOW);
}

uint32_t
fcn_arn_write(const struct fcn_arn *arn, uint8_t *buf, uint32_t room)
{
	uint8_t *p = buf + FCN_ARN_HEADER_LEN;
	struct fcn_flow_descriptor flow;

	if (!is_valid(arn) || room < message_len(arn))
		return 0;
	buf[TYPE_OFF] = arn->type;
	buf[VERSION_OFF] = FCN_ARN_VERSION << 4;
	buf[LEVEL_OFF] = arn->level;
	buf[PARAMETERS_OFF] = arn->parameters;
	if (arn->parameters & FCN_ARN_FLOW) {
		flow = arn->flow;
		flow.level = 0;
		p += fcn_flow_descriptor_write(&flow, p);
	}
	if (arn->parameters & FCN_ARN_PATH) {
		fcn_put_be32(p, arn->path_id);
		p += 4;
	}
	if (arn->parameters & FCN_ARN_PRIORITY) {
		fcn_put_be32(p, arn->priority);
		p += 4;
	}
	if (arn->parameters & FCN_ARN_TIME) {
		fcn_put_be32(p, arn->time_us);
		p += 4;
	}
	return (uint32_t)(p - buf);
}

uint32_t
fcn_arn_build(const struct fcn_arn *arn, const uint8_t src[16], const uint8_t dst[16],
		uint16_t port, uint8_t *buf, uint32_t room)
{
	uint8_t *udp = buf + FCN_IP6_LEN;
	uint32_t len;
	uint16_t sum;

	if (room < FCN_IP6_LEN + UDP_LEN)
		return 0;
	len = fcn_arn_write(arn, udp + UDP_LEN, room - FCN_IP6_LEN - UDP_LEN);
	if (len == 0)
		return 0;
	len += UDP_LEN;
	fcn_put_be32(buf, 6u << 28 | FCN_CONTROL_TCLASS << 20);
	fcn_put_be16(buf + IP6_PLEN_OFF, (uint16_t)len);
	buf[6] = IPPROTO_UDP;
	buf[7] = FCN_ARN_HOP_LIMIT;
	memcpy(buf + IP6_SRC_OFF, src, 16);
	memcpy(buf + IP6_DST_OFF, dst, 16);
	fcn_put_be16(udp, port);
	fcn_put_be16(udp + 2, port);
	fcn_put_be16(udp + UDP_LENGTH_OFF, (uint16_t)len);
	fcn_put_be16(udp + UDP_CKSUM_OFF, 0);
	sum = fcn_udp_checksum(src, dst, 16, udp, len);
	memcpy(udp + UDP_CKSUM_OFF, &sum, sizeof(sum));
	return FCN_IP6_LEN + len;
}
