import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/free-port.ts';

describe('ports for the servers of tests', () => {
  it('are different for all that ask at once, and below those of outgoing connections', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    assert.equal(new Set(ports).size, 50);
    assert(ports.every(port => port >= 20_000 && port < 32_768));
  });

  it('are not those on which something listens', async t => {
    const found = await freePort();
    const taken = createServer();
    // An error: something else listens there already.
    await new Promise<unknown>(resolve =>
      taken.once('error', resolve).listen(found + 1, '127.0.0.1', () => resolve(0)),
    );
    t.after(() => taken.close());
    assert.notEqual(await freePort(), found + 1);
  });

  it('are not found by another process, also while nothing listens on them: a server may be killed and started again', async () => {
    const found = await freePort();
    const program =
      "import('./scripts/free-port.ts').then(({ freePort }) => freePort()).then(port => console.log(port))";
    const env = { ...process.env, TEST_PORTS_FROM: String(found - 20_000) };
    const { stdout } = await promisify(execFile)(process.execPath, ['--eval', program], { env });
    assert(Number(stdout) > found, stdout);
  });
});
