/**
 * All shards of a run in the order of their items: as small shapes while there
 * are few, and as pixels when there are many. A cursor tells about each.
 */

import { ACCEPTED, type Board, DISPUTED, HELD, LEASED, QUEUED, states } from './board.js';
import { channels, css, type Palette, pick, tint, word } from './colour.js';
import { announce, h, say } from './dom.js';
import { count, onLanguage, t } from './language.js';
import { SHAPED, shape, stamp, summary } from './marks.js';
import { surface } from './surface.js';

/** A map of shards. */
export interface ShardMap {
  readonly element: HTMLElement;
  readonly update: (b: Board | undefined) => void;
  /** Colours verified shards by who computed them. */
  readonly byDevice: (on: boolean) => void;
}

const GAP = 3;
const LARGE = 14;
/** More shards than this are pixels. */
const SHAPES = 2048;
/** The height that pixels may take; where there are more shards, one pixel stands for several. */
const TALL = 160;
const MOST_SIDE = 4;

/** How shards are laid out. Side and gap are in CSS pixels; each place holds per shards. */
interface Layout {
  readonly side: number;
  readonly gap: number;
  readonly columns: number;
  readonly rows: number;
  readonly per: number;
}

function layout(shards: number, width: number): Layout {
  if (shards <= SHAPES) {
    for (let side = LARGE; ; side--) {
      const columns = Math.max(1, Math.floor((width + GAP) / (side + GAP)));
      const rows = Math.max(1, Math.ceil(shards / columns));
      if (rows <= 8 || side <= SHAPED) return { side, gap: GAP, columns, rows, per: 1 };
    }
  }
  for (let side = MOST_SIDE; side > 0; side--) {
    const columns = Math.max(1, Math.floor(width / side));
    const rows = Math.ceil(shards / columns);
    if (rows * side <= TALL) return { side, gap: 0, columns, rows, per: 1 };
  }
  const columns = Math.max(1, Math.floor(width));
  const per = Math.ceil(shards / (columns * TALL));
  return { side: 1, gap: 0, columns, rows: Math.ceil(shards / per / columns), per };
}

/** Makes an empty map. nameOf names a device by its number on the board. */
export function shardMap(nameOf: (worker: number) => string): ShardMap {
  let board: Board | undefined;
  let tinted = false;
  let cursor: number | undefined;
  const pixels = document.createElement('canvas');
  let image: ImageData | undefined;
  const shown = (): number => board?.shards ?? 0;

  const drawShapes = (ctx: CanvasRenderingContext2D, b: Board, { side, columns }: Layout, colours: Palette): void => {
    const paths = states.map(() => new Path2D());
    const mine = b.workers.map(() => new Path2D());
    for (let i = 0; i < b.shards; i++) {
      const state = b.states[i] ?? QUEUED;
      const path = tinted && state === ACCEPTED ? mine[b.by[i] ?? 0] : paths[state];
      if (path) shape(path, state, (i % columns) * (side + GAP), Math.floor(i / columns) * (side + GAP), side);
    }
    for (const [state, path] of paths.entries()) stamp(ctx, path, state, colours);
    for (const [n, path] of mine.entries()) {
      ctx.fillStyle = css(pick(tint(n), 0.5));
      ctx.fill(path);
    }
  };

  /** One pixel a place. Of several shards it shows the one that is furthest behind. */
  const drawPixels = (ctx: CanvasRenderingContext2D, b: Board, l: Layout, colours: Palette): void => {
    const { columns, rows, per, side } = l;
    if (image?.width !== columns || image.height !== rows) {
      pixels.width = columns;
      pixels.height = rows;
      image = new ImageData(columns, rows);
    }
    const words = new Uint32Array(image.data.buffer).fill(0);
    const tones = new Uint32Array(states.length);
    for (const [state, colour] of [
      [QUEUED, colours.rule],
      [LEASED, colours.ink],
      [HELD, colours.soft],
      [ACCEPTED, colours.accent],
      [DISPUTED, colours.warn],
    ] as const) {
      tones[state] = word(channels(colour));
    }
    const mine = Uint32Array.from(b.workers, (_, n) => word(pick(tint(n), 0.5)));
    const { states: now, by, shards } = b;
    if (per === 1) {
      for (let i = 0; i < shards; i++) {
        const state = now[i] ?? QUEUED;
        words[i] = (tinted && state === ACCEPTED ? mine[by[i] ?? 0] : tones[state]) ?? 0;
      }
    } else {
      for (let place = 0, i = 0; i < shards; place++) {
        let worst = ACCEPTED;
        for (const end = Math.min(shards, i + per); i < end; i++) {
          const state = now[i] ?? QUEUED;
          if (state < worst || state === DISPUTED) worst = state;
        }
        words[place] = tones[worst] ?? 0;
      }
    }
    pixels.getContext('2d')?.putImageData(image, 0, 0);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(pixels, 0, 0, columns * side, rows * side);
  };

  const { canvas, invalidate } = surface(
    (width) => {
      const { side, gap, rows } = layout(shown(), width);
      return rows * (side + gap) + (gap ? 0 : GAP);
    },
    (ctx, width, _, colours) => {
      if (!board) return;
      const l = layout(board.shards, width);
      if (l.gap > 0) drawShapes(ctx, board, l, colours);
      else drawPixels(ctx, board, l, colours);
      if (cursor === undefined) return;
      const place = Math.floor(cursor / l.per);
      const step = l.side + l.gap;
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 2;
      const grow = l.gap > 0 ? 2 : 3;
      ctx.strokeRect(
        (place % l.columns) * step - grow,
        Math.floor(place / l.columns) * step - grow,
        l.side + 2 * grow,
        l.side + 2 * grow,
      );
    },
  );
  canvas.removeAttribute('role');
  canvas.setAttribute('aria-hidden', 'true');

  const readout = h('p', { class: 'readout' });
  const textOf = (shard: number): string => {
    const state = board?.states[shard] ?? QUEUED;
    const what = t('shardIs', { shard: count(shard), state: t(states[state] ?? 'queued') });
    return state === QUEUED || !board ? what : t('cellBy', { what, who: nameOf(board.by[shard] ?? 0) });
  };
  const tell = (aloud: boolean): void => {
    say(readout, cursor === undefined ? '\u00a0' : textOf(cursor));
    if (aloud && cursor !== undefined) announce(textOf(cursor));
  };
  const go = (shard: number, aloud: boolean): void => {
    const next = Math.min(shown() - 1, Math.max(0, shard));
    if (next < 0 || (next === cursor && !aloud)) return;
    cursor = next;
    tell(aloud);
    invalidate();
  };
  const onKey = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey || !board) return;
    const { columns, per } = layout(board.shards, canvas.clientWidth);
    const row = columns * per;
    const at = cursor ?? -per;
    const to: Readonly<Record<string, number>> = {
      ArrowLeft: at - per,
      ArrowRight: at + per,
      ArrowUp: at - row,
      ArrowDown: at + row,
      PageUp: at - 10 * row,
      PageDown: at + 10 * row,
      Home: 0,
      End: board.shards - 1,
    };
    const target = to[e.key];
    if (target === undefined) return;
    e.preventDefault();
    go(target, true);
  };
  const onPointer = (e: PointerEvent): void => {
    if (!board) return;
    const l = layout(board.shards, canvas.clientWidth);
    const step = l.side + l.gap;
    const column = Math.floor(e.offsetX / step);
    const place = Math.floor(e.offsetY / step) * l.columns + column;
    if (column < l.columns && place * l.per < board.shards) go(place * l.per, false);
  };
  canvas.addEventListener('pointermove', onPointer);
  canvas.addEventListener('pointerdown', onPointer);

  const grid = h('div', { class: 'shards', role: 'application', tabindex: 0, keydown: onKey }, canvas);
  const element = h('div', {}, grid, readout);
  grid.addEventListener('focus', () => describe());
  const describe = (): void => {
    grid.setAttribute('aria-label', board ? `${t('shardMapRole')} ${summary(board)}` : t('shardMapRole'));
    tell(false);
  };
  onLanguage(describe);
  return {
    element,
    update: (b) => {
      const other = b !== board;
      if (other) cursor = undefined;
      board = b;
      element.hidden = shown() === 0;
      // In between it is described to who comes to it: sixty new names a second help nobody.
      if (other || b?.counts[ACCEPTED] === b?.shards) describe();
      else tell(false);
      invalidate();
    },
    byDevice: (on) => {
      tinted = on;
      invalidate();
    },
  };
}
