/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include <pcap/pcap.h>
#include <rte_common.h>
#include <rte_ip.h>

#include "fcn_bth.h"
#include "fcn_ioam.h"
#include "traffic.h"

#define SHORTEST_PAYLOAD4 ((uint16_t)4) /* frames of 62 bytes */
#define RC_SEND_MIDDLE 0x01
#define DSCP (BENCH_CLASS << 3 | 2)
#define ECT0 2
#define TRACE_HOPS 3
#define TRACE_NODE_WORDS 2
#define TRACE_TYPE_BITS 0xC00000 /* node id, interface ids: a word each */

const struct rte_ether_addr bench_router_mac = {{0x02, 0, 0, 0, 0xff, 0x01}};

struct rte_ether_addr
bench_host_mac(unsigned int port, unsigned int host)
{
	return (struct rte_ether_addr){{0x02, 0, 0, port, host >> 8, host}};
}

void
bench_host_address(unsigned int port, unsigned int host, uint8_t addr[16])
{
	memset(addr, 0, 16);
	addr[0] = 0x20;
	addr[1] = 0x01;
	addr[2] = 0x0d;
	addr[3] = 0xb8;
	addr[5] = port;
	addr[6] = host >> 8;
	addr[7] = host;
	addr[15] = 1;
}

void
bench_host_address4(unsigned int port, unsigned int host, uint8_t addr[4])
{
	addr[0] = 10;
	addr[1] = port;
	addr[2] = host >> 8;
	addr[3] = host;
}

uint8_t
bench_network(bool ipv4, unsigned int i, uint8_t addr[16])
{
	if (ipv4) {
		memset(addr, 0, 16);
		addr[0] = 20 + (i >> 14);
		addr[1] = i >> 6;
		addr[2] = i << 2;
		return i % 2 ? 24 : 22;
	}
	bench_host_address(0, 0, addr);
	memset(addr + 7, 0, 9);
	addr[4] = 0x10 + (i >> 16);
	addr[5] = i >> 8;
	addr[6] = i;
	return i % 2 ? 64 : 56;
}

static void
put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v & 0xff;
}

/*
 * Hop-by-Hop header with a pre-allocated trace, aligned to 4n, full or with room for one more node.
 * Returns its length.
 */
static uint32_t
put_trace(uint8_t *p, bool room)
{
	const uint32_t free_words = room ? TRACE_NODE_WORDS : 0;
	const uint32_t data = (TRACE_HOPS * TRACE_NODE_WORDS + free_words) * 4;
	const uint32_t used = 2 + 2 + 2 + 2 + FCN_IOAM_TRACE_HDR_LEN + data;
	const struct fcn_ioam_trace trace = {
			.namespace_id = BENCH_NAMESPACE,
			.node_len = TRACE_NODE_WORDS,
			.remaining_len = free_words,
			.type = TRACE_TYPE_BITS,
	};

	_Static_assert(TRACE_NODE_WORDS * 4 % 8 == 0, "no tail padding");
	memset(p, 0, used);
	p[0] = IPPROTO_UDP;
	p[1] = used / 8 - 1;
	p[2] = 1; /* PadN of two octets */
	p[4] = FCN_IPV6_OPT_IOAM_CHG;
	p[5] = 2 + FCN_IOAM_TRACE_HDR_LEN + data;
	p[7] = FCN_IOAM_PREALLOC_TRACE;
	fcn_ioam_trace_hdr_build(p + 8, &trace);
	for (uint32_t i = 0; i < data; i++)
		p[16 + i] = i;
	return used;
}

/* Mix the bits of a number; numbers below a power of two stay below it, each once. */
static uint32_t
mix(uint32_t x, unsigned int bits)
{
	const uint32_t mask = (UINT32_C(1) << bits) - 1;

	for (unsigned int i = 0; i < 3; i++) {
		x = (x * 0x9E3779B1 + 0x7F4A7C15) & mask;
		x ^= x >> (bits + 1) / 2;
	}
	return x;
}

/* The destinations of n flows to n hosts are all of these, in no order. */
static unsigned int
destination_host(unsigned int flow, unsigned int hosts)
{
	const unsigned int bits = rte_log2_u32(hosts);
	uint32_t x = flow % hosts;

	if (hosts <= BENCH_HOSTS)
		return (flow * 5 + flow / hosts) % hosts;
	do {
		x = mix(x, bits);
	} while (x >= hosts);
	return x;
}

/* One of the networks behind the port, at random. */
static unsigned int
destination_network(const struct bench_traffic *traffic, unsigned int flow, unsigned int to)
{
	const unsigned int networks = traffic->networks;
	uint32_t x = mix(flow + (to << 28), 31);

	do {
		x = mix(x, 31);
	} while (bench_network_port(traffic, x % networks) != to);
	return x % networks;
}

unsigned int
bench_port_to(const struct bench_traffic *traffic, unsigned int port, unsigned int flow)
{
	const unsigned int n = bench_ports(traffic), all = bench_all_ports(traffic);
	const unsigned int first = port / n * n; /* of the same worker */

	if (traffic->circulating)
		return port;
	switch (traffic->leave) {
	case BENCH_APART:
		break;
	case BENCH_NEXT:
		return (port + n) % all;
	case BENCH_ANY:
		flow = mix(flow ^ port, rte_log2_u32(bench_flows(traffic)));
		return (port + 1 + flow % (all - 1)) % all;
	}
	return first + (port - first + 1) % n;
}

unsigned int
bench_host_to(const struct bench_traffic *traffic, unsigned int flow)
{
	return destination_host(flow, bench_hosts(traffic));
}

static void
put_address(const struct bench_traffic *traffic, unsigned int port, unsigned int host, uint8_t *p)
{
	if (traffic->ipv4)
		bench_host_address4(port, host, p);
	else
		bench_host_address(port, host, p);
}

static void
put_destination(const struct bench_traffic *traffic, unsigned int port, unsigned int flow,
		uint8_t *p)
{
	const unsigned int to = bench_port_to(traffic, port, flow);
	uint8_t addr[16];

	if (traffic->networks == 0) {
		put_address(traffic, to, bench_host_to(traffic, flow), p);
		return;
	}
	bench_network(traffic->ipv4, destination_network(traffic, flow, to), addr);
	addr[traffic->ipv4 ? 3 : 15] = 1;
	memcpy(p, addr, traffic->ipv4 ? 4 : 16);
}

/* Header of IPv4 or IPv6, and the trace. Returns their length. */
static uint32_t
put_ip(const struct bench_traffic *traffic, unsigned int port, unsigned int flow, uint16_t udp_len,
		uint8_t *ip)
{
	const unsigned int src = flow % bench_hosts(traffic);
	uint32_t ext = 0;

	if (traffic->ipv4) {
		ip[0] = 0x45;
		ip[1] = DSCP << 2 | ECT0;
		put16(ip + 2, 20 + udp_len);
		ip[6] = 0x40; /* not to be fragmented */
		ip[9] = IPPROTO_UDP;
		put_address(traffic, port, src, ip + 12);
		put_destination(traffic, port, flow, ip + 16);
		bench_hop_limit(ip);
		return 20;
	}
	if (traffic->trace)
		ext = put_trace(ip + 40, traffic->transit);
	put16(ip, 6 << 12 | DSCP << 6 | ECT0 << 4);
	put16(ip + 4, ext + udp_len);
	ip[6] = ext != 0 ? IPPROTO_HOPOPTS : IPPROTO_UDP;
	put_address(traffic, port, src, ip + 8);
	put_destination(traffic, port, flow, ip + 24);
	bench_hop_limit(ip);
	return 40 + ext;
}

void
bench_hop_limit(uint8_t *ip)
{
	if (ip[0] >> 4 == 6) {
		ip[7] = 255;
		return;
	}
	ip[8] = 255;
	memset(ip + 10, 0, 2);
	*(uint16_t *)(void *)(ip + 10) = rte_ipv4_cksum((const struct rte_ipv4_hdr *)(void *)ip);
}

uint32_t
bench_packet_len(const struct bench_traffic *traffic)
{
	uint8_t packet[BENCH_PACKET_MAX];

	return bench_packet(traffic, 0, 0, packet);
}

/* Get the bytes of payload. Without one, a frame of IPv4 would be shorter than Ethernet permits. */
static uint16_t
payload_of(const struct bench_traffic *traffic)
{
	return traffic->ipv4 ? RTE_MAX(traffic->payload, SHORTEST_PAYLOAD4) : traffic->payload;
}

uint32_t
bench_qp_to(const struct bench_traffic *traffic, unsigned int port, unsigned int flow)
{
	const uint32_t many = bench_flows(traffic) > BENCH_FLOWS ? flow >> 8 & 0xff : 0;

	return many << 16 | (1 + port) << 8 | (flow & 0xff);
}

uint32_t
bench_packet(const struct bench_traffic *traffic, unsigned int port, unsigned int flow,
		uint8_t *buf)
{
	const uint16_t payload = payload_of(traffic);
	const uint16_t udp_len = 8 + sizeof(struct fcn_bth_hdr) + payload + FCN_ICRC_LEN;
	const unsigned int hosts = bench_hosts(traffic);
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)buf;
	uint8_t *ip = buf + sizeof(*eth), *udp;
	const uint32_t qp = bench_qp_to(traffic, port, flow);
	struct fcn_bth_hdr *bth;

	memset(buf, 0, sizeof(*eth) + 256 + payload);
	eth->dst_addr = bench_router_mac;
	if (traffic->bridged)
		eth->dst_addr = bench_host_mac(
				bench_port_to(traffic, port, flow), bench_host_to(traffic, flow));
	eth->src_addr = bench_host_mac(port, flow % hosts);
	eth->ether_type = traffic->ipv4 ? RTE_BE16(RTE_ETHER_TYPE_IPV4)
					: RTE_BE16(RTE_ETHER_TYPE_IPV6);

	udp = ip + put_ip(traffic, port, flow, udp_len, ip);
	put16(udp, 49152 + flow % 16384);
	put16(udp + 2, FCN_ROCE_UDP_PORT);
	put16(udp + 4, udp_len);
	bth = (struct fcn_bth_hdr *)(udp + 8);
	bth->opcode = RC_SEND_MIDDLE;
	bth->p_key = RTE_BE16(0xffff);
	bth->dest_qp[0] = qp >> 16;
	bth->dest_qp[1] = qp >> 8;
	bth->dest_qp[2] = qp;
	if (traffic->tcp != 0 && flow % traffic->tcp == 0) { /* the switch reads no more of it */
		ip[traffic->ipv4 ? 9 : 6] = IPPROTO_TCP;
		if (traffic->best_effort) { /* DSCP 0 */
			ip[0] &= traffic->ipv4 ? 0xFF : 0xF0;
			ip[1] &= traffic->ipv4 ? 0x03 : 0x3F;
		}
		bench_hop_limit(ip);
	}
	if (traffic->srv6 != BENCH_SRV6_NONE && !bench_srv6_is_headend(traffic->srv6))
		return bench_wrap_srv6(traffic->srv6, port, buf, udp - buf + udp_len);
	return udp - buf + udp_len;
}

int
bench_write_pcap(const struct bench_traffic *traffic, unsigned int port, const char *file)
{
	pcap_t *dead = pcap_open_dead(DLT_EN10MB, BENCH_PACKET_MAX);
	pcap_dumper_t *out = dead == NULL ? NULL : pcap_dump_open(dead, file);
	uint8_t buf[BENCH_PACKET_MAX];

	if (out == NULL) {
		fprintf(stderr, "%s: %s\n", file,
				dead == NULL ? "out of memory" : pcap_geterr(dead));
		if (dead != NULL)
			pcap_close(dead);
		return -1;
	}
	for (unsigned int flow = 0; flow < bench_flows(traffic); flow++) {
		struct pcap_pkthdr hdr = {.ts.tv_usec = flow % 1000000};

		hdr.caplen = bench_packet(traffic, port, flow, buf);
		hdr.len = hdr.caplen;
		pcap_dump((unsigned char *)out, &hdr, buf);
	}
	pcap_dump_close(out);
	pcap_close(dead);
	return 0;
}
