import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { filledForm } from '../../build/console.ts';
import { type ConsoleFixture, openConsole } from '../../build/in-console.ts';
import type { Seen } from '../../build/visitor.ts';
import { answerOf, aSamlProvider, idIn, post, SIGN_ON } from './corp.ts';
import { type AssertionParts, attributeXml, NOW, stranger } from './messages.ts';

const said = ({ text }: Seen) =>
  (/<main\b[\s\S]*<\/main>/.exec(text)?.[0] ?? '').replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

describe('Try it of a SAML provider', () => {
  let fixture: ConsoleFixture;
  before(async () => {
    fixture = await openConsole({ clock: { now: () => NOW } });
    await fixture.server.provision({ providers: [aSamlProvider({ groups: { engineers: 'staff' } })] });
  });
  after(() => fixture.server.close());

  async function tried(parts: AssertionParts, key = {}): Promise<Seen> {
    const { visitor, seen } = await fixture.inConsole('/console/providers/corp/try', 'alice');
    const { location = '' } = await visitor.send(filledForm(seen, 'again'));
    assert(location.startsWith(`${SIGN_ON}?`), location);
    const posted = await post(fixture.server, answerOf(fixture.server, idIn(location), parts, {}, key));
    return visitor.follow(posted.location ?? '');
  }

  it('shows what came back, also what is not mapped, and makes nothing', async () => {
    const attributes =
      attributeXml('urn:oid:0.9.2342.19200300.100.1.3', 'dora@corp.example') +
      attributeXml('costCenter', '4711') +
      attributeXml('memberOf', 'engineers', 'climbers');
    const page = said(await tried({ nameId: 'u-dora', attributes }));
    assert.match(page, /No account, no session and no link was made/);
    assert.match(page, /email dora@corp\.example/);
    assert.match(page, /costCenter/);
    assert.match(page, /4711/);
    assert.match(page, /Subject u-dora/);
    assert.equal(await fixture.server.services.store.findAccount('dora@corp.example'), undefined);
  });

  it('says which check failed and what to do', async () => {
    const page = said(await tried({ nameId: 'u-dora' }, { key: stranger.privateKey }));
    assert.match(page, /No key in the metadata of the provider has made the signature/);
    assert.match(page, /Renew them, or set metadata_url/);
  });
});
