import { DEFAULT_REFRESH_FAMILY_TTL } from '../../oauth/refresh/rules.ts';
import { DEFAULT_SIGNING_ALG } from '../../oauth/signing-keys/algorithms.rules.ts';
import type { Row } from '../../platform/store/row.ts';
import { EVERYBODY } from '../access/rules.ts';
import { definitionsFrom } from '../user-attributes/rows.store.ts';
import { shownAttributes } from '../user-attributes/rules.ts';
import { type Application, type ApplicationSettings, DEFAULT_MFA, MIN_PASSWORD_LENGTH } from './rules.ts';
import type { SecretUse } from './store.ts';

/** The defaults for an application that an earlier release stored without these settings; a test holds them against their declarations. */
const SETTINGS_ADDED_LATER = {
  refresh_family_ttl: DEFAULT_REFRESH_FAMILY_TTL,
  id_token_signed_response_alg: DEFAULT_SIGNING_ALG,
  password_min_length: MIN_PASSWORD_LENGTH,
  mfa: DEFAULT_MFA,
  trusted_browsers: false,
  sign_up: false,
  require_verified_email: false,
  passkeys: true,
  access: EVERYBODY,
  apis: [],
  token_exchange: [],
  client_id_metadata: 'off',
  dynamic_registration: 'off',
  providers: [],
  local_sign_in: true,
} satisfies Partial<Application>;

export function applicationFromRow(row: Row | undefined): Application | undefined {
  return row && { ...toSettings(row), ...(row.logo_hash === null ? {} : { logo_hash: row.logo_hash as string }) };
}

/** With the logo, where the row has it. */
export function settingsFromRow(row: Row): ApplicationSettings {
  const { logo = null } = row;
  return { ...toSettings(row), ...(logo === null ? {} : { logo_uri: logo as string }) };
}

function toSettings({ code, name, settings, user_attributes = null }: Row): Omit<Application, 'logo_hash'> {
  const application = { ...SETTINGS_ADDED_LATER, ...JSON.parse(settings as string), code, name };
  if (user_attributes === null) return application;
  const shown = shownAttributes(definitionsFrom(user_attributes as string), application.apis);
  return shown.length === 0 ? application : { ...application, user_attributes: shown };
}

export function toSecretUse(row: Row): SecretUse {
  return {
    id: row.id as string,
    signingKeys: Number(row.signing_keys),
    clientSecrets: Number(row.client_secrets),
    webhookSecrets: Number(row.webhook_secrets),
    providerSecrets: Number(row.provider_secrets),
    totpKeys: Number(row.totp_keys),
  };
}
