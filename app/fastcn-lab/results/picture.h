/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A picture that gnuplot draws. The file DIR/NAME.gp holds the data and the commands that draw
 * them, so that a user can change it and draw it again (gnuplot NAME.gp). It makes NAME.svg and
 * NAME.png.
 */

#ifndef LAB_PICTURE_H
#define LAB_PICTURE_H

#include <stdint.h>
#include <stdio.h>

/* Commands of gnuplot, from the .gp files of these names. */
extern const char lab_gp_style[];
extern const char lab_gp_over_time[];
extern const char lab_gp_slowdown[];
extern const char lab_gp_bars[];
extern const char lab_gp_sweep[];

struct lab_picture {
	FILE *out; /**< the .gp file */
	FILE *err;
	const char *dir;
	char name[64];
};

/** Create DIR/NAME.gp. @return 0, or -1 with a message on err */
int lab_picture_begin(struct lab_picture *p, const char *dir, const char *name, FILE *err);

/** Define a variable of gnuplot. */
void lab_picture_text(struct lab_picture *p, const char *name, const char *text);
void lab_picture_count(struct lab_picture *p, const char *name, unsigned int value);
void lab_picture_number(struct lab_picture *p, const char *name, double value);

/** Begin a block of data, $name; lab_picture_data_end() ends it. */
void lab_picture_data(struct lab_picture *p, const char *name);
void lab_picture_data_end(struct lab_picture *p);
/** Write a column of text into a line of data. */
void lab_picture_cell(struct lab_picture *p, const char *text);

#define LAB_NO_GNUPLOT 1 /**< there is no gnuplot: only NAME.gp was written */
#define LAB_NO_GNUPLOT_TEXT "no pictures: gnuplot is not installed (Debian: gnuplot-nox)\n"
#define LAB_NOT_DRAWN 2 /**< gnuplot failed, with a message on err */

/**
 * Add the commands that draw the picture, close its file and run gnuplot on it.
 *
 * @return 0, LAB_NO_GNUPLOT, LAB_NOT_DRAWN, or -1 when NAME.gp could not be written, with a message
 * on err
 */
int lab_picture_end(struct lab_picture *p, const char *script);

/** The unit in which numbers up to the largest one are easy to read, such as "KB" with divisor
 * 1000. */
struct lab_unit {
	const char *name;
	double divisor;
};
struct lab_unit lab_unit_bytes(double largest);
struct lab_unit lab_unit_time(double largest_ns);
struct lab_unit lab_unit_rate(double largest_bps);

#endif /* LAB_PICTURE_H */
