import { verifyClientSecret } from './client-secret.ts';
import type { ClientAuthMethod } from './method.ts';

/** RFC 6749 section 2.3.1, in the form body. */
export const clientSecretPost: ClientAuthMethod = {
  name: 'client_secret_post',
  parameters: ['client_id', 'client_secret'],
  reusable: true,
  presented(_request, params) {
    const secret = params.get('client_secret');
    return secret === undefined ? undefined : `${params.get('client_id') ?? ''}${SEPARATOR}${secret}`;
  },
  readings(presented) {
    const end = presented.indexOf(SEPARATOR);
    return [{ clientId: presented.slice(0, end), secret: presented.slice(end + 1) }];
  },
  verify: verifyClientSecret,
};

/** No parameter can hold it (platform/http/params.rules.ts). */
const SEPARATOR = '\0';
