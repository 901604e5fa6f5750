import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aPkcePair, token } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, aPublicClient, aUser } from '../../build/fixture.ts';
import { atConsent, bob, press, signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, type Visitor } from '../../build/visitor.ts';

/** Programs on a person's own machine: RFC 8252, rows 12 and 27. */
const server = suiteServer({
  clients: [
    aClient(),
    aPublicClient({ client_id: 'cli', redirect_uris: ['http://localhost/cb', 'http://127.0.0.1/cb'] }),
    aPublicClient({ client_id: 'phone', redirect_uris: ['com.example.app:/cb'] }),
    aPublicClient({ client_id: 'spa', redirect_uris: ['https://spa.example/cb'] }),
  ],
  users: [aUser(), bob()],
});

const { verifier, challenge } = aPkcePair();
const LOCALHOST = 'http://localhost:51004/cb';
const ask = (visitor: Visitor, fields: Fields = {}) =>
  visitor.follow(
    authorizationUrl(server, {
      client_id: 'cli',
      redirect_uri: LOCALHOST,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...fields,
    }),
  );

describe('a native client is not served silently: another program could pass for it (RFC 8252 section 8.6, row 27)', () => {
  it('its first use by a person is asked for on the consent page, every later one is not', async () => {
    const visitor = await signedIn(server);
    const page = await ask(visitor);
    assert(atConsent(page), page.text.slice(0, 200));
    const { code } = delivered(await press(visitor, page, 'allow'), LOCALHOST).fields;
    const set = await token(
      server,
      { grant_type: 'authorization_code', code, redirect_uri: LOCALHOST, code_verifier: verifier },
      {},
    );
    assert.equal(set.status, 200, set.text);
    assert(delivered(await ask(visitor, { prompt: 'none' }), LOCALHOST).fields.code);
    const otherPort = 'http://localhost:51005/cb';
    assert(delivered(await ask(visitor, { redirect_uri: otherPort }), otherPort).fields.code);
  });

  it('prompt=none before that is consent_required', async () => {
    const visitor = await signedIn(server, 'bob');
    assert.equal(delivered(await ask(visitor, { prompt: 'none' }), LOCALHOST).fields.error, 'consent_required');
  });

  it('another native client of the application is asked for by itself; so is one at a private scheme', async () => {
    const visitor = await signedIn(server);
    const page = await ask(visitor, { client_id: 'phone', redirect_uri: 'com.example.app:/cb' });
    assert(atConsent(page));
  });

  it('a no goes back as access_denied, and is asked again', async () => {
    const visitor = await signedIn(server, 'bob');
    const denied = delivered(await press(visitor, await ask(visitor), 'deny'), LOCALHOST);
    assert.equal(denied.fields.error, 'access_denied');
    assert(atConsent(await ask(visitor)));
  });

  it('a single-page application at https is served as before', async () => {
    const visitor = await signedIn(server);
    const address = 'https://spa.example/cb';
    assert(delivered(await ask(visitor, { client_id: 'spa', redirect_uri: address }), address).fields.code);
  });
});
