import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../cli/command.ts';
import { type Difference, plannedLine } from './difference.ts';

/**
 * Shows what apply would remove, and asks for a yes on the terminal. Nobody is there to answer where the input is not one, or
 * was the file: a script says --yes.
 */
export async function confirmRemovals(
  removals: readonly Difference[],
  { stdin: input, stderr: output }: CommandContext,
): Promise<boolean> {
  for (const removal of removals) output.write(`${plannedLine(removal)}\n`);
  const things = removals.length === 1 ? '1 removal' : `${removals.length} removals`;
  if (!input.isTTY || !output.isTTY || input.readableEnded) {
    output.write(`${things}: nothing was changed. Confirm with --yes\n`);
    return false;
  }
  const terminal = createInterface({ input, output });
  // Ctrl-D and Ctrl-C are no answer, and close the interface before there is one.
  const closed = new Promise<string>(resolve => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${things}. Go on? [y/N] `), closed]);
  terminal.close();
  const isConfirmed = /^y(es)?$/i.test(answer.trim());
  if (!isConfirmed) output.write('Nothing was changed.\n');
  return isConfirmed;
}
