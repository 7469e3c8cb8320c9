/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fcn_addr.h"

static uint8_t
addr_bits(uint8_t version)
{
	return version == 6 ? 128 : version == 4 ? 32 : 0;
}

/* Get a mask of the bits of byte number index that belong to a prefix of len bits. */
static uint8_t
byte_mask(unsigned int index, unsigned int len)
{
	if (len >= 8 * (index + 1))
		return 0xff;
	if (len <= 8 * index)
		return 0;
	return (uint8_t)(0xff << (8 * (index + 1) - len));
}

int
fcn_addr_parse(const char *text, struct fcn_addr *addr)
{
	struct fcn_addr parsed = {0};

	if (inet_pton(AF_INET, text, parsed.bytes) == 1)
		parsed.version = 4;
	else if (inet_pton(AF_INET6, text, parsed.bytes) == 1)
		parsed.version = 6;
	else
		return -EINVAL;
	*addr = parsed;
	return 0;
}

/* Read a decimal number of 1 to 3 digits without sign, blanks or leading zeros. */
static int
length_parse(const char *text, unsigned int max, uint8_t *len)
{
	unsigned int value = 0;
	size_t n = strlen(text);
	size_t i;

	if (n == 0 || n > 3 || (n > 1 && text[0] == '0'))
		return -EINVAL;
	for (i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		value = value * 10 + (unsigned int)(text[i] - '0');
	}
	if (value > max)
		return -EINVAL;
	*len = (uint8_t)value;
	return 0;
}

int
fcn_prefix_parse(const char *text, struct fcn_prefix *prefix)
{
	const char *slash = strchr(text, '/');
	char addr[FCN_ADDR_STRLEN];
	struct fcn_prefix parsed;
	size_t n;

	if (slash == NULL) {
		if (fcn_addr_parse(text, &parsed.addr) != 0)
			return -EINVAL;
		parsed.len = addr_bits(parsed.addr.version);
		*prefix = parsed;
		return 0;
	}
	n = (size_t)(slash - text);
	if (n >= sizeof(addr))
		return -EINVAL;
	memcpy(addr, text, n);
	addr[n] = '\0';
	if (fcn_addr_parse(addr, &parsed.addr) != 0)
		return -EINVAL;
	if (length_parse(slash + 1, addr_bits(parsed.addr.version), &parsed.len) != 0)
		return -EINVAL;
	*prefix = parsed;
	return 0;
}

const char *
fcn_addr_format(const struct fcn_addr *addr, char *buf, size_t size)
{
	if (size == 0)
		return buf;
	if (addr_bits(addr->version) == 0) {
		snprintf(buf, size, "-");
		return buf;
	}
	if (inet_ntop(addr->version == 6 ? AF_INET6 : AF_INET, addr->bytes, buf, (socklen_t)size) ==
			NULL)
		buf[0] = '\0';
	return buf;
}

const char *
fcn_prefix_format(const struct fcn_prefix *prefix, char *buf, size_t size)
{
	char addr[FCN_ADDR_STRLEN];
	int n;

	if (size == 0)
		return buf;
	fcn_addr_format(&prefix->addr, addr, sizeof(addr));
	if (addr_bits(prefix->addr.version) == 0)
		n = snprintf(buf, size, "%s", addr);
	else
		n = snprintf(buf, size, "%s/%u", addr, (unsigned int)prefix->len);
	/* A truncated address could be mistaken for another one. */
	if (n < 0 || (size_t)n >= size)
		buf[0] = '\0';
	return buf;
}

bool
fcn_addr_equal(const struct fcn_addr *a, const struct fcn_addr *b)
{
	return a->version == b->version &&
	       memcmp(a->bytes, b->bytes, addr_bits(a->version) / 8) == 0;
}

bool
fcn_prefix_equal(const struct fcn_prefix *a, const struct fcn_prefix *b)
{
	return a->len == b->len && fcn_addr_equal(&a->addr, &b->addr);
}

int
fcn_prefix_compare(const struct fcn_prefix *a, const struct fcn_prefix *b)
{
	int d;

	if (a->addr.version != b->addr.version)
		return a->addr.version - b->addr.version;
	d = memcmp(a->addr.bytes, b->addr.bytes, sizeof(a->addr.bytes));
	return d != 0 ? d : a->len - b->len;
}

bool
fcn_prefix_contains(const struct fcn_prefix *prefix, const struct fcn_addr *addr)
{
	unsigned int n = addr_bits(addr->version) / 8;
	unsigned int i;

	if (n == 0 || prefix->addr.version != addr->version)
		return false;
	for (i = 0; i < n; i++) {
		if ((prefix->addr.bytes[i] ^ addr->bytes[i]) & byte_mask(i, prefix->len))
			return false;
	}
	return true;
}

bool
fcn_prefix_normalise(struct fcn_prefix *prefix)
{
	bool changed = false;
	unsigned int i;

	for (i = 0; i < sizeof(prefix->addr.bytes); i++) {
		uint8_t kept = prefix->addr.bytes[i] & byte_mask(i, prefix->len);

		changed |= kept != prefix->addr.bytes[i];
		prefix->addr.bytes[i] = kept;
	}
	return changed;
}

bool
fcn_addr_is_unicast(const struct fcn_addr *addr)
{
	static const uint8_t zero[16];
	static const uint8_t ones[4] = {255, 255, 255, 255};

	switch (addr->version) {
	case 4:
		return (addr->bytes[0] & 0xf0) != 0xe0 && memcmp(addr->bytes, zero, 4) != 0 &&
		       memcmp(addr->bytes, ones, 4) != 0;
	case 6:
		return addr->bytes[0] != 0xff && memcmp(addr->bytes, zero, 16) != 0;
	default:
		return false;
	}
}

const char *
fcn_addr_why_no_host(const struct fcn_addr *addr)
{
	static const uint8_t zero[15];
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	const uint8_t *b = addr->bytes;

	if (addr->version == 6) {
		if (b[0] == 0xff)
			return "a multicast address";
		if (memcmp(b, mapped, sizeof(mapped)) == 0)
			return "an IPv4-mapped address";
		if (memcmp(b, zero, sizeof(zero)) != 0 || b[15] > 1)
			return NULL;
		return b[15] == 0 ? "the unspecified address" : "a loopback address";
	}
	if (addr->version != 4)
		return "no address";
	if (b[0] == 0)
		return "an unspecified address";
	if (b[0] == 127)
		return "a loopback address";
	if ((b[0] & 0xf0) == 0xe0)
		return "a multicast address";
	if (!fcn_addr_is_unicast(addr))
		return "the broadcast address";
	return b[0] >= 240 ? "an address of 240.0.0.0/4, which is reserved and not forwarded"
			   : NULL;
}

const char *
fcn_prefix_why_not_forwarded(const struct fcn_prefix *prefix)
{
	/* The first octet is enough for the length given. */
	static const struct {
		uint8_t version, from, to, len;
		const char *why;
	} ranges[] = {
			{4, 0, 0, 8, "0.0.0.0/8 is this network (RFC 1122)"},
			{4, 127, 127, 8, "127.0.0.0/8 is for loopback (RFC 1122)"},
			{4, 224, 239, 4, "224.0.0.0/4 is for multicast (RFC 5771)"},
			{4, 240, 255, 4, "240.0.0.0/4 is reserved (RFC 1112)"},
			{6, 0xff, 0xff, 8, "ff00::/8 is for multicast (RFC 4291)"},
	};
	const uint8_t *b = prefix->addr.bytes;

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (prefix->addr.version == ranges[i].version && prefix->len >= ranges[i].len &&
				b[0] >= ranges[i].from && b[0] <= ranges[i].to)
			return ranges[i].why;
	}
	if (!fcn_addr_is_link_local(&prefix->addr))
		return NULL;
	if (prefix->addr.version == 4)
		return prefix->len >= 16 ? "169.254.0.0/16 is for one link (RFC 3927)" : NULL;
	return prefix->len >= 10 ? "fe80::/10 is for one link (RFC 4291)" : NULL;
}

/* The bits of a byte of an address that belong to the host. */
static uint8_t
host_mask(unsigned int byte, unsigned int prefix_len)
{
	return (uint8_t)~byte_mask(byte, prefix_len);
}

/* Whether all host bits of an address are 0, or all are 1. */
static bool
has_host_bits(const struct fcn_prefix *prefix, uint8_t value)
{
	const unsigned int bytes = addr_bits(prefix->addr.version) / 8;

	for (unsigned int i = 0; i < bytes; i++) {
		const uint8_t mask = host_mask(i, prefix->len);

		if ((prefix->addr.bytes[i] & mask) != (value & mask))
			return false;
	}
	return true;
}

/*
 * Whether an IPv6 address is one of those that RFC 2526 section 2 reserves in each subnet: the host
 * bits are 1 up to the last 7; where the interface identifier has 64 bits, its universal/local bit
 * is 0.
 */
static bool
is_reserved_anycast(const struct fcn_prefix *prefix)
{
	struct fcn_prefix highest = *prefix;

	highest.addr.bytes[15] |= 0x7f;
	if (prefix->len == 64) {
		if (prefix->addr.bytes[8] & 0x02)
			return false;
		highest.addr.bytes[8] |= 0x02;
	}
	return has_host_bits(&highest, 0xff);
}

const char *
fcn_prefix_why_no_host(const struct fcn_prefix *prefix)
{
	const char *why = fcn_addr_why_no_host(&prefix->addr);
	const bool is_ipv6 = prefix->addr.version == 6;

	if (why != NULL || prefix->len >= (is_ipv6 ? 127 : 31))
		return why;
	if (has_host_bits(prefix, 0))
		return is_ipv6 ? "the Subnet-Router anycast address of its prefix (RFC 4291)"
			       : "the address of the network itself (RFC 1122)";
	if (is_ipv6)
		return prefix->len <= 120 && is_reserved_anycast(prefix)
				       ? "one of the highest 128 of its prefix, which are reserved "
					 "for anycast (RFC 2526)"
				       : NULL;
	return has_host_bits(prefix, 0xff) ? "the broadcast address of its prefix (RFC 1122)"
					   : NULL;
}

bool
fcn_addr_is_link_local(const struct fcn_addr *addr)
{
	if (addr->version == 6)
		return addr->bytes[0] == 0xfe && (addr->bytes[1] & 0xc0) == 0x80;
	return addr->version == 4 && addr->bytes[0] == 169 && addr->bytes[1] == 254;
}
