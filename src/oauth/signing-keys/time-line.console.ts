import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { dateText } from '../../platform/ui/time-text.ts';
import { timeLineText } from './console.text.ts';

/** The life of each key as a bar, drawn in SVG: the pages allow no inline style. The table beside it has the same in words. */
export interface KeySpan<Key extends { readonly kid: string; readonly state: string }> {
  readonly key: Key;
  readonly createdAt: number;
  readonly signFrom: number;
  /** Infinity: no end yet. */
  readonly signsUntil: number;
  readonly publishedUntil: number;
}

const WIDTH = 1000;
const DAY_SECONDS = 86_400;

type AnyKey = { readonly kid: string; readonly alg: string; readonly state: string };

export function keyTimeLine<Key extends AnyKey>(
  locale: OperatorLocale,
  spans: readonly KeySpan<Key>[],
  now: number,
  states: Readonly<Record<string, string>>,
): Html {
  const text = timeLineText[locale];
  const start = Math.min(...spans.map(({ createdAt }) => createdAt));
  const ends = spans.flatMap(({ publishedUntil, signFrom }) => [publishedUntil, signFrom]).filter(Number.isFinite);
  const latest = Math.max(now, ...ends);
  const end = latest + Math.max(DAY_SECONDS, (latest - start) / 10);
  const at = (time: number) => Math.round(((Math.min(time, end) - start) / (end - start)) * WIDTH);
  const rows = spans.map(
    span => html`<div class="row"><div class="key"><code>${span.key.kid.slice(0, 12)}</code> ${span.key.alg} · ${states[span.key.state]}</div>
${bar(span, at, now)}</div>
`,
  );
  const day = (time: number) => dateText(locale, new Date(time * 1000));
  return html`<div class="time-line">${rows}
<div class="row"><div></div><div class="scale"><span>${day(start)}</span><span>${day(end)}</span></div></div>
<p class="legend">${(['waiting', 'signing', 'kept', 'now'] as const).map(kind => html`<span><span class="${kind}"></span>${text[kind]}</span> `)}</p></div>`;
}

function bar<Key extends AnyKey>(span: KeySpan<Key>, at: (time: number) => number, now: number): Html {
  const pieces = [
    ['waiting', span.createdAt, Math.min(span.signFrom, span.publishedUntil)],
    ['signing', span.signFrom, span.signsUntil],
    ['kept', span.signsUntil, span.publishedUntil],
  ] as const;
  const drawn = pieces
    .filter(([, from, to]) => from < to && Number.isFinite(from))
    .map(
      ([kind, from, to]) =>
        html`<rect class="${kind}" x="${at(from)}" y="2" width="${Math.max(at(to) - at(from), 3)}" height="12"/>`,
    );
  return html`<svg viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none" aria-hidden="true">${drawn}<rect class="now" x="${at(now)}" y="0" width="3" height="16"/></svg>`;
}
