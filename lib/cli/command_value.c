/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "command_private.h"

const struct fcn_value_type fcn_value_types[FCN_TOKEN_KINDS] = {
		[FCN_TOKEN_NUMBER] = {"number", "a number", "examples: 10, 0x1f",
				"a whole number, decimal or hexadecimal (`10`, `0x1f`)"},
		[FCN_TOKEN_CLASS] = {"class", "a class", "0..7, or all",
				"a traffic class, `0` to `7`, or `all`"},
		[FCN_TOKEN_RATE] = {"rate", "a rate", "examples: 10G, 2.5G, 100M",
				"bits per second; `K`, `M`, `G` and `T` are powers of 1000 (`10G`, "
				"`2.5G`, `100M`)"},
		[FCN_TOKEN_COUNT] = {"count", "a count", "examples: 1000, 250K, 1M",
				"a whole number; `K`, `M`, `G` and `T` are powers of 1000 (`1000`, "
				"`250K`, `1M`)"},
		[FCN_TOKEN_SIZE] = {"size", "a size", "examples: 9216, 200K, 64Ki, 1.5M",
				"bytes; `K`, `M`, `G` and `T` are powers of 1000, `Ki`, `Mi`, `Gi` "
				"and `Ti` of 1024 "
				"(`9216`, `200K`, `64Ki`, `1.5M`)"},
		[FCN_TOKEN_TIME] = {"time", "a time", "examples: 4us, 100ns, 5ms, 300s",
				"a whole number of nanoseconds, written with a unit: `ns`, `us`, "
				"`ms` or `s`; `0` needs none "
				"(`1.5us`, `300s`)"},
		[FCN_TOKEN_RATIO] = {"ratio", "a ratio", "examples: 0.2, 20%, 1/8, 2",
				"a number, a percentage or a fraction of two whole numbers, of at "
				"most nine decimals; of a fraction, what is beyond them is cut off "
				"(`0.2`, `20%`, `1/8`, `2`)"},
		[FCN_TOKEN_ADDR] = {"addr", "an IP address", "examples: 10.0.0.1, 2001:db8::1",
				"an IPv4 or IPv6 address"},
		[FCN_TOKEN_ADDR6] = {"addr6", "an IPv6 address", "example: 2001:db8::1",
				"an IPv6 address"},
		[FCN_TOKEN_ADDR4] = {"addr4", "an IPv4 address", "example: 10.0.0.1",
				"an IPv4 address"},
		[FCN_TOKEN_PREFIX] = {"prefix", "an IP prefix",
				"examples: 10.0.0.0/8, 2001:db8::/32",
				"an IPv4 or IPv6 prefix; an address alone is a prefix of full "
				"length "
				"(`10.0.0.0/8`, `2001:db8::/32`)"},
		[FCN_TOKEN_MAC] = {"mac", "a MAC address", "example: 02:00:00:00:00:01",
				"a MAC address (`02:00:00:00:00:01`)"},
		[FCN_TOKEN_VLANS] = {"vlans", "a list of VLANs", "1..4094, example: 10,20-30",
				"VLAN identifiers (1 to 4094) and ranges of them, separated by "
				"commas (`10,20-30`)"},
		[FCN_TOKEN_NAME] = {"name", "a name", "letters, digits and ._:-/",
				"letters, digits and any of `._:-/`"},
		[FCN_TOKEN_NAMES] = {"names", "a list of names", "examples: h1, h1,h2, h[1-16]",
				"names separated by commas; `[1-3,5]` in a name stands for each of "
				"these numbers (`h1,h2`, `h[1-16]`, `leaf[1-2]`)"},
		[FCN_TOKEN_TEXT] = {"text", "a text", "the rest of the line",
				"the rest of the line, without the blanks around it"},
};

const char *
fcn_quote(char buf[FCN_QUOTE_SIZE], const char *text, size_t len)
{
	if (len < FCN_QUOTE_SIZE) {
		memcpy(buf, text, len);
		buf[len] = '\0';
		return buf;
	}
	len = FCN_QUOTE_SIZE - 4;
	while (len > 0 && (text[len] & 0xc0) == 0x80) /* Do not split a UTF-8 character. */
		len--;
	memcpy(buf, text, len);
	memcpy(buf + len, "...", 4);
	return buf;
}

struct reader {
	enum fcn_token_kind kind;
	const char *text;
	size_t len;
	char *why;
	size_t why_size;
};

/* Write a message: the text of the value between two others. */
static int
bad(const struct reader *r, const char *before, const char *after)
{
	char quote[FCN_QUOTE_SIZE];

	if (r->why != NULL)
		snprintf(r->why, r->why_size, "%s%s%s", fcn_quote(quote, r->text, r->len), before,
				after);
	return -EINVAL;
}

static int
not_a(const struct reader *r)
{
	char after[128];

	snprintf(after, sizeof(after), "%s (%s)", fcn_value_types[r->kind].what,
			fcn_value_types[r->kind].hint);
	return bad(r, " is not ", after);
}

static int
too_large(const struct reader *r)
{
	return bad(r, " is too large for ", fcn_value_types[r->kind].what);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int
hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int
parse_number(const struct reader *r, uint64_t *value)
{
	size_t i = 0;
	unsigned int base = 10;

	if (r->len > 1 && r->text[0] == '-' && is_digit(r->text[1]))
		return bad(r, " is negative", "");
	if (r->len > 2 && r->text[0] == '0' && (r->text[1] == 'x' || r->text[1] == 'X')) {
		base = 16;
		i = 2;
	}
	*value = 0;
	for (; i < r->len; i++) {
		int digit = hex_digit(r->text[i]);

		if (digit < 0 || (unsigned int)digit >= base)
			return not_a(r);
		if (__builtin_mul_overflow(*value, base, value) ||
				__builtin_add_overflow(*value, (uint64_t)digit, value))
			return too_large(r);
	}
	return 0;
}

struct scale {
	const char *suffix;
	uint64_t factor;
};

static const struct scale si_scales[] = {
		{"", 1},
		{"K", 1000},
		{"k", 1000},
		{"M", 1000000},
		{"G", 1000000000},
		{"T", 1000000000000},
		{NULL, 0},
};

static const struct scale size_scales[] = {
		{"", 1},
		{"K", 1000},
		{"k", 1000},
		{"M", 1000000},
		{"G", 1000000000},
		{"T", 1000000000000},
		{"Ki", UINT64_C(1) << 10},
		{"Mi", UINT64_C(1) << 20},
		{"Gi", UINT64_C(1) << 30},
		{"Ti", UINT64_C(1) << 40},
		{NULL, 0},
};

static const struct scale time_scales[] = {
		{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};

/* Ratios are in billionths. */
static const struct scale ratio_scales[] = {{"", 1000000000}, {"%", 10000000}, {NULL, 0}};

/*
 * Multiply the decimal fraction 0.digits by a factor, exactly, from the last digit
 * to the first. The product is a whole number only if no step has a remainder.
 *
 * @return 0; -EINVAL: it is not a whole number
 */
static int
scale_fraction(const char *digits, size_t n, uint64_t factor, uint64_t *value)
{
	*value = 0;
	while (n-- > 0) {
		*value += (uint64_t)(digits[n] - '0') * factor;
		if (*value % 10 != 0)
			return -EINVAL;
		*value /= 10;
	}
	return 0;
}

static int
parse_scaled(const struct reader *r, const struct scale *scale, const char *unit, uint64_t *value)
{
	const char *text = r->text;
	const char *fraction = text;
	size_t whole, fraction_len = 0, end, i;
	uint64_t part;

	if (r->len > 1 && text[0] == '-' && is_digit(text[1]))
		return bad(r, " is negative", "");
	for (whole = 0; whole < r->len && is_digit(text[whole]); whole++)
		;
	end = whole;
	if (end < r->len && text[end] == '.') {
		fraction = text + ++end;
		while (end < r->len && is_digit(text[end]))
			end++;
		fraction_len = (size_t)(text + end - fraction);
		if (fraction_len == 0)
			return not_a(r);
	}
	while (scale->suffix != NULL &&
			(strlen(scale->suffix) != r->len - end ||
					memcmp(scale->suffix, text + end, r->len - end) != 0))
		scale++;
	if (whole == 0 || (scale->suffix == NULL && end < r->len))
		return not_a(r);
	if (scale->suffix == NULL) { /* The type needs a unit, unless the value is 0. */
		for (i = 0; i < end; i++)
			if (text[i] != '0' && text[i] != '.')
				return bad(r, " has no unit", " (examples: 4us, 100ns, 5ms, 300s)");
		*value = 0;
		return 0;
	}

	*value = 0;
	for (i = 0; i < whole; i++)
		if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
				__builtin_add_overflow(*value, (uint64_t)(text[i] - '0'), value))
			return too_large(r);
	if (scale_fraction(fraction, fraction_len, scale->factor, &part) < 0)
		return bad(r, " is not a whole number", unit);
	if (__builtin_mul_overflow(*value, scale->factor, value) ||
			__builtin_add_overflow(*value, part, value))
		return too_large(r);
	return 0;
}

/* Parse a ratio a/b, and round it down to billionths. */
static int
parse_fraction(const struct reader *r, size_t slash, uint64_t *value)
{
	struct reader above = *r, below = *r;
	uint64_t numerator, denominator;
	unsigned __int128 v;

	above.len = slash;
	below.text += slash + 1;
	below.len -= slash + 1;
	for (size_t i = 0; i < r->len; i++)
		if (i != slash && !is_digit(r->text[i]))
			return not_a(r);
	if (above.len == 0 || below.len == 0)
		return not_a(r);
	if (parse_number(&above, &numerator) < 0 || parse_number(&below, &denominator) < 0)
		return too_large(r);
	if (denominator == 0)
		return bad(r, " divides by zero", "");
	v = (unsigned __int128)numerator * ratio_scales[0].factor / denominator;
	if (v > UINT64_MAX)
		return too_large(r);
	*value = (uint64_t)v;
	return 0;
}

static int
parse_ratio(const struct reader *r, uint64_t *value)
{
	const char *slash = memchr(r->text, '/', r->len);

	if (slash != NULL)
		return parse_fraction(r, (size_t)(slash - r->text), value);
	return parse_scaled(r, ratio_scales, " of billionths", value);
}

static int
parse_class(const struct reader *r, uint64_t *value)
{
	if (r->len == 3 && memcmp(r->text, "all", 3) == 0) {
		*value = FCN_ARG_CLASS_ALL;
		return 0;
	}
	if (r->len != 1 || r->text[0] < '0' || r->text[0] > '7')
		return not_a(r);
	*value = (uint64_t)(r->text[0] - '0');
	return 0;
}

/* Copy a word with a terminator. @return 0; -EINVAL after not_a(): it is too long */
static int
copy_word(const struct reader *r, char *text, size_t size)
{
	if (r->len >= size)
		return not_a(r);
	memcpy(text, r->text, r->len);
	text[r->len] = '\0';
	return 0;
}

static int
parse_addr(const struct reader *r, struct fcn_addr *addr)
{
	char text[FCN_ADDR_STRLEN];
	int rc = copy_word(r, text, sizeof(text));

	if (rc != 0)
		return rc;
	if (fcn_addr_parse(text, addr) < 0)
		return not_a(r);
	if ((r->kind == FCN_TOKEN_ADDR6 && addr->version != 6) ||
			(r->kind == FCN_TOKEN_ADDR4 && addr->version != 4))
		return not_a(r);
	return 0;
}

static int
parse_prefix(const struct reader *r, struct fcn_prefix *prefix)
{
	char text[FCN_PREFIX_STRLEN];
	int rc = copy_word(r, text, sizeof(text));

	if (rc != 0)
		return rc;
	return fcn_prefix_parse(text, prefix) < 0 ? not_a(r) : 0;
}

static int
parse_mac(const struct reader *r, struct rte_ether_addr *mac)
{
	unsigned int i;

	if (r->len != 3 * RTE_ETHER_ADDR_LEN - 1)
		return not_a(r);
	for (i = 0; i < RTE_ETHER_ADDR_LEN; i++) {
		int high = hex_digit(r->text[3 * i]);
		int low = hex_digit(r->text[3 * i + 1]);

		if (high < 0 || low < 0 || (i > 0 && r->text[3 * i - 1] != ':'))
			return not_a(r);
		mac->addr_bytes[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

/* Parse a VLAN ID at *i, and advance *i behind it. */
static int
parse_vlan(const struct reader *r, size_t *i, unsigned int *vlan)
{
	size_t start = *i;

	*vlan = 0;
	for (; *i < r->len && is_digit(r->text[*i]); (*i)++) {
		*vlan = *vlan * 10 + (unsigned int)(r->text[*i] - '0');
		if (*vlan > 4094)
			return not_a(r);
	}
	return *i == start || *vlan == 0 ? not_a(r) : 0;
}

static int
parse_vlans(const struct reader *r, uint64_t vlans[64])
{
	unsigned int first, last;
	size_t i = 0;

	memset(vlans, 0, 64 * sizeof(vlans[0]));
	for (;;) {
		if (parse_vlan(r, &i, &first) < 0)
			return -EINVAL;
		last = first;
		if (i < r->len && r->text[i] == '-') {
			i++;
			if (parse_vlan(r, &i, &last) < 0)
				return -EINVAL;
			if (last < first)
				return bad(r, " has a range that ends before it begins", "");
		}
		for (; first <= last; first++)
			vlans[first / 64] |= UINT64_C(1) << (first % 64);
		if (i == r->len)
			return 0;
		if (r->text[i++] != ',')
			return not_a(r);
	}
}

/* Check the characters of a name or a list of names. Lists are not expanded here. */
static bool
is_name(const struct reader *r, const char *others)
{
	for (size_t i = 0; i < r->len; i++)
		if (!is_alnum(r->text[i]) && strchr(others, r->text[i]) == NULL)
			return false;
	return true;
}

static int
parse_str(const struct reader *r, char str[FCN_COMMAND_MAX_TEXT])
{
	if ((r->kind == FCN_TOKEN_NAME && !is_name(r, "._:-/")) ||
			(r->kind == FCN_TOKEN_NAMES && !is_name(r, "._:-/,[]")))
		return not_a(r);
	if (r->len >= FCN_COMMAND_MAX_TEXT)
		return bad(r, " is too long", "");
	memcpy(str, r->text, r->len);
	str[r->len] = '\0';
	return 0;
}

int
fcn_value_parse(enum fcn_token_kind kind, const char *text, size_t len, union fcn_value *value,
		char *why, size_t why_size)
{
	const struct reader r = {kind, text, len, why, why_size};

	if (len == 0)
		return not_a(&r);
	switch (kind) {
	case FCN_TOKEN_NUMBER:
		return parse_number(&r, &value->u64);
	case FCN_TOKEN_CLASS:
		return parse_class(&r, &value->u64);
	case FCN_TOKEN_RATE:
		return parse_scaled(&r, si_scales, " of bits/s", &value->u64);
	case FCN_TOKEN_COUNT:
		return parse_scaled(&r, si_scales, "", &value->u64);
	case FCN_TOKEN_SIZE:
		return parse_scaled(&r, size_scales, " of bytes", &value->u64);
	case FCN_TOKEN_TIME:
		return parse_scaled(&r, time_scales, " of nanoseconds", &value->u64);
	case FCN_TOKEN_RATIO:
		return parse_ratio(&r, &value->u64);
	case FCN_TOKEN_ADDR:
	case FCN_TOKEN_ADDR6:
	case FCN_TOKEN_ADDR4:
		return parse_addr(&r, &value->addr);
	case FCN_TOKEN_PREFIX:
		return parse_prefix(&r, &value->prefix);
	case FCN_TOKEN_MAC:
		return parse_mac(&r, &value->mac);
	case FCN_TOKEN_VLANS:
		return parse_vlans(&r, value->vlans);
	case FCN_TOKEN_NAME:
	case FCN_TOKEN_NAMES:
	case FCN_TOKEN_TEXT:
		return parse_str(&r, value->str);
	default:
		return -EINVAL;
	}
}
