/** Starts a server on an empty database, asks it one question, and prints as JSON the files and the parts of Node.js that it has loaded by then. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

/** What this file needs of it, without its exports as an ES module: they would load what is looked for. */
const { get } = process.getBuiltinModule('node:http');
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
    // Of Node.js, but not in its types: all that `require` of its own modules has loaded.
    const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
    process.stdout.write(code === 0 ? JSON.stringify({ loaded, ofNode: moduleLoadList }) : '', () =>
      process.exit(code),
    );
  },
});
await started.promise;
const [answer] = await once(get(`http://127.0.0.1:${port}/readyz`), 'response');
await once(answer.resume(), 'end');
end();
