/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * CNPs and Fast CNPs of tests/data/vectors at the sender they are for: taken, turned away, refused.
 * The reaction point's functions are watched on their way.
 */

#include "endpoint_state.h"
#include "fcn_test.h"
#include "pair.h"
#include "vectors.h"

#define RECEIVER_QP 0x1A7 /* the data's, in the vectors of Fast CNPs */
#define OWN_QP 0xB2       /* in that of the CNP */
#define IP_OFF 14
#define PADDING_OFF 56 /* in front of option 1 */

static const uint8_t sender[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = 0x10};
static const uint8_t receiver[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 2, [15] = 0x20};
static const struct fcn_prefix switches = {
		.addr = {.version = 6, .bytes = {0x20, 0x01, 0x0d, 0xb8, 0, 0x0f}}, .len = 48};

/* What the reaction point was told. */
static struct {
	unsigned int cnps, traces, early, full;
	unsigned int words;
	int level;
} told;

void __real_fcn_reaction_cnp(struct fcn_reaction *r, int level, uint64_t now);
void __wrap_fcn_reaction_cnp(struct fcn_reaction *r, int level, uint64_t now);
void __real_fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace,
		bool early, bool full, uint64_t now);
void __wrap_fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace,
		bool early, bool full, uint64_t now);

void
__wrap_fcn_reaction_cnp(struct fcn_reaction *r, int level, uint64_t now)
{
	told.cnps++;
	told.level = level;
	__real_fcn_reaction_cnp(r, level, now);
}

void
__wrap_fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
		bool full, uint64_t now)
{
	told.traces++;
	told.early += early;
	told.full += full;
	told.words = trace->words;
	__real_fcn_reaction_trace(r, trace, early, full, now);
}

static struct pair p; /* for its record of events */
static uint32_t own_qp;

/* A host as in the vectors with queue pair OWN_QP to RECEIVER_QP. */
static void
start(void (*change)(struct fcn_endpoint_conf *conf))
{
	struct fcn_endpoint_conf *conf = &p.conf[0];
	struct fcn_endpoint_peer peer = {
			.mac = {.addr_bytes = {2, 0, 0, 0, 9, 9}},
			.qp = RECEIVER_QP,
			.src_port = 0xC0DE,
			.p_key = 0xFFFF,
			.dscp = 26,
	};

	memset(&told, 0, sizeof(told));
	pair_init(&p);
	memcpy(conf->addr, sender, sizeof(sender));
	conf->max_qps = 256;
	conf->fastcnp = FCN_FASTCNP_ACCEPT;
	conf->access[0] = switches;
	conf->n_access = 1;
	conf->reaction.kind = FCN_REACTION_DCQCN;
	if (change != NULL)
		change(conf);
	pair_start(&p);
	do {
		own_qp = (uint32_t)fcn_endpoint_qp_add(p.ep[0]);
	} while (own_qp != OWN_QP);
	memcpy(peer.addr, receiver, sizeof(receiver));
	assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], own_qp, &peer, 0), 0);
}

/* A frame of a file, counted from 1, to the host's MAC. */
static void
feed(const char *file, unsigned int nth, uint64_t now)
{
	struct vectors v;

	vectors_load(&v, file);
	memcpy(v.data[nth - 1], &p.conf[0].mac, 6);
	fcn_endpoint_receive(p.ep[0], v.data[nth - 1], v.len[nth - 1], now);
	vectors_free(&v);
}

static void
cover(struct fcn_endpoint_conf *conf)
{
	conf->icrc_mode = FCN_ICRC_COVER;
}

static void
norm(struct fcn_endpoint_conf *conf)
{
	conf->icrc_mode = FCN_ICRC_NORM;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(accepted)
{
	static const struct {
		const char *file;
		unsigned int frame;
		void (*mode)(struct fcn_endpoint_conf *conf);
		unsigned int words; /* of its trace */
	} cases[] = {
			{"09_fastcnp_opt1", 1, NULL, 0},
			{"09_fastcnp_opt1", 2, cover, 0},
			{"09_fastcnp_opt1", 3, norm, 0},
			{"09_fastcnp_opt1", 4, NULL, 0}, /* option first, padding behind */
			{"10_fastcnp_opt2", 1, NULL, 21},
			{"10_fastcnp_opt2", 2, NULL, 14},
			{"10_fastcnp_opt2", 3, cover, 21},
			{"10_fastcnp_opt2", 4, NULL, 56},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		const struct fcn_endpoint_event *ev;
		struct fcn_endpoint_counters n;
		struct fcn_endpoint_qp_info info;

		start(cases[i].mode);
		feed(cases[i].file, cases[i].frame, 1000);
		n = pair_counters(&p, 0);
		assert_int_equal(n.fastcnp_accepted, 1);
		assert_int_equal(n.fastcnp_trace, cases[i].words != 0);
		assert_int_equal(n.fastcnp_receiver_made, 0);
		assert_int_equal(told.cnps, 1);
		assert_int_equal(told.traces, cases[i].words != 0);
		assert_int_equal(told.early, told.traces);
		assert_int_equal(told.full, 0);
		assert_int_equal(told.words, cases[i].words);
		assert_int_equal(told.level, -1); /* DCQCN goes by none */
		ev = pair_event(&p, 0, FCN_ENDPOINT_FASTCNP, 0);
		assert_int_equal(ev->qp, OWN_QP);
		assert_int_equal(ev->time_ns, 1000);
		assert_int_equal(ev->source[15], 5); /* 2001:db8:f::5 */
		fcn_endpoint_qp_info(p.ep[0], OWN_QP, &info);
		assert_int_equal(info.notices, 1);
		pair_stop(&p);
	}
}

/* The newest hop of that trace has 393216 bytes in its queue at 100 Gb/s. */
static void
by_level(struct fcn_endpoint_conf *conf)
{
	conf->reaction.kind = FCN_REACTION_LEVEL;
	fcn_reaction_set(&conf->reaction, FCN_REACTION_LEVEL, "threshold", 6144); /* / 64 */
	fcn_reaction_set(&conf->reaction, FCN_REACTION_LEVEL, "limit", 786432);   /* * 2 */
}

static void
by_default_level(struct fcn_endpoint_conf *conf)
{
	conf->reaction.kind = FCN_REACTION_LEVEL;
	fcn_reaction_set(&conf->reaction, FCN_REACTION_LEVEL, "default-level", 2);
}

TEST(level)
{
	static const struct {
		const char *file;
		void (*change)(struct fcn_endpoint_conf *conf);
		int level;
		uint64_t cut; /* of 128 */
	} cases[] = {
			{"10_fastcnp_opt2", by_level, 6, 52},
			{"10_fastcnp_opt2", by_default_level, 0, 4}, /* from 400000 bytes on */
			{"09_fastcnp_opt1", by_level, -1, 60},
			{"09_fastcnp_opt1", by_default_level, -1, 20},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_endpoint_qp_info info;

		start(cases[i].change);
		feed(cases[i].file, 1, 1000);
		assert_int_equal(told.cnps, 1);
		assert_int_equal(told.level, cases[i].level);
		fcn_endpoint_qp_info(p.ep[0], OWN_QP, &info);
		assert_int_equal(info.rate_bps, PAIR_BPS - PAIR_BPS * cases[i].cut / 128);
		pair_stop(&p);
	}
}

/* Switches of others may follow another convention than the endpoint's data does, and send no UDP
 * checksum. */
TEST(other_conventions)
{
	struct vectors v;

	start(NULL);
	feed("09_fastcnp_opt1", 2, 0);
	feed("09_fastcnp_opt1", 3, 0);
	feed("10_fastcnp_opt2", 3, 0);
	assert_int_equal(pair_counters(&p, 0).fastcnp_accepted, 3);
	vectors_load(&v, "09_fastcnp_opt1");
	memcpy(v.data[0], &p.conf[0].mac, 6);
	v.data[0][14 + 64 + 6] = v.data[0][14 + 64 + 7] = 0;
	fcn_endpoint_receive(p.ep[0], v.data[0], v.len[0], 0);
	assert_int_equal(pair_counters(&p, 0).fastcnp_accepted, 4);
	assert_int_equal(pair_counters(&p, 0).fastcnp_malformed, 0);
	vectors_free(&v);
	pair_stop(&p);
}

static void
nobody(struct fcn_endpoint_conf *conf)
{
	conf->n_access = 0;
}

static void
others(struct fcn_endpoint_conf *conf)
{
	conf->access[0].addr.bytes[5] = 0x0e;
	conf->access[1] = (struct fcn_prefix){
			.addr = {.version = 6,
					.bytes = {0x20, 0x01, 0x0d, 0xb8, 0, 0x0f, [15] = 4}},
			.len = 128};
	conf->n_access = 2;
}

TEST(foreign)
{
	void (*const lists[])(struct fcn_endpoint_conf * conf) = {nobody, others};

	for (unsigned int i = 0; i < RTE_DIM(lists); i++) {
		start(lists[i]);
		feed("09_fastcnp_opt1", 1, 0);
		feed("10_fastcnp_opt2", 1, 0);
		assert_int_equal(pair_counters(&p, 0).fastcnp_foreign, 2);
		assert_int_equal(told.cnps + told.traces, 0);
		pair_stop(&p);
	}
}

/* One bit after the other of a Fast CNP turned over: none slows a queue pair down. */
static void
turn_bits(void (*mode)(struct fcn_endpoint_conf *conf), unsigned int nth, uint64_t unknown)
{
	struct fcn_endpoint_counters n;
	struct vectors v;
	uint64_t turned = 0;
	uint8_t *frame;

	start(mode);
	vectors_load(&v, "09_fastcnp_opt1");
	frame = v.data[nth - 1];
	memcpy(frame, &p.conf[0].mac, 6);
	for (uint32_t i = IP_OFF; i < v.len[nth - 1]; i++) {
		/* Class, label and hop limit are free: routers change them. And so is padding where
		 * the ICRC leaves extension headers out. */
		if ((i >= IP_OFF && i < IP_OFF + 4) || i == IP_OFF + 7 ||
				(mode == NULL && i >= PADDING_OFF && i < PADDING_OFF + 4))
			continue;
		for (unsigned int bit = 0; bit < 8; bit++, turned++) {
			frame[i] ^= (uint8_t)(1u << bit);
			fcn_endpoint_receive(p.ep[0], frame, v.len[nth - 1], turned);
			frame[i] ^= (uint8_t)(1u << bit);
		}
	}
	n = pair_counters(&p, 0);
	assert_int_equal(told.cnps + told.traces, 0);
	assert_int_equal(n.fastcnp_accepted, 0);
	assert_int_equal(n.notice_unknown_qp, unknown);
	assert_int_equal(n.fastcnp_malformed + n.rx_malformed + n.rx_not_mine + n.rx_other +
					 n.notice_unknown_qp + n.fastcnp_foreign,
			turned);
	fcn_endpoint_receive(p.ep[0], frame, v.len[nth - 1], turned);
	assert_int_equal(told.cnps, 1);
	vectors_free(&v);
	pair_stop(&p);
}

TEST(forged)
{
	turn_bits(cover, 2, 0);
	/*
	 * The option is outside the ICRC. Another receiver's address: nobody's queue pair. Another
	 * option type, but option 2's: a plain CNP, from no peer.
	 */
	turn_bits(NULL, 1, 128 + 7);
}

TEST(malformed)
{
	struct fcn_endpoint_counters n;
	struct vectors v;

	start(NULL);
	vectors_load(&v, "16_malformed");
	for (unsigned int i = 0; i < v.n; i++) {
		memcpy(v.data[i], &p.conf[0].mac, 6);
		fcn_endpoint_receive(p.ep[0], v.data[i], v.len[i], i);
	}
	n = pair_counters(&p, 0);
	assert_int_equal(told.cnps + told.traces, 0);
	assert_int_equal(n.fastcnp_accepted + n.cnp_received, 0);
	assert_int_equal(n.rx_packets, v.n);
	assert_int_equal(n.rx_malformed + n.fastcnp_malformed + n.rx_not_mine + n.rx_other, v.n);
	assert_true(n.fastcnp_malformed >= 3);
	vectors_free(&v);
	pair_stop(&p);
}

TEST(unknown)
{
	start(NULL);
	fcn_endpoint_qp_close(p.ep[0], OWN_QP);
	feed("09_fastcnp_opt1", 1, 0);
	feed("04_cnp", 1, 0);
	assert_int_equal(pair_counters(&p, 0).notice_unknown_qp, 2);
	assert_int_equal(told.cnps, 0);
	pair_stop(&p);
}

TEST(plain_cnp)
{
	const struct fcn_endpoint_event *ev;

	start(NULL);
	feed("04_cnp", 1, 700);
	assert_int_equal(pair_counters(&p, 0).cnp_received, 1);
	assert_int_equal(told.cnps, 1);
	ev = pair_event(&p, 0, FCN_ENDPOINT_CNP, 0);
	assert_int_equal(ev->qp, OWN_QP);
	assert_memory_equal(ev->source, receiver, 16);
	feed("04_cnp", 2, 700); /* over IPv4 */
	assert_int_equal(pair_counters(&p, 0).rx_not_mine, 1);
	pair_stop(&p);
}

static void
slow(struct fcn_endpoint_conf *conf)
{
	conf->reaction_interval_ns = 4000;
}

TEST(interval)
{
	static const uint64_t times[] = {1000, 1001, 4999, 5000, 8999, 20000};
	struct fcn_endpoint_qp_info info;

	start(slow);
	for (unsigned int i = 0; i < RTE_DIM(times); i++)
		feed(i % 2 == 0 ? "09_fastcnp_opt1" : "04_cnp", 1, times[i]);
	assert_int_equal(told.cnps, 3);
	assert_int_equal(pair_counters(&p, 0).notice_limited, 3);
	assert_int_equal(pair_counters(&p, 0).fastcnp_accepted, 3);
	assert_int_equal(pair_counters(&p, 0).cnp_received, 3);
	fcn_endpoint_qp_info(p.ep[0], OWN_QP, &info);
	assert_int_equal(info.notices, 3);
	pair_stop(&p);
}

static void
detours(struct fcn_endpoint_conf *conf)
{
	conf->detour_after = 3;
	conf->detour_hold_ns = 10000;
	/* Both the switch and the receiver may send notices. */
	conf->access[0].len = 32;
}

/* A Fast CNP as the vectors have it, from another source. */
static void
feed_from(const uint8_t source[16], uint64_t now)
{
	const struct fcn_fastcnp_conf conf = {
			.opt1_type = 0x9E, .opt2_type = 0x9F, .dscp = 48, .hop_limit = 64};
	uint8_t frame[IP_OFF + FCN_FASTCNP_MAX_LEN] = {[12] = 0x86, [13] = 0xdd};
	struct fcn_fastcnp_conf full = conf;
	struct fcn_fastcnp_template t;
	struct fcn_fastcnp_request request = {.sender = sender,
			.receiver = receiver,
			.buf = frame + IP_OFF,
			.dest_qp = RECEIVER_QP,
			.src_port = 0xC0DE,
			.p_key = 0xFFFF};

	memcpy(full.source, source, 16);
	memcpy(frame, &p.conf[0].mac, 6);
	assert_int_equal(fcn_fastcnp_template_init(&t, &full), 0);
	fcn_fastcnp_build_burst(&t, &request, 1);
	fcn_fastcnp_template_fini(&t);
	fcn_endpoint_receive(p.ep[0], frame, IP_OFF + request.len, now);
}

static uint16_t
source_port(void)
{
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
	uint64_t now = 1000000;

	fcn_endpoint_post(p.ep[0], OWN_QP, 1, 0, now);
	while (fcn_endpoint_send(p.ep[0], frame, sizeof(frame), now) == 0)
		now = fcn_endpoint_next(p.ep[0], now);
	return (uint16_t)(frame[54] << 8 | frame[55]);
}

TEST(detour)
{
	uint8_t a[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0x0f, [15] = 1}, b[16];
	const struct fcn_endpoint_event *ev;
	struct fcn_endpoint_qp_info info;

	start(detours);
	memcpy(b, a, 16);
	b[15] = 2;
	/* Never three in a row from one; the receiver's own do not count. */
	feed_from(a, 1);
	feed_from(a, 2);
	feed_from(b, 3);
	feed_from(b, 4);
	for (unsigned int i = 0; i < 5; i++)
		feed_from(receiver, 5);
	assert_int_equal(pair_counters(&p, 0).detours, 0);
	assert_int_equal(pair_counters(&p, 0).fastcnp_receiver_made, 5);
	feed_from(b, 10);
	assert_int_equal(pair_counters(&p, 0).detours, 1);
	ev = pair_event(&p, 0, FCN_ENDPOINT_DETOUR, 0);
	assert_int_equal(ev->time_ns, 10);
	assert_in_range(ev->value, 0xC000, 0xFFFF);
	assert_int_not_equal(ev->value, 0xC0DE);
	/* Held for 10 us, however many come. */
	for (uint64_t now = 11; now < 10010; now += 1000)
		feed_from(b, now);
	assert_int_equal(pair_counters(&p, 0).detours, 1);
	feed_from(b, 10010);
	assert_int_equal(pair_counters(&p, 0).detours, 2);
	fcn_endpoint_qp_info(p.ep[0], OWN_QP, &info);
	assert_int_equal(info.src_port, pair_event(&p, 0, FCN_ENDPOINT_DETOUR, 1)->value);
	assert_int_equal(source_port(), info.src_port);
	assert_int_equal(pair_counters(&p, 0).fastcnp_accepted, 21);
	pair_stop(&p);
}

static void
ignore(struct fcn_endpoint_conf *conf)
{
	conf->fastcnp = FCN_FASTCNP_IGNORE;
}

TEST(ignored)
{
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];

	start(ignore);
	feed("09_fastcnp_opt1", 1, 0);
	assert_int_equal(pair_counters(&p, 0).fastcnp_ignored, 1);
	assert_int_equal(fcn_endpoint_send(p.ep[0], frame, sizeof(frame), 0), 0);
	assert_int_equal(told.cnps, 0);
	pair_stop(&p);
}

static void
refuse(struct fcn_endpoint_conf *conf)
{
	conf->fastcnp = FCN_FASTCNP_REFUSE;
}

/* As a host that runs Linux answers, but for what is the sender's choice: class, label, hop limit.
 */
TEST(refused)
{
	struct vectors v;

	start(refuse);
	vectors_load(&v, "23_linux_param_problem");
	assert_int_equal(v.n, 6);
	for (unsigned int i = 0; i < v.n; i += 2) {
		uint8_t frame[FCN_ENDPOINT_MAX_FRAME], *in = v.data[i], *out = v.data[i + 1];
		uint32_t len;

		memcpy(in, &p.conf[0].mac, 6);
		in[IP_OFF + 7]--; /* a router stood between */
		fcn_endpoint_receive(p.ep[0], in, v.len[i], i);
		assert_int_equal(fcn_endpoint_next(p.ep[0], i), i);
		len = fcn_endpoint_send(p.ep[0], frame, sizeof(frame), i);
		assert_int_equal(len, v.len[i + 1]);
		assert_memory_equal(frame, in + 6, 6);
		assert_memory_equal(frame + 6, in, 6);
		memcpy(out + IP_OFF, frame + IP_OFF, 4);
		out[IP_OFF + 7] = frame[IP_OFF + 7];
		assert_memory_equal(frame + 12, out + 12, len - 12);
	}
	assert_int_equal(pair_counters(&p, 0).fastcnp_refused, 3);
	assert_int_equal(told.cnps, 0);
	vectors_free(&v);
	pair_stop(&p);
}

TEST(refusals_are_limited)
{
	struct fcn_endpoint_counters n;
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
	unsigned int sent = 0;

	start(refuse);
	/* One a microsecond for 5 ms: 6 at once, then one a millisecond. */
	for (uint64_t now = 0; now < 5000000; now += 1000) {
		feed("09_fastcnp_opt1", 1, now);
		sent += fcn_endpoint_send(p.ep[0], frame, sizeof(frame), now) != 0;
	}
	n = pair_counters(&p, 0);
	assert_int_equal(sent, 6 + 4);
	assert_int_equal(n.fastcnp_refused, sent);
	assert_int_equal(n.fastcnp_unanswered, 5000 - sent);
	pair_stop(&p);
}
