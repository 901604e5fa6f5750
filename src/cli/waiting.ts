/** Prints what the start or a command is waiting for, such as the database. */
export function onWait(line: string): void {
  process.stderr.write(`${line}\n`);
}
