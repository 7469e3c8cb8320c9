/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcn_render.h"

static void
set(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

static json_t *
switch_json(const struct pnc *pnc)
{
	const struct fcn_remote_feed_counters *c = &pnc->feed.counters;
	const struct learned_counters *l = learned_counters(pnc->learned);
	json_t *o = json_object();

	json_object_set_new(o, "socket", json_string(pnc->feed.path));
	json_object_set_new(o, "is_connected", json_boolean(pnc->feed.fd >= 0));
	set(o, "pending", learned_pending(pnc->learned));
	set(o, "unanswered", pnc->feed.waiting);
	set(o, "to_retry", learned_refused(pnc->learned));
#define SET(member, text) set(o, #member, c->member);
	FCN_REMOTE_FEED_COUNTERS(SET)
#undef SET
#define SET(member, text) set(o, #member, l->member);
	LEARNED_COUNTERS(SET)
#undef SET
	return o;
}

static json_t *
learned_json(const struct pnc *pnc, enum fcn_pnc_kind kind)
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < FCN_PNC_PROTOCOL_COUNT; i++)
		if (kind == FCN_PNC_PROXY || i == FCN_PNC_ISIS || i == FCN_PNC_OSPF3)
			set(o, fcn_pnc_protocol_name(i), learned_count(pnc->learned, kind, i));
	return o;
}

static json_t *
routers_json(const struct fcn_pnc_bmp *bmp, uint64_t now_ns)
{
	struct fcn_pnc_bmp_router_state r;
	char text[FCN_ADDR_STRLEN];
	json_t *list = json_array();

	for (unsigned int i = 0; fcn_pnc_bmp_router(bmp, i, &r); i++) {
		json_t *o = json_object();

		json_object_set_new(o, "address",
				json_string(fcn_addr_format(&r.addr, text, sizeof(text))));
		json_object_set_new(o, "name", json_string(r.name));
		json_object_set_new(o, "is_connected", json_boolean(r.is_connected));
		set(o, "left_seconds",
				r.is_connected || r.until_ns < now_ns
						? 0
						: (r.until_ns - now_ns) / 1000000000);
		set(o, "peers", r.peers);
		set(o, "routes", r.routes);
		set(o, "stale", r.stale);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
bmp_json(const struct pnc *pnc, uint64_t now_ns)
{
	const struct station_counters *s = &pnc->station.counters;
	const struct fcn_pnc_bmp_counters *c = fcn_pnc_bmp_counters(pnc->station.bmp);
	json_t *o = json_object(), *ends = json_object();
	uint32_t routes, prefixes;

	fcn_pnc_bmp_size(pnc->station.bmp, &routes, &prefixes);
	set(o, "routes", routes);
	set(o, "prefixes", prefixes);
#define SET(member, text) set(o, #member, s->member);
	STATION_COUNTERS(SET)
#undef SET
#define SET(member, text) set(o, #member, c->member);
	FCN_PNC_BMP_COUNTERS(SET)
#undef SET
#define SET(sym, name, text) set(ends, name, c->end_##sym);
	FCN_PNC_BMP_ENDS(SET)
#undef SET
	json_object_set_new(o, "ends", ends);
	json_object_set_new(o, "routers", routers_json(pnc->station.bmp, now_ns));
	return o;
}

static json_t *
frames_json(const struct fcn_pnc_readers *readers)
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < FCN_PNC_FRAME_COUNT; i++)
		set(o, fcn_pnc_frame_name(i), readers->count[i]);
	return o;
}

static json_t *
reader_json(const struct fcn_pnc_state *state)
{
	json_t *o = json_object();

	set(o, "items", state->items);
	set(o, "originators", state->originators);
	set(o, "prefixes", state->prefixes);
	set(o, "endcons", state->endcons);
	set(o, "unresolved", state->unresolved);
	for (unsigned int i = 0; i < FCN_PNC_COUNTER_COUNT; i++)
		set(o, fcn_pnc_counter_name(i), state->count[i]);
	return o;
}

static json_t *
sources_json(const struct sources *sources)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < sources->n; i++) {
		const struct source *c = &sources->source[i];
		json_t *o = json_object();

		json_object_set_new(o, "name", json_string(c->name));
		json_object_set_new(o, "is_open", json_boolean(c->fd >= 0));
		set(o, "frames", c->frames);
		set(o, "too_long", c->too_long);
		json_array_append_new(list, o);
	}
	return list;
}

static void
set_sources(json_t *o, const struct sources *sources)
{
	const struct fcn_pnc_readers *r = &sources->readers;
	struct fcn_pnc_state state;

	json_object_set_new(o, "sources", sources_json(sources));
	json_object_set_new(o, "frames", frames_json(r));
	if (r->isis != NULL) {
		fcn_pnc_isis_state(r->isis, &state);
		json_object_set_new(o, "isis", reader_json(&state));
	}
	if (r->ospf != NULL) {
		fcn_pnc_ospf_state(r->ospf, &state);
		json_object_set_new(o, "ospf", reader_json(&state));
	}
	if (r->ospf3 != NULL) {
		fcn_pnc_ospf3_state(r->ospf3, &state);
		json_object_set_new(o, "ospf3", reader_json(&state));
	}
}

static json_t *
state_json(const struct pnc *pnc, uint64_t now_ns)
{
	json_t *o = json_object();

	json_object_set_new(o, "switch", switch_json(pnc));
	for (unsigned int kind = 0; kind < FCN_PNC_KIND_COUNT; kind++)
		json_object_set_new(o, fcn_pnc_kind_name(kind), learned_json(pnc, kind));
	if (pnc->sources.n > 0)
		set_sources(o, &pnc->sources);
	if (pnc->station.bmp != NULL)
		json_object_set_new(o, "bmp", bmp_json(pnc, now_ns));
	return o;
}

static void
write_state(const struct pnc *pnc, const json_t *state, FILE *out)
{
	if (pnc->opt.is_json)
		fcn_render_json(state, out);
	else
		fcn_render_text(state, out);
}

/* A new file takes the place of the old one, so that a reader sees all of one. */
static int
write_file(const struct pnc *pnc, const json_t *state)
{
	char *name = NULL;
	FILE *out;
	int rc = 0;

	if (asprintf(&name, "%s.new", pnc->opt.status_file) < 0)
		return -ENOMEM;
	out = fopen(name, "we");
	if (out != NULL) {
		write_state(pnc, state, out);
		rc = ferror(out) ? -EIO : 0;
		if (fclose(out) != 0)
			rc = -errno;
		if (rc == 0 && rename(name, pnc->opt.status_file) != 0)
			rc = -errno;
		if (rc != 0)
			unlink(name);
	} else {
		rc = -errno;
	}
	free(name);
	return rc;
}

void
pnc_report(const struct pnc *pnc, uint64_t now_ns)
{
	json_t *state = state_json(pnc, now_ns);
	int rc = 0;

	if (pnc->opt.status_file == NULL)
		write_state(pnc, state, stderr);
	else
		rc = write_file(pnc, state);
	if (rc != 0)
		fprintf(stderr, "fastcn-pnc: --status %s: %s\n", pnc->opt.status_file,
				strerror(-rc));
	json_decref(state);
}
