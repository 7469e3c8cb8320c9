/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What may not cross the domain's border, wherever it stands in a frame. Frames are written down
 * as the headers they consist of.
 */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_border_view.h"
#include "frame.h"
#include "reference.h"
#include "vectors.h"

static const struct fcn_border_codes codes = {
		.options = {.fastcnp_opt1 = 0x9E, .fastcnp_opt2 = 0x9F, .proxy_addr = 0x1E},
		.cnm_port = 1021,
		.arn_port = 1022,
};

#define FAST (1u << FCN_BORDER_FAST_CNP)
#define CNM (1u << FCN_BORDER_CNM)
#define ARN (1u << FCN_BORDER_ARN)
#define PROXY (1u << FCN_BORDER_PROXY)
#define IOAM (1u << FCN_BORDER_IOAM)
#define CNP (1u << FCN_BORDER_CNP)
#define FRAGMENT (1u << FCN_BORDER_FRAGMENT)
#define UNREAD (1u << FCN_BORDER_UNREAD)

/*
 * Headers, one behind the other: 6, 4 (of octet offset a, with b more fragments), h and d:
 * Hop-by-Hop and Destination Options with an option of type a and length b, p: the same empty, of a
 * octets, r: SRH of a segments with b left, f: Fragment of octet offset a, with b more, H:
 * Authentication, m: Mobility, u: UDP to port a (decimal) with opcode b behind it, t: TCP, e: ESP,
 * v: VLAN tag, c: nothing more from here, a octets of it.
 */
static uint8_t
number_of(char header)
{
	switch (header) {
	case '6':
		return 41;
	case '4':
		return 4;
	case 'h':
		return 0;
	case 'd':
	case 'p':
		return 60;
	case 'r':
		return 43;
	case 'f':
		return 44;
	case 'H':
		return 51;
	case 'm':
		return 135;
	case 'u':
		return 17;
	case 't':
		return 6;
	case 'e':
		return 50;
	default:
		return 59;
	}
}

static void
put_option(struct frame *f, uint8_t next, unsigned int type, unsigned int len)
{
	uint32_t all = (2 + 2 + len + 7) / 8 * 8;
	uint8_t *p = frame_zero(f, all); /* behind the option is Pad1 */

	p[0] = next;
	p[1] = (uint8_t)(all / 8 - 1);
	p[2] = (uint8_t)type;
	p[3] = (uint8_t)len;
}

static void
put_header(struct frame *f, char header, unsigned int a, unsigned int b, uint8_t next)
{
	uint8_t *p;

	switch (header) {
	case '6':
		frame_ip6(f, next);
		break;
	case '4':
		frame_ip4(f, next, 20);
		p = f->data + f->ip[f->n_ip - 1];
		p[6] = (uint8_t)(b << 5 | a / 8 >> 8);
		p[7] = (uint8_t)(a / 8);
		break;
	case 'h':
	case 'd':
		put_option(f, next, a, b);
		break;
	case 'p':
		frame_options(f, next, a);
		break;
	case 'r':
		frame_srh(f, next, a, b, 0);
		break;
	case 'f':
		p = frame_zero(f, 8);
		p[0] = next;
		p[2] = (uint8_t)(a >> 8);
		p[3] = (uint8_t)(a | b);
		break;
	case 'H':
	case 'm':
		p = frame_zero(f, 24);
		p[0] = next;
		p[1] = header == 'H' ? 4 : 2;
		break;
	case 'u':
		p = frame_zero(f, 8 + 32);
		p[2] = (uint8_t)(a >> 8);
		p[3] = (uint8_t)a;
		p[5] = 40;
		p[8] = (uint8_t)b;
		break;
	case 'c':
		frame_zero(f, a);
		break;
	default:
		frame_zero(f, 40);
	}
}

static void
make(struct frame *f, const char *text)
{
	char header, next;
	unsigned int a, b;
	int used;

	while (*text == 'v')
		text += 2;
	frame_ether(f, *text == '4' ? 0x0800 : 0x86DD);
	for (; *text != '\0'; text += used) {
		a = b = 0;
		header = *text;
		used = 1;
		if (header == 'u')
			sscanf(text, "u:%u,%x%n", &a, &b, &used);
		else if (text[1] == ':' && strchr("hd", header) != NULL)
			sscanf(text + 1, ":%x,%u%n", &a, &b, &used), used++;
		else if (text[1] == ':' && strchr(text, ',') != NULL &&
				strchr("4rf", header) != NULL)
			sscanf(text + 1, ":%u,%u%n", &a, &b, &used), used++;
		else if (text[1] == ':')
			sscanf(text + 1, ":%u%n", &a, &used), used++;
		while (text[used] == ' ')
			used++;
		next = text[used];
		put_header(f, header, a, b, number_of(next));
	}
	frame_finish(f);
}

static struct fcn_border_view view;

/* In memory of the very length, so that a sanitizer sees what is read past it. */
static uint32_t
look(const uint8_t *data, uint32_t len, uint32_t pkt_len)
{
	uint8_t *copy = exact_copy(data, len);

	memset(&view, 0xA5, sizeof(view));
	fcn_border_parse(copy, len, pkt_len, &codes, &view);
	free(copy);
	return view.found;
}

static const struct {
	const char *headers;
	uint32_t found;
	bool ioam_outer, trace;
} cases[] = {
		/* what anybody may send */
		{"6 u:4791,04", 0, false, false},
		{"4 u:4791,11", 0, false, false},
		{"6 t", 0, false, false},
		{"6 h:05,2 t", 0, false, false},
		{"6 d:05,2 r:2,1 d:05,4 u:53,81", 0, false, false},
		{"6 6 u:4791,04", 0, false, false},
		{"4 6 t", 0, false, false},
		{"6 e", 0, false, false},
		{"6 f:0,0 u:4791,04", 0, false, false},
		{"6 f:0,1 u:4791,04", 0, false, false},
		{"6 H u:4791,0a", 0, false, false},
		{"6 u:1023,81", 0, false, false},
		/* Fast CNPs, each option, in each place */
		{"6 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 d:9f,38 u:4791,81", FAST | CNP, false, true},
		{"6 h:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 p:8 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 d:05,4 r:1,0 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 r:2,1 d:9f,38 u:4791,81", FAST | CNP, false, true},
		{"6 d:05,4 h:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 f:0,0 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 f:0,0 d:9f,38 u:4791,81", FAST | CNP, false, true},
		{"6 f:0,1 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 f:0,0 f:0,0 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 H d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 m d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 d:9e,16 t", FAST, false, false},
		{"6 d:9e,0 t", FAST, false, false},
		/* in a tunnel, in all four ways, an SRH before it */
		{"6 6 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"4 6 d:9f,38 u:4791,81", FAST | CNP, false, true},
		{"6 r:3,2 6 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 h:05,2 d:05,2 r:1,1 6 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 6 f:0,0 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 f:0,0 6 d:9e,16 u:4791,81", FAST | CNP, false, false},
		{"6 d:9e,16 6 u:4791,04", FAST, false, false},
		{"6 4 u:4791,81", CNP, false, false},
		{"4 4 u:4791,81", CNP, false, false},
		/* plain CNPs, messages by UDP port */
		{"6 u:4791,81", CNP, false, false},
		{"4 u:4791,81", CNP, false, false},
		{"6 f:0,0 u:4791,81", CNP, false, false},
		{"6 u:1021,00", CNM, false, false},
		{"4 u:1021,00", CNM, false, false},
		{"4 6 u:1021,00", CNM, false, false},
		{"6 f:0,0 u:1021,00", CNM, false, false},
		{"6 u:1022,00", ARN, false, false},
		{"6 4 u:1022,00", ARN, false, false},
		{"6 f:0,1 u:1022,00", ARN, false, false},
		/* the proxy's address */
		{"6 d:1e,16 u:4791,04", PROXY, false, false},
		{"6 h:31,20 d:1e,16 u:4791,04", PROXY, true, false},
		{"4 6 d:1e,16 u:4791,04", PROXY, false, false},
		{"6 f:0,0 d:1e,3 u:4791,04", PROXY, false, false},
		/* IOAM: that which an edge takes out is told apart */
		{"6 h:31,20 u:4791,04", 0, true, false},
		{"6 h:11,20 u:4791,04", 0, true, false},
		{"6 d:11,20 t", 0, true, false},
		{"6 r:1,0 d:31,20 t", 0, true, false},
		{"6 h:31,20 6 t", 0, true, false},
		{"6 6 h:31,20 t", IOAM, false, false},
		{"6 h:31,20 6 h:31,20 t", IOAM, true, false},
		{"4 6 d:11,20 t", IOAM, false, false},
		{"6 f:0,0 d:11,20 t", IOAM, false, false},
		{"6 H d:11,20 t", IOAM, false, false},
		/* later fragments show no headers; but those in front of them */
		{"6 f:1232,1 c:40", 0, false, false},
		{"6 f:40,0 c:40", 0, false, false},
		{"6 f:32,0 c:40", FRAGMENT, false, false},
		{"6 f:8,1 c:40", FRAGMENT, false, false},
		{"4:40,1 c:40", 0, false, false},
		{"4:32,0 c:40", FRAGMENT, false, false},
		{"4:8,1 c:40", FRAGMENT, false, false},
		{"6 4:8,1 c:40", FRAGMENT, false, false},
		{"6 h:31,20 f:1232,1 c:40", 0, true, false},
		{"6 d:9e,16 f:1232,0 c:40", FAST, false, false},
		/* a first fragment has to show all of them (RFC 7112) */
		{"4:0,1 u:4791,81", CNP, false, false},
		{"6 f:0,1 d:05,4 c:0", 0, false, false},
		{"6 f:0,1 d:05,4", 0, false, false},
		/* too deep, too many */
		{"6 6 6 u:4791,04", UNREAD, false, false},
		{"6 4 6 d:9e,16 u:4791,81", UNREAD, false, false},
		{"6 p:8 p:8 p:8 p:8 p:8 p:8 p:8 p:8 u:53,00", 0, false, false},
		{"6 p:8 p:8 p:8 p:8 p:8 p:8 p:8 d:9e,16 u:53,00", FAST, false, false},
		{"6 p:8 p:8 p:8 p:8 p:8 p:8 p:8 p:8 p:8 u:53,00", UNREAD, false, false},
		{"6 p:256 p:256 t", UNREAD, false, false},
		{"6 p:256 p:192 d:9e,16 t", UNREAD, false, false},
		{"6 p:256 p:176 d:9e,16 t", FAST, false, false},
		{"6 r:1,1 r:1,1 u:53,00", 0, false, false},
		{"6 r:1,1 r:1,1 r:1,1 u:53,00", UNREAD, false, false},
};

TEST(cases)
{
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct frame f;

		memset(&f, 0, sizeof(f));
		make(&f, cases[i].headers);
		if (look(f.data, f.len, f.len) != cases[i].found ||
				view.ioam_outer != cases[i].ioam_outer ||
				view.trace != cases[i].trace)
			fail_msg("%s: found %x ioam %d trace %d", cases[i].headers, view.found,
					view.ioam_outer, view.trace);
	}
}

/* Behind tags as many as are read, and one too many. */
TEST(tags)
{
	static const uint16_t tpid[] = {0x8100, 0x88A8, 0x9100, 0x8100, 0x8100};
	struct frame plain, f;

	memset(&plain, 0, sizeof(plain));
	make(&plain, "6 d:9e,16 u:4791,81");
	for (unsigned int n = 0; n <= RTE_DIM(tpid); n++) {
		memset(&f, 0, sizeof(f));
		frame_put(&f, plain.data, 12);
		for (unsigned int i = 0; i < n; i++)
			frame_put(&f, (uint8_t[]){tpid[i] >> 8, tpid[i] & 0xFF, 0, 5}, 4);
		frame_put(&f, plain.data + 12, plain.len - 12);
		assert_int_equal(look(f.data, f.len, f.len),
				n > FCN_BORDER_MAX_VLANS ? UNREAD : FAST | CNP);
	}
	/* ARP is nobody's business here, however short. */
	memset(&f, 0, sizeof(f));
	frame_ether(&f, 0x0806);
	frame_zero(&f, 28);
	for (uint32_t len = 0; len <= f.len; len++)
		assert_int_equal(look(f.data, len, len), 0);
}

/* Addresses, and the segments that are still to be visited. */
TEST(addresses)
{
	struct frame f;

	memset(&f, 0, sizeof(f));
	make(&f, "6 r:3,2 4 u:4791,81");
	assert_int_equal(look(f.data, f.len, f.len), CNP);
	assert_int_equal(view.n_ip, 2);
	assert_int_equal(view.ip[0].version, 6);
	assert_int_equal(view.ip[0].src, 14 + 8);
	assert_int_equal(view.ip[0].dst, 14 + 24);
	assert_int_equal(view.ip[1].version, 4);
	assert_int_equal(view.ip[1].src, 14 + 40 + 56 + 12);
	assert_int_equal(view.ip[1].dst, 14 + 40 + 56 + 16);
	assert_int_equal(view.cnp, 1);
	assert_int_equal(view.n_srh, 1);
	assert_int_equal(view.srh[0].off, 14 + 40 + 8);
	assert_int_equal(view.srh[0].n, 2);
	/* Segments Left may claim more than there are. */
	f.data[14 + 40 + 3] = 200;
	look(f.data, f.len, f.len);
	assert_int_equal(view.srh[0].n, 3);
}

/* Types and ports are configuration. */
TEST(codes)
{
	struct fcn_border_codes other = codes;
	struct frame f;

	other.options.fastcnp_opt1 = other.options.fastcnp_opt2 = 0x92;
	other.options.proxy_addr = 0x05;
	other.cnm_port = 0;
	other.arn_port = 7;
	memset(&f, 0, sizeof(f));
	make(&f, "6 d:9e,16 d:1e,16 u:1021,00");
	fcn_border_parse(f.data, f.len, f.len, &other, &view);
	assert_int_equal(view.found, 0);
	/* of one type for both, the length tells (RFC 4727 has but one value) */
	memset(&f, 0, sizeof(f));
	make(&f, "6 d:92,16 d:05,16 u:7,00");
	fcn_border_parse(f.data, f.len, f.len, &other, &view);
	assert_int_equal(view.found, FAST | PROXY | ARN);
	assert_false(view.trace);
	memset(&f, 0, sizeof(f));
	make(&f, "6 d:92,26 u:0,00");
	fcn_border_parse(f.data, f.len, f.len, &other, &view);
	assert_int_equal(view.found, FAST);
	assert_true(view.trace);
}

/*
 * A frame cut short, or chained behind each octet: it either still shows what it holds, or says
 * that its headers cannot be read.
 */
TEST(cut)
{
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct frame f;

		memset(&f, 0, sizeof(f));
		make(&f, cases[i].headers);
		for (uint32_t cut = 14; cut < f.len; cut++) {
			uint32_t chained = look(f.data, cut, f.len);

			if (cases[i].found & ~UNREAD)
				assert_int_not_equal(chained, 0);
			look(f.data, cut, cut);
			/* the IP header says more than there is */
			if (cut >= 14 + 40)
				assert_true(view.found & UNREAD);
		}
	}
}

/* Options past the end of their header, headers past the end of the packet. */
TEST(malformed)
{
	struct frame f;

	memset(&f, 0, sizeof(f));
	make(&f, "6 d:05,4 d:9e,16 u:4791,81");
	f.data[14 + 40 + 3] = 5; /* hides nothing: the next header is still found */
	assert_int_equal(look(f.data, f.len, f.len), FAST | CNP | UNREAD);
	f.data[14 + 40 + 1] = 255;
	assert_int_equal(look(f.data, f.len, f.len), UNREAD);
	memset(&f, 0, sizeof(f));
	make(&f, "6 u:4791,81");
	f.data[14] = 0x46;
	assert_int_equal(look(f.data, f.len, f.len), UNREAD);
	/* too short for a CNP, and not a fragment: it is none */
	memset(&f, 0, sizeof(f));
	make(&f, "6 u:4791,81");
	f.data[14 + 5] = 8;
	assert_int_equal(look(f.data, f.len, f.len), 0);
	/* a first fragment that ends where the opcode would stand */
	memset(&f, 0, sizeof(f));
	make(&f, "4:0,1 u:4791,81");
	f.data[14 + 3] = 28;
	assert_int_equal(look(f.data, f.len, f.len), UNREAD);
	f.data[14 + 3] = 29;
	assert_int_equal(look(f.data, f.len, f.len), CNP);
	/* a first fragment of a tunnel: the packet inside is longer than it */
	memset(&f, 0, sizeof(f));
	make(&f, "6 f:0,1 6 d:9e,16 u:4791,81");
	f.data[14 + 48 + 4] = 5;
	assert_int_equal(look(f.data, f.len, f.len), FAST | CNP);
}

/* Vectors: what the file is about is what is found. */
TEST(vectors)
{
	for (unsigned int i = 0; i < vector_n_files; i++) {
		const char *name = vector_files[i];
		struct vectors v;

		vectors_load(&v, name);
		for (unsigned int j = 0; j < v.n; j++) {
			uint32_t found = look(v.data[j], v.len[j], v.len[j]);

			if (strncmp(name, "09_", 3) == 0)
				assert_true(found & FAST && !view.trace);
			else if (strncmp(name, "10_", 3) == 0)
				assert_true(found & FAST && view.trace);
			else if (strncmp(name, "04_", 3) == 0)
				assert_int_equal(found, CNP);
			else if (strncmp(name, "01_", 3) == 0 || strncmp(name, "02_", 3) == 0)
				assert_int_equal(found, 0);
			else if (strncmp(name, "05_", 3) == 0)
				assert_true(view.ioam_outer && found == 0);
			else if (strncmp(name, "11_", 3) == 0)
				assert_true(found & FAST && view.n_ip == 2);
		}
		vectors_free(&v);
	}
}

/* Octets at random in frames that hold something: nothing is read past the end. */
TEST(scrambled)
{
	uint64_t seed = 1;

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct frame f, g;

		memset(&f, 0, sizeof(f));
		make(&f, cases[i].headers);
		for (unsigned int round = 0; round < 2000; round++) {
			uint64_t r = ref_random(&seed);

			g = f;
			for (unsigned int k = 0; k < 1 + r % 3; k++) {
				r = ref_random(&seed);
				g.data[12 + r % (g.len - 12)] = (uint8_t)(r >> 32);
			}
			r = ref_random(&seed) % g.len;
			look(g.data, g.len, g.len);
			look(g.data, r, g.len);
			assert_true(view.n_ip <= FCN_BORDER_MAX_IP);
			for (unsigned int k = 0; k < view.n_ip; k++)
				assert_true(view.ip[k].dst + (view.ip[k].version == 6 ? 16u : 4u) <=
						r);
			for (unsigned int k = 0; k < view.n_srh; k++)
				assert_true(view.srh[k].off + 16u * view.srh[k].n <= r);
		}
	}
}
