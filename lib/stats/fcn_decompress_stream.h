/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Compressed files, read as if they were not: gzip (RFC 1952, by zlib) and Zstandard (RFC 8878, by
 * libzstd). The first octet tells which of them a file is, and no capture file begins with it.
 */

#ifndef FCN_DECOMPRESS_STREAM_H
#define FCN_DECOMPRESS_STREAM_H

#include <stddef.h>
#include <stdio.h>

/**
 * Read a file without its compression.
 *
 * @param in  stream that was opened for reading, without a buffer (setvbuf()), and of which nothing
 *            was read yet; it need not be a regular file. The result owns it, and closes it when
 *            it is closed itself
 * @param err written on failure: the reason, a few words
 * @return `in` itself when the file is not compressed; NULL on failure, with `in` as it was: there
 *         is no memory, or fastcn was built without the library. When the data is damaged or ends
 *         early, reading fails with EIO
 */
FILE *fcn_decompress_stream(FILE *in, char *err, size_t err_size);

#endif /* FCN_DECOMPRESS_STREAM_H */
