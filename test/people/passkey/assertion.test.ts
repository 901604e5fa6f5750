import assert from 'node:assert/strict';
import { generateKeyPairSync, hash, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { type AuthenticationResponseJSON, verifyAuthenticationResponse } from '@simplewebauthn/server';
import { type PasskeyAnswer, verifyAssertion } from '../../../src/people/passkey/assertion.ts';
import { aPasskey, type SoftPasskey } from '../../build/passkey.ts';
import { fc } from '../../build/random.ts';

const PARTY = { id: 'shop.example', origin: 'https://shop.example' };
const CHALLENGE = 'Y2hhbGxlbmdl';
const ASKED = { challenge: CHALLENGE, rpId: PARTY.id, origin: PARTY.origin };

const keyOf = ({ credentialId, publicKey }: Pick<SoftPasskey, 'credentialId' | 'publicKey'>) =>
  ({ credentialId, publicKey, transports: [], isSyncable: undefined }) as never;

const ours = (answer: PasskeyAnswer, key: Pick<SoftPasskey, 'credentialId' | 'publicKey'>, requires = false) =>
  verifyAssertion({ party: PARTY, challenge: CHALLENGE, requiresUserVerification: requires }, answer, keyOf(key));

/** The library that verifies registrations, as the oracle. */
async function theirs(answer: PasskeyAnswer, { credentialId, publicKey }: SoftPasskey, requires = false) {
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      expectedChallenge: CHALLENGE,
      expectedOrigin: PARTY.origin,
      expectedRPID: PARTY.id,
      requireUserVerification: requires,
      credential: { id: credentialId, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 },
    });
    return verified ? authenticationInfo : undefined;
  } catch {
    return undefined;
  }
}

describe('the assertion of a passkey (WebAuthn section 7.2)', () => {
  it('holds for every kind of authenticator, and says what the library says', async () => {
    for (const traits of [{}, { isSynced: true }, { isVerifying: false }, { hasCounter: false }]) {
      const passkey = aPasskey(traits);
      const answer = JSON.parse(passkey.assert(ASKED));
      const info = await theirs(answer, passkey);
      assert(info);
      assert.deepEqual(pick(ours(answer, passkey)), {
        signCount: info.newCounter,
        isUserVerified: info.userVerified,
        isSyncable: info.credentialDeviceType === 'multiDevice',
        isBackedUp: info.credentialBackedUp,
      });
    }
  });

  it('is refused with one changed byte, anywhere', () => {
    const passkey = aPasskey();
    const answer = JSON.parse(passkey.assert(ASKED));
    const part = fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature');
    fc.assert(
      fc.property(part, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (name, at, by, requires) => {
        const bytes = Buffer.from(answer.response[name], 'base64url');
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ by;
        const changed = { ...answer, response: { ...answer.response, [name]: bytes.toString('base64url') } };
        // The library reads DER less strictly, and takes a few changed bytes of a signature.
        assert.equal(ours(changed, passkey, requires), undefined);
      }),
      { numRuns: 200 },
    );
  });

  it('agrees with the library about what browsers and authenticators say, signed as it is', async () => {
    const word = fc.option(
      fc.constantFrom('webauthn.get', 'webauthn.create', PARTY.origin, 'https://evil.example', CHALLENGE, 'x'),
    );
    const lies = fc.record({
      type: word,
      challenge: word,
      origin: word,
      isPresent: fc.boolean(),
      isVerified: fc.boolean(),
      rpId: fc.constantFrom(PARTY.id, 'evil.example'),
    });
    await fc.assert(
      fc.asyncProperty(lies, fc.boolean(), async (told, requires) => {
        const passkey = aPasskey();
        const said = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null));
        const answer = JSON.parse(passkey.assert(ASKED, said));
        const [mine, oracle] = [ours(answer, passkey, requires), await theirs(answer, passkey, requires)];
        assert.equal(mine !== undefined, oracle !== undefined, JSON.stringify(told));
      }),
      { numRuns: 150 },
    );
  });

  for (const [what, change] of [
    ['another type', (a: object) => ({ ...a, type: 'password' })],
    ['a rawId that is not the id', (a: object) => ({ ...a, rawId: 'other' })],
    ['no signature', (a: { response: object }) => ({ ...a, response: { ...a.response, signature: undefined } })],
    [
      'a signature that is no text',
      (a: { response: object }) => ({ ...a, response: { ...a.response, signature: [1] } }),
    ],
    ['an empty response', (a: object) => ({ ...a, response: {} })],
    [
      'client data that are no JSON',
      (a: { response: object }) => ({ ...a, response: { ...a.response, clientDataJSON: 'AAAA' } }),
    ],
  ] as const) {
    it(`is refused with ${what}`, () => {
      const passkey = aPasskey();
      assert.equal(ours(change(JSON.parse(passkey.assert(ASKED))) as PasskeyAnswer, passkey), undefined);
    });
  }

  it('is refused in a frame of another site, with bytes behind its data, and for a backed-up key that cannot be synchronised', () => {
    const passkey = aPasskey();
    assert.equal(ours(JSON.parse(passkey.assert(ASKED, { crossOrigin: true })), passkey), undefined);
    for (const [flags, more] of [
      [0x05, Buffer.alloc(1)],
      [0x85, Buffer.alloc(0)],
      [0x15, Buffer.alloc(0)],
    ] as const) {
      const { answer, key } = signedByEd25519(flags, more);
      assert.equal(ours(answer, key), undefined, `flags ${flags}`);
    }
  });

  it('holds with an Ed25519 key', () => {
    const { answer, key } = signedByEd25519(0x05, Buffer.alloc(0));
    assert.equal(ours(answer, key)?.signCount, 7);
  });
});

function pick(verified: ReturnType<typeof ours>) {
  assert(verified);
  const { signCount, isUserVerified, isSyncable, isBackedUp } = verified;
  return { signCount, isUserVerified, isSyncable, isBackedUp };
}

function signedByEd25519(flags: number, more: Buffer) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const cose = Buffer.concat([
    Buffer.from('a401010327200621', 'hex'),
    Buffer.from('5820', 'hex'),
    Buffer.from(x, 'base64url'),
  ]);
  const counter = Buffer.from([0, 0, 0, 7]);
  const data = Buffer.concat([hash('sha256', PARTY.id, 'buffer'), Buffer.from([flags]), counter, more]);
  const client = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge: CHALLENGE, origin: PARTY.origin }));
  const signature = sign(null, Buffer.concat([data, hash('sha256', client, 'buffer')]), privateKey);
  const response = {
    clientDataJSON: client.toString('base64url'),
    authenticatorData: data.toString('base64url'),
    signature: signature.toString('base64url'),
  };
  const answer = { id: 'eddsa', rawId: 'eddsa', type: 'public-key', response } as PasskeyAnswer;
  return { answer, key: { credentialId: 'eddsa', publicKey: cose.toString('base64url') } };
}
