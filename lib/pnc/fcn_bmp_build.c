/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_bmp_build.h"

#include <string.h>

#include "bgp_bytes.h"
#include "bmp_private.h"
#include "fcn_bgp_nhc.h"

#define WELL_KNOWN FCN_BGP_TRANSITIVE /* flags of attributes that all routers know */
#define PEER_DOWN_REMOTE_CLOSED 4
#define AS_TRANS 23456 /* stands for an AS number that does not fit (RFC 6793) */

/* Begin a BGP message. @return the place behind its header */
static uint8_t *
begin_bgp(uint8_t *out, uint8_t type)
{
	memset(out, 0xFF, 16);
	out[18] = type;
	return out + BGP_HEADER_LEN;
}

/* Complete a BGP message. @return its length */
static size_t
end_bgp(uint8_t *out, const uint8_t *end)
{
	bgp_put16(out + 16, (unsigned int)(end - out));
	return (size_t)(end - out);
}

static uint8_t *
put_bytes(uint8_t *p, const void *bytes, size_t len)
{
	memcpy(p, bytes, len);
	return p + len;
}

static uint8_t *
put_attribute_header(uint8_t *p, uint8_t flags, uint8_t type, size_t len)
{
	*p++ = flags;
	*p++ = type;
	*p++ = (uint8_t)len;
	return p;
}

static uint8_t *
put_prefix(uint8_t *p, const struct fcn_prefix *prefix)
{
	*p++ = prefix->len;
	return put_bytes(p, prefix->addr.bytes, (prefix->len + 7u) / 8);
}

static size_t
prefix_size(const struct fcn_prefix *prefix)
{
	return 1 + (prefix->len + 7u) / 8;
}

static unsigned int
afi_of(const struct fcn_addr *addr)
{
	return addr->version == 4 ? FCN_BGP_AFI_IP4 : FCN_BGP_AFI_IP6;
}

static uint8_t *
put_mp_unreach(uint8_t *p, const struct fcn_prefix *prefix)
{
	p = put_attribute_header(p, FCN_BGP_OPTIONAL, 15, 3 + prefix_size(prefix));
	p = bgp_put16(p, afi_of(&prefix->addr));
	*p++ = FCN_BGP_SAFI_UNICAST;
	return put_prefix(p, prefix);
}

static uint8_t *
put_mp_reach(uint8_t *p, const struct fcn_bgp_route *route)
{
	uint8_t hop = route->next_hop.version == 4 ? 4 : 16;

	p = put_attribute_header(p, FCN_BGP_OPTIONAL, 14, 5u + hop + prefix_size(&route->prefix));
	p = bgp_put16(p, afi_of(&route->prefix.addr));
	*p++ = FCN_BGP_SAFI_UNICAST;
	*p++ = hop;
	p = put_bytes(p, route->next_hop.bytes, hop);
	*p++ = 0; /* reserved */
	return put_prefix(p, &route->prefix);
}

/* @param is_old the prefix has the field of RFC 4271 */
static uint8_t *
put_attributes(uint8_t *p, const struct fcn_bgp_route *route, bool is_old)
{
	p = put_attribute_header(p, WELL_KNOWN, 1, 1); /* ORIGIN: IGP */
	*p++ = 0;
	p = put_attribute_header(p, WELL_KNOWN, 2, route->as != 0 ? 6 : 0); /* AS_PATH */
	if (route->as != 0) {
		*p++ = 2; /* sequence of one */
		*p++ = 1;
		p = bgp_put32(p, route->as);
	}
	if (is_old) {
		p = put_attribute_header(p, WELL_KNOWN, 3, 4); /* NEXT_HOP */
		p = put_bytes(p, route->next_hop.bytes, 4);
	} else {
		p = put_mp_reach(p, route);
	}
	p = put_attribute_header(p, WELL_KNOWN, 5, 4); /* LOCAL_PREF */
	p = bgp_put32(p, 100);
	if (route->has_pnc)
		p += fcn_bgp_nhc_build(route->nhc_type, route->pnc_code, route->is_partial,
				(uint16_t)afi_of(&route->prefix.addr), &route->next_hop, p);
	return p;
}

size_t
fcn_bgp_update_build(const struct fcn_bgp_route *route, uint8_t *out)
{
	bool is_ip4 = route->prefix.addr.version == 4;
	bool is_old = is_ip4 && (route->is_withdrawn || route->next_hop.version == 4);
	uint8_t *p = begin_bgp(out, BGP_UPDATE), *length;

	if (route->is_withdrawn && is_old) {
		p = bgp_put16(p, (unsigned int)prefix_size(&route->prefix));
		p = put_prefix(p, &route->prefix);
		return end_bgp(out, bgp_put16(p, 0));
	}
	p = bgp_put16(p, 0); /* nothing withdrawn */
	length = p;
	p += 2;
	p = route->is_withdrawn ? put_mp_unreach(p, &route->prefix)
				: put_attributes(p, route, is_old);
	bgp_put16(length, (unsigned int)(p - length - 2));
	if (is_old)
		p = put_prefix(p, &route->prefix);
	return end_bgp(out, p);
}

/* An OPEN with multiple protocols (RFC 4760) and AS numbers of 4 bytes. @return the place behind */
static uint8_t *
put_open(uint8_t *out, uint32_t as, uint32_t identifier)
{
	static const uint8_t protocols[] = {1, 4, 0, 1, 0, 1, 1, 4, 0, 2, 0, 1};
	uint8_t *p = begin_bgp(out, BGP_OPEN);

	*p++ = 4; /* version */
	p = bgp_put16(p, as > UINT16_MAX ? AS_TRANS : as);
	p = bgp_put16(p, 180); /* hold time, seconds */
	p = bgp_put32(p, identifier);
	*p++ = 2 + sizeof(protocols) + 6; /* parameters */
	*p++ = 2;                         /* capabilities */
	*p++ = sizeof(protocols) + 6;
	p = put_bytes(p, protocols, sizeof(protocols));
	*p++ = 65;
	*p++ = 4;
	p = bgp_put32(p, as);
	return out + end_bgp(out, p);
}

static uint8_t *
begin_bmp(uint8_t *out, enum bmp_type type)
{
	out[0] = 3; /* version */
	out[5] = (uint8_t)type;
	return out + BMP_HEADER_LEN;
}

static size_t
end_bmp(uint8_t *out, const uint8_t *end)
{
	bgp_put32(out + 1, (uint32_t)(end - out));
	return (size_t)(end - out);
}

/* Addresses have 16 bytes, IPv4 addresses in the last four. */
static uint8_t *
put_address(uint8_t *p, const struct fcn_addr *addr)
{
	memset(p, 0, 16);
	if (addr->version == 4)
		memcpy(p + 12, addr->bytes, 4);
	else
		memcpy(p, addr->bytes, 16);
	return p + 16;
}

static uint8_t *
put_peer(uint8_t *p, const struct fcn_bmp_peer *peer)
{
	*p++ = 0; /* a peer of the global table */
	*p++ = (uint8_t)((peer->addr.version == 6 ? 0x80 : 0) | (peer->is_post_policy ? 0x40 : 0));
	memset(p, 0, 8); /* distinguisher */
	p = put_address(p + 8, &peer->addr);
	p = bgp_put32(p, peer->as);
	p = bgp_put32(p, peer->identifier);
	memset(p, 0, 8); /* no time */
	return p + 8;
}

size_t
fcn_bmp_initiation_build(const char *name, uint8_t *out)
{
	static const char descr[] = "fastcn-pnc encode";
	size_t len = strnlen(name, FCN_PNC_BMP_NAME_LEN);
	uint8_t *p = begin_bmp(out, BMP_INITIATION);

	p = bgp_put16(p, 1); /* sysDescr */
	p = bgp_put16(p, sizeof(descr) - 1);
	p = put_bytes(p, descr, sizeof(descr) - 1);
	p = bgp_put16(p, 2); /* sysName */
	p = bgp_put16(p, (unsigned int)len);
	return end_bmp(out, put_bytes(p, name, len));
}

size_t
fcn_bmp_peer_up_build(const struct fcn_bmp_peer *peer, uint8_t *out)
{
	uint8_t *p = put_peer(begin_bmp(out, BMP_PEER_UP), peer);

	p = put_address(p, &peer->addr);
	p = bgp_put16(p, 179);
	p = bgp_put16(p, 179);
	p = put_open(p, peer->as, peer->identifier);
	p = put_open(p, peer->as, peer->identifier);
	return end_bmp(out, p);
}

size_t
fcn_bmp_peer_down_build(const struct fcn_bmp_peer *peer, uint8_t *out)
{
	uint8_t *p = put_peer(begin_bmp(out, BMP_PEER_DOWN), peer);

	*p++ = PEER_DOWN_REMOTE_CLOSED;
	return end_bmp(out, p);
}

size_t
fcn_bmp_route_build(
		const struct fcn_bmp_peer *peer, const struct fcn_bgp_route *route, uint8_t *out)
{
	uint8_t *p = put_peer(begin_bmp(out, BMP_ROUTE_MONITORING), peer);

	return end_bmp(out, p + fcn_bgp_update_build(route, p));
}
