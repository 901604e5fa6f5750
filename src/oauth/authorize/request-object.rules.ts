/** The parameters that decide how a response is sent back to the client. */
export interface ResponseParameters {
  readonly responseType: string | undefined;
  readonly responseMode: string | undefined;
}

/**
 * OIDC Core section 6.1: parameters inside a request object replace those beside it. Request objects are not supported, but the
 * error must be sent in the response mode that the client expects, and an unsigned object (`alg` none) can be read for that.
 */
export function readUnsignedRequestObject(requestObject: string): ResponseParameters {
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
