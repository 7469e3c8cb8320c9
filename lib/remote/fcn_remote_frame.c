/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fcn_remote_frame.h"

int
fcn_remote_path(const char *name, char path[FCN_REMOTE_PATH_SIZE])
{
	const char *dir = geteuid() == 0 ? "/run" : getenv("XDG_RUNTIME_DIR");
	int n;

	if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
		return -EINVAL;
	if (dir == NULL || dir[0] != '/')
		return -ENOENT;
	n = snprintf(path, FCN_REMOTE_PATH_SIZE, "%s/fastcn/%s.sock", dir, name);
	return n < FCN_REMOTE_PATH_SIZE ? 0 : -ENAMETOOLONG;
}

size_t
fcn_remote_header(char buf[FCN_REMOTE_HEADER_SIZE], bool ok, size_t body_len)
{
	return (size_t)snprintf(
			buf, FCN_REMOTE_HEADER_SIZE, "%s %zu\n", ok ? "ok" : "error", body_len);
}

int
fcn_remote_header_parse(const char *buf, size_t len, bool *ok, size_t *body_len)
{
	static const char *const words[] = {"error ", "ok "};
	size_t at, digits = 0;
	int which;

	for (which = 0; which < 2; which++) {
		at = strlen(words[which]);
		if (memcmp(buf, words[which], len < at ? len : at) == 0)
			break;
	}
	if (which == 2)
		return -EBADMSG;
	*ok = which == 1;
	*body_len = 0;
	for (; at < len && buf[at] >= '0' && buf[at] <= '9'; at++) {
		if (++digits > FCN_REMOTE_LENGTH_DIGITS)
			return -EBADMSG;
		*body_len = *body_len * 10 + (size_t)(buf[at] - '0');
	}
	if (at >= len)
		return 0;
	return buf[at] == '\n' && digits > 0 ? (int)at + 1 : -EBADMSG;
}
