import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chart } from './chart.ts';
import { summary } from './summary.ts';
import { connectionTable, remarks, serverTable, targetTable } from './tables.ts';
import { type StoreResult, targetRows } from './targets.ts';

const stores = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** All that is printed, as Markdown. */
export function markdown(setting: string, results: readonly StoreResult[]): string {
  const parts = [setting, targetTable(results.flatMap(targetRows))];
  for (const result of results) {
    parts.push(`### ${stores[result.store]}`, serverTable(result));
    parts.push('Requests/s, and p50 / p99 in ms of the closed loop:', connectionTable(result));
    parts.push(
      remarks(result)
        .map(line => `- ${line}`)
        .join('\n'),
    );
  }
  return `${parts.join('\n\n')}\n`;
}

/** bench/results/TIME.json, .md and .svg. */
export function writeResults(about: object, text: string, results: readonly StoreResult[]): string {
  const folder = new URL('../results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const name = new Date().toISOString().replaceAll(':', '-');
  const rows = results.flatMap(targetRows);
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify({ ...about, rows, results }, null, 2)}\n`);
  writeFileSync(new URL(`${name}.md`, folder), text);
  writeFileSync(new URL(`${name}.svg`, folder), chart(results));
  return `bench/results/${name}.json`;
}

/** The tables between their marks in docs/performance.md, and the chart that it shows. */
export function publishInDocs(text: string, results: readonly StoreResult[]): void {
  const docs = new URL('../../docs/', import.meta.url);
  const page = new URL('performance.md', docs);
  const before = readFileSync(page, 'utf8');
  writeFileSync(page, between(between(before, 'summary', `${summary(results)}\n`), 'measured', text));
  writeFileSync(new URL('images/performance.svg', docs), chart(results));
}

/** The page with this text between the two marks of a name. */
function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before = '', rest = ''] = page.split(begin);
  return `${before}${begin}\n\n${text}\n${end}${rest.split(end)[1] ?? ''}`;
}
