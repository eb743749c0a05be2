/** A histogram as bars. */

import { axes } from './axes.js';
import { count, figure, t } from './language.js';
import { surface } from './surface.js';

/** Bins and how many values each holds. */
export interface Bins {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

/** A drawing of bins. */
export interface Bars {
  readonly canvas: HTMLCanvasElement;
  readonly update: (b: Bins | undefined) => void;
}

const HEIGHT = 280;

/** Says in words what bins hold. */
function describe({ edges, counts }: Bins): string {
  const most = Math.max(0, ...counts);
  const at = counts.indexOf(most);
  return t('barsSummary', {
    n: counts.reduce((a, b) => a + b, 0),
    bins: counts.length,
    from: figure(edges[at] ?? 0, 4),
    to: figure(edges[at + 1] ?? 0, 4),
    most,
  });
}

/** Makes an empty drawing. label names what the values are. */
export function bars(label: () => string): Bars {
  let now: Bins | undefined;
  const { canvas, invalidate } = surface(
    () => HEIGHT,
    (ctx, width, height, colours) => {
      const edges = now && now.edges.length > 1 ? now.edges : [0, 1];
      const counts = now?.counts ?? [];
      const most = counts.reduce((a, b) => Math.max(a, b), 0);
      const { x, y, bottom } = axes(
        ctx,
        width,
        height,
        colours,
        { low: edges[0] ?? 0, high: edges.at(-1) ?? 1, label: label() },
        { low: 0, high: most * 1.04 || 1, label: t('barsAxis'), mark: count, ...(most < 1 && { marks: [0] }) },
      );
      ctx.fillStyle = colours.accent;
      for (const [i, n] of counts.entries()) {
        const from = x(edges[i] ?? 0);
        const wide = x(edges[i + 1] ?? 0) - from;
        // A gap tells bars apart as long as there is room for one.
        const gap = wide > 4 ? 1 : 0;
        ctx.fillRect(from + gap / 2, y(n), Math.max(wide - gap, 0.5), bottom - y(n));
      }
    },
  );
  return {
    canvas,
    update: (b) => {
      now = b;
      canvas.setAttribute('aria-label', b ? describe(b) : t('mcNothing'));
      invalidate();
    },
  };
}
