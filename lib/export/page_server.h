/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The part of the metrics server that answers with the page of the switch: its files, which are
 * part of the program, and its feed. The control thread writes the feed when a client asks for it,
 * at most once a second, and all clients get the same bytes; a client that has them already is told
 * so (RFC 9110 section 13.1.2).
 *
 * The server's thread makes all calls, but those that create and free.
 */

#ifndef PAGE_SERVER_H
#define PAGE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include <microhttpd.h>

#include "metrics_server.h"

/** A file of the page. */
struct page_file {
	const char *path; /**< as in a request; NULL: the end of the list */
	const char *type; /**< value of Content-Type */
	const char *etag; /**< value of ETag: a hash of the bytes */
	const unsigned char *bytes;
	size_t size;
};

/** The files of the page, which the build makes of those in the directory page/. */
extern const struct page_file page_files[];

struct page_server;

/**
 * Create what answers with the page.
 *
 * @param source where the feed comes from; it must outlive the result
 * @param addr   the address at which the server listens
 * @return NULL on lack of memory
 */
struct page_server *page_server_create(
		const struct fcn_metrics_source *source, const struct fcn_addr *addr);

/** Free it. NULL is allowed. */
void page_server_free(struct page_server *page);

/** What became of a request. */
enum page_answer {
	PAGE_OTHER,  /**< it is for something else, and was not answered */
	PAGE_FILE,   /**< it was for a file of the page, or refused */
	PAGE_FEED,   /**< it was for the feed */
	PAGE_NO_FEED /**< it was for the feed, which could not be made: not answered yet */
};

/**
 * Check that a request names the server as page_server_is_local_name() demands, if the server
 * listens at loopback; refuse it otherwise.
 *
 * @param result what the handler of libmicrohttpd returns, if the request was refused
 */
bool page_server_is_asked(
		const struct page_server *page, struct MHD_Connection *c, enum MHD_Result *result);

/**
 * Answer a request with the method GET or HEAD.
 *
 * @param url    path of the request
 * @param result what the handler of libmicrohttpd returns, if the request was answered
 */
enum page_answer page_server_answer(struct page_server *page, struct MHD_Connection *c,
		const char *url, enum MHD_Result *result);

/**
 * Tell whether the name by which a client calls the server is one that nobody else's name server
 * can have told it: none, an IP address, or localhost, with or without a port. Otherwise a page
 * of somebody else could have its own name lead to the address of this server, and read it in the
 * browser of an operator.
 *
 * @param host value of Host; NULL: there is none
 */
bool page_server_is_local_name(const char *host);

#endif /* PAGE_SERVER_H */
