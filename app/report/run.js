// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

"use strict";

const AXIS = 58, RIGHT = 12, ROW = 22, NAMED = 36, MARK = 2; // pixels: scale of values, right margin, a row of marks without and with its name, a mark
const HIGH = { one: 300, few: 190, many: 140 }, LINES_HIGH = 190; // panels
const DOTS = 700; // notices on a curve, at most

class Picture {
	constructor(data) {
		this.data = data;
		this.plots = document.getElementById("plots");
		this.tip = document.getElementById("tip");
		this.band = document.getElementById("cursor");
		this.chosen = document.getElementById("chosen");
		this.shown = document.getElementById("shown");
		this.view = [0, Math.max(1, data.end)];
		this.panels = [...document.querySelectorAll(".panel")].map(element => this.panel(element));
		this.axis = document.getElementById("axis");
		this.listen();
		this.from_address();
		this.layout();
	}

	panel(element) {
		const canvas = element.querySelector("canvas"), n = Number(element.dataset.n);
		const of = this.data[element.dataset.of][n];
		return { element, canvas, kind: element.dataset.of, of, rows: of.rows || [], labels: [...element.querySelectorAll(".label")] };
	}

	// ---- what is to be seen ----

	visible() {
		return this.panels.filter(p => !p.element.hidden);
	}

	layout() {
		const style = getComputedStyle(document.documentElement);
		this.colour = name => style.getPropertyValue("--" + name).trim();
		this.narrow = matchMedia("(max-width: 760px)").matches;
		this.row = this.narrow ? NAMED : ROW;
		const queues = this.visible().filter(p => p.kind === "queues").length;
		for (const p of this.visible()) {
			const least = p.element.querySelector(".text").offsetHeight + 6;
			const wanted = p.kind === "groups" ? 24 : p.kind === "lines" ? LINES_HIGH : queues === 1 ? HIGH.one : queues <= 3 ? HIGH.few : HIGH.many;
			p.plot = this.narrow ? wanted : Math.max(wanted, least);
			p.labels.forEach((label, i) => { label.style.top = p.plot + i * this.row + "px"; });
			p.canvas.style.height = p.plot + p.rows.length * this.row + 4 + "px";
		}
		this.draw();
	}

	// A context to draw with, in pixels of the page.
	begin(canvas) {
		const ratio = window.devicePixelRatio || 1, wide = canvas.clientWidth, high = canvas.clientHeight;
		canvas.width = Math.round(wide * ratio);
		canvas.height = Math.round(high * ratio);
		const c = canvas.getContext("2d");
		c.scale(ratio, ratio);
		c.font = "12px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
		return [c, wide - AXIS - RIGHT, high];
	}

	x(time, width) {
		return AXIS + (time - this.view[0]) / (this.view[1] - this.view[0]) * width;
	}

	draw() {
		this.draw_axis();
		for (const p of this.visible())
			this.draw_panel(p);
		const [from, to] = this.view;
		this.shown.textContent = time_text(from, to - from) + " to " + time_text(to, to - from);
		this.show_cursor();
	}

	// The time, below it all of the run with the part that is seen.
	draw_axis() {
		const [c, width] = this.begin(this.axis), [from, to] = this.view, end = Math.max(1, this.data.end);
		c.fillStyle = this.colour("soft");
		c.textAlign = "center";
		for (const t of this.time_ticks(width)) {
			const x = this.x(t, width);
			c.fillText(time_text(t, to - from), Math.min(Math.max(x, AXIS + 14), AXIS + width - 14), 44);
			c.fillRect(x, 48, 1, 4);
		}
		const high = 24, all = this.panels.filter(p => p.kind === "queues")[0];
		c.fillStyle = this.colour("raised");
		c.fillRect(AXIS, 2, width, high);
		if (all) {
			const [, tops] = all.of.level.columns(0, end, Math.ceil(width), t => t / end * width), top = Math.max(1, all.of.level.peak[0]);
			c.fillStyle = this.colour("quiet");
			tops.forEach((v, i) => { if (v > 0) c.fillRect(AXIS + i, 2 + high - high * v / top, 1, high * v / top); });
		}
		c.fillStyle = this.colour("band");
		c.strokeStyle = this.colour("accent");
		const left = AXIS + from / end * width, right = AXIS + to / end * width;
		c.fillRect(left, 2, right - left, high);
		c.strokeRect(left + 0.5, 2.5, Math.max(2, right - left - 1), high - 1);
	}

	time_ticks(width) {
		return ticks(this.view[0], this.view[1], Math.max(4, width / 120));
	}

	draw_panel(p) {
		const [c, width] = this.begin(p.canvas);
		c.fillStyle = this.colour("grid");
		for (const t of this.time_ticks(width))
			c.fillRect(Math.round(this.x(t, width)), 0, 1, p.plot + p.rows.length * this.row);
		if (p.kind === "queues")
			this.draw_queue(c, width, p);
		else if (p.kind === "lines")
			this.draw_lines(c, width, p);
		p.rows.forEach((row, i) => this.draw_row(c, width, row, p.plot + (i + 1) * this.row - 2));
	}

	// The scale of values, up to top. Gives the y of a value.
	scale(c, width, high, top, unit) {
		const y = v => high - 6 - v / top * (high - 16);
		c.textAlign = "right";
		for (const v of ticks(0, top, Math.max(2, high / 45))) {
			c.fillStyle = this.colour("grid");
			c.fillRect(AXIS, Math.round(y(v)), width, 1);
			c.fillStyle = this.colour("soft");
			c.fillText(short_text(v, unit), AXIS - 6, y(v) + 4);
		}
		return y;
	}

	columns(level, width) {
		return level.columns(this.view[0], this.view[1], Math.ceil(width), t => this.x(t, width) - AXIS);
	}

	stroke(c, y, [low, high], thick) {
		for (let i = 0; i < low.length; i++)
			if (high[i] >= 0) {
				// Joined to the column before, so that steps have no gaps.
				const l = i && high[i - 1] < low[i] ? high[i - 1] : low[i], h = i && low[i - 1] > high[i] ? low[i - 1] : high[i];
				c.fillRect(AXIS + i, y(h) - thick / 2, 1, Math.max(thick, y(l) - y(h)));
			}
	}

	draw_queue(c, width, p) {
		const found = this.columns(p.of.level, width), [, high] = found;
		const seen = Math.max(1, ...high), near = p.of.limits.map(l => l[1]).filter(v => v < 3 * seen);
		const top = 1.06 * Math.max(seen, ...near), y = this.scale(c, width, p.plot, top, "bytes");
		c.fillStyle = this.colour("fill");
		high.forEach((v, i) => { if (v > 0) c.fillRect(AXIS + i, y(v), 1, y(0) - y(v)); });
		c.fillStyle = this.colour("accent");
		this.stroke(c, y, found, 1.4);
		this.draw_limits(c, width, p, y, top);
		this.draw_dots(c, width, p, y);
	}

	// Threshold and limit across the queue, and at the right from where each congestion level is.
	draw_limits(c, width, p, y, top) {
		p.of.levels.forEach((from, level) => {
			const to = Math.min(top, p.of.levels[level + 1] ?? top), start = Math.max(from, level === 0 ? p.of.limits[0][1] : 0);
			c.fillStyle = this.colour("level" + level);
			if (start < to)
				c.fillRect(AXIS + width + 3, y(to), 5, y(start) - y(to));
		});
		let last = Infinity;
		for (const [name, bytes] of p.of.limits.slice().sort((a, b) => a[1] - b[1])) {
			if (bytes > top)
				continue;
			const limit = name === "limit", at = Math.round(y(bytes)) + 0.5;
			c.strokeStyle = c.fillStyle = this.colour(limit ? "limit" : "threshold");
			c.setLineDash(limit ? [2, 3] : [7, 5]);
			c.beginPath();
			c.moveTo(AXIS, at);
			c.lineTo(AXIS + width, at);
			c.stroke();
			c.setLineDash([]);
			if (last - at > 13) {
				c.textAlign = "left";
				const text = name + " " + short_text(bytes, "bytes"), wide = c.measureText(text).width;
				c.save();
				c.fillStyle = this.colour("ground");
				c.globalAlpha = 0.8;
				c.fillRect(AXIS + width - wide - 11, at - 15, wide + 6, 13);
				c.restore();
				c.fillText(text, AXIS + width - wide - 8, at - 4);
				last = at;
			}
		}
	}

	// Notices that were sent, where the curve is then.
	draw_dots(c, width, p, y) {
		const [from, to] = this.view, dots = [];
		for (const row of p.rows.filter(r => r.tone === "sent"))
			for (const part of row.parts)
				for (let k = lower(part.from, from); k < part.from.length && part.from[k] <= to; k++) {
					if (dots.length === DOTS)
						return;
					dots.push([part.from[k], part.to[k], part.colour]);
				}
		for (const [begin, end, colour] of dots) {
			c.beginPath();
			c.arc(this.x(begin, width), y(p.of.level.within(begin, Math.min(end, begin + 1))[1]), 3.6, 0, 2 * Math.PI);
			c.fillStyle = this.colour(colour);
			c.strokeStyle = this.colour("ground");
			c.fill();
			c.stroke();
		}
	}

	draw_lines(c, width, p) {
		const found = p.of.of.map(one => this.columns(one.level, width));
		const top = 1.06 * Math.max(1e-9, ...found.map(([, high]) => Math.max(...high)));
		const y = this.scale(c, width, p.plot, top, p.of.unit);
		found.forEach((one, i) => {
			c.fillStyle = this.colour("c" + i);
			this.stroke(c, y, one, 1.5);
		});
	}

	// Marks as high as there are many in a place, at the most where there are most.
	draw_row(c, width, row, foot) {
		const n = Math.ceil(width / MARK), bins = row.parts.map(() => new Float64Array(n)), [from, to] = this.view;
		row.parts.forEach((part, i) => {
			for (let k = Math.max(0, upper(part.from, from) - 1); k < part.from.length && part.from[k] <= to; k++) {
				const a = Math.floor((this.x(part.from[k], width) - AXIS) / MARK);
				const b = this.data.exact ? a : Math.min(n - 1, Math.floor((this.x(Math.min(part.to[k], to), width) - AXIS) / MARK - 0.5));
				for (let bin = Math.max(0, a); bin <= Math.max(a, b) && bin < n; bin++)
					bins[i][bin] += part.n[k];
			}
		});
		let most = 0;
		for (let bin = 0; bin < n; bin++)
			most = Math.max(most, bins.reduce((sum, b) => sum + b[bin], 0));
		c.fillStyle = this.colour("line");
		c.fillRect(AXIS, foot, width, 1);
		for (let bin = 0; bin < n && most; bin++) {
			let y = foot;
			const sum = bins.reduce((s, b) => s + b[bin], 0), high = sum ? Math.max(4, (ROW - 6) * sum / most) : 0;
			bins.forEach((b, i) => {
				if (!b[bin])
					return;
				c.fillStyle = this.colour(row.parts[i].colour);
				y -= high * b[bin] / sum;
				c.fillRect(AXIS + bin * MARK, y, MARK, high * b[bin] / sum);
			});
		}
		if (this.narrow) {
			c.fillStyle = this.colour("text");
			c.textAlign = "left";
			c.fillText(row.name + ": " + whole(row.total), AXIS + 4, foot - ROW + 4);
		}
	}

	// ---- where the pointer is ----

	// A span of a few pixels around a place of the picture.
	point(x) {
		const { left, width } = this.inner(), per = (this.view[1] - this.view[0]) / width;
		const at = this.view[0] + Math.min(Math.max(x - left, 0), width) * per;
		this.set_cursor(at, this.data.span(at - MARK * per, at + MARK * per));
	}

	// Where the picture is, without its scale.
	inner() {
		const box = (this.visible()[0] || { canvas: this.axis }).canvas.getBoundingClientRect();
		return { left: box.left + AXIS, width: Math.max(1, box.width - AXIS - RIGHT) };
	}

	set_cursor(at, span) {
		this.at = at;
		this.span = span;
		this.show_cursor();
	}

	show_cursor() {
		this.band.hidden = this.tip.hidden = !this.span;
		if (!this.span)
			return;
		const { left, width } = this.inner(), base = this.plots.getBoundingClientRect(), [from, to] = this.span;
		const x = t => left - base.left + (Math.min(Math.max(t, this.view[0]), this.view[1]) - this.view[0]) / (this.view[1] - this.view[0]) * width;
		this.band.style.left = x(from) + "px";
		this.band.style.width = Math.max(2, x(to) - x(from)) + "px";
		this.fill_tip();
		const tip = this.tip.getBoundingClientRect(), place = base.left + x(to) + 14;
		this.tip.style.left = Math.max(4, place + tip.width < window.innerWidth ? place : base.left + x(from) - tip.width - 14) + "px";
		const y = this.pointer_y ?? base.top + 40;
		this.tip.style.top = Math.max(8, Math.min(y + 14, window.innerHeight - tip.height - 8)) + "px";
	}

	fill_tip() {
		const [from, to] = this.span, table = document.createElement("table"), caption = table.createCaption();
		caption.textContent = whole(from) + " to " + whole(to) + " ns";
		this.tip.dataset.from = from;
		this.tip.dataset.to = to;
		const line = (name, value, data, colour) => {
			const row = table.insertRow(), head = document.createElement("th");
			if (colour)
				head.appendChild(document.createElement("i")).style.background = this.colour(colour);
			head.append(name);
			row.append(head);
			row.insertCell().textContent = value;
			Object.assign(row.dataset, data);
		};
		const unit = { bytes: " B", bps: " b/s", "": "" };
		const level = (name, one, of, colour) => {
			const found = one.within(from, to), [low, high] = found || [];
			if (found)
				line(name, (low === high ? "" : whole(low) + " to ") + whole(high) + unit[of], { series: name, low, high }, colour);
		};
		for (const p of this.visible()) {
			if (p.kind === "queues")
				level(p.of.name, p.of.level, "bytes");
			if (p.kind === "lines")
				p.of.of.forEach((one, i) => level(one.name, one.level, p.of.unit, "c" + i));
			for (const row of p.rows)
				row.within(from, to).forEach((n, i) => {
					if (n)
						line(row.name + (row.parts[i].name ? ", " + row.parts[i].name : ""), whole(n), { panel: p.of.name, row: row.name, part: row.parts[i].name, n },
							row.parts[i].colour);
				});
		}
		this.tip.replaceChildren(table);
	}

	// ---- another part of the run ----

	zoom(from, to) {
		const end = Math.max(1, this.data.end), span = Math.min(end, Math.max(20, to - from));
		from = Math.min(Math.max(0, from), end - span);
		this.view = [from, from + span];
		const whole_run = span === end;
		try {
			history.replaceState(null, "", whole_run ? "#" : `#from=${Math.round(from)}&to=${Math.round(from + span)}`);
		} catch {
			// Some browsers have no history for files.
		}
		this.draw();
	}

	by(factor, at = this.at ?? (this.view[0] + this.view[1]) / 2) {
		this.zoom(at - (at - this.view[0]) * factor, at + (this.view[1] - at) * factor);
	}

	pan(part) {
		const by = part * (this.view[1] - this.view[0]);
		this.zoom(this.view[0] + by, this.view[1] + by);
	}

	from_address() {
		const found = /^#from=(\d+)&to=(\d+)$/.exec(location.hash);
		if (found && Number(found[2]) > Number(found[1]))
			this.view = [Number(found[1]), Number(found[2])];
	}

	// Put the cursor on a time, and see to it that it is in the view.
	go(time) {
		const span = this.view[1] - this.view[0];
		if (time < this.view[0] || time > this.view[1])
			this.zoom(time - span / 2, time + span / 2);
		this.pointer_y = undefined;
		this.set_cursor(time, this.data.span(time, time + 1));
	}

	next(tone, back) {
		const from = this.at ?? (back ? Infinity : -1);
		const found = this.visible().flatMap(p => p.rows).filter(r => r.tone === tone).map(r => r.next(from, back)).filter(t => t !== undefined);
		if (found.length)
			this.go(back ? Math.max(...found) : Math.min(...found));
	}

	peak() {
		const tops = this.visible().filter(p => p.kind === "queues").map(p => p.of.level.peak).sort((a, b) => b[0] - a[0]);
		if (tops.length)
			this.go(tops[0][1]);
	}

	key(event) {
		const step = (this.view[1] - this.view[0]) / this.inner().width * MARK, at = this.at ?? this.view[0], back = event.shiftKey;
		const move = by => {
			this.pointer_y = undefined;
			const to = Math.min(Math.max(at + by, this.view[0]), this.view[1]);
			this.set_cursor(to, this.data.span(to - step, to + step));
		};
		const keys = {
			ArrowLeft: () => back ? this.pan(-0.25) : move(-step), ArrowRight: () => back ? this.pan(0.25) : move(step),
			Home: () => move(-Infinity), End: () => move(Infinity),
			"+": () => this.by(0.5), "=": () => this.by(0.5), "-": () => this.by(2), 0: () => this.zoom(0, this.data.end),
			n: () => this.next("sent", false), N: () => this.next("sent", true), d: () => this.next("drop", false), D: () => this.next("drop", true),
			p: () => this.peak(), Escape: () => { this.span = undefined; this.show_cursor(); },
		};
		if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		keys[event.key]();
	}

	// ---- what the user does ----

	listen() {
		const plots = this.plots;
		let begun; // where a part is being chosen
		const choose = event => {
			const { left, width } = this.inner(), base = plots.getBoundingClientRect().left, clip = v => Math.min(Math.max(v, left), left + width);
			const [a, b] = [clip(begun), clip(event.clientX)].sort((m, n) => m - n);
			this.chosen.style.left = a - base + "px";
			this.chosen.style.width = b - a + "px";
			return [a, b].map(v => this.view[0] + (v - left) / width * (this.view[1] - this.view[0]));
		};
		plots.addEventListener("pointerdown", event => {
			if (event.button !== 0 || event.target.tagName !== "CANVAS" || event.pointerType === "touch")
				return;
			begun = event.clientX;
			plots.setPointerCapture(event.pointerId);
		});
		plots.addEventListener("pointermove", event => {
			this.pointer_y = event.clientY;
			if (begun !== undefined) {
				this.chosen.hidden = Math.abs(event.clientX - begun) < 4;
				choose(event);
			}
			if (event.target.closest(".side"))
				this.span = undefined, this.show_cursor();
			else
				this.point(event.clientX);
		});
		plots.addEventListener("pointerup", event => {
			if (begun !== undefined && !this.chosen.hidden)
				this.zoom(...choose(event));
			begun = undefined;
			this.chosen.hidden = true;
		});
		plots.addEventListener("pointerleave", () => { this.span = undefined; this.show_cursor(); });
		plots.addEventListener("dblclick", () => this.zoom(0, this.data.end));
		plots.addEventListener("wheel", event => {
			if (!event.ctrlKey && !event.metaKey && document.activeElement !== plots)
				return;
			event.preventDefault();
			if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
				this.pan((event.deltaX || event.deltaY) / 1000);
			else
				this.by(1.0015 ** event.deltaY);
		}, { passive: false });
		plots.addEventListener("keydown", event => this.key(event));
		const overview = event => {
			const box = this.axis.getBoundingClientRect(), end = this.data.end, span = this.view[1] - this.view[0];
			const middle = (event.clientX - box.left - AXIS) / (box.width - AXIS - RIGHT) * end;
			this.zoom(middle - span / 2, middle + span / 2);
		};
		this.axis.addEventListener("pointerdown", event => { this.axis.setPointerCapture(event.pointerId); overview(event); });
		this.axis.addEventListener("pointermove", event => { if (event.buttons & 1) overview(event); });
		for (const [id, does] of Object.entries({ closer: () => this.by(0.5), farther: () => this.by(2), whole: () => this.zoom(0, this.data.end),
			earlier: () => this.pan(-0.25), later: () => this.pan(0.25), peak: () => this.peak(), notice: () => this.next("sent", false), drop: () => this.next("drop", false) }))
			document.getElementById(id)?.addEventListener("click", does);
		for (const box of document.querySelectorAll(".choices input"))
			box.addEventListener("change", () => { this.panels[Number(box.value)].element.hidden = !box.checked; this.layout(); });
		window.addEventListener("resize", () => this.layout());
		window.addEventListener("hashchange", () => { this.from_address(); this.draw(); });
		for (const query of ["(prefers-color-scheme: dark)", "(max-width: 760px)"])
			matchMedia(query).addEventListener("change", () => this.layout());
	}
}

// The data are JSON, compressed by zlib, in base 64.
async function start() {
	const packed = Uint8Array.from(atob(document.getElementById("data").textContent), c => c.charCodeAt(0));
	const text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
	window.picture = new Picture(new Data(JSON.parse(text)));
	document.body.dataset.ready = "yes";
}
start().catch(error => {
	document.getElementById("shown").textContent = "The picture cannot be drawn: " + error.message + ". The tables below are complete.";
});
