/** Colours for drawings: the page's own, and scales for numbers. */

/** One colour of a canvas's pixels: red, green, blue, 0 … 255. */
export type Rgb = readonly [number, number, number];

/**
 * Converts OKLCH to linear sRGB, which may lie outside 0 … 1. Lightness 0 … 1,
 * chroma about 0 … 0.3, hue in degrees. The matrices are those of Björn
 * Ottosson's definition of OKLab.
 */
function linear(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const gamma = (x: number): number =>
  Math.round(255 * Math.min(1, Math.max(0, x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055)));

/**
 * Converts OKLCH to sRGB. Chroma that a screen cannot show is reduced, since
 * clipping channels would bend lightness and hue.
 */
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const shown = (c: number): boolean => linear(lightness, c, hue).every((x) => x > -1e-4 && x < 1.0001);
  let low = 0;
  let high = chroma;
  for (let i = 0; i < 16 && !shown(high); i++) {
    const middle = (low + high) / 2;
    if (shown(middle)) low = middle;
    else high = middle;
  }
  const [r, g, b] = linear(lightness, shown(high) ? high : low, hue);
  return [gamma(r), gamma(g), gamma(b)];
}

/** Steps of a scale: more than the eye tells apart. */
const STEPS = 256;

/** Colours for 0 … 1, rising evenly in lightness so that grey copies still read. */
export type Scale = readonly Rgb[];

const scale = (at: (x: number) => Rgb): Scale => Array.from({ length: STEPS }, (_, i) => at(i / (STEPS - 1)));

/** From deep violet over sea green to pale yellow. */
export const colours = scale((x) => oklch(0.26 + 0.67 * x, 0.095 + 0.035 * Math.sin(Math.PI * x), 305 - 205 * x));

/** The same lightness without hue. */
export const greys = scale((x) => oklch(0.24 + 0.7 * x, 0, 0));

/** Hues that stay apart for most kinds of colour vision, blue first. */
const HUES = [245, 55, 150, 340, 100, 295, 20, 195];

const tints = HUES.map((hue) => scale((x) => oklch(0.32 + 0.56 * x, 0.12 - 0.03 * x, hue)));

/** Returns the scale of the n-th device: one hue, in which value still shows as lightness. */
export const tint = (n: number): Scale => tints[n % tints.length] ?? greys;

/** Returns the colour of a number of 0 … 1. */
export const pick = (s: Scale, x: number): Rgb =>
  s[Math.round(Math.min(1, Math.max(0, x)) * (STEPS - 1))] ?? [128, 128, 128];

/** Writes a colour for a canvas. */
export const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;

/** One pixel as a canvas keeps it in memory; every engine that runs wasm is little-endian here. */
export const word = ([r, g, b]: Rgb): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

/** Splits a resolved CSS colour into its channels. */
export const channels = (colour: string): Rgb => {
  const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [r, g, b];
};

/** The page's colours as a canvas can use them. */
export interface Palette {
  readonly ink: string;
  readonly soft: string;
  readonly rule: string;
  readonly edge: string;
  readonly paper: string;
  readonly accent: string;
  readonly warn: string;
}

const NAMES = ['ink', 'soft', 'rule', 'edge', 'paper', 'accent', 'warn'] as const;

let known: Palette | undefined;

/**
 * Returns the page's colours. They are properties whose values differ with the
 * theme, so that the browser has to resolve them; that is done once a theme.
 */
export function palette(): Palette {
  known ??= read();
  return known;
}

function read(): Palette {
  const probe = document.createElement('i');
  probe.hidden = true;
  document.body.append(probe);
  const colours = NAMES.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours) as unknown as Palette;
}

/** Calls back when the theme changes under a drawing. */
export function onTheme(changed: () => void): void {
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']) {
    matchMedia(query).addEventListener('change', () => {
      known = undefined;
      changed();
    });
  }
}
