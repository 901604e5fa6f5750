import { readFileSync } from 'node:fs';

/** The version in package.json, read when it is asked for. */
export function releaseVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
