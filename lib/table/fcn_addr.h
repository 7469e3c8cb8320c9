/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Addresses and prefixes of either IP version. The functions keep no state: any thread may call
 * them.
 */

#ifndef FCN_ADDR_H
#define FCN_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

/** An IP address in network byte order; IPv4 uses the first 4 bytes, the rest is zero. */
struct fcn_addr {
	uint8_t version; /**< 4 or 6; 0: there is no address */
	uint8_t bytes[16];
};

/** An IP prefix. */
struct fcn_prefix {
	struct fcn_addr addr;
	uint8_t len; /**< 0 to 32 for IPv4, 0 to 128 for IPv6 */
};

#define FCN_ADDR_STRLEN 46   /**< longest text of an address, terminator included */
#define FCN_PREFIX_STRLEN 50 /**< longest text of a prefix, terminator included */

/**
 * Read an address from text: dotted decimal without leading zeros, or IPv6 as in RFC 4291 section
 * 2.2 without a zone. The text must hold nothing else.
 *
 * @return 0, or -EINVAL and addr unchanged
 */
int fcn_addr_parse(const char *text, struct fcn_addr *addr);

/**
 * Read a prefix "address/length" from text; an address without length is a host prefix. The length
 * is decimal without leading zeros. Host bits are kept: see fcn_prefix_normalise().
 *
 * @return 0, or -EINVAL and prefix unchanged
 */
int fcn_prefix_parse(const char *text, struct fcn_prefix *prefix);

/**
 * Write an address as text, IPv6 as in RFC 5952; "-" when there is no address. If buf is too small,
 * the text is empty rather than truncated.
 *
 * @return buf
 */
const char *fcn_addr_format(const struct fcn_addr *addr, char *buf, size_t size);

/** Write a prefix as text "address/length", like fcn_addr_format(). @return buf */
const char *fcn_prefix_format(const struct fcn_prefix *prefix, char *buf, size_t size);

/** Check whether two addresses are equal; the bytes after an IPv4 address are ignored. */
bool fcn_addr_equal(const struct fcn_addr *a, const struct fcn_addr *b);

/** Check whether two prefixes have the same address, including host bits, and the same length. */
bool fcn_prefix_equal(const struct fcn_prefix *a, const struct fcn_prefix *b);

/**
 * Compare by version, address, then length, so that a prefix sorts before the prefixes that it
 * contains.
 *
 * @return as memcmp()
 */
int fcn_prefix_compare(const struct fcn_prefix *a, const struct fcn_prefix *b);

/** Check whether prefix contains addr; false when their versions differ. */
bool fcn_prefix_contains(const struct fcn_prefix *prefix, const struct fcn_addr *addr);

/** Clear the host bits of a prefix. @return whether any was set */
bool fcn_prefix_normalise(struct fcn_prefix *prefix);

/** Write an IPv4 address of 4 bytes as an IPv4-mapped IPv6 address, ::ffff:a.b.c.d, of 16 bytes
 * (RFC 4291 section 2.5.5.2). */
static inline void
fcn_addr_map(const uint8_t *v4, uint8_t *mapped)
{
	memset(mapped, 0, 10);
	memset(mapped + 10, 0xFF, 2);
	memcpy(mapped + 12, v4, 4);
}

/**
 * Get an address as two words in the order of memory, an IPv4 address as an IPv4-mapped one. They
 * are not put together in memory, from which a processor could not read them as words at once.
 *
 * @param version 4 or 6
 * @param addr    4 or 16 bytes
 */
static inline void
fcn_addr_words(unsigned int version, const uint8_t *addr, uint64_t words[2])
{
	uint32_t ip4;

	if (version == 4) {
		memcpy(&ip4, addr, sizeof(ip4));
		words[0] = 0;
		words[1] = rte_cpu_to_be_64(UINT64_C(0xFFFF) << 32 | rte_be_to_cpu_32(ip4));
	} else {
		memcpy(&words[0], addr, sizeof(words[0]));
		memcpy(&words[1], addr + sizeof(words[0]), sizeof(words[1]));
	}
}

/** Check whether 16 bytes are an IPv4-mapped IPv6 address. The IPv4 address is their last 4. */
static inline bool
fcn_addr_is_mapped(const uint8_t *bytes)
{
	static const uint8_t prefix[12] = {[10] = 0xFF, 0xFF};

	return memcmp(bytes, prefix, sizeof(prefix)) == 0;
}

/** Get the address that 16 bytes are: IPv4 if it is an IPv4-mapped one, otherwise IPv6. */
static inline struct fcn_addr
fcn_addr_unmap(const uint8_t *bytes)
{
	const bool mapped = fcn_addr_is_mapped(bytes);
	struct fcn_addr addr = {.version = mapped ? 4 : 6};

	memcpy(addr.bytes, mapped ? bytes + 12 : bytes, mapped ? 4 : 16);
	return addr;
}

/**
 * Check whether an answer can be sent to addr: it is not multicast, not unspecified, and not the
 * IPv4 limited broadcast address.
 */
bool fcn_addr_is_unicast(const struct fcn_addr *addr);

/**
 * Get the reason why an address cannot be that of a host on a network: it is unspecified (for IPv4
 * all of 0/8, RFC 1122 section 3.2.1.3), multicast, broadcast, reserved (240/4, RFC 1112 section
 * 4), a loopback address (127/8, ::1) or an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2),
 * which never appears in a packet.
 *
 * @return a text such as "a multicast address"; NULL when the address can be a host's
 */
const char *fcn_addr_why_no_host(const struct fcn_addr *addr);

/**
 * Get the reason why a router forwards no packet to any address of a prefix, whatever its routes
 * are: RFC 1812 section 5.3.7, RFC 3927 section 2.7, RFC 4291 sections 2.5.6 and 2.7.
 *
 * @return a text such as "240.0.0.0/4 is reserved (RFC 1112)"; NULL when it forwards some
 */
const char *fcn_prefix_why_not_forwarded(const struct fcn_prefix *prefix);

/**
 * Get the reason why a host cannot have an address in its prefix. Besides those of
 * fcn_addr_why_no_host(), it is
 *
 * - of IPv6, the Subnet-Router anycast address (RFC 4291 section 2.6.1) or one of the highest 128,
 *   which are reserved for anycast (RFC 2526 section 2, RFC 5453 section 3), in a prefix that has
 *   them: the former exists up to /126, as /127 is for links between two routers (RFC 6164 section
 *   5), the latter up to /120;
 * - of IPv4, the address of the network or its broadcast address (RFC 1122 section 3.2.1.3), up to
 *   /30, as both addresses of a /31 are hosts' (RFC 3021 section 2.1).
 *
 * @param prefix the address with the length of its prefix
 * @return a text such as "a multicast address"; NULL when a host can have it
 */
const char *fcn_prefix_why_no_host(const struct fcn_prefix *prefix);

/**
 * Check whether an address is link-local: fe80::/10 (RFC 4291 section 2.5.6) or 169.254/16 (RFC
 * 3927 section 2.1).
 */
bool fcn_addr_is_link_local(const struct fcn_addr *addr);

#endif /* FCN_ADDR_H */
