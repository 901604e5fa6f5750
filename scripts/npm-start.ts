import { readFileSync } from 'node:fs';

/** How `npm start` starts the server: what is measured must be what people run. */
export interface NpmStart {
  readonly env: Readonly<Record<string, string>>;
  /** Of node, the program among them. */
  readonly args: readonly string[];
}

/** `NAME=value … exec node --option … program` of package.json. */
export function npmStart(): NpmStart {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const words: string[] = scripts.start.split(' ');
  const node = words.indexOf('node');
  const settings = words.slice(0, node).filter(word => word.includes('='));
  return {
    env: Object.fromEntries(settings.map(setting => setting.split('=', 2))),
    args: words.slice(node + 1),
  };
}
