/** Points of a plane over a thin path, with their mean ringed. */

import { axes } from './axes.js';
import { surface } from './surface.js';

/** What is drawn. */
export interface Cloud {
  /** Rows of numbers, and which of each are drawn; rows with NaN are not there yet. */
  readonly cells: Float64Array;
  readonly columns: number;
  readonly across: number;
  readonly up: number;
  /** Rows of three: the path behind the points. */
  readonly path: Float64Array;
  readonly mean: readonly [number, number] | undefined;
  readonly labels: readonly [string, string];
}

/** A drawing of points. */
export interface Scatter {
  readonly canvas: HTMLCanvasElement;
  readonly update: (c: Cloud) => void;
}

const HEIGHT = 420;
/** Up to so many points each is a disc; more are single squares, which overlap to a cloud. */
const DISCS = 5000;

/** Makes an empty drawing. */
export function scatter(): Scatter {
  let cloud: Cloud | undefined;

  const { canvas, invalidate } = surface(
    (width) => Math.min(HEIGHT, Math.max(260, width * 0.7)),
    (ctx, width, height, colours) => {
      if (!cloud) return;
      const { cells, columns, across, up, path, mean, labels } = cloud;
      const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
      const reach = (i: 0 | 1, v: number): void => {
        if (v < (low[i] ?? 0)) low[i] = v;
        if (v > (high[i] ?? 0)) high[i] = v;
      };
      for (let i = 0; i < path.length; i += 3) {
        reach(0, path[i + across] ?? Number.NaN);
        reach(1, path[i + up] ?? Number.NaN);
      }
      for (let i = 0; i < cells.length; i += columns) {
        reach(0, cells[i + across] ?? Number.NaN);
        reach(1, cells[i + up] ?? Number.NaN);
      }
      const axis = (i: 0 | 1) => {
        const [from = 0, to = 1] = [low[i], high[i]].map((v) => (Number.isFinite(v) ? v : undefined));
        const room = (to - from) * 0.05 || 1;
        return { low: from - room, high: to + room, label: labels[i] };
      };
      const { x, y } = axes(ctx, width, height, colours, axis(0), axis(1));
      ctx.lineWidth = 0.75;
      ctx.strokeStyle = colours.edge;
      ctx.globalAlpha = 0.6;
      ctx.beginPath();
      for (let i = 0; i < path.length; i += 3) ctx.lineTo(x(path[i + across] ?? 0), y(path[i + up] ?? 0));
      ctx.stroke();

      ctx.fillStyle = colours.accent;
      const discs = cells.length / columns <= DISCS;
      ctx.globalAlpha = discs ? 0.55 : 0.35;
      for (let i = 0; i < cells.length; i += columns) {
        const a = cells[i + across] ?? Number.NaN;
        if (Number.isNaN(a)) continue;
        const left = x(a);
        const top = y(cells[i + up] ?? 0);
        if (!discs) {
          ctx.fillRect(left - 0.75, top - 0.75, 1.5, 1.5);
          continue;
        }
        ctx.beginPath();
        ctx.arc(left, top, 2, 0, 2 * Math.PI);
        ctx.fill();
      }
      ctx.globalAlpha = 1;
      if (!mean) return;
      for (const [colour, wide] of [
        [colours.paper, 5],
        [colours.ink, 2],
      ] as const) {
        ctx.strokeStyle = colour;
        ctx.lineWidth = wide;
        ctx.beginPath();
        ctx.arc(x(mean[0]), y(mean[1]), 7, 0, 2 * Math.PI);
        ctx.stroke();
      }
    },
  );
  return {
    canvas,
    update: (c) => {
      cloud = c;
      invalidate();
    },
  };
}
