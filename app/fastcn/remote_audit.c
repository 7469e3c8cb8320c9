/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "remote_audit.h"

#include <inttypes.h>
#include <string.h>

#define LINES_A_SECOND 10

static void
tick(struct fcn_audit_limit *limit, uint64_t now_s, const char *what)
{
	if (limit->second == now_s)
		return;
	if (limit->left_out > 0)
		fprintf(stderr, "fastcn: sessions: %" PRIu64 " more lines %s\n", limit->left_out,
				what);
	*limit = (struct fcn_audit_limit){.second = now_s};
}

void
fcn_audit_tick(struct fcn_audit *audit, uint64_t now_s)
{
	tick(&audit->denied, now_s, "were refused, as they need another role");
	tick(&audit->reports, now_s, "reported what was learned");
}

/* Tell whether a line is to be written. */
static bool
take(struct fcn_audit_limit *limit)
{
	if (limit->written == LINES_A_SECOND) {
		limit->left_out++;
		return false;
	}
	limit->written++;
	return true;
}

static void
put(const struct fcn_remote_peer *peer, const char *refused, const char *needs, const char *line)
{
	/* A line can end in "\r". Others of its characters are printable, or it would be no
	 * command.
	 */
	const int len = (int)strcspn(line, "\r");

	fprintf(stderr, "fastcn: session %" PRIu64 ", user %s (%d), role %s: %s%s%s%.*s\n",
			peer->number, peer->name[0] != '\0' ? peer->name : "?", (int)peer->user,
			fcn_role_name(peer->role), refused, needs, refused[0] != '\0' ? ": " : "",
			len, line);
}

void
fcn_audit(struct fcn_audit *audit, const struct fcn_remote_peer *peer,
		const struct fcn_session *session, const char *line, int rc, uint64_t now_s)
{
	fcn_audit_tick(audit, now_s);
	if (session->refused) {
		if (take(&audit->denied))
			put(peer, "refused, needs the role ", fcn_role_name(session->needs), line);
	} else if (rc == 0 && session->acts) {
		if (!session->reports || take(&audit->reports))
			put(peer, "", "", line);
	}
}
