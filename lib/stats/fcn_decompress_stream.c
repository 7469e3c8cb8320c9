/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_decompress_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <rte_common.h>

#ifdef FCN_HAS_ZLIB
#include <zlib.h>
#endif
#ifdef FCN_HAS_ZSTD
#include <zstd.h>
#endif

#define ROOM (64 * 1024)
#define GZIP_BEGIN 0x1F
#define ZSTD_BEGIN 0x28

#if defined(FCN_HAS_ZLIB) || defined(FCN_HAS_ZSTD)

/* How far decompressing came. */
enum step {
	STEP_MORE, /* within compressed data */
	STEP_END,  /* a member or frame has ended; another one may follow */
	STEP_DAMAGED,
};

struct decompress {
	FILE *in;
	/* Decompress from buf[at] on. @return how many octets of out were written */
	size_t (*step)(struct decompress *d, uint8_t *out, size_t size, enum step *step);
	void (*end)(struct decompress *d);
#ifdef FCN_HAS_ZLIB
	z_stream zlib;
#endif
#ifdef FCN_HAS_ZSTD
	ZSTD_DCtx *zstd;
#endif
	enum step last;
	bool more;         /* there was no room for all that is decompressed */
	size_t at, filled; /* of buf */
	uint8_t buf[ROOM];
};

static ssize_t
decompress_read(void *cookie, char *out, size_t size)
{
	struct decompress *d = cookie;
	size_t got = 0;

	while (got == 0) {
		if (d->at == d->filled && !d->more) {
			d->at = 0;
			do {
				clearerr(d->in);
				d->filled = fread(d->buf, 1, sizeof(d->buf), d->in);
			} while (d->filled == 0 && ferror(d->in) && errno == EINTR);
			if (d->filled == 0 && !ferror(d->in) && d->last == STEP_END)
				return 0;
			if (d->filled == 0)
				break;
		}
		got = d->step(d, (uint8_t *)out, size, &d->last);
		d->more = got == size && d->last == STEP_MORE;
		if (d->last == STEP_DAMAGED)
			break;
	}
	if (got == 0)
		errno = EIO;
	return got > 0 ? (ssize_t)got : -1;
}

static int
decompress_close(void *cookie)
{
	struct decompress *d = cookie;
	const int rc = fclose(d->in);

	d->end(d);
	free(d);
	return rc;
}

#endif

#ifdef FCN_HAS_ZLIB
static size_t
gzip_step(struct decompress *d, uint8_t *out, size_t size, enum step *step)
{
	z_stream *z = &d->zlib;
	int rc;

	if (d->last == STEP_END)
		inflateReset(z);
	z->next_in = d->buf + d->at;
	z->avail_in = d->filled - d->at;
	z->next_out = out;
	z->avail_out = size;
	rc = inflate(z, Z_NO_FLUSH);
	d->at = d->filled - z->avail_in;
	*step = rc == Z_STREAM_END                ? STEP_END
		: rc == Z_OK || rc == Z_BUF_ERROR ? STEP_MORE
						  : STEP_DAMAGED;
	return size - z->avail_out;
}

static void
gzip_end(struct decompress *d)
{
	inflateEnd(&d->zlib);
}

static bool
gzip_begin(struct decompress *d)
{
	d->step = gzip_step;
	d->end = gzip_end;
	return inflateInit2(&d->zlib, MAX_WBITS + 16) == Z_OK; /* gzip only */
}
#endif

#ifdef FCN_HAS_ZSTD
static size_t
zstd_step(struct decompress *d, uint8_t *out, size_t size, enum step *step)
{
	ZSTD_inBuffer in = {.src = d->buf, .size = d->filled, .pos = d->at};
	ZSTD_outBuffer to = {.dst = out, .size = size};
	const size_t rc = ZSTD_decompressStream(d->zstd, &to, &in);

	d->at = in.pos;
	*step = ZSTD_isError(rc) ? STEP_DAMAGED : rc == 0 ? STEP_END : STEP_MORE;
	return to.pos;
}

static void
zstd_end(struct decompress *d)
{
	ZSTD_freeDCtx(d->zstd);
}

static bool
zstd_begin(struct decompress *d)
{
	d->step = zstd_step;
	d->end = zstd_end;
	d->zstd = ZSTD_createDCtx();
	return d->zstd != NULL;
}
#endif

#if defined(FCN_HAS_ZLIB) || defined(FCN_HAS_ZSTD)
static FILE *
wrap(FILE *in, bool (*begin)(struct decompress *d), char *err, size_t err_size)
{
	const cookie_io_functions_t io = {.read = decompress_read, .close = decompress_close};
	struct decompress *d = calloc(1, sizeof(*d));
	FILE *out = NULL;

	if (d != NULL && begin(d)) {
		d->in = in;
		out = fopencookie(d, "rb", io);
		if (out == NULL)
			d->end(d);
	}
	if (out == NULL) {
		free(d);
		snprintf(err, err_size, "out of memory");
	}
	return out;
}
#endif

FILE *
fcn_decompress_stream(FILE *in, char *err, size_t err_size)
{
	const int first = getc(in);

	if (first != EOF)
		ungetc(first, in);
	switch (first) {
	case GZIP_BEGIN:
#ifdef FCN_HAS_ZLIB
		return wrap(in, gzip_begin, err, err_size);
#else
		snprintf(err, err_size, "compressed by gzip, and fastcn was built without zlib");
		return NULL;
#endif
	case ZSTD_BEGIN:
#ifdef FCN_HAS_ZSTD
		return wrap(in, zstd_begin, err, err_size);
#else
		snprintf(err, err_size, "compressed by zstd, and fastcn was built without libzstd");
		return NULL;
#endif
	default:
		return in;
	}
}
