/** A QR code as a drawing of its own: black on white in every theme, as scanners want it. */

import { encode } from 'uqr';
import { onLanguage, t } from './language.js';

const SVG = 'http://www.w3.org/2000/svg';
/** The quiet zone that the standard asks for, in modules. */
const QUIET = 4;

/** Makes the code for a text. */
export function qrCode(text: string): SVGSVGElement {
  const { size, data } = encode(text, { ecc: 'L', border: 0 });
  const side = size + 2 * QUIET;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${side} ${side}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('shape-rendering', 'crispEdges');
  svg.classList.add('qr');
  const path = document.createElementNS(SVG, 'path');
  let d = '';
  data.forEach((row, y) => {
    row.forEach((dark, x) => {
      if (dark) d += `M${x + QUIET} ${y + QUIET}h1v1h-1z`;
    });
  });
  path.setAttribute('d', d);
  svg.append(path);
  onLanguage(() => svg.setAttribute('aria-label', t('qr')));
  return svg;
}
