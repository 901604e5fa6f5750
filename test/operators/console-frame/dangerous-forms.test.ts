import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { capabilities } from '../../../src/capabilities.ts';
import type { ConsolePage } from '../../../src/operators/console-frame/page.ts';
import { suiteConsole } from '../../build/in-console.ts';
import { atLogin } from '../../build/people.ts';
import type { Visitor } from '../../build/visitor.ts';

interface Declared {
  readonly pattern: string;
  readonly page: ConsolePage;
}

const pages: Declared[] = [];
for (const { console: declared = {} } of capabilities) {
  for (const [pattern, load] of Object.entries(declared)) pages.push({ pattern, page: await load() });
}
const dangerous = pages.filter(({ page }) => page.dangerous !== undefined);

describe('attack: a form that no page of the console has made (docs/console.md, recent sign-in)', () => {
  const console = suiteConsole();

  /** An operator who signed in six minutes ago. */
  async function unattended(): Promise<Visitor> {
    const { visitor } = await console.inConsole('/console');
    console.clock.advance(6 * 60);
    return visitor;
  }

  async function isAskedToSignIn(visitor: Visitor, pattern: string, form: string): Promise<boolean> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: console.server.base };
    const address = console.at(pattern.replaceAll(/\{\w+\}/g, 'x'));
    return atLogin(await visitor.follow(address, { method: 'POST', body: form, headers }));
  }

  it('with an action that its page does not know: a recent sign-in is asked for', async () => {
    const visitor = await unattended();
    for (const { pattern } of dangerous) {
      assert(await isAskedToSignIn(visitor, pattern, 'action=unknown&name=x'), pattern);
    }
  });

  it('without an action: likewise, where the page has other forms than those of its settings', async () => {
    const visitor = await unattended();
    const settings = dangerous.filter(
      ({ page: { dangerous } }) => dangerous !== 'all' && dangerous?.except.includes(''),
    );
    assert.deepEqual(settings.map(({ pattern }) => pattern).toSorted(), [
      '/console/applications/{code}/advanced',
      '/console/applications/{code}/apis/{identifier}',
      '/console/applications/{code}/clients/{client_id}/settings',
    ]);
    for (const declared of dangerous) {
      if (settings.includes(declared)) continue;
      assert(await isAskedToSignIn(visitor, declared.pattern, 'name=x'), declared.pattern);
    }
  });

  it('at each page that makes a secret, a key, an operator, or acts for somebody else', () => {
    const all = dangerous.filter(({ page }) => page.dangerous === 'all').map(({ pattern }) => pattern);
    assert.deepEqual(all.toSorted(), [
      '/console',
      '/console/api-keys',
      '/console/api/{operation}',
      '/console/applications/{code}/clients/{client_id}/secrets',
      '/console/applications/{code}/initial-access-tokens',
      '/console/applications/{code}/keys',
      '/console/operators',
      '/console/operators/{sub}',
      '/console/proposals/{proposal}',
      '/console/providers/new',
      '/console/providers/{id}',
      '/console/webhooks/new',
    ]);
  });
});
