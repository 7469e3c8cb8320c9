/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <linux/rtnetlink.h>

#include "rtnl_attr.h"

#define MAX_ERRNO 4095

bool
fcn_rtnl_next(const uint8_t **data, size_t *left, struct nlmsghdr *hdr, struct fcn_rtnl_span *body)
{
	size_t step;

	if (*left < sizeof(*hdr))
		return false;
	memcpy(hdr, *data, sizeof(*hdr));
	if (hdr->nlmsg_len < sizeof(*hdr) || hdr->nlmsg_len > *left)
		return false;
	body->data = *data + sizeof(*hdr);
	body->len = hdr->nlmsg_len - sizeof(*hdr);
	step = FCN_RTNL_ALIGN((size_t)hdr->nlmsg_len);
	step = step < *left ? step : *left;
	*data += step;
	*left -= step;
	return true;
}

int
fcn_rtnl_error(const struct fcn_rtnl_span *body)
{
	int error = 0;

	if (body->len >= sizeof(error))
		memcpy(&error, body->data, sizeof(error));
	/* the kernel sends 0 or a negative errno */
	return error <= 0 && error >= -MAX_ERRNO ? error : -EBADMSG;
}

int
fcn_rtnl_read(const struct nlmsghdr *hdr, const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	memset(out, 0, sizeof(*out));
	out->replace = hdr->nlmsg_flags & NLM_F_REPLACE;
	out->append = hdr->nlmsg_flags & NLM_F_APPEND;
	switch (hdr->nlmsg_type) {
	case RTM_DELROUTE:
		out->gone = true;
		/* fall through */
	case RTM_NEWROUTE:
		return fcn_rtnl_read_route(body, out);
	case RTM_DELNEXTHOP:
		out->gone = true;
		/* fall through */
	case RTM_NEWNEXTHOP:
		return fcn_rtnl_read_nexthop(body, out);
	case RTM_DELNEIGH:
		out->gone = true;
		/* fall through */
	case RTM_NEWNEIGH:
		return fcn_rtnl_read_neighbour(body, out);
	case RTM_DELLINK:
		out->gone = true;
		/* fall through */
	case RTM_NEWLINK:
		return fcn_rtnl_read_link(body, out);
	case RTM_DELADDR:
		out->gone = true;
		/* fall through */
	case RTM_NEWADDR:
		return fcn_rtnl_read_address(body, out);
	default:
		return 0;
	}
}

const char *
fcn_rtnl_protocol_name(uint8_t protocol)
{
	switch (protocol) {
	case RTPROT_REDIRECT:
		return "redirect";
	case RTPROT_KERNEL:
		return "kernel";
	case RTPROT_BOOT:
		return "boot";
	case RTPROT_STATIC:
	case 196: /* FRR's staticd */
		return "static";
	case RTPROT_RA:
		return "ra";
	case RTPROT_ZEBRA:
		return "zebra";
	case RTPROT_BIRD:
		return "bird";
	case RTPROT_DHCP:
		return "dhcp";
	case RTPROT_BGP:
		return "bgp";
	case RTPROT_ISIS:
		return "isis";
	case RTPROT_OSPF:
		return "ospf";
	case RTPROT_RIP:
	case 190: /* FRR's ripngd */
		return "rip";
	case RTPROT_EIGRP:
		return "eigrp";
	case RTPROT_BABEL:
		return "babel";
	default:
		return NULL;
	}
}
