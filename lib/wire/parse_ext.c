/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_ioam.h"
#include "fcn_srh.h"
#include "option.h"
#include "walk.h"

#define EXT_MIN_LEN 8
#define FRAG_OFFSET_MASK 0xFFF8

static void
hop_by_hop_option(struct fcn_walk *w, uint32_t hdr, const struct fcn_option *opt)
{
	const uint8_t *p = w->data + opt->off;
	struct fcn_wire_info *info = w->info;
	struct fcn_ioam_trace trace;
	enum fcn_wire_error error;

	if (opt->type != FCN_IPV6_OPT_IOAM_CHG)
		return;
	/* The first trace option counts; a second one is ignored. */
	if (info->flags & (FCN_PKT_IOAM_TRACE | FCN_PKT_IOAM_INVALID))
		return;
	if (opt->len < 2)
		error = FCN_WIRE_IOAM_LENGTH;
	else if (p[3] != FCN_IOAM_PREALLOC_TRACE && p[3] != FCN_IOAM_INCR_TRACE)
		return;
	else if ((opt->off - hdr) % 4 != 0)
		error = FCN_WIRE_IOAM_ALIGNMENT;
	else
		error = fcn_ioam_trace_parse_type(p[3], p + 4, opt->len - 2, &trace);

	if (error != FCN_WIRE_OK) {
		info->flags |= FCN_PKT_IOAM_INVALID;
		fcn_walk_defect(w, error);
		return;
	}
	info->flags |= FCN_PKT_IOAM_TRACE;
	info->ioam_off = opt->off;
	info->ioam_len = opt->len;
}

/*
 * Check whether a message can be sent to an address: it is not unspecified, multicast or
 * link-local.
 */
static bool
is_usable_address(const uint8_t *a)
{
	return a[0] != 0xFF && !(a[0] == 0xFE && (a[1] & 0xC0) == 0x80) &&
	       !fcn_option_is_zero(a, 16);
}

static void
destination_option(struct fcn_walk *w, const struct fcn_option *opt)
{
	unsigned int fastcnp = fcn_option_fastcnp(opt, w->codes);

	if (fastcnp != 0) {
		w->info->flags |= FCN_PKT_FASTCNP;
		if (!fcn_option_fastcnp_len_ok(fastcnp, opt->len)) {
			fcn_walk_defect(w, FCN_WIRE_OPTION_LENGTH);
			w->not_roce = true;
		}
		if (++w->n_fastcnp > 1) {
			fcn_walk_defect(w, FCN_WIRE_OPTION_DUPLICATE);
			w->not_roce = true;
		}
	} else if (opt->type == w->codes->proxy_addr && opt->len == 16 &&
			!(w->info->flags & FCN_PKT_PROXY) &&
			is_usable_address(w->data + opt->off + 2)) {
		w->info->flags |= FCN_PKT_PROXY;
		w->info->proxy_off = opt->off + 2;
	}
}

/*
 * Read the options of the Hop-by-Hop or Destination Options header that ends at end (RFC 8200
 * sections 4.3 and 4.6).
 */
static void
options_header(struct fcn_walk *w, uint32_t end)
{
	struct fcn_option_cursor c = {.data = w->data, .next = w->off + 2, .end = end};
	struct fcn_option opt = {0};
	enum fcn_wire_error error;
	bool more;

	do {
		more = fcn_option_next(&c, &opt, &error);
		if (error != FCN_WIRE_OK) {
			fcn_walk_defect(w, error);
			w->not_roce = true;
		}
		if (!more)
			break;
		if (w->proto == IPPROTO_HOPOPTS)
			hop_by_hop_option(w, w->off, &opt);
		else
			destination_option(w, &opt);
	} while (true);
}

static enum fcn_wire_error
srh_error(enum fcn_srv6_error error)
{
	switch (error) {
	case FCN_SRV6_SRH_LENGTH:
		return FCN_WIRE_SRH_LENGTH;
	case FCN_SRV6_SRH_LAST_ENTRY:
		return FCN_WIRE_SRH_LAST_ENTRY;
	default:
		return FCN_WIRE_SRH_SEGMENTS_LEFT;
	}
}

static void
routing_header(struct fcn_walk *w)
{
	const uint8_t *p = w->data + w->off;
	enum fcn_srv6_error error;

	if (p[FCN_SRH_TYPE_OFF] != FCN_SRH_ROUTING_TYPE)
		return;
	error = fcn_srh_check_list(p);
	if (error != FCN_SRV6_OK) {
		fcn_walk_defect(w, srh_error(error));
		w->not_roce = true;
		return;
	}
	if (p[FCN_SRH_SEGMENTS_LEFT_OFF] > 0) {
		w->info->flags |= FCN_PKT_SRH;
		w->info->final_dst_off = w->off + FCN_SRH_FIXED_LEN;
	}
}

/*
 * Read a Fragment header (RFC 8200 section 4.5). The first fragment contains the upper layer
 * header; later fragments do not.
 */
static void
fragment_header(struct fcn_walk *w)
{
	const uint8_t *p = w->data + w->off;

	w->info->flags |= FCN_PKT_FRAGMENT;
	w->proto = p[0];
	if (((p[2] << 8 | p[3]) & FRAG_OFFSET_MASK) == 0)
		w->off += EXT_MIN_LEN;
	else
		w->off = 0;
}

bool
fcn_walk_ext(struct fcn_walk *w)
{
	bool first = true;
	unsigned int n = 0;
	enum fcn_wire_error error;
	uint32_t end;

	while (w->proto == IPPROTO_HOPOPTS || w->proto == IPPROTO_ROUTING ||
			w->proto == IPPROTO_DSTOPTS || w->proto == IPPROTO_FRAGMENT) {
		if (n++ == FCN_PARSE_MAX_EXT) {
			error = FCN_WIRE_EXT_LIMIT;
			goto stop;
		}
		error = fcn_walk_reach(w, w->off + EXT_MIN_LEN, FCN_WIRE_EXT_TRUNCATED,
				FCN_WIRE_EXT_TRUNCATED);
		if (error != FCN_WIRE_OK)
			goto stop;
		if (w->proto == IPPROTO_FRAGMENT) {
			fragment_header(w);
			return true;
		}
		end = w->off + (w->data[w->off + 1] + 1) * 8;
		error = fcn_walk_reach(w, end, FCN_WIRE_EXT_OVERRUN, FCN_WIRE_EXT_TRUNCATED);
		if (error != FCN_WIRE_OK)
			goto stop;

		if (w->proto == IPPROTO_ROUTING) {
			routing_header(w);
		} else if (w->proto == IPPROTO_HOPOPTS && !first) {
			fcn_walk_defect(w, FCN_WIRE_EXT_ORDER);
			w->not_roce = true;
		} else {
			if (w->proto == IPPROTO_HOPOPTS && w->info->inner_l3_off == w->info->l3_off)
				w->info->flags |= FCN_PKT_HBH;
			options_header(w, end);
		}
		first = false;
		w->proto = w->data[w->off];
		w->off = end;
	}
	return true;
stop:
	fcn_walk_defect(w, error);
	return false;
}
