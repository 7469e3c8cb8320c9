/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "replay_impl.h"

void
replay_error(char *err, size_t err_size, const char *fmt, ...)
{
	va_list ap;

	if (err_size == 0)
		return;
	va_start(ap, fmt);
	vsnprintf(err, err_size, fmt, ap);
	va_end(ap);
	for (char *p = err; *p != '\0'; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
}

int
replay_file_init(struct replay_file *file, const char *name, bool output, const struct stat *st)
{
	file->name = strdup(name);
	file->error_size = strlen(name) + PCAP_ERRBUF_SIZE + 64;
	file->error = malloc(file->error_size);
	file->io_buf = malloc(REPLAY_IO_BUF);
	file->dev = st->st_dev;
	file->ino = st->st_ino;
	file->regular = S_ISREG(st->st_mode);
	file->output = output;
	return file->name != NULL && file->error != NULL && file->io_buf != NULL ? 0 : -ENOMEM;
}

void
replay_file_fini(struct replay_file *file)
{
	free(file->name);
	free(file->error);
	free(file->io_buf);
}

const struct replay_file *
replay_file_clash(const struct fcn_replay *replay, const struct stat *st, bool output)
{
	const struct replay_file *file;

	/* A file may be read twice; any other second use would damage the output. */
	STAILQ_FOREACH (file, &replay->files, next)
		if ((output || file->output) && file->regular && S_ISREG(st->st_mode) &&
				file->dev == st->st_dev && file->ino == st->st_ino)
			return file;
	return NULL;
}

void
replay_file_broken(struct fcn_replay *replay, struct replay_file *file, uint64_t n, const char *why)
{
	file->broken = true;
	replay_error(file->error, file->error_size, "%s: after %llu packets: %s", file->name,
			(unsigned long long)n, why);
	STAILQ_INSERT_TAIL(&replay->broken, file, next_broken);
}
