/** What tells where the client waits for the answer. */
export interface AnswerPlace {
  readonly responseType: string | undefined;
  readonly responseMode: string | undefined;
}

/**
 * OIDC Core section 6.1: parameters inside a request object stand for those beside it. Request objects are not supported, but
 * the refusal belongs where the client waits for the answer, and an unsigned one (`alg` none) says so in the clear.
 */
export function readUnsigned(requestObject: string): AnswerPlace {
  const [header = '', payload = ''] = requestObject.split('.');
  if (member(header, 'alg') !== 'none') return { responseType: undefined, responseMode: undefined };
  return { responseType: member(payload, 'response_type'), responseMode: member(payload, 'response_mode') };
}

function member(part: string, name: string): string | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())?.[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
