import {
  dpopAlgs,
  MAX_PROOF_LENGTH,
  NONCE_STEP_SECONDS,
  PROOF_WINDOW_SECONDS,
  type ProofFault,
} from '../../oauth/dpop/rules.ts';
import type { Difference, FaultText, Topic } from './explanation.ts';
import { uriDifference } from './uri-difference.ts';
import { durationText, timeText } from './wording.ts';

const NEW_PROOF = 'Make a new proof for each request, also for one that is repeated.';
const TWO_STEPS = durationText(2 * NONCE_STEP_SECONDS);

/** Which check a DPoP proof failed (RFC 9449 section 4.3). */
const FAULTS: Readonly<Record<ProofFault, FaultText>> = {
  missing: {
    kind: 'proof-missing',
    expected: 'the header DPoP with a proof',
    received: 'no header DPoP',
    text: 'The client has dpop_bound_access_tokens, the API has require_dpop, or the code or token is bound to a key.',
    fix: 'Send a proof with each token request and with each use of the token.',
  },
  several: {
    kind: 'several-proofs',
    expected: 'one header DPoP with one proof',
    received: 'several, or a proof with a comma',
    text: 'The request has more than one proof.',
    fix: 'Send the header once. A proxy may add a second one.',
  },
  tooLong: {
    kind: 'proof-too-long',
    expected: `a proof of at most ${MAX_PROOF_LENGTH} characters`,
    received: 'a longer one',
    text: 'No key and signature of a supported algorithm need that much.',
    fix: 'Leave out of the proof what RFC 9449 does not name.',
  },
  malformed: {
    kind: 'proof-malformed',
    expected: 'a signed JWT in the compact form, without a critical extension',
    received: 'something else',
    text: 'The header DPoP holds no such JWT.',
    fix: 'Send header.payload.signature as the library made it.',
  },
  type: {
    kind: 'typ',
    expected: 'the typ dpop+jwt',
    received: 'another typ, or none',
    text: 'The JWT is one for another purpose.',
    fix: 'Set typ to dpop+jwt in the header of the proof.',
  },
  algorithm: {
    kind: 'alg',
    expected: `one of the algorithms ${dpopAlgs.join(', ')}`,
    received: 'another alg',
    text: 'Proofs are signed with a key pair: neither none nor a shared secret proves possession.',
    fix: 'Sign with ES256, or with another algorithm of dpop_signing_alg_values_supported in discovery.',
  },
  key: {
    kind: 'jwk',
    expected: 'the public key as jwk in the header, of the type of its alg',
    received: 'no such key',
    text: 'The jwk is missing, incomplete, of another type than the alg, or no point of its curve.',
    fix: 'Send the public JWK of the key that signs; RSA keys have 2048 bits or more.',
  },
  privateKey: {
    kind: 'private-key',
    expected: 'the public key alone as jwk',
    received: 'a private or symmetric key',
    text: 'The proof shows the private key, so the key is not secret any more.',
    fix: 'Make a new key, and send only its public members.',
  },
  method: {
    kind: 'htm',
    expected: 'the method of the request as htm',
    received: 'another htm',
    text: 'The proof was made for another method. Case counts.',
    fix: 'Set htm to the HTTP method of this request.',
  },
  address: {
    kind: 'htu',
    expected: 'the address of the request as htu',
    received: 'no address',
    text: 'The proof was made for another address.',
    fix: 'Set htu to the address of the endpoint as discovery has it, without query. Behind a proxy, BASE_URL counts.',
  },
  tokenHash: {
    kind: 'ath',
    expected: 'the SHA-256 of the access token, in base64url, as ath',
    received: 'another ath, or none',
    text: 'The proof was made for another access token, or for none.',
    fix: 'Hash the access token exactly as it is sent.',
  },
  idMissing: {
    kind: 'jti-missing',
    expected: 'a jti that no other proof has',
    received: 'no jti',
    text: 'The proof has no jti, or one that is no text.',
    fix: 'Set jti to a random text, a new one each time.',
  },
  timeMissing: {
    kind: 'iat-missing',
    expected: 'iat, in seconds since 1970',
    received: 'no iat',
    text: 'The proof has no iat, or one that is no number.',
    fix: 'Set iat to the present time.',
  },
  tooOld: {
    kind: 'iat-past',
    expected: `an iat within ${PROOF_WINDOW_SECONDS} s of the clock of the server, or a nonce of the server`,
    received: 'an older iat',
    text: 'The proof was made too long ago.',
    fix: `${NEW_PROOF} If the clock of the client is behind, use the nonce of the answer.`,
  },
  tooEarly: {
    kind: 'iat-future',
    expected: `an iat within ${PROOF_WINDOW_SECONDS} s of the clock of the server, or a nonce of the server`,
    received: 'a later iat',
    text: 'The proof is of the future.',
    fix: 'Set the clock of the client, or use the nonce of the answer.',
  },
  nonceUnknown: {
    kind: 'nonce-unknown',
    expected: 'a nonce of the header DPoP-Nonce',
    received: 'a nonce that this server did not make',
    text: 'The nonce is of another server, or from before its secret was replaced.',
    fix: 'Use the nonce of the answer. Keep the nonces of different servers apart.',
  },
  nonceStale: {
    kind: 'nonce-stale',
    expected: `a nonce of the last ${TWO_STEPS}`,
    received: 'an older nonce',
    text: 'The nonce was good before.',
    fix: 'Use the nonce of the newest answer that has one.',
  },
  signature: {
    kind: 'signature',
    expected: 'a signature by the key in the header of the proof',
    received: 'another signature',
    text: 'The signature is not right: the proof was changed, or is signed with another key than the one it shows.',
    fix: 'Sign with the private half of the jwk. ECDSA signatures of JWTs are R and S side by side, not DER.',
  },
  replayed: {
    kind: 'replayed',
    expected: 'a jti that was not used before',
    received: 'one that was',
    text: 'A proof with this jti was used before. Each can be used once, on any node.',
    fix: `${NEW_PROOF} If the client does, somebody else has seen its proof.`,
  },
  otherKey: {
    kind: 'another-key',
    expected: 'a proof by the key that the code or token is bound to',
    received: 'a proof by another key',
    text: 'The proof is right, but by another key.',
    fix: 'Keep one key for as long as the code and its tokens are used.',
  },
  scheme: {
    kind: 'scheme',
    expected: 'the scheme of the token_type that the token came with',
    received: 'another scheme',
    text: 'The token came under another scheme than its token_type: a bound token needs its proof, and an unbound one has none.',
    fix: 'Send "Authorization: DPoP <token>" with a proof where token_type is DPoP, else "Authorization: Bearer <token>".',
  },
};

/** A snapshot of an earlier release may lack the fault. */
export const proofInvalid: Topic = ({ snapshot }) => {
  const { fault, expected, received } = snapshot.facts?.proof ?? { fault: 'malformed' };
  const { kind, fix, ...words } = FAULTS[fault];
  const difference = differenceOf(fault, kind, words.text, expected, received);
  return {
    expected: valueText(fault, words.expected, expected),
    received: valueText(fault, words.received, received),
    difference,
    fix,
  };
};

export const proofMissing = proofInvalid;
export const proofInvalidWithToken = proofInvalid;
export const nonceNeeded = proofInvalid;
export const nonceNeededWithToken = proofInvalid;
export const codeKeyDiffers = proofInvalid;
export const refreshKeyDiffers = proofInvalid;

/** The value that is known, after what it is. */
function valueText(fault: ProofFault, what: string, value: string | undefined): string {
  if (value === undefined || value === '') return what;
  return `${what}: ${ABOUT_TIMES.includes(fault) ? timeText(Number(value)) : value}`;
}

const ABOUT_TIMES: readonly ProofFault[] = ['tooOld', 'tooEarly', 'nonceStale'];

function differenceOf(
  fault: ProofFault,
  kind: string,
  text: string,
  expected: string | undefined,
  received: string | undefined,
): Difference {
  if (expected === undefined || received === undefined) return { kinds: [kind], text };
  if (ABOUT_TIMES.includes(fault)) {
    const seconds = Math.abs(Number(expected) - Number(received));
    return { kinds: [kind], text: `${text} It differs from the clock of the server by ${durationText(seconds)}.` };
  }
  if (fault !== 'address') return { kinds: [kind], text };
  const difference = uriDifference(expected, received, 'expected');
  return { ...difference, kinds: [kind, ...difference.kinds], text: `${text} ${difference.text}` };
}

export const tooManyProofs: Topic = ({ snapshot }) => ({
  expected: 'few refused requests with a DPoP proof from one network address',
  received: 'more than are admitted',
  difference: {
    kinds: ['limit'],
    text: `Of clients without a secret, 150 are admitted at once and one more each second. The next one is admitted in ${durationText(snapshot.retryAfter ?? 0)}.`,
  },
  fix: 'Look why the requests before this one were refused; those that succeed do not count.',
});
