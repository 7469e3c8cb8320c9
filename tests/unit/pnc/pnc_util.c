/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "pnc_util.h"

#define MAX_FRAMES 128

static struct {
	char name[32];
	uint8_t data[512];
	size_t len;
} frames[MAX_FRAMES];
static unsigned int n_frames;

static struct fcn_pnc_prefix *
find(const struct told *t, const struct fcn_pnc_prefix *p)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (fcn_prefix_equal(&t->known[i].prefix, &p->prefix) &&
				t->known[i].protocol == p->protocol && t->known[i].kind == p->kind)
			return &t->known[i];
	return NULL;
}

static void
add(void *arg, const struct fcn_pnc_prefix *prefix)
{
	struct told *t = arg;
	struct fcn_pnc_prefix *known = find(t, prefix);

	assert_int_not_equal(prefix->proxy.version, 0);
	assert_int_not_equal(prefix->prefix.addr.version, 0);
	t->adds++;
	if (known == NULL) {
		if (t->n == t->max) {
			t->max = t->max * 2 + 16;
			t->known = realloc(t->known, t->max * sizeof(*t->known));
			assert_non_null(t->known);
		}
		known = &t->known[t->n++];
	} else {
		/* Nothing is told twice. */
		assert_true(!fcn_addr_equal(&known->proxy, &prefix->proxy) ||
				known->expires_ns != prefix->expires_ns);
	}
	*known = *prefix;
}

static void
take_out(void *arg, const struct fcn_pnc_prefix *prefix)
{
	struct told *t = arg;
	struct fcn_pnc_prefix *known = find(t, prefix);

	assert_non_null(known);
	assert_true(fcn_addr_equal(&known->proxy, &prefix->proxy));
	t->removes++;
	*known = t->known[--t->n];
}

struct confs {
	struct fcn_pnc_isis_conf isis;
	struct fcn_pnc_ospf_conf ospf;
	struct fcn_pnc_ospf_conf ospf3;
};

static const struct confs defaults = {
		.isis = FCN_PNC_ISIS_DEFAULTS,
		.ospf = FCN_PNC_OSPF_DEFAULTS,
		.ospf3 = FCN_PNC_OSPF3_DEFAULTS,
};

/* Unless a test says otherwise: tables as large as a daemon's take longer to make than most tests.
 */
static const struct fcn_pnc_limits small = {.items = 4096,
		.originators = 1024,
		.prefixes = 4096,
		.originator_items = 1024,
		.originator_prefixes = 1024};

struct bench bench;

void
pnc_teardown(void)
{
	fcn_pnc_isis_destroy(bench.readers.isis);
	fcn_pnc_ospf_destroy(bench.readers.ospf);
	fcn_pnc_ospf3_destroy(bench.readers.ospf3);
	free(bench.told.known);
	bench = (struct bench){0};
}

int
pnc_teardown_bench(void **state)
{
	(void)state;
	pnc_teardown();
	return 0;
}

static void
create(struct confs *c, const struct fcn_pnc_limits *limits)
{
	const struct fcn_pnc_sink sink = {.add = add, .remove = take_out, .arg = &bench.told};
	struct fcn_pnc_readers *r = &bench.readers;
	const char *error;

	c->isis.limits = c->ospf.limits = c->ospf3.limits = limits != NULL ? *limits : small;
	pnc_teardown(); /* what the test had before */
	assert_int_equal(fcn_pnc_isis_create(&c->isis, &sink, &r->isis, &error), 0);
	if (fcn_pnc_auth_why_not(&c->ospf.auth, FCN_PNC_OSPF) == NULL)
		assert_int_equal(fcn_pnc_ospf_create(&c->ospf, &sink, &r->ospf, &error), 0);
	if (fcn_pnc_auth_why_not(&c->ospf3.auth, FCN_PNC_OSPF3) == NULL)
		assert_int_equal(fcn_pnc_ospf3_create(&c->ospf3, &sink, &r->ospf3, &error), 0);
}

void
pnc_setup(const struct fcn_pnc_limits *limits, const struct fcn_pnc_auth *auth)
{
	struct confs c = defaults;

	if (auth != NULL)
		c.isis.auth = c.ospf.auth = c.ospf3.auth = *auth;
	create(&c, limits);
}

void
pnc_setup_ids(void)
{
	struct confs c = defaults;

	c.ospf.router_id_is_address = c.ospf3.router_id_is_address = true;
	create(&c, NULL);
}

void
pnc_setup_codes(uint8_t flags_sub_tlv, uint8_t flag_bit)
{
	struct confs c = defaults;

	c.isis.flags_sub_tlv = flags_sub_tlv;
	c.ospf.flags_sub_tlv = c.ospf3.flags_sub_tlv = flags_sub_tlv;
	c.isis.flag_bit = c.ospf.flag_bit = c.ospf3.flag_bit = flag_bit;
	create(&c, NULL);
}

void
pnc_setup_endcon(uint16_t code, const struct fcn_pnc_limits *limits)
{
	struct confs c = defaults;

	c.isis.endcon_code = c.ospf.endcon_code = c.ospf3.endcon_code = code;
	create(&c, limits);
}

static uint8_t
nibble(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void
load(void)
{
	char name[32], hex[1100];
	FILE *file = fopen(PNC_MESSAGES, "r");

	assert_non_null(file);
	while (fscanf(file, "%31s %1099s", name, hex) == 2) {
		assert_true(n_frames < MAX_FRAMES);
		strcpy(frames[n_frames].name, name);
		frames[n_frames].len = strlen(hex) / 2;
		assert_true(frames[n_frames].len <= sizeof(frames[n_frames].data));
		for (size_t i = 0; i < frames[n_frames].len; i++)
			frames[n_frames].data[i] = (uint8_t)(nibble(hex[2 * i]) << 4 |
							     nibble(hex[2 * i + 1]));
		n_frames++;
	}
	fclose(file);
	assert_true(n_frames > 0);
}

unsigned int
pnc_n_frames(void)
{
	if (n_frames == 0)
		load();
	return n_frames;
}

const uint8_t *
pnc_frame_number(unsigned int n, size_t *len, const char **name)
{
	assert_true(n < pnc_n_frames());
	*len = frames[n].len;
	*name = frames[n].name;
	return frames[n].data;
}

const uint8_t *
pnc_frame_named(const char *name, size_t *len)
{
	for (unsigned int i = 0; i < pnc_n_frames(); i++) {
		if (strcmp(frames[i].name, name) != 0)
			continue;
		*len = frames[i].len;
		return frames[i].data;
	}
	fail_msg("there is no frame %s", name);
	return NULL;
}

enum fcn_pnc_frame
pnc_read_bytes(const void *frame, size_t len, uint64_t now)
{
	/* On the heap, so that a sanitizer finds what is read behind its end. */
	uint8_t *copy = malloc(len == 0 ? 1 : len);
	enum fcn_pnc_frame what;

	assert_non_null(copy);
	memcpy(copy, frame, len);
	what = fcn_pnc_frame_input(&bench.readers, 1, copy, len, now);
	free(copy);
	return what;
}

enum fcn_pnc_frame
pnc_read(const char *name, uint64_t now)
{
	size_t len;
	const uint8_t *frame = pnc_frame_named(name, &len);

	return pnc_read_bytes(frame, len, now);
}

void
pnc_read_built(const struct pnc_build *message, uint64_t now)
{
	uint8_t frame[1514];
	const int len = pnc_build(message, frame, sizeof(frame));

	assert_true(len > 0);
	assert_int_equal(pnc_read_bytes(frame, (size_t)len, now),
			(enum fcn_pnc_frame)message->protocol);
}

static const struct fcn_pnc_prefix *
known(const char *text)
{
	struct fcn_prefix prefix;

	assert_int_equal(fcn_prefix_parse(text, &prefix), 0);
	for (uint32_t i = 0; i < bench.told.n; i++)
		if (fcn_prefix_equal(&bench.told.known[i].prefix, &prefix) &&
				bench.told.known[i].kind == FCN_PNC_PROXY)
			return &bench.told.known[i];
	return NULL;
}

const struct fcn_pnc_prefix *
pnc_endcon(const char *sid)
{
	struct fcn_addr addr;

	assert_int_equal(fcn_addr_parse(sid, &addr), 0);
	for (uint32_t i = 0; i < bench.told.n; i++) {
		const struct fcn_pnc_prefix *p = &bench.told.known[i];

		if (p->kind != FCN_PNC_ENDCON || !fcn_addr_equal(&p->prefix.addr, &addr))
			continue;
		assert_int_equal(p->prefix.len, 128);
		assert_true(fcn_addr_equal(&p->proxy, &addr));
		return p;
	}
	return NULL;
}

const char *
pnc_proxy(const char *prefix)
{
	static char text[FCN_ADDR_STRLEN];
	const struct fcn_pnc_prefix *found = known(prefix);

	return found == NULL ? "" : fcn_addr_format(&found->proxy, text, sizeof(text));
}

uint64_t
pnc_left(const char *prefix, uint64_t now)
{
	const struct fcn_pnc_prefix *found = known(prefix);

	assert_non_null(found);
	return (found->expires_ns - now) / SECOND;
}

struct fcn_pnc_state
pnc_state(enum fcn_pnc_protocol protocol)
{
	struct fcn_pnc_state state = {0};

	if (protocol == FCN_PNC_ISIS)
		fcn_pnc_isis_state(bench.readers.isis, &state);
	else if (protocol == FCN_PNC_OSPF)
		fcn_pnc_ospf_state(bench.readers.ospf, &state);
	else
		fcn_pnc_ospf3_state(bench.readers.ospf3, &state);
	return state;
}

uint64_t
pnc_count(enum fcn_pnc_protocol protocol, enum fcn_pnc_counter counter)
{
	return pnc_state(protocol).count[counter];
}

struct pnc_build_prefix
pnc_prefix(const char *prefix)
{
	struct pnc_build_prefix made = {.is_proxied = true, .metric = 10};

	assert_int_equal(fcn_prefix_parse(prefix, &made.prefix), 0);
	return made;
}

struct pnc_build
pnc_message(enum fcn_pnc_protocol protocol, uint8_t n, uint32_t sequence)
{
	struct pnc_build m = {
			.protocol = protocol,
			.flags_sub_tlv = protocol == FCN_PNC_ISIS   ? 4
					 : protocol == FCN_PNC_OSPF ? 11
								    : 37,
			.flag_bit = protocol == FCN_PNC_ISIS ? 7 : 2,
			.seconds = protocol == FCN_PNC_ISIS ? 1200 : 1,
			.sequence = protocol == FCN_PNC_ISIS ? sequence : 0x80000000 + sequence,
			.level = 2,
			.system_id = {0x19, 0x20, 0, 0, 0, n},
			.router_id = {192, 0, 2, n},
			.mac = {2, 0, 0, 0, 0x0A, n},
	};

	fcn_addr_parse("192.0.2.0", &m.router_address[0]);
	m.router_address[0].bytes[3] = n;
	fcn_addr_parse("2001:db8:ffff::", &m.router_address[1]);
	m.router_address[1].bytes[15] = n;
	fcn_addr_parse(protocol == FCN_PNC_OSPF ? "198.51.100.1" : "fe80::1", &m.link_address);
	return m;
}
