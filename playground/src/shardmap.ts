/** All shards of a run as small squares, in the order of their items. */

import { ACCEPTED, type Board, states } from './board.js';
import { css, pick, tint } from './colour.js';
import { SHAPED, shape, stamp, summary } from './marks.js';
import { surface } from './surface.js';

/** A map of shards. */
export interface ShardMap {
  readonly canvas: HTMLCanvasElement;
  readonly update: (b: Board | undefined) => void;
  /** Colours verified shards by who computed them. */
  readonly byDevice: (on: boolean) => void;
}

const GAP = 3;
const LARGE = 14;
/** More shards than this are counted, not drawn. */
const MOST = 8192;

/** Returns the side of a square and how many stand in a row. */
function layout(shards: number, width: number): { side: number; columns: number } {
  for (let side = LARGE; ; side--) {
    const columns = Math.max(1, Math.floor((width + GAP) / (side + GAP)));
    if (Math.ceil(shards / columns) <= 8 || side <= SHAPED) return { side, columns };
  }
}

/** Makes an empty map. */
export function shardMap(): ShardMap {
  let board: Board | undefined;
  let tinted = false;
  const drawn = (): number => (board && board.shards <= MOST ? board.shards : 0);

  const { canvas, invalidate } = surface(
    (width) => {
      const { side, columns } = layout(drawn(), width);
      return Math.max(1, Math.ceil(drawn() / columns)) * (side + GAP);
    },
    (ctx, width, _, colours) => {
      if (!board) return;
      const { side, columns } = layout(drawn(), width);
      const paths = states.map(() => new Path2D());
      const mine = board.workers.map(() => new Path2D());
      for (let i = 0; i < drawn(); i++) {
        const state = board.states[i] ?? 0;
        const path = tinted && state === ACCEPTED ? mine[board.by[i] ?? 0] : paths[state];
        if (path) shape(path, state, (i % columns) * (side + GAP), Math.floor(i / columns) * (side + GAP), side);
      }
      for (const [state, path] of paths.entries()) stamp(ctx, path, state, colours);
      for (const [n, path] of mine.entries()) {
        ctx.fillStyle = css(pick(tint(n), 0.5));
        ctx.fill(path);
      }
    },
  );
  return {
    canvas,
    update: (b) => {
      board = b;
      canvas.hidden = drawn() === 0;
      canvas.setAttribute('aria-label', b ? summary(b) : '');
      invalidate();
    },
    byDevice: (on) => {
      tinted = on;
      invalidate();
    },
  };
}
