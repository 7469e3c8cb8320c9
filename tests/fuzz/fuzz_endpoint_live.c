/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What a live endpoint (fastcn-endpoint) receives, over time. The first byte says what it is: a
 * listener, a sender or both. The others are steps: frames of any kind, frames of another endpoint
 * with some bytes changed, time, the turns of its traffic.
 */

#include <netinet/in.h>

#include "fcn_inet.h"
#include "fcn_udp.h"
#include "live_endpoint.h"
#include "roce_repair.h"
#include "fuzz_crc.h"

#define STEPS 200
#define QPS 3
#define LINE_BPS UINT64_C(10000000000)
#define ETH 14
#define IP6 40

/* The addresses of the seeds that make-corpus makes. */
static const struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 0x10}};
static const struct rte_ether_addr far_mac = {{2, 0, 0, 0, 1, 0x0a}};
static const uint8_t addr[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
static const uint8_t far_addr[16] = {0x20, 1, 0xd, 0xb8, [15] = 0xa};

static struct live_endpoint live;
static struct fcn_endpoint *far;
static uint32_t far_qp[QPS];
static uint16_t far_port;
static uint64_t now;
static FILE *nowhere;

/* ---- the device: what is sent is looked at, and gone ---- */

struct rte_mbuf *
live_port_buffer(struct live_endpoint *l)
{
	return rte_pktmbuf_alloc(l->port.pool);
}

void
live_port_send(struct live_endpoint *l, struct rte_mbuf *m, uint32_t len)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	require(l == &live && len >= ETH + IP6 && len <= FCN_ENDPOINT_MAX_FRAME);
	require(memcmp(frame + 6, &mac, 6) == 0 && frame[12] == 0x86 && frame[13] == 0xdd);
	require((uint32_t)(frame[ETH + 4] << 8 | frame[ETH + 5]) == len - ETH - IP6);
	rte_pktmbuf_free(m);
}

/* ---- frames that come ---- */

static void
seal_icmp6(uint8_t *frame, uint32_t len)
{
	uint16_t sum;

	if (len < ETH + IP6 + 8 || frame[ETH + 6] != IPPROTO_ICMPV6)
		return;
	fcn_put_be16(frame + ETH + 4, (uint16_t)(len - ETH - IP6));
	fcn_put_be16(frame + ETH + IP6 + 2, 0);
	sum = fcn_udp_checksum(
			frame + ETH + 8, frame + ETH + 24, 16, frame + ETH + IP6, len - ETH - IP6);
	/* of another protocol than UDP */
	sum = (uint16_t)~rte_be_to_cpu_16(sum);
	sum = (uint16_t)(sum + 0xFFFF - IPPROTO_UDP + (sum + 0xFFFFu - IPPROTO_UDP > 0xFFFF));
	sum = (uint16_t)(sum + IPPROTO_ICMPV6 + (sum + IPPROTO_ICMPV6 > 0xFFFF));
	fcn_put_be16(frame + ETH + IP6 + 2, (uint16_t)~sum);
}

/* In buffers of so many bytes. */
static void
receive(const uint8_t *frame, uint32_t len, uint32_t segment)
{
	struct rte_mbuf *head = NULL, *m;
	uint64_t too_long = live.n.rx_too_long + (len > FCN_ENDPOINT_MAX_FRAME);

	while (len > 0 || head == NULL) {
		uint32_t n = RTE_MIN(len, segment);

		m = rte_pktmbuf_alloc(live.port.pool);
		require(m != NULL);
		memcpy(rte_pktmbuf_append(m, (uint16_t)n), frame, n);
		if (head == NULL)
			head = m;
		else
			require(rte_pktmbuf_chain(head, m) == 0);
		frame += n;
		len -= n;
	}
	live_receive(&live, head, now);
	rte_pktmbuf_free(head);
	require(rte_mempool_in_use_count(live.port.pool) == 0);
	require(live.n.rx_too_long == too_long);
	require(live.n_sources <= LIVE_SOURCES && live.n_done <= live.opt.qps);
}

/* Changed, made right again, in one buffer or several, as the input says. */
static void
deliver(const uint8_t *data, uint32_t len, struct fuzz_input *in)
{
	uint8_t how = fuzz_take(in), *frame = malloc(len + 1);

	require(frame != NULL);
	memcpy(frame, data, len);
	for (unsigned int i = how & 3; i > 0 && len > 0; i--) {
		uint32_t at = fuzz_take(in);

		frame[at % len] = fuzz_take(in);
	}
	if (how & 4)
		roce_repair(&live.crc, frame, len);
	if (how & 8)
		seal_icmp6(frame, len);
	if (how & 16)
		len = len * fuzz_take(in) / 255;
	receive(frame, len, how & 32 ? 40 : 4096);
	if (how & 64)
		receive(frame, len, 4096);
	free(frame);
}

static void
deliver_raw(struct fuzz_input *in)
{
	uint32_t len = (uint32_t)fuzz_take(in) << 8, n;
	const uint8_t *data;

	len |= fuzz_take(in);
	n = RTE_MIN(len, FCN_ENDPOINT_MAX_FRAME + 500u);
	n = n < in->left ? n : (uint32_t)in->left;
	data = in->at;
	in->at += n;
	in->left -= n;
	deliver(data, n, in);
}

/* ---- the other end ---- */

static void
far_connect(unsigned int i, bool anew)
{
	struct fcn_endpoint_peer peer = {
			.mac = mac, .qp = live.opt.first_qp + i, .p_key = 0xFFFF, .dscp = 26};

	if (anew)
		fcn_endpoint_qp_reset(far, far_qp[i]);
	memcpy(peer.addr, addr, 16);
	peer.src_port = far_port++;
	require(fcn_endpoint_qp_connect(far, far_qp[i], &peer, now) == 0);
}

static void
step(struct fuzz_input *in)
{
	const uint8_t what = fuzz_take(in);
	const unsigned int i = (what >> 3) % QPS;
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
	uint32_t len;

	switch (what & 7) {
	case 0:
		now += UINT64_C(100) << (fuzz_take(in) % 24);
		break;
	case 1:
		deliver_raw(in);
		break;
	case 2:
		fcn_endpoint_post(far, far_qp[i], 1u + fuzz_take(in) * 16u, 0, now);
		break;
	case 3:
	case 4:
		len = fcn_endpoint_send(far, frame, sizeof(frame), now);
		if (len != 0)
			deliver(frame, len, in);
		break;
	case 5:
		len = fcn_endpoint_send(live.ep, frame, sizeof(frame), now);
		if (len != 0)
			fcn_endpoint_receive(far, frame, len, now);
		break;
	case 6:
		if (live.phase != LIVE_END)
			live_traffic_run(&live, now);
		break;
	case 7:
		far_connect(i, true);
		break;
	}
}

/* ---- ---- */

static void
start(void)
{
	live.crc = *fuzz_crc();
	live.port.pool = rte_pktmbuf_pool_create("fuzz", 255, 0, 0,
			FCN_ENDPOINT_MAX_FRAME + 600 + RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	nowhere = fopen("/dev/null", "we");
	require(live.port.pool != NULL && nowhere != NULL);
}

static void
begin(uint8_t how)
{
	struct rte_mempool *pool = live.port.pool;
	struct fcn_crc32 crc = live.crc;
	struct fcn_endpoint_conf conf;

	memset(&live, 0, sizeof(live));
	live.port.pool = pool;
	live.crc = crc;
	live.port.mac = mac;
	live.opt = (struct live_options){.addr = {.addr = {.version = 6}, .len = 64},
			.listen = how & 1,
			.size = how & 2 ? 600 : 0,
			.messages = how & 4 ? 2 : 0,
			.first_qp = FCN_ENDPOINT_FIRST_QP + (how >> 3 & 1),
			.qps = QPS,
			.line_bps = LINE_BPS,
			.wait_ns = 100000000,
			.seed = 1};
	memcpy(live.opt.addr.addr.bytes, addr, 16);
	if (how & 2) {
		live.opt.peer.version = 6;
		memcpy(live.opt.peer.bytes, far_addr, 16);
	}
	live.serializer.bps = LINE_BPS;
	fcn_endpoint_defaults(&live.conf, LINE_BPS);
	live.conf.fastcnp = (how >> 4 & 3) % 3;
	live.conf.selective_repeat = how & 0x40;
	live.conf.payload = 256;
	require(live_traffic_init(&live) == 0);
	live_nd_init(&live.nd, addr, &mac, 64);
	conf = live.conf;
	conf.event = NULL;
	conf.mac = far_mac;
	memcpy(conf.addr, far_addr, 16);
	far = fcn_endpoint_create(&conf);
	require(far != NULL);
	far_port = 0xC000;
	for (unsigned int i = 0; i < live.opt.first_qp - FCN_ENDPOINT_FIRST_QP; i++)
		require(fcn_endpoint_qp_add(far) > 0);
	for (unsigned int i = 0; i < QPS; i++) {
		far_qp[i] = (uint32_t)fcn_endpoint_qp_add(far);
		far_connect(i, false);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {.at = data, .left = size};
	uint64_t posted, complete, delivered;
	FILE *real = stderr;

	if (nowhere == NULL)
		start();
	now = 1000;
	begin(fuzz_take(&in));
	stderr = nowhere;
	for (unsigned int i = 0; i < STEPS && in.left > 0; i++)
		step(&in);
	stderr = real;
	live_traffic_sum(&live, &posted, &complete, &delivered);
	require(complete <= posted);
	require(live.n.listened == 0 || live.opt.listen);
	live_traffic_fini(&live);
	fcn_endpoint_free(far);
	return 0;
}
