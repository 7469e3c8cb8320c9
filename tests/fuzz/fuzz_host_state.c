/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: the host functions over time. The input is a list of steps: an octet for the
 * kind of step, one for its parameters, two with a length, and as many octets of data. Packets
 * arrive, with corrected checksums if the step says so; time passes; links and the configuration
 * change; sent packets find no room. After every step each buffer and each waiting packet is
 * accounted for.
 */

#include <netinet/in.h>

#include <rte_ip.h>

#include "fcn_inet.h"
#include "hostbed.h"
#include "fuzz.h"

#define STEP_LEN 4
#define MOST_STEPS 64
#define ETH_LEN 14

/* Bytes before what is taken for ICMPv6: the header, and Hop-by-Hop Options as queries of MLD have.
 */
static uint32_t
icmp6_off(const uint8_t *ip, uint32_t len)
{
	uint32_t off = ip[6] == IPPROTO_HOPOPTS ? 48 + 8u * ip[41] : 40;

	return off + 8 <= len ? off : 40;
}

/* As if the packet were ICMP directly behind its IP header, or behind Hop-by-Hop Options. */
static void
make_right(struct bytes *b)
{
	uint8_t *ip = b->data + ETH_LEN;
	const uint32_t len = b->len - ETH_LEN;
	uint32_t off;
	uint32_t sum;
	uint16_t folded;

	if (len >= 28 && ip[0] == 0x45) {
		fcn_put_be16(ip + 2, (uint16_t)len);
		ip4_set_checksum(b);
		fcn_put_be16(ip + 22, 0);
		folded = (uint16_t)~rte_raw_cksum(ip + 20, len - 20);
		memcpy(ip + 22, &folded, sizeof(folded));
	} else if (len >= 48 && ip[0] >> 4 == 6) {
		fcn_put_be16(ip + 4, (uint16_t)(len - 40));
		off = icmp6_off(ip, len);
		fcn_put_be16(ip + off + 2, 0);
		sum = rte_raw_cksum(ip + 8, 32) + rte_raw_cksum(ip + off, len - off) +
		      rte_cpu_to_be_16((uint16_t)(len - off)) + RTE_BE16(IPPROTO_ICMPV6);
		sum = (sum & 0xFFFF) + (sum >> 16);
		folded = (uint16_t) ~(sum + (sum >> 16));
		memcpy(ip + off + 2, &folded, sizeof(folded));
	}
}

static void
packet_comes(uint8_t how, const uint8_t *data, uint32_t len)
{
	const enum fcn_punt_reason reason = how & 7;
	const uint16_t port = how >> 3 & 1;
	struct bytes b = {.len = len};

	if (len < ETH_LEN + 28)
		return;
	memcpy(b.data, data, len);
	if (how & 0x10)
		make_right(&b);
	/* What is not ARP has an IP header: the workers see to that. */
	if (reason != FCN_PUNT_ARP &&
			(b.data[ETH_LEN] >> 4 == 6 ? len < ETH_LEN + 40 : b.data[ETH_LEN] != 0x45))
		return;
	if (reason == FCN_PUNT_MTU)
		bed_punt_mtu(port, &b, 1400);
	else if (how & 0x20)
		bed_punt_chain(reason, port, &b, 64);
	else
		bed_punt(reason, port, &b);
}

static void
configuration_changes(uint8_t how)
{
	bed.conf.port[how & 1].up = !(how & 2);
	bed.conf.port[0].advertise = (how & 4) != 0;
	bed.conf.max_neighbours = how & 8 ? 2 : 64;
	bed.conf.dad = (how & 0x10) != 0;
	bed.conf.n_addresses = how & 0x20 ? 2 : 4;
	bed.notified = (how & 0x40) != 0;
	bed.conf.mld = !(how & 0x80);
	bed_configure();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;

	require(ready || bed_begin(NULL) == 0);
	ready = true;
	require(bed_setup(NULL) == 0);
	bed.conf.mld = true;
	bed_configure();
	for (unsigned int i = 0; i < MOST_STEPS && size >= STEP_LEN; i++) {
		const uint8_t what = data[0], how = data[1];
		const uint32_t len = RTE_MIN((uint32_t)(data[2] & 7) << 8 | data[3],
				(uint32_t)(size - STEP_LEN));

		data += STEP_LEN;
		size -= STEP_LEN;
		switch (what & 7) {
		case 0:
			bed_run(bed.now + (MS << (how & 15)));
			break;
		case 1:
			configuration_changes(how);
			break;
		case 2:
			bed.refuse = (how & 1) != 0;
			break;
		default:
			packet_comes(how, data, len);
			break;
		}
		bed_check();
		bed_forget();
		data += len;
		size -= len;
	}
	bed.refuse = false;
	require(bed_teardown(NULL) == 0);
	return 0;
}
