/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Local SIDs of a configuration. */

#include <errno.h>
#include <string.h>

#include "config_prefix_list.h"
#include "fcn_config.h"

/* What is wrong with the flavor NEXT-CSID; NULL: nothing. */
static const char *
why_no_csid(const struct fcn_config_srv6_sid *sid)
{
	const struct fcn_srv6_csid *csid = &sid->csid;

	if (fcn_srv6_behaviors[sid->behavior].inner != 0)
		return "only end, end.x and end.t can have next-csid";
	if (!fcn_srv6_csid_is_valid(csid->block_bits, csid->node_function_bits))
		return "block and node must have at least 1 bit each, and 127 together";
	if (sid->prefix.len != csid->block_bits + csid->node_function_bits)
		return "the prefix must be as long as block and node together, as what follows "
		       "them is the argument";
	return NULL;
}

/* What is wrong with the station that gets the packets; NULL: nothing. */
static const char *
why_no_via(const struct fcn_config_srv6_sid *sid)
{
	const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[sid->behavior];
	const uint8_t version = row->inner == FCN_SRV6_INNER_IPV4 ? 4 : 6;

	if (sid->via.version != version)
		return version == 6 ? "the packets are IPv6, so the station needs an IPv6 address"
				    : "the packets are IPv4, so the station needs an IPv4 address";
	return fcn_addr_why_no_host(&sid->via) != NULL ? "not the address of a host" : NULL;
}

const char *
fcn_config_srv6_sid_why_not(const struct fcn_config_srv6_sid *sid, const char **key)
{
	const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[sid->behavior];

	*key = "prefix";
	if (sid->prefix.addr.version != 6)
		return "a SID is an IPv6 prefix";
	if (fcn_addr_why_no_host(&sid->prefix.addr) != NULL ||
			fcn_addr_is_link_local(&sid->prefix.addr))
		return "a SID must be an address that packets can be routed to";
	if (sid->prefix.len < FCN_SRV6_SID_MIN_BITS)
		return "the prefix of a SID has at least 32 bits";
	if (sid->has_csid && why_no_csid(sid) != NULL) {
		*key = "block";
		return why_no_csid(sid);
	}
	if (row->argument == FCN_SRV6_ARGUMENT_VIA && why_no_via(sid) != NULL) {
		*key = "via";
		return why_no_via(sid);
	}
	return NULL;
}

/* The lowest slot that no SID has. There are fewer SIDs than slots. */
static uint16_t
free_slot(const struct fcn_config *cfg)
{
	bool used[FCN_SRV6_SIDS] = {false};
	uint16_t slot = 0;

	for (size_t i = 0; i < cfg->srv6.sids.n; i++)
		used[cfg->srv6.sids.item[i].slot] = true;
	while (used[slot])
		slot++;
	return slot;
}

int
fcn_config_srv6_sid_add(struct fcn_config *cfg, const struct fcn_config_srv6_sid *sid)
{
	struct fcn_config_srv6_sid s;
	const char *key;
	int rc;

	/* Padding is copied, too: configurations are compared as bytes. */
	memcpy(&s, sid, sizeof(s));
	if (fcn_config_srv6_sid_why_not(&s, &key) != NULL)
		return -EINVAL;
	if (cfg->srv6.sids.n < FCN_SRV6_SIDS)
		s.slot = free_slot(cfg);
	s.serial = cfg->srv6.last_serial + 1;
	rc = FCN_CONFIG_PREFIX_ADD(&cfg->srv6.sids, FCN_SRV6_SIDS, &s);
	if (rc == 0)
		cfg->srv6.last_serial = s.serial;
	return rc;
}

int
fcn_config_srv6_sid_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	return FCN_CONFIG_PREFIX_REMOVE(&cfg->srv6.sids, prefix);
}
