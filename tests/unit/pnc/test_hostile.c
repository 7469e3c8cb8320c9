/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Frames that are cut, changed, forged, or of something else. */

#include "fcn_inet.h"
#include "pnc_util.h"

TEST_FIXTURE(PNC_TEST);

static uint64_t
sum(enum fcn_pnc_protocol protocol)
{
	const struct fcn_pnc_state state = pnc_state(protocol);
	uint64_t n = 0;

	for (unsigned int i = 0; i <= FCN_PNC_COUNT_ORIGINATOR_ITEMS_FULL; i++)
		n += state.count[i];
	return n;
}

/* Cut at every length: a frame whose message is not complete teaches nothing, and is counted. */
TEST(cut)
{
	static const struct fcn_pnc_limits few = {8, 8, 32, 8, 32};

	for (unsigned int i = 0; i < pnc_n_frames(); i++) {
		const char *name;
		size_t len;
		const uint8_t *frame = pnc_frame_number(i, &len, &name);

		pnc_setup(&few, NULL);
		for (size_t cut = 0; cut < len; cut++) {
			uint64_t counted = 0;

			pnc_read_bytes(frame, cut, 0);
			for (unsigned int c = 0; c < FCN_PNC_FRAME_COUNT; c++)
				counted += bench.readers.count[c];
			assert_int_equal(counted, cut + 1);
			if (counted == cut + 1 && bench.told.n != 0 && cut < 14 + 34)
				fail_msg("%s: learned from %zu octets", name, cut);
		}
		assert_true(bench.readers.count[FCN_PNC_FRAME_TRUNCATED] != 0);
	}
}

/* Each octet changed: it is refused or counted, and nothing is read that is not there. */
TEST(changed)
{
	static const struct fcn_pnc_limits few = {8, 8, 32, 8, 32};

	for (unsigned int i = 0; i < pnc_n_frames(); i++) {
		const char *name;
		uint8_t copy[512];
		size_t len;
		const uint8_t *frame = pnc_frame_number(i, &len, &name);

		memcpy(copy, frame, len);
		pnc_setup(&few, NULL);
		for (size_t at = 0; at < len; at++) {
			for (unsigned int change = 1; change < 256; change += 63) {
				copy[at] = (uint8_t)(frame[at] + change);
				pnc_read_bytes(copy, len, 0);
			}
			copy[at] = frame[at];
		}
		/* No more than the limits say; each message has been counted. */
		assert_true(bench.told.n <= 96);
		assert_true(sum(FCN_PNC_ISIS) >= bench.readers.count[FCN_PNC_FRAME_ISIS]);
		assert_true(sum(FCN_PNC_OSPF) >= bench.readers.count[FCN_PNC_FRAME_OSPF]);
		assert_true(sum(FCN_PNC_OSPF3) >= bench.readers.count[FCN_PNC_FRAME_OSPF3]);
	}
}

static void
copy_of(const char *name, uint8_t *copy, size_t *len)
{
	const uint8_t *frame = pnc_frame_named(name, len);

	memcpy(copy, frame, *len);
}

TEST(frames)
{
	uint8_t f[512], tagged[512];
	size_t len;

	pnc_setup(NULL, NULL);
	copy_of("ospf", f, &len);
	f[24] ^= 1;
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_IP_CHECKSUM);
	copy_of("ospf", f, &len);
	f[14] = 0x44;
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_IP_HEADER);
	f[14] = 0x65;
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_IP_HEADER);
	/* A total length below that of the header. */
	copy_of("ospf", f, &len);
	fcn_put_be16(f + 24, (uint16_t)(fcn_get_be16(f + 24) + fcn_get_be16(f + 16) - 16));
	fcn_put_be16(f + 16, 16);
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_IP_HEADER);
	copy_of("ospf", f, &len);
	fcn_put_be16(f + 20, 0x2000);
	fcn_put_be16(f + 24, (uint16_t)(fcn_get_be16(f + 24) - 0x2000));
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_FRAGMENT);
	copy_of("ospf", f, &len);
	f[23] = 17;
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_OTHER);
	copy_of("ospf3", f, &len);
	f[22] = 0x20; /* the source is no longer link-local */
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_DISTANT);
	copy_of("ospf3", f, &len);
	f[14] = 0x50;
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_IP_HEADER);
	copy_of("isis-l1", f, &len);
	f[16] = 0x13;
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_OTHER);
	fcn_put_be16(f + 12, 0x88CC);
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_OTHER);
	assert_int_equal(bench.told.n, 0);

	/* LLC that no length counts; two tags; three are too many. */
	copy_of("isis-l1", f, &len);
	fcn_put_be16(f + 12, 0x8870);
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_ISIS);
	assert_int_equal(bench.told.n, 5);
	copy_of("ospf", f, &len);
	memcpy(tagged, f, 12);
	for (unsigned int n = 1; n <= 3; n++) {
		for (unsigned int t = 0; t < n; t++)
			fcn_put_be32(tagged + 12 + 4 * t, t == 0 ? 0x88A80005 : 0x81000006);
		memcpy(tagged + 12 + 4 * n, f + 12, len - 12);
		assert_int_equal(pnc_read_bytes(tagged, len + 4 * n, 0),
				n < 3 ? FCN_PNC_FRAME_OSPF : FCN_PNC_FRAME_OTHER);
	}
	assert_int_equal(bench.told.n, 6);
	/* FRR sends unicast packets of OSPFv3 with hop limit 64. */
	copy_of("ospf3", f, &len);
	f[21] = 64;
	assert_int_equal(pnc_read_bytes(f, len, 0), FCN_PNC_FRAME_OSPF3);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_NEW), 2);
	pnc_teardown();

	/* Protocols that nobody reads. */
	assert_int_equal(pnc_read("isis-l1", 0), FCN_PNC_FRAME_OFF);
	assert_int_equal(pnc_read("ospf", 0), FCN_PNC_FRAME_OFF);
	assert_int_equal(pnc_read("ospf3", 0), FCN_PNC_FRAME_OFF);
	assert_true(fcn_pnc_frame_tick(&bench.readers, 0) == UINT64_MAX);
	assert_int_equal(bench.readers.count[FCN_PNC_FRAME_OFF], 3);
}

/* A reason for each field of a header; a change that no checksum covers comes first. */
TEST(refusals)
{
	static const struct {
		const char *name;
		enum fcn_pnc_protocol protocol;
		size_t at;
		uint8_t value;
		enum fcn_pnc_counter what;
	} cases[] = {
			{"isis-l1", FCN_PNC_ISIS, 17, 0x82, FCN_PNC_COUNT_HEADER},
			{"isis-l1", FCN_PNC_ISIS, 18, 26, FCN_PNC_COUNT_HEADER},
			{"isis-l1", FCN_PNC_ISIS, 19, 2, FCN_PNC_COUNT_HEADER},
			{"isis-l1", FCN_PNC_ISIS, 20, 8, FCN_PNC_COUNT_HEADER},
			{"isis-l1", FCN_PNC_ISIS, 21, 17, FCN_PNC_COUNT_OTHER},
			{"isis-l1", FCN_PNC_ISIS, 21, 24, FCN_PNC_COUNT_OTHER},
			{"isis-l1", FCN_PNC_ISIS, 22, 2, FCN_PNC_COUNT_HEADER},
			{"isis-l1", FCN_PNC_ISIS, 25, 255, FCN_PNC_COUNT_TRUNCATED},
			{"isis-l1", FCN_PNC_ISIS, 26, 26, FCN_PNC_COUNT_LENGTH},
			{"isis-l1", FCN_PNC_ISIS, 41, 0, FCN_PNC_COUNT_CHECKSUM},
			{"ospf", FCN_PNC_OSPF, 34, 3, FCN_PNC_COUNT_HEADER},
			{"ospf", FCN_PNC_OSPF, 35, 1, FCN_PNC_COUNT_OTHER},
			{"ospf", FCN_PNC_OSPF, 36, 1, FCN_PNC_COUNT_TRUNCATED},
			{"ospf", FCN_PNC_OSPF, 37, 27, FCN_PNC_COUNT_LENGTH},
			{"ospf", FCN_PNC_OSPF, 90, 1, FCN_PNC_COUNT_CHECKSUM},
			{"ospf3", FCN_PNC_OSPF3, 54, 2, FCN_PNC_COUNT_HEADER},
			{"ospf3", FCN_PNC_OSPF3, 55, 5, FCN_PNC_COUNT_OTHER},
			{"ospf3", FCN_PNC_OSPF3, 68, 32, FCN_PNC_COUNT_OTHER},
			{"ospf3", FCN_PNC_OSPF3, 57, 19, FCN_PNC_COUNT_LENGTH},
			{"ospf3", FCN_PNC_OSPF3, 100, 1, FCN_PNC_COUNT_CHECKSUM},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint8_t f[512];
		size_t len;

		pnc_setup(NULL, NULL);
		copy_of(cases[i].name, f, &len);
		assert_int_not_equal(f[cases[i].at], cases[i].value);
		f[cases[i].at] = cases[i].value;
		pnc_read_bytes(f, len, 0);
		if (pnc_count(cases[i].protocol, cases[i].what) != 1)
			fail_msg("case %u: octet %zu", i, cases[i].at);
		assert_int_equal(sum(cases[i].protocol), 1);
		assert_int_equal(bench.told.n, 0);
	}
}

/* A storm of systems that there are not: the memory is that of the limits, and ends. */
TEST(storm)
{
	static const struct fcn_pnc_limits limits = {100, 50, 200, 20, 60};
	const enum fcn_pnc_protocol all[] = {FCN_PNC_ISIS, FCN_PNC_OSPF, FCN_PNC_OSPF3};
	struct pnc_build_prefix p[20];
	uint64_t seed = 5;

	pnc_setup(&limits, NULL);
	for (unsigned int i = 0; i < 30000; i++) {
		const uint64_t r = fcn_test_random(&seed);
		struct pnc_build m = pnc_message(all[i % 3], (uint8_t)r, 1 + (r >> 8) % 5);

		m.system_id[4] = (uint8_t)(r >> 16 & 1);
		m.router_id[2] = (uint8_t)(r >> 16 & 1);
		m.fragment = (uint8_t)(r >> 24) % 30;
		m.n_prefixes = (r >> 32) % RTE_DIM(p);
		m.prefix = p;
		if (r >> 40 & 1)
			m.router_address[0].version = m.router_address[1].version = 0;
		for (uint32_t n = 0; n < m.n_prefixes; n++) {
			p[n] = pnc_prefix(all[i % 3] == FCN_PNC_OSPF3 ? "2001:db8::/48"
								      : "10.0.0.0/24");
			p[n].is_leaked = (r >> 41 & 7) == 0;
			p[n].prefix.addr.bytes[all[i % 3] == FCN_PNC_OSPF3 ? 5 : 2] =
					(uint8_t)fcn_test_random(&seed);
		}
		if ((r >> 50) % 16 == 0)
			m.seconds = m.protocol == FCN_PNC_ISIS ? 0 : 3600;
		pnc_read_built(&m, i * (SECOND / 8));
		if (i % 100 == 0)
			fcn_pnc_frame_tick(&bench.readers, i * (SECOND / 8));
		for (unsigned int k = 0; k < RTE_DIM(all); k++) {
			const struct fcn_pnc_state now = pnc_state(all[k]);

			assert_true(now.items <= 100 && now.originators <= 50);
			assert_true(now.prefixes + now.unresolved <= 200);
		}
	}
	for (unsigned int k = 0; k < RTE_DIM(all); k++)
		assert_true(pnc_count(all[k], FCN_PNC_COUNT_EVICTED) +
						pnc_count(all[k], FCN_PNC_COUNT_ITEMS_FULL) +
						pnc_count(all[k], FCN_PNC_COUNT_ORIGINATORS_FULL) !=
				0);
	assert_true(fcn_pnc_frame_tick(&bench.readers, UINT64_MAX - 1) == UINT64_MAX);
	assert_int_equal(bench.told.n, 0);
	for (unsigned int k = 0; k < RTE_DIM(all); k++) {
		const struct fcn_pnc_state now = pnc_state(all[k]);

		assert_int_equal(now.items + now.originators + now.unresolved, 0);
	}
}
