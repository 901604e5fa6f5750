/**
 * The accent colour of an application, with the contrast of WCAG 2.2 AA: buttons and links have to be legible in light and dark,
 * whatever colour an operator chose.
 */
export interface Accent {
  readonly light: Shade;
  readonly dark: Shade;
}

/** Colours as `#rrggbb`. */
export interface Shade {
  readonly accent: string;
  /** Text on the accent. */
  readonly text: string;
}

/** WCAG 2.2, success criterion 1.4.3. */
export const MIN_CONTRAST = 4.5;

/** The tokens of platform/ui/assets/gatehouse.css that the accent is seen with; a test compares them. */
export const CARD = { light: '#ffffff', dark: '#1c1f24' } as const;
const ON_ACCENT = { light: '#ffffff', dark: '#121417' } as const;
/** A quiet button under the pointer has so much of the accent in its ground, below text in the accent. */
const HOVER_PERCENT = 10;

/** Darker on the white card, lighter on the dark one, as far as needed; hue and saturation (HSL, CSS Color 4) stay. */
export function correctedAccent(color: string): Accent {
  const chosen = parse(color);
  return { light: shade(chosen, -STEP, 'light'), dark: shade(chosen, STEP, 'dark') };
}

/** Red, green, blue from 0 to 255. */
type Rgb = readonly [number, number, number];

/** Of the lightness. */
const STEP = 0.01;

function shade(chosen: Rgb, step: number, scheme: keyof typeof CARD): Shade {
  const card = parse(CARD[scheme]);
  const text = parse(ON_ACCENT[scheme]);
  const isLegible = (accent: Rgb) =>
    [card, mix(card, accent, HOVER_PERCENT), text].every(other => ratio(accent, other) >= MIN_CONTRAST);
  let accent = chosen;
  let lightness = lightnessOf(chosen);
  // Black and white are legible, so that it ends.
  while (!isLegible(accent)) {
    lightness = Math.min(Math.max(lightness + step, 0), 1);
    accent = withLightness(chosen, lightness);
  }
  return { accent: format(accent), text: ON_ACCENT[scheme] };
}

function lightnessOf(color: Rgb): number {
  return (Math.max(...color) + Math.min(...color)) / 2 / 255;
}

/** The channels lie around the lightness, at distances that the chroma scales; the saturation is the share of the chroma possible there. */
function withLightness(color: Rgb, lightness: number): Rgb {
  const before = lightnessOf(color);
  const possible = (at: number) => 1 - Math.abs(2 * at - 1);
  // Black and white have no chroma to scale.
  const scale = possible(before) === 0 ? 0 : possible(lightness) / possible(before);
  const channel = (place: 0 | 1 | 2) => Math.round((lightness + (color[place] / 255 - before) * scale) * 255);
  return [channel(0), channel(1), channel(2)];
}

/** WCAG 2.2, contrast ratio: 1 to 21. */
export function contrast(one: string, other: string): number {
  return ratio(parse(one), parse(other));
}

function ratio(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * (LINEAR[red] ?? 0) + 0.7152 * (LINEAR[green] ?? 0) + 0.0722 * (LINEAR[blue] ?? 0);
}

/** By the value of a channel, because a page looks at up to 200 of them. */
const LINEAR = Array.from({ length: 256 }, (_, channel) => {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});

function mix(color: Rgb, other: Rgb, percent: number): Rgb {
  const channel = (place: 0 | 1 | 2) => Math.round(color[place] + ((other[place] - color[place]) * percent) / 100);
  return [channel(0), channel(1), channel(2)];
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function format(color: Rgb): string {
  return `#${color.map(channel => channel.toString(16).padStart(2, '0')).join('')}`;
}
