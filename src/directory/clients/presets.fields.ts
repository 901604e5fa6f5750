import { DEVICE_GRANT } from '../../oauth/device/rules.ts';
import type { Client } from './rules.ts';

/** What a preset can set: nothing that only one client can have, such as its addresses. */
type PresetFields = Pick<
  Client,
  | 'grant_types'
  | 'token_endpoint_auth_method'
  | 'require_pkce'
  | 'require_client_authentication'
  | 'require_consent'
  | 'refresh_token_rotation'
  | 'userinfo_claims'
>;

/**
 * The kinds of clients (row 60). At its creation a client gets the values of its preset, where nothing else is said. They are values
 * like others from then on: the preset is not stored.
 */
const PRESETS = {
  /** A web application with a server of its own. */
  web: {
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_basic',
    require_pkce: true,
    require_client_authentication: true,
    userinfo_claims: 'standard',
  },
  /** A single-page application: all of it runs in the browser. */
  spa: {
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    require_pkce: true,
    refresh_token_rotation: true,
    userinfo_claims: 'standard',
  },
  /** A mobile or desktop application (RFC 8252). Any program on the same device can impersonate it, so users are asked (section 8.6). */
  native: {
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    require_pkce: true,
    require_consent: true,
    refresh_token_rotation: true,
    userinfo_claims: 'standard',
  },
  /** A program that acts for itself, without a user. */
  machine: {
    grant_types: ['client_credentials'],
    token_endpoint_auth_method: 'client_secret_basic',
    userinfo_claims: 'standard',
  },
  /** A device without a browser (RFC 8628). */
  device: {
    grant_types: ['refresh_token', DEVICE_GRANT],
    token_endpoint_auth_method: 'none',
    refresh_token_rotation: true,
    userinfo_claims: 'standard',
  },
  /** A client of the documented interface. It has the password and implicit grants only where its `grant_types` lists them. */
  legacy: {
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_basic',
    require_pkce: false,
    require_client_authentication: false,
    require_consent: false,
    refresh_token_rotation: true,
    userinfo_claims: 'documented',
  },
} as const satisfies Readonly<Record<string, Partial<PresetFields>>>;

export type Preset = keyof typeof PRESETS;
export const presets = Object.keys(PRESETS) as [Preset, ...Preset[]];

export function isPreset(value: unknown): value is Preset {
  return typeof value === 'string' && Object.hasOwn(PRESETS, value);
}

export function presetFields(preset: Preset): Partial<PresetFields> {
  return PRESETS[preset];
}

/** What the fields of a new client say, with the values of its preset beneath. An unknown preset stays, for the schema to refuse. */
export function withPreset(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('preset' in given) || !isPreset(given.preset)) return given;
  const { preset, ...named } = given;
  return { ...presetFields(preset), ...named };
}
