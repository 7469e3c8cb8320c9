/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Local SIDs, the access list of END.CON, and END.CON addresses. */

#include <errno.h>

#include "list_table.h"

#define THING struct fcn_config_srv6_sid

/* Each behavior is a form of a SID. The sets of those that have an argument, and flavors. */
#define BIT_OF(sym, condition) | ((condition) ? 1u << FCN_SRV6_##sym : 0)
#define TAKES_VIA(sym, word, code, kind, inner, argument, text) \
	BIT_OF(sym, FCN_SRV6_ARGUMENT_##argument == FCN_SRV6_ARGUMENT_VIA)
#define TAKES_TABLE(sym, word, code, kind, inner, argument, text) \
	BIT_OF(sym, FCN_SRV6_ARGUMENT_##argument == FCN_SRV6_ARGUMENT_TABLE)
#define TAKES_FLAVORS(sym, word, code, kind, inner, argument, text) BIT_OF(sym, (inner) == 0)
#define WITH_VIA .forms = 0 FCN_SRV6_BEHAVIORS(TAKES_VIA)
#define WITH_TABLE .forms = 0 FCN_SRV6_BEHAVIORS(TAKES_TABLE)
#define WITH_FLAVORS .forms = 0 FCN_SRV6_BEHAVIORS(TAKES_FLAVORS)

#define FORM(sym, name, code, kind, inner, argument, text)  \
	[FCN_SRV6_##sym] = {name, "Add a local SID: " text, \
			FCN_SETTING_SELECTS(                \
					struct fcn_config_srv6_sid, behavior, FCN_SRV6_##sym)},
static const struct fcn_list_form forms[] = {FCN_SRV6_BEHAVIORS(FORM)};

static const struct fcn_list_member members[] = {
		{PREFIX("prefix", prefix), KEY, .only_ipv6 = "a SID is an IPv6 prefix"},
		{ADDR("via", via, .word = "via"), WITH_VIA},
		{PORT("port", port, .word = "port"), WITH_VIA},
		IN_TABLE(WITH_TABLE),
		{WORD("psp", flavors, .mask = FCN_SRV6_FLAVOR_PSP), WITH_FLAVORS,
				.help = "Remove the header at the last but one segment"},
		{WORD("usp", flavors, .mask = FCN_SRV6_FLAVOR_USP), WITH_FLAVORS,
				.help = "Remove the header at the last segment"},
		{WORD("usd", flavors, .mask = FCN_SRV6_FLAVOR_USD), WITH_FLAVORS,
				.help = "Decapsulate at the last segment"},
		{WORD("next-csid", has_csid), WITH_FLAVORS,
				.help = "Compressed SID: bits of its block and of its node"},
		{NUMBER("block", csid.block_bits, 1, 126, "the number of bits of a block"),
				WITH_FLAVORS, .joined = true, .help = "Bits of the locator block"},
		{NUMBER("node", csid.node_function_bits, 1, 126, "the number of bits of a node"),
				WITH_FLAVORS, .joined = true,
				.help = "Bits of the locator node and function"},
};
#undef THING

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

static int
check_sid(const struct fcn_config *cfg, const void *thing, struct fcn_list_error *error)
{
	const char *key, *why = fcn_config_srv6_sid_why_not(thing, &key);

	RTE_SET_USED(cfg);
	return why == NULL ? 0 : fcn_list_refuse(error, -EINVAL, key, "%s", why);
}

static const struct fcn_list_member p_node[] = {
		ONLY_PREFIX(.only_ipv6 = "P nodes have IPv6 addresses"),
};
static const struct fcn_list_member endcon[] = {
		ONLY_PREFIX(.only_ipv6 = "END.CON addresses are IPv6 addresses"),
};

static const struct fcn_list lists[] = {
		{"srv6 sid", "SID", "SIDs", FCN_SRV6_SIDS, FCN_LIST_IN(srv6.sids),
				FCN_LIST_MEMBERS_OF(members), FCN_LIST_FORMS_OF(forms),
				.check = check_sid,
				.slot = offsetof(struct fcn_config_srv6_sid, slot),
				.serial = offsetof(struct fcn_config_srv6_sid, serial),
				.remove_help = "Remove a local SID"},
		{"srv6 p-node", "prefix", FCN_LIST_IN(srv6.p_nodes), FCN_LIST_MEMBERS_OF(p_node),
				.show = "srv6 endcon.p_nodes",
				.add_help = "Add a prefix of P nodes from which END.CON accepts "
					    "Fast CNPs. Without such a prefix, it accepts none",
				.remove_help = "Remove a prefix of P nodes"},
		{"srv6 endcon", "prefix", FCN_LIST_IN(srv6.endcons), FCN_LIST_MEMBERS_OF(endcon),
				.add_help = "Add a prefix of END.CON addresses. For congestion by "
					    "RoCEv2 in tunnels from there, notices of the kind "
					    "endcon are sent",
				.remove_help = "Remove a prefix of END.CON addresses"},
};

FCN_LIST_GROUP(srv6_sid, "SRv6", lists, OPERATE);
