import { capability } from '../../capability.ts';
import { authorizationDetailsTables } from './tables.ts';

/**
 * Rich authorization requests (RFC 9396): `authorization_details` at /auth and /par, on the consent page, in access tokens and introspection.
 * The types belong to the APIs of an application (`authorization_details_types`).
 */
export const authorizationDetails = capability('oauth/authorization-details', { tables: authorizationDetailsTables });
