/** Tells the operator what a command, or the start, waits for. */
export function onWait(line: string): void {
  process.stderr.write(`${line}\n`);
}
