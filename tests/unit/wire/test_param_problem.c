/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Refused Fast CNPs: the answers of a Linux host, and all that somebody could
 * send instead of one.
 */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_param_problem.h"
#include "message.h"
#include "reference.h"
#include "vectors.h"

#define ETHER 14
#define QUOTE 48 /* in the answer: IPv6 40, ICMPv6 8 */
#define EXT 40   /* in the quote */
#define MAX_LEN 1280

/* The three answers; the quoted option stands at the pointer. */
static const struct {
	uint32_t pointer, ext_len;
	uint8_t option;
} cases[] = {{46, 24, 1}, {42, 24, 1}, {44, 120, 2}};
#define N_CASES RTE_DIM(cases)

static const uint8_t loopback[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 0x0F, [15] = 5},
		     sender[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 1, [15] = 0x10},
		     receiver[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 2, [15] = 0x20};

struct answer {
	uint8_t data[MAX_LEN];
	uint32_t len;
};

static struct answer answers[N_CASES];

static int
setup(void **state)
{
	struct vectors v;

	(void)state;
	vectors_load(&v, "23_linux_param_problem");
	if (v.n != 2 * N_CASES)
		return -1;
	for (unsigned int i = 0; i < N_CASES; i++) {
		answers[i].len = v.len[2 * i + 1] - ETHER;
		memcpy(answers[i].data, v.data[2 * i + 1] + ETHER, answers[i].len);
	}
	vectors_free(&v);
	return 0;
}

TEST_FIXTURE(.begin = setup);

/* From a buffer of exactly its size; what is refused leaves no trace. */
static enum fcn_msg_error
check_codes(const uint8_t *data, uint32_t len, const struct fcn_parse_codes *codes,
		struct fcn_refused_notice *out)
{
	uint8_t *copy = exact_copy(data, len);
	struct fcn_refused_notice notice, before;
	enum fcn_msg_error error;

	memset(&notice, 0xA5, sizeof(notice));
	memset(&before, 0xA5, sizeof(before));
	error = fcn_param_problem_check(copy, len, codes, loopback, &notice);
	if (error != FCN_MSG_OK)
		assert_memory_equal(&notice, &before, sizeof(notice));
	else if (out != NULL)
		*out = notice;
	free(copy);
	return error;
}

/* The answer of a node that is no END.CON to the first notice, in a tunnel: of a host, which Linux
 * gives for a next header without handler, or of another SID. Payload lengths and the ICMPv6
 * checksum are made right. */
static struct answer
to_endcon(uint8_t code)
{
	static const uint8_t endcon[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 0xE1, [15] = 0x0C};
	const uint32_t notice = answers[0].len - QUOTE;
	struct answer p = {.len = answers[0].len + 40};
	uint8_t *outer = p.data + QUOTE;

	memcpy(p.data, answers[0].data, QUOTE);
	memcpy(p.data + 8, endcon, 16);
	p.data[41] = code;
	p.data[44] = p.data[45] = p.data[46] = 0;
	p.data[47] = code == 1 ? 6 : 40;
	outer[0] = 0x60;
	outer[4] = (uint8_t)(notice >> 8);
	outer[5] = (uint8_t)notice;
	outer[6] = 41;
	outer[7] = 64;
	memcpy(outer + 8, loopback, 16);
	memcpy(outer + 24, endcon, 16);
	memcpy(outer + 40, answers[0].data + QUOTE, notice);
	msg_finish6(p.data, 40, p.len);
	return p;
}

static enum fcn_msg_error
check_endcon(struct answer *p, struct fcn_refused_notice *out)
{
	uint8_t endcon[16] = {0}, *copy;
	enum fcn_msg_error error;

	msg_finish6(p->data, 40, p->len);
	copy = exact_copy(p->data, p->len);
	error = fcn_param_problem_check_endcon(
			copy, p->len, &fcn_parse_default_codes, loopback, out, endcon);
	if (error == FCN_MSG_OK)
		assert_memory_equal(endcon, p->data + QUOTE + 24, 16);
	free(copy);
	return error;
}

/* With payload length and ICMPv6 checksum made right. */
static enum fcn_msg_error
sealed(struct answer *p, struct fcn_refused_notice *out)
{
	msg_finish6(p->data, 40, p->len);
	return check_codes(p->data, p->len, &fcn_parse_default_codes, out);
}

/* The UDP checksum of the quoted packet made right, too. */
static enum fcn_msg_error
sealed_quote(struct answer *p, struct fcn_refused_notice *out)
{
	uint8_t *quote = p->data + QUOTE, *udp = p->data + p->len - 40;
	uint16_t sum;

	udp[6] = udp[7] = 0;
	sum = 0xFFFF - ref_udp_sum(quote + 8, quote + 24, 16, udp, 40);
	if (sum == 0)
		sum = 0xFFFF;
	udp[6] = (uint8_t)(sum >> 8);
	udp[7] = (uint8_t)sum;
	return sealed(p, out);
}

static void
assert_notice(const struct fcn_refused_notice *n, unsigned int i)
{
	assert_memory_equal(n->sender, sender, 16);
	assert_memory_equal(n->receiver, receiver, 16);
	assert_int_equal(n->dest_qp, 0x1A7);
	assert_int_equal(n->src_port, 0xC0DE);
	assert_int_equal(n->p_key, 0xFFFF);
	assert_int_equal(n->option, cases[i].option);
}

TEST(linux)
{
	struct fcn_refused_notice notice;

	for (unsigned int i = 0; i < N_CASES; i++) {
		assert_int_equal(check_codes(answers[i].data, answers[i].len,
						 &fcn_parse_default_codes, &notice),
				FCN_MSG_OK);
		assert_notice(&notice, i);
	}
}

/* The notices themselves, as they went out, are no answers. */
TEST(notices)
{
	struct vectors v;

	vectors_load(&v, "23_linux_param_problem");
	for (unsigned int i = 0; i < v.n; i += 2)
		assert_int_equal(check_codes(v.data[i] + ETHER, v.len[i] - ETHER,
						 &fcn_parse_default_codes, NULL),
				FCN_MSG_PROTOCOL);
	vectors_free(&v);
}

/* Cut as it is, made right for its length, and with padding or more quoted than there was. */
TEST(cut)
{
	for (unsigned int i = 0; i < N_CASES; i++) {
		struct fcn_refused_notice notice;
		struct answer p;

		for (uint32_t len = 0; len < answers[i].len; len++) {
			assert_int_equal(check_codes(answers[i].data, len, &fcn_parse_default_codes,
							 NULL),
					FCN_MSG_TRUNCATED);
			if (len < 40)
				continue;
			p = answers[i];
			p.len = len;
			assert_int_equal(sealed(&p, NULL),
					len < QUOTE ? FCN_MSG_TRUNCATED : FCN_MSG_QUOTE);
		}
		p = answers[i];
		assert_int_equal(check_codes(p.data, p.len + 30, &fcn_parse_default_codes, &notice),
				FCN_MSG_OK);
		/* Behind the end of the quoted packet stands something else: not part of it. */
		p.len += 30;
		assert_int_equal(sealed(&p, &notice), FCN_MSG_OK);
		assert_notice(&notice, i);
	}
}

/* Whether any value of a bit of the quote is as good; the others are checked. */
static bool
is_free(unsigned int i, uint32_t bit)
{
	uint32_t off = bit / 8, option = cases[i].pointer, trace, end;

	/* Traffic class, flow label, hop limit: any router may change them. */
	if ((off == 0 && bit % 8 < 4) || (off >= 1 && off <= 3) || off == 7)
		return true;
	/* Length of a PadN over zeros: 2 becomes 0, and the zeros are Pad1s. */
	if (bit % 8 == 1 && off == (cases[i].pointer == 46 ? 43 : EXT + cases[i].ext_len - 3))
		return true;
	/* The receiver's address, which only the caller knows. */
	if (cases[i].option == 1)
		return off >= option + 2 && off < option + 18;
	trace = option + 4;
	end = EXT + cases[i].ext_len - 4; /* of the option */
	/* A PadN of nothing becomes two Pad1s. */
	if (off == 42 && bit % 8 == 0)
		return true;
	/* Reserved octet; Opt-Type 1, a trace, too. */
	if (off == option + 2 || (off == option + 3 && bit % 8 == 0))
		return true;
	/* Namespace-ID, flags, the two bits of the type that NodeLen does not count, reserved
	 * octet. */
	if (off == trace || off == trace + 1 || (off == trace + 2 && bit % 8 < 3) ||
			(off == trace + 3 && bit % 8 == 7) || (off == trace + 6 && bit % 8 < 2) ||
			off == trace + 7)
		return true;
	/* Node data and address. */
	return off >= trace + 8 && off < end;
}

/*
 * Every bit of the quote turned over, the answer's own checksum made right. All
 * of UDP and behind is covered by the notice's own checksum.
 */
/* A notice to END.CON that the node with that address does not process. */
TEST(endcon)
{
	static const struct {
		uint32_t at; /* octet that is changed */
		enum fcn_msg_error error;
	} bad[] = {{41, FCN_MSG_CODE}, {47, FCN_MSG_POINTER}, {24, FCN_MSG_DESTINATION},
			{QUOTE, FCN_MSG_QUOTE}, {QUOTE + 5, FCN_MSG_QUOTE},
			{QUOTE + 6, FCN_MSG_QUOTE}, {QUOTE + 8, FCN_MSG_QUOTE},
			{QUOTE + 40 + 8, FCN_MSG_QUOTE}, {QUOTE + 40 + 24 + 15, FCN_MSG_QUOTE}};
	struct fcn_refused_notice n;
	struct answer p;

	for (unsigned int k = 0; k < 2; k++) {
		const uint8_t code = k == 0 ? 1 : 4;

		memset(&n, 0, sizeof(n));
		p = to_endcon(code);
		assert_int_equal(check_endcon(&p, &n), FCN_MSG_OK);
		assert_notice(&n, 0);
		p.data[8] ^= 1; /* another address of that node */
		assert_int_equal(check_endcon(&p, &n), FCN_MSG_OK);
		assert_int_equal(sealed(&p, NULL), FCN_MSG_CODE); /* not about the notice alone */
		for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
			p = to_endcon(code);
			p.data[bad[i].at] ^= 0x10;
			assert_int_equal(check_endcon(&p, &n), bad[i].error);
		}
		for (uint32_t cut = 1; cut < 40; cut++) {
			p = to_endcon(code);
			p.len -= cut;
			assert_int_equal(check_endcon(&p, &n), FCN_MSG_QUOTE);
		}
	}
	p = answers[0]; /* the notice alone */
	assert_int_equal(check_endcon(&p, &n), FCN_MSG_CODE);
}

/* A notice that returns the headers of a packet: either option may be the one that is not known. */
TEST(trimmed)
{
	static const uint8_t option[16] = {
			1, 0, 0x9D, 12, 1, 7, 4, 0, 4, 0, 0, 9, 0, 0xA, 0xB, 0xC};
	const uint32_t at = EXT + 24; /* behind the header with option 1 */
	struct fcn_refused_notice n;
	struct answer p = answers[0], q;
	uint8_t *quote = p.data + QUOTE;

	memmove(quote + at + sizeof(option), quote + at, p.len - QUOTE - at);
	memcpy(quote + at, option, sizeof(option));
	p.len += sizeof(option);
	quote[5] += sizeof(option);
	quote[EXT + 1] += sizeof(option) / 8;
	assert_int_equal(sealed(&p, &n), FCN_MSG_OK);
	assert_notice(&n, 0);
	assert_true(n.is_trimmed);
	p.data[47] = at + 2;
	assert_int_equal(sealed(&p, &n), FCN_MSG_OK);
	p.data[47]++;
	assert_int_equal(sealed(&p, &n), FCN_MSG_POINTER);
	p.data[47] = 46;
	q = p;
	q.data[QUOTE + at + 2]--; /* another option */
	assert_int_equal(sealed(&q, &n), FCN_MSG_QUOTE);
	q = p;
	q.data[QUOTE + at + 3]--; /* and one octet behind it, which is Pad1 only if it is 0 */
	assert_int_equal(sealed(&q, &n), FCN_MSG_QUOTE);
	q = p;
	memcpy(q.data + QUOTE + at, ((uint8_t[]){0x9D, 12}), 2); /* two of them */
	memset(q.data + QUOTE + at + 2, 0, 14);
	q.data[QUOTE + at + 14] = 0x9D;
	assert_int_equal(sealed(&q, &n), FCN_MSG_QUOTE);
	assert_int_equal(sealed(&answers[0], &n), FCN_MSG_OK);
	assert_false(n.is_trimmed);
}

TEST(quote_bits)
{
	for (unsigned int i = 0; i < N_CASES; i++) {
		uint32_t n = (answers[i].len - QUOTE) * 8;

		for (uint32_t bit = 0; bit < n; bit++) {
			struct answer p = answers[i];
			enum fcn_msg_error error;

			p.data[QUOTE + bit / 8] ^= 1 << bit % 8;
			error = sealed(&p, NULL);
			if (error != (is_free(i, bit) ? FCN_MSG_OK : FCN_MSG_QUOTE))
				fail_msg("case %u, octet %u, bit %u: error %d", i, bit / 8, bit % 8,
						error);
		}
	}
}

/* Bits of UDP and BTH that mean something, with every checksum right. */
TEST(fields)
{
	for (unsigned int i = 0; i < N_CASES; i++) {
		uint32_t udp = answers[i].len - 40;

		for (uint32_t bit = 0; bit < 40 * 8; bit++) {
			uint32_t off = bit / 8;
			struct answer p = answers[i];
			struct fcn_refused_notice notice;
			bool refused = off == 2 || off == 3 || off == 4 || off == 5 || off == 8 ||
				       (off == 9 && bit % 8 < 4) || (off == 12 && bit % 8 == 6);

			p.data[udp + off] ^= 1 << bit % 8;
			assert_int_equal(sealed_quote(&p, &notice),
					refused ? FCN_MSG_QUOTE : FCN_MSG_OK);
			if (refused)
				continue;
			assert_int_equal(notice.src_port, p.data[udp] << 8 | p.data[udp + 1]);
			assert_int_equal(notice.p_key, p.data[udp + 10] << 8 | p.data[udp + 11]);
			assert_int_equal(notice.dest_qp, p.data[udp + 13] << 16 |
									 p.data[udp + 14] << 8 |
									 p.data[udp + 15]);
		}
	}
}

TEST(no_udp_checksum)
{
	for (unsigned int i = 0; i < N_CASES; i++) {
		struct answer p = answers[i];

		uint8_t *quote = p.data + QUOTE, *udp = p.data + p.len - 40;
		uint16_t sum;

		memset(udp + 6, 0, 2);
		assert_int_equal(sealed(&p, NULL), FCN_MSG_QUOTE);
		/* Not even where the sum comes out right without one. */
		memset(udp + 38, 0, 2);
		sum = 0xFFFF - ref_udp_sum(quote + 8, quote + 24, 16, udp, 40);
		udp[38] = (uint8_t)(sum >> 8);
		udp[39] = (uint8_t)sum;
		assert_int_equal(ref_udp_sum(quote + 8, quote + 24, 16, udp, 40), 0xFFFF);
		assert_int_equal(sealed(&p, NULL), FCN_MSG_QUOTE);
	}
}

TEST(type_and_code)
{
	for (unsigned int x = 0; x < 256; x++) {
		struct answer p = answers[0];

		p.data[40] = (uint8_t)x;
		assert_int_equal(sealed(&p, NULL), x == 4 ? FCN_MSG_OK : FCN_MSG_TYPE);
		p = answers[0];
		p.data[41] = (uint8_t)x;
		assert_int_equal(sealed(&p, NULL), x == 2 ? FCN_MSG_OK : FCN_MSG_CODE);
	}
}

/* The pointer: one value is right, of all. */
TEST(pointer)
{
	for (unsigned int i = 0; i < N_CASES; i++) {
		struct answer p = answers[i];

		for (uint32_t x = 0; x < 400; x++) {
			p.data[46] = (uint8_t)(x >> 8);
			p.data[47] = (uint8_t)x;
			assert_int_equal(sealed(&p, NULL),
					x == cases[i].pointer ? FCN_MSG_OK : FCN_MSG_POINTER);
		}
		for (unsigned int bit = 0; bit < 32; bit++) {
			p = answers[i];
			p.data[44 + bit / 8] ^= 0x80 >> bit % 8;
			assert_int_equal(sealed(&p, NULL), FCN_MSG_POINTER);
		}
	}
}

/* From another than the one that the notice went to; to another than its sender. */
TEST(addresses)
{
	struct fcn_refused_notice notice;

	for (unsigned int i = 0; i < N_CASES; i++) {
		for (unsigned int bit = 0; bit < 128; bit++) {
			struct answer p = answers[i];

			p.data[8 + bit / 8] ^= 0x80 >> bit % 8;
			assert_int_equal(sealed(&p, NULL), FCN_MSG_REPORTER);
			p = answers[i];
			p.data[24 + bit / 8] ^= 0x80 >> bit % 8;
			assert_int_equal(sealed(&p, NULL), FCN_MSG_DESTINATION);
			/* The quoted destination, with its checksum; then both, by another sender.
			 */
			p = answers[i];
			p.data[QUOTE + 24 + bit / 8] ^= 0x80 >> bit % 8;
			assert_int_equal(sealed_quote(&p, NULL), FCN_MSG_REPORTER);
			p.data[8 + bit / 8] ^= 0x80 >> bit % 8;
			assert_int_equal(sealed_quote(&p, &notice), FCN_MSG_OK);
			assert_memory_equal(notice.sender, p.data + 8, 16);
			/* The quoted source, with its checksum. */
			p = answers[i];
			p.data[QUOTE + 8 + bit / 8] ^= 0x80 >> bit % 8;
			assert_int_equal(sealed_quote(&p, NULL), FCN_MSG_QUOTE);
		}
	}
}

/* Notices went to stations only. */
TEST(no_station)
{
	static const uint8_t addresses[][16] = {{0}, {[15] = 1}, {0xFF, 2, [15] = 1}};

	for (unsigned int i = 0; i < RTE_DIM(addresses); i++) {
		struct answer p = answers[0];

		memcpy(p.data + QUOTE + 24, addresses[i], 16);
		assert_int_equal(sealed_quote(&p, NULL), FCN_MSG_QUOTE);
		memcpy(p.data + 8, addresses[i], 16);
		assert_int_equal(sealed_quote(&p, NULL),
				addresses[i][0] == 0xFF ? FCN_MSG_SOURCE : FCN_MSG_QUOTE);
	}
}

/* An answer that quotes a notice with these octets for an extension header. */
static enum fcn_msg_error
with_header(const uint8_t *ext, uint32_t len, uint32_t pointer, const struct fcn_parse_codes *codes,
		struct fcn_refused_notice *out)
{
	struct answer p = answers[0];
	uint8_t *quote = p.data + QUOTE;

	memmove(quote + EXT + len, quote + EXT + 24, 40);
	memcpy(quote + EXT, ext, len);
	quote[4] = 0;
	quote[5] = (uint8_t)(len + 40);
	p.len = QUOTE + EXT + len + 40;
	p.data[46] = (uint8_t)(pointer >> 8);
	p.data[47] = (uint8_t)pointer;
	sealed_quote(&p, NULL);
	return check_codes(p.data, p.len, codes, out);
}

/* Headers that are not as this switch builds them, though some other might. */
TEST(options)
{
	static const struct {
		uint8_t ext[48];
		uint32_t len;
		enum fcn_msg_error want;
	} headers[] = {
			/* as it is: PadN of 4, the option */
			{{17, 2, 1, 2, 0, 0, 0x9E, 16}, 24, FCN_MSG_OK},
			/* Pad1s instead */
			{{17, 2, 0, 0, 0, 0, 0x9E, 16}, 24, FCN_MSG_OK},
			/* no option: all padding; another one */
			{{17, 2, 1, 20}, 24, FCN_MSG_QUOTE},
			{{17, 2, 1, 2, 0, 0, 0x1E, 16}, 24, FCN_MSG_QUOTE},
			/* padding that is not zero, before and behind */
			{{17, 2, 1, 2, 0, 1, 0x9E, 16}, 24, FCN_MSG_QUOTE},
			{{17, 3, 1, 2, 0, 0, 0x9E, 16, [24] = 1, 6, 9}, 32, FCN_MSG_QUOTE},
			{{17, 3, 1, 2, 0, 0, 0x9E, 16, [24] = 1, 6}, 32, FCN_MSG_OK},
			/* two of ours; one of ours and another, before and behind */
			{{17, 5, 1, 2, 0, 0, 0x9E, 16, [24] = 1, 4, 0, 0, 0, 0, 0x9E, 16}, 48,
					FCN_MSG_QUOTE},
			{{17, 3, 1, 2, 0, 0, 0x9E, 16, [24] = 0x1E, 6}, 32, FCN_MSG_QUOTE},
			{{17, 3, 0x1E, 2, 0, 0, 0x9E, 16, [24] = 1, 6}, 32, FCN_MSG_QUOTE},
			/* wrong length, past the header */
			{{17, 2, 1, 2, 0, 0, 0x9E, 15}, 24, FCN_MSG_QUOTE},
			{{17, 2, 1, 2, 0, 0, 0x9E, 17}, 24, FCN_MSG_QUOTE},
			{{17, 2, 1, 2, 0, 0, 0x9E, 255}, 24, FCN_MSG_QUOTE},
			{{17, 0, 1, 2, 0, 0, 0x9E, 16}, 8, FCN_MSG_QUOTE},
			{{17, 0, 0, 0, 0, 0, 0, 0x9E}, 8, FCN_MSG_QUOTE},
			/* option 2 without room for its trace; with a trace that is none */
			{{17, 2, 1, 2, 0, 0, 0x9F, 16}, 24, FCN_MSG_QUOTE},
			{{17, 3, 1, 0, 0x9F, 26}, 32, FCN_MSG_QUOTE},
			/* option 2 with the smallest trace: no words, NodeLen 1, hop limit */
			{{17, 3, 1, 0, 0x9F, 26, 0, 0, 0, 0, 0x08, 0, 0x80}, 32, FCN_MSG_OK},
			{{17, 3, 1, 0, 0x9F, 26, 0, 1, 0, 0, 0x08, 0, 0x80}, 32, FCN_MSG_OK},
			/* of Opt-Type 2, no trace; with more left than there is */
			{{17, 3, 1, 0, 0x9F, 26, 0, 2, 0, 0, 0x08, 0, 0x80}, 32, FCN_MSG_QUOTE},
			{{17, 3, 1, 0, 0x9F, 26, 0, 0, 0, 0, 0x08, 1, 0x80}, 32, FCN_MSG_QUOTE},
			/* another next header, lengths that do not fit */
			{{6, 2, 1, 2, 0, 0, 0x9E, 16}, 24, FCN_MSG_QUOTE},
			{{17, 1, 1, 2, 0, 0, 0x9E, 16}, 24, FCN_MSG_QUOTE},
			{{17, 3, 1, 2, 0, 0, 0x9E, 16}, 24, FCN_MSG_QUOTE},
			{{17, 255, 1, 2, 0, 0, 0x9E, 16}, 24, FCN_MSG_QUOTE},
	};

	for (unsigned int i = 0; i < RTE_DIM(headers); i++) {
		const uint8_t *ext = headers[i].ext;
		uint32_t pointer = ext[4] == 0x9F ? 44 : 46;
		enum fcn_msg_error error = with_header(
				ext, headers[i].len, pointer, &fcn_parse_default_codes, NULL);

		if (error != headers[i].want)
			fail_msg("header %u: error %d", i, error);
	}
}

/* Code points are configuration; both options may have the same. */
TEST(codes)
{
	static const uint8_t one[24] = {17, 2, 1, 2, 0, 0, 0x9E, 16},
			     two[32] = {17, 3, 1, 0, 0x9E, 26, 0, 0, 0, 0, 0x08, 0, 0x80};
	static const struct fcn_parse_codes same = {0x9E, 0x9E, 0x1E}, others = {0x8A, 0x8B, 0x1E};
	struct fcn_refused_notice notice;

	assert_int_equal(with_header(one, 24, 46, &same, &notice), FCN_MSG_OK);
	assert_int_equal(notice.option, 1);
	assert_int_equal(with_header(two, 32, 44, &same, &notice), FCN_MSG_OK);
	assert_int_equal(notice.option, 2);
	assert_int_equal(with_header(two, 32, 44, &fcn_parse_default_codes, NULL), FCN_MSG_QUOTE);
	assert_int_equal(with_header(one, 24, 46, &others, NULL), FCN_MSG_QUOTE);
}

/* Answers with many octets turned over, sealed and not: nothing is read past the end. */
TEST(damaged)
{
	uint64_t seed = 23;
	unsigned int ok = 0;

	for (unsigned int n = 0; n < 30000; n++) {
		struct answer p = answers[n % N_CASES];
		unsigned int hits = 1 + ref_random(&seed) % 4;

		for (unsigned int i = 0; i < hits; i++)
			p.data[40 + ref_random(&seed) % (p.len - 40)] = (uint8_t)ref_random(&seed);
		if (ref_random(&seed) % 4 == 0)
			p.len = 88 + ref_random(&seed) % (p.len - 88);
		if (n % 2 == 0 && p.len >= 88)
			ok += sealed_quote(&p, NULL) == FCN_MSG_OK;
		else
			ok += sealed(&p, NULL) == FCN_MSG_OK;
	}
	assert_true(ok > 0);
}
