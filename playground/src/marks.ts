/**
 * How the states of a shard look. Each has a shape of its own, so that colour is
 * never needed: a dot, a hatch, an outline, a full square, a cross.
 */

import { ACCEPTED, type Board, DISPUTED, HELD, LEASED, states } from './board.js';
import type { Palette } from './colour.js';
import { h } from './dom.js';
import { count, onLanguage, t } from './language.js';
import { surface } from './surface.js';

/** The side from which shapes can be told apart, in CSS pixels. */
export const SHAPED = 7;

/** Adds the shape of a state to a path: a square of the given side at x, y. */
export function shape(path: CanvasPath, state: number, x: number, y: number, side: number): void {
  switch (state) {
    case LEASED:
      for (const at of [0.3, 0.7]) {
        path.moveTo(x + side * (at - 0.3), y + side * (at + 0.3));
        path.lineTo(x + side * (at + 0.3), y + side * (at - 0.3));
      }
      return;
    case HELD:
      path.rect(x + side * 0.15, y + side * 0.15, side * 0.7, side * 0.7);
      return;
    case DISPUTED:
      path.moveTo(x + side * 0.15, y + side * 0.15);
      path.lineTo(x + side * 0.85, y + side * 0.85);
      path.moveTo(x + side * 0.85, y + side * 0.15);
      path.lineTo(x + side * 0.15, y + side * 0.85);
      return;
    case ACCEPTED:
      path.rect(x, y, side, side);
      return;
    default:
      path.rect(x + side / 2 - 0.75, y + side / 2 - 0.75, 1.5, 1.5);
  }
}

/** Returns how a state is drawn: filled or stroked, in which colour. */
export function style(state: number, colours: Palette): { readonly fill: boolean; readonly colour: string } {
  switch (state) {
    case LEASED:
    case HELD:
      return { fill: false, colour: colours.ink };
    case DISPUTED:
      return { fill: false, colour: colours.warn };
    case ACCEPTED:
      return { fill: true, colour: colours.accent };
    default:
      return { fill: true, colour: colours.soft };
  }
}

/** Draws shapes of one state, collected in a path. */
export function stamp(ctx: CanvasRenderingContext2D, path: Path2D, state: number, colours: Palette): void {
  const { fill, colour } = style(state, colours);
  ctx.lineWidth = 1.25;
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  if (fill) ctx.fill(path);
  else ctx.stroke(path);
}

/** A legend of the states with the number of shards in each. */
export interface Legend {
  readonly element: HTMLElement;
  readonly update: (b: Board | undefined) => void;
}

const SWATCH = 14;

/** Makes the legend. States that no shard is in stay, so that nothing jumps. */
export function legend(): Legend {
  let board: Board | undefined;
  const counts = states.map((name, state) => {
    const swatch = surface(
      () => SWATCH,
      (ctx, width, _, colours) => {
        ctx.strokeStyle = colours.rule;
        ctx.strokeRect(0.5, 0.5, width - 1, SWATCH - 1);
        const path = new Path2D();
        shape(path, state, 0, 0, SWATCH);
        stamp(ctx, path, state, colours);
      },
    ).canvas;
    swatch.removeAttribute('role');
    swatch.setAttribute('aria-hidden', 'true');
    const n = h('span', { class: 'number' });
    return { name, n, row: h('li', {}, swatch, h('span', { text: name }), n) };
  });
  const element = h('ul', { class: 'legend', 'aria-label$': 'shards' }, ...counts.map((c) => c.row));
  const update = (b: Board | undefined): void => {
    board = b;
    counts.forEach(({ name, n, row }, state) => {
      n.textContent = board ? count(board.counts[state] ?? 0) : '';
      // A dispute is rare, and its mark would only puzzle people.
      row.hidden = name === 'disputed' && !board?.counts[state];
    });
  };
  onLanguage(() => update(board));
  return { element, update };
}

/** Says in words where the shards stand. */
export function summary(b: Board): string {
  const list = states.flatMap((name, i) => (b.counts[i] ? [`${count(b.counts[i])} ${t(name)}`] : []));
  return t('shardSummary', { all: b.shards, list: list.join(', ') });
}
