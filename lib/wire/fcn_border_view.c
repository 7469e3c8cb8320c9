/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_common.h>

#include "fcn_border_view.h"
#include "fcn_ioam.h"
#include "option.h"

#define ETHER_TYPE_QINQ_OLD 0x9100 /* S-tag of equipment older than IEEE 802.1ad */
#define IPV4_MIN_LEN 20
#define IPV6_LEN 40
#define UDP_LEN 8
#define EXT_MIN_LEN 8
#define FRAGMENT_LEN 8
#define ROUTING_TYPE_SRH 4
#define SEGMENT_LEN 16
#define IPPROTO_HIP_HEADER 139   /* RFC 7401 */
#define IPPROTO_SHIM6_HEADER 140 /* RFC 5533 */

/* Offsets count from the start of the frame. */
struct walk {
	const uint8_t *data;
	uint32_t len; /* bytes readable at data */
	uint32_t off; /* offset of the next header to read */
	uint32_t end; /* end of the IP packet that is being parsed */
	const struct fcn_border_codes *codes;
	struct fcn_border_view *view;
	uint8_t proto;       /* protocol number of the header at off */
	bool first_fragment; /* the packet continues in other fragments */
	bool behind;         /* behind a header at which fcn_ioam_remove() stops */
};

static inline uint16_t
get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline void
note_found(struct walk *w, enum fcn_border_kind kind)
{
	w->view->found |= 1u << kind;
}

/*
 * Check whether n octets from off on are part of the packet and readable; if not, records
 * FCN_BORDER_UNREAD.
 */
static bool
reach(struct walk *w, uint32_t n)
{
	if (n <= w->end - w->off && w->off + n <= w->len)
		return true;
	note_found(w, FCN_BORDER_UNREAD);
	return false;
}

/*
 * Check the same for the upper layer. A complete packet that is too short for it cannot be a
 * notice, so nothing is recorded. A first fragment may continue, so it is recorded as unread.
 */
static bool
reach_upper(struct walk *w, uint32_t n)
{
	if (n > w->end - w->off && !w->first_fragment)
		return false;
	return reach(w, n);
}

/* ---- extension headers ---- */

static void
check_option(struct walk *w, const struct fcn_option *opt)
{
	unsigned int fastcnp = fcn_option_fastcnp(opt, &w->codes->options);

	if (fastcnp != 0) {
		note_found(w, FCN_BORDER_FAST_CNP);
		w->view->trace |= fastcnp == 2;
	} else if (opt->type == w->codes->options.proxy_addr) {
		note_found(w, FCN_BORDER_PROXY);
	} else if (opt->type == FCN_IPV6_OPT_IOAM_CHG || opt->type == FCN_IPV6_OPT_IOAM) {
		if (w->behind || w->view->n_ip > 1 || w->view->ip[0].version == 4)
			note_found(w, FCN_BORDER_IOAM);
		else
			w->view->ioam_outer = true;
	}
}

/*
 * Read the options of a header that ends at end. An option that runs past the end cannot be read.
 */
static void
check_options(struct walk *w, uint32_t end)
{
	for (uint32_t off = w->off + 2; off < end;) {
		const uint8_t *p = w->data + off;
		struct fcn_option opt = {.off = off, .type = p[0]};

		if (opt.type == FCN_IPV6_OPT_PAD1) {
			off++;
			continue;
		}
		if (end - off >= 2)
			opt.len = p[1];
		check_option(w, &opt);
		if (end - off < 2 || end - off - 2 < opt.len) {
			note_found(w, FCN_BORDER_UNREAD);
			return;
		}
		off += 2u + opt.len;
	}
}

/*
 * Record the segments (RFC 8754 section 2) that are still to be visited: those with an index below
 * Segments Left.
 */
static void
record_segments(struct walk *w, uint32_t end)
{
	const uint8_t *p = w->data + w->off;
	uint32_t n = (end - w->off - EXT_MIN_LEN) / SEGMENT_LEN;

	if (p[2] != ROUTING_TYPE_SRH || p[3] == 0)
		return;
	if (w->view->n_srh == FCN_BORDER_MAX_SRH) {
		note_found(w, FCN_BORDER_UNREAD);
		return;
	}
	w->view->srh[w->view->n_srh].off = (uint16_t)(w->off + EXT_MIN_LEN);
	w->view->srh[w->view->n_srh].n = (uint8_t)RTE_MIN(n, p[3]);
	w->view->n_srh++;
}

/*
 * Check where a fragment begins. @return whether headers of the packet follow, which is not so in a
 * later fragment
 */
static bool
check_fragment(struct walk *w, uint32_t offset, bool more)
{
	w->behind = true;
	if (offset != 0) {
		if (offset < FCN_BORDER_MIN_FRAGMENT)
			note_found(w, FCN_BORDER_FRAGMENT);
		return false;
	}
	w->first_fragment |= more;
	return true;
}

/*
 * Check whether the second octet of a header is its length in units of 8 octets, less one (RFC
 * 6564).
 */
static inline bool
is_plain_extension(uint8_t proto)
{
	switch (proto) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
	case IPPROTO_MH:
	case IPPROTO_HIP_HEADER:
	case IPPROTO_SHIM6_HEADER:
		return true;
	default:
		return false;
	}
}

/*
 * Get the length of an extension header. @return octets of the extension header at off, of which
 * EXT_MIN_LEN are readable; 0: it is not an
 *         extension header
 */
static uint32_t
extension_length(const struct walk *w)
{
	const uint8_t *p = w->data + w->off;

	if (is_plain_extension(w->proto))
		return (p[1] + 1u) * 8;
	if (w->proto == IPPROTO_FRAGMENT)
		return FRAGMENT_LEN;
	return w->proto == IPPROTO_AH ? (p[1] + 2u) * 4 : 0; /* RFC 4302 section 2.2 */
}

/* Walk the extension headers. @return whether the upper layer was reached */
static bool
walk_extensions(struct walk *w)
{
	for (unsigned int n = 0; is_plain_extension(w->proto) || w->proto == IPPROTO_FRAGMENT ||
				 w->proto == IPPROTO_AH;
			n++) {
		const uint8_t *p = w->data + w->off;
		uint32_t len;

		if (n == FCN_BORDER_MAX_EXT) {
			note_found(w, FCN_BORDER_UNREAD);
			return false;
		}
		if (!reach(w, EXT_MIN_LEN))
			return false;
		len = extension_length(w);
		if (!reach(w, len))
			return false;
		if (w->proto == IPPROTO_HOPOPTS || w->proto == IPPROTO_DSTOPTS)
			check_options(w, w->off + len);
		else if (w->proto == IPPROTO_ROUTING)
			record_segments(w, w->off + len);
		else if (w->proto == IPPROTO_FRAGMENT &&
				!check_fragment(w, get16(p + 2) & ~7u, p[3] & 1))
			return false;
		else
			w->behind = true;
		w->proto = p[0];
		w->off += len;
	}
	return true;
}

/* ---- IP and upper layers ---- */

static bool
walk_ipv6(struct walk *w, struct fcn_border_ip *ip, uint32_t *total)
{
	const uint8_t *p = w->data + w->off;

	if (!reach(w, IPV6_LEN))
		return false;
	if (p[0] >> 4 != 6) {
		note_found(w, FCN_BORDER_UNREAD);
		return false;
	}
	*total = IPV6_LEN + get16(p + 4);
	ip->src = (uint16_t)(w->off + 8);
	ip->dst = (uint16_t)(w->off + 24);
	w->proto = p[6];
	w->off += IPV6_LEN;
	return true;
}

static bool
walk_ipv4(struct walk *w, struct fcn_border_ip *ip, uint32_t *total)
{
	const uint8_t *p = w->data + w->off;
	uint32_t hdr_len;

	if (!reach(w, IPV4_MIN_LEN))
		return false;
	hdr_len = (p[0] & 0x0F) * 4u;
	*total = get16(p + 2);
	if (p[0] >> 4 != 4 || hdr_len < IPV4_MIN_LEN || *total < hdr_len) {
		note_found(w, FCN_BORDER_UNREAD);
		return false;
	}
	if (!reach(w, hdr_len))
		return false;
	ip->src = (uint16_t)(w->off + 12);
	ip->dst = (uint16_t)(w->off + 16);
	w->proto = p[9];
	w->off += hdr_len;
	return true;
}

/* Read an IP header and the extension headers behind it. @return whether parsing continues */
static bool
walk_ip(struct walk *w, unsigned int version)
{
	struct fcn_border_ip ip = {.version = (uint8_t)version};
	const uint8_t *p = w->data + w->off;
	uint32_t start = w->off, total;

	if (!(version == 6 ? walk_ipv6(w, &ip, &total) : walk_ipv4(w, &ip, &total)))
		return false;
	w->view->ip[w->view->n_ip++] = ip;
	if (total > w->end - start) {
		/*
		 * An inner packet in the first fragment of its tunnel is longer than the bytes
		 * present.
		 */
		if (!w->first_fragment)
			note_found(w, FCN_BORDER_UNREAD);
	} else {
		w->end = start + total;
	}
	/* The IPv4 header contains the fields that IPv6 has in the Fragment header. */
	if (version == 4 && (get16(p + 6) & 0x3FFF) != 0 &&
			!check_fragment(w, (get16(p + 6) & 0x1FFFu) * 8, p[6] & 0x20))
		return false;
	return walk_extensions(w);
}

static void
look_at_udp(struct walk *w)
{
	const uint8_t *udp = w->data + w->off;
	uint16_t port;

	if (!reach_upper(w, UDP_LEN))
		return;
	port = get16(udp + 2);
	if (port == w->codes->cnm_port && port != 0)
		note_found(w, FCN_BORDER_CNM);
	if (port == w->codes->arn_port && port != 0)
		note_found(w, FCN_BORDER_ARN);
	/* The opcode is enough, because the receiver of a CNP validates the rest of it. */
	if (port == FCN_ROCE_UDP_PORT && reach_upper(w, UDP_LEN + 1) &&
			udp[UDP_LEN] == FCN_BTH_OPCODE_CNP) {
		note_found(w, FCN_BORDER_CNP);
		w->view->cnp = w->view->n_ip - 1;
	}
}

/* Skip the VLAN tags. @return EtherType behind them; 0: there is none */
static uint16_t
walk_ethernet(struct walk *w)
{
	unsigned int tags = 0;
	uint16_t type;

	w->off = 2 * RTE_ETHER_ADDR_LEN;
	for (;; tags++) {
		if (w->len < w->off + 2)
			return 0;
		type = get16(w->data + w->off);
		w->off += 2;
		if (type != RTE_ETHER_TYPE_VLAN && type != RTE_ETHER_TYPE_QINQ &&
				type != ETHER_TYPE_QINQ_OLD)
			return type;
		if (tags == FCN_BORDER_MAX_VLANS) {
			note_found(w, FCN_BORDER_UNREAD);
			return 0;
		}
		w->off += 2;
	}
}

void
fcn_border_parse(const uint8_t *data, uint32_t len, uint32_t pkt_len,
		const struct fcn_border_codes *codes, struct fcn_border_view *view)
{
	struct walk w = {
			.data = data,
			.len = RTE_MIN(len, (uint32_t)FCN_BORDER_MAX_HEADERS),
			.end = pkt_len,
			.codes = codes,
			.view = view,
	};
	uint16_t type;
	bool more;

	*view = (struct fcn_border_view){0};
	type = walk_ethernet(&w);
	if (type == RTE_ETHER_TYPE_IPV6)
		more = walk_ip(&w, 6);
	else if (type == RTE_ETHER_TYPE_IPV4)
		more = walk_ip(&w, 4);
	else
		return;
	if (more && (w.proto == IPPROTO_IPV6 || w.proto == IPPROTO_IPIP))
		more = walk_ip(&w, w.proto == IPPROTO_IPV6 ? 6 : 4);
	if (!more)
		return;
	if (w.proto == IPPROTO_UDP)
		look_at_udp(&w);
	else if (w.proto == IPPROTO_IPV6 || w.proto == IPPROTO_IPIP)
		note_found(&w, FCN_BORDER_UNREAD);
}
