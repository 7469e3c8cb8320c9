/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What routing protocols send, on port 0, for which an interface of the kernel stands, and on port
 * 1, for which none does. Numbers of protocols and ports are those of IANA's registries, groups of
 * IS-IS those of ISO 10589 section 8.4.8 and RFC 5309, groups of IEEE's protocols those of IEEE
 * 802.1Q tables 8-1 to 8-3, and of each protocol's own standard.
 */

#include <netinet/in.h>

#include "fcn_punt.h"
#include "testbed.h"

#define WITH 0
#define WITHOUT 1

static int
setup(void **state)
{
	if (bench_setup(state) != 0)
		return -1;
	bench.worker->punts = fcn_punt_queues_create(SOCKET_ID_ANY);
	assert_non_null(bench.worker->punts);
	bench.snap.punt = (1u << FCN_PUNT_REASON_COUNT) - 1;
	bench.snap.port[WITH].kernel = true;
	for (unsigned int p = 0; p < 4; p++) {
		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
			struct fcn_punt_rate rate = fcn_punt_default(k);

			bench.snap.port[p].punt[k] = fcn_punt_limit_of(&rate, 1);
		}
	}
	bench_route("2001:db8:f::1/128", 2); /* addresses of the switch */
	bench_route("198.51.100.1/32", 2);
	bench_routes_done();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* The one packet that waits. @return its kind; FCN_PUNT_KIND_COUNT: none does */
static enum fcn_punt_kind
take(struct fcn_punt *punt)
{
	enum fcn_punt_kind kind = FCN_PUNT_KIND_COUNT;
	struct fcn_punt one;

	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		while (fcn_punt_dequeue(bench.worker->punts, k, &one)) {
			assert_int_equal(kind, FCN_PUNT_KIND_COUNT);
			kind = k;
			*punt = one;
			rte_pktmbuf_free(one.mbuf);
		}
	}
	return kind;
}

/* A frame that the port with an interface leaves to the kernel, and the other one drops. */
static void
assert_left(struct frame *f, uint8_t reason, enum fcn_punt_kind kind,
		enum fcn_drop_reason otherwise)
{
	uint64_t dropped = bench_drops(otherwise);
	struct fcn_punt punt;
	static uint64_t now;

	bench_send(WITH, f, ++now);
	assert_int_equal(take(&punt), kind);
	assert_int_equal(punt.reason, reason);
	assert_int_equal(punt.in_port, WITH);
	assert_int_equal(bench_drops(otherwise), dropped);
	if (f->data[0] == 2)
		f->data[5] = 10 + WITHOUT;
	bench_send(WITHOUT, f, ++now);
	assert_int_equal(take(&punt), FCN_PUNT_KIND_COUNT);
	assert_int_equal(bench_drops(otherwise), dropped + 1);
}

static void
assert_control(struct frame *f, uint8_t reason, enum fcn_drop_reason otherwise)
{
	assert_left(f, reason, FCN_PUNT_KIND_CONTROL, otherwise);
}

static void
assert_dropped(const struct frame *f, enum fcn_drop_reason why)
{
	uint64_t dropped = bench_drops(why);
	struct fcn_punt punt;

	bench_send(WITH, f, 1000);
	assert_int_equal(take(&punt), FCN_PUNT_KIND_COUNT);
	assert_int_equal(bench_drops(why), dropped + 1);
}

static void
ip4(struct frame *f, uint8_t proto, const uint8_t dst[4])
{
	frame_ether(f, 0x0800);
	frame_ip4(f, proto, 20);
	memcpy(f->data + f->ip[0] + 16, dst, 4);
	frame_zero(f, 24);
	frame_finish(f);
	frame_to_port(f, WITH, 1);
	if (dst[0] >= 224 && dst[0] < 240)
		memcpy(f->data, (uint8_t[]){1, 0, 0x5e, dst[1] & 0x7F, dst[2], dst[3]}, 6);
}

static void
ip6(struct frame *f, uint8_t proto, const uint8_t src[16], const uint8_t dst[16])
{
	frame_ether(f, 0x86DD);
	frame_ip6(f, proto);
	memcpy(f->data + f->ip[0] + 8, src, 16);
	memcpy(f->data + f->ip[0] + 24, dst, 16);
	frame_zero(f, 24);
	frame_finish(f);
	frame_to_port(f, WITH, 1);
	if (dst[0] == 0xFF)
		memcpy(f->data, (uint8_t[]){0x33, 0x33, dst[12], dst[13], dst[14], dst[15]}, 6);
}

static const uint8_t link_local[16] = {0xfe, 0x80, [15] = 9};
static const uint8_t global[16] = {0x20, 1, 0xd, 0xb8, 0, 0xe, [15] = 9};
static const uint8_t own6[16] = {0x20, 1, 0xd, 0xb8, 0, 0xf, [15] = 1};
static const uint8_t own4[4] = {198, 51, 100, 1};

/* Groups of the link: 224.0.0.0/24 (RFC 5771 section 4), FFx2:: (RFC 4291 section 2.7). */
TEST(groups)
{
	struct frame f;

	ip4(&f, 89, (uint8_t[]){224, 0, 0, 5}); /* OSPF */
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_MULTICAST);
	ip4(&f, IPPROTO_UDP, (uint8_t[]){224, 0, 0, 9}); /* RIP */
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_MULTICAST);
	ip6(&f, 89, link_local, (uint8_t[16]){0xff, 2, [15] = 5});
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_MULTICAST);
	ip6(&f, 89, link_local, (uint8_t[16]){0xff, 0x12, [15] = 5}); /* transient */
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_MULTICAST);
	/* Of wider scope: somebody else's. */
	ip4(&f, 89, (uint8_t[]){224, 0, 1, 5});
	assert_dropped(&f, FCN_DROP_MULTICAST);
	ip4(&f, 89, (uint8_t[]){239, 0, 0, 5});
	assert_dropped(&f, FCN_DROP_MULTICAST);
	ip6(&f, 89, link_local, (uint8_t[16]){0xff, 5, [15] = 5});
	assert_dropped(&f, FCN_DROP_MULTICAST);
	/* From the unspecified address. */
	ip4(&f, 89, own4);
	memset(f.data + 14 + 12, 0, 4);
	frame_finish(&f);
	assert_dropped(&f, FCN_DROP_MARTIAN);
}

/* Between two routers of the link. */
TEST(link_local)
{
	struct frame f;

	ip6(&f, 89, link_local, (uint8_t[16]){0xfe, 0x80, [15] = 7});
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_LINK_LOCAL);
	ip6(&f, IPPROTO_TCP, link_local, (uint8_t[16]){0xfe, 0x80, [15] = 7});
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_LINK_LOCAL);
	ip4(&f, IPPROTO_TCP, (uint8_t[]){169, 254, 3, 4});
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_LINK_LOCAL);
}

static void
assert_heard(const struct frame *f)
{
	struct fcn_punt punt;
	static uint64_t now = 2000000000;

	now += 1000000000; /* the policer has forgotten what was before */
	bench_send(WITH, f, now);
	assert_true(take(&punt) != FCN_PUNT_KIND_COUNT);
	assert_int_equal(punt.reason, FCN_PUNT_LINK);
}

/*
 * ICMPv6 of the link. RFC 4861: Neighbour Solicitations of Duplicate Address Detection and Router
 * Solicitations are from the unspecified address, everything else is from an address of a station.
 */
TEST(icmp6)
{
	static const uint8_t unspecified[16], loopback[16] = {[15] = 1};
	static const uint8_t solicited[16] = {
			0xff, 2, [11] = 1, [12] = 0xff, [13] = 0, [14] = 0, [15] = 1};
	static const uint8_t site[16] = {0xff, 5, [15] = 1};
	/* An address of a station, of which the second byte ends in 2 as that of a group. */
	static const uint8_t like_a_group[16] = {0x20, 2, 0xc0, [15] = 1};
	struct frame f;

	ip6(&f, IPPROTO_ICMPV6, unspecified, solicited);
	assert_heard(&f);
	frame_to_port(&f, WITH, 1); /* to this station alone, as RFC 6085 has it */
	assert_heard(&f);
	ip6(&f, IPPROTO_ICMPV6, unspecified, own6);
	assert_heard(&f);
	ip6(&f, IPPROTO_ICMPV6, link_local, solicited);
	assert_heard(&f);
	/* Sources that nobody can have. */
	ip6(&f, IPPROTO_ICMPV6, loopback, solicited);
	assert_dropped(&f, FCN_DROP_MARTIAN);
	frame_to_port(&f, WITH, 1);
	assert_dropped(&f, FCN_DROP_MARTIAN);
	ip6(&f, IPPROTO_ICMPV6, solicited, solicited);
	assert_dropped(&f, FCN_DROP_MARTIAN);
	ip6(&f, IPPROTO_ICMPV6, loopback, own6);
	assert_dropped(&f, FCN_DROP_MARTIAN);
	ip6(&f, IPPROTO_ICMPV6, solicited, own6);
	assert_dropped(&f, FCN_DROP_MARTIAN);
	ip6(&f, 89, unspecified, (uint8_t[16]){0xff, 2, [15] = 5});
	assert_dropped(&f, FCN_DROP_MARTIAN);
	/* Destinations that nobody can have. */
	ip6(&f, IPPROTO_ICMPV6, unspecified, loopback);
	assert_dropped(&f, FCN_DROP_MARTIAN);
	ip6(&f, IPPROTO_ICMPV6, global, unspecified);
	assert_dropped(&f, FCN_DROP_MARTIAN);
	/* Of wider scope than the link. */
	ip6(&f, IPPROTO_ICMPV6, unspecified, site);
	assert_dropped(&f, FCN_DROP_MULTICAST);
	frame_to_port(&f, WITH, 1);
	assert_dropped(&f, FCN_DROP_MULTICAST);
	/* Not to a group at all, but in a frame to one. */
	ip6(&f, IPPROTO_ICMPV6, global, like_a_group);
	memcpy(f.data, (uint8_t[]){0x33, 0x33, 0, 0, 0, 1}, 6);
	assert_dropped(&f, FCN_DROP_MULTICAST);
}

/* IEEE 802.3 with LLC FE-FE-03: a length where the EtherType would be. */
static void
isis(struct frame *f, const uint8_t mac[6], uint16_t length)
{
	frame_ether(f, length);
	frame_put(f, (uint8_t[]){0xfe, 0xfe, 3, 0x83}, 4);
	frame_zero(f, 60);
	memcpy(f->data, mac, 6);
}

TEST(isis)
{
	static const uint8_t level1[6] = {0x01, 0x80, 0xC2, 0, 0, 0x14};
	static const uint8_t level2[6] = {0x01, 0x80, 0xC2, 0, 0, 0x15};
	static const uint8_t all[6] = {0x09, 0, 0x2B, 0, 0, 5};
	static const uint8_t end_systems[6] = {0x09, 0, 0x2B, 0, 0, 4};
	static const uint8_t cisco[6] = {0x01, 0, 0x0C, 0xCC, 0xCC, 0xCC};
	struct frame f;

	isis(&f, level1, 64);
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_ETHER_TYPE);
	isis(&f, level2, 1500);
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_ETHER_TYPE);
	isis(&f, all, 64);
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_ETHER_TYPE);
	isis(&f, end_systems, 64);
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_ETHER_TYPE);
	/* Of a packet longer than 1500: a length for Linux and FRR, undefined in IEEE 802.3. */
	isis(&f, all, 1501);
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_ETHER_TYPE);
	isis(&f, all, 1535);
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_ETHER_TYPE);
	isis(&f, all, 1536); /* an EtherType, and not that of IS-IS */
	assert_dropped(&f, FCN_DROP_ETHER_TYPE);
	isis(&f, level2, 0x8870); /* of a packet of any length */
	assert_control(&f, FCN_PUNT_CONTROL, FCN_DROP_ETHER_TYPE);
	isis(&f, (uint8_t[6]){2, 0, 0, 0, 0, 10 + WITH}, 0x8870);
	assert_dropped(&f, FCN_DROP_ETHER_TYPE);
	isis(&f, cisco, 64);
	assert_dropped(&f, FCN_DROP_ETHER_TYPE);
	/* Of a VLAN, for which there is no sub-interface. */
	isis(&f, all, 64);
	memmove(f.data + 16, f.data + 12, f.len - 12);
	memcpy(f.data + 12, (uint8_t[]){0x81, 0, 0, 100}, 4);
	f.len += 4;
	assert_dropped(&f, FCN_DROP_VLAN_UNEXPECTED);
}

/* A frame to 01-80-C2-00-00-xx, or to another address. */
static void
link_frame(struct frame *f, uint64_t mac, uint16_t type)
{
	frame_ether(f, type);
	frame_zero(f, 46);
	for (unsigned int i = 0; i < 6; i++)
		f->data[i] = (uint8_t)(mac >> 8 * (5 - i));
}

#define GROUP(last) (0x0180C2000000 + (last))
#define OWN (0x020000000000 + 10 + WITH)
#define PTP_GROUP 0x011B19000000

/* By address and EtherType, of each what it may have; everything else is nobody's. */
TEST(link)
{
	static const struct {
		uint64_t mac;
		uint16_t type;
		bool is_ours;
	} frames[] = {
			{GROUP(0x0E), 0x88CC, true}, /* LLDP: nearest bridge */
			{GROUP(0x03), 0x88CC, true}, /* nearest non-TPMR bridge */
			{GROUP(0x00), 0x88CC, true}, /* nearest customer bridge */
			{OWN, 0x88CC, true},
			{GROUP(0x02), 0x88CC, false},
			{0xFFFFFFFFFFFF, 0x88CC, false},
			{GROUP(0x02), 0x8809, true}, /* LACP, Ethernet OAM */
			{GROUP(0x03), 0x8809, true},
			{GROUP(0x00), 0x8809, true},
			{OWN, 0x8809, true},
			{GROUP(0x0E), 0x8809, false},
			{GROUP(0x03), 0x888E, true}, /* EAPOL: the group of PAEs */
			{GROUP(0x00), 0x888E, true},
			{GROUP(0x0E), 0x888E, true},
			{OWN, 0x888E, true},
			{GROUP(0x02), 0x888E, false},
			{PTP_GROUP, 0x88F7, true},   /* PTP but for peer delay */
			{GROUP(0x0E), 0x88F7, true}, /* peer delay */
			{OWN, 0x88F7, true},
			{GROUP(0x00), 0x88F7, false},
			{PTP_GROUP, 0x88CC, false},
			{GROUP(0x00), 38, true}, /* spanning tree */
			{GROUP(0x0E), 38, false},
			{OWN, 38, false},
			{GROUP(0x14), 0x88CC, false},
			{GROUP(0x0E), 0x88E5, false}, /* MACsec */
			{GROUP(0x0E), 0x1234, false},
			{OWN, 0x1234, false},
	};
	struct fcn_punt punt;
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(frames); i++) {
		link_frame(&f, frames[i].mac, frames[i].type);
		if (frames[i].is_ours)
			assert_left(&f, FCN_PUNT_CONTROL, FCN_PUNT_KIND_LINK, FCN_DROP_ETHER_TYPE);
		else
			assert_dropped(&f, FCN_DROP_ETHER_TYPE);
	}
	/* With a tag that names no VLAN, as 802.1X clients send it: the port's own, without the
	 * tag. */
	link_frame(&f, GROUP(0x03), 0x888E);
	memmove(f.data + 16, f.data + 12, f.len - 12);
	memcpy(f.data + 12, (uint8_t[]){0x81, 0, 0xE0, 0}, 4);
	f.len += 4;
	bench_send(WITH, &f, 2000);
	assert_int_equal(take(&punt), FCN_PUNT_KIND_LINK);
	assert_int_equal(punt.in_port, WITH);
}

/* A flood of frames of the link is limited, and keeps no routing protocol out. */
TEST(link_rate)
{
	const uint64_t burst = fcn_punt_default(FCN_PUNT_KIND_LINK).burst;
	struct fcn_punt punt;
	unsigned int n = 0;
	struct frame f;

	link_frame(&f, GROUP(0x0E), 0x88CC);
	for (unsigned int i = 0; i < 16; i++) {
		for (unsigned int k = 0; k < 32; k++)
			bench_in(WITH, &f);
		bench_poll(1);
		while (fcn_punt_dequeue(bench.worker->punts, FCN_PUNT_KIND_LINK, &punt)) {
			rte_pktmbuf_free(punt.mbuf);
			n++;
		}
	}
	assert_int_equal(n, burst);
	assert_int_equal(bench_drops(FCN_DROP_PUNT_LIMITED), 16 * 32 - burst);
	isis(&f, (uint8_t[6]){0x01, 0x80, 0xC2, 0, 0, 0x14}, 0x8870);
	bench_send(WITH, &f, 1);
	assert_int_equal(take(&punt), FCN_PUNT_KIND_CONTROL);
}

/* To an address of the switch: the host functions get it in any case, but as of which kind? */
static void
assert_kind(struct frame *f, enum fcn_punt_kind with)
{
	struct fcn_punt punt;
	static uint64_t now;

	f->data[5] = 10 + WITH;
	bench_send(WITH, f, ++now);
	assert_int_equal(take(&punt), with);
	assert_int_equal(punt.reason, FCN_PUNT_LOCAL);
	f->data[5] = 10 + WITHOUT;
	bench_send(WITHOUT, f, ++now);
	assert_int_equal(take(&punt), FCN_PUNT_KIND_LOCAL);
	assert_int_equal(punt.in_port, WITHOUT);
}

static void
ports(struct frame *f, uint16_t src, uint16_t dst)
{
	uint8_t *l4 = f->data + f->len - 24;

	l4[0] = src >> 8;
	l4[1] = src;
	l4[2] = dst >> 8;
	l4[3] = dst;
	l4[5] = 24; /* of UDP the length */
	l4[12] = 5 << 4;
}

TEST(own)
{
	static const struct {
		uint8_t proto;
		uint16_t src, dst;
		enum fcn_punt_kind kind;
	} packets[] = {
			{IPPROTO_TCP, 179, 50000, FCN_PUNT_KIND_CONTROL}, /* BGP */
			{IPPROTO_TCP, 50000, 179, FCN_PUNT_KIND_CONTROL},
			{IPPROTO_TCP, 178, 180, FCN_PUNT_KIND_LOCAL},
			{IPPROTO_UDP, 49152, 3784, FCN_PUNT_KIND_CONTROL}, /* BFD, RFC 5881 */
			{IPPROTO_UDP, 49152, 3785, FCN_PUNT_KIND_CONTROL},
			{IPPROTO_UDP, 49152, 4784, FCN_PUNT_KIND_CONTROL}, /* RFC 5883 */
			{IPPROTO_UDP, 520, 520, FCN_PUNT_KIND_CONTROL},    /* RIP, RFC 2453 */
			{IPPROTO_UDP, 521, 521, FCN_PUNT_KIND_CONTROL},    /* RIPng, RFC 2080 */
			{IPPROTO_UDP, 3784, 53, FCN_PUNT_KIND_LOCAL},
			{IPPROTO_UDP, 179, 179, FCN_PUNT_KIND_LOCAL},
			{89, 0, 0, FCN_PUNT_KIND_CONTROL},  /* OSPF */
			{103, 0, 0, FCN_PUNT_KIND_CONTROL}, /* PIM */
			{112, 0, 0, FCN_PUNT_KIND_CONTROL}, /* VRRP */
			{132, 179, 179, FCN_PUNT_KIND_LOCAL},
	};
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(packets); i++) {
		ip6(&f, packets[i].proto, global, own6);
		ports(&f, packets[i].src, packets[i].dst);
		assert_kind(&f, packets[i].kind);
		ip4(&f, packets[i].proto, own4);
		ports(&f, packets[i].src, packets[i].dst);
		assert_kind(&f, packets[i].kind);
	}
}

/* Routing protocols have a rate of their own: junk to the switch does not keep them out. */
TEST(own_rate)
{
	const uint64_t burst = fcn_punt_default(FCN_PUNT_KIND_LOCAL).burst;
	struct fcn_punt punt;
	unsigned int n = 0;
	struct frame f;

	ip4(&f, IPPROTO_UDP, own4);
	ports(&f, 50000, 53);
	for (unsigned int i = 0; i < 16; i++) {
		for (unsigned int k = 0; k < 32; k++)
			bench_in(WITH, &f);
		bench_poll(1);
		while (fcn_punt_dequeue(bench.worker->punts, FCN_PUNT_KIND_LOCAL, &punt)) {
			rte_pktmbuf_free(punt.mbuf);
			n++;
		}
	}
	assert_int_equal(n, burst);
	assert_int_equal(bench_drops(FCN_DROP_PUNT_LIMITED), 16 * 32 - burst);
	ip4(&f, 89, own4);
	bench_send(WITH, &f, 1);
	assert_int_equal(take(&punt), FCN_PUNT_KIND_CONTROL);
	/* Over their own rate, they are dropped by the policer, too. */
	bench.snap.port[WITH].punt[FCN_PUNT_KIND_CONTROL] = (struct fcn_punt_limit){0};
	ip4(&f, 89, (uint8_t[]){224, 0, 0, 5});
	bench_send(WITH, &f, 1);
	assert_int_equal(take(&punt), FCN_PUNT_KIND_COUNT);
	assert_int_equal(bench_drops(FCN_DROP_PUNT_LIMITED), 16 * 32 - burst + 1);
	assert_int_equal(bench.worker->counters[WITH].punt_limited[FCN_PUNT_KIND_CONTROL], 1);
}
