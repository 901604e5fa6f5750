import { setTimeout } from 'node:timers/promises';
import type { Program } from './program.ts';

/** What a program says on a line of its output, once it says it. */
export async function printedLine(program: Program, pattern: RegExp): Promise<string> {
  for (let tries = 0; tries < 2400; tries++) {
    const found = pattern.exec(program.printed())?.[1];
    if (found !== undefined) return found;
    await setTimeout(50);
  }
  throw new Error(`${pattern} was not printed: ${program.printed()}`);
}
