/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Frames of IS-IS and OSPF with Proxy Node Capability. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "fcn_pnc_build.h"
#include "fcn_pnc_isis.h"
#include "fcn_pnc_ospf3.h"

#define MAX_FRAME 1514
#define MAX_AGE 3600 /* of an LSA, seconds: it is flushed */

static const struct fcn_addr any_link4 = {4, {192, 0, 2, 1}};
static const struct fcn_addr any_link6 = {6, {0xFE, 0x80, [15] = 1}};

static void
set_defaults(struct fcn_pnc_build *b, enum fcn_pnc_protocol protocol)
{
	const struct fcn_pnc_isis_conf isis = FCN_PNC_ISIS_DEFAULTS;
	const struct fcn_pnc_ospf_conf ospf = FCN_PNC_OSPF_DEFAULTS, ospf3 = FCN_PNC_OSPF3_DEFAULTS;

	*b = (struct fcn_pnc_build){.protocol = protocol,
			.flags_sub_tlv = isis.flags_sub_tlv,
			.flag_bit = isis.flag_bit,
			.seconds = protocol == FCN_PNC_ISIS ? 1200 : 1,
			.sequence = protocol == FCN_PNC_ISIS ? 1 : 0x80000001,
			.level = 2,
			.system_id = {0x02, 0, 0, 0, 0, 0x01},
			.router_id = {192, 0, 2, 1},
			.mac = {0x02, 0, 0, 0, 0, 0x01},
			.link_address = protocol == FCN_PNC_OSPF ? any_link4 : any_link6};
	if (protocol == FCN_PNC_OSPF) {
		b->flags_sub_tlv = (uint8_t)ospf.flags_sub_tlv;
		b->flag_bit = ospf.flag_bit;
	} else if (protocol == FCN_PNC_OSPF3) {
		b->flags_sub_tlv = (uint8_t)ospf3.flags_sub_tlv;
		b->flag_bit = ospf3.flag_bit;
	}
}

/* A system ID as 0200.0000.0001. */
static int
read_system(const struct fcn_args *args, uint8_t id[6])
{
	const char *text = fcn_args_str(args, "system");
	char digits[13];
	unsigned int n = 0;

	if (text == NULL)
		return 0;
	for (; *text != '\0' && n < 13; text++)
		if (*text != '.')
			digits[n++] = *text;
	if (n != 12 || *text != '\0' || strspn(digits, "0123456789abcdefABCDEF") < 12)
		return fcn_command_error(args, -EINVAL, "system", "expected 0200.0000.0001");
	for (unsigned int i = 0; i < 6; i++) {
		const char two[3] = {digits[2 * i], digits[2 * i + 1], '\0'};

		id[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return 0;
}

static int
read_key(const struct fcn_args *args, struct fcn_pnc_build *b, struct fcn_pnc_key *key)
{
	const char *algorithm = fcn_args_str(args, "algorithm");
	const char *secret = fcn_args_str(args, "secret");
	uint64_t id = fcn_args_u64(args, "id", 0);
	unsigned int i = 0;

	if (algorithm == NULL)
		return 0;
	while (i < FCN_PNC_AUTH_COUNT && strcmp(algorithm, fcn_pnc_algorithm_name(i)) != 0)
		i++;
	if (i == FCN_PNC_AUTH_COUNT)
		return fcn_command_error(args, -EINVAL, "algorithm",
				"expected password, md5, sha1, sha224, sha256, sha384 or sha512");
	if (strlen(secret) > FCN_PNC_MAX_SECRET)
		return fcn_command_error(
				args, -EINVAL, "secret", "at most %d octets", FCN_PNC_MAX_SECRET);
	if (id > UINT16_MAX)
		return fcn_command_error(args, -ERANGE, "id", "at most 65535");
	*key = (struct fcn_pnc_key){.algorithm = (uint8_t)i,
			.len = (uint8_t)strlen(secret),
			.id = (uint16_t)id};
	memcpy(key->secret, secret, key->len);
	b->key = key;
	return 0;
}

static int
read_numbers(const struct fcn_args *args, struct fcn_pnc_build *b)
{
	uint64_t sequence = b->sequence, level = b->level, seconds = b->seconds;

	if (encode_number(args, "sequence", UINT32_MAX, &sequence) != 0 ||
			encode_number(args, "level", 2, &level) != 0 ||
			encode_number(args, "seconds",
					b->protocol == FCN_PNC_ISIS ? UINT16_MAX : MAX_AGE,
					&seconds) != 0)
		return -ERANGE;
	if (level == 0)
		return fcn_command_error(args, -ERANGE, "level", "1 or 2");
	b->sequence = (uint32_t)sequence;
	b->level = (uint8_t)level;
	b->seconds = (uint16_t)seconds;
	return 0;
}

static void
read_addresses(const struct fcn_args *args, struct fcn_pnc_build *b)
{
	const struct fcn_addr *id = fcn_args_addr(args, "router-id");
	const struct fcn_addr *area = fcn_args_addr(args, "area");

	if (id != NULL)
		memcpy(b->router_id, id->bytes, 4);
	if (area != NULL)
		memcpy(b->area, area->bytes, 4);
}

int
encode_igp(struct fcn_session *session, const struct fcn_args *args)
{
	const enum fcn_pnc_protocol *protocol = fcn_args_data(args);
	struct fcn_pnc_build_prefix prefix = {.prefix = *fcn_args_prefix(args, "prefix"),
			.is_proxied = !fcn_args_has(args, "plain"),
			.is_node = fcn_args_has(args, "node"),
			.metric = 10};
	const struct fcn_addr *proxy = fcn_args_addr(args, "address");
	uint8_t frame[MAX_FRAME];
	struct fcn_pnc_build b;
	struct fcn_pnc_key key;
	int n;

	set_defaults(&b, *protocol);
	if (fcn_prefix_normalise(&prefix.prefix))
		return fcn_command_error(args, -EINVAL, "prefix", "the prefix has host bits");
	if (proxy != NULL)
		prefix.source = *proxy;
	b.n_prefixes = 1;
	b.prefix = &prefix;
	read_addresses(args, &b);
	if (read_numbers(args, &b) != 0)
		return -ERANGE;
	if (read_system(args, b.system_id) != 0 || read_key(args, &b, &key) != 0)
		return -EINVAL;
	n = fcn_pnc_build(&b, frame, sizeof(frame));
	if (n < 0)
		return fcn_command_error(args, n, "prefix",
				"the protocol has no such prefix or address, or the digest cannot "
				"be computed");
	encode_put_hex(session->out, frame, (size_t)n);
	return 0;
}
