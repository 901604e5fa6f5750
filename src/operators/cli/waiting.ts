import type { Output } from './command.ts';

/** Prints what the start or a command is waiting for, such as the database. */
export function waitsOn(output: Output): (line: string) => void {
  return line => void output.write(`${line}\n`);
}
