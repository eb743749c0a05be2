/** Scores of folds by penalty: as dots with their mean, and as a matrix. */

import { axes } from './axes.js';
import { css, pick, colours as scale } from './colour.js';
import { decimals, figure } from './language.js';
import { surface, ticks } from './surface.js';

/** Scores; NaN while not verified. */
export interface Scores {
  readonly penalties: readonly number[];
  readonly folds: number;
  /** By fold, then penalty. */
  readonly at: (fold: number, penalty: number) => number;
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
  /** The position of the chosen penalty, or -1. */
  readonly chosen: number;
  readonly metric: string;
  readonly fold: string;
  readonly penalty: string;
}

/** The two drawings. */
export interface FoldPlots {
  readonly dots: HTMLCanvasElement;
  readonly matrix: HTMLCanvasElement;
  readonly update: (s: Scores) => void;
}

const HEIGHT = 300;
const ROW = 22;
const MARGIN = { left: 66, right: 14, top: 4, bottom: 46 };
/** A number fits in cells of this width. */
const WRITTEN = 44;

const span = (values: readonly number[]): readonly [number, number] | undefined => {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return undefined;
  return [Math.min(...known), Math.max(...known)];
};

/** Makes the drawings, empty. */
export function foldPlots(): FoldPlots {
  let s: Scores | undefined;

  const all = (of: Scores): number[] =>
    Array.from({ length: of.folds * of.penalties.length }, (_, i) =>
      of.at(Math.floor(i / of.penalties.length), i % of.penalties.length),
    );

  const dots = surface(
    () => HEIGHT,
    (ctx, width, height, colours) => {
      if (!s) return;
      const [least, most] = span(all(s)) ?? [0, 1];
      const room = (most - least) * 0.06 || 0.01;
      const n = s.penalties.length;
      const { x, y } = axes(
        ctx,
        width,
        height,
        colours,
        {
          low: -0.5,
          high: n - 0.5,
          label: s.penalty,
          marks: s.penalties.map((_, i) => i),
          mark: (i) => figure(s?.penalties[i] ?? Number.NaN, 3),
        },
        { low: least - room, high: most + room, label: s.metric },
      );
      const step = x(1) - x(0);
      ctx.fillStyle = colours.soft;
      ctx.globalAlpha = 0.55;
      for (let p = 0; p < n; p++) {
        for (let f = 0; f < s.folds; f++) {
          const v = s.at(f, p);
          if (!Number.isFinite(v)) continue;
          // Side by side, so that equal scores are seen apart.
          const aside = s.folds > 1 ? (f / (s.folds - 1) - 0.5) * Math.min(step * 0.4, 40) : 0;
          ctx.beginPath();
          ctx.arc(x(p) + aside, y(v), 2.5, 0, 2 * Math.PI);
          ctx.fill();
        }
      }
      ctx.globalAlpha = 1;
      ctx.strokeStyle = colours.accent;
      ctx.fillStyle = colours.accent;
      ctx.lineWidth = 1.75;
      ctx.beginPath();
      for (const [p, m] of s.mean.entries()) if (Number.isFinite(m)) ctx.lineTo(x(p), y(m));
      ctx.stroke();
      for (const [p, m] of s.mean.entries()) {
        const d = s.deviation[p] ?? 0;
        if (!Number.isFinite(m)) continue;
        ctx.beginPath();
        ctx.moveTo(x(p), y(m - d));
        ctx.lineTo(x(p), y(m + d));
        ctx.stroke();
        ctx.beginPath();
        ctx.arc(x(p), y(m), 3.5, 0, 2 * Math.PI);
        ctx.fill();
      }
      const best = s.mean[s.chosen];
      if (best === undefined || !Number.isFinite(best)) return;
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.arc(x(s.chosen), y(best), 8, 0, 2 * Math.PI);
      ctx.stroke();
    },
  );

  const matrix = surface(
    () => MARGIN.top + MARGIN.bottom + ROW * (s?.folds ?? 1),
    (ctx, width, height, colours) => {
      if (!s) return;
      const n = s.penalties.length;
      const wide = (width - MARGIN.left - MARGIN.right) / n;
      const [least, most] = span(all(s)) ?? [0, 1];
      ctx.textBaseline = 'middle';
      for (let f = 0; f < s.folds; f++) {
        const top = MARGIN.top + f * ROW;
        for (let p = 0; p < n; p++) {
          const v = s.at(f, p);
          const left = MARGIN.left + p * wide;
          const known = Number.isFinite(v);
          const share = most > least ? (v - least) / (most - least) : 1;
          ctx.fillStyle = known ? css(pick(scale, share)) : colours.rule;
          ctx.fillRect(left, top, wide - 1, ROW - 1);
          if (!known || wide < WRITTEN) continue;
          ctx.fillStyle = share > 0.55 ? '#000' : '#fff';
          ctx.textAlign = 'center';
          ctx.fillText(decimals(v, 3), left + wide / 2, top + ROW / 2);
        }
      }
      ctx.fillStyle = colours.soft;
      ctx.textAlign = 'right';
      for (const f of ticks(0, Math.max(1, s.folds - 1), Math.min(s.folds, 10))) {
        if (Number.isInteger(f) && f < s.folds) ctx.fillText(figure(f), MARGIN.left - 8, MARGIN.top + (f + 0.5) * ROW);
      }
      ctx.textBaseline = 'top';
      ctx.textAlign = 'center';
      const bottom = height - MARGIN.bottom;
      const every = Math.max(1, Math.ceil(58 / wide));
      for (let p = 0; p < n; p += every) {
        ctx.fillText(figure(s.penalties[p] ?? Number.NaN, 3), MARGIN.left + (p + 0.5) * wide, bottom + 6);
      }
      ctx.textAlign = 'right';
      ctx.fillText(s.penalty, width - MARGIN.right, bottom + 25);
      ctx.textAlign = 'left';
      ctx.fillText(s.fold, 0, bottom + 6);
      if (s.chosen < 0) return;
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 2;
      ctx.strokeRect(MARGIN.left + s.chosen * wide, MARGIN.top, wide - 1, s.folds * ROW - 1);
    },
  );

  return {
    dots: dots.canvas,
    matrix: matrix.canvas,
    update: (next) => {
      s = next;
      dots.invalidate();
      matrix.invalidate();
    },
  };
}
