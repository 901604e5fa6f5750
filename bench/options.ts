/** What all commands read from their arguments. A mistake ends the command with 64 (EX_USAGE). */
import { type ParseArgsConfig, parseArgs } from 'node:util';

export const stores = ['sqlite', 'postgres'] as const;
export type StoreName = (typeof stores)[number];

export function parse<const T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    throw wrongUsage((error as Error).message);
  }
}

export function choice<T extends string>(name: string | undefined, all: readonly T[]): T {
  return all.find(one => one === name) ?? wrongUsage(`${name ?? 'nothing'} is none of ${all.join(', ')}`);
}

/** A list with commas; all of them where nothing is said. */
export function choices<T extends string>(names: string | undefined, all: readonly T[]): readonly T[] {
  return names === undefined ? all : names.split(',').map(name => choice(name, all));
}

export function positive(text: string): number {
  return Number(text) > 0 ? Number(text) : wrongUsage(`${text} is not a positive number`);
}

export function wrongUsage(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(64);
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
