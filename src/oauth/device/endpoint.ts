import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { failure, parameterFailure } from '../../failures.ts';
import { DEVICE_PATH } from '../../people/sign-in/progress.ts';
import { keyOf, newCredential } from '../../platform/crypto/credential.ts';
import { isForm, json, type Request } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Endpoint, Services } from '../../services.ts';
import { PARAMETER } from '../authorization-details/rules.ts';
import { identifyClient } from '../client-authentication/identify.ts';
import { clientAuthParameters } from '../client-authentication/methods.ts';
import { isPublicClient } from '../client-authentication/public-client.ts';
import { POLL_INTERVAL_SECONDS } from '../polled-grant/rules.ts';
import { type RichAccess, readRichAccess, undecodableResource } from '../token/requested-access.rules.ts';
import { DEVICE_CODE_SECONDS, DEVICE_GRANT, shownUserCode, userCodeFrom } from './rules.ts';
import type { NewDeviceAuthorization } from './store.ts';

const PARAMETERS = ['scope', PARAMETER, ...clientAuthParameters];

/**
 * {issuer}/device_authorization (RFC 8628 section 3.1): a device without a browser asks for a code that a person types elsewhere, at
 * /device (page.ts). grant.ts answers the polls of the device.
 */
export const deviceAuthorization: Endpoint = async (services, request, application) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = request.form;
  const fault = params.fault(PARAMETERS);
  if (fault) return { failure: parameterFailure(fault) };
  const undecodable = undecodableResource(params, application);
  if (undecodable) return { failure: undecodable };
  const client = await identifyClient(services, request, application, params);
  if ('failure' in client) return client;

  const { client_id } = client;
  if (!client.grant_types.includes(DEVICE_GRANT)) {
    return { failure: failure('grantTypeNotAllowed'), client: client_id };
  }
  const access = readRichAccess(params, client, application);
  if ('error' in access) return { failure: access, client: client_id };

  const wait = isPublicClient(client)
    ? (await services.throttle.admit({ kind: 'device', address: request.address })).wait
    : 0;
  if (wait > 0) return { failure: failure('tooManyDeviceRequests'), retryAfter: wait, client: client_id };
  return json(await authorizeDevice(services, request, application, client, access));
};

/** Section 3.2. Nothing in the answer is a redirect: the device shows the address and the code. */
async function authorizeDevice(
  services: Services,
  request: Request,
  application: Application,
  { client_id: clientId }: Client,
  { scope, resources, claims }: RichAccess,
): Promise<Record<string, unknown>> {
  const { clock, config, random } = services;
  const createdAt = clock.now();
  const expiresAt = createdAt + DEVICE_CODE_SECONDS;
  const deviceCode = newCredential('device', expiresAt, random);
  const device = {
    ...{ deviceHash: keyOf(deviceCode), clientId, scope, resources, claims, address: request.address },
    ...{ interval: POLL_INTERVAL_SECONDS, createdAt, expiresAt },
  };
  const userCode = await addWithUserCode(services, application, device);
  const verificationUri = `${config.baseUrl}${DEVICE_PATH}`;
  const shown = shownUserCode(userCode);
  return {
    device_code: deviceCode,
    user_code: shown,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?${encodeParams([['user_code', shown]])}`,
    expires_in: DEVICE_CODE_SECONDS,
    interval: POLL_INTERVAL_SECONDS,
  };
}

/** With a million devices waiting, one code in 25,600 is in use; five in a row are a fault of the random numbers. */
const MAX_USER_CODES = 5;

async function addWithUserCode(
  { random, ring, store }: Services,
  { code: app }: Application,
  device: Omit<NewDeviceAuthorization, 'userCodeHash'>,
): Promise<string> {
  for (let attempt = 0; attempt < MAX_USER_CODES; attempt++) {
    const userCode = userCodeFrom(random.bytes(USER_CODE_BYTES));
    if (userCode === undefined) continue;
    const [userCodeHash] = ring.userCodeHashes(userCode);
    if (await store.addDeviceAuthorization(app, { ...device, userCodeHash })) return userCode;
  }
  throw new Error('no user code is free');
}

/** One byte in 16 cannot be used, and a code needs eight that can. */
const USER_CODE_BYTES = 32;
