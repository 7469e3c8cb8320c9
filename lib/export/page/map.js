// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

// The heat map: a row for each port, a column for each class, and in it how full the queue is.

import {bits, bytes, element, setClass, setText, short, whole} from "./format.js";
import {History, Line} from "./history.js";

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];
const STEPS = 8;

export const STATES = {
	quiet: {sign: "", text: "below its threshold"},
	told: {sign: "\u25cb", text: "congested in the last second"},
	congested: {sign: "\u25b2", text: "congested"},
	dropping: {sign: "\u2715", text: "dropping packets"},
};

// What an operator has to know of a queue first.
export function stateOf(q)
{
	if (q.dropped_per_s > 0 || (q.limit_bytes > 0 && q.occ_last >= 0.98 * q.limit_bytes))
		return "dropping";
	if (q.congested || (q.threshold_bytes !== null && q.occ_last >= q.threshold_bytes))
		return "congested";
	return q.notices_per_s > 0 || q.ce_marked_per_s > 0 ? "told" : "quiet";
}

// How hot a queue is, 0 to 1: the threshold is in the middle, the limit at the end.
export function heatOf(q)
{
	const {occ_last: now, threshold_bytes: threshold, limit_bytes: limit} = q;
	if (threshold === null || threshold >= limit)
		return limit > 0 ? Math.min(1, now / limit) : 0;
	return now < threshold ? 0.5 * now / threshold : Math.min(1, 0.5 + 0.5 * (now - threshold) / (limit - threshold));
}

const SEVERITY = Object.keys(STATES);

function sentence(q)
{
	const parts = [`${q.port} class ${q.class}: ${bytes(q.occ_last)} of ${bytes(q.limit_bytes)}`, STATES[stateOf(q)].text];
	if (q.level !== null)
		parts.push(`level ${q.level}`);
	parts.push(`threshold ${q.threshold}`, `highest ${bytes(q.occ_max)}`);
	if (q.dropped_per_s > 0)
		parts.push(`${whole(q.dropped_per_s)} drops a second`);
	return parts.join(", ");
}

export class QueueMap {
	constructor(place, legend, details, which)
	{
		Object.assign(this, {place, details, which});
		this.lines = new Map(); // by name of the port
		this.history = new Map(); // by "port/class"
		this.chosen = null;
		this.names = []; // of the ports, in their order
		this.worst = new Map(); // by name of the port
		this.at = null; // the button that Tab leads to
		this.heads = CLASSES.map((c) => element("th", {scope: "col", class: "idle"},
			element("span", {class: "wide"}, "Class "), String(c)));
		this.body = element("tbody");
		this.table = element("table", {class: "map"},
			element("caption", {class: "unseen"}, "Bytes in each queue; arrow keys move, Enter shows a queue"),
			element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "Port"),
				...this.heads,
				element("th", {scope: "col", class: "rate"}, "In"), element("th", {scope: "col", class: "rate"}, "Out"))),
			this.body);
		place.append(this.table);
		this.table.addEventListener("keydown", (event) => this.key(event));
		this.table.addEventListener("click", (event) => this.click(event));
		for (const [name, state] of Object.entries(STATES))
			legend.append(element("span", {class: "swatch s-" + name}, state.sign || "\u00a0"), state.text + " ");
		legend.append(element("span", {class: "scale", "aria-hidden": "true"},
			...Array.from({length: STEPS + 1}, (_, i) => element("span", {class: "h" + i}))),
			"empty to the limit; the threshold is in the middle. In a cell: the bar is the occupancy, the line the threshold, " +
			"the dot the highest since ", element("code", {}, "clear watermarks"), ".");
		this.buildDetails();
	}

	buildDetails()
	{
		this.line = new Line();
		this.list = element("dl", {class: "facts"});
		this.title = element("h3", {id: "queue-title"});
		this.close = element("button", {type: "button"}, "Close");
		this.close.addEventListener("click", () => {
			this.chosen = null;
			this.details.hidden = true;
			if (this.at)
				this.at.focus();
		});
		this.details.append(element("div", {class: "head"}, this.title, this.close), this.list, this.line.svg);
	}

	click(event)
	{
		const button = event.target.closest("button");
		if (!button)
			return;
		this.moveTo(button);
		this.chosen = button.dataset.queue;
		this.drawDetails();
	}

	// Left and right go through the queues of a port and on to the next port, up and down to the nearest class.
	key(event)
	{
		const button = event.target.closest("button");
		if (!button || !/^Arrow/.test(event.key))
			return;
		event.preventDefault();
		const rows = [...this.body.rows].filter((row) => !row.hidden).map((row) => [...row.querySelectorAll("button")])
			.filter((buttons) => buttons.length > 0);
		const r = rows.findIndex((buttons) => buttons.includes(button)), i = rows[r].indexOf(button);
		const column = (b) => b.closest("td").cellIndex;
		const nearest = (buttons) => buttons && buttons.reduce((x, y) =>
			(Math.abs(column(y) - column(button)) < Math.abs(column(x) - column(button)) ? y : x));
		const next = {
			ArrowLeft: () => rows[r][i - 1] || (rows[r - 1] && rows[r - 1][rows[r - 1].length - 1]),
			ArrowRight: () => rows[r][i + 1] || (rows[r + 1] && rows[r + 1][0]),
			ArrowUp: () => nearest(rows[r - 1]),
			ArrowDown: () => nearest(rows[r + 1]),
		}[event.key]();
		if (!next)
			return;
		this.moveTo(next);
		next.focus();
	}

	moveTo(button)
	{
		if (this.at)
			this.at.tabIndex = -1;
		this.at = button;
		button.tabIndex = 0;
	}

	addLine(name)
	{
		const line = {
			row: element("tr"), head: element("th", {scope: "row"}), cells: [],
			rx: element("td", {class: "rate number"}), tx: element("td", {class: "rate number"}),
			name: element("span"), note: element("span", {class: "note"}),
		};
		line.head.append(line.name, line.note);
		line.cells = CLASSES.map(() => element("td", {class: "unused"}));
		line.row.append(line.head, ...line.cells, line.rx, line.tx);
		setText(line.name, name);
		this.lines.set(name, line);
		return line;
	}

	updateCell(cell, q)
	{
		const state = stateOf(q);
		let button = cell.firstElementChild;
		if (!button) {
			button = element("button", {type: "button", tabindex: "-1", "data-queue": `${q.port}/${q.class}`},
				element("span", {class: "value"}), element("span", {class: "sign", "aria-hidden": "true"}),
				element("span", {class: "bar"}));
			cell.replaceChildren(button);
			if (!this.at)
				this.moveTo(button);
		}
		setClass(cell, `h${Math.round(heatOf(q) * STEPS)} s-${state}`);
		const [value, sign, bar] = button.children;
		setText(value, short(q.occ_last, 2));
		setText(sign, STATES[state].sign + (q.level !== null ? " L" + q.level : ""));
		const percent = (part) => Math.min(100, q.limit_bytes > 0 ? 100 * part / q.limit_bytes : 0).toFixed(1) + "%";
		bar.style.setProperty("--now", percent(q.occ_last));
		bar.style.setProperty("--most", percent(q.occ_max));
		bar.style.setProperty("--threshold", q.threshold_bytes === null ? "-10%" : percent(q.threshold_bytes));
		bar.hidden = q.occ_max === 0;
		const said = sentence(q);
		if (button.getAttribute("aria-label") !== said) {
			button.setAttribute("aria-label", said);
			button.title = said;
		}
	}

	update(ports, queues)
	{
		const worst = new Map();
		const used = new Set();
		const named = new Set(ports.map((p) => p.port));
		for (const p of ports)
			this.updatePort(p);
		for (const q of queues) {
			const line = this.lines.get(q.port);
			if (!line)
				continue;
			used.add(line.cells[q.class]);
			this.updateCell(line.cells[q.class], q);
			worst.set(q.port, Math.max(worst.get(q.port) || 0, SEVERITY.indexOf(stateOf(q)) + heatOf(q)));
			const key = `${q.port}/${q.class}`;
			if (!this.history.has(key))
				this.history.set(key, new History());
			this.history.get(key).push(q.occ_last);
		}
		const classes = new Set(queues.map((q) => q.class));
		this.heads.forEach((head, c) => setClass(head, classes.has(c) ? "" : "idle"));
		for (const [name, line] of this.lines) {
			if (!named.has(name)) {
				line.row.remove();
				this.lines.delete(name);
				continue;
			}
			for (const cell of line.cells)
				if (!used.has(cell) && cell.className !== "unused") {
					cell.className = "unused";
					cell.replaceChildren();
				}
		}
		if (this.at && !this.at.isConnected) {
			const first = this.body.querySelector("button");
			this.at = null;
			if (first)
				this.moveTo(first);
		}
		this.queues = new Map(queues.map((q) => [`${q.port}/${q.class}`, q]));
		this.names = ports.map((p) => p.port);
		this.worst = worst;
		this.arrange();
		this.drawDetails();
	}

	updatePort(p)
	{
		const line = this.lines.get(p.port) || this.addLine(p.port);
		setClass(line.row, p.state === "up" ? "" : "down");
		setText(line.note, p.state === "up" ? "" : " " + p.state);
		setText(line.rx, bits(p.rx_bps));
		setText(line.tx, bits(p.tx_bps));
		line.head.title = `${p.port}, ${p.state}, link ${bits(p.link_bps)}`;
	}

	// Rows in the order that is asked for. While one has the focus, they stay where they are.
	arrange()
	{
		const which = this.which.value;
		const keep = which === "first" && this.body.contains(document.activeElement);
		const worst = (name) => this.worst.get(name) || 0;
		const names = which === "first" ? [...this.names].sort((a, b) => worst(b) - worst(a)) : this.names;
		names.forEach((name, i) => {
			const row = this.lines.get(name).row;
			row.hidden = which === "only" && worst(name) < 1;
			if (!row.isConnected || (!keep && this.body.rows[i] !== row))
				this.body.insertBefore(row, this.body.rows[i] || null);
		});
	}

	drawDetails()
	{
		const q = this.chosen && this.queues.get(this.chosen);
		this.details.hidden = !q;
		if (!q)
			return;
		const facts = {
			"State": STATES[stateOf(q)].text + (q.level !== null ? `, level ${q.level}` : ""),
			"Occupancy": `${whole(q.occ_last)} B, highest ${whole(q.occ_max)} B`,
			"Threshold": q.threshold, "Limit": `${whole(q.limit_bytes)} B`,
			"Rate": bits(q.rate_bps), "Packets": whole(q.packets),
			"Dropped": `${whole(q.dropped)}, ${short(q.dropped_per_s)}/s`,
			"Marked CE": `${whole(q.ce_marked)}, ${short(q.ce_marked_per_s)}/s`,
			"Notices": `${q.notify ? "on" : "off"}, ${whole(q.notices)}, ${short(q.notices_per_s)}/s`,
			"More": `show queue ${q.port} class ${q.class} detail`,
		};
		setText(this.title, `Queue of ${q.port}, class ${q.class}`);
		if (this.list.children.length === 0)
			for (const name of Object.keys(facts))
				this.list.append(element("div", {}, element("dt", {}, name), element("dd")));
		Object.values(facts).forEach((text, i) => setText(this.list.children[i].lastElementChild, text));
		this.line.draw(this.history.get(this.chosen), q.threshold_bytes);
	}
}
