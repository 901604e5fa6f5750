import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { commandSettings, gatehouse, gatehouseOnTerminal, runCommand } from '../../build/command.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

/** Three batches of apply, and so many that it says at once that it writes them. */
const USERS = 600;

describe('progress on standard error (admin.md, Command line)', () => {
  const folder = suitePart(temporaryFolder);
  const server = suitePart(() => startTestServer({ users: [] }));
  before(async () => {
    const users = Array.from({ length: USERS }, (_, index) => ({ username: `user${index}` }));
    const changed = users.map(user => ({ ...user, nickname: 'N' }));
    writeFileSync(folder.file('users.json'), JSON.stringify({ users }));
    writeFileSync(folder.file('changed.json'), JSON.stringify({ users: changed }));
    assert.equal((await gatehouse(server, 'apply', folder.file('users.json'))).code, 0);
  });

  /** On outputs of which these are a terminal, and as if every step took a second. */
  const slowly = (terminal: readonly ('stdout' | 'stderr')[], ...args: string[]) => {
    let time = 0;
    const now = () => (time += 1000);
    return runCommand(args, commandSettings(server), { terminal, now });
  };

  it('diff shows how much of the files it has compared, and takes the bar away', async () => {
    const { code, err } = await slowly(['stderr'], 'diff', folder.file('users.json'));
    assert.equal(code, 0, err);
    assert.match(err, /\r\[#+\.+\] \d+ %, \d+ compared, \d+\/s/);
    assert(err.endsWith('\r\x1b[K'), err);
  });

  it('export shows how many entries it has written, beside a file', async () => {
    const { code, out, err } = await slowly(['stderr'], 'export');
    assert.equal(code, 0, err);
    assert.match(err, /\r\d+ exported, \d+\/s/);
    assert.equal(out.match(/- username: user\d+$/gm)?.length, USERS);
  });

  it('export to the terminal shows no progress between its lines', async () => {
    const { err } = await slowly(['stdout', 'stderr'], 'export', '--json');
    assert.doesNotMatch(err, /exported, \d+\/s/);
  });

  it('nothing is shown for what takes less than a second, or where standard error is no terminal', async () => {
    const quick = { terminal: ['stderr'], now: () => 0 } as const;
    const settings = commandSettings(server);
    assert.equal((await runCommand(['diff', folder.file('users.json')], settings, quick)).err, '');
    assert.equal((await slowly([], 'diff', folder.file('users.json'))).err, '');
  });

  it('apply shows on a terminal that it writes', async () => {
    const { code, out } = await gatehouseOnTerminal(server, () => {}, 'apply', folder.file('changed.json'));
    assert.equal(code, 0, out);
    assert.match(out, new RegExp(`\\rwriting ${USERS} changes`));
  });
});
