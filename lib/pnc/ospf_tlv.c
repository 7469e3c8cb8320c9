/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* TLVs of either version, and what they say about prefixes and addresses. */

#include <string.h>

#include "fcn_inet.h"
#include "ospf.h"

bool
ospf_tlv_take(struct ospf_octets *rest, struct ospf_tlv *tlv)
{
	size_t padded;

	if (rest->len < 4)
		return false;
	tlv->type = fcn_get_be16(rest->at);
	tlv->value = (struct ospf_octets){rest->at + 4, fcn_get_be16(rest->at + 2)};
	padded = (tlv->value.len + 3) & ~(size_t)3;
	if (padded > rest->len - 4)
		return false;
	rest->at += 4 + padded;
	rest->len -= 4 + padded;
	return true;
}

static bool
address(struct ospf_octets value, struct fcn_addr *addr)
{
	if (value.len != 4 && value.len != 16)
		return false;
	*addr = (struct fcn_addr){.version = value.len == 4 ? 4 : 6};
	memcpy(addr->bytes, value.at, value.len);
	return true;
}

/* Of a sub-TLV that occurs twice, the first counts. */
bool
ospf_read_attributes(const struct fcn_pnc_ospf_conf *conf, const struct ospf_subs *subs,
		struct ospf_octets rest, struct ospf_attributes *a)
{
	const unsigned int byte = conf->flag_bit / 8, bit = 0x80u >> conf->flag_bit % 8;
	bool has_flags = false;

	*a = (struct ospf_attributes){0};
	while (rest.len != 0) {
		struct ospf_tlv sub;
		struct fcn_addr addr;

		if (!ospf_tlv_take(&rest, &sub))
			return false;
		if (sub.type == conf->flags_sub_tlv) {
			if (sub.value.len == 0 || sub.value.len % 4 != 0)
				return false;
			if (!has_flags)
				a->is_proxied = sub.value.len > byte &&
						(sub.value.at[byte] & bit) != 0;
			has_flags = true;
		} else if (sub.type == subs->source_router) {
			if (sub.value.len != 4)
				return false;
			/* A router ID of 0 is to be ignored (RFC 9084). */
			if (!a->has_router && fcn_get_be32(sub.value.at) != 0) {
				a->has_router = true;
				memcpy(a->router, sub.value.at, 4);
			}
		} else if (sub.type == subs->source_address) {
			if (!address(sub.value, &addr))
				return false;
			if (a->address.version == 0)
				a->address = addr;
		}
	}
	return true;
}

bool
ospf_use_address(struct ospf_reader *r, enum lsdb_source source, struct ospf_octets value)
{
	struct fcn_addr addr;

	if (!address(value, &addr))
		return false;
	lsdb_message_address(r->db, source, &addr);
	return true;
}

void
ospf_use_prefix(struct ospf_reader *r, const struct ospf_lsa *lsa, const struct fcn_prefix *prefix,
		const struct ospf_attributes *a, bool is_own)
{
	struct lsdb_prefix *said = lsdb_message_add(r->db, prefix);
	const uint8_t *router = a->has_router ? a->router : lsa->router;
	struct fcn_addr id = {.version = 4};

	if (said == NULL)
		return;
	lsdb_prefix_name(r->db, said, &a->address);
	said->has_origin = is_own || a->has_router;
	if (!said->has_origin)
		return;
	memcpy(said->origin, router, 4);
	if (!r->conf.router_id_is_address)
		return;
	memcpy(id.bytes, router, 4);
	if (fcn_addr_why_no_host(&id) == NULL)
		said->instead = id;
}
