/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "bmp_messages.h"

#define PNC "ffdc 0000"

static unsigned int
digit(char c)
{
	return c <= '9' ? (unsigned int)(c - '0') : (unsigned int)(c - 'a' + 10);
}

void
bytes_hex(struct bytes *b, const char *hex)
{
	for (; *hex != '\0'; hex += *hex == ' ' ? 1 : 2)
		if (*hex != ' ')
			bytes_number(b, 1, digit(hex[0]) << 4 | digit(hex[1]));
}

void
bytes_number(struct bytes *b, unsigned int width, uint64_t value)
{
	assert_true(b->len + width <= sizeof(b->data));
	while (width-- > 0)
		b->data[b->len++] = (uint8_t)(value >> 8 * width);
}

void
bytes_add(struct bytes *b, const struct bytes *more)
{
	assert_true(b->len + more->len <= sizeof(b->data));
	memcpy(b->data + b->len, more->data, more->len);
	b->len += more->len;
}

void
bytes_attribute(struct bytes *b, unsigned int flags, unsigned int type, const char *hex)
{
	size_t at;

	bytes_number(b, 1, flags);
	bytes_number(b, 1, type);
	at = b->len;
	bytes_number(b, (flags & 0x10) != 0 ? 2 : 1, 0);
	bytes_hex(b, hex);
	if ((flags & 0x10) != 0) {
		b->data[at] = (uint8_t)((b->len - at - 2) >> 8);
		b->data[at + 1] = (uint8_t)(b->len - at - 2);
	} else {
		b->data[at] = (uint8_t)(b->len - at - 1);
	}
}

static void
begin_bgp(struct bytes *b, unsigned int type)
{
	b->len = 0;
	bytes_hex(b, "ffffffff ffffffff ffffffff ffffffff 0000");
	bytes_number(b, 1, type);
}

static void
end_bgp(struct bytes *b)
{
	b->data[16] = (uint8_t)(b->len >> 8);
	b->data[17] = (uint8_t)b->len;
}

void
make_update(struct bytes *b, const char *withdrawn, const struct bytes *attributes,
		const char *reached)
{
	size_t at;

	begin_bgp(b, 2);
	at = b->len;
	bytes_number(b, 2, 0);
	bytes_hex(b, withdrawn);
	b->data[at] = (uint8_t)((b->len - at - 2) >> 8);
	b->data[at + 1] = (uint8_t)(b->len - at - 2);
	bytes_number(b, 2, attributes != NULL ? attributes->len : 0);
	if (attributes != NULL)
		bytes_add(b, attributes);
	bytes_hex(b, reached);
	end_bgp(b);
}

void
make_open(struct bytes *b, const char *capabilities)
{
	size_t at;

	begin_bgp(b, 1);
	bytes_hex(b, "04 fde8 00b4 c0000201 00 02 00");
	at = b->len;
	bytes_hex(b, capabilities);
	b->data[at - 1] = (uint8_t)(b->len - at);
	b->data[at - 3] = (uint8_t)(b->len - at + 2);
	end_bgp(b);
}

void
put_message(struct bytes *b, unsigned int type, const struct bytes *body)
{
	bytes_number(b, 1, 3);
	bytes_number(b, 4, 6 + body->len);
	bytes_number(b, 1, type);
	bytes_add(b, body);
}

static void
per_peer_header(struct bytes *b, unsigned int peer, unsigned int flags)
{
	bytes_number(b, 1, flags >> 8 & 0xFF);
	bytes_number(b, 1, flags & 0xFF);
	bytes_number(b, 8, flags >> 16);
	bytes_hex(b, "00000000 00000000 00000000");
	bytes_number(b, 4, peer != 0 ? 0xC0000200 + peer : 0);
	bytes_number(b, 4, 65000 + peer);
	bytes_number(b, 4, 0xC0000200 + peer);
	bytes_number(b, 8, 0);
}

void
put_initiation(struct bytes *b, const char *name)
{
	struct bytes *body = calloc(1, sizeof(*body));

	bytes_hex(body, "0001 0004 74657374 0002");
	bytes_number(body, 2, strlen(name));
	for (; *name != '\0'; name++)
		bytes_number(body, 1, (uint8_t)*name);
	put_message(b, 4, body);
	free(body);
}

void
put_peer_up(struct bytes *b, unsigned int peer, const char *capabilities_sent,
		const char *capabilities_received)
{
	put_table_up(b, 0, peer, capabilities_sent, capabilities_received);
}

void
put_table_up(struct bytes *b, unsigned int flags, unsigned int peer, const char *capabilities_sent,
		const char *capabilities_received)
{
	struct bytes *body = calloc(2, sizeof(*body));

	per_peer_header(body, peer, flags);
	bytes_hex(body, "00000000 00000000 00000000 c00002fe 00b3 00b3");
	make_open(body + 1, capabilities_sent);
	bytes_add(body, body + 1);
	make_open(body + 1, capabilities_received);
	bytes_add(body, body + 1);
	put_message(b, 3, body);
	free(body);
}

void
put_peer_down(struct bytes *b, unsigned int peer)
{
	put_table_down(b, 0, peer);
}

void
put_table_down(struct bytes *b, unsigned int flags, unsigned int peer)
{
	struct bytes *body = calloc(1, sizeof(*body));

	per_peer_header(body, peer, flags);
	bytes_number(body, 1, 4);
	put_message(b, 2, body);
	free(body);
}

void
put_route(struct bytes *b, unsigned int peer, unsigned int flags, const struct bytes *update)
{
	struct bytes *body = calloc(1, sizeof(*body));

	per_peer_header(body, peer, flags);
	bytes_add(body, update);
	put_message(b, 0, body);
	free(body);
}

void
route6_attributes(struct bytes *b, unsigned int next_hop, const char *prefixes, bool has_pnc)
{
	char text[4096];

	b->len = 0;
	bytes_attribute(b, 0x40, 1, "00");
	bytes_attribute(b, 0x40, 2, "02 01 0000fde8");
	bytes_attribute(b, 0x40, 5, "00000064");
	snprintf(text, sizeof(text), "0002 01 10 20010db8 00ff0000 00000000 000000%02x 00 %s",
			next_hop, prefixes);
	bytes_attribute(b, 0x90, 14, text);
	snprintf(text, sizeof(text), "0002 01 10 20010db8 00ff0000 00000000 000000%02x " PNC,
			next_hop);
	if (has_pnc)
		bytes_attribute(b, 0xc0, 39, text);
}

void
route4_attributes(struct bytes *b, unsigned int next_hop, bool has_pnc)
{
	char text[64];

	b->len = 0;
	bytes_attribute(b, 0x40, 1, "00");
	bytes_attribute(b, 0x40, 2, "");
	snprintf(text, sizeof(text), "c00002%02x", next_hop);
	bytes_attribute(b, 0x40, 3, text);
	snprintf(text, sizeof(text), "0001 01 04 c00002%02x " PNC, next_hop);
	if (has_pnc)
		bytes_attribute(b, 0xe0, 39, text);
}

/* ---- the sink ---- */

static struct fcn_pnc_prefix *
find(const struct memory *m, const struct fcn_prefix *prefix)
{
	for (unsigned int i = 0; i < m->n; i++)
		if (fcn_prefix_equal(&m->rows[i].prefix, prefix))
			return (struct fcn_pnc_prefix *)(uintptr_t)&m->rows[i];
	return NULL;
}

static void
memory_add(void *arg, const struct fcn_pnc_prefix *prefix)
{
	struct memory *m = arg;
	struct fcn_pnc_prefix *row = find(m, &prefix->prefix);

	m->adds++;
	if (row == NULL) {
		assert_true(m->n < MEMORY_ROWS);
		row = &m->rows[m->n++];
	}
	*row = *prefix;
}

/* What is removed has to be what was added last. */
static void
memory_remove(void *arg, const struct fcn_pnc_prefix *prefix)
{
	struct memory *m = arg;
	struct fcn_pnc_prefix *row = find(m, &prefix->prefix);

	m->removes++;
	assert_non_null(row);
	assert_true(fcn_addr_equal(&row->proxy, &prefix->proxy));
	*row = m->rows[--m->n];
}

struct fcn_pnc_sink
memory_sink(struct memory *m)
{
	return (struct fcn_pnc_sink){.add = memory_add, .remove = memory_remove, .arg = m};
}

static const struct fcn_pnc_prefix *
find_text(const struct memory *m, const char *text)
{
	struct fcn_prefix prefix;

	assert_int_equal(fcn_prefix_parse(text, &prefix), 0);
	return find(m, &prefix);
}

const char *
memory_proxy(const struct memory *m, const char *prefix)
{
	const struct fcn_pnc_prefix *row = find_text(m, prefix);
	static char text[FCN_ADDR_STRLEN];

	if (row == NULL)
		return "-";
	assert_int_equal(row->protocol, FCN_PNC_BGP);
	return fcn_addr_format(&row->proxy, text, sizeof(text));
}

uint64_t
memory_expires(const struct memory *m, const char *prefix)
{
	const struct fcn_pnc_prefix *row = find_text(m, prefix);

	return row != NULL ? row->expires_ns : 0;
}
