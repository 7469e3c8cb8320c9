/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: two endpoints that exchange frames, which are changed on the way, with notices,
 * pauses and random bytes in between. Half of the changed frames get a correct ICRC and checksum,
 * so that they are not rejected at once. The input is a sequence of small steps.
 */

#include <rte_common.h>

#include "fcn_endpoint.h"
#include "fcn_fastcnp.h"
#include "fcn_inet.h"
#include "fcn_parse.h"
#include "fcn_pfc.h"
#include "fcn_trimmed_option.h"
#include "roce_repair.h"
#include "fuzz_crc.h"

#define QPS 3
#define LINE_BPS UINT64_C(100000000000)
#define STEPS 400
#define KEPT 8
#define ETH_LEN 14

struct frame {
	uint32_t len;
	uint8_t bytes[FCN_ENDPOINT_MAX_FRAME];
};

struct testbed {
	struct fcn_endpoint *ep[2];
	struct fcn_endpoint_conf conf[2];
	uint32_t qp[2][QPS];
	uint64_t now;
	struct frame kept[KEPT];
	unsigned int n_kept;
};

/* Changed, cut, repaired, as the input says; from a buffer of its size, for the sanitizer. */
static void
deliver(struct testbed *w, unsigned int to, const uint8_t *frame, uint32_t len,
		struct fuzz_input *in)
{
	uint8_t how = fuzz_take(in), *copy = malloc(len + 1);
	uint32_t n = len;

	require(copy != NULL);
	memcpy(copy, frame, len);
	for (unsigned int i = how & 3; i > 0 && len > 0; i--) {
		uint32_t at = fuzz_take(in);

		/* Mostly headers. */
		if (how & 0x40)
			at = at << 8 | fuzz_take(in);
		copy[at % len] = fuzz_take(in);
	}
	if (how & 4)
		roce_repair(fuzz_crc(), copy, len);
	if (how & 8)
		n = len * fuzz_take(in) / 255;
	copy = realloc(copy, n + 1);
	require(copy != NULL);
	fcn_endpoint_receive(w->ep[to], copy, n, w->now);
	if (how & 16)
		fcn_endpoint_receive(w->ep[to], copy, n, w->now);
	free(copy);
}

static void
transmit(struct testbed *w, unsigned int from, struct fuzz_input *in)
{
	struct frame *f = &w->kept[w->n_kept++ % KEPT];

	f->len = fcn_endpoint_send(w->ep[from], f->bytes, sizeof(f->bytes), w->now);
	require(f->len <= sizeof(f->bytes));
	if (f->len != 0)
		deliver(w, !from, f->bytes, f->len, in);
	else
		require(fcn_endpoint_next(w->ep[from], w->now) > w->now);
}

static void
notice(struct testbed *w, struct fuzz_input *in)
{
	struct fcn_fastcnp_conf conf = {.source = {0x20, 1, 0xd, 0xb8, 0, 0xf, [15] = 5},
			.opt1_type = 0x9E,
			.opt2_type = 0x9F,
			.dscp = 48,
			.hop_limit = 64};
	uint8_t frame[ETH_LEN + FCN_FASTCNP_MAX_LEN] = {[12] = 0x86, [13] = 0xdd};
	uint8_t words = fuzz_take(in) % 58, trace[8 + 4 * 57] = {0};
	uint8_t option[2 + FCN_TRIMMED_OPTION_DATA];
	const struct fcn_ioam_trace header = {
			.node_len = 7, .remaining_len = fuzz_take(in) & 0x7F, .type = 0xB62000};
	struct fcn_fastcnp_template t;
	struct fcn_fastcnp_request request = {.sender = w->conf[0].addr,
			.receiver = w->conf[1].addr,
			.buf = frame + ETH_LEN,
			.dest_qp = w->qp[1][fuzz_take(in) % QPS],
			.src_port = 0xC000,
			.p_key = 0xFFFF};

	memcpy(frame, &w->conf[0].mac, 6);
	frame[6] = 2;
	if (words != 0) {
		fcn_ioam_trace_hdr_build(trace, &header);
		for (unsigned int i = 0; i < 4u * words; i++)
			trace[8 + i] = fuzz_take(in);
		request.trace = trace;
		request.trace_len = 8 + 4 * words;
	}
	if (words % 2 != 0) {
		fcn_trimmed_option_write(option, 0x9D,
				&(const struct fcn_trimmed_option){.reason = FCN_TRIMMED_NO_ROOM,
						.opcode = fuzz_take(in),
						.psn = fuzz_take(in)});
		request.trace = NULL;
		request.trimmed = option;
	}
	require(fcn_fastcnp_template_init(&t, &conf) == 0);
	fcn_fastcnp_build_burst(&t, &request, 1);
	fcn_fastcnp_template_fini(&t);
	deliver(w, 0, frame, ETH_LEN + request.len, in);
}

static void
pause_frame(struct testbed *w, struct fuzz_input *in)
{
	uint8_t frame[FCN_PFC_FRAME_LEN], classes = fuzz_take(in);
	uint16_t quanta[FCN_PFC_PRIORITIES];

	for (unsigned int i = 0; i < FCN_PFC_PRIORITIES; i++)
		quanta[i] = fuzz_take(in);
	fcn_pfc_build(frame, &w->conf[1].mac, classes, quanta);
	deliver(w, classes & 1, frame, sizeof(frame), in);
}

static void
raw(struct testbed *w, struct fuzz_input *in)
{
	uint32_t len = RTE_MIN((size_t)fuzz_take(in), in->left);
	uint8_t frame[256];

	memcpy(frame, in->at, len);
	in->at += len;
	in->left -= len;
	if (len >= 6)
		memcpy(frame, &w->conf[0].mac, 6);
	deliver(w, 0, frame, len, in);
}

static void
reconnect(struct testbed *w, unsigned int side, unsigned int i)
{
	struct fcn_endpoint_peer peer = {.mac = w->conf[!side].mac,
			.qp = w->qp[!side][i],
			.src_port = (uint16_t)(0xC000 + i),
			.p_key = 0xFFFF,
			.dscp = (uint8_t)(26 + 8 * i)};

	memcpy(peer.addr, w->conf[!side].addr, 16);
	require(fcn_endpoint_qp_connect(w->ep[side], w->qp[side][i], &peer, w->now) == 0);
}

static void
testbed_start(struct testbed *w, struct fuzz_input *in)
{
	uint8_t how = fuzz_take(in), more = fuzz_take(in);

	for (uint8_t i = 0; i < 2; i++) {
		struct fcn_endpoint_conf *conf = &w->conf[i];

		fcn_endpoint_defaults(conf, LINE_BPS);
		memcpy(conf->addr, (const uint8_t[16]){0x20, 1, 0xd, 0xb8, [15] = i + 1}, 16);
		conf->mac = (struct rte_ether_addr){.addr_bytes = {2, 0, 0, 0, 0, i + 1}};
		conf->max_qps = QPS;
		conf->payload = 256;
		conf->fastcnp = (how & 3) % 3;
		conf->ioam = (how & 4) != 0;
		conf->selective_repeat = (how & 8) != 0 && (i == 0 || !(more & 0x80));
		conf->operation = more & 0x40 && i == 0 ? FCN_OPERATION_WRITE : FCN_OPERATION_SEND;
		conf->cnp_scope = (how >> 4 & 3) % 3;
		conf->cnp_delay_ns = how & 0x40 ? 1000 : 0;
		conf->detour_after = how & 0x80 ? 2 : 0;
		conf->reaction.kind = (more & 7) % FCN_REACTION_COUNT;
		conf->ecn_echo = fcn_reaction_type(conf->reaction.kind)->marks;
		conf->window_by_rate = (how & 0x40) != 0;
		conf->trim = ((how ^ more) & 0x10) != 0;
		conf->trim_reaction = more & 1 ? FCN_TRIM_REACTION_CNP : FCN_TRIM_REACTION_NONE;
		conf->ack_every = more >> 3 & 3;
		conf->window = more & 0x20 ? 2000 : FCN_WINDOW_NONE;
		conf->access[0] = (struct fcn_prefix){
				.addr = {.version = 6, .bytes = {0x20, 1, 0xd, 0xb8}}, .len = 32};
		conf->n_access = 1;
		w->ep[i] = fcn_endpoint_create(conf);
		require(w->ep[i] != NULL);
		for (unsigned int q = 0; q < QPS; q++)
			w->qp[i][q] = (uint32_t)fcn_endpoint_qp_add(w->ep[i]);
	}
	for (unsigned int i = 0; i < 2; i++) {
		for (unsigned int q = 0; q < QPS; q++)
			reconnect(w, i, q);
	}
}

static void
step(struct testbed *w, struct fuzz_input *in)
{
	uint8_t what = fuzz_take(in);
	unsigned int side = what >> 3 & 1, i = (what >> 4) % QPS;

	switch (what & 7) {
	case 0:
		fcn_endpoint_post(w->ep[side], w->qp[side][i], 1u + fuzz_take(in) * 8u, 0, w->now);
		break;
	case 1:
	case 2:
		transmit(w, side, in);
		break;
	case 3:
		w->now += UINT64_C(100) << (fuzz_take(in) & 15);
		break;
	case 4:
		notice(w, in);
		break;
	case 5:
		raw(w, in);
		break;
	case 6:
		pause_frame(w, in);
		break;
	case 7:
		if (what == 0xFF) {
			fcn_endpoint_qp_close(w->ep[0], w->qp[0][i]);
			w->qp[0][i] = (uint32_t)fcn_endpoint_qp_add(w->ep[0]);
			reconnect(w, 0, i);
		} else {
			const struct frame *f = &w->kept[(what >> 4) % KEPT];

			deliver(w, side, f->bytes, f->len, in);
		}
		break;
	}
}

static void
check(const struct testbed *w)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct fcn_endpoint_counters n;
		struct fcn_endpoint_qp_info info;
		uint64_t known;

		fcn_endpoint_counters(w->ep[i], &n, w->now);
		known = n.data_delivered + n.data_duplicate + n.data_out_of_order;
		require(known >= n.data_received && known - n.data_received <= n.data_kept);
		require(n.data_ce <= n.data_received + n.trim_received);
		require(n.trim_repaired <= n.trim_received && n.trim_ignored <= n.trim_received);
		require(n.trim_nak_sent <= n.nak_sent && n.trim_returned <= n.fastcnp_accepted);
		require(n.cnp_sent + n.cnp_suppressed <= n.data_ce);
		require(n.fastcnp_receiver_made <= n.fastcnp_accepted);
		require(n.nak_other_way <= n.nak_received);
		for (unsigned int q = 0; q < QPS; q++) {
			require(fcn_endpoint_qp_info(w->ep[i], w->qp[i][q], &info) == 0);
			require(info.acked + info.in_flight <= info.posted);
			require(info.on_wire >= info.in_flight);
			require((info.on_wire == 0) == (info.in_flight == 0));
			require(info.rate_bps > 0 && info.rate_bps <= LINE_BPS);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {.at = data, .left = size};
	static struct testbed w;

	fuzz_eal();
	memset(&w, 0, sizeof(w));
	testbed_start(&w, &in);
	for (unsigned int i = 0; i < STEPS && in.left > 0; i++)
		step(&w, &in);
	check(&w);
	for (unsigned int i = 0; i < 2; i++)
		fcn_endpoint_free(w.ep[i]);
	return 0;
}
