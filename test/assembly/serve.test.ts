import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { npmStart } from '../../src/assembly/npm-start.ts';
import { commandStart, run } from './run.ts';
import { useStart } from './start-fixture.ts';

const read = (pid: number, name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');

describe('the command line starts the server (issue 13, point 3)', () => {
  const fixture = useStart();

  it('"bin/gatehouse serve" in the process that was started, with the options of npm start', async () => {
    const server = await fixture.start({}, env => commandStart(['serve'], env));
    const { options, env, program } = npmStart();
    assert(options.length > 0 && Object.keys(env).length > 0);
    const [, ...words] = read(server.pid, 'cmdline');
    assert.deepEqual(words.slice(0, options.length), options);
    assert.match(words[options.length] ?? '', new RegExp(`/${program}$`));
    const settings = read(server.pid, 'environ');
    for (const [name, value] of Object.entries(env)) assert(settings.includes(`${name}=${value}`), name);
    assert.equal((await fixture.discovery()).status, 200);
    assert.equal(await server.stop(), 0);
  });

  it('with what the operator sets in the environment before what npm start sets', async () => {
    const server = await fixture.start({ MALLOC_ARENA_MAX: '2' }, env => commandStart(['serve'], env));
    assert(read(server.pid, 'environ').includes('MALLOC_ARENA_MAX=2'));
  });

  it('without the TypeScript parser, where the sources are in the cache: 70 ms of processor time and 25 MB', async () => {
    const tells = `process.on('exit', () => console.error(process.moduleLoadList.filter(name => name.includes('amaro')).length))`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tells)}` };
    // The first may have to fill the cache.
    await run('bin/gatehouse', ['--help'], env);
    assert.equal((await run('bin/gatehouse', ['--help'], env)).err.trim(), '0');
  });
});
