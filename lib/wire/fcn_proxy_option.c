/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fcn_proxy_option.h"
#include "option.h"
#include "option_remove.h"

#define IPV6_LEN 40
#define IPV6_PLEN_OFF 4
#define IPV6_NEXT_OFF 6
#define OPTIONS_OFF 2 /* first option in an options header */
#define ADDR_LEN 16
#define OPTION_LEN (2 + ADDR_LEN)
/* Place of the option modulo 8, so that the address is at a multiple of 8. */
#define OPTION_ALIGN 6
/* What the parser reads of the upper layer: UDP, BTH and ICRC. */
#define UPPER_MIN 24

/* Most octets of padding that hosts accept at one place. */
#define PADDING_MAX 7

static struct fcn_option_choice
choice_of(uint8_t type)
{
	return (struct fcn_option_choice){.type = {type, type}};
}

static inline uint32_t
ext_len(const uint8_t *hdr)
{
	return (hdr[1] + 1u) * 8;
}

/* Get the end of the last option of a header that is not padding, from the start of the header. */
static uint32_t
end_of_options(const uint8_t *data, uint32_t hdr)
{
	struct fcn_option_cursor c = {
			.data = data, .next = hdr + OPTIONS_OFF, .end = hdr + ext_len(data + hdr)};
	uint32_t end = OPTIONS_OFF;
	struct fcn_option opt;
	enum fcn_wire_error error;

	while (fcn_option_next(&c, &opt, &error))
		end = opt.off + 2u + opt.len - hdr;
	return end;
}

/* Append the option to a Destination Options header. @return false: it has too much padding */
static bool
place_at_end(const uint8_t *data, uint32_t hdr, struct fcn_proxy_option_place *place)
{
	const uint32_t len = ext_len(data + hdr), kept = end_of_options(data, hdr);
	const uint32_t at = kept + (OPTION_ALIGN - kept) % 8;

	if (len - kept > PADDING_MAX)
		return false;
	place->header = (uint16_t)hdr;
	place->kept = (uint16_t)kept;
	place->behind = (uint16_t)(hdr + len);
	place->growth = (uint16_t)(at + OPTION_LEN - len);
	return true;
}

/* Check whether the packet is one whose headers can be changed. */
static bool
is_suitable(const struct fcn_wire_info *info)
{
	const uint32_t not_these = FCN_PKT_FRAGMENT | FCN_PKT_TUNNEL;

	return (info->flags & (FCN_PKT_IPV6 | not_these)) == FCN_PKT_IPV6 &&
	       info->error == FCN_WIRE_OK && info->l4_off != 0 && info->proto != IPPROTO_AH &&
	       info->proto != IPPROTO_FRAGMENT;
}

enum fcn_proxy_option_fit
fcn_proxy_option_find_place(const uint8_t *data, uint32_t seg_len, const struct fcn_wire_info *info,
		uint8_t type, struct fcn_proxy_option_place *place)
{
	uint32_t off = info->l3_off + IPV6_LEN, options = 0;
	unsigned int n = 0;
	bool routing = false;
	uint8_t proto;

	if (fcn_proxy_option_is_there(data, seg_len, info, type))
		return FCN_PROXY_OPTION_PRESENT;
	if (!is_suitable(info) || info->l4_off > seg_len)
		return FCN_PROXY_OPTION_UNFIT;
	place->next = (uint16_t)(info->l3_off + IPV6_NEXT_OFF);
	proto = data[place->next];
	if (proto == IPPROTO_HOPOPTS) {
		place->next = (uint16_t)off;
		proto = data[off];
		off += ext_len(data + off);
		n++;
	}
	place->header = place->behind = (uint16_t)off;
	place->kept = 0;
	place->growth = FCN_PROXY_OPTION_GROWTH;
	for (; off < info->l4_off; n++) {
		if (proto == IPPROTO_DSTOPTS && !routing && options == 0)
			options = off;
		routing |= proto == IPPROTO_ROUTING;
		proto = data[off];
		off += ext_len(data + off);
	}
	if (options != 0 && !place_at_end(data, options, place))
		return FCN_PROXY_OPTION_UNFIT;
	if (n + (options == 0) > FCN_PARSE_MAX_EXT || info->ip_len + place->growth > UINT16_MAX ||
			info->l4_off + place->growth + UPPER_MIN > FCN_PARSE_MAX_HEADERS)
		return FCN_PROXY_OPTION_UNFIT;
	return FCN_PROXY_OPTION_FITS;
}

/* Write the header at the place that the headers in front of it have made room for. */
static void
write_header(uint8_t *data, const struct fcn_proxy_option_place *place, uint8_t type,
		const uint8_t *addr)
{
	uint8_t *hdr = data + place->header;
	uint32_t at = place->kept;

	if (at == 0) {
		hdr[0] = data[place->next];
		data[place->next] = IPPROTO_DSTOPTS;
		at = OPTIONS_OFF;
	}
	fcn_option_pad(hdr + at, (OPTION_ALIGN - at) % 8);
	at += (OPTION_ALIGN - at) % 8;
	hdr[at] = type;
	hdr[at + 1] = ADDR_LEN;
	memcpy(hdr + at + 2, addr, ADDR_LEN);
	hdr[1] = (uint8_t)((at + OPTION_LEN) / 8 - 1);
}

/* Adapt the result of the parser. */
static void
update_info(struct fcn_wire_info *info, const struct fcn_proxy_option_place *place)
{
	uint16_t *const off[] = {&info->l4_off, &info->ioam_off, &info->final_dst_off};

	for (unsigned int i = 0; i < RTE_DIM(off); i++) {
		if (*off[i] >= place->behind)
			*off[i] += place->growth;
	}
	info->ip_len += place->growth;
	info->proxy_off = place->behind + place->growth - ADDR_LEN;
	info->flags |= FCN_PKT_PROXY;
}

void
fcn_proxy_option_insert(uint8_t *data, struct fcn_wire_info *info,
		const struct fcn_proxy_option_place *place, uint8_t type, const uint8_t *addr,
		enum fcn_icrc_mode mode, uint8_t *icrc)
{
	uint8_t *ip = data + info->l3_off;
	const uint32_t front = place->kept != 0 ? place->header + place->kept : place->header;
	const bool covered = icrc != NULL && info->flags & FCN_PKT_ROCE;
	const uint32_t plen = info->ip_len - IPV6_LEN + place->growth;
	uint32_t before = 0;

	if (covered)
		before = fcn_icrc_headers_register(
				ip + place->growth, info->l4_off - info->l3_off, mode);
	memmove(data, data + place->growth, front);
	write_header(data, place, type, addr);
	ip[IPV6_PLEN_OFF] = (uint8_t)(plen >> 8);
	ip[IPV6_PLEN_OFF + 1] = (uint8_t)plen;
	update_info(info, place);
	if (covered)
		fcn_icrc_correct(data + info->l4_off, icrc, mode,
				before ^ fcn_icrc_headers_register(
							 ip, info->l4_off - info->l3_off, mode));
}

bool
fcn_proxy_option_is_there(const uint8_t *data, uint32_t seg_len, const struct fcn_wire_info *info,
		uint8_t type)
{
	const struct fcn_option_choice which = choice_of(type);

	return fcn_option_is_there(data, seg_len, info, &which);
}

bool
fcn_proxy_option_remove(uint8_t *data, uint32_t seg_len, struct fcn_wire_info *info, uint8_t type,
		enum fcn_icrc_mode mode, uint8_t *icrc, uint32_t *removed)
{
	const struct fcn_option_choice which = choice_of(type);
	enum fcn_option_remove_result r = fcn_option_remove(
			data, seg_len, info, &which, mode, icrc, removed);

	if (r == FCN_OPTION_REMOVE_DONE && !(info->flags & FCN_PKT_TUNNEL)) {
		info->flags &= ~FCN_PKT_PROXY;
		info->proxy_off = 0;
	}
	return r != FCN_OPTION_REMOVE_FAILED;
}
