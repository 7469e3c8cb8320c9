/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Messages over a wire with every combination of faults: all complete, in order, once, and what the
 * endpoints counted agrees with what the wire did.
 */

#include "endpoint_state.h"
#include "fcn_test.h"
#include "pair.h"

#define FOREVER UINT64_C(1000000000000)
#define MESSAGES 40
#define PSN_OFF (14 + 40 + 8 + 9)
#define AETH_OFF (14 + 40 + 8 + 12)

static const uint64_t sizes[] = {1, 3, 4, 1023, 1024, 1025, 2048, 5000, 40000, 100000};

static uint64_t
size_of(unsigned int i)
{
	return sizes[i % RTE_DIM(sizes)];
}

struct plan {
	struct pair_faults faults;
	uint32_t ack_every;
	uint64_t window;
	uint16_t payload; /* 0: 1024 */
	uint64_t first;   /* packet, of both ends */
	bool ioam, selective, write;
	bool one_way; /* selective repeat is at one end only: the receiver's, or the sender's */
	uint64_t seed;
};

/* Messages completed at one side and delivered at the other, in the order they were posted. */
static void
check_messages(const struct pair *p, unsigned int from, unsigned int n)
{
	assert_int_equal(pair_n_events(p, from, FCN_ENDPOINT_COMPLETE), n);
	assert_int_equal(pair_n_events(p, !from, FCN_ENDPOINT_DELIVER), n);
	for (unsigned int i = 0; i < n; i++) {
		const struct fcn_endpoint_event *done = pair_event(
				p, from, FCN_ENDPOINT_COMPLETE, i);
		const struct fcn_endpoint_event *came = pair_event(
				p, !from, FCN_ENDPOINT_DELIVER, i);

		assert_int_equal(done->cookie, 1000 + i);
		assert_int_equal(done->value, size_of(i));
		assert_int_equal(came->value, size_of(i));
		assert_true(came->time_ns <= done->time_ns);
		assert_int_equal(done->created_ns, 0);
	}
}

static void
check_counters(const struct pair *p, unsigned int from, uint64_t bytes, uint64_t packets)
{
	struct fcn_endpoint_counters s = pair_counters(p, from), r = pair_counters(p, !from);
	const struct pair_tally *data = &p->data[from];
	const struct pair_tally *all[] = {&p->data[0], &p->data[1], &p->others[0], &p->others[1]};
	uint64_t corrupted = 0;

	for (unsigned int i = 0; i < RTE_DIM(all); i++)
		corrupted += all[i]->corrupted;
	assert_int_equal(s.data_sent, data->sent);
	assert_int_equal(s.data_sent - s.data_repeated, packets);
	assert_true(data->trimmed > 0 ||
			data->arrived == data->sent - data->lost + data->duplicated);
	/* A damaged UDP length may look like that of a trimmed packet. */
	assert_in_range(r.trim_received, data->trimmed, data->trimmed + data->corrupted);
	corrupted -= r.trim_received - data->trimmed;
	assert_int_equal(r.data_received, data->arrived - data->corrupted);
	/* What was kept came too early, and was delivered all the same. */
	assert_int_equal(r.data_received + r.data_kept,
			r.data_delivered + r.data_duplicate + r.data_out_of_order);
	assert_int_equal(r.data_delivered, packets);
	assert_int_equal(r.payload_delivered, bytes);
	assert_int_equal(s.nak_received <= r.nak_sent + p->others[!from].duplicated, 1);
	/* What was damaged was seen to be so, one way or another; nothing else was. */
	assert_int_equal(s.rx_malformed + s.rx_not_mine + s.rx_other + s.rx_unknown_qp +
					 r.rx_malformed + r.rx_not_mine + r.rx_other +
					 r.rx_unknown_qp,
			corrupted);
	assert_int_equal(s.rx_packets, p->data[!from].arrived + p->others[!from].arrived);
	assert_int_equal(s.tx_packets, data->sent + p->others[from].sent);
}

/* Both ends go on from another number than 0. */
static void
begin_at(struct pair *p, const uint32_t qp[2], uint64_t first)
{
	struct endpoint_qp *from = endpoint_qp_find(p->ep[0], qp[0]);
	struct endpoint_qp *to = endpoint_qp_find(p->ep[1], qp[1]);

	from->snd_una = from->snd_nxt = from->snd_max = from->packets = first;
	if (from->selective != NULL)
		from->selective->again = from->selective->again_end = first;
	to->rcv_nxt = first;
}

static void
transfer(const struct plan *plan)
{
	static struct pair p;
	uint16_t payload = plan->payload == 0 ? 1024 : plan->payload;
	uint64_t bytes = 0, packets = 0;
	uint32_t qp[2];

	pair_init(&p);
	p.seed = plan->seed;
	for (unsigned int i = 0; i < 2; i++) {
		p.faults[i] = plan->faults;
		p.conf[i].ack_every = plan->ack_every;
		p.conf[i].window = plan->window == 0 ? FCN_WINDOW_NONE : plan->window;
		p.conf[i].payload = payload;
		p.conf[i].ioam = plan->ioam;
		p.conf[i].selective_repeat = plan->selective != (plan->one_way && i == 0);
		p.conf[i].trim = plan->faults.trim > 0;
		p.conf[i].timeout_ns = 100000;
		p.conf[i].operation = plan->write ? FCN_OPERATION_WRITE : FCN_OPERATION_SEND;
	}
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	begin_at(&p, qp, plan->first);
	for (unsigned int i = 0; i < MESSAGES; i++) {
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], size_of(i), 1000 + i, 0), 0);
		bytes += size_of(i);
		packets += (size_of(i) + payload - 1) / payload;
	}
	assert_true(pair_run(&p, FOREVER));
	check_messages(&p, 0, MESSAGES);
	check_counters(&p, 0, bytes, packets);
	assert_in_range(pair_counters(&p, 0).nak_other_way, 0,
			plan->one_way ? pair_counters(&p, 0).nak_received : 0);
	pair_stop(&p);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(clean)
{
	transfer(&(const struct plan){.ack_every = 16});
	transfer(&(const struct plan){.ack_every = 1});
	transfer(&(const struct plan){.ack_every = 0});
	transfer(&(const struct plan){.ack_every = 1, .ioam = true});
}

static struct pair_faults
faults_of(unsigned int kinds)
{
	return (struct pair_faults){
			.loss = kinds & 1 ? 30 : 0,
			.duplicate = kinds & 2 ? 30 : 0,
			.reorder = kinds & 4 ? 30 : 0,
			.corrupt = kinds & 8 ? 30 : 0,
	};
}

TEST(faults)
{
	static const uint32_t ack_every[] = {0, 1, 16};
	static const uint64_t window[] = {FCN_WINDOW_NONE, 1, 3000, 20000};

	for (unsigned int kinds = 0; kinds < 16; kinds++) {
		for (unsigned int a = 0; a < RTE_DIM(ack_every); a++) {
			for (unsigned int w = 0; w < RTE_DIM(window); w++)
				transfer(&(const struct plan){.faults = faults_of(kinds),
						.ack_every = ack_every[a],
						.window = window[w],
						.write = (a + w) % 2 != 0,
						.seed = kinds + 1});
		}
	}
}

TEST(payloads)
{
	for (uint16_t payload = 256; payload <= 4096; payload *= 2)
		transfer(&(const struct plan){.faults = faults_of(15),
				.ack_every = 4,
				.payload = payload,
				.seed = payload});
}

/* Numbers on the wire are of 24 bits. */
TEST(numbers_wrap)
{
	static const uint64_t first[] = {0xFFFFF0, 0xFFFFFF, 0x1000000, 0x7FFFF0, 0x2FFFFF8};

	for (unsigned int i = 0; i < RTE_DIM(first); i++) {
		transfer(&(const struct plan){.first = first[i], .ack_every = 3, .write = i % 2});
		transfer(&(const struct plan){.faults = faults_of(15),
				.first = first[i],
				.ack_every = 3,
				.seed = i});
	}
}

TEST(traces_and_faults)
{
	for (unsigned int kinds = 0; kinds < 8; kinds++)
		transfer(&(const struct plan){.faults = faults_of(kinds),
				.ack_every = 1 + kinds % 3,
				.ioam = true,
				.write = kinds % 2,
				.seed = kinds});
}

TEST(selective)
{
	static const uint64_t window[] = {FCN_WINDOW_NONE, 1, 3000, 20000};

	for (unsigned int kinds = 0; kinds < 16; kinds++) {
		for (unsigned int w = 0; w < RTE_DIM(window); w++)
			transfer(&(const struct plan){.faults = faults_of(kinds),
					.ack_every = w,
					.window = window[w],
					.first = 0xFFFFF0,
					.selective = true,
					.write = w % 2,
					.seed = kinds + 1});
	}
}

/* Headers alone of some packets, together with all other faults. */
TEST(trimmed)
{
	static const uint64_t window[] = {FCN_WINDOW_NONE, 1, 3000, 20000};

	for (unsigned int kinds = 0; kinds < 16; kinds++) {
		for (unsigned int i = 0; i < 4 * RTE_DIM(window); i++) {
			struct pair_faults faults = faults_of(kinds);

			faults.trim = 100;
			transfer(&(const struct plan){.faults = faults,
					.ack_every = i % 3,
					.window = window[i / 4],
					.first = 0xFFFFF0,
					.selective = i % 2,
					.one_way = i % 4 / 2,
					.write = kinds % 2,
					.seed = kinds + 1});
		}
	}
}

/* How many packets are sent again when one in a hundred is lost. */
static uint64_t
repeated(bool selective)
{
	static struct pair p;
	uint64_t n;
	uint32_t qp[2];

	pair_init(&p);
	p.faults[0].loss = 10;
	p.conf[0].selective_repeat = p.conf[1].selective_repeat = selective;
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], 4096000, 0, 0), 0);
	assert_true(pair_run(&p, FOREVER));
	assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_COMPLETE), 1);
	n = pair_counters(&p, 0).data_repeated;
	assert_true(n >= p.data[0].lost);
	pair_stop(&p);
	return n;
}

/* About 40 of 4000 are lost; going back repeats the round trip's 22 packets each time. */
TEST(selective_repeats_less)
{
	assert_in_range(repeated(true), 20, 80);
	assert_in_range(repeated(false), 600, 1600);
}

static struct {
	bool lost;
	_Alignas(2) uint8_t nak[128];
	uint32_t nak_len;
} seen;

/* Packet 3 is lost, once; the NAK is kept. */
static bool
lose_fourth(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len)
{
	RTE_SET_USED(p);
	if (from == 1 && frame[PSN_OFF - 9] == 0x11 && frame[AETH_OFF] == 0x60) {
		memcpy(seen.nak, frame, len);
		seen.nak_len = len;
	}
	if (from == 1 || frame[PSN_OFF + 2] != 3 || seen.lost)
		return true;
	seen.lost = true;
	return false;
}

/* The packet behind is enough to tell; no timeout helps. And an old NAK says nothing new. */
TEST(one_lost)
{
	static struct pair p;
	uint32_t qp[2];

	for (unsigned int selective = 0; selective < 2; selective++) {
		memset(&seen, 0, sizeof(seen));
		pair_init(&p);
		p.tap = lose_fourth;
		for (unsigned int i = 0; i < 2; i++) {
			p.conf[i].timeout_ns = 0;
			p.conf[i].selective_repeat = selective != 0;
		}
		pair_start(&p);
		pair_connect(&p, qp, 26, 0);
		fcn_endpoint_post(p.ep[0], qp[0], 5 * 1024, 0, 0);
		assert_true(pair_run(&p, FOREVER));
		assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_COMPLETE), 1);
		assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_REPEAT), 1);
		assert_int_equal(pair_counters(&p, 0).data_repeated, selective ? 1 : 2);
		assert_int_equal(pair_counters(&p, 0).nak_received, 1);

		fcn_endpoint_post(p.ep[0], qp[0], 20 * 1024, 0, p.now);
		pair_run(&p, p.now + 500);
		assert_int_not_equal(seen.nak_len, 0);
		assert_int_equal(seen.nak[PSN_OFF - 1], selective); /* it names what came */
		fcn_endpoint_receive(p.ep[0], seen.nak, seen.nak_len, p.now);
		assert_true(pair_run(&p, FOREVER));
		assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_COMPLETE), 2);
		assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_REPEAT), 1);
		assert_int_equal(pair_counters(&p, 0).data_repeated, selective ? 1 : 2);
		pair_stop(&p);
	}
}

/* Selective repeat at one end only: it goes back, and arrives whatever happens. */
TEST(one_way)
{
	static const uint64_t window[] = {FCN_WINDOW_NONE, 1, 3000, 20000};

	for (unsigned int kinds = 0; kinds < 16; kinds++) {
		for (unsigned int i = 0; i < 2 * RTE_DIM(window); i++)
			transfer(&(const struct plan){.faults = faults_of(kinds),
					.ack_every = i % 3,
					.window = window[i / 2],
					.first = 0xFFFFF0,
					.selective = i % 2,
					.one_way = true,
					.seed = kinds + 1});
	}
}

/* One of 100 is lost: once back is enough, however many packets a receiver tells of. */
TEST(one_way_back)
{
	for (unsigned int side = 0; side < 2; side++) {
		static struct pair p;
		struct fcn_endpoint_counters n;
		uint32_t qp[2];

		memset(&seen, 0, sizeof(seen));
		pair_init(&p);
		p.tap = lose_fourth;
		p.conf[0].timeout_ns = p.conf[1].timeout_ns = 0;
		p.conf[side].selective_repeat = true;
		pair_start(&p);
		pair_connect(&p, qp, 26, 0);
		fcn_endpoint_post(p.ep[0], qp[0], 100 * 1024, 0, 0);
		assert_true(pair_run(&p, FOREVER));
		assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_COMPLETE), 1);
		assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_REPEAT), 1);
		n = pair_counters(&p, 0);
		assert_int_equal(n.nak_other_way, n.nak_received);
		/* A receiver that keeps them tells of each, about 22 in a round trip. */
		assert_in_range(n.nak_received, side == 0 ? 1 : 20, side == 0 ? 1 : 30);
		assert_int_equal(n.timeouts, 0);
		pair_stop(&p);
	}
}

/* Many queue pairs, both ways at once, all faults. */
TEST(crowd)
{
	enum {
		QPS = 60
	};
	static struct pair p;
	struct fcn_endpoint_qp_info info;
	uint32_t qp[QPS][2];

	pair_init(&p);
	for (unsigned int i = 0; i < 2; i++) {
		p.faults[i] = faults_of(7);
		p.conf[i].max_qps = QPS;
		p.conf[i].window = 30000;
	}
	pair_start(&p);
	for (unsigned int q = 0; q < QPS; q++) {
		pair_connect(&p, qp[q], (uint8_t)(q % 64), PAIR_BPS / (1 + q % 7));
		for (unsigned int i = 0; i < 2; i++)
			assert_int_equal(fcn_endpoint_post(p.ep[i], qp[q][i], 100000 + q, q, 0), 0);
	}
	assert_true(pair_run(&p, FOREVER));
	for (unsigned int q = 0; q < QPS; q++) {
		for (unsigned int i = 0; i < 2; i++) {
			fcn_endpoint_qp_info(p.ep[i], qp[q][i], &info);
			assert_int_equal(info.acked, 100000 + q);
			assert_int_equal(info.delivered, 100000 + q);
			assert_int_equal(info.in_flight, 0);
			assert_int_equal(info.on_wire, 0);
		}
	}
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(pair_n_events(&p, i, FCN_ENDPOINT_COMPLETE), QPS);
	pair_stop(&p);
}
