/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <rte_common.h>

#include "feed.h"
#include "page_server.h"

#define FRESH_MS 1000
#define TIMEOUT_MS 1000
#define ETAG 24 /* size of the feed's, with terminator */

struct page_server {
	const struct fcn_metrics_source *source;
	bool loopback; /* the server listens there */
	struct MHD_Response *feed;
	char etag[ETAG];
	uint64_t made_ms;
};

/* Headers of all answers. Nothing but what this server has is loaded, and nothing frames it. */
static const char *const headers[][2] = {
		{"Content-Security-Policy", "default-src 'self'; base-uri 'none'; "
					    "form-action 'none'; frame-ancestors 'none'"},
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		/* The age of the connection is that of its request. */
		{MHD_HTTP_HEADER_CONNECTION, "close"},
};

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Make a response with all its headers, or none. Bytes that are to be freed belong to the response,
 * also on failure. @param type NULL: it has no content */
static struct MHD_Response *
make_response(const void *bytes, size_t size, enum MHD_ResponseMemoryMode mode, const char *type,
		const char *etag, const char *caching)
{
	void *content = (void *)(uintptr_t)bytes;
	struct MHD_Response *r = MHD_create_response_from_buffer(size, content, mode);
	enum MHD_Result ok = MHD_YES;

	if (r == NULL) {
		if (mode == MHD_RESPMEM_MUST_FREE)
			free(content);
		return NULL;
	}
	for (unsigned int i = 0; ok == MHD_YES && i < RTE_DIM(headers); i++)
		ok = MHD_add_response_header(r, headers[i][0], headers[i][1]);
	if (ok == MHD_YES && type != NULL)
		ok = MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (ok == MHD_YES && etag != NULL)
		ok = MHD_add_response_header(r, MHD_HTTP_HEADER_ETAG, etag);
	if (ok == MHD_YES)
		ok = MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, caching);
	if (ok == MHD_YES)
		return r;
	MHD_destroy_response(r);
	return NULL;
}

/* Send a response that is not kept. @param r NULL: the connection ends */
static enum MHD_Result
send_once(struct MHD_Connection *c, unsigned int status, struct MHD_Response *r)
{
	enum MHD_Result result;

	if (r == NULL)
		return MHD_NO;
	result = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return result;
}

/* Tell whether the client has what it asks for. */
static bool
has_it(struct MHD_Connection *c, const char *etag)
{
	const char *has = MHD_lookup_connection_value(
			c, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);

	return has != NULL && strcmp(has, etag) == 0;
}

static enum MHD_Result
send_not_modified(struct MHD_Connection *c, const char *etag, const char *caching)
{
	return send_once(c, MHD_HTTP_NOT_MODIFIED,
			make_response("", 0, MHD_RESPMEM_PERSISTENT, NULL, etag, caching));
}

static enum MHD_Result
send_file(struct MHD_Connection *c, const struct page_file *file)
{
	static const char caching[] = "no-cache"; /* a browser asks whether it has changed */

	if (has_it(c, file->etag))
		return send_not_modified(c, file->etag, caching);
	return send_once(c, MHD_HTTP_OK,
			make_response(file->bytes, file->size, MHD_RESPMEM_PERSISTENT, file->type,
					file->etag, caching));
}

/* ---- the feed ---- */

/* Runs on the control thread. */
static void *
write_feed(void *arg, const void *question)
{
	const struct fcn_metrics_source *source = arg;

	(void)question;
	return source->feed(source->arg);
}

/* A hash of a text (FNV-1a), as an ETag. A number that counts changes would be the same for
 * something else once the switch has started again. */
static void
write_etag(const char *text, char *etag)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	snprintf(etag, ETAG, "\"%016" PRIx64 "\"", hash);
}

/* @return whether there is a feed that is no older than a second */
static bool
is_fed(struct page_server *page)
{
	const uint64_t now = now_ms();
	const char no_question = 0;
	const char *content;
	char *text;

	if (page->feed != NULL && now - page->made_ms < FRESH_MS)
		return true;
	text = fcn_control_rpc_call(page->source->rpc, write_feed, (void *)(uintptr_t)page->source,
			&no_question, sizeof(no_question), free, TIMEOUT_MS);
	if (text == NULL)
		return false;
	if (page->feed != NULL)
		MHD_destroy_response(page->feed);        /* connections that send it keep it */
	content = strstr(text, "\"" FEED_CONTENT "\":"); /* without the times */
	write_etag(content != NULL ? content : text, page->etag);
	page->feed = make_response(text, strlen(text), MHD_RESPMEM_MUST_FREE, "application/json",
			page->etag, "no-store");
	page->made_ms = now;
	return page->feed != NULL;
}

static enum page_answer
send_feed(struct page_server *page, struct MHD_Connection *c, enum MHD_Result *result)
{
	if (!is_fed(page))
		return PAGE_NO_FEED;
	*result = has_it(c, page->etag) ? send_not_modified(c, page->etag, "no-store")
					: MHD_queue_response(c, MHD_HTTP_OK, page->feed);
	return PAGE_FEED;
}

/* ---- who asks ---- */

bool
page_server_is_local_name(const char *host)
{
	char name[INET6_ADDRSTRLEN];
	struct in6_addr addr;
	size_t len;
	char end;

	if (host == NULL)
		return true;
	if (host[0] == '[') {
		host++;
		len = strcspn(host, "]");
		end = host[len] == ']' ? host[len + 1] : '?';
	} else {
		len = strcspn(host, ":");
		end = host[len];
	}
	if (len >= sizeof(name) || (end != '\0' && end != ':'))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	return strcasecmp(name, "localhost") == 0 || inet_pton(AF_INET, name, &addr) == 1 ||
	       inet_pton(AF_INET6, name, &addr) == 1;
}

static bool
is_loopback(const struct fcn_addr *addr)
{
	static const uint8_t one[16] = {[15] = 1};

	return addr->version == 4 ? addr->bytes[0] == 127
				  : memcmp(addr->bytes, one, sizeof(one)) == 0;
}

static enum MHD_Result
refuse_name(struct MHD_Connection *c)
{
	static const char text[] = "the server listens at loopback, and answers to localhost or an "
				   "IP address as its name\n";

	return send_once(c, MHD_HTTP_MISDIRECTED_REQUEST,
			make_response(text, sizeof(text) - 1, MHD_RESPMEM_PERSISTENT, "text/plain",
					NULL, "no-store"));
}

bool
page_server_is_asked(
		const struct page_server *page, struct MHD_Connection *c, enum MHD_Result *result)
{
	if (!page->loopback || page_server_is_local_name(MHD_lookup_connection_value(
					       c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST)))
		return true;
	*result = refuse_name(c);
	return false;
}

enum page_answer
page_server_answer(struct page_server *page, struct MHD_Connection *c, const char *url,
		enum MHD_Result *result)
{
	const bool feed = strcmp(url, "/feed") == 0;
	const struct page_file *file = page_files;

	while (file->path != NULL && strcmp(file->path, url) != 0)
		file++;
	if (file->path == NULL && !feed)
		return PAGE_OTHER;
	if (feed)
		return send_feed(page, c, result);
	*result = send_file(c, file);
	return PAGE_FILE;
}

/* ---- begin and end ---- */

struct page_server *
page_server_create(const struct fcn_metrics_source *source, const struct fcn_addr *addr)
{
	struct page_server *page = calloc(1, sizeof(*page));

	if (page == NULL)
		return NULL;
	page->source = source;
	page->loopback = is_loopback(addr);
	return page;
}

void
page_server_free(struct page_server *page)
{
	if (page != NULL && page->feed != NULL)
		MHD_destroy_response(page->feed);
	free(page);
}
