/** An estimate that settles while items are verified, as a line with a band. */

import { count, decimals } from './language.js';
import { places, surface, ticks } from './surface.js';

/** An estimate after n items. */
export interface Estimate {
  readonly n: number;
  readonly mean: number;
  readonly stderr: number;
}

/** A chart of estimates. */
export interface Chart {
  readonly canvas: HTMLCanvasElement;
  /** Begins anew: items is where the axis ends, and the dashed line is at exact. */
  readonly clear: (items: number, exact: number) => void;
  readonly add: (e: Estimate) => void;
}

const MARGIN = { left: 72, right: 14, top: 12, bottom: 46 };
const HEIGHT = 300;
/** How many standard errors of the widest point that counts the axis spans. */
const SPAN = 2.5;

/** Makes an empty chart. name says what the dashed line is. */
export function chart(axis: () => string, name: () => string): Chart {
  let items = 0;
  let exact = 0;
  let points: Estimate[] = [];

  /** The first points are so wide that they would flatten all others. */
  const reach = (): readonly [number, number] => {
    const last = points.at(-1);
    const usual = Math.abs(exact) * 0.006 || 0.02;
    if (!last) return [exact - usual, exact + usual];
    const shown = points.filter((p) => p.n >= last.n * 0.08);
    const far = Math.max(...shown.map((p) => Math.abs(p.mean - exact) + SPAN * p.stderr));
    return [exact - (far || usual), exact + (far || usual)];
  };

  const { canvas, invalidate } = surface(
    () => HEIGHT,
    (ctx, width, height, colours) => {
      const right = width - MARGIN.right;
      const bottom = height - MARGIN.bottom;
      const [low, high] = reach();
      const x = (n: number): number => MARGIN.left + ((right - MARGIN.left) * n) / (items || 1);
      const y = (v: number): number => bottom - ((bottom - MARGIN.top) * (v - low)) / (high - low);

      ctx.lineWidth = 1;
      ctx.strokeStyle = colours.rule;
      ctx.fillStyle = colours.soft;
      const vertical = ticks(low, high, 5);
      ctx.textAlign = 'right';
      ctx.textBaseline = 'middle';
      for (const v of vertical) {
        const at = Math.round(y(v)) + 0.5;
        ctx.beginPath();
        ctx.moveTo(MARGIN.left, at);
        ctx.lineTo(right, at);
        ctx.stroke();
        ctx.fillText(decimals(v, places(vertical)), MARGIN.left - 8, at);
      }
      ctx.textBaseline = 'top';
      const room = Math.max(2, Math.floor((right - MARGIN.left) / 100));
      for (const n of items > 0 ? ticks(0, items, room) : []) {
        ctx.textAlign = n === 0 ? 'left' : x(n) > right - 30 ? 'right' : 'center';
        ctx.fillText(count(n), x(n), bottom + 7);
      }
      ctx.textAlign = 'right';
      ctx.fillText(axis(), right, bottom + 25);
      ctx.strokeStyle = colours.soft;
      ctx.beginPath();
      ctx.moveTo(MARGIN.left, bottom + 0.5);
      ctx.lineTo(right, bottom + 0.5);
      ctx.stroke();

      ctx.save();
      ctx.beginPath();
      ctx.rect(MARGIN.left, MARGIN.top, right - MARGIN.left, bottom - MARGIN.top);
      ctx.clip();
      if (points.length > 0) {
        ctx.beginPath();
        for (const p of points) ctx.lineTo(x(p.n), y(p.mean + p.stderr));
        for (const p of [...points].reverse()) ctx.lineTo(x(p.n), y(p.mean - p.stderr));
        ctx.closePath();
        ctx.globalAlpha = 0.2;
        ctx.fillStyle = colours.accent;
        ctx.fill();
        ctx.globalAlpha = 1;
        ctx.beginPath();
        for (const p of points) ctx.lineTo(x(p.n), y(p.mean));
        ctx.lineWidth = 1.75;
        ctx.strokeStyle = colours.accent;
        ctx.stroke();
      }
      ctx.restore();

      ctx.setLineDash([6, 4]);
      ctx.lineWidth = 1.25;
      ctx.strokeStyle = colours.ink;
      ctx.beginPath();
      ctx.moveTo(MARGIN.left, y(exact));
      ctx.lineTo(right, y(exact));
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.fillStyle = colours.ink;
      ctx.textAlign = 'left';
      ctx.textBaseline = 'bottom';
      ctx.fillText(name(), MARGIN.left + 3, y(exact) - 3);

      const last = points.at(-1);
      if (!last) return;
      ctx.beginPath();
      ctx.arc(x(last.n), y(last.mean), 3.5, 0, 2 * Math.PI);
      ctx.fillStyle = colours.accent;
      ctx.fill();
      ctx.beginPath();
      for (const end of [-1, 1]) {
        ctx.moveTo(x(last.n) - 4, y(last.mean + end * last.stderr));
        ctx.lineTo(x(last.n) + 4, y(last.mean + end * last.stderr));
      }
      ctx.moveTo(x(last.n), y(last.mean - last.stderr));
      ctx.lineTo(x(last.n), y(last.mean + last.stderr));
      ctx.strokeStyle = colours.accent;
      ctx.lineWidth = 1.5;
      ctx.stroke();
    },
  );
  return {
    canvas,
    clear: (n, at) => {
      items = n;
      exact = at;
      points = [];
      invalidate();
    },
    add: (e) => {
      const last = points.at(-1);
      if (!(e.n > 1) || !Number.isFinite(e.stderr) || (last && e.n <= last.n)) return;
      points.push(e);
      invalidate();
    },
  };
}
