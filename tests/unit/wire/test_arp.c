/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* ARP, read and built, against frames of scapy and fields laid out by hand. */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_arp.h"
#include "message.h"
#include "vectors.h"

#define ETHER 14

static const struct rte_ether_addr mac_a = {.addr_bytes = {0x02, 0x11, 0x22, 0x33, 0x44, 0x55}};
static const struct rte_ether_addr mac_b = {.addr_bytes = {0x02, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE}};
static const uint8_t ip_a[4] = {192, 0, 2, 1}, ip_b[4] = {192, 0, 2, 9};

/* What the frames of 30_arp say. */
static const struct {
	struct fcn_arp arp;
	bool probe;
} said[] = {
		{{1, {{2, 0x11, 0x22, 0x33, 0x44, 0x55}}, {192, 0, 2, 1}, {{0}}, {192, 0, 2, 9}},
				false},
		{{2, {{2, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE}}, {192, 0, 2, 9},
				 {{2, 0x11, 0x22, 0x33, 0x44, 0x55}}, {192, 0, 2, 1}},
				false},
		{{1, {{2, 0x11, 0x22, 0x33, 0x44, 0x55}}, {0}, {{0}}, {192, 0, 2, 1}}, true},
		{{1, {{2, 0x11, 0x22, 0x33, 0x44, 0x55}}, {192, 0, 2, 1}, {{0}}, {192, 0, 2, 1}},
				false},
		{{1, {{2, 0x11, 0x22, 0x33, 0x44, 0x55}}, {192, 0, 2, 1},
				 {{2, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE}}, {192, 0, 2, 9}},
				false},
		{{2, {{2, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE}}, {192, 0, 2, 9},
				 {{2, 0x11, 0x22, 0x33, 0x44, 0x55}}, {0}},
				false},
};

TEST(vectors_read)
{
	struct vectors v;

	vectors_load(&v, "30_arp");
	assert_int_equal(v.n, RTE_DIM(said));
	for (unsigned int i = 0; i < v.n; i++) {
		struct fcn_arp arp;

		memset(&arp, 0xA5, sizeof(arp));
		assert_int_equal(fcn_arp_parse(v.data[i] + ETHER, v.len[i] - ETHER, &arp),
				FCN_MSG_OK);
		assert_memory_equal(&arp, &said[i].arp, sizeof(arp));
		assert_int_equal(fcn_arp_is_probe(&arp), said[i].probe);
	}
	vectors_free(&v);
}

/* Frame i of the vectors by the builder it belongs to. */
static uint32_t
build(unsigned int i, uint8_t *buf, uint32_t room)
{
	static const struct fcn_arp probe_of_b = {.opcode = FCN_ARP_REQUEST,
			.sender_mac = {{0x02, 0x11, 0x22, 0x33, 0x44, 0x55}},
			.target_ip = {192, 0, 2, 9}};

	switch (i) {
	case 0:
		return fcn_arp_build_request(&mac_a, ip_a, NULL, ip_b, buf, room);
	case 1:
		return fcn_arp_build_reply(&said[0].arp, &mac_b, buf, room);
	case 2:
		return fcn_arp_build_request(&mac_a, NULL, NULL, ip_a, buf, room);
	case 3:
		return fcn_arp_build_request(&mac_a, ip_a, NULL, ip_a, buf, room);
	case 4:
		return fcn_arp_build_request(&mac_a, ip_a, &mac_b, ip_b, buf, room);
	default:
		return fcn_arp_build_reply(&probe_of_b, &mac_b, buf, room);
	}
}

TEST(vectors_built)
{
	struct vectors v;

	vectors_load(&v, "30_arp");
	for (unsigned int i = 0; i < v.n; i++) {
		for (uint32_t room = 0; room <= FCN_ARP_LEN + 2; room++) {
			uint8_t *buf = msg_room(room);
			uint32_t len = build(i, buf, room);

			assert_int_equal(len, room < 28 ? 0 : 28);
			assert_memory_equal(buf, v.data[i] + ETHER, len);
			assert_true(msg_untouched(buf + len, room - len));
			free(buf);
		}
	}
	vectors_free(&v);
}

/* Every length; padding behind the message, of any content, changes nothing. */
TEST(cut)
{
	struct vectors v;

	vectors_load(&v, "30_arp");
	for (unsigned int i = 0; i < v.n; i++) {
		uint8_t frame[64];

		memset(frame, 0xFF, sizeof(frame));
		memcpy(frame, v.data[i] + ETHER, 28);
		for (uint32_t len = 0; len <= sizeof(frame); len++) {
			uint8_t *copy = exact_copy(frame, len);
			struct fcn_arp arp = {0};

			assert_int_equal(fcn_arp_parse(copy, len, &arp),
					len < 28 ? FCN_MSG_TRUNCATED : FCN_MSG_OK);
			if (len >= 28)
				assert_memory_equal(&arp, &said[i].arp, sizeof(arp));
			free(copy);
		}
	}
	vectors_free(&v);
}

static enum fcn_msg_error
with16(const uint8_t *message, uint32_t off, uint32_t value)
{
	uint8_t copy[FCN_ARP_LEN];
	struct fcn_arp arp, before;
	enum fcn_msg_error error;

	memset(&arp, 0x5A, sizeof(arp));
	before = arp;
	memcpy(copy, message, sizeof(copy));
	copy[off] = (uint8_t)(value >> 8);
	copy[off + 1] = (uint8_t)value;
	error = fcn_arp_parse(copy, sizeof(copy), &arp);
	if (error != FCN_MSG_OK)
		assert_memory_equal(&arp, &before, sizeof(arp));
	return error;
}

/* All values of hardware type, protocol type, both lengths and opcode. */
TEST(format)
{
	struct vectors v;

	vectors_load(&v, "30_arp");
	for (uint32_t x = 0; x <= 0xFFFF; x++) {
		const uint8_t *m = v.data[0] + ETHER;

		assert_int_equal(with16(m, 0, x), x == 1 ? FCN_MSG_OK : FCN_MSG_ARP_FORMAT);
		assert_int_equal(with16(m, 2, x), x == 0x0800 ? FCN_MSG_OK : FCN_MSG_ARP_FORMAT);
		assert_int_equal(with16(m, 4, x), x == 0x0604 ? FCN_MSG_OK : FCN_MSG_ARP_FORMAT);
		assert_int_equal(with16(m, 6, x),
				x == 1 || x == 2 ? FCN_MSG_OK : FCN_MSG_ARP_OPCODE);
	}
	vectors_free(&v);
}

static enum fcn_msg_error
with(uint8_t opcode, const uint8_t *mac, const uint8_t *sender, const uint8_t *target)
{
	uint8_t m[28] = {0, 1, 8, 0, 6, 4, 0, opcode};
	struct fcn_arp arp;

	memcpy(m + 8, mac, 6);
	memcpy(m + 14, sender, 4);
	memcpy(m + 24, target, 4);
	return fcn_arp_parse(m, sizeof(m), &arp);
}

/* By first octet: 0/8, 127/8, multicast and class E are of no station; 0.0.0.0 where it may be. */
TEST(addresses)
{
	const uint8_t *mac = mac_a.addr_bytes;

	for (unsigned int first = 0; first < 256; first++) {
		uint8_t ip[4] = {(uint8_t)first, 1, 2, 3};
		bool station = first != 0 && first != 127 && first < 224;

		for (uint8_t op = 1; op <= 2; op++) {
			assert_int_equal(with(op, mac, ip, ip_b),
					station ? FCN_MSG_OK : FCN_MSG_ARP_SENDER_IP);
			assert_int_equal(with(op, mac, ip_a, ip),
					station ? FCN_MSG_OK : FCN_MSG_TARGET);
		}
	}
	for (unsigned int i = 0; i < 4; i++) {
		uint8_t ip[4] = {0};

		assert_int_equal(with(1, mac, ip, ip_b), FCN_MSG_OK);
		assert_int_equal(with(2, mac, ip, ip_b), FCN_MSG_ARP_SENDER_IP);
		assert_int_equal(with(1, mac, ip_a, ip), FCN_MSG_TARGET);
		assert_int_equal(with(1, mac, ip, ip), FCN_MSG_TARGET);
		assert_int_equal(with(2, mac, ip_a, ip), FCN_MSG_OK);
		/* 0.0.0.0 with any bit set is another address. */
		ip[i] = 1;
		assert_int_equal(with(1, mac, ip, ip_b),
				i == 0 ? FCN_MSG_OK : FCN_MSG_ARP_SENDER_IP);
		assert_int_equal(with(2, mac, ip_a, ip), i == 0 ? FCN_MSG_OK : FCN_MSG_TARGET);
	}
}

TEST(sender_mac)
{
	uint8_t mac[6] = {0};

	assert_int_equal(with(1, mac, ip_a, ip_b), FCN_MSG_ARP_SENDER_MAC);
	assert_int_equal(with(2, mac, ip_a, ip_b), FCN_MSG_ARP_SENDER_MAC);
	for (unsigned int i = 0; i < 6; i++) {
		memset(mac, 0, sizeof(mac));
		mac[i] = 0x80;
		assert_int_equal(with(1, mac, ip_a, ip_b), FCN_MSG_OK);
	}
	for (unsigned int first = 0; first < 256; first++) {
		mac[0] = (uint8_t)first;
		assert_int_equal(with(2, mac, ip_a, ip_b),
				first & 1 ? FCN_MSG_ARP_SENDER_MAC : FCN_MSG_OK);
	}
	memset(mac, 0xFF, sizeof(mac));
	assert_int_equal(with(1, mac, ip_a, ip_b), FCN_MSG_ARP_SENDER_MAC);
}

/* Announcements come as replies, too. The target's MAC address makes no difference. */
TEST(gratuitous)
{
	struct fcn_arp arp = {.opcode = FCN_ARP_REPLY, .sender_mac = mac_a}, again;
	uint8_t m[28];

	memcpy(arp.sender_ip, ip_a, 4);
	memcpy(arp.target_ip, ip_a, 4);
	memset(&arp.target_mac, 0xFF, 6);
	assert_int_equal(fcn_arp_build(&arp, m, sizeof(m)), 28);
	assert_int_equal(fcn_arp_parse(m, sizeof(m), &again), FCN_MSG_OK);
	assert_memory_equal(&again, &arp, sizeof(arp));
	assert_false(fcn_arp_is_probe(&again));
}
