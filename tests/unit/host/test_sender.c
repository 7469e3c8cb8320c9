/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_byteorder.h>

#include "fcn_icmp6.h"
#include "fcn_srv6_error.h"
#include "hostbed.h"
#include "vectors.h"

/*
 * Packet 2 of file 23: a Linux host, 2001:db8:1::10, refuses the notice of
 * 2001:db8:f::5 about queue pair 0x1a7 of 2001:db8:2::20.
 */
#define OUTER 14
#define ICMP (OUTER + 40)
#define QUOTE (ICMP + 8)
#define UDP (QUOTE + 40 + 24)
#define SRC(ip) ((ip) + 8)
#define DST(ip) ((ip) + 24)

#define SENDER "2001:db8:1::10"

static struct bytes answer;

static int
setup(void **state)
{
	struct vectors v;

	if (bed_setup_fresh(state) != 0)
		return -1;
	bed.conf.loopback = addr_of("2001:db8:f::5");
	bed_configure();
	bed_run(10 * S);
	bed_forget();
	bed.notified = true;
	vectors_load(&v, "23_linux_param_problem");
	answer.len = 0;
	bytes_put(&answer, v.data[1], v.len[1]);
	vectors_free(&v);
	return 0;
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = setup, .teardown = bed_teardown);

/* Internet checksum with the pseudo-header of the IPv6 header at ip. */
static void
seal(uint8_t *ip, uint8_t *data, uint32_t len, uint32_t cksum_off, uint8_t proto)
{
	uint32_t sum = len + proto;

	data[cksum_off] = data[cksum_off + 1] = 0;
	for (unsigned int i = 8; i < 40; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	for (uint32_t i = 0; i < len; i += 2)
		sum += (uint32_t)data[i] << 8 | data[i + 1];
	while (sum > 0xFFFF)
		sum = (sum & 0xFFFF) + (sum >> 16);
	sum ^= 0xFFFF;
	data[cksum_off] = (uint8_t)(sum >> 8);
	data[cksum_off + 1] = (uint8_t)sum;
}

/* The same from, and about a notice to, another sender. */
static struct bytes
answer_of(unsigned int number)
{
	struct bytes b = answer;

	b.data[SRC(OUTER) + 13] = b.data[DST(QUOTE) + 13] = (uint8_t)(number >> 16);
	b.data[SRC(OUTER) + 14] = b.data[DST(QUOTE) + 14] = (uint8_t)(number >> 8);
	b.data[SRC(OUTER) + 15] = b.data[DST(QUOTE) + 15] = (uint8_t)number;
	seal(b.data + QUOTE, b.data + UDP, 40, 6, 17);
	seal(b.data + OUTER, b.data + ICMP, b.len - ICMP, 2, 58);
	return b;
}

static unsigned int
count(void)
{
	struct fcn_host_sender s;
	uint32_t next = 0;
	unsigned int n = 0;

	while (fcn_host_sender_next(bed.host, &next, &s))
		n++;
	return n;
}

static bool
find(const char *addr, struct fcn_host_sender *out)
{
	struct fcn_addr a = addr_of(addr);
	uint32_t next = 0;

	while (fcn_host_sender_next(bed.host, &next, out)) {
		if (memcmp(out->refusal.sender, a.bytes, 16) == 0)
			return true;
	}
	return false;
}

/* What a Linux host says, all three of the file. */
TEST(linux_is_understood)
{
	struct vectors v;
	struct fcn_host_sender s;

	vectors_load(&v, "23_linux_param_problem");
	for (unsigned int i = 1; i < v.n; i += 2) {
		struct bytes b = {.len = 0};

		bytes_put(&b, v.data[i], v.len[i]);
		bed_punt(FCN_PUNT_LOCAL, 0, &b);
		assert_int_equal(bed.n_asked, (i + 1) / 2);
		assert_memory_equal(bed.asked_sender, addr_of(SENDER).bytes, 16);
		assert_memory_equal(bed.asked_receiver, addr_of("2001:db8:2::20").bytes, 16);
		assert_int_equal(bed.asked_qp, 0x1a7);
		assert_int_equal(bed.asked_within, 2 * S);
	}
	vectors_free(&v);
	assert_int_equal(count(), 1);
	assert_true(find(SENDER, &s));
	assert_int_equal(s.answers, 3);
	assert_int_equal(s.until_ns, 610 * S);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_LEARNED), 1);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_FORGED), 0);
	assert_int_equal(bed_count(FCN_HOST_ERROR_RX), 3);
	assert_int_equal(bed.n_sent, 0);
}

/* By a port by which no notice to the sender leaves: whoever sent it forged it. */
TEST(by_another_port)
{
	bed.elsewhere = true;
	bed_punt(FCN_PUNT_LOCAL, 1, &answer);
	assert_int_equal(bed.n_asked, 1);
	assert_int_equal(bed.asked_port, 1);
	assert_int_equal(count(), 0);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_PORT), 1);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_FORGED), 0);
	bed.elsewhere = false;
	bed_punt(FCN_PUNT_LOCAL, 1, &answer);
	assert_int_equal(count(), 1);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_PORT), 1);
}

/* The frame of answer_of() is the recorded one when nothing is changed. */
TEST(forging_tool)
{
	struct bytes b = answer_of(0x10);

	assert_int_equal(b.len, answer.len);
	assert_memory_equal(b.data, answer.data, b.len);
}

TEST(remembered_for_so_long)
{
	uint64_t t = bed.now, version = fcn_host_version(bed.host);
	struct fcn_host_sender s;

	bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	assert_int_equal(fcn_host_version(bed.host), version + 1);
	assert_int_equal(fcn_host_next(bed.host), t + 600 * S);
	/* refreshed: no news for the routes */
	bed_run(t + 400 * S);
	bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	assert_int_equal(fcn_host_version(bed.host), version + 1);
	bed_run(t + 1000 * S - 1);
	assert_true(find(SENDER, &s));
	assert_int_equal(s.until_ns, t + 1000 * S);
	bed_run(t + 1000 * S);
	assert_int_equal(count(), 0);
	assert_int_equal(fcn_host_version(bed.host), version + 2);
	assert_int_equal(fcn_host_next(bed.host), FCN_HOST_NEVER);
}

/* A sender that does not understand one kind of notice may understand another one. */
TEST(each_kind)
{
	struct fcn_host_sender s;
	uint32_t next = 0, kinds = 0;

	for (unsigned int i = 0; i < 6; i++) {
		bed.refused_kind = i % 2 == 0 ? 0 : 3;
		bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	}
	assert_int_equal(count(), 2);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_LEARNED), 2);
	while (fcn_host_sender_next(bed.host, &next, &s)) {
		assert_memory_equal(s.refusal.sender, addr_of(SENDER).bytes, 16);
		assert_int_equal(s.answers, 3);
		kinds |= 1u << s.refusal.kind;
	}
	assert_int_equal(kinds, 1u << 0 | 1u << 3);
	bed_run(bed.now + 600 * S);
	assert_int_equal(count(), 0);
}

/* The receiver of the notice is known otherwise: its answer is counted, and nothing is learned. */
TEST(trusted)
{
	bed.trusted = true;
	bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	assert_int_equal(bed.n_asked, 1);
	assert_int_equal(count(), 0);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_IGNORED), 1);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_LEARNED), 0);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_FORGED), 0);
	bed.trusted = false;
	bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	assert_int_equal(count(), 1);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_IGNORED), 1);
}

/* Of a notice never sent, changed on its way, to another address, or from another station. */
TEST(forged)
{
	struct bytes b;

	bed.notified = false;
	bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	assert_int_equal(bed.n_asked, 1);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_FORGED), 1);
	/*
	 * Each octet of the quote that the switch knows: another one is no notice of
	 * ours. Another receiver (octets 48 to 63) makes it another notice.
	 */
	for (uint32_t off = QUOTE; off < answer.len - 4; off++) {
		bool receiver = off - QUOTE >= 48 && off - QUOTE < 64;
		unsigned int asked = bed.n_asked;

		if (off < QUOTE + 4 || off == QUOTE + 7)
			continue; /* traffic class, flow label, hop limit: routers' */
		bed.notified = !receiver;
		b = answer;
		b.data[off] ^= 0x40;
		seal(b.data + OUTER, b.data + ICMP, b.len - ICMP, 2, 58);
		bed_punt(FCN_PUNT_LOCAL, 0, &b);
		assert_int_equal(count(), 0);
		assert_int_equal(bed.n_asked, asked + receiver);
		if (receiver)
			assert_memory_equal(bed.asked_receiver, b.data + QUOTE + 48, 16);
	}
	bed.notified = true;
	bed.n_asked = 0;
	/* by another station */
	b = answer;
	b.data[SRC(OUTER) + 15] ^= 1;
	seal(b.data + OUTER, b.data + ICMP, b.len - ICMP, 2, 58);
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
	/* cut short */
	for (uint32_t len = ICMP; len < answer.len; len++) {
		b = answer;
		b.len = len;
		bed_punt(FCN_PUNT_LOCAL, 0, &b);
	}
	assert_int_equal(count(), 0);
	assert_int_equal(bed.n_asked, 0);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_LEARNED), 0);
	assert_true(bed_count(FCN_HOST_CAPABILITY_FORGED) > 80);
}

/* A Parameter Problem of 2001:db8:e1:1::c, the END.CON address, about the notice of vector 11. */
static void
answer_endcon(uint8_t code, uint32_t pointer)
{
	const struct fcn_icmp6_error error = {
			.type = FCN_ICMP6_PARAM_PROBLEM, .code = code, .param = pointer};
	const struct fcn_addr endcon = addr_of("2001:db8:e1:1::c");
	struct bytes b = {.len = 0};
	uint8_t message[1280];
	struct vectors v;
	uint32_t len;

	vectors_load(&v, "11_fastcnp_srv6_endcon");
	len = fcn_icmp6_build_error(&error, endcon.bytes, 64, v.data[0] + OUTER, v.len[0] - OUTER,
			message, sizeof(message));
	assert_true(len > 0);
	bytes_put(&b, v.data[0], OUTER);
	bytes_put(&b, message, len);
	vectors_free(&v);
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
}

/* A notice in a tunnel: of a host that has the END.CON address, and of another SID. Hosts use these
 * codes for other packets, too, so what is not believed is not forged. */
TEST(endcon)
{
	struct fcn_host_sender s;

	bed.conf.loopback = addr_of("2001:db8:f::2");
	bed_configure();
	bed.notified = false;
	answer_endcon(FCN_ICMP6_BAD_NEXT_HEADER, 6);
	answer_endcon(FCN_ICMP6_SR_UPPER_LAYER, 40);
	assert_int_equal(bed.n_asked, 2);
	answer_endcon(FCN_ICMP6_BAD_NEXT_HEADER, 40);
	answer_endcon(FCN_ICMP6_SR_UPPER_LAYER, 6);
	answer_endcon(0, 6);
	assert_int_equal(bed.n_asked, 2);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_FORGED), 0);
	answer_endcon(FCN_ICMP6_BAD_OPTION, 6);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_FORGED), 1);
	assert_int_equal(count(), 0);
	bed.notified = true;
	answer_endcon(FCN_ICMP6_BAD_NEXT_HEADER, 6);
	assert_int_equal(count(), 1);
	assert_true(find(SENDER, &s));
	assert_int_equal(s.answers, 1);
	answer_endcon(FCN_ICMP6_SR_UPPER_LAYER, 40);
	assert_true(find(SENDER, &s));
	assert_int_equal(s.answers, 2);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_LEARNED), 1);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_FORGED), 1);
	assert_int_equal(bed_count(FCN_HOST_ERROR_RX), 8);
}

TEST(nothing_is_learned)
{
	bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	assert_int_equal(count(), 1);
	bed.conf.capability_ns = 0;
	bed_configure();
	assert_int_equal(count(), 0);
	bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	assert_int_equal(count(), 0);
	assert_int_equal(bed.n_asked, 1);
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_FORGED), 0);
}

/* 4096 at the most: who was silent longest gives way. */
TEST(bounded)
{
	struct fcn_host_sender s;
	struct bytes b;

	for (unsigned int i = 0; i < 4096; i++) {
		b = answer_of(i);
		bed_punt(FCN_PUNT_LOCAL, 0, &b);
		bed.now++;
	}
	assert_int_equal(count(), 4096);
	b = answer_of(0); /* once more */
	bed_punt(FCN_PUNT_LOCAL, 0, &b);
	bed_punt_once(FCN_PUNT_LOCAL, 0, answer_of(0x10000));
	assert_int_equal(count(), 4096);
	assert_true(find("2001:db8:1::1:0", &s));
	assert_true(find("2001:db8:1::", &s));
	assert_false(find("2001:db8:1::1", &s));
	assert_true(find("2001:db8:1::2", &s));
	assert_int_equal(bed_count(FCN_HOST_CAPABILITY_LEARNED), 4097);
	assert_int_equal(fcn_host_clear_senders(bed.host), 4096);
	assert_int_equal(count(), 0);
	assert_int_equal(fcn_host_next(bed.host), FCN_HOST_NEVER);
}

TEST(other_duration)
{
	struct fcn_host_sender s;
	uint64_t t = bed.now;

	bed_punt(FCN_PUNT_LOCAL, 0, &answer);
	bed.conf.capability_ns = 100 * S;
	bed_configure();
	assert_true(find(SENDER, &s));
	assert_int_equal(s.until_ns, t + 100 * S);
	bed_run(t + 100 * S - 1);
	assert_int_equal(count(), 1);
	bed_run(t + 100 * S);
	assert_int_equal(count(), 0);
}
