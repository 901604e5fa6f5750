import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { filledForm } from '../../build/console.ts';
import { openConsole } from '../../build/in-console.ts';
import { suitePart } from '../../build/suite-part.ts';
import { type Seen, Visitor } from '../../build/visitor.ts';
import { answerOf, aSamlProvider, callbackAt, idIn, metadataXml, post, SIGN_ON } from './corp.ts';
import { NOW, stranger } from './messages.ts';

const TRY = '/console/providers/corp/try';

const said = ({ text }: Seen) =>
  (/<main\b[\s\S]*<\/main>/.exec(text)?.[0] ?? '').replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

describe('Try it of a SAML provider', () => {
  const fixture = suitePart(() => openConsole({ clock: { now: () => NOW } }));
  before(async () => {
    const made = await fixture.owner.ask('POST', '/providers', aSamlProvider({ groups: { engineers: 'staff' } }));
    assert.equal(made.status, 201, JSON.stringify(made.json));
  });

  async function sent() {
    const { visitor, seen } = await fixture.inConsole(TRY);
    const { location = '', text } = await visitor.send(filledForm(seen, 'again'));
    assert(location.startsWith(`${SIGN_ON}?`), text);
    return { visitor, id: idIn(location) };
  }

  it('takes the posted response back to the console, shows what it said, and makes nothing', async () => {
    const { visitor, id } = await sent();
    const { location = '' } = await post(fixture.server, answerOf(fixture.server, id, { nameId: 'u-dora' }));
    assert(location.startsWith(`${callbackAt(fixture.server)}?answer=`), location);
    const seen = await visitor.follow(location);
    assert.equal(seen.status, 200, seen.text);
    assert.equal(new URL(seen.url).pathname, `${TRY}/answer`);
    assert.match(said(seen), /No account, session or link was created/);
    assert.match(said(seen), /Subject u-dora/);
    assert.equal((await fixture.owner.ask('GET', '/users?limit=200')).json.items.length, 3);
    const again = await visitor.follow(location);
    assert.equal(again.status, 400, 'shown once');
  });

  it('says why a response does not hold', async () => {
    const { visitor, id } = await sent();
    const forged = answerOf(fixture.server, id, {}, {}, { key: stranger.privateKey });
    const { location = '' } = await post(fixture.server, forged);
    const seen = await visitor.follow(location);
    assert.equal(seen.status, 400);
    assert.match(said(seen), /Its response is not valid.*No key in the metadata of the provider.*metadata_url/);
  });

  it('attack: the response of a trial opens nothing in another browser', async () => {
    const { id } = await sent();
    const { location = '' } = await post(fixture.server, answerOf(fixture.server, id));
    const other = new Visitor(fixture.server.base);
    assert.equal((await other.follow(location)).status, 400);
    assert.equal(other.cookies.has('gatehouse_session'), false);
  });

  it('posts the request where the provider has that binding alone', async () => {
    const metadata = metadataXml({ bindings: ['HTTP-POST'] });
    assert.equal((await fixture.owner.ask('PATCH', '/providers/corp', { metadata })).status, 200);
    const { visitor, seen } = await fixture.inConsole(TRY);
    const page = await visitor.send(filledForm(seen, 'again'));
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1>Going to Corp<\/h1>/);
    assert.match(page.text, new RegExp(`<form method="post" action="${SIGN_ON}">`));
    assert(page.headers.get('content-security-policy')?.includes("form-action 'self' https:"));
  });
});
