/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The routes that a BMP session reports: which of them have Proxy Node Capability. */

#include <errno.h>

#include "bmp_private.h"

/* What all routes of an UPDATE have in common. */
struct announcement {
	struct fcn_pnc_bmp *bmp;
	struct bgp_rib_owner *owner;
	const struct bgp_update *update;
	bool has_pnc;
};

static bool
is_address_family(uint16_t afi, uint8_t version)
{
	return afi == (version == 4 ? FCN_BGP_AFI_IP4 : FCN_BGP_AFI_IP6);
}

/*
 * Check that the characteristics are those of this next hop. The address family in them is that of
 * the prefixes; with an IPv6 next hop of IPv4 prefixes (RFC 8950), that of the next hop is accepted
 * as well.
 */
static bool
is_for_next_hop(const struct fcn_bgp_nhc *nhc, const struct fcn_addr *hop, uint8_t family)
{
	return nhc->safi == FCN_BGP_SAFI_UNICAST &&
	       (is_address_family(nhc->afi, family == BGP_IP4 ? 4 : 6) ||
			       is_address_family(nhc->afi, hop->version)) &&
	       fcn_addr_equal(&nhc->next_hop, hop);
}

static void
forget(const struct announcement *a, const struct bgp_path *path)
{
	a->bmp->count.withdrawn += bgp_rib_remove(
			a->bmp->rib, a->owner, &path->prefix, path->path_id);
}

static bool
can_have_senders(const struct fcn_prefix *prefix)
{
	/* The default route is 0.0.0.0/0 or ::/0, whose address is no host's. */
	return fcn_addr_why_no_host(&prefix->addr) == NULL &&
	       !fcn_addr_is_link_local(&prefix->addr);
}

static void
learn(const struct announcement *a, const struct bgp_path *path, const struct fcn_addr *hop)
{
	struct fcn_pnc_bmp_counters *count = &a->bmp->count;
	struct bgp_rib_route route = {.prefix = path->prefix,
			.proxy = *hop,
			.path_id = path->path_id,
			.local_pref = a->update->local_pref,
			.as_hops = a->update->as_hops};

	if (!can_have_senders(&path->prefix)) {
		count->bad_prefix++;
		return;
	}
	switch (bgp_rib_set(a->bmp->rib, a->owner, &route)) {
	case 0:
		count->learned++;
		break;
	case -ENOSPC:
		count->full_routes++;
		break;
	case -EDQUOT:
		count->full_share++;
		break;
	case -EMLINK:
		count->full_paths++;
		break;
	default:
		count->memory++;
	}
}

static void
withdraw(const struct announcement *a, struct bgp_nlri nlri)
{
	struct bgp_path path;

	while (bgp_nlri_next(&nlri, &path) > 0)
		forget(a, &path);
}

static void
announce(const struct announcement *a, struct bgp_nlri nlri, const struct fcn_addr *hop)
{
	struct fcn_pnc_bmp_counters *count = &a->bmp->count;
	bool has_pnc = a->has_pnc;
	struct bgp_path path;

	if (nlri.len == 0)
		return;
	if (has_pnc && !is_for_next_hop(&a->update->nhc, hop, nlri.family)) {
		count->nhc_next_hop++;
		has_pnc = false;
	} else if (has_pnc && (fcn_addr_why_no_host(hop) != NULL || fcn_addr_is_link_local(hop))) {
		count->bad_proxy++;
		has_pnc = false;
	}
	while (bgp_nlri_next(&nlri, &path) > 0) {
		if (has_pnc)
			learn(a, &path, hop);
		else
			forget(a, &path);
	}
}

static void
count_characteristics(struct fcn_pnc_bmp *bmp, const struct bgp_update *u)
{
	bmp->count.nhc_malformed += u->nhc_state == BGP_NHC_MALFORMED ||
				    (u->nhc_state == BGP_NHC_READ && u->nhc.has_bad_pnc);
	bmp->count.nhc_flags += u->nhc_state == BGP_NHC_FLAGS;
	bmp->count.nhc_repeated += u->nhc_repeated;
	bmp->count.malformed_attribute += u->has_bad_attribute;
}

/* Read an UPDATE. @return whether it can be used */
static bool
read_update(struct fcn_pnc_bmp *bmp, struct bmp_router *router,
		const struct bgp_session_options *options, const uint8_t *data, size_t len,
		struct bgp_update *update)
{
	uint8_t type;

	if (bgp_message_length(data, len, &type) != len || type != BGP_UPDATE ||
			bgp_update_parse(data, len, options, update) != 0) {
		bmp->count.malformed_update++;
		bmp_ignore(router, FCN_PNC_BMP_IGNORED_MALFORMED);
		return false;
	}
	switch (bgp_update_settle(update, options, bmp->seen)) {
	case 0:
		return true;
	case -EAGAIN:
		bmp->count.ambiguous++;
		bmp_ignore(router, FCN_PNC_BMP_IGNORED_AMBIGUOUS);
		return false;
	default:
		bmp->count.malformed_prefix++;
		bmp_ignore(router, FCN_PNC_BMP_IGNORED_MALFORMED);
		return false;
	}
}

void
bmp_route_monitoring(struct fcn_pnc_bmp *bmp, struct bmp_router *router, struct bmp_peer *peer,
		enum bgp_rib_view view, bool is_as2, const uint8_t *data, size_t len)
{
	struct bgp_session_options options = peer->options;
	struct announcement a = {.bmp = bmp, .owner = &peer->owner[view]};
	struct bgp_update update;

	options.as2 = is_as2;
	if (!read_update(bmp, router, &options, data, len, &update))
		return;
	bmp->count.updates++;
	count_characteristics(bmp, &update);
	a.update = &update;
	a.has_pnc = update.nhc_state == BGP_NHC_READ && update.nhc.has_pnc &&
		    !update.has_bad_attribute;
	for (unsigned int i = 0; i < 2; i++)
		withdraw(&a, update.withdrawn[i]);
	for (unsigned int i = 0; i < 2; i++)
		announce(&a, update.reached[i], &update.next_hop[i]);
	/* The router has reported all of a table of the peer: what it has not is no longer there.
	 */
	if (update.end_of_rib >= 0)
		bmp->count.expired += bgp_rib_sweep(bmp->rib, a.owner,
				update.end_of_rib == BGP_IP4 ? BGP_RIB_STALE4 : BGP_RIB_STALE6);
}
