import { callbackOf } from '../../directory/providers/rules.ts';
import { failure } from '../../failures.ts';
import { GUARDED, param } from '../../platform/http/message.ts';
import type { Handler } from '../../services.ts';
import { ownKeysOf } from '../federation/own-keys.ts';
import { selfSigned } from './certificate.rules.ts';
import { entityIdOf, ownMetadataXml } from './own-metadata.rules.ts';

/** Before any clock of a provider. It is the same at each look, and so is the certificate. */
const VALID_FROM = Date.parse('2026-01-01T00:00:00Z') / 1000;

/** GET /login/provider/{id}/metadata: what a provider imports instead of having it typed. */
export const ownMetadata: Handler = async (services, request) => {
  const id = param(request, 'id');
  const { baseUrl } = services.config;
  const provider = (await services.registry.providers()).find(each => each.id === id && each.type === 'saml');
  if (!provider) return { failure: failure('notFound') };
  const keys = await ownKeysOf(services, provider);
  const name = new URL(baseUrl).hostname;
  const body = ownMetadataXml({
    entityId: entityIdOf(baseUrl, provider),
    callback: callbackOf(baseUrl, id),
    signsRequests: provider.sign_requests === true,
    signedOut: provider.sign_out ? `${baseUrl}/login/provider/${id}/signed-out` : undefined,
    certificates: keys.map(each => selfSigned(each, name, VALID_FROM).toString('base64')),
  });
  return {
    status: 200,
    headers: { 'content-type': 'application/samlmetadata+xml', 'cache-control': 'no-cache', ...GUARDED },
    body,
  };
};
