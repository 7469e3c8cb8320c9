/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Fast CNPs built and read: the vectors byte for byte, and many more there and back. */

#include <errno.h>

#include <rte_byteorder.h>

#include "fcn_fastcnp.h"
#include "fcn_trimmed_option.h"
#include "crc.h"
#include "frame.h"
#include "reference.h"
#include "vectors.h"

#define ETH 14
#define IP6 40
#define UDP 40

static const struct fcn_fastcnp_conf conf_default = {
		.source = {0x20, 0x01, 0x0d, 0xb8, 0, 0x0f, [15] = 0x05},
		.opt1_type = 0x9E,
		.opt2_type = 0x9F,
		.dscp = 48,
		.hop_limit = 64,
		.icrc_mode = FCN_ICRC_SKIP,
};
static const uint8_t sender[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = 0x10};
static const uint8_t receiver[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 2, [15] = 0x20};

static void
template_for(struct fcn_fastcnp_template *tmpl, enum fcn_icrc_mode mode)
{
	struct fcn_fastcnp_conf conf = conf_default;

	conf.icrc_mode = mode;
	assert_int_equal(fcn_fastcnp_template_init(tmpl, &conf), 0);
}

static enum fcn_wire_error
read_frame(const uint8_t *data, uint32_t len, enum fcn_icrc_mode mode, struct fcn_fastcnp *out)
{
	struct fcn_wire_info info;

	fcn_parse(data, len, len, &fcn_parse_default_codes, &info);
	return fcn_fastcnp_parse(&crc, mode, data, len, &info, &fcn_parse_default_codes, out);
}

/* Where the trace of option 2 is in a frame. */
#define TRACE_OFF (ETH + IP6 + 8)

static void
rebuild(const char *file, unsigned int frame, enum fcn_icrc_mode mode, uint32_t trace_words)
{
	struct fcn_fastcnp_template tmpl;
	struct fcn_fastcnp_request req;
	struct vectors v;
	uint32_t ip_len;

	vectors_load(&v, file);
	ip_len = v.len[frame] - ETH;
	template_for(&tmpl, mode);
	req = (struct fcn_fastcnp_request){
			.sender = sender,
			.receiver = receiver,
			.buf = malloc(ip_len),
			.dest_qp = 0x1A7,
			.src_port = 0xC0DE,
			.p_key = 0xFFFF,
	};
	assert_non_null(req.buf);
	if (trace_words > 0) {
		req.trace = v.data[frame] + TRACE_OFF;
		req.trace_len = (uint16_t)(8 + 4 * trace_words);
		req.trace_type = FCN_IOAM_PREALLOC_TRACE;
	}
	memset(req.buf, 0xEE, ip_len);
	fcn_fastcnp_build_burst(&tmpl, &req, 1);
	assert_int_equal(req.len, ip_len);
	assert_memory_equal(req.buf, v.data[frame] + ETH, ip_len);
	free(req.buf);
	vectors_free(&v);
	fcn_fastcnp_template_fini(&tmpl);
}

TEST(rebuild_opt1)
{
	rebuild("09_fastcnp_opt1", 0, FCN_ICRC_SKIP, 0);
	rebuild("09_fastcnp_opt1", 1, FCN_ICRC_COVER, 0);
	rebuild("09_fastcnp_opt1", 2, FCN_ICRC_NORM, 0);
}

TEST(rebuild_opt2)
{
	rebuild("10_fastcnp_opt2", 0, FCN_ICRC_SKIP, 21);
	rebuild("10_fastcnp_opt2", 1, FCN_ICRC_SKIP, 14);
	rebuild("10_fastcnp_opt2", 2, FCN_ICRC_COVER, 21);
	rebuild("10_fastcnp_opt2", 3, FCN_ICRC_SKIP, 56);
}

static void
check_read(const char *file, unsigned int frame, enum fcn_icrc_mode mode, uint8_t option,
		uint16_t trace_len)
{
	const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
	struct fcn_fastcnp out;
	struct vectors v;

	vectors_load(&v, file);
	assert_int_equal(read_frame(v.data[frame], v.len[frame], mode, &out), FCN_WIRE_OK);
	assert_int_equal(out.option, option);
	assert_memory_equal(out.receiver, receiver, 16);
	assert_memory_equal(out.cnp.dst, sender, 16);
	assert_int_equal(out.cnp.version, 6);
	assert_int_equal(out.cnp.tclass, 0xC0);
	assert_int_equal(out.cnp.hop_limit, 64);
	assert_int_equal(out.cnp.src_port, 0xC0DE);
	assert_int_equal(out.cnp.p_key, 0xFFFF);
	assert_int_equal(out.cnp.dest_qp, 0x1A7);
	assert_int_equal(out.trace_len, trace_len);
	if (option == 2) {
		assert_int_equal(out.trace_type, FCN_IOAM_PREALLOC_TRACE);
		assert_ptr_equal(out.trace, v.data[frame] + TRACE_OFF);
	}
	assert_int_equal(read_frame(v.data[frame], v.len[frame], FCN_ICRC_ANY, &out), FCN_WIRE_OK);
	assert_int_equal(out.option, option);
	for (unsigned int i = 0; i < 3; i++)
		if (modes[i] != mode)
			assert_int_equal(read_frame(v.data[frame], v.len[frame], modes[i], &out),
					FCN_WIRE_ICRC);
	vectors_free(&v);
}

TEST(read_vectors)
{
	check_read("09_fastcnp_opt1", 0, FCN_ICRC_SKIP, 1, 0);
	check_read("09_fastcnp_opt1", 1, FCN_ICRC_COVER, 1, 0);
	check_read("09_fastcnp_opt1", 2, FCN_ICRC_NORM, 1, 0);
	check_read("09_fastcnp_opt1", 3, FCN_ICRC_SKIP, 1, 0);
	check_read("10_fastcnp_opt2", 0, FCN_ICRC_SKIP, 2, 8 + 84);
	check_read("10_fastcnp_opt2", 1, FCN_ICRC_SKIP, 2, 8 + 56);
	check_read("10_fastcnp_opt2", 2, FCN_ICRC_COVER, 2, 8 + 84);
	check_read("10_fastcnp_opt2", 3, FCN_ICRC_SKIP, 2, 8 + 224);
	check_read("11_fastcnp_srv6_endcon", 0, FCN_ICRC_SKIP, 1, 0);
}

TEST(read_refuses)
{
	struct fcn_fastcnp out;
	struct vectors v;

	vectors_load(&v, "01_roce6_write");
	assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out), FCN_WIRE_NOT_CNP);
	vectors_free(&v);
	vectors_load(&v, "04_cnp");
	assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out),
			FCN_WIRE_OPTION_MISSING);
	assert_int_equal(read_frame(v.data[1], v.len[1], FCN_ICRC_SKIP, &out),
			FCN_WIRE_OPTION_MISSING);
	vectors_free(&v);

	vectors_load(&v, "09_fastcnp_opt1");
	v.data[0][117] ^= 0x80;
	assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out), FCN_WIRE_ICRC);
	v.data[0][117] ^= 0x80;
	v.data[0][84] ^= 0x01; /* checksum wrong: the ICRC does not see it */
	assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out),
			FCN_WIRE_UDP_CHECKSUM);
	v.data[0][84] = v.data[0][85] = 0; /* absent */
	assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out),
			FCN_WIRE_UDP_CHECKSUM);
	/* Others may send it so. */
	assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_ANY, &out), FCN_WIRE_OK);
	v.data[0][85] = 1;
	assert_int_equal(
			read_frame(v.data[0], v.len[0], FCN_ICRC_ANY, &out), FCN_WIRE_UDP_CHECKSUM);
	vectors_free(&v);

	/* The trace inside option 2 is judged as the one in a Hop-by-Hop header is. */
	vectors_load(&v, "10_fastcnp_opt2");
	v.data[0][61] = 2; /* IOAM Opt-Type: proof of transit */
	assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out),
			FCN_WIRE_IOAM_OPT_TYPE);
	v.data[0][61] = 0;
	v.data[0][TRACE_OFF + 3] = 22;
	assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out),
			FCN_WIRE_IOAM_REMAINING_LEN);
	vectors_free(&v);
}

/* A frame cut behind the walk is not read past. */
TEST(read_short)
{
	struct fcn_wire_info info;
	struct fcn_fastcnp out;
	struct vectors v;

	vectors_load(&v, "09_fastcnp_opt1");
	fcn_parse(v.data[0], v.len[0], v.len[0], &fcn_parse_default_codes, &info);
	assert_int_equal(fcn_fastcnp_parse(&crc, FCN_ICRC_SKIP, v.data[0], v.len[0] - 1, &info,
					 &fcn_parse_default_codes, &out),
			FCN_WIRE_CNP_LENGTH);
	vectors_free(&v);
}

/* The reader counts for itself, whatever option types the walk knew. */
TEST(read_duplicate)
{
	static const struct fcn_parse_codes other = {0xDE, 0xDE, 0x1E};
	static const uint8_t ext[48] = {17, 5, 1, 2, 0, 0, 0x9E, 16, [24] = 1, 2, 0, 0, 1, 0, 0x9E,
			16, [46] = 1, 0};
	struct fcn_wire_info info;
	struct fcn_fastcnp out;
	static struct frame f;

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 60);
	frame_put(&f, ext, sizeof(ext));
	frame_roce(&f, 16);
	frame_finish(&f);
	f.data[f.udp + 8] = 0x81;
	assert_int_equal(fcn_parse(f.data, f.len, f.len, &other, &info), FCN_WIRE_OK);
	assert_int_equal(fcn_fastcnp_parse(&crc, FCN_ICRC_SKIP, f.data, f.len, &info,
					 &fcn_parse_default_codes, &out),
			FCN_WIRE_OPTION_DUPLICATE);
	assert_int_equal(fcn_fastcnp_parse(&crc, FCN_ICRC_SKIP, f.data, f.len, &info, &other, &out),
			FCN_WIRE_OPTION_MISSING);
}

/* The types that the draft allows, written out: action 10, no change en route. */
static bool
is_allowed(unsigned int type)
{
	return type >= 0x80 && type <= 0x9F;
}

/* A notice with any other option type cannot be made. */
TEST(types_refused)
{
	struct fcn_fastcnp_template tmpl;

	for (unsigned int type = 0; type <= UINT8_MAX; type++) {
		struct fcn_fastcnp_conf conf = conf_default;
		int expected = is_allowed(type) ? 0 : -EINVAL;

		conf.opt1_type = (uint8_t)type;
		assert_int_equal(fcn_fastcnp_template_init(&tmpl, &conf), expected);
		if (expected == 0)
			fcn_fastcnp_template_fini(&tmpl);
		conf = conf_default;
		conf.opt2_type = (uint8_t)type;
		assert_int_equal(fcn_fastcnp_template_init(&tmpl, &conf), expected);
		if (expected == 0)
			fcn_fastcnp_template_fini(&tmpl);
		assert_int_equal(fcn_fastcnp_type_is_valid(type), is_allowed(type));
	}
	assert_false(fcn_fastcnp_type_is_valid(0x100 + 0x9E));
}

/* Nor is one read: of all types in the option's place, only the one that is configured counts. */
TEST(types_not_read)
{
	struct fcn_fastcnp out;
	struct vectors v;
	uint8_t *type;

	vectors_load(&v, "09_fastcnp_opt1");
	type = v.data[0] + ETH + IP6 + 6;
	assert_int_equal(*type, 0x9E);
	for (unsigned int t = 0; t <= UINT8_MAX; t++) {
		*type = (uint8_t)t;
		if (t == 0x9E) {
			assert_int_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out),
					FCN_WIRE_OK);
			assert_int_equal(out.option, 1);
		} else {
			assert_int_not_equal(read_frame(v.data[0], v.len[0], FCN_ICRC_SKIP, &out),
					FCN_WIRE_OK);
		}
	}
	vectors_free(&v);
}

#define BURST 45 /* more than the builder holds at a time, and no multiple of it */

struct round {
	struct fcn_fastcnp_request req[BURST];
	uint8_t sender[BURST][16], receiver[BURST][16], trace[BURST][8 + 4 * 57];
	uint8_t *frame[BURST]; /* Ethernet header and a packet of just the length due */
	uint32_t len[BURST];
};

/* What a Fast CNP with a trace of so many words takes, from the layout of option 2. */
static uint32_t
opt2_packet_len(uint32_t words)
{
	uint32_t ext = 32 + 4 * words;

	return IP6 + (ext + 7) / 8 * 8 + UDP;
}

/* words < 0: option 1 */
static void
make_request(struct round *r, unsigned int i, int words, uint64_t *seed)
{
	struct fcn_fastcnp_request *req = &r->req[i];
	struct fcn_ioam_trace t = {0};

	r->len[i] = ETH + (words < 0 ? 104 : opt2_packet_len((uint32_t)words));
	r->frame[i] = malloc(r->len[i]);
	assert_non_null(r->frame[i]);
	memset(r->frame[i], 0xEE, r->len[i]);
	r->frame[i][12] = 0x86;
	r->frame[i][13] = 0xDD;
	ref_random_fill(seed, r->sender[i], 16);
	ref_random_fill(seed, r->receiver[i], 16);
	*req = (struct fcn_fastcnp_request){
			.sender = r->sender[i],
			.receiver = r->receiver[i],
			.buf = r->frame[i] + ETH,
			.dest_qp = ref_random(seed) & 0xFFFFFF,
			.src_port = (uint16_t)ref_random(seed),
			.p_key = (uint16_t)ref_random(seed),
	};
	if (words < 0)
		return;
	t.type = 0x800000; /* one word a node: any number of words is whole */
	t.node_len = 1;
	t.namespace_id = (uint16_t)ref_random(seed);
	t.flags = ref_random(seed) & 15;
	t.remaining_len = (uint8_t)(ref_random(seed) % ((uint32_t)words + 1));
	fcn_ioam_trace_hdr_build(r->trace[i], &t);
	ref_random_fill(seed, r->trace[i] + 8, 4 * (uint32_t)words);
	req->trace = r->trace[i];
	req->trace_len = (uint16_t)(8 + 4 * words);
	req->trace_type = ref_random(seed) & 1 ? FCN_IOAM_INCR_TRACE : FCN_IOAM_PREALLOC_TRACE;
}

static void
check_request(const struct round *r, unsigned int i, enum fcn_icrc_mode mode)
{
	const struct fcn_fastcnp_request *req = &r->req[i];
	const uint8_t *ip = r->frame[i] + ETH, *udp = ip + r->len[i] - ETH - UDP;
	const enum ref_mode ref = mode == FCN_ICRC_SKIP    ? REF_SKIP
				  : mode == FCN_ICRC_COVER ? REF_COVER
							   : REF_NORM;
	uint32_t ip_len = r->len[i] - ETH, icrc;
	struct fcn_fastcnp out;

	assert_int_equal(req->len, ip_len);
	assert_int_equal(read_frame(r->frame[i], r->len[i], mode, &out), FCN_WIRE_OK);
	assert_int_equal(out.option, req->trace == NULL ? 1 : 2);
	assert_memory_equal(out.receiver, r->receiver[i], 16);
	assert_memory_equal(out.cnp.dst, r->sender[i], 16);
	assert_memory_equal(out.cnp.src, conf_default.source, 16);
	assert_int_equal(out.cnp.src_port, req->src_port);
	assert_int_equal(out.cnp.p_key, req->p_key);
	assert_int_equal(out.cnp.dest_qp, req->dest_qp);
	assert_int_equal(out.cnp.tclass, 0xC0);
	if (req->trace != NULL) {
		assert_int_equal(out.trace_type, req->trace_type);
		assert_int_equal(out.trace_len, req->trace_len);
		assert_memory_equal(out.trace, req->trace, req->trace_len);
		assert_int_equal((ip[IP6 + 4] == 0x9F) && ip[IP6 + 5] == 18 + req->trace_len, 1);
	}
	icrc = udp[36] | udp[37] << 8 | udp[38] << 16 | (uint32_t)udp[39] << 24;
	assert_int_equal(icrc, ref_icrc(ip, ip_len - UDP, ip_len, ref));
	assert_int_equal(ref_udp_sum(ip + 8, ip + 24, 16, udp, UDP), 0xFFFF);
	assert_int_not_equal(udp[6] << 8 | udp[7], 0);
}

/* Traces of 0 to 57 words and option 1, mixed in bursts, there and back, in each convention. */
TEST(round_trip)
{
	uint64_t seed = 0x0123456789ABCDEFu;
	struct fcn_fastcnp_template tmpl;
	static struct round r;
	int words = -1;

	for (int mode = FCN_ICRC_SKIP; mode <= FCN_ICRC_NORM; mode++) {
		template_for(&tmpl, mode);
		for (int round = 0; round < 20; round++) {
			for (unsigned int i = 0; i < BURST; i++) {
				make_request(&r, i, words, &seed);
				words = words == 57 ? -1 : words + 1;
			}
			fcn_fastcnp_build_burst(&tmpl, r.req, BURST);
			for (unsigned int i = 0; i < BURST; i++) {
				check_request(&r, i, mode);
				free(r.frame[i]);
			}
		}
		fcn_fastcnp_template_fini(&tmpl);
	}
}

/* What does not fit, or is no trace, leaves a Fast CNP with option 1. */
/* With what a notice says of a trimmed packet, by each convention of the ICRC. */
TEST(trimmed)
{
	const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
	const struct fcn_trimmed_option option = {.reason = FCN_TRIMMED_NO_ROOM,
			.level = 7,
			.length = 4150,
			.opcode = 4,
			.psn = 0x123456,
			.flow_label = 0xABCDE};
	uint8_t written[2 + FCN_TRIMMED_OPTION_DATA];
	const uint8_t type = fcn_parse_default_codes.trimmed;

	fcn_trimmed_option_write(written, type, &option);
	for (unsigned int i = 0; i < RTE_DIM(modes); i++) {
		const uint32_t len = ETH + FCN_FASTCNP_TRIMMED_LEN;
		uint8_t *frame = calloc(1, len);
		struct fcn_fastcnp_request req = {
				.sender = sender, .receiver = receiver, .trimmed = written};
		struct fcn_trimmed_option read;
		struct fcn_fastcnp_template tmpl;
		struct fcn_wire_info info;
		struct fcn_fastcnp out;

		assert_non_null(frame);
		frame[12] = 0x86;
		frame[13] = 0xDD;
		req.buf = frame + ETH;
		template_for(&tmpl, modes[i]);
		fcn_fastcnp_build_burst(&tmpl, &req, 1);
		assert_int_equal(req.len, FCN_FASTCNP_TRIMMED_LEN);
		for (unsigned int k = 0; k < RTE_DIM(modes); k++)
			assert_int_equal(read_frame(frame, len, modes[k], &out),
					k == i ? FCN_WIRE_OK : FCN_WIRE_ICRC);
		fcn_parse(frame, len, len, &fcn_parse_default_codes, &info);
		assert_true(fcn_trimmed_option_read(frame, len, &info, type, &read));
		assert_int_equal(read.reason, option.reason);
		assert_int_equal(read.level, option.level);
		assert_int_equal(read.length, option.length);
		assert_int_equal(read.opcode, option.opcode);
		assert_int_equal(read.psn, option.psn);
		assert_int_equal(read.flow_label, option.flow_label);
		assert_false(fcn_trimmed_option_read(frame, len, &info, type - 1, &read));
		frame[ETH + IP6 + 27]--; /* its length */
		assert_false(fcn_trimmed_option_read(frame, len, &info, type, &read));
		fcn_fastcnp_template_fini(&tmpl);
		free(frame);
	}
}

TEST(trace_unfit)
{
	static const uint16_t lens[] = {0, 4, 7, 9, 8 + 4 * 58, 8 + 4 * 61, 0xFFFC};
	static const uint8_t trace[8 + 4 * 61];
	struct fcn_fastcnp_template tmpl;
	uint64_t seed = 77;
	static struct round r;

	template_for(&tmpl, FCN_ICRC_SKIP);
	for (unsigned int i = 0; i < RTE_DIM(lens); i++) {
		make_request(&r, 0, -1, &seed);
		r.req[0].trace = trace;
		r.req[0].trace_len = lens[i];
		fcn_fastcnp_build_burst(&tmpl, r.req, 1);
		r.req[0].trace = NULL;
		check_request(&r, 0, FCN_ICRC_SKIP);
		free(r.frame[0]);
	}
	fcn_fastcnp_build_burst(&tmpl, r.req, 0);
	fcn_fastcnp_template_fini(&tmpl);
}

/* A checksum that comes out as 0 is sent as 0xFFFF (RFC 8200 section 8.1): one packet in 65536. */
TEST(checksum_zero)
{
	struct fcn_fastcnp_template tmpl;
	struct fcn_fastcnp_request req[32];
	static uint8_t buf[32][FCN_FASTCNP_OPT1_LEN];
	uint8_t frame[ETH + FCN_FASTCNP_OPT1_LEN] = {[12] = 0x86, 0xDD};
	struct fcn_fastcnp out;
	unsigned int found = 0;
	uint32_t qp = 0;

	template_for(&tmpl, FCN_ICRC_SKIP);
	while (found == 0 && qp < 1 << 21) {
		for (unsigned int i = 0; i < RTE_DIM(req); i++)
			req[i] = (struct fcn_fastcnp_request){.sender = sender,
					.receiver = receiver,
					.buf = buf[i],
					.dest_qp = qp++,
					.src_port = 0xC0DE,
					.p_key = 0xFFFF};
		fcn_fastcnp_build_burst(&tmpl, req, RTE_DIM(req));
		for (unsigned int i = 0; i < RTE_DIM(req); i++) {
			const uint8_t *udp = buf[i] + 64;

			assert_true((udp[6] | udp[7]) != 0);
			if ((udp[6] & udp[7]) != 0xFF)
				continue;
			found++;
			assert_int_equal(
					ref_udp_sum(buf[i] + 8, buf[i] + 24, 16, udp, UDP), 0xFFFF);
			/* As 0 it would add up all the same, and yet mean that there is none. */
			memcpy(frame + ETH, buf[i], FCN_FASTCNP_OPT1_LEN);
			assert_int_equal(read_frame(frame, sizeof(frame), FCN_ICRC_SKIP, &out),
					FCN_WIRE_OK);
			frame[ETH + 70] = frame[ETH + 71] = 0;
			assert_int_equal(read_frame(frame, sizeof(frame), FCN_ICRC_SKIP, &out),
					FCN_WIRE_UDP_CHECKSUM);
		}
	}
	assert_true(found > 0);
	fcn_fastcnp_template_fini(&tmpl);
}

TEST_FIXTURE(FCN_TEST_CRC);
