import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** What a node loads before it is asked for anything: its idle memory and its start (docs/architecture.md, "What a request does not need is not loaded"). */
describe('modules at the start of a server', () => {
  const { loaded, ofNode } = modulesAtStart();

  it('people who come from elsewhere: declarations and what every sign-in asks, but nothing of a sign-in with a provider', () => {
    const declared = [
      'capability',
      'failures',
      'tables',
      'step.rules',
      'health',
      'connections',
      'offered',
      'reseal.job',
    ];
    const folders =
      /^src\/people\/(?:federation|linking|openid-connect|saml|ldap|password-check|provider-sessions)\/(.*)\.ts$/;
    const others = loaded.filter(file => !declared.includes(folders.exec(file)?.[1] ?? 'capability'));
    assert.deepEqual(others, []);
  });

  it('operators: no statement of an apply file, an import or a page of the account', () => {
    const statements = loaded.filter(file =>
      /^src\/(?:operators\/(?:apply|import)|people\/(?:email|passkey|my-data))\/queries\.ts$|users\/changes\.queries\.ts$/.test(
        file,
      ),
    );
    assert.deepEqual(statements, []);
  });

  it('of jose: no encryption, no keys from elsewhere', () => {
    const parts = loaded.filter(file => /\/jose\/.*(?:jwe|jwks|remote)/.test(file));
    assert.deepEqual(parts, []);
  });

  it('of Node.js: no fetch, which takes 75 ms of processor time and 16 MB of memory', () => {
    const parts = ofNode.filter(name => name.includes('undici'));
    assert.deepEqual(parts, []);
  });
});

function modulesAtStart(): { readonly loaded: readonly string[]; readonly ofNode: readonly string[] } {
  const program = join(ROOT, 'scripts/modules-at-start.ts');
  const output = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  const { loaded, ofNode } = JSON.parse(output) as { loaded: string[]; ofNode: string[] };
  return { loaded: loaded.map(file => file.slice(ROOT.length + 1)), ofNode };
}
