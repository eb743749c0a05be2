/** Quantiles as a curve, and as a table for who cannot see it. */

import { axes } from './axes.js';
import { h } from './dom.js';
import { figure, onLanguage, t } from './language.js';
import { surface } from './surface.js';

/** The quantiles of one output. */
export interface Quantiles {
  readonly n: number;
  readonly probabilities: readonly number[];
  readonly quantiles: readonly number[];
}

/** A drawing of quantiles. */
export interface QuantileView {
  readonly element: HTMLElement;
  readonly update: (q: Quantiles | undefined) => void;
}

const HEIGHT = 280;

/** Makes it, empty. */
export function quantileView(): QuantileView {
  let q: Quantiles | undefined;
  const { canvas, invalidate } = surface(
    () => HEIGHT,
    (ctx, width, height, colours) => {
      const values = q?.quantiles.filter(Number.isFinite) ?? [];
      const low = Math.min(...(values.length > 0 ? values : [0]));
      const high = Math.max(...(values.length > 0 ? values : [1]));
      const room = (high - low) * 0.05 || 0.5;
      const { x, y } = axes(
        ctx,
        width,
        height,
        colours,
        { low: 0, high: 1, label: t('probability') },
        { low: low - room, high: high + room, label: t('value') },
      );
      if (!q) return;
      ctx.strokeStyle = colours.accent;
      ctx.fillStyle = colours.accent;
      ctx.lineWidth = 1.75;
      ctx.beginPath();
      for (const [i, p] of q.probabilities.entries()) ctx.lineTo(x(p), y(q.quantiles[i] ?? Number.NaN));
      ctx.stroke();
      for (const [i, p] of q.probabilities.entries()) {
        ctx.beginPath();
        ctx.arc(x(p), y(q.quantiles[i] ?? Number.NaN), 3.5, 0, 2 * Math.PI);
        ctx.fill();
      }
    },
  );
  const body = h('tbody');
  const table = h(
    'table',
    { class: 'cells' },
    h('caption', { class: 'unseen', text: 'mcQuantiles' }),
    h(
      'thead',
      {},
      h('tr', {}, h('th', { scope: 'col', text: 'probability' }), h('th', { scope: 'col', text: 'value' })),
    ),
    body,
  );
  const paint = (): void => {
    const known = q?.quantiles.filter(Number.isFinite) ?? [];
    canvas.setAttribute(
      'aria-label',
      q && known.length > 0
        ? t('quantileSummary', { n: q.n, low: figure(Math.min(...known), 4), high: figure(Math.max(...known), 4) })
        : t('mcNothing'),
    );
    body.replaceChildren(
      ...(q?.probabilities ?? []).map((p, i) =>
        h('tr', {}, h('td', {}, figure(p)), h('td', {}, figure(q?.quantiles[i] ?? Number.NaN, 6))),
      ),
    );
    table.hidden = !q;
  };
  onLanguage(paint);
  return {
    element: h('div', {}, canvas, table),
    update: (next) => {
      q = next;
      paint();
      invalidate();
    },
  };
}
