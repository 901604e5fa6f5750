import { readFileSync } from 'node:fs';

/** The version in package.json, read when it is asked for. */
export function releaseVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

/** How an operator calls the command line on this installation, for the commands that pages show: a clone has it as a script of npm. */
export function commandLine(): string {
  const script = process.env.npm_lifecycle_event;
  return script === 'start' || script === 'gatehouse' ? 'npm run -s gatehouse --' : 'gatehouse';
}
