/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bsd/string.h>

#include "fcn_json_text.h"
#include "fcn_show_schema.h"
#include "health.h"
#include "http_api.h"
#include "show_request.h"

#define CACHED 32                        /* answers that are kept */
#define CACHED_BYTES (16u * 1024 * 1024) /* of all of them; a larger answer is not kept */
#define FRESH_MS 1000
#define TIMEOUT_MS 1000
#define KEY 512
#define NS_PER_MS 1000000u
/* The control thread's time that shows may take: at once, and a share of all time. */
#define AT_ONCE_NS (200u * NS_PER_MS)
#define SHARE 10

#define TEXT "text/plain; charset=utf-8"
#define JSON "application/json"
#define SHOW_PATH FCN_API_PREFIX "/show/"
#define SCHEMA_PATH FCN_API_PREFIX "/schema"

/* An answer that is sent again while it is fresh. */
struct cached {
	char key[KEY]; /* path and parameters; "": none */
	unsigned int status;
	struct MHD_Response *response;
	size_t bytes;
	uint64_t made_ns;
};

/* Used by the server's thread alone, but for the counters. */
struct fcn_http_api {
	struct fcn_control_rpc *rpc;
	const struct fcn_show_source *shows;
	struct cached cached[CACHED];
	size_t cached_bytes;
	uint64_t taken_ns; /* of the control thread's time, less what was made up for since */
	uint64_t taken_at_ns;
	uint64_t answered, put_off;
};

/* A request, while it is answered. */
struct request {
	struct fcn_http_api *api;
	struct MHD_Connection *connection;
	char key[KEY];
	struct fcn_show_request show;
	char ports[sizeof(((struct fcn_health_question *)0)->ports)];
	const char *wrong; /* what is wrong with the parameters; NULL: nothing */
	/* the answer */
	unsigned int status;
	char *text; /* to be freed */
	const char *type;
	char link[KEY]; /* header Link; "": none */
};

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 * NS_PER_MS + (uint64_t)ts.tv_nsec;
}

/* ---- sending ---- */

static struct MHD_Response *
make_response(struct request *r)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
			strlen(r->text), r->text, MHD_RESPMEM_MUST_FREE);
	bool ok = response != NULL;

	if (response == NULL)
		free(r->text);
	r->text = NULL;
	/* As each connection has one request, its age is that of the request. */
	ok = ok && MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, r->type) &&
	     MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") &&
	     MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") &&
	     (r->link[0] == '\0' ||
			     MHD_add_response_header(response, MHD_HTTP_HEADER_LINK, r->link)) &&
	     (r->status != MHD_HTTP_SERVICE_UNAVAILABLE ||
			     MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1"));
	if (!ok && response != NULL)
		MHD_destroy_response(response);
	return ok ? response : NULL;
}

static void
forget(struct fcn_http_api *api, struct cached *c)
{
	if (c->response != NULL)
		MHD_destroy_response(c->response); /* connections that send it keep it */
	api->cached_bytes -= c->bytes;
	*c = (struct cached){.key = ""};
}

/* Find the answer to a request that is fresh, and forget those that are not. */
static struct cached *
find_cached(struct fcn_http_api *api, const char *key)
{
	const uint64_t now = now_ns();
	struct cached *found = NULL;

	for (unsigned int i = 0; i < CACHED; i++) {
		struct cached *c = &api->cached[i];

		if (c->response == NULL)
			continue;
		if (now - c->made_ns >= (uint64_t)FRESH_MS * NS_PER_MS)
			forget(api, c);
		else if (strcmp(c->key, key) == 0)
			found = c;
	}
	return found;
}

/* Keep an answer, in the place of the oldest if all are taken. */
static void
keep(struct fcn_http_api *api, const struct request *r, struct MHD_Response *response, size_t bytes)
{
	struct cached *to = &api->cached[0];

	if (bytes > CACHED_BYTES)
		return;
	for (unsigned int i = 1; i < CACHED && to->response != NULL; i++) {
		struct cached *c = &api->cached[i];

		if (c->response == NULL || c->made_ns < to->made_ns)
			to = c;
	}
	forget(api, to);
	for (unsigned int i = 0; i < CACHED && api->cached_bytes + bytes > CACHED_BYTES; i++)
		forget(api, &api->cached[i]);
	api->cached_bytes += bytes;
	strlcpy(to->key, r->key, sizeof(to->key));
	to->status = r->status;
	to->response = response;
	to->bytes = bytes;
	to->made_ns = now_ns();
}

static enum MHD_Result
send_answer(struct request *r, bool fresh)
{
	const size_t bytes = r->text != NULL ? strlen(r->text) : 0;
	struct MHD_Response *response = r->text != NULL ? make_response(r) : NULL;
	enum MHD_Result result;

	if (response == NULL)
		return MHD_NO; /* memory is lacking: the connection is closed */
	result = MHD_queue_response(r->connection, r->status, response);
	if (fresh)
		keep(r->api, r, response, bytes);
	if (!fresh || bytes > CACHED_BYTES)
		MHD_destroy_response(response);
	return result;
}

/* ---- errors ---- */

static enum MHD_Result
send_error(struct request *r, unsigned int status, const char *text)
{
	json_t *o = json_pack("{s:o}", "error", fcn_json_text(text)); /* it may quote the request */

	r->status = status;
	r->type = JSON;
	r->text = o != NULL ? json_dumps(o, JSON_COMPACT) : NULL;
	json_decref(o);
	return send_answer(r, false);
}

/* ---- shows ---- */

/* What the control thread has made. */
struct made {
	struct fcn_show_result result;
	uint64_t took_ns;
};

static void
free_made(void *arg)
{
	struct made *made = arg;

	json_decref(made->result.value);
	free(made);
}

/* Runs on the control thread. */
static void *
run_show(void *arg, const void *question)
{
	struct made *made = calloc(1, sizeof(*made));
	const uint64_t begin = now_ns();

	if (made == NULL)
		return NULL;
	fcn_show_request_run(arg, question, &made->result);
	made->took_ns = now_ns() - begin;
	return made;
}

/* Tell whether shows may take the control thread's time now. */
static bool
may_take(struct fcn_http_api *api)
{
	const uint64_t now = now_ns();
	const uint64_t made_up = (now - api->taken_at_ns) / SHARE;

	api->taken_ns -= RTE_MIN(api->taken_ns, made_up);
	api->taken_at_ns = now;
	return api->taken_ns < AT_ONCE_NS;
}

/* The header Link: which part of the schema describes the answer, and where it goes on. */
static void
set_link(struct request *r, uint64_t next)
{
	char name[64], more[KEY] = "";

	fcn_show_schema_name(r->show.show, name, sizeof(name));
	snprintf(r->link, sizeof(r->link), "<%s#/$defs/%s>; rel=\"describedby\"", SCHEMA_PATH,
			name);
	if (next == 0)
		return;
	for (unsigned int i = 0; i < r->show.n; i++) {
		char escaped[3 * FCN_SHOW_PARAM_VALUE], *to = escaped;

		if (strcmp(r->show.param[i].name, "skip") == 0)
			continue;
		for (const char *c = r->show.param[i].value; *c != '\0'; c++)
			to += sprintf(to, "%%%02X", (unsigned char)*c);
		*to = '\0';
		strlcat(more, r->show.param[i].name, sizeof(more));
		strlcat(more, "=", sizeof(more));
		strlcat(more, escaped, sizeof(more));
		strlcat(more, "&", sizeof(more));
	}
	snprintf(r->link + strlen(r->link), sizeof(r->link) - strlen(r->link),
			", <%s%s?%sskip=%llu>; rel=\"next\"", SHOW_PATH, name, more,
			(unsigned long long)next);
}

static enum MHD_Result
answer_made(struct request *r, struct made *made)
{
	enum MHD_Result result;

	r->api->taken_ns += made->took_ns;
	if (made->result.error[0] != '\0') {
		result = send_error(r, MHD_HTTP_BAD_REQUEST, made->result.error);
	} else {
		r->status = MHD_HTTP_OK;
		r->type = JSON;
		set_link(r, made->result.next);
		if (made->result.value != NULL)
			r->text = json_dumps(made->result.value, JSON_COMPACT | JSON_ENCODE_ANY);
		result = send_answer(r, true);
		__atomic_fetch_add(&r->api->answered, 1, __ATOMIC_RELAXED);
	}
	free_made(made);
	return result;
}

static enum MHD_Result
answer_show(struct request *r, const char *name)
{
	struct fcn_http_api *api = r->api;
	struct made *made;

	r->show.show = fcn_show_find(name);
	if (r->show.show == NULL)
		return send_error(r, MHD_HTTP_NOT_FOUND,
				"there is no such show; " SCHEMA_PATH " has their names");
	if (r->wrong != NULL)
		return send_error(r, MHD_HTTP_BAD_REQUEST, r->wrong);
	if (!may_take(api)) {
		__atomic_fetch_add(&api->put_off, 1, __ATOMIC_RELAXED);
		return send_error(r, MHD_HTTP_SERVICE_UNAVAILABLE,
				"shows have taken a tenth of the control thread's time; ask again "
				"in a second");
	}
	made = fcn_control_rpc_call(api->rpc, run_show, (void *)(uintptr_t)api->shows, &r->show,
			sizeof(r->show), free_made, TIMEOUT_MS);
	if (made == NULL) {
		api->taken_ns += AT_ONCE_NS; /* what it is doing may be this show */
		return send_error(r, MHD_HTTP_SERVICE_UNAVAILABLE,
				"the switch had no time, or no memory, to answer");
	}
	return answer_made(r, made);
}

/* Nothing of it changes while the program runs, but it is large and seldom asked for. */
static enum MHD_Result
answer_schema(struct request *r)
{
	json_t *schema = fcn_show_schema();

	r->status = MHD_HTTP_OK;
	r->type = "application/schema+json";
	r->text = json_dumps(schema, JSON_INDENT(2));
	json_decref(schema);
	return send_answer(r, true);
}

/* ---- health ---- */

struct health {
	bool ok;
	char *text;
};

static void
free_health(void *arg)
{
	struct health *health = arg;

	free(health->text);
	free(health);
}

/* Runs on the control thread. */
static void *
run_health(void *arg, const void *question)
{
	struct health *health = calloc(1, sizeof(*health));
	size_t size;
	FILE *out;

	if (health == NULL)
		return NULL;
	out = open_memstream(&health->text, &size);
	if (out == NULL) {
		free(health);
		return NULL;
	}
	health->ok = fcn_health_write(arg, question, out);
	if (fclose(out) == 0)
		return health;
	free_health(health);
	return NULL;
}

static enum MHD_Result
answer_health(struct request *r, bool alive_only)
{
	struct fcn_health_question question = {.alive_only = alive_only};
	struct fcn_http_api *api = r->api;
	struct health *health;

	if (r->wrong != NULL)
		return send_error(r, MHD_HTTP_BAD_REQUEST, r->wrong);
	strlcpy(question.ports, r->ports, sizeof(question.ports));
	health = fcn_control_rpc_call(api->rpc, run_health, (void *)(uintptr_t)api->shows,
			&question, sizeof(question), free_health, TIMEOUT_MS);
	r->type = TEXT;
	r->status = health != NULL && health->ok ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
	if (health != NULL) {
		r->text = health->text;
		health->text = NULL;
		free_health(health);
	} else {
		r->text = strdup("the control thread has not answered for a second\n");
	}
	return send_answer(r, true);
}

/* ---- requests ---- */

/* Take a parameter of the request. */
static enum MHD_Result
take_param(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct request *r = arg;
	const unsigned int i = r->show.n;
	const bool is_ports = strcmp(key, "ports") == 0;

	RTE_SET_USED(kind);
	value = value != NULL ? value : "";
	strlcat(r->key, "&", sizeof(r->key));
	strlcat(r->key, key, sizeof(r->key));
	strlcat(r->key, "=", sizeof(r->key));
	if (strlcat(r->key, value, sizeof(r->key)) >= sizeof(r->key) ||
			strlen(value) >= sizeof(r->ports))
		r->wrong = "the parameters are too long";
	else if (i == FCN_SHOW_PARAMS)
		r->wrong = "there are too many parameters";
	else if (strlen(key) >= FCN_SHOW_PARAM_NAME ||
			(!is_ports && strlen(value) >= FCN_SHOW_PARAM_VALUE))
		r->wrong = "a parameter is too long";
	if (r->wrong != NULL)
		return MHD_NO;
	if (is_ports)
		strlcpy(r->ports, value, sizeof(r->ports));
	strlcpy(r->show.param[i].name, key, sizeof(r->show.param[i].name));
	strlcpy(r->show.param[i].value, value, sizeof(r->show.param[i].value));
	r->show.n++;
	return MHD_YES;
}

static bool
is_show(const char *path)
{
	return strncmp(path, SHOW_PATH, strlen(SHOW_PATH)) == 0;
}

bool
fcn_http_api_has(const struct fcn_http_api *api, const char *path)
{
	return api != NULL && (strcmp(path, "/healthz") == 0 || strcmp(path, "/livez") == 0 ||
					      strcmp(path, SCHEMA_PATH) == 0 || is_show(path));
}

enum MHD_Result
fcn_http_api_answer(struct fcn_http_api *api, struct MHD_Connection *connection, const char *path)
{
	struct request *r = calloc(1, sizeof(*r));
	const struct cached *cached = NULL;
	enum MHD_Result result;

	if (r == NULL)
		return MHD_NO;
	r->api = api;
	r->connection = connection;
	if (strlcpy(r->key, path, sizeof(r->key)) >= sizeof(r->key))
		r->wrong = "the name is too long";
	MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_param, r);
	if (r->wrong == NULL)
		cached = find_cached(api, r->key);
	if (cached != NULL)
		result = MHD_queue_response(connection, cached->status, cached->response);
	else if (strcmp(path, SCHEMA_PATH) == 0)
		result = answer_schema(r);
	else if (is_show(path))
		result = answer_show(r, path + strlen(SHOW_PATH));
	else
		result = answer_health(r, strcmp(path, "/livez") == 0);
	if (cached != NULL && is_show(path))
		__atomic_fetch_add(&api->answered, 1, __ATOMIC_RELAXED);
	free(r);
	return result;
}

struct fcn_http_api *
fcn_http_api_create(struct fcn_control_rpc *rpc, const struct fcn_show_source *shows)
{
	struct fcn_http_api *api = calloc(1, sizeof(*api));

	if (api == NULL)
		return NULL;
	api->rpc = rpc;
	api->shows = shows;
	api->taken_at_ns = now_ns();
	return api;
}

void
fcn_http_api_free(struct fcn_http_api *api)
{
	if (api == NULL)
		return;
	for (unsigned int i = 0; i < CACHED; i++)
		forget(api, &api->cached[i]);
	free(api);
}

void
fcn_http_api_stats(const struct fcn_http_api *api, uint64_t *answered, uint64_t *put_off)
{
	*answered = api != NULL ? __atomic_load_n(&api->answered, __ATOMIC_RELAXED) : 0;
	*put_off = api != NULL ? __atomic_load_n(&api->put_off, __ATOMIC_RELAXED) : 0;
}
