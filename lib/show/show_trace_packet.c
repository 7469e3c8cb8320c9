/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the headers of a traced packet say, as far as its first bytes were kept. */

#include <stddef.h>

#include <rte_ether.h>

#include "fcn_bth_opcode.h"
#include "show_private.h"

#define ETHER_HEADERS (2 * RTE_ETHER_ADDR_LEN)

static json_t *
address(const struct fcn_trace_record *r, const struct fcn_wire_info *info, bool source)
{
	struct fcn_addr addr = {.version = info->flags & FCN_PKT_IPV4 ? 4 : 6};
	const unsigned int len = addr.version == 4 ? 4 : 16;
	const unsigned int off = info->l3_off + (addr.version == 4 ? 12u : 8u) + (source ? 0 : len);
	struct rte_ether_addr mac;

	if (info->l3_off == 0 || off + len > r->n_bytes) {
		if (r->n_bytes < ETHER_HEADERS)
			return json_null();
		memcpy(&mac, r->bytes + (source ? RTE_ETHER_ADDR_LEN : 0), sizeof(mac));
		return fcn_show_mac(&mac);
	}
	memcpy(addr.bytes, r->bytes + off, len);
	return fcn_show_addr(&addr);
}

/* The name of a protocol above IP that is not RoCEv2; NULL: it has none here. */
static const char *
upper_name(const struct fcn_wire_info *info)
{
	switch (info->l4_off != 0 ? info->proto : 0) {
	case IPPROTO_UDP:
		return "UDP";
	case IPPROTO_TCP:
		return "TCP";
	case IPPROTO_ICMP:
		return "ICMP";
	case IPPROTO_ICMPV6:
		return "ICMPv6";
	default:
		return NULL;
	}
}

static json_t *
protocol(const struct fcn_wire_info *info)
{
	const char *tunnel = info->flags & FCN_PKT_TUNNEL ? " in a tunnel" : "";
	const char *upper = upper_name(info);

	if (info->flags & FCN_PKT_ROCE)
		return json_sprintf("RoCEv2%s", tunnel);
	if (info->flags & FCN_PKT_TRIMMED)
		return json_sprintf("trimmed RoCEv2%s", tunnel);
	if (upper != NULL && (info->src_port != 0 || info->dst_port != 0))
		return json_sprintf("%s %u > %u%s", upper, info->src_port, info->dst_port, tunnel);
	if (upper != NULL)
		return json_sprintf("%s%s", upper, tunnel);
	if (info->l3_off != 0)
		return json_string(info->flags & FCN_PKT_IPV4 ? "IPv4" : "IPv6");
	if (info->ether_type == RTE_ETHER_TYPE_ARP)
		return json_string("ARP");
	return json_sprintf("EtherType 0x%04x", info->ether_type);
}

static void
set_roce(json_t *o, const struct fcn_trace_record *r, const struct fcn_wire_info *info)
{
	const unsigned int psn = info->l4_off + 8u + offsetof(struct fcn_bth_hdr, psn);
	char name[FCN_BTH_OPCODE_NAME_LEN];

	if (!(info->flags & (FCN_PKT_ROCE | FCN_PKT_TRIMMED))) {
		json_object_set_new(o, "operation", json_null());
		json_object_set_new(o, "qp", json_null());
		json_object_set_new(o, "psn", json_null());
		return;
	}
	fcn_show_set_str(o, "operation", fcn_bth_opcode_name(info->opcode, name, sizeof(name)));
	fcn_show_set(o, "qp", info->dest_qp);
	if (psn + 3 <= r->n_bytes)
		fcn_show_set(o, "psn",
				(uint32_t)r->bytes[psn] << 16 | (uint32_t)r->bytes[psn + 1] << 8 |
						r->bytes[psn + 2]);
	else
		json_object_set_new(o, "psn", json_null());
}

/* The same in a line for people. */
static json_t *
headers(const json_t *o)
{
	const char *source = json_string_value(json_object_get(o, "source"));
	const char *operation = json_string_value(json_object_get(o, "operation"));
	const json_t *psn = json_object_get(o, "psn");
	char sequence[24] = "";

	if (source == NULL)
		return json_string("no header was kept");
	if (json_is_integer(psn))
		snprintf(sequence, sizeof(sequence), ", PSN %u",
				(unsigned int)json_integer_value(psn));
	if (operation != NULL)
		return json_sprintf("%s > %s, %s %s, QP %u%s", source,
				json_string_value(json_object_get(o, "destination")),
				json_string_value(json_object_get(o, "protocol")), operation,
				(unsigned int)json_integer_value(json_object_get(o, "qp")),
				sequence);
	return json_sprintf("%s > %s, %s", source,
			json_string_value(json_object_get(o, "destination")),
			json_string_value(json_object_get(o, "protocol")));
}

const char *const fcn_show_trace_columns[] = {
		"packet", "bytes", "caused_by", "headers_text", "steps", "first_bytes", NULL};

void
fcn_show_trace_packet(const struct fcn_trace_record *r, json_t *o)
{
	struct fcn_wire_info info;

	fcn_parse_slow(r->bytes, r->n_bytes, RTE_MAX(r->len, (uint32_t)r->n_bytes),
			&fcn_parse_default_codes, &info);
	json_object_set_new(o, "source", address(r, &info, true));
	json_object_set_new(o, "destination", address(r, &info, false));
	json_object_set_new(o, "protocol", protocol(&info));
	set_roce(o, r, &info);
	json_object_set_new(o, "headers_text", headers(o));
}
