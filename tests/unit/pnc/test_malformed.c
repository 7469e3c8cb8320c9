/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Messages with one defect each, whose checksums are right, and what remains of them. */

#include "fcn_inet.h"
#include "fletcher_write.h"
#include "ospf.h"
#include "pnc_util.h"

TEST_FIXTURE(PNC_TEST);

/* ---- IS-IS: TLVs in a fragment 0 ---- */

struct lsp {
	uint8_t frame[512];
	size_t len;
};

static struct lsp
lsp_begin(void)
{
	struct lsp l = {.len = 17};
	static const uint8_t header[27] = {0x83, 27, 1, 0, 18, 1, 0, 0, 0, 0, 4, 0xB0, 0x19, 0x20,
			0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1};

	memset(l.frame, 2, 12);
	memcpy(l.frame + 14, "\xFE\xFE\x03", 3);
	memcpy(l.frame + 17, header, sizeof(header));
	l.len += sizeof(header);
	return l;
}

static void
lsp_add(struct lsp *l, const void *tlv, size_t len)
{
	memcpy(l->frame + l->len, tlv, len);
	l->len += len;
}

static void
lsp_read(struct lsp *l)
{
	fcn_put_be16(l->frame + 12, (uint16_t)(l->len - 14));
	fcn_put_be16(l->frame + 25, (uint16_t)(l->len - 17));
	fletcher_write(l->frame + 29, l->len - 29, 12);
	pnc_read_bytes(l->frame, l->len, 0);
}

#define ADD(l, ...) \
	lsp_add(l, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* TE router ID 192.0.2.1 */
#define ROUTER_ID 134, 4, 192, 0, 2, 1

TEST(isis_tlvs)
{
	/* What follows the router ID, its octets, and the prefix that is learned or not. */
	static const struct {
		uint8_t octets[40];
		uint8_t n;
		bool is_bad;
		const char *proxy; /* of 10.1.0.0/16, or of 2001:db8::/32 */
	} cases[] = {
			/* all is well */
			{{135, 11, 0, 0, 0, 1, 0x50, 10, 1, 3, 4, 1, 1}, 13, false, "192.0.2.1"},
			/* the flag is in the first octet only */
			{{135, 12, 0, 0, 0, 1, 0x50, 10, 1, 4, 4, 2, 0, 1}, 14, false, ""},
			{{135, 12, 0, 0, 0, 1, 0x50, 10, 1, 4, 4, 2, 1, 0}, 14, false, "192.0.2.1"},
			/* sub-TLV: of no octets; past the sub-TLVs; half a header; past the TLV */
			{{135, 10, 0, 0, 0, 1, 0x50, 10, 1, 2, 4, 0}, 12, true, ""},
			{{135, 11, 0, 0, 0, 1, 0x50, 10, 1, 3, 4, 2, 1}, 13, true, ""},
			{{135, 12, 0, 0, 0, 1, 0x50, 10, 1, 4, 4, 1, 1, 4}, 14, true, ""},
			{{135, 11, 0, 0, 0, 1, 0x50, 10, 1, 4, 4, 1, 1}, 13, true, ""},
			/* the first of two flags counts, and the first of two sources */
			{{135, 14, 0, 0, 0, 1, 0x50, 10, 1, 6, 4, 1, 0, 4, 1, 1}, 16, false, ""},
			{{135, 14, 0, 0, 0, 1, 0x50, 10, 1, 6, 4, 1, 1, 4, 1, 0}, 16, false,
					"192.0.2.1"},
			{{135, 23, 0, 0, 0, 1, 0x50, 10, 1, 15, 4, 1, 1, 11, 4, 9, 9, 9, 9, 11, 4,
					 9, 9, 9, 8},
					25, false, "9.9.9.9"},
			/* a source of the wrong length */
			{{135, 16, 0, 0, 0, 1, 0x50, 10, 1, 8, 4, 1, 1, 11, 3, 9, 9, 9}, 18, true,
					""},
			{{135, 17, 0, 0, 0, 1, 0x50, 10, 1, 9, 4, 1, 1, 12, 4, 9, 9, 9, 9}, 19,
					true, ""},
			/* no sub-TLVs although it says so; a prefix cut short; of 33 bits */
			{{135, 7, 0, 0, 0, 1, 0x50, 10, 1}, 9, true, ""},
			{{135, 6, 0, 0, 0, 1, 0x50, 10}, 8, true, ""},
			{{135, 14, 0, 0, 0, 1, 0x61, 10, 1, 0, 0, 0, 3, 4, 1, 1}, 16, true, ""},
			{{235, 1, 0}, 3, true, ""},
			{{235, 13, 0, 9, 0, 0, 0, 1, 0x50, 10, 1, 3, 4, 1, 1}, 15, false,
					"192.0.2.1"},
			/* IPv6: all is well, of 129 bits, without the sub-TLV bit */
			{{236, 14, 0, 0, 0, 1, 0x20, 32, 0x20, 1, 0xD, 0xB8, 3, 4, 1, 1}, 16, false,
					"192.0.2.1"},
			{{236, 27, 0, 0, 0, 1, 0x20, 129, 0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0,
					 0, 0, 0, 0, 0, 0, 3, 4, 1, 1},
					29, true, ""},
			{{236, 10, 0, 0, 0, 1, 0x00, 32, 0x20, 1, 0xD, 0xB8}, 12, false, ""},
			/* router IDs of the wrong length */
			{{134, 5, 1, 1, 1, 1, 1}, 7, true, ""},
			{{140, 4, 1, 1, 1, 1}, 6, true, ""},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct lsp l = lsp_begin();

		ADD(&l, ROUTER_ID);
		lsp_add(&l, cases[i].octets, cases[i].n);
		pnc_setup(NULL, NULL);
		lsp_read(&l);
		if (pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_NEW) != 1)
			fail_msg("case %u: not new", i);
		if (pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_BAD_TLV) != cases[i].is_bad)
			fail_msg("case %u: bad", i);
		if (strcmp(pnc_proxy(cases[i].octets[0] == 236 ? "2001:db8::/32" : "10.1.0.0/16"),
				    cases[i].proxy) != 0)
			fail_msg("case %u: proxy", i);
	}
}

TEST(isis_node)
{
	/* Flags of a host prefix 192.0.2.9, and whether it is an address of the system. */
	static const struct {
		uint8_t flags;
		uint8_t control;
		bool is_address;
	} cases[] = {{0x20, 0x60, true}, {0x21, 0x60, true}, {0, 0x60, false}, {0x60, 0x60, false},
			{0xA0, 0x60, false}, {0x20, 0xE0, false}, {0x20, 0x5F, false}};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct lsp l = lsp_begin();

		ADD(&l, 135, 24, 0, 0, 0, 1, cases[i].control, 192, 0, 2, 9, 3, 4, 1,
				cases[i].flags, 0, 0, 0, 1, 0x50, 10, 1, 3, 4, 1, 1);
		pnc_setup(NULL, NULL);
		lsp_read(&l);
		assert_string_equal(
				pnc_proxy("10.1.0.0/16"), cases[i].is_address ? "192.0.2.9" : "");
	}
}

/* Of several host prefixes in a message, the lowest is the address. */
TEST(isis_nodes)
{
	struct lsp l = lsp_begin();

	ADD(&l, 135, 37, 0, 0, 0, 1, 0x60, 192, 0, 2, 9, 3, 4, 1, 0x20, 0, 0, 0, 1, 0x60, 192, 0, 2,
			8, 3, 4, 1, 0x20, 0, 0, 0, 1, 0x50, 10, 1, 3, 4, 1, 1);
	pnc_setup(NULL, NULL);
	lsp_read(&l);
	assert_string_equal(pnc_proxy("10.1.0.0/16"), "192.0.2.8");
}

TEST(isis_whole)
{
	struct lsp good = lsp_begin(), l;

	ADD(&good, ROUTER_ID, 135, 11, 0, 0, 0, 1, 0x50, 10, 1, 3, 4, 1, 1);
	pnc_setup(NULL, NULL);
	/* A TLV past the end, by one octet, and half of a header. */
	l = good;
	ADD(&l, 99, 3, 0, 0);
	lsp_read(&l);
	l = good;
	ADD(&l, 99);
	lsp_read(&l);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_MALFORMED), 2);
	/* A pseudonode has no prefixes. */
	l = good;
	l.frame[17 + 18] = 1;
	lsp_read(&l);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_OTHER), 1);
	/* Without a checksum. */
	l = good;
	memset(l.frame + 29, 0, l.len - 29);
	l.frame[40] = 0;
	fcn_put_be16(l.frame + 12, (uint16_t)(l.len - 14));
	fcn_put_be16(l.frame + 25, (uint16_t)(l.len - 17));
	l.frame[17 + 23] = 255; /* sequence number: both sums are 0 modulo 255 */
	pnc_read_bytes(l.frame, l.len, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_CHECKSUM), 1);
	assert_int_equal(bench.told.n, 0);

	/* A purge that comes twice, and one that is newer than the first. */
	l = good;
	lsp_read(&l);
	assert_int_equal(bench.told.n, 1);
	for (uint8_t sequence = 1; sequence <= 2; sequence++) {
		for (unsigned int n = 0; n < 2; n++) {
			l = good;
			memset(l.frame + 27, 0, 2);
			l.frame[40] = sequence;
			lsp_read(&l);
		}
	}
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_PURGED), 2);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_SAME), 2);
	/* What has the number of the purge is not newer; after it, a newer one and its refresh. */
	l = good;
	l.frame[40] = 2;
	lsp_read(&l);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_OLD), 1);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_CONFLICT), 0);
	l.frame[40] = 3;
	lsp_read(&l);
	assert_int_equal(bench.told.n, 1);
	lsp_read(&l);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_SAME), 3);
	fcn_pnc_frame_tick(&bench.readers, 1200 * SECOND);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_EXPIRED), 1);
}

/* ---- OSPF: the body of one LSA ---- */

static void
ospf_read(bool is_v3, uint16_t type, uint32_t id, uint32_t area, uint32_t link, const uint8_t *body,
		size_t len, uint16_t age)
{
	const size_t header = is_v3 ? OSPF3_HEADER : OSPF2_HEADER, at = header + 4;
	uint8_t p[256] = {is_v3 ? 3 : 2, OSPF_TYPE_UPDATE}, ip6[40] = {0};

	assert_true(at + 20 + len <= sizeof(p));
	fcn_put_be16(p + 2, (uint16_t)(at + 20 + len));
	fcn_put_be32(p + 8, area);
	fcn_put_be32(p + header, 1);
	fcn_put_be16(p + at, age);
	fcn_put_be16(p + at + 2, type);
	fcn_put_be32(p + at + 4, id);
	fcn_put_be32(p + at + 8, 0xC0000205); /* 192.0.2.5 */
	fcn_put_be32(p + at + 12, 0x80000001);
	fcn_put_be16(p + at + 18, (uint16_t)(20 + len));
	memcpy(p + at + 20, body, len);
	fletcher_write(p + at + 2, 18 + len, 14);
	if (is_v3) {
		uint8_t pseudo[40] = {0};

		fcn_put_be32(pseudo + 32, (uint32_t)(at + 20 + len));
		pseudo[39] = 89;
		fcn_put_be16(p + 12, ospf_checksum((uint16_t)~ospf_checksum(0, pseudo, 40), p,
						     at + 20 + len));
		fcn_pnc_ospf3_input(bench.readers.ospf3, link, ip6, p, at + 20 + len, 0);
		return;
	}
	fcn_put_be16(p + 12, ospf_checksum(0, p, at + 20 + len));
	fcn_pnc_ospf_input(bench.readers.ospf, link, p, at + 20 + len, 0);
}

#define FLAGS2 0, 11, 0, 4, 0x20, 0, 0, 0
#define FLAGS3 0, 37, 0, 4, 0x20, 0, 0, 0
#define NET10 10, 1, 0, 0

struct body {
	uint8_t octets[64];
	uint8_t n;
	bool is_bad;
	const char *proxy;
};

static void
check_bodies(bool is_v3, uint16_t type, uint32_t id, const struct body *cases, unsigned int n,
		const char *prefix)
{
	const enum fcn_pnc_protocol protocol = is_v3 ? FCN_PNC_OSPF3 : FCN_PNC_OSPF;

	for (unsigned int i = 0; i < n; i++) {
		pnc_setup_ids();
		ospf_read(is_v3, type, id, 0, 1, cases[i].octets, cases[i].n, 1);
		if (pnc_count(protocol, FCN_PNC_COUNT_MALFORMED) != cases[i].is_bad)
			fail_msg("body %u: bad", i);
		if (pnc_count(protocol, FCN_PNC_COUNT_NEW) == cases[i].is_bad)
			fail_msg("body %u: new", i);
		if (strcmp(pnc_proxy(prefix), cases[i].proxy) != 0)
			fail_msg("body %u: proxy %s", i, pnc_proxy(prefix));
		/* Nothing is left over, not even of a router that only a prefix named. */
		fcn_pnc_frame_tick(&bench.readers, 3600 * SECOND);
		assert_int_equal(pnc_state(protocol).originators, 0);
	}
}

TEST(ospf_bodies)
{
	static const struct body cases[] = {
			{{0, 1, 0, 16, 1, 16, 0, 0, NET10, FLAGS2}, 20, false, "192.0.2.5"},
			/* another address family; 33 bits; less than a prefix; past the body */
			{{0, 1, 0, 16, 1, 16, 1, 0, NET10, FLAGS2}, 20, false, ""},
			{{0, 1, 0, 16, 1, 33, 0, 0, NET10, FLAGS2}, 20, true, ""},
			{{0, 1, 0, 4, 1, 16, 0, 0}, 8, true, ""},
			{{0, 1, 0, 3, 1, 16, 0, 0}, 8, true, ""},
			{{0, 1, 0, 17, 1, 16, 0, 0, NET10, FLAGS2}, 20, true, ""},
			{{0, 1, 0, 15, 1, 16, 0, 0, NET10, FLAGS2}, 20, true, ""},
			{{0, 1, 0}, 3, true, ""},
			{{0, 9, 0, 5, 0, 0, 0, 0, 0}, 9, true, ""},
			/* flags of 0, 2, 6 and 8 octets; twice: the first counts */
			{{0, 1, 0, 12, 1, 16, 0, 0, NET10, 0, 11, 0, 0}, 16, true, ""},
			{{0, 1, 0, 16, 1, 16, 0, 0, NET10, 0, 11, 0, 2, 0x20, 0, 0, 0}, 20, true,
					""},
			{{0, 1, 0, 20, 1, 16, 0, 0, NET10, 0, 11, 0, 6, 0x20, 0, 0, 0, 0, 0, 0, 0},
					24, true, ""},
			{{0, 1, 0, 20, 1, 16, 0, 0, NET10, 0, 11, 0, 8, 0x20, 0, 0, 0, 0, 0, 0, 0},
					24, false, "192.0.2.5"},
			{{0, 1, 0, 24, 1, 16, 0, 0, NET10, 0, 11, 0, 4, 0, 0, 0, 0, FLAGS2}, 28,
					false, ""},
			{{0, 1, 0, 24, 1, 16, 0, 0, NET10, FLAGS2, 0, 11, 0, 4, 0, 0, 0, 0}, 28,
					false, "192.0.2.5"},
			/* another bit */
			{{0, 1, 0, 16, 1, 16, 0, 0, NET10, 0, 11, 0, 4, 0xDF, 0xFF, 0xFF, 0xFF}, 20,
					false, ""},
			/* the source router ID: not the advertising router in the area, of 0, of
			   another area, of the wrong length */
			{{0, 1, 0, 24, 1, 16, 0, 0, NET10, FLAGS2, 0, 4, 0, 4, 192, 0, 2, 77}, 28,
					false, "192.0.2.5"},
			{{0, 1, 0, 24, 3, 16, 0, 0, NET10, FLAGS2, 0, 4, 0, 4, 0, 0, 0, 0}, 28,
					false, ""},
			{{0, 1, 0, 24, 3, 16, 0, 0, NET10, FLAGS2, 0, 4, 0, 4, 192, 0, 2, 77}, 28,
					false, "192.0.2.77"},
			{{0, 1, 0, 28, 1, 16, 0, 0, NET10, FLAGS2, 0, 4, 0, 8, 0, 0, 0, 0, 0, 0, 0,
					 0},
					32, true, ""},
			/* the first is 0 and ignored, and the second counts */
			{{0, 1, 0, 32, 3, 16, 0, 0, NET10, FLAGS2, 0, 4, 0, 4, 0, 0, 0, 0, 0, 4, 0,
					 4, 192, 0, 2, 77},
					36, false, "192.0.2.77"},
			/* a good prefix, and half of a TLV behind it */
			{{0, 1, 0, 16, 1, 16, 0, 0, NET10, FLAGS2, 0, 1}, 22, true, ""},
			/* the source address: of the wrong length; one that no node has */
			{{0, 1, 0, 24, 1, 16, 0, 0, NET10, FLAGS2, 0, 5, 0, 3, 9, 9, 9, 0}, 28,
					true, ""},
			{{0, 1, 0, 24, 1, 16, 0, 0, NET10, FLAGS2, 0, 5, 0, 4, 224, 0, 0, 1}, 28,
					false, "192.0.2.5"},
			/* a prefix with the N-flag that is no host prefix; one that is, of the
			   area, and one of another area */
			{{0, 1, 0, 8, 1, 31, 0, 0x40, 9, 9, 9, 8, 0, 1, 0, 16, 1, 16, 0, 0, NET10,
					 FLAGS2},
					32, false, "192.0.2.5"},
			{{0, 1, 0, 8, 1, 32, 0, 0x40, 9, 9, 9, 8, 0, 1, 0, 16, 1, 16, 0, 0, NET10,
					 FLAGS2},
					32, false, "9.9.9.8"},
			{{0, 1, 0, 8, 3, 32, 0, 0x40, 9, 9, 9, 8, 0, 1, 0, 16, 1, 16, 0, 0, NET10,
					 FLAGS2},
					32, false, "192.0.2.5"},
	};

	check_bodies(false, 10, 7 << 24, cases, RTE_DIM(cases), "10.1.0.0/16");
}

#define ATTACHED 0, 0, 0xA0, 0x21, 0, 0, 0, 0, 192, 0, 2, 5
#define NET6 0x20, 1, 0xD, 0xB8

TEST(ospf3_bodies)
{
	static const struct body cases[] = {
			{{ATTACHED, 0, 6, 0, 20, 0, 0, 0, 1, 32, 0, 0, 0, NET6, FLAGS3}, 36, false,
					"192.0.2.5"},
			/* what it is attached to is cut short; a TLV of another LSA */
			{{ATTACHED}, 8, true, ""},
			{{ATTACHED, 0, 3, 0, 20, 0, 0, 0, 1, 32, 0, 0, 0, NET6, FLAGS3}, 36, false,
					""},
			/* 129 bits; a prefix past the TLV; less than the fields before it */
			{{ATTACHED, 0, 6, 0, 28, 0, 0, 0, 1, 129, 0, 0, 0, NET6, 0, 0, 0, 0, 0, 0,
					 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
					44, true, ""},
			{{ATTACHED, 0, 6, 0, 12, 0, 0, 0, 1, 64, 0, 0, 0, NET6}, 28, true, ""},
			{{ATTACHED, 0, 6, 0, 4, 0, 0, 0, 1}, 20, true, ""},
			/* not for unicast; not reachable */
			{{ATTACHED, 0, 6, 0, 20, 0, 0, 0, 1, 32, 1, 0, 0, NET6, FLAGS3}, 36, false,
					""},
			{{ATTACHED, 0, 6, 0, 20, 0, 0xFF, 0xFF, 0xFF, 32, 0, 0, 0, NET6, FLAGS3},
					36, false, ""},
			/* another source in the area */
			{{ATTACHED, 0, 6, 0, 28, 0, 0, 0, 1, 32, 0, 0, 0, NET6, FLAGS3, 0, 27, 0, 4,
					 192, 0, 2, 77},
					44, false, "192.0.2.5"},
	};
	static const uint8_t host[] = {ATTACHED, 0, 6, 0, 24, 0, 0, 0, 1, 128, 2, 0, 0, NET6, 0, 0,
			0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 6, 0, 20, 0, 0, 0, 1, 32, 0, 0, 0, NET6,
			FLAGS3};
	uint8_t changed[sizeof(host)];

	check_bodies(true, 0xA029, 1, cases, RTE_DIM(cases), "2001:db8::/32");
	/* The bit LA makes a host prefix an address of the router; without it, it is none. */
	for (uint8_t options = 0; options <= 2; options += 2) {
		memcpy(changed, host, sizeof(host));
		changed[21] = options;
		pnc_setup(NULL, NULL);
		ospf_read(true, 0xA029, 1, 0, 1, changed, sizeof(changed), 1);
		assert_string_equal(pnc_proxy("2001:db8::/32"), options == 0 ? "" : "2001:db8::5");
	}
}

/* LSAs are told apart by area and link as far as their scope says. */
TEST(ospf_scopes)
{
	static const uint8_t body2[] = {0, 1, 0, 16, 1, 16, 0, 0, NET10, FLAGS2};
	static const uint8_t body3[] = {
			ATTACHED, 0, 6, 0, 20, 0, 0, 0, 1, 32, 0, 0, 0, NET6, FLAGS3};
	static const struct {
		bool is_v3;
		uint16_t type;
		unsigned int n; /* LSAs, of two areas and two links */
	} cases[] = {{false, 9, 4}, {false, 10, 2}, {false, 11, 1}, {true, 0x8029, 4},
			{true, 0xA029, 2}, {true, 0xC029, 1}};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		const enum fcn_pnc_protocol protocol = cases[i].is_v3 ? FCN_PNC_OSPF3
								      : FCN_PNC_OSPF;

		pnc_setup_ids();
		for (uint32_t area = 0; area < 2; area++)
			for (uint32_t link = 0; link < 2; link++)
				ospf_read(cases[i].is_v3, cases[i].type, 7 << 24, area, link,
						cases[i].is_v3 ? body3 : body2,
						cases[i].is_v3 ? sizeof(body3) : sizeof(body2), 1);
		assert_int_equal(pnc_state(protocol).items, cases[i].n);
		assert_int_equal(pnc_state(protocol).originators, 1);
		/* An age of more than an hour is one of an hour. */
		ospf_read(cases[i].is_v3, cases[i].type, 7 << 24, 0, 0,
				cases[i].is_v3 ? body3 : body2,
				cases[i].is_v3 ? sizeof(body3) : sizeof(body2), 4000);
		assert_int_equal(pnc_count(protocol, FCN_PNC_COUNT_PURGED), 1);
		assert_int_equal(bench.told.n, cases[i].n != 1);
	}
}

/* The number of LSAs, their lengths, and the checksum of the packet. */
TEST(ospf_packets)
{
	static const uint8_t body[] = {0, 1, 0, 16, 1, 16, 0, 0, NET10, FLAGS2};
	uint8_t p[OSPF2_HEADER + 4 + 20 + sizeof(body)] = {2, OSPF_TYPE_UPDATE, 0, sizeof(p)};
	uint8_t *lsa = p + OSPF2_HEADER + 4;
	uint8_t p3[OSPF3_HEADER + 4] = {3, OSPF_TYPE_UPDATE, 0, sizeof(p3)}, ip6[40] = {0};
	static const struct {
		uint8_t n;
		uint8_t len;
		enum fcn_pnc_counter what;
	} cases[] = {{1, 40, FCN_PNC_COUNT_NEW}, {1, 41, FCN_PNC_COUNT_LENGTH},
			{1, 19, FCN_PNC_COUNT_LENGTH}, {2, 40, FCN_PNC_COUNT_LENGTH},
			{0, 40, FCN_PNC_COUNT_OTHER}};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint8_t *copy;

		memset(p + 12, 0, 2);
		p[OSPF2_HEADER + 3] = cases[i].n;
		memcpy(lsa,
				(const uint8_t[20]){0, 1, 0x42, 10, 7, 0, 0, 0, 192, 0, 2, 5, 0x80,
						0, 0, 1},
				20);
		lsa[19] = cases[i].len;
		memcpy(lsa + 20, body, sizeof(body));
		fletcher_write(lsa + 2, 38, 14);
		fcn_put_be16(p + 12, ospf_checksum(0, p, sizeof(p)));
		copy = malloc(sizeof(p));
		assert_non_null(copy);
		memcpy(copy, p, sizeof(p));
		pnc_setup_ids();
		assert_int_equal(fcn_pnc_ospf_input(bench.readers.ospf, 1, copy, sizeof(p), 0),
				cases[i].what);
		assert_int_equal(pnc_count(FCN_PNC_OSPF, cases[i].what), 1);
		free(copy);
	}
	/* No checksum, but no authentication trailer either. */
	pnc_setup(NULL, NULL);
	assert_int_equal(fcn_pnc_ospf3_input(bench.readers.ospf3, 1, ip6, p3, sizeof(p3), 0),
			FCN_PNC_COUNT_CHECKSUM);
}

/* Two LSAs of one number: the one with the higher checksum is newer, in either order. */
TEST(ospf_same_number)
{
	const struct pnc_build_prefix prefix[2] = {
			pnc_prefix("10.1.0.0/16"), pnc_prefix("10.2.0.0/16")};
	struct pnc_build m[2];
	char winner[2][FCN_ADDR_STRLEN];

	for (unsigned int first = 0; first < 2; first++) {
		pnc_setup(NULL, NULL);
		for (unsigned int i = 0; i < 2; i++) {
			m[i] = pnc_message(FCN_PNC_OSPF, 1, 5);
			m[i].n_prefixes = 1;
			m[i].prefix = &prefix[i];
		}
		pnc_read_built(&m[first], 0);
		pnc_read_built(&m[!first], 0);
		assert_int_equal(bench.told.n, 1);
		fcn_addr_format(&bench.told.known[0].prefix.addr, winner[first], sizeof(winner[0]));
		/* The router's own LSA is the same twice. */
		assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_NEW) +
						 pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_OLD),
				3);
	}
	assert_string_equal(winner[0], winner[1]);
}
