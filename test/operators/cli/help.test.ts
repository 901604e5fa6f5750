import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadCommands } from '../../../src/assembly/commands.ts';
import { runCommand } from '../../build/command.ts';

const SCREEN = { lines: 24, columns: 80 };
const commands = await loadCommands();

describe('the help of the command line (issue 12, point 3)', () => {
  it(`fits on a screen of ${SCREEN.lines} lines and ${SCREEN.columns} columns, and names every command`, async () => {
    const { code, out } = await runCommand(['--help']);
    assert.equal(code, 0);
    const lines = out.trimEnd().split('\n');
    // The prompt of the shell takes the last line.
    assert(lines.length < SCREEN.lines, `${lines.length} lines`);
    assert.deepEqual(
      lines.filter(line => line.length > SCREEN.columns),
      [],
    );
    for (const name of commands.keys()) assert.match(out, new RegExp(`^  ${name} `, 'm'));
  });

  for (const [name, { help }] of commands) {
    it(`of "${name}" begins with its usage and has an example of itself`, () => {
      assert.match(help, new RegExp(`^Usage: gatehouse ${name}\\b`));
      assert.match(help, new RegExp(`\\bExamples?:[^]*\\bgatehouse ${name}\\b`));
    });
  }
});
