/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_ip.h>

#include "fcn_arp.h"
#include "fcn_nd.h"
#include "hostbed.h"

struct fcn_addr
addr_of(const char *text)
{
	struct fcn_addr a = {0};

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	return a;
}

struct rte_ether_addr
mac_of(uint8_t n)
{
	return (struct rte_ether_addr){{0x02, 0, 0, 0, 1, n}};
}

struct rte_ether_addr
mac_of_port(uint16_t port)
{
	return (struct rte_ether_addr){{0x02, 0, 0, 0, 0, (uint8_t)(0x10 + port)}};
}

struct bytes
hex_of(const char *hex)
{
	struct bytes b = {.len = 0};
	unsigned int byte;

	for (; *hex != '\0'; hex += 2) {
		assert_int_equal(sscanf(hex, "%2x", &byte), 1);
		b.data[b.len++] = (uint8_t)byte;
	}
	return b;
}

void
bytes_put(struct bytes *b, const void *data, uint32_t len)
{
	assert_true(b->len + len <= BED_BYTES);
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

void
bytes_ether(struct bytes *b, struct rte_ether_addr dst, struct rte_ether_addr src, uint16_t type)
{
	uint16_t be = rte_cpu_to_be_16(type);

	b->len = 0;
	bytes_put(b, &dst, sizeof(dst));
	bytes_put(b, &src, sizeof(src));
	bytes_put(b, &be, sizeof(be));
}

void
ip4_set_checksum(struct bytes *b)
{
	uint8_t *ip = b->data + RTE_ETHER_HDR_LEN;
	uint32_t sum = 0;

	ip[10] = ip[11] = 0;
	for (unsigned int i = 0; i < (ip[0] & 15u) * 4; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum > 0xFFFF)
		sum = (sum & 0xFFFF) + (sum >> 16);
	sum ^= 0xFFFF;
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

struct bytes
packet(uint16_t port, uint8_t n, const char *src, const char *dst, uint8_t proto, uint8_t hop_limit,
		uint32_t payload)
{
	static const uint8_t zero[BED_BYTES];
	struct fcn_addr s = addr_of(src), d = addr_of(dst);
	struct bytes b;

	if (s.version == 6) {
		const uint8_t head[8] = {0x60, 0, 0, 0, (uint8_t)(payload >> 8), (uint8_t)payload,
				proto, hop_limit};

		bytes_ether(&b, mac_of_port(port), mac_of(n), RTE_ETHER_TYPE_IPV6);
		bytes_put(&b, head, sizeof(head));
		bytes_put(&b, s.bytes, 16);
		bytes_put(&b, d.bytes, 16);
	} else {
		uint32_t len = 20 + payload;
		const uint8_t head[12] = {0x45, 0, (uint8_t)(len >> 8), (uint8_t)len, 0x12, 0x34,
				0x40, 0, hop_limit, proto, 0, 0};

		bytes_ether(&b, mac_of_port(port), mac_of(n), RTE_ETHER_TYPE_IPV4);
		bytes_put(&b, head, sizeof(head));
		bytes_put(&b, s.bytes, 4);
		bytes_put(&b, d.bytes, 4);
		ip4_set_checksum(&b);
	}
	bytes_put(&b, zero, payload);
	return b;
}

struct bytes
a_to_b(uint8_t hop_limit, uint32_t payload)
{
	return packet(0, 0x0a, "2001:db8::a", "2001:db8:1::b", IPPROTO_UDP, hop_limit, payload);
}

/*
 * Remove the option of a message of 72 bytes, which makes it 8 bytes shorter, and adapt the
 * checksum.
 */
static uint32_t
without_option(uint8_t *ip)
{
	uint8_t *icmp = ip + 40;
	uint32_t sum = (uint32_t)icmp[2] << 8 | icmp[3];

	for (unsigned int i = 24; i < 32; i += 2)
		sum += (uint32_t)icmp[i] << 8 | icmp[i + 1];
	sum += 8; /* difference of the length in the pseudo-header */
	while (sum > 0xFFFF)
		sum = (sum & 0xFFFF) + (sum >> 16);
	icmp[2] = (uint8_t)(sum >> 8);
	icmp[3] = (uint8_t)sum;
	ip[5] -= 8;
	return 64;
}

void
nd_receive_solicitation(uint16_t port, uint8_t n, const char *src, const char *target, bool lladdr)
{
	struct fcn_addr s = src == NULL ? (struct fcn_addr){0} : addr_of(src);
	struct fcn_addr t = addr_of(target);
	struct rte_ether_addr mac = mac_of(n);
	struct bytes b;
	uint32_t len;

	bytes_ether(&b, mac_of_port(port), mac, RTE_ETHER_TYPE_IPV6);
	len = fcn_nd_build_ns(src == NULL ? NULL : s.bytes, &mac,
			lladdr || src == NULL ? NULL : t.bytes, t.bytes, b.data + b.len,
			BED_BYTES - b.len);
	if (!lladdr && src != NULL)
		len = without_option(b.data + b.len);
	b.len += len;
	bed_punt(FCN_PUNT_LINK, port, &b);
}

void
nd_receive_advertisement(uint16_t port, uint8_t n, const char *target, uint8_t flags, bool lladdr)
{
	static const uint8_t to[2][16] = {{0x20, 0x01, 0x0d, 0xb8, [15] = 1},
			{0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = 1}};
	struct fcn_addr t = addr_of(target);
	struct rte_ether_addr mac = mac_of(n);
	struct bytes b;
	uint32_t len;

	bytes_ether(&b, mac_of_port(port), mac, RTE_ETHER_TYPE_IPV6);
	len = fcn_nd_build_na(flags & FCN_ND_SOLICITED ? to[port] : NULL, &mac, t.bytes, flags,
			b.data + b.len, BED_BYTES - b.len);
	if (!lladdr)
		len = without_option(b.data + b.len);
	b.len += len;
	bed_punt(FCN_PUNT_LINK, port, &b);
}

void
arp_receive(uint16_t port, uint8_t n, uint16_t opcode, const char *sender, const char *target)
{
	static const uint8_t pad[18];
	struct fcn_arp arp = {.opcode = opcode, .sender_mac = mac_of(n)};
	struct fcn_addr s = addr_of(sender), t = addr_of(target);
	struct bytes b;

	if (opcode == FCN_ARP_REPLY)
		arp.target_mac = mac_of_port(port);
	memcpy(arp.sender_ip, s.bytes, 4);
	memcpy(arp.target_ip, t.bytes, 4);
	bytes_ether(&b, mac_of_port(port), arp.sender_mac, RTE_ETHER_TYPE_ARP);
	b.len += fcn_arp_build(&arp, b.data + b.len, BED_BYTES - b.len);
	bytes_put(&b, pad, sizeof(pad));
	bed_punt(FCN_PUNT_ARP, port, &b);
}
