// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

"use strict";

// What the data are, and what they say about a span of time. Slices are those of slices.py: in each, a level has its least,
// greatest and last value, and a count how much happened. A span begins and ends with slices, so what is said about it is exact.
class Data {
	constructor(raw) {
		this.end = raw.end;
		this.exact = raw.exact;
		this.begins = sums(raw.begins);
		this.queues = raw.queues.map(q => ({ ...q, level: new Level(q.level, this.begins), rows: q.rows.map(r => new Row(r, this.begins)) }));
		this.lines = raw.lines.map(l => ({ ...l, of: l.of.map(one => ({ name: one.name, level: new Level(one.level, this.begins) })) }));
		this.groups = raw.groups.map(g => ({ name: g.name, rows: g.rows.map(r => new Row(r, this.begins)) }));
	}

	// The slice that a time is in.
	slice(time) {
		return upper(this.begins, time) - 1;
	}

	// A span that begins and ends where the data allow it: at any time if each moment has a slice, with slices otherwise.
	span(from, to) {
		from = Math.max(0, Math.floor(from));
		to = Math.max(from + 1, Math.ceil(to));
		if (this.exact)
			return [from, to];
		const after = this.slice(to - 1) + 1;
		return [this.begins[Math.max(0, this.slice(from))], after < this.begins.length ? this.begins[after] : Math.max(this.end, to)];
	}
}

// Sums of distances.
function sums(distances) {
	const found = new Float64Array(distances.length);
	let sum = 0;
	distances.forEach((d, i) => { found[i] = sum += d; });
	return found;
}

// How many of the sorted numbers are at most n; those below n.
function upper(numbers, n) {
	let low = 0, high = numbers.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (numbers[mid] <= n)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

function lower(numbers, n) {
	let low = 0, high = numbers.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (numbers[mid] < n)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

// When the slices of a series begin, and end.
function times(of, distances, begins) {
	const slices = sums(distances);
	of.from = Float64Array.from(slices, i => begins[i]);
	of.to = Float64Array.from(slices, i => i + 1 < begins.length ? begins[i + 1] : Infinity);
}

// A number that holds until it changes.
class Level {
	constructor(raw, begins) {
		times(this, raw.i, begins);
		this.high = Float64Array.from(raw.hi);
		this.low = this.high.map((h, k) => h - raw.lo[k]);
		this.last = this.high.map((h, k) => h - raw.end[k]);
		this.peak = raw.peak;
		this.start = raw.start; // before it, there is no number
	}

	// [least, greatest] in a span; null before there is any.
	within(from, to) {
		if (to <= this.start)
			return null;
		let k = lower(this.from, from), low = Infinity, high = -Infinity;
		if (from >= this.start && (k === this.from.length || this.from[k] > from))
			low = high = k > 0 ? this.last[k - 1] : 0;
		for (; k < this.from.length && this.from[k] < to; k++) {
			low = Math.min(low, this.low[k]);
			high = Math.max(high, this.high[k]);
		}
		return [low, high];
	}

	// Least and greatest in each column of a picture: x gives the column of a time.
	columns(from, to, width, x) {
		const low = new Float64Array(width).fill(Infinity), high = new Float64Array(width).fill(-Infinity);
		const put = (a, b, l, h) => {
			const end = Math.min(width - 1, Math.floor(b));
			for (let c = Math.max(0, Math.floor(a)); c <= end; c++) {
				low[c] = Math.min(low[c], l);
				high[c] = Math.max(high[c], h);
			}
		};
		let k = Math.max(0, upper(this.from, from) - 1), held = k > 0 ? this.last[k - 1] : 0, at = x(Math.max(from, this.start));
		for (; k < this.from.length && this.from[k] <= to; k++) {
			const begin = x(this.from[k]);
			put(at, begin, held, held);
			// A slice of one moment is a column; others go on to their end.
			const wide = this.low[k] === this.high[k] ? begin : Math.min(x(this.to[k]), width);
			put(begin, wide, this.low[k], this.high[k]);
			held = this.last[k];
			at = wide;
		}
		if (to > this.start)
			put(at, x(to), held, held);
		return [low, high];
	}
}

// What happened: a row of marks, with parts such as congestion levels.
class Row {
	constructor(raw, begins) {
		this.name = raw.name;
		this.tone = raw.tone;
		this.total = raw.total;
		this.parts = raw.parts.map(p => {
			const part = { name: p.name, n: p.n, colour: colour_of(raw.tone, p.name) };
			times(part, p.i, begins);
			return part;
		});
	}

	// How many in a span, of each part.
	within(from, to) {
		return this.parts.map(p => {
			let n = 0;
			for (let k = lower(p.from, from); k < p.from.length && p.from[k] < to; k++)
				n += p.n[k];
			return n;
		});
	}

	// The next time after, or the last one before, a time.
	next(time, back) {
		const found = this.parts.map(p => back ? p.from[lower(p.from, time) - 1] : p.from[upper(p.from, time)]).filter(t => t !== undefined);
		return found.length ? (back ? Math.max(...found) : Math.min(...found)) : undefined;
	}
}

function colour_of(tone, part) {
	const level = /^level ([0-7])$/.exec(part);
	if (level)
		return "level" + level[1];
	return { sent: "accent", "not sent": "quiet", drop: "drop" }[tone] || "other";
}

// ---- numbers as text ----

// Digits in groups of three, separated by narrow blanks.
function whole(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// A time in the unit that suits a span, with all digits.
function time_text(ns, span) {
	const [unit, size] = span >= 2e9 ? ["s", 1e9] : span >= 2e6 ? ["ms", 1e6] : span >= 2e3 ? ["µs", 1e3] : ["ns", 1];
	const digits = String(Math.round(ns / size * 1e9) / 1e9);
	return digits + "\u202f" + unit;
}

// A short number with a unit, for axes.
function short_text(n, unit) {
	const sizes = unit === "bps" ? [["Tb/s", 1e12], ["Gb/s", 1e9], ["Mb/s", 1e6], ["kb/s", 1e3], ["b/s", 1]] : unit === "bytes"
		? [["GB", 1e9], ["MB", 1e6], ["kB", 1e3], ["B", 1]] : [["", 1]];
	const [name, size] = sizes.find(s => n >= s[1]) || sizes[sizes.length - 1];
	return (n / size).toPrecision(3).replace(/\.?0+$/, m => m.startsWith(".") ? "" : m) + (name ? "\u202f" + name : "");
}

// Steps of an axis: 1, 2 or 5 times a power of ten, about so many.
function ticks(from, to, n) {
	const raw = (to - from) / n, power = 10 ** Math.floor(Math.log10(raw));
	const step = [1, 2, 5, 10].map(s => s * power).find(s => s >= raw);
	const found = [];
	for (let k = Math.ceil(from / step); k * step <= to; k++)
		found.push(k * step);
	return found;
}
