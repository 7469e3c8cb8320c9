/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Pairs of nodes with all limits at their defaults, where one sends messages about congestion to
 * the other: P and PE, congested switch and proxy, sender and receiver of adaptive routing
 * notifications. Whatever a node with default limits sends, the other one takes, at each speed; and
 * one that sends without limits gets no more than its part. What each of them counted is printed.
 * Two switches with priority flow control lose no packet, although each takes its time to send.
 */

#include <string.h>

#include "fcn_test.h"
#include "network_util.h"
#include "run.h"

#define SWITCHES 12 /* of a test; one of them has queues of QUEUES_MB */
#define QUEUES_MB 64

/* ---- scenarios ---- */

/* Get what a letter stands for: speeds in Mbit/s, and numbers of the i-th way. */
static unsigned int
value(char letter, unsigned int i, unsigned int gbps)
{
	switch (letter) {
	case 'R':
		return gbps * 1000;
	case 'H': /* half of it */
		return gbps * 500;
	case 'Q': /* an eighth, for one of four ways */
		return gbps * 125;
	case 'S': /* of a sender: all of them, with their tunnels, nearly use R */
		return gbps * 1000 / 44;
	case 'N':
		return i;
	case 'L':
		return i + 1;
	default:
		return 0x28 + i;
	}
}

/*
 * Forty senders behind a node send as much as its uplink takes; behind the congested node half of
 * it goes on. The senders do not slow down. A line that begins with * is repeated for four ways.
 */
static void
start_pair(const char *text, unsigned int gbps)
{
	char whole[4096];
	size_t n = 0;

	while (*text != '\0') {
		const char *const line = text + (*text == '*');
		const char *const end = strchr(text, '\n') + 1;

		for (unsigned int i = 1; i <= (*text == '*' ? 4u : 1u); i++) {
			for (const char *at = line; at != end && n + 8 < sizeof(whole); at++) {
				if (*at != '$') {
					whole[n++] = *at;
					continue;
				}
				at++;
				n += (size_t)sprintf(whole + n, *at == 'X' ? "%x" : "%u",
						value(*at, i, gbps));
			}
		}
		text = end;
	}
	whole[n] = '\0';
	assert_true(n + 8 < sizeof(whole));
	start(whole, "");
}

#define TRAFFIC                          \
	"buffers 32767\n"                \
	"duration 2ms\n"                 \
	"host all set ack-every 0\n"     \
	"host all set timeout 0ns\n"     \
	"host all set fast-cnp accept\n" \
	"flow add f from h[1-40] to r size 10G endless rate $SM\n"

#define PE                                                                 \
	"switch add pe1,pe2\n"                                             \
	"switch add p core\n"                                              \
	"host add h[1-40],r\n"                                             \
	"link add h[1-40] pe1 rate $RM delay 1us\n"                        \
	"link add pe1 p rate $RM delay 1us\n"                              \
	"link add p pe2 rate $HM delay 1us\n"                              \
	"link add pe2 r rate $RM delay 1us\n"                              \
	"switch pe1 do srv6 sid add 2001:db8:5:1::c/128 end.con\n"         \
	"switch pe1 do srv6 p-node add 2001:db8:f::/48\n"                  \
	"switch pe1 do srv6 policy add east\n"                             \
	"switch pe1 do set srv6 policy east roce-source 2001:db8:5:1::c\n" \
	"switch pe1 do srv6 segments add east 2001:db8:5:2::d6\n"          \
	"switch pe1 do route add 2001:db8:0:29::/64 policy east\n"         \
	"switch pe2 do srv6 sid add 2001:db8:5:2::d6/128 end.dt6\n"        \
	"switch p do srv6 endcon add 2001:db8:5:1::/64\n"                  \
	"switch p do set notify endcon on\n"                               \
	"switch p do set queue pe2 class 3 limit 4M packets 4096\n"        \
	"switch p do set queue pe2 class 3 detector step 50K\n"            \
	"switch p do set queue pe2 class 3 notify on\n" TRAFFIC

/* The same with four P nodes, each of which has a line to an egress PE of its own. */
#define SEVERAL                                                       \
	"buffers 32767\n"                                             \
	"duration 2ms\n"                                              \
	"switch add pe1,e1,e2,e3,e4\n"                                \
	"switch add c,p1,p2,p3,p4 core\n"                             \
	"host add h[1-40],r1,r2,r3,r4\n"                              \
	"link add h[1-40] pe1 rate $RM delay 1us\n"                   \
	"link add pe1 c rate $RM delay 1us\n"                         \
	"link add p[1-4] c rate $RM delay 1us\n"                      \
	"link add p[1-4] e[1-4] rate $QM delay 1us\n"                 \
	"link add e[1-4] r[1-4] rate $RM delay 1us\n"                 \
	"host all set ack-every 0\n"                                  \
	"host all set timeout 0ns\n"                                  \
	"host all set fast-cnp accept\n"                              \
	"flow add f1 from h[1-10] to r1 size 10G endless rate $SM\n"  \
	"flow add f2 from h[11-20] to r2 size 10G endless rate $SM\n" \
	"flow add f3 from h[21-30] to r3 size 10G endless rate $SM\n" \
	"flow add f4 from h[31-40] to r4 size 10G endless rate $SM\n" \
	"switch pe1 do srv6 sid add 2001:db8:5:1::c/128 end.con\n"    \
	"switch pe1 do srv6 p-node add 2001:db8:f::/48\n"             \
	"switch p[1-4] do srv6 endcon add 2001:db8:5:1::/64\n"        \
	"switch p[1-4] do set notify endcon on\n" WAY                 \
	"switch p[1-4] do set queue all class 3 detector step 20K\n"  \
	"switch p[1-4] do set queue all class 3 notify on\n"

/* Repeated with 1 to 4 for $N, 2 to 5 for $L, and 29 to 2c for $X. */
#define WAY                                                                \
	"*switch pe1 do srv6 policy add w$N\n"                             \
	"*switch pe1 do set srv6 policy w$N roce-source 2001:db8:5:1::c\n" \
	"*switch pe1 do srv6 segments add w$N 2001:db8:5:$L::d6\n"         \
	"*switch pe1 do route add 2001:db8:0:$X::/64 policy w$N\n"         \
	"*switch e$N do srv6 sid add 2001:db8:5:$L::d6/128 end.dt6\n"

#define HOSTS_AND_SWITCHES                                         \
	"switch add s1,s2\n"                                       \
	"host add h[1-40],r\n"                                     \
	"link add h[1-40] s1 rate $RM delay 1us\n"                 \
	"link add s1 s2 rate $RM delay 1us\n"                      \
	"link add s2 r rate $HM delay 1us\n"                       \
	"switch s2 do set queue r class 3 limit 4M packets 4096\n" \
	"switch s2 do set queue r class 3 detector step 50K\n" TRAFFIC

/* Four times what the line between the switches takes, and eight times what the receiver takes. */
#define LOSSLESS                                         \
	"buffers 65535\n"                                \
	"duration 2ms\n"                                 \
	"switch add s1,s2\n"                             \
	"host add h[1-4],r\n"                            \
	"link add h[1-4] s1 rate $RM delay 500ns\n"      \
	"link add s1 s2 rate $RM delay 500ns\n"          \
	"link add s2 r rate $HM delay 500ns\n"           \
	"switch all do set pfc all class 3 send on\n"    \
	"switch all do set pfc all class 3 receive on\n" \
	"host all set ack-every 0\n"                     \
	"host all set timeout 0ns\n"                     \
	"*flow add f$N from h$N to r size 10G endless\n"

#define PROXY                                                                 \
	HOSTS_AND_SWITCHES                                                    \
	"switch s1,s2 do set cnm port 1021\n"                                 \
	"switch s1 do proxy node add 2001:db8:f::2/128\n"                     \
	"switch s1 do proxy sender add 2001:db8::/32 translate fast-cnp\n"    \
	"switch s1 do set proxy receive on\n"                                 \
	"switch s2 do proxy prefix add 2001:db8::/32 address 2001:db8:f::1\n" \
	"switch s2 do set queue r class 3 notify on\n"                        \
	"switch s2 do set notify cnm on\n"

#define ARN                                                \
	HOSTS_AND_SWITCHES                                 \
	"switch s1,s2 do set arn port 1022\n"              \
	"switch s1 do arn source add 2001:db8:f::2/128\n"  \
	"switch s1 do set arn receive on\n"                \
	"switch s2 do arn neighbour add 2001:db8:f::1\n"   \
	"switch s2 do set queue r class 3 arn flow\n"      \
	"switch s2 do set queue r class 3 arn-time 10us\n" \
	"switch s2 do set arn send on\n"

/* ---- what was counted ---- */

struct counted {
	uint64_t sent, received, refused, over_rate, over_total;
};

/* Get the notices of a kind that a switch has sent. */
static uint64_t
notices_of(unsigned int node, unsigned int kind)
{
	const struct fcn_notify_state *state = &worker(node)->notify[kind];
	uint64_t sum = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			sum += fcn_notify_sent(&state->stats[p][c]);
	}
	return sum;
}

static uint64_t
drops(unsigned int node, unsigned int reason)
{
	uint64_t sum = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		sum += worker(node)->counters[p].drop[reason];
	return sum;
}

/* Print what was counted, and check that everything that was sent was counted or is on its way. */
static void
report(const char *pair, unsigned int gbps, unsigned int receiver, struct counted *c,
		unsigned int rate, unsigned int total)
{
	uint64_t others;

	c->over_rate = drops(receiver, rate);
	c->over_total = drops(receiver, total);
	others = c->refused - c->over_rate - c->over_total;
	printf("%-16s %3uG: sent %6" PRIu64 ", received %6" PRIu64 ", dropped: %s %" PRIu64
	       ", %s %" PRIu64 ", other reasons %" PRIu64 "\n",
			pair, gbps, c->sent, c->received, fcn_drop_name(rate), c->over_rate,
			fcn_drop_name(total), c->over_total, others);
	assert_int_equal(others, 0);
	assert_true(c->received + c->refused <= c->sent);
	assert_in_range(c->sent - c->received - c->refused, 0, 100);
}

/* All that was sent was taken, and so much was sent. */
static void
all_taken(const struct counted *c, uint64_t sent)
{
	assert_in_range(c->sent, sent - sent / 100, sent + sent / 100);
	assert_int_equal(c->refused, 0);
}

/* Count the Fast CNPs of n P nodes to a PE. */
static struct counted
endcon(const char *pair, unsigned int gbps, unsigned int p, unsigned int n, unsigned int pe)
{
	struct counted c = {.received = worker(pe)->srv6.endcon.taken};

	for (unsigned int i = 0; i < n; i++)
		c.sent += notices_of(p + i, FCN_NOTICE_ENDCON);
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++) {
		if (strncmp(fcn_drop_name(r), "endcon_", 7) == 0)
			c.refused += drops(pe, r);
	}
	report(pair, gbps, pe, &c, FCN_DROP_ENDCON_RATE, FCN_DROP_ENDCON_TOTAL);
	return c;
}

/* ---- tests ---- */

/*
 * What the first node sends is known on paper. Packets come with 9/10 of R and leave with half of
 * it, so the queue has 50 KB after 100 us, 10 us, 2.5 us. In the rest of 2 ms there may be, in
 * octets on the line, a tenth of what the link can carry, and at once the tenth of 500 us; and to
 * one receiver 1M or 2.5M notices a second, and at once 64 or 160.
 */
static const struct {
	unsigned int gbps;
	uint64_t endcon, cnm, arn; /* a notice has 182 octets on the line, a message 1214, one of
				      ARN 134 */
} paper[] = {
		{10, (1900 + 500) * 125 / 182, (1900 + 500) * 125 / 1214, (1900 + 500) * 125 / 134},
		{100, 1990 * 5 / 2 + 160, (1990 + 500) * 1250 / 1214, 1990 + 512},
		{400, 1998 * 5 / 2 + 160, 1998 * 5 / 2 + 160, 1998 + 512},
};

TEST(endcon)
{
	for (unsigned int i = 0; i < fcn_test_effort(RTE_DIM(paper)); i++) {
		struct counted c;

		start_pair(PE, paper[i].gbps);
		run(NULL);
		c = endcon("P and PE", paper[i].gbps, 2, 1, 0);
		stop();
		all_taken(&c, paper[i].endcon);
	}
}

TEST(proxy)
{
	for (unsigned int i = 0; i < fcn_test_effort(RTE_DIM(paper)); i++) {
		struct counted c = {0};

		start_pair(PROXY, paper[i].gbps);
		run(NULL);
		c.sent = notices_of(1, FCN_NOTICE_CNM);
		c.received = worker(0)->proxy.counters.accepted;
		c.refused = worker(0)->proxy.counters.refused;
		report("switch and proxy", paper[i].gbps, 0, &c, FCN_DROP_CNM_RATE,
				FCN_DROP_CNM_TOTAL);
		assert_int_equal(worker(0)->proxy.counters.lost, 0);
		stop();
		all_taken(&c, paper[i].cnm);
	}
}

TEST(arn)
{
	for (unsigned int i = 0; i < fcn_test_effort(RTE_DIM(paper)); i++) {
		const struct fcn_arn_received_counters *r;
		const struct fcn_arn_sender *s;
		struct counted c = {0};

		start_pair(ARN, paper[i].gbps);
		run(NULL);
		s = worker(1)->arn;
		c.sent = s->sent + s->refreshed + s->ended;
		r = &worker(0)->arn_received.counters;
		c.received = r->halts + r->resumes;
		c.refused = r->refused;
		report("ARN", paper[i].gbps, 0, &c, FCN_DROP_ARN_RATE, FCN_DROP_ARN_TOTAL);
		stop();
		all_taken(&c, paper[i].arn);
	}
}

/* A frame leaves a switch of the lab as late as one of the live switch: 2 us in the median. */
TEST(lossless)
{
	for (unsigned int i = 0; i < fcn_test_effort(RTE_DIM(paper)); i++) {
		uint64_t lost = 0, pauses[2] = {0};

		start_pair(LOSSLESS, paper[i].gbps);
		run(NULL);
		for (unsigned int n = 0; n < 2; n++) {
			for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
				lost += drops(n, r);
			for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
				pauses[n] += worker(n)->counters[p].pause_sent;
		}
		stop();
		printf("two switches, %3uG: pauses %" PRIu64 " and %" PRIu64 ", lost %" PRIu64 "\n",
				paper[i].gbps, pauses[0], pauses[1], lost);
		assert_true(pauses[0] > 50 && pauses[1] > 50);
		assert_int_equal(lost, 0);
	}
}

/* Four P nodes behind one port of the PE, whose lines are all congested. */
TEST(several)
{
	for (unsigned int i = 0; i < fcn_test_effort(RTE_DIM(paper)); i++) {
		struct counted c;

		start_pair(SEVERAL, paper[i].gbps);
		run(NULL);
		c = endcon("4 P and PE", paper[i].gbps, 6, 4, 0);
		stop();
		assert_true(c.sent > 1000);
		assert_int_equal(c.refused, 0);
	}
}

/*
 * One of the P nodes has no limits. It gets its part, 5M a second and 2560 at once, and the notices
 * of the others are all taken.
 */
#define GREEDY                                                     \
	SEVERAL "switch p1 do set notify interval 0\n"             \
		"switch p1 do set notify link-share off\n"         \
		"switch p1 do set notify bucket queue off\n"       \
		"switch p1 do set notify bucket global off\n"      \
		"switch p1 do set notify bucket destination off\n" \
		"switch p1 do set notify bucket source off\n"

TEST(greedy)
{
	const unsigned int ms = fcn_test_effort(2);
	const uint64_t part = ms * 5000 + 2560;
	uint64_t others = 0;
	struct counted c;

	start_pair(ms == 2 ? GREEDY : GREEDY "duration 1ms\n", 400);
	run(NULL);
	c = endcon("1 of 4 is greedy", 400, 6, 4, 0);
	for (unsigned int p = 7; p < 10; p++)
		others += notices_of(p, FCN_NOTICE_ENDCON);
	stop();
	assert_true(c.sent > others + part + part / 4 * ms);
	assert_in_range(c.received, others + part - part / 50, others + part);
	assert_int_equal(c.over_total, 0);
	assert_int_equal(c.over_rate, c.refused);
}

/*
 * Fast CNPs are on, too, but there is a proxy: the senders themselves are sent none, however many
 * messages to the proxy the limits suppress.
 */
TEST(direct)
{
	uint64_t sent, direct, suppressed = 0;

	start_pair(PROXY "switch s2 do set notify fast-cnp on\n", 100);
	run(NULL);
	sent = notices_of(1, FCN_NOTICE_CNM);
	direct = notices_of(1, FCN_NOTICE_FAST_CNP);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			suppressed += fcn_notify_suppressed(
					&worker(1)->notify[FCN_NOTICE_CNM].stats[p][c]);
	}
	stop();
	printf("with a proxy: %" PRIu64 " messages to it, %" PRIu64 " suppressed, %" PRIu64
	       " Fast CNPs to senders\n",
			sent, suppressed, direct);
	assert_true(sent > 1000 && suppressed > 1000);
	assert_int_equal(direct, 0);
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	return lab_eal_init(SWITCHES, QUEUES_MB);
}

TEST_FIXTURE(.begin = setup, .end = fcn_test_eal_cleanup);
