/** A canvas that keeps its sharpness and its colours when things around it change. */

import { onTheme, type Palette, palette } from './colour.js';
import { h } from './dom.js';
import { onLanguage } from './language.js';

/** Draws on a surface of the given size in CSS pixels. */
export type Draw = (ctx: CanvasRenderingContext2D, width: number, height: number, colours: Palette) => void;

/** A drawing. */
export interface Surface {
  readonly canvas: HTMLCanvasElement;
  /** Draws again, in the next frame, however often it is called until then. */
  readonly invalidate: () => void;
}

/** The font of drawings: the page's own, in the size of its captions. */
export const FONT = "14px 'Source Sans 3 Variable', system-ui, sans-serif";

/** Makes a canvas as wide as its place, and as high as height says for a width. */
export function surface(height: (width: number) => number, draw: Draw): Surface {
  const canvas = h('canvas', { role: 'img' });
  const ctx = canvas.getContext('2d');
  let asked = false;
  let width = 0;

  const paint = (): void => {
    asked = false;
    if (!ctx || width === 0) return;
    const tall = height(width);
    const ratio = devicePixelRatio || 1;
    const wide = Math.round(width * ratio);
    const high = Math.round(tall * ratio);
    // A new size clears a canvas too, but takes new memory for it.
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.style.height = `${tall}px`;
      canvas.width = wide;
      canvas.height = high;
    } else ctx.clearRect(0, 0, wide, high);
    ctx.save();
    ctx.scale(ratio, ratio);
    ctx.font = FONT;
    draw(ctx, width, tall, palette());
    ctx.restore();
  };
  const invalidate = (): void => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(paint);
  };

  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry?.contentRect.width ?? 0);
    if (now === width) return;
    width = now;
    invalidate();
  }).observe(canvas);
  onTheme(invalidate);
  onLanguage(invalidate);
  document.fonts.addEventListener('loadingdone', invalidate);
  return { canvas, invalidate };
}

/**
 * Returns round numbers that divide a range into about n parts: steps of 1, 2 or
 * 5 times a power of ten.
 */
export function ticks(low: number, high: number, n: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const rough = span / n;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10) * power;
  const out: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) out.push(i * step + 0); // + 0 turns −0 into 0
  return out;
}

/** Returns how many decimals it takes to write all numbers of an axis. */
export function places(marks: readonly number[]): number {
  const near = Math.max(...marks.map(Math.abs), Number.MIN_VALUE) * 1e-6;
  const enough = (d: number): boolean => marks.every((m) => Math.abs(Number(m.toFixed(d)) - m) <= near);
  let d = 0;
  while (d < 12 && !enough(d)) d++;
  return d;
}
