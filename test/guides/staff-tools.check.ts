import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { run, start } from '../assembly/run.ts';
import { suitePart } from '../build/suite-part.ts';
import { until } from '../build/until.ts';
import { ROOT } from '../packaging/outside.ts';
import { enter, hasNoAccess, openStaffTools } from './staff-tools.ts';

/** With oauth2-proxy itself (`npm run test:go`), which an installed Go builds. */
describe('docs/guides/staff-tools.md with oauth2-proxy', () => {
  const program = process.env.TEST_OAUTH2_PROXY ?? '';
  const guide = suitePart(() =>
    openStaffTools([dirname(program), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(':')),
  );
  before(async () => {
    for (const heading of ['Register the tool', 'The tool', 'The proxy']) await guide.section(heading);
  });

  const tool = () => guide.place('http://localhost:4000/');

  it('lets alice in and tells the tool her groups, and keeps bob out', async () => {
    assert.equal(
      (await enter(guide, tool(), 'alice')).text,
      'Hello alice, you are in staff,finance\n',
      guide.printed(),
    );
    assert(hasNoAccess(await enter(guide, tool(), 'bob')));
  });

  it('with allowed_groups lets in the members of that group alone', async () => {
    const port = await freePort();
    const back = [4000, port].map(each => guide.place(`http://localhost:${each}/oauth2/callback`));
    const client = { client_id: 'wiki', redirect_uris: back };
    writeFileSync(
      join(guide.folder, 'another.yaml'),
      JSON.stringify({ applications: [{ code: 'tools', clients: [client] }] }),
    );
    const applied = await run('npm', ['run', '-s', 'gatehouse', '--', 'apply', 'another.yaml'], {}, guide.folder);
    assert.equal(applied.code, 0, applied.err);
    const query = new URLSearchParams({ client_id: 'wiki', response_type: 'code', redirect_uri: back[1] ?? '' });
    const asked = `${guide.place('http://localhost:3000/api/v1/authorize/tools/oauth2/auth')}?${query}`;
    const isKnown = () => fetch(asked, { redirect: 'manual' }).then(({ status }) => status !== 400);
    await until('the running server has the second redirect URI', isKnown);
    const own = readFileSync(join(guide.folder, 'oauth2-proxy.cfg'), 'utf8');
    const moved = own.replaceAll(String(guide.port(4000)), String(port));
    for (const [group, expected] of [
      ['finance', /^Hello alice/],
      ['management', /403/],
    ] as const) {
      writeFileSync(join(guide.folder, 'other.cfg'), `${moved}\nallowed_groups = ["${group}"]\n`);
      const proxy = start(program, ['--config', 'other.cfg'], {}, guide.folder);
      try {
        await until('the proxy listens', () => fetch(`http://localhost:${port}/ping`).then(Boolean, () => false));
        assert.match((await enter(guide, `http://localhost:${port}/`, 'alice')).text, expected);
      } finally {
        proxy.destroy();
      }
    }
  });

  it('has no command that is not run', async () => {
    await guide.section('When someone leaves the group');
    assert.deepEqual(guide.left(), []);
  });
});
