/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What programs ask of a switch over HTTP, beside metrics. Internal to lib/export.
 *
 * | path | answer |
 * |---|---|
 * | /healthz[?ports=P,P] | 200 or 503, and the reasons in words (health.h) |
 * | /livez | the same, about what a restart of the program can mend |
 * | /api/v1/show/NAME[?PARAMETERS] | the `show` as JSON (show_request.h) |
 * | /api/v1/schema | its JSON Schema (fcn_show_schema.h) |
 *
 * An answer is sent again for a second. The control thread makes the values, and the server's
 * thread the text. Shows take at most a tenth of the control thread's time: after 200 ms of it, a
 * request gets 503 until a tenth of what has passed since makes up for them.
 */

#ifndef HTTP_API_H
#define HTTP_API_H

#include <stdbool.h>
#include <stdint.h>

#include <microhttpd.h>

#include "control_rpc.h"
#include "fcn_show_list.h"

struct fcn_http_api;

/** Create it. @param shows what the shows read; it outlives the API @return NULL on lack of memory
 */
struct fcn_http_api *fcn_http_api_create(
		struct fcn_control_rpc *rpc, const struct fcn_show_source *shows);

/** Free it; the server's thread has ended. NULL is allowed. */
void fcn_http_api_free(struct fcn_http_api *api);

/** Tell whether a path is one of the API's. @param api NULL: none is */
bool fcn_http_api_has(const struct fcn_http_api *api, const char *path);

/** Answer a request for a path that it has. The server's thread calls this. */
enum MHD_Result fcn_http_api_answer(
		struct fcn_http_api *api, struct MHD_Connection *connection, const char *path);

/** Get how many shows were answered, and how many were put off. Any thread may call this. @param
 * api NULL: none */
void fcn_http_api_stats(const struct fcn_http_api *api, uint64_t *answered, uint64_t *put_off);

#endif /* HTTP_API_H */
