import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { atConsent, press } from '../build/people.ts';
import { until } from '../build/until.ts';
import { Visitor } from '../build/visitor.ts';
import { enterPassword } from '../clients/pages/log-in.ts';
import { wander } from '../clients/wander.ts';
import { suiteGuide } from './run-guide.ts';
import { openTerminal } from './terminal.ts';

describe('docs/guides/mobile-app.md', () => {
  const replace: Record<string, string> = {};
  const guide = suiteGuide('mobile-app', {
    serves: { 'npm start': 3000 },
    replace,
    notRun: {
      'npm install openid-client': 'it is a dev dependency, which the runner links',
      'node login.mjs': 'it waits for a person with a browser: the test runs it beside, and is that person',
    },
    first: ['Register the clients'],
  });

  /** Signs in as alice and says yes on the consent page, which native clients always have first (row 27, RFC 8252 section 8.6). */
  async function allow(address: string) {
    const visitor = new Visitor(guide.place('http://localhost:3000'));
    const question = await enterPassword(visitor, address);
    assert(atConsent(question), question.text);
    return wander(visitor, await press(visitor, question, 'allow'));
  }

  it('exchanges a code that went to the private scheme, with PKCE and without a secret', async () => {
    await guide.section('The same by hand', async printed => {
      if (replace['PASTE-THE-CODE-HERE'] !== undefined) return;
      const { location } = await allow(printed.trim());
      assert.match(location ?? '', /^com\.example\.shop:\/callback\?code=/);
      replace['PASTE-THE-CODE-HERE'] = new URL(location ?? '').searchParams.get('code') ?? '';
    });
  });

  it('logs alice in to a program on a loopback port (RFC 8252 section 7.3)', async () => {
    await guide.section('Desktop and command line');
    const terminal = openTerminal(join(guide.folder, '../shop-desktop'), { PATH: process.env.PATH ?? '' });
    try {
      const program = terminal.run('node login.mjs');
      const address = () => /^Open (\S+) in a browser\.$/m.exec(terminal.printed())?.[1];
      await until('the program prints an address', () => address() !== undefined);
      const seen = await allow(address() ?? '');
      assert.equal(seen.text, 'You can close this window.', terminal.printed());
      assert.match(await program, /^Signed in as Alice Example\.$/m);
    } finally {
      await terminal.close();
    }
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});
