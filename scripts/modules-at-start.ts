/** Starts a server on an empty database, asks it one question, and prints the files that it has loaded by then, as JSON. */
import { mkdtempSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

const loaded: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-start-'));
const port = await freePort();
let end = (): unknown => undefined;
const started = Promise.withResolvers<void>();
const stdout = new Writable({
  write(chunk, _encoding, done) {
    if (String(chunk).includes('"event":"started"')) started.resolve();
    done();
  },
});

registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) loaded.push(fileURLToPath(url));
    return nextLoad(url, context);
  },
});
const { startServer } = await import('../src/assembly/serve.ts');
await startServer({
  env: { DATABASE_URL: `sqlite:${join(folder, 'gatehouse.db')}`, PORT: String(port), GATEHOUSE_DEMO: 'false' },
  stdout,
  stderr: process.stderr,
  on: (signal, handle) => {
    if (signal === 'SIGTERM') end = handle;
  },
  exit: code => {
    rmSync(folder, { recursive: true });
    process.stdout.write(code === 0 ? JSON.stringify(loaded) : '', () => process.exit(code));
  },
});
await started.promise;
await (await fetch(`http://127.0.0.1:${port}/readyz`)).text();
end();
