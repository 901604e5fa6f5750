/** Bars of requests per second, a panel for each work; each panel has a scale of its own. Readable on light and on dark. */
import { titles, type Work } from '../fixture.ts';
import type { StoreName } from '../options.ts';
import { GATEHOUSE } from '../servers/gatehouse.ts';
import { median } from './median.ts';
import { mostConnections, serversIn } from './tables.ts';
import { type StoreResult, shownServer } from './targets.ts';

const shownWorks: readonly Work[] = ['introspection', 'userinfo', 'code', 'refresh'];
const names: Readonly<Record<StoreName, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const WIDTH = 760;
const LABEL = 190;
const FIGURE = 70;
const BAR = 14;
const ROW = 20;
const TITLE = 30;

const STYLE = `
    text { font: 12px system-ui, sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 13px }
    .own { fill: #0a7f5a } .floor { fill: #8c959f } .peer { fill: #b3541e }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .own { fill: #3fb68b } .floor { fill: #6e7681 } .peer { fill: #e08a55 }
    }`;

export function chart(results: readonly StoreResult[]): string {
  const parts: string[] = [];
  let y = 0;
  for (const result of results) {
    for (const work of shownWorks) {
      const bars = barsOf(result, work);
      if (bars.length === 0) continue;
      parts.push(panel(`${titles[work]} on ${names[result.store]}, requests/s`, bars, y));
      y += TITLE + bars.length * ROW;
    }
  }
  const label = 'Requests per second of Gatehouse, the floor and the peers';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 10}" role="img" aria-label="${label}">
  <style>${STYLE}
  </style>
${parts.join('\n')}
</svg>
`;
}

interface Bar {
  readonly server: string;
  readonly perSecond: number;
}

function barsOf({ store, measurements }: StoreResult, work: Work): Bar[] {
  const scored = mostConnections(measurements);
  return serversIn(measurements).flatMap(server => {
    const own = measurements.filter(
      entry =>
        entry.work === work && entry.server === server && entry.loop === 'closed' && entry.connections === scored,
    );
    const name = shownServer(store, server);
    return own.length === 0 ? [] : [{ server: name, perSecond: median(own.map(({ perSecond }) => perSecond)) }];
  });
}

function panel(title: string, bars: readonly Bar[], y: number): string {
  const most = Math.max(...bars.map(({ perSecond }) => perSecond));
  const lines = bars.map(({ server, perSecond }, index) => {
    const top = y + TITLE + index * ROW;
    const width = Math.max(1, (perSecond / most) * (WIDTH - LABEL - FIGURE));
    const kind = server === GATEHOUSE ? 'own' : /^(floor|bare)/.test(server) ? 'floor' : 'peer';
    return `  <text x="${LABEL - 8}" y="${top + 11}" text-anchor="end">${escaped(server)}</text>
  <rect class="${kind}" x="${LABEL}" y="${top}" width="${width.toFixed(1)}" height="${BAR}" rx="2"/>
  <text x="${(LABEL + width + 6).toFixed(1)}" y="${top + 11}">${Math.round(perSecond).toLocaleString('en')}</text>`;
  });
  return [`  <text class="title" x="0" y="${y + 20}">${escaped(title)}</text>`, ...lines].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
