import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actForm, contentOf, openConsole, titleOf } from '../../build/in-console.ts';
import { suitePart } from '../../build/suite-part.ts';
import { TEST_SECRET } from '../../build/test-server.ts';
import type { Seen } from '../../build/visitor.ts';

const TOKEN = 'a token for metrics';
const console = suitePart(() => openConsole({ env: { GATEHOUSE_METRICS_TOKEN: TOKEN.replaceAll(' ', '-') } }));

const rowOf = ({ text }: Seen, name: string) =>
  text.split('<div class="field">').find(row => row.includes(`<code>${name}</code>`));

describe('/console/settings', () => {
  it('shows an auditor each setting with its value and where it came from, and no secret', async () => {
    const { seen } = await console.inConsole('/console/settings', 'bob', 'auditor');
    assert.equal(titleOf(seen), 'Settings');
    assert.match(rowOf(seen, 'BASE_URL') ?? '', new RegExp(`${console.server.base}.*environment`));
    const usual = rowOf(seen, 'HOST') ?? '';
    assert.match(usual, /127\.0\.0\.1/);
    assert(!usual.includes('class="pill'), 'a default is the usual thing');
    assert.match(rowOf(seen, 'DOCS_URL') ?? '', /other settings/);
    assert.match(rowOf(seen, 'GATEHOUSE_SECRET') ?? '', /<code>••••••••<\/code>.*environment/);
    const sections = [...contentOf(seen).matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, title]) => title);
    assert.deepEqual(sections, [
      ...['Address and connections', 'Database', 'Secrets and certificates', 'Requests to other servers', 'Mail'],
      ...['Operators and documents', 'Log, events and metrics'],
    ]);
    for (const secret of [TEST_SECRET, TOKEN.replaceAll(' ', '-')]) assert(!seen.text.includes(secret));
    assert(!contentOf(seen).includes('<form'));
  });

  it('does not exist for a role that is limited to applications, and takes no form', async () => {
    const limited = { username: 'carol', role: 'owner', applications: ['shop'] };
    assert.equal((await console.owner.ask('POST', '/operators', limited)).status, 201);
    assert.equal((await console.inConsole('/console/settings', 'carol')).seen.status, 404);
    const { visitor, seen } = await console.inConsole('/console/operators');
    const sent = await visitor.send({ ...actForm(seen, 'add'), action: console.at('/console/settings') });
    assert.equal(sent.status, 405);
  });
});
