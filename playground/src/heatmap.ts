/** The map of a sweep, cell by cell, with a cursor that keys and pointer move. */

import { ACCEPTED, DISPUTED, HELD, LEASED, QUEUED, states } from './board.js';
import { channels, colours, greys, type Palette, type Scale, tint, word } from './colour.js';
import { h } from './dom.js';
import { axisValue, type Grid, type OutputName, outputs, type Span } from './grid.js';
import { decimals, onLanguage, t } from './language.js';
import { SHAPED, shape, stamp } from './marks.js';
import { places, surface, ticks } from './surface.js';

/** How the map is coloured. */
export interface Look {
  output: OutputName;
  grey: boolean;
  byDevice: boolean;
}

/** A map. */
export interface Heatmap {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly look: Look;
  readonly set: (g: Grid) => void;
  /** Draws again what has changed, or all of it after a change of look. */
  readonly refresh: () => void;
}

const MARGIN = { left: 62, right: 14, top: 58, bottom: 50 };
const BAR = { top: 4, height: 14 };
/** A letter of the device fits in cells of this size. */
const LETTERED = 15;
const PAGE = 10;

const packs = new Map<Scale, Uint32Array>();

/** Returns a scale as pixels. */
const packed = (s: Scale): Uint32Array => {
  const known = packs.get(s);
  if (known) return known;
  const made = Uint32Array.from(s, word);
  packs.set(s, made);
  return made;
};

const strips = new Map<Scale, HTMLCanvasElement>();

/** Returns a scale as a picture one pixel high. */
function strip(s: Scale): HTMLCanvasElement {
  const known = strips.get(s);
  if (known) return known;
  const made = document.createElement('canvas');
  made.width = s.length;
  made.height = 1;
  const image = new ImageData(s.length, 1);
  new Uint32Array(image.data.buffer).set(packed(s));
  made.getContext('2d')?.putImageData(image, 0, 0);
  strips.set(s, made);
  return made;
}

/** Makes a map. moved tells which item the cursor is on; by keys, it is to be announced. */
export function heatmap(first: Grid, moved: (item: number, byKeys: boolean) => void): Heatmap {
  let g = first;
  let cursor: { x: number; y: number } | undefined;
  const look: Look = { output: 'final', grey: false, byDevice: false };
  const pixels = document.createElement('canvas');

  const tall = (width: number): number => {
    const plot = width - MARGIN.left - MARGIN.right;
    return MARGIN.top + MARGIN.bottom + Math.max(120, Math.min(plot, (plot * g.gamma.count) / g.beta.count, 560));
  };
  const box = (width: number, height: number) => {
    const plot = {
      x: MARGIN.left,
      y: MARGIN.top,
      w: width - MARGIN.left - MARGIN.right,
      h: height - MARGIN.top - MARGIN.bottom,
    };
    return { ...plot, cw: plot.w / g.beta.count, ch: plot.h / g.gamma.count };
  };
  type Box = ReturnType<typeof box>;

  /** Calls back for every shard of the map with the range of its items. */
  const eachShard = (visit: (state: number, by: number, first: number, end: number) => void): void => {
    if (!g.board) {
      visit(QUEUED, 0, 0, g.items);
      return;
    }
    const { states: now, by, grain, shards } = g.board;
    for (let i = 0; i < shards; i++) visit(now[i] ?? QUEUED, by[i] ?? 0, i * grain, Math.min(g.items, (i + 1) * grain));
  };
  const columnOf = (item: number): number => Math.floor(item / g.gamma.count);
  const rowOf = (item: number): number => g.gamma.count - 1 - (item % g.gamma.count);

  let image: ImageData | undefined;

  /** One pixel a cell; what is not verified stays clear, or gets a tone where cells are too small for shapes. */
  const fill = (p: Palette, small: boolean): void => {
    const across = g.beta.count;
    const up = g.gamma.count;
    if (image?.width !== across || image.height !== up) {
      pixels.width = across;
      pixels.height = up;
      image = new ImageData(across, up);
    }
    const words = new Uint32Array(image.data.buffer).fill(0);
    const tones: Partial<Record<number, number>> = small
      ? { [LEASED]: word(channels(p.rule)), [HELD]: word(channels(p.soft)), [DISPUTED]: word(channels(p.warn)) }
      : {};
    const plain = packed(look.grey ? greys : colours);
    const column = outputs.indexOf(look.output);
    const { cells } = g;
    eachShard((state, by, from, end) => {
      const scale = look.byDevice ? packed(tint(by)) : plain;
      const tone = tones[state];
      if (state !== ACCEPTED && tone === undefined) return;
      let x = Math.floor(from / up);
      let y = up - 1 - (from % up);
      for (let item = from; item < end; item++) {
        const v = cells[item * outputs.length + column] ?? 0;
        words[y * across + x] = tone ?? scale[Math.round(v * (scale.length - 1))] ?? 0;
        if (--y < 0) {
          y = up - 1;
          x++;
        }
      }
    });
    pixels.getContext('2d')?.putImageData(image, 0, 0);
  };

  const drawShapes = (ctx: CanvasRenderingContext2D, b: Box, p: Palette): void => {
    const side = Math.min(b.cw, b.ch);
    if (side < SHAPED) return;
    const paths = states.map(() => new Path2D());
    const inner = Math.min(side - 2, 14);
    eachShard((state, _, from, end) => {
      const path = paths[state];
      if (state === ACCEPTED || !path) return;
      for (let item = from; item < end; item++) {
        const x = b.x + columnOf(item) * b.cw + (b.cw - inner) / 2;
        shape(path, state, x, b.y + rowOf(item) * b.ch + (b.ch - inner) / 2, inner);
      }
    });
    for (const [state, path] of paths.entries()) if (state !== ACCEPTED) stamp(ctx, path, state, p);
  };

  const drawLetters = (ctx: CanvasRenderingContext2D, b: Box): void => {
    if (!look.byDevice || !g.board || g.board.workers.length < 2 || Math.min(b.cw, b.ch) < LETTERED) return;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    eachShard((state, by, from, end) => {
      if (state !== ACCEPTED) return;
      for (let item = from; item < end; item++) {
        ctx.fillStyle = g.value(item, look.output) > 0.5 ? '#000' : '#fff';
        ctx.fillText(letterOf(by), b.x + (columnOf(item) + 0.5) * b.cw, b.y + (rowOf(item) + 0.5) * b.ch + 1);
      }
    });
  };

  /** The scale above the map: always 0 … 1, so that no colour changes its meaning. */
  const drawBar = (ctx: CanvasRenderingContext2D, b: Box, p: Palette): void => {
    ctx.imageSmoothingEnabled = true;
    ctx.drawImage(strip(look.grey || look.byDevice ? greys : colours), b.x, BAR.top, b.w, BAR.height);
    ctx.strokeStyle = p.soft;
    ctx.lineWidth = 1;
    ctx.strokeRect(b.x + 0.5, BAR.top + 0.5, b.w - 1, BAR.height - 1);
    ctx.fillStyle = p.soft;
    ctx.textBaseline = 'top';
    for (const v of [0, 0.25, 0.5, 0.75, 1]) {
      ctx.textAlign = v === 0 ? 'left' : v === 1 ? 'right' : 'center';
      ctx.fillText(decimals(v, v === 0 || v === 1 ? 0 : 2), b.x + v * b.w, BAR.top + BAR.height + 4);
    }
  };

  const drawAxes = (ctx: CanvasRenderingContext2D, b: Box, p: Palette): void => {
    ctx.strokeStyle = p.soft;
    ctx.fillStyle = p.soft;
    ctx.lineWidth = 1;
    ctx.strokeRect(b.x - 0.5, b.y - 0.5, b.w + 1, b.h + 1);
    const across = labels(g.beta, Math.max(3, Math.floor(b.w / 90)));
    ctx.textBaseline = 'top';
    for (const { at, text } of across) {
      ctx.textAlign = 'center';
      ctx.fillText(text, b.x + at * b.w, b.y + b.h + 6);
    }
    const up = labels(g.gamma, Math.max(3, Math.floor(b.h / 60)));
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    for (const { at, text } of up) ctx.fillText(text, b.x - 7, b.y + (1 - at) * b.h);
    ctx.fillStyle = p.ink;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'bottom';
    ctx.fillText(`β (${t('perDay')})`, b.x + b.w / 2, b.y + b.h + MARGIN.bottom - 4);
    ctx.save();
    ctx.translate(6, b.y + b.h / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textBaseline = 'top';
    ctx.fillText(`γ (${t('perDay')})`, 0, 0);
    ctx.restore();
  };

  /** The line where both rates are equal: beyond it nothing spreads. */
  const drawThreshold = (ctx: CanvasRenderingContext2D, b: Box): void => {
    const x = (v: number): number => b.x + (position(g.beta, v) ?? Number.NaN) * b.w;
    const y = (v: number): number => b.y + (1 - (position(g.gamma, v) ?? Number.NaN)) * b.h;
    const from = Math.max(g.beta.from, g.gamma.from);
    const to = Math.min(g.beta.to, g.gamma.to);
    if (!(to > from) || g.beta.count < 2 || g.gamma.count < 2) return;
    ctx.save();
    ctx.beginPath();
    ctx.rect(b.x, b.y, b.w, b.h);
    ctx.clip();
    ctx.beginPath();
    ctx.moveTo(x(from), y(from));
    ctx.lineTo(x(to), y(to));
    ctx.lineWidth = 3;
    ctx.strokeStyle = '#000';
    ctx.setLineDash([7, 5]);
    ctx.stroke();
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = '#fff';
    ctx.stroke();
    ctx.restore();
  };

  const drawCursor = (ctx: CanvasRenderingContext2D, b: Box): void => {
    if (!cursor) return;
    const x = b.x + cursor.x * b.cw;
    const y = b.y + (g.gamma.count - 1 - cursor.y) * b.ch;
    const grow = Math.max(0, (9 - Math.min(b.cw, b.ch)) / 2);
    for (const [width, colour] of [
      [4, '#000'],
      [2, '#fff'],
    ] as const) {
      ctx.lineWidth = width;
      ctx.strokeStyle = colour;
      ctx.strokeRect(x - grow, y - grow, b.cw + 2 * grow, b.ch + 2 * grow);
    }
  };

  const { canvas, invalidate } = surface(tall, (ctx, width, height, p) => {
    const b = box(width, height);
    fill(p, Math.min(b.cw, b.ch) < SHAPED);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(pixels, b.x, b.y, b.w, b.h);
    drawShapes(ctx, b, p);
    drawLetters(ctx, b);
    drawThreshold(ctx, b);
    drawBar(ctx, b, p);
    drawAxes(ctx, b, p);
    drawCursor(ctx, b);
  });

  const go = (x: number, y: number, byKeys: boolean): void => {
    const clamp = (v: number, n: number): number => Math.min(n - 1, Math.max(0, v));
    const next = { x: clamp(x, g.beta.count), y: clamp(y, g.gamma.count) };
    if (cursor && next.x === cursor.x && next.y === cursor.y && !byKeys) return;
    cursor = next;
    moved(next.x * g.gamma.count + next.y, byKeys);
    invalidate();
  };
  const onKey = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const { x, y } = cursor ?? { x: 0, y: 0 };
    const step = e.shiftKey ? PAGE : 1;
    const to: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [x - step, y],
      ArrowRight: [x + step, y],
      ArrowUp: [x, y + step],
      ArrowDown: [x, y - step],
      PageUp: [x, y + PAGE],
      PageDown: [x, y - PAGE],
      Home: [0, y],
      End: [g.beta.count - 1, y],
    };
    const target = to[e.key];
    if (!target) return;
    e.preventDefault();
    if (cursor) go(target[0], target[1], true);
    else go(0, 0, true);
  };
  const onPointer = (e: PointerEvent): void => {
    const b = box(canvas.clientWidth, canvas.clientHeight);
    const x = Math.floor((e.offsetX - b.x) / b.cw);
    const y = g.gamma.count - 1 - Math.floor((e.offsetY - b.y) / b.ch);
    if (x >= 0 && y >= 0 && x < g.beta.count && y < g.gamma.count) go(x, y, false);
  };
  canvas.addEventListener('pointermove', onPointer);
  canvas.addEventListener('pointerdown', onPointer);

  const element = h(
    'div',
    { class: 'map', role: 'application', tabindex: 0, 'aria-label$': 'mapRole', keydown: onKey },
    canvas,
  );
  onLanguage(invalidate);
  return {
    element,
    canvas,
    look,
    set: (next) => {
      const same = next.beta.count === g.beta.count && next.gamma.count === g.gamma.count;
      g = next;
      if (!same) cursor = undefined;
      invalidate();
    },
    refresh: invalidate,
  };
}

/** Names the n-th device by a letter. */
export const letterOf = (n: number): string => String.fromCharCode(65 + (n % 26));

/** Returns where on an axis a value's cell has its middle, 0 … 1. */
function position({ from, to, count }: Span, v: number): number {
  const inner = to === from ? 0 : (v - from) / (to - from);
  return (inner * (count - 1) + 0.5) / count;
}

/** Returns the labels of an axis: about n round numbers within it, two at least. */
function labels(s: Span, n: number): { at: number; text: string }[] {
  const low = Math.min(s.from, s.to);
  const high = Math.max(s.from, s.to);
  let marks = s.count === 1 ? [axisValue(s, 0)] : ticks(low, high, n);
  for (let more = n + 1; marks.length < 2 && s.count > 1 && more < 3 * n; more++) marks = ticks(low, high, more);
  return marks.map((v) => ({ at: position(s, v), text: decimals(v, places(marks)) }));
}
