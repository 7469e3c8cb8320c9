/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A switch begins with what a text says. The lines are gone through twice: the first time, they are
 * only checked.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_notice_kind.h"
#include "fcn_stages.h"
#include "state_private.h"

#define LINE 256 /* longest line with its end */
#define WORDS 6  /* of the line with most of them */
#define MACS_A_CALL 64

/* Largest number in a line: seconds of a lifetime. */
#define SECONDS_MAX 1000000000

enum outcome {
	BAD,
	TAKEN,
	EXPIRED,
	SKIPPED
};

/* MAC addresses that the workers learn in one call. */
struct macs {
	unsigned int n;
	struct fcn_mac_entry entry[MACS_A_CALL]; /* seen_ns holds the age */
};

struct reader {
	struct fcn_control *ctl;
	bool apply;
	uint64_t age_ns, now;
	struct macs macs;
};

/* ---- words ---- */

/* Read a decimal number. @return whether it is one, and not above the maximum */
static bool
read_number(const char *text, uint64_t most, uint64_t *number)
{
	*number = 0;
	if (*text == '\0' || strlen(text) > 20)
		return false;
	for (; *text != '\0'; text++) {
		const unsigned int digit = (unsigned char)*text - '0';

		if (digit > 9 || *number > (UINT64_MAX - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return *number <= most;
}

/* The seconds that are left of a lifetime now; 0: it has ended. */
static uint64_t
seconds_left(const struct reader *r, uint64_t seconds)
{
	const uint64_t age = (r->age_ns + STATE_SECOND - 1) / STATE_SECOND;

	return seconds > age ? seconds - age : 0;
}

static enum outcome
taken(bool is)
{
	return is ? TAKEN : SKIPPED;
}

/* ---- lines: each of these reads the words of one kind ---- */

static enum outcome
read_address(struct reader *r, char *const *word)
{
	const int port = fcn_config_port_find(r->ctl->config, word[1]);
	struct fcn_addr addr;

	if (fcn_addr_parse(word[2], &addr) != 0)
		return BAD;
	if (r->age_ns > FCN_STATE_KNOWN_NS)
		return EXPIRED;
	if (port < 0 || !r->apply)
		return SKIPPED;
	return taken(fcn_host_restore_address(r->ctl->host, (uint16_t)port, &addr, r->now));
}

static enum outcome
read_neighbour(struct reader *r, char *const *word)
{
	const int port = fcn_config_port_find(r->ctl->config, word[1]);
	struct rte_ether_addr mac;
	struct fcn_addr addr;

	if (fcn_addr_parse(word[2], &addr) != 0 || rte_ether_unformat_addr(word[3], &mac) != 0)
		return BAD;
	if (r->age_ns > FCN_STATE_KNOWN_NS)
		return EXPIRED;
	if (port < 0 || !r->apply)
		return SKIPPED;
	return taken(fcn_host_restore_neighbour(r->ctl->host, (uint16_t)port, &addr, &mac, r->now));
}

static enum outcome
read_sender(struct reader *r, char *const *word)
{
	struct fcn_host_refusal refusal = {.kind = 0};
	struct fcn_addr addr;
	uint64_t seconds;

	if (fcn_addr_parse(word[2], &addr) != 0 || !read_number(word[3], SECONDS_MAX, &seconds))
		return BAD;
	while (refusal.kind < fcn_notice_kind_count &&
			strcmp(fcn_notice_kind_of(refusal.kind)->name, word[1]) != 0)
		refusal.kind++;
	seconds = seconds_left(r, seconds);
	if (seconds == 0)
		return EXPIRED;
	if (refusal.kind == fcn_notice_kind_count || !r->apply)
		return SKIPPED;
	fcn_control_put_address(refusal.sender, &addr);
	return taken(fcn_host_restore_sender(
			r->ctl->host, &refusal, seconds * STATE_SECOND, r->now));
}

/* @return whether it is a protocol that disseminates things of this kind */
static bool
read_protocol(const char *name, enum fcn_learned_kind kind, uint8_t *protocol)
{
	for (unsigned int p = 0; p < FCN_PROXY_ORIGIN_COUNT; p++) {
		if (!fcn_learned_has_protocol(kind, p) ||
				strcmp(fcn_proxy_origin_name(p), name) != 0)
			continue;
		*protocol = (uint8_t)p;
		return true;
	}
	return false;
}

static enum outcome
learn(struct reader *r, enum fcn_learned_kind kind, const struct fcn_proxy_prefix *item,
		uint64_t seconds)
{
	seconds = seconds_left(r, seconds);
	if (seconds == 0)
		return EXPIRED;
	if (!r->apply)
		return SKIPPED;
	return taken(fcn_learned_add(r->ctl, kind, item,
				     RTE_MIN(seconds, (uint64_t)FCN_LEARNED_MAX_LIFETIME)) == 0);
}

static enum outcome
read_proxy(struct reader *r, char *const *word)
{
	struct fcn_proxy_prefix item = {.origin = 0};
	uint64_t seconds;

	if (!read_protocol(word[1], FCN_LEARNED_PROXY, &item.origin) ||
			fcn_prefix_parse(word[2], &item.prefix) != 0 ||
			fcn_addr_parse(word[3], &item.proxy) != 0 ||
			!read_number(word[4], SECONDS_MAX, &seconds))
		return BAD;
	return learn(r, FCN_LEARNED_PROXY, &item, seconds);
}

static enum outcome
read_endcon(struct reader *r, char *const *word)
{
	struct fcn_proxy_prefix item = {.prefix.len = 128};
	uint64_t seconds;

	if (!read_protocol(word[1], FCN_LEARNED_ENDCON, &item.origin) ||
			fcn_addr_parse(word[2], &item.prefix.addr) != 0 ||
			item.prefix.addr.version != 6 ||
			!read_number(word[3], SECONDS_MAX, &seconds))
		return BAD;
	return learn(r, FCN_LEARNED_ENDCON, &item, seconds);
}

static void
restore_macs(struct fcn_worker *w, void *arg)
{
	const struct macs *m = arg;

	for (unsigned int i = 0; i < m->n; i++)
		fcn_bridge_restore(w, &m->entry[i]);
}

static void
give_macs(struct reader *r)
{
	if (r->macs.n != 0)
		fcn_control_call(r->ctl, restore_macs, &r->macs, sizeof(r->macs));
	r->macs.n = 0;
}

static enum outcome
read_mac(struct reader *r, char *const *word)
{
	const struct fcn_config *cfg = r->ctl->config;
	const int bridge = fcn_config_bridge_find(cfg, word[1]);
	const int port = fcn_config_port_find(cfg, word[4]);
	struct fcn_mac_entry e = {.port = (uint16_t)port, .key.bridge = (uint16_t)bridge};
	uint64_t vlan, age;

	if (!read_number(word[2], 4095, &vlan) ||
			rte_ether_unformat_addr(word[3], &e.key.mac) != 0 ||
			!fcn_mac_is_station(&e.key.mac) || !read_number(word[5], SECONDS_MAX, &age))
		return BAD;
	if (bridge < 0 || port < 0 || cfg->port[port].bridge != bridge || cfg->port[port].vlan != 0)
		return SKIPPED;
	e.key.vlan = (uint16_t)vlan;
	e.seen_ns = age * STATE_SECOND + r->age_ns;
	if (e.seen_ns >= cfg->bridge[bridge].ageing_ns)
		return EXPIRED;
	if (!r->apply)
		return SKIPPED;
	r->macs.entry[r->macs.n++] = e;
	if (r->macs.n == MACS_A_CALL)
		give_macs(r);
	return TAKEN;
}

/* ---- the text ---- */

/* Take a line, and cut it into words. @return the text behind it; NULL: it is no line */
static const char *
take_line(const char *text, const char *end, char line[LINE], char *word[WORDS + 1],
		unsigned int *n)
{
	const char *stop = memchr(text, '\n', (size_t)(end - text));
	char *save = NULL;

	if (stop == NULL || stop - text >= LINE)
		return NULL;
	for (const char *at = text; at < stop; at++)
		if (*at < ' ' || *at > '~')
			return NULL;
	memcpy(line, text, (size_t)(stop - text));
	line[stop - text] = '\0';
	*n = 0;
	for (char *w = strtok_r(line, " ", &save); w != NULL && *n <= WORDS;
			w = strtok_r(NULL, " ", &save))
		word[(*n)++] = w;
	return stop + 1;
}

static enum outcome
read_line(struct reader *r, char *const *word, unsigned int n)
{
#define STATE_READ(sym, name, words)                    \
	if (n == (words) && strcmp(word[0], name) == 0) \
		return read_##sym(r, word);
	STATE_LINES(STATE_READ)
#undef STATE_READ
	return BAD;
}

static int
read_lines(struct reader *r, const char *text, const char *end, struct fcn_state_result *result,
		size_t *n_lines)
{
	char line[LINE], *word[WORDS + 1];
	unsigned int n;

	*n_lines = 0;
	while (text < end) {
		text = take_line(text, end, line, word, &n);
		if (text == NULL)
			return -EINVAL;
		++*n_lines;
		switch (read_line(r, word, n)) {
		case TAKEN:
			result->taken++;
			break;
		case EXPIRED:
			result->expired++;
			break;
		case SKIPPED:
			result->skipped++;
			break;
		default:
			return -EINVAL;
		}
	}
	return 0;
}

/* Read the first line. @return the text behind it; NULL: it is none */
static const char *
read_begin(const char *text, const char *end, uint64_t *wall_ns)
{
	char line[LINE], *word[WORDS + 1];
	unsigned int n;
	const char *rest = take_line(text, end, line, word, &n);

	if (rest == NULL || n != 3 ||
			strncmp(text, STATE_VERSION " ", strlen(STATE_VERSION) + 1) != 0 ||
			!read_number(word[2], INT64_MAX, wall_ns))
		return NULL;
	return rest;
}

/* Find the last line, and check the sum over what is before it. @return its beginning; NULL: the
 * text is not whole */
static const char *
find_end(const char *text, size_t len, uint64_t *n_lines)
{
	const char *end = text + len, *last = end - 1;
	char line[LINE], *word[WORDS + 1], sum[17];
	unsigned int n;

	if (len < 2 || *last != '\n')
		return NULL;
	while (last > text && last[-1] != '\n')
		last--;
	if (take_line(last, end, line, word, &n) != end || n != 3 ||
			strcmp(word[0], STATE_END) != 0 ||
			!read_number(word[1], FCN_STATE_MAX_BYTES, n_lines))
		return NULL;
	snprintf(sum, sizeof(sum), "%016" PRIx64, state_sum(text, (size_t)(last - text)));
	return strcmp(word[2], sum) == 0 ? last : NULL;
}

static int
refuse(char *err, size_t err_size, const char *why)
{
	snprintf(err, err_size, "%s", why);
	return -EINVAL;
}

int
fcn_state_apply(struct fcn_control *ctl, const char *text, size_t len, uint64_t wall_ns,
		struct fcn_state_result *result, char *err, size_t err_size)
{
	struct reader *r;
	uint64_t made_ns, n_lines;
	const char *end, *begin;
	size_t n;
	int rc;

	memset(result, 0, sizeof(*result));
	end = len <= FCN_STATE_MAX_BYTES ? find_end(text, len, &n_lines) : NULL;
	begin = end != NULL ? read_begin(text, end, &made_ns) : NULL;
	if (begin == NULL)
		return refuse(err, err_size, "it is not whole, or of another version");
	if (made_ns > wall_ns)
		return refuse(err, err_size, "it is of a later time than now");
	r = calloc(1, sizeof(*r));
	if (r == NULL) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	r->ctl = ctl;
	r->age_ns = wall_ns - made_ns;
	r->now = fcn_control_now(ctl);
	rc = read_lines(r, begin, end, result, &n);
	memset(result, 0, sizeof(*result));
	if (rc == 0 && n == n_lines) {
		r->apply = true;
		read_lines(r, begin, end, result, &n);
		give_macs(r);
		result->age_ns = r->age_ns;
	} else {
		rc = refuse(err, err_size, "it has a line that is not valid");
	}
	free(r);
	return rc;
}
