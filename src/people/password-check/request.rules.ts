import { createHmac } from 'node:crypto';

/** Pure: how an old system is asked, and what its answers mean. */

export interface CheckRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Signed as webhooks are (docs/webhooks.md, Standard Webhooks): the old system can tell who asks, and that it was just now. Otherwise
 * everybody who finds its address could try passwords there.
 */
export function checkRequest(
  { username, password }: { readonly username: string; readonly password: string },
  { secret, id, now }: { readonly secret: string; readonly id: string; readonly now: number },
): CheckRequest {
  const body = JSON.stringify({ username, password });
  const signature = createHmac('sha256', secret).update(`${id}.${now}.${body}`).digest('base64');
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(now),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  };
}

export type CheckAnswer =
  | { readonly kind: 'right'; readonly subject: string; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly kind: 'wrong'; readonly reason: string; readonly isKnown: boolean }
  | { readonly kind: 'failed'; readonly fault: 'unavailable' | 'refused' | 'invalid'; readonly reason: string };

const MAX_SUBJECT_LENGTH = 255;

/** 200 with the claims of the person, 401 or 403 for a password that is not taken, 404 for a name that nobody has. */
export function readCheckAnswer(status: number, body: string): CheckAnswer {
  if (status === 401) return { kind: 'wrong', reason: 'the password is another', isKnown: true };
  if (status === 403) return { kind: 'wrong', reason: 'the account may not sign in there', isKnown: true };
  if (status === 404) return { kind: 'wrong', reason: 'nobody has this name there', isKnown: false };
  if (status === 400) {
    return {
      kind: 'failed',
      fault: 'refused',
      reason: 'it does not take the request: compare signing_secret and the clocks',
    };
  }
  if (status !== 200) {
    // What it does not take of one person says nothing about the others: they are not kept away.
    const fault = status >= 500 ? 'unavailable' : 'refused';
    return { kind: 'failed', fault, reason: `the answer has the status ${status}` };
  }
  const claims = objectIn(body);
  const subject = typeof claims?.sub === 'number' ? String(claims.sub) : claims?.sub;
  if (!claims || typeof subject !== 'string' || subject === '' || subject.length > MAX_SUBJECT_LENGTH) {
    return {
      kind: 'failed',
      fault: 'invalid',
      reason: 'the answer has no "sub": it has to be an object with the id of the person',
    };
  }
  return { kind: 'right', subject, claims };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
