/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include <pcap/pcap.h>

#include "fcn_bth.h"
#include "fcn_ioam.h"
#include "traffic.h"

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
	return (struct rte_ether_addr){{0x02, 0, 0, 0, port, host}};
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
	addr[7] = host;
	addr[15] = 1;
}

static void
put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v & 0xff;
}

/* Hop-by-Hop header with a full pre-allocated trace, aligned to 4n. Returns its length. */
static uint32_t
put_trace(uint8_t *p)
{
	const uint32_t data = TRACE_HOPS * TRACE_NODE_WORDS * 4;
	const uint32_t used = 2 + 2 + 2 + 2 + FCN_IOAM_TRACE_HDR_LEN + data;
	const struct fcn_ioam_trace trace = {
			.namespace_id = 1,
			.node_len = TRACE_NODE_WORDS,
			.type = TRACE_TYPE_BITS,
	};

	_Static_assert((16 + TRACE_HOPS * TRACE_NODE_WORDS * 4) % 8 == 0, "no tail padding");
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

uint32_t
bench_packet(const struct bench_traffic *traffic, unsigned int port, unsigned int flow,
		uint8_t *buf)
{
	unsigned int to = traffic->circulating ? port : (port + 1) % BENCH_PORTS;
	unsigned int src = flow % BENCH_HOSTS, dst = (flow * 5 + flow / BENCH_HOSTS) % BENCH_HOSTS;
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)buf;
	uint16_t udp_len = 8 + sizeof(struct fcn_bth_hdr) + traffic->payload + FCN_ICRC_LEN;
	uint32_t ext = 0;
	uint8_t *ip = buf + sizeof(*eth), *udp;
	struct fcn_bth_hdr *bth;

	memset(buf, 0, BENCH_PACKET_MAX);
	eth->dst_addr = traffic->bridged ? bench_host_mac(to, dst) : bench_router_mac;
	eth->src_addr = bench_host_mac(port, src);
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);

	if (traffic->trace)
		ext = put_trace(ip + 40);
	put16(ip, 6 << 12 | DSCP << 6 | ECT0 << 4);
	put16(ip + 4, ext + udp_len);
	ip[6] = ext != 0 ? IPPROTO_HOPOPTS : IPPROTO_UDP;
	ip[7] = 255;
	bench_host_address(port, src, ip + 8);
	bench_host_address(to, dst, ip + 24);

	udp = ip + 40 + ext;
	put16(udp, 49152 + flow);
	put16(udp + 2, FCN_ROCE_UDP_PORT);
	put16(udp + 4, udp_len);
	bth = (struct fcn_bth_hdr *)(udp + 8);
	bth->opcode = RC_SEND_MIDDLE;
	bth->p_key = RTE_BE16(0xffff);
	bth->dest_qp[1] = 1 + port;
	bth->dest_qp[2] = flow;
	if (traffic->srv6 != BENCH_SRV6_NONE && !bench_srv6_is_headend(traffic->srv6))
		return bench_wrap_srv6(traffic->srv6, port, buf, sizeof(*eth) + 40 + ext + udp_len);
	return sizeof(*eth) + 40 + ext + udp_len;
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
	for (unsigned int flow = 0; flow < BENCH_FLOWS; flow++) {
		struct pcap_pkthdr hdr = {.ts.tv_usec = flow};

		hdr.caplen = bench_packet(traffic, port, flow, buf);
		hdr.len = hdr.caplen;
		pcap_dump((unsigned char *)out, &hdr, buf);
	}
	pcap_dump_close(out);
	pcap_close(dead);
	return 0;
}
