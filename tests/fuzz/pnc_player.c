/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "pnc_player.h"

#define MAX_KNOWN 128
#define SECOND UINT64_C(1000000000)

#define CHECK(what)              \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

static struct fcn_pnc_prefix known[MAX_KNOWN];
static unsigned int n_known;

static unsigned int
find(const struct fcn_pnc_prefix *p)
{
	for (unsigned int i = 0; i < n_known; i++)
		if (known[i].protocol == p->protocol && known[i].kind == p->kind &&
				fcn_prefix_equal(&known[i].prefix, &p->prefix))
			return i;
	return n_known;
}

static void
add(void *arg, const struct fcn_pnc_prefix *p)
{
	struct fcn_prefix normal = p->prefix;
	const unsigned int i = find(p);

	(void)arg;
	CHECK(!fcn_prefix_normalise(&normal));
	CHECK(fcn_addr_why_no_host(&p->proxy) == NULL);
	if (p->kind == FCN_PNC_ENDCON)
		CHECK(p->prefix.len == 128 && fcn_addr_equal(&p->prefix.addr, &p->proxy));
	CHECK(i < MAX_KNOWN);
	if (i == n_known)
		n_known++;
	known[i] = *p;
}

static void
take_out(void *arg, const struct fcn_pnc_prefix *p)
{
	const unsigned int i = find(p);

	(void)arg;
	CHECK(i < n_known);
	CHECK(fcn_addr_equal(&known[i].proxy, &p->proxy));
	known[i] = known[--n_known];
}

static void
create(struct fcn_pnc_readers *r, uint8_t how)
{
	static const struct fcn_pnc_sink sink = {.add = add, .remove = take_out};
	const struct fcn_pnc_limits limits = {.items = 5 + how % 4,
			.originators = 2 + how % 3,
			.prefixes = 12 + how % 8,
			.originator_items = 3,
			.originator_prefixes = 10};
	struct fcn_pnc_isis_conf isis = FCN_PNC_ISIS_DEFAULTS;
	struct fcn_pnc_ospf_conf ospf = FCN_PNC_OSPF_DEFAULTS;
	struct fcn_pnc_ospf_conf ospf3 = FCN_PNC_OSPF3_DEFAULTS;
	const char *error;

	isis.limits = ospf.limits = ospf3.limits = limits;
	isis.endcon_code = ospf3.endcon_code = (how & 0x80) != 0 ? 0 : 0x8000;
	ospf.router_id_is_address = ospf3.router_id_is_address = (how & 0x20) != 0;
	if (how & 0x40) {
		struct fcn_pnc_key *key = isis.auth.key;

		key[0] = (struct fcn_pnc_key){FCN_PNC_AUTH_PASSWORD, 4, 0, "pass"};
		key[1] = (struct fcn_pnc_key){FCN_PNC_AUTH_MD5, 4, 1, "pass"};
		key[2] = (struct fcn_pnc_key){FCN_PNC_AUTH_SHA1, 4, 2, "pass"};
		isis.auth.n = fcn_pnc_algorithm_is_built(FCN_PNC_AUTH_MD5) ? 3 : 1;
		ospf.auth = isis.auth;
		if (isis.auth.n == 3) {
			ospf3.auth.n = 1;
			ospf3.auth.key[0] = key[2];
		}
	}
	CHECK(fcn_pnc_isis_create(&isis, &sink, &r->isis, &error) == 0);
	CHECK(fcn_pnc_ospf_create(&ospf, &sink, &r->ospf, &error) == 0);
	CHECK(fcn_pnc_ospf3_create(&ospf3, &sink, &r->ospf3, &error) == 0);
}

void
pnc_play(const uint8_t *data, size_t size,
		void (*repair)(uint8_t *message, size_t len, uint8_t what),
		void (*read)(struct fcn_pnc_readers *readers, const uint8_t *message, size_t len,
				uint8_t what, uint64_t now))
{
	struct fcn_pnc_readers readers = {0};
	struct fcn_pnc_state state[3];
	uint64_t now = SECOND;

	if (size == 0)
		return;
	n_known = 0;
	create(&readers, data[0]);
	for (data++, size--; size >= 3;) {
		const uint8_t what = data[0];
		size_t len = (size_t)data[1] << 8 | data[2];
		uint8_t *message;

		data += 3;
		size -= 3;
		len = len > size ? size : len;
		len = len > PLAYER_MAX_MESSAGE ? PLAYER_MAX_MESSAGE : len;
		message = malloc(len == 0 ? 1 : len);
		CHECK(message != NULL);
		memcpy(message, data, len);
		data += len;
		size -= len;
		if (!(what & PLAYER_AS_IT_IS))
			repair(message, len, what);
		now += (what & PLAYER_WAIT) / 16 * 100 * SECOND;
		CHECK(fcn_pnc_frame_tick(&readers, now) > now);
		read(&readers, message, len, what, now);
		free(message);
		fcn_pnc_isis_state(readers.isis, &state[0]);
		fcn_pnc_ospf_state(readers.ospf, &state[1]);
		fcn_pnc_ospf3_state(readers.ospf3, &state[2]);
		CHECK(n_known == state[0].prefixes + state[1].prefixes + state[2].prefixes +
						 state[0].endcons + state[2].endcons);
		for (unsigned int i = 0; i < n_known; i++)
			CHECK(known[i].expires_ns >= now);
	}
	/* In the end all lifetimes are over. */
	CHECK(fcn_pnc_frame_tick(&readers, UINT64_MAX - 1) == UINT64_MAX);
	CHECK(n_known == 0);
	fcn_pnc_isis_destroy(readers.isis);
	fcn_pnc_ospf_destroy(readers.ospf);
	fcn_pnc_ospf3_destroy(readers.ospf3);
}
