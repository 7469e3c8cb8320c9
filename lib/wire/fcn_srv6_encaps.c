/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <netinet/in.h>

#include "fcn_srv6_encaps.h"

#define IP6_NEXT_HEADER_OFF 6
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24

static bool
conf_is_valid(const struct fcn_srv6_encaps_conf *conf)
{
	const bool has_srh = conf->mode == FCN_SRV6_H_ENCAPS ||
			     (conf->mode == FCN_SRV6_H_ENCAPS_RED && conf->n_segments > 1);

	if (conf->n_segments == 0 || conf->n_segments > FCN_SRV6_MAX_SEGMENTS)
		return false;
	if (conf->mode == FCN_SRV6_NO_SRH && conf->n_segments != 1)
		return false;
	if (!has_srh && conf->tag != 0)
		return false;
	for (unsigned int i = 0; i < conf->n_segments; i++) {
		if (!fcn_ip6_is_station(conf->segments[i]))
			return false;
	}
	return fcn_ip6_is_station(conf->source);
}

/* Write a Segment Routing Header with n segments, in reverse order. Returns its length. */
static uint32_t
put_srh(const struct fcn_srv6_encaps_conf *conf, unsigned int n, uint8_t *srh)
{
	srh[FCN_SRH_LENGTH_OFF] = (uint8_t)(2 * n);
	srh[FCN_SRH_TYPE_OFF] = FCN_SRH_ROUTING_TYPE;
	srh[FCN_SRH_SEGMENTS_LEFT_OFF] = (uint8_t)(conf->n_segments - 1);
	srh[FCN_SRH_LAST_ENTRY_OFF] = (uint8_t)(n - 1);
	fcn_put_be16(srh + FCN_SRH_TAG_OFF, conf->tag);
	for (unsigned int i = 0; i < n; i++)
		memcpy(srh + FCN_SRH_FIXED_LEN + FCN_SRH_SEGMENT_LEN * i,
				conf->segments[conf->n_segments - 1 - i], FCN_SRH_SEGMENT_LEN);
	return FCN_SRH_FIXED_LEN + FCN_SRH_SEGMENT_LEN * n;
}

int
fcn_srv6_encaps_init(struct fcn_srv6_encaps *e, const struct fcn_srv6_encaps_conf *conf)
{
	unsigned int n = 0; /* segments in the Segment Routing Header */

	if (!conf_is_valid(conf))
		return -EINVAL;
	if (conf->mode == FCN_SRV6_H_ENCAPS)
		n = conf->n_segments;
	else if (conf->mode == FCN_SRV6_H_ENCAPS_RED)
		n = conf->n_segments - 1;

	memset(e, 0, sizeof(*e));
	e->len = FCN_IP6_LEN;
	e->next_header_off = IP6_NEXT_HEADER_OFF;
	memcpy(e->header + IP6_SRC_OFF, conf->source, 16);
	memcpy(e->header + IP6_DST_OFF, conf->segments[0], 16);
	if (n > 0) {
		e->header[IP6_NEXT_HEADER_OFF] = IPPROTO_ROUTING;
		e->next_header_off = FCN_IP6_LEN + FCN_SRH_NEXT_HEADER_OFF;
		e->len += (uint16_t)put_srh(conf, n, e->header + FCN_IP6_LEN);
	}
	e->header[e->next_header_off] = IPPROTO_IPV6;
	return 0;
}
