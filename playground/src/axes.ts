/** The axes of a drawing: round numbers, rules, and where a value lies. */

import type { Palette } from './colour.js';
import { figure } from './language.js';
import { ticks } from './surface.js';

/** One axis. */
export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly label: string;
  /** Writes a mark; figures by default. */
  readonly mark?: (v: number) => string;
  /** The marks themselves, where round numbers say nothing. */
  readonly marks?: readonly number[];
}

/** Where values lie, in CSS pixels. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: (v: number) => number;
  readonly y: (v: number) => number;
}

const MARGIN = { left: 66, right: 14, top: 26, bottom: 46 };

/** Draws axes and the horizontal rules, and returns where values lie. */
export function axes(
  ctx: CanvasRenderingContext2D,
  width: number,
  height: number,
  colours: Palette,
  across: Axis,
  up: Axis,
): Plot {
  const left = MARGIN.left;
  const right = width - MARGIN.right;
  const top = MARGIN.top;
  const bottom = height - MARGIN.bottom;
  const place = (a: Axis, from: number, to: number) => {
    const span = a.high - a.low || 1;
    return (v: number): number => from + ((to - from) * (v - a.low)) / span;
  };
  const x = place(across, left, right);
  const y = place(up, bottom, top);
  const write = (a: Axis, v: number): string => (a.mark ?? ((n: number) => figure(n, 4)))(v);

  ctx.lineWidth = 1;
  ctx.strokeStyle = colours.rule;
  ctx.fillStyle = colours.soft;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  ctx.beginPath();
  for (const v of up.marks ?? ticks(up.low, up.high, Math.max(2, Math.floor((bottom - top) / 50)))) {
    const at = Math.round(y(v)) + 0.5;
    ctx.moveTo(left, at);
    ctx.lineTo(right, at);
    ctx.fillText(write(up, v), left - 8, at);
  }
  ctx.stroke();
  ctx.textBaseline = 'top';
  const room = Math.max(2, Math.floor((right - left) / 80));
  let after = Number.NEGATIVE_INFINITY;
  for (const v of across.marks ?? ticks(across.low, across.high, room)) {
    const text = write(across, v);
    const half = ctx.measureText(text).width / 2;
    const at = Math.min(right - half, Math.max(left + half, x(v)));
    if (at - half < after + 8) continue; // no room beside the one before
    after = at + half;
    ctx.textAlign = 'center';
    ctx.fillText(text, at, bottom + 7);
  }
  ctx.textAlign = 'right';
  ctx.fillText(across.label, right, bottom + 25);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  ctx.fillText(up.label, left, 2);
  ctx.strokeStyle = colours.soft;
  ctx.beginPath();
  ctx.moveTo(left, bottom + 0.5);
  ctx.lineTo(right, bottom + 0.5);
  ctx.stroke();
  return { left, right, top, bottom, x, y };
}
