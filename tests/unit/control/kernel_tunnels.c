/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Messages of the fake kernel about routes with tunnels of SRv6. */

#include <stdio.h>

#include <linux/lwtunnel.h>
#include <linux/rtnetlink.h>
#include <linux/seg6_iptunnel.h>
#include <linux/seg6_local.h>

#include "kernel_fake.h"

void
kernel_segments(uint16_t message, const char *prefix, const char *segments, bool reduced)
{
	const uint16_t type = LWTUNNEL_ENCAP_SEG6;
	const uint32_t mode = reduced ? SEG6_IPTUN_MODE_ENCAP_RED : SEG6_IPTUN_MODE_ENCAP;
	uint8_t encap[4 + 4 + 8 + 16 * 8] = {0};
	uint8_t *srh = encap + 8, n = 1;
	struct nlattr list = {.nla_type = SEG6_IPTUNNEL_SRH};
	char text[256];
	struct fcn_addr a;

	for (const char *c = segments; *c != '\0'; c++)
		n += *c == ',';
	list.nla_len = sizeof(list) + 4 + 8 + 16 * n;
	memcpy(encap, &list, sizeof(list));
	memcpy(encap + 4, &mode, sizeof(mode));
	memcpy(srh, (const uint8_t[]){0, 2 * n, 4, n - 1, n - 1}, 5);
	snprintf(text, sizeof(text), "%s", segments);
	for (char *next = text, *one; (one = strsep(&next, ",")) != NULL;) {
		assert_int_equal(fcn_addr_parse(one, &a), 0);
		memcpy(srh + 8 + 16 * --n, a.bytes, 16);
	}
	kernel_route(message, prefix, NULL, 99, RTN_UNICAST, RTPROT_STATIC);
	kernel_attribute(RTA_ENCAP_TYPE, &type, sizeof(type));
	kernel_attribute(RTA_ENCAP, encap, list.nla_len);
}

/* Append an attribute to others. @return their length */
static uint16_t
append(uint8_t *to, uint16_t at, uint16_t type, const void *data, uint16_t len)
{
	const struct nlattr a = {.nla_len = sizeof(a) + len, .nla_type = type};

	memcpy(to + at, &a, sizeof(a));
	memcpy(to + at + sizeof(a), data, len);
	return at + NLA_ALIGN(a.nla_len);
}

void
kernel_sid(uint16_t message, const char *prefix, uint32_t action, uint32_t table, const char *via,
		uint32_t flavors)
{
	const uint16_t type = LWTUNNEL_ENCAP_SEG6_LOCAL;
	uint8_t encap[128] = {0}, flavor[16] = {0};
	struct fcn_addr a;
	uint16_t len;

	len = append(encap, 0, SEG6_LOCAL_ACTION, &action, sizeof(action));
	if (table != 0)
		len = append(encap, len, SEG6_LOCAL_TABLE, &table, sizeof(table));
	if (via != NULL) {
		assert_int_equal(fcn_addr_parse(via, &a), 0);
		len = append(encap, len, SEG6_LOCAL_NH6, a.bytes, 16);
	}
	if (flavors != 0)
		len = append(encap, len, SEG6_LOCAL_FLAVORS, flavor,
				append(flavor, 0, SEG6_LOCAL_FLV_OPERATION, &flavors,
						sizeof(flavors)));
	kernel_route(message, prefix, NULL, 99, RTN_UNICAST, RTPROT_STATIC);
	kernel_attribute(RTA_ENCAP_TYPE, &type, sizeof(type));
	kernel_attribute(RTA_ENCAP, encap, len);
}
