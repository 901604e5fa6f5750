import { header } from '../../platform/http/message.ts';
import { verifyClientSecret } from './client-secret.ts';
import type { ClientAuthMethod, ClientCredentials } from './method.ts';

/**
 * RFC 6749 section 2.3.1, the Authorization header. No other method uses that header, so a header of another scheme counts
 * as this method too: beside a client_secret in the body it is a second method, and alone it authenticates no client.
 */
export const clientSecretBasic: ClientAuthMethod = {
  name: 'client_secret_basic',
  parameters: [],
  reusable: true,
  presented: request => header(request, 'authorization') || undefined,
  readings: presented => (/^basic\b/i.test(presented) ? basicCredentials(presented) : 'clientNotAuthenticated'),
  verify: verifyClientSecret,
};

/**
 * Basic credentials in both readings: the raw `id:secret` of the interface, and form-encoded before base64 as RFC 6749
 * section 2.3.1 has it. They differ only where an identifier or secret holds a percent or plus sign.
 */
function basicCredentials(authorization: string): ClientCredentials[] {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(authorization)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return [];
  const raw = { clientId: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = { clientId: formDecode(raw.clientId), secret: formDecode(raw.secret) };
  if (decoded.clientId === undefined || decoded.secret === undefined) return [raw];
  if (decoded.clientId === raw.clientId && decoded.secret === raw.secret) return [raw];
  return [raw, decoded as ClientCredentials];
}

function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
