import { PROVIDER_ID } from '../../directory/providers/rules.ts';
import { MAX_PASSKEY_NAME_LENGTH, TRANSPORTS } from '../../people/passkey/rules.ts';
import { encodeBase32 } from '../../people/totp/rules.ts';

/** How the exports of other systems name what the apply file calls `username`, `email` …; `sub` keeps the id of the user. */
export type Fields = Readonly<Record<string, unknown>>;

/** What is defined at the target. `providers` undefined: a server looks. */
export interface Defined {
  /** The names of users' own fields, which are moved under these. */
  readonly own: readonly string[];
  readonly providers: readonly string[] | undefined;
}

/** The fields by our names; what is not moved is left out. */
export type Source = (fields: Fields, defined: Defined) => Fields;

/** Fields that are moved under their own name, if they are set. */
function kept(fields: Fields, names: readonly string[]): Fields {
  return set(Object.fromEntries(names.map(name => [name, fields[name]])));
}

function set(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** Of objects that have values by their names; the last one counts. */
function ownFields(own: readonly string[], ...from: readonly unknown[]): Fields | undefined {
  const all: Fields = Object.assign({}, ...from);
  const moved = set(Object.fromEntries(own.filter(name => Object.hasOwn(all, name)).map(name => [name, all[name]])));
  return Object.keys(moved).length === 0 ? undefined : moved;
}

const PROFILE = ['name', 'nickname', 'picture', 'given_name', 'family_name'];

/**
 * Auth0: users of an export job, and of the export of password hashes that its support makes (bcrypt). `sub` stays what Auth0 put
 * into tokens: `auth0|` and the id.
 */
export const auth0: Source = (fields, { own }) => {
  const { user_metadata, app_metadata } = fields;
  const { _id, user_id, blocked, phone_verified, passwordHash, password_hash, custom_password_hash, mfa_factors } =
    fields;
  const oid = (_id as { $oid?: unknown } | undefined)?.$oid;
  return set({
    ...kept(fields, ['username', 'email', 'email_verified', 'phone_number', ...PROFILE]),
    sub: user_id ?? (typeof oid === 'string' ? `auth0|${oid}` : undefined),
    phone_number_verified: phone_verified,
    disabled: blocked,
    password_hash: passwordHash ?? password_hash ?? customHash(custom_password_hash),
    totp_secret: auth0Totp(mfa_factors),
    attributes: ownFields(own, user_metadata, app_metadata),
  });
};

/** Only where the value is the whole hash, as for bcrypt, Argon2 and PBKDF2. */
function customHash(custom: unknown): unknown {
  const { hash, salt } = (custom ?? {}) as { hash?: { value?: unknown }; salt?: unknown };
  return salt === undefined ? hash?.value : undefined;
}

/** The form of Auth0's own import, in base32. Factors by telephone or e-mail are not moved. */
function auth0Totp(factors: unknown): unknown {
  const all = Array.isArray(factors) ? (factors as { totp?: { secret?: unknown } }[]) : [];
  return all.find(({ totp }) => totp?.secret !== undefined)?.totp?.secret;
}

/** The attributes that Keycloak or its administrators usually call so. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  phoneNumber: 'phone_number',
  phoneNumberVerified: 'phone_number_verified',
  phone_number: 'phone_number',
  phone_number_verified: 'phone_number_verified',
  locale: 'locale',
  nickname: 'nickname',
  picture: 'picture',
  zoneinfo: 'zoneinfo',
  birthdate: 'birthdate',
  gender: 'gender',
  website: 'website',
  profile: 'profile',
  middleName: 'middle_name',
};

/** Keycloak: the users of a realm export (`kc.sh export`), one on each line. `sub` stays the id. */
export const keycloak: Source = (fields, { own, providers }) => {
  const { id, username, email, emailVerified, firstName, lastName, enabled, attributes, credentials } = fields;
  const { federatedIdentities } = fields;
  return set({
    ...keycloakAttributes(attributes),
    attributes: ownFields(own, attributes),
    sub: id,
    username,
    email: email === '' ? undefined : email,
    email_verified: emailVerified,
    given_name: firstName,
    family_name: lastName,
    name: typeof firstName === 'string' && typeof lastName === 'string' ? `${firstName} ${lastName}` : undefined,
    disabled: typeof enabled === 'boolean' ? !enabled : undefined,
    password_hash: keycloakHash(credentials),
    totp_secret: keycloakTotp(credentials),
    passkeys: keycloakPasskeys(credentials, id),
    links: keycloakLinks(federatedIdentities, providers),
  });
};

interface KeycloakIdentity {
  readonly identityProvider?: unknown;
  readonly userId?: unknown;
}

/** Those at providers that are registered here by the alias that they have there. */
function keycloakLinks(identities: unknown, providers: readonly string[] | undefined): unknown {
  const all = Array.isArray(identities) ? (identities as KeycloakIdentity[]) : [];
  const isHere = (alias: unknown) =>
    typeof alias === 'string' && PROVIDER_ID.test(alias) && (!providers || providers.includes(alias));
  const links = all.flatMap(({ identityProvider: provider, userId: subject }) =>
    isHere(provider) ? [{ provider, subject }] : [],
  );
  return links.length === 0 ? undefined : links;
}

function keycloakAttributes(attributes: unknown): Fields {
  const moved = Object.entries((attributes ?? {}) as Fields).flatMap(([name, values]): [string, unknown][] => {
    const field = ATTRIBUTES[name];
    const value = Array.isArray(values) ? values[0] : values;
    if (field === undefined) return [];
    return [[field, field.endsWith('_verified') ? value === 'true' || value === true : value]];
  });
  return Object.fromEntries(moved);
}

interface KeycloakCredential {
  readonly type?: unknown;
  readonly userLabel?: unknown;
  readonly credentialData?: unknown;
  readonly secretData?: unknown;
}

/**
 * The key is the text itself, byte by byte, unless `secretEncoding` says base32. Authenticator apps here have six digits every 30
 * seconds by SHA-1; what Keycloak was set to do otherwise is given as it is, so that the fault shows and nobody loses a factor silently.
 */
function keycloakTotp(credentials: unknown): unknown {
  const all = Array.isArray(credentials) ? (credentials as KeycloakCredential[]) : [];
  const otp = all.find(({ type }) => type === 'otp');
  if (!otp) return undefined;
  try {
    const { subType, digits, period, algorithm, secretEncoding } = JSON.parse(String(otp.credentialData));
    const { value } = JSON.parse(String(otp.secretData));
    const isUsual = subType === 'totp' && digits === 6 && period === 30 && algorithm === 'HmacSHA1';
    if (!isUsual || typeof value !== 'string') return `${subType}, ${digits} digits, ${period} s, ${algorithm}`;
    return secretEncoding === 'BASE32' ? value : encodeBase32(Buffer.from(value));
  } catch {
    // The colon: words alone could be base32.
    return 'otp: without credentialData and secretData';
  }
}

const PASSKEY_TYPES: readonly unknown[] = ['webauthn', 'webauthn-passwordless'];

/** Keycloak gives authenticators the text of the user's id as user handle. What cannot be read is left out, so that the fault shows. */
function keycloakPasskeys(credentials: unknown, id: unknown): unknown {
  const all = Array.isArray(credentials) ? (credentials as KeycloakCredential[]) : [];
  const passkeys = all.filter(({ type }) => PASSKEY_TYPES.includes(type));
  const handle = typeof id === 'string' ? Buffer.from(id).toString('base64url') : undefined;
  return passkeys.length === 0 ? undefined : passkeys.map(passkey => keycloakPasskey(passkey, handle));
}

function keycloakPasskey({ credentialData, userLabel }: KeycloakCredential, user_handle: string | undefined): Fields {
  try {
    const { credentialId, credentialPublicKey, counter, transports } = JSON.parse(String(credentialData));
    const name = typeof userLabel === 'string' ? userLabel.trim().slice(0, MAX_PASSKEY_NAME_LENGTH) : '';
    return set({
      credential_id: toBase64url(credentialId),
      public_key: toBase64url(credentialPublicKey),
      user_handle,
      name: name === '' ? undefined : name,
      sign_count: counter,
      transports: Array.isArray(transports) ? TRANSPORTS.filter(each => transports.includes(each)) : undefined,
    });
  } catch {
    return set({ user_handle });
  }
}

/** Keycloak writes the credential id as base64, and the key as base64url. */
function toBase64url(text: unknown): unknown {
  return typeof text === 'string' ? unpadded(text).replaceAll('+', '-').replaceAll('/', '_') : text;
}

/** As a PHC string. What cannot be read is given as it is, so that the fault shows. */
function keycloakHash(credentials: unknown): unknown {
  const password = (Array.isArray(credentials) ? (credentials as KeycloakCredential[]) : []).find(
    ({ type }) => type === 'password',
  );
  if (!password) return undefined;
  try {
    const { hashIterations, algorithm, additionalParameters } = JSON.parse(String(password.credentialData));
    const { value, salt } = JSON.parse(String(password.secretData));
    const end = `${unpadded(salt)}$${unpadded(value)}`;
    if (algorithm === 'argon2') {
      const { type = ['id'], version = ['1.3'], memory, parallelism } = additionalParameters;
      // RFC 9106 is version 1.3, which PHC strings write as 19. Passwords cannot be checked by 1.0 (16): the entry is refused.
      return `$argon2${type[0]}$v=${version[0] === '1.3' ? 19 : 16}$m=${memory[0]},t=${hashIterations},p=${parallelism[0]}$${end}`;
    }
    const digest = algorithm === 'pbkdf2' ? 'sha1' : String(algorithm).replace(/^pbkdf2-/, '');
    return `$pbkdf2-${digest}$i=${hashIterations}$${end}`;
  } catch {
    return 'the password of a Keycloak export without credentialData and secretData';
  }
}

function unpadded(base64: unknown): string {
  return String(base64).replace(/=+$/, '');
}
