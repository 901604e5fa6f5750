import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** How `npm start` starts the server. package.json is the only place that says it: every other way to start reads it there. */
export interface NpmStart {
  readonly env: Readonly<Record<string, string>>;
  /** Of node, without the program. */
  readonly options: readonly string[];
  readonly program: string;
}

/** `NAME=value … exec node --option … program` of package.json. */
export function npmStart(): NpmStart {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const words: string[] = scripts.start.split(' ');
  const node = words.indexOf('node');
  const settings = words.slice(0, node).filter(word => word.includes('='));
  const env = Object.fromEntries(settings.map(setting => setting.split('=', 2)));
  return {
    // npm runs the line in the folder of the package; others start from where they are.
    env: { ...env, NODE_COMPILE_CACHE: join(ROOT, env.NODE_COMPILE_CACHE) },
    options: words.slice(node + 1, -1),
    program: words.at(-1) ?? '',
  };
}
