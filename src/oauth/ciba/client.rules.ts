import type { ClientEntry } from '../../directory/clients/rules.ts';
import { signsMessages } from '../fapi/rules.ts';
import { CIBA_GRANT } from './rules.ts';

const ALG = 'backchannel_authentication_request_signing_alg';
const ENDPOINT = 'backchannel_client_notification_endpoint';

/** What of a client does not fit to its requests, by field (CIBA section 4). */
export function backchannelFaults(client: ClientEntry): [string, string][] {
  const { grant_types: grants, backchannel_token_delivery_mode: mode } = client;
  if (!grants.includes(CIBA_GRANT)) return [];
  const faults: [string, string][] = [];
  if (mode === 'ping' && client[ENDPOINT] === undefined) {
    faults.push([ENDPOINT, 'is needed with backchannel_token_delivery_mode ping']);
  }
  if (client[ALG] !== undefined && !client.jwks && client.jwks_uri === undefined) {
    faults.push([ALG, 'needs jwks or jwks_uri: the keys that sign the requests']);
  }
  // FAPI CIBA section 5.2.2, with Message Signing section 5.3.
  if (signsMessages(client) && client[ALG] === undefined) {
    faults.push([ALG, `must be PS256, ES256 or EdDSA with the profile ${client.profile}`]);
  }
  return faults;
}
