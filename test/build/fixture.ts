import type { z } from 'zod';
import type { AccessLists } from '../../src/directory/access/rules.ts';
import type { apiFields } from '../../src/directory/apis/fields.ts';
import type { ApplicationSettings } from '../../src/directory/applications/rules.ts';
import type { Preset } from '../../src/directory/clients/presets.fields.ts';
import type { ClientEntry } from '../../src/directory/clients/rules.ts';
import type { ProviderEntry } from '../../src/directory/providers/rules.ts';
import type { attributeSchema } from '../../src/directory/user-attributes/fields.ts';
import type { userSchema } from '../../src/directory/users/fields.ts';
import type { policyFields } from '../../src/oauth/token-exchange/fields.ts';

/** What a test provisions: entries of an apply file, with a value for every field that the test does not set. */
type Given<T> = { readonly [Name in keyof T]?: T[Name] | null | undefined };
type Parts = 'user_attributes' | 'access' | 'apis' | 'token_exchange' | 'software_statements' | 'assertion_issuers';
export type ApplicationInput = Pick<ApplicationSettings, 'code' | 'name'> &
  Given<Omit<ApplicationSettings, 'code' | 'name' | Parts>> & {
    readonly access?: 'everybody' | Partial<AccessLists> | undefined;
    readonly apis?: readonly z.input<typeof apiFields>[] | undefined;
    readonly token_exchange?: readonly z.input<typeof policyFields>[] | undefined;
    readonly software_statements?: { readonly required?: boolean; readonly issuers: readonly unknown[] } | undefined;
    readonly assertion_issuers?: readonly object[] | undefined;
    readonly clients?: readonly (ClientInput & { readonly preset?: Preset })[] | undefined;
  };
export type ClientInput = {
  readonly [Name in keyof Omit<ClientEntry, 'scope' | 'jwks'>]?: ClientEntry[Name] | undefined;
} & {
  readonly scope?: string | undefined;
  readonly jwks?: { readonly keys: readonly object[] } | undefined;
};
export type ProviderInput = Given<Omit<ProviderEntry, 'id' | 'type'>> & Pick<ProviderEntry, 'id' | 'type'>;
export type UserInput = z.input<typeof userSchema>;
export type AttributeInput = z.input<typeof attributeSchema>;

export const CALLBACK = 'https://client.example/cb';
export const PASSWORD = 'correct horse battery staple';

export function aClient(over: ClientInput = {}): ClientInput {
  const secret = over.token_endpoint_auth_method === 'none' ? {} : { client_secret: 'web-secret-1' };
  return {
    client_id: 'web',
    ...secret,
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token', 'password', 'implicit'],
    ...over,
  };
}

export function aPublicClient(over: ClientInput = {}): ClientInput {
  return aClient({
    client_id: 'spa',
    token_endpoint_auth_method: 'none',
    redirect_uris: ['https://spa.example/cb'],
    grant_types: ['authorization_code', 'refresh_token'],
    ...over,
  });
}

export function anApplication(over: Partial<ApplicationInput> = {}): ApplicationInput {
  return { code: 'shop', name: 'Shop', clients: [aClient()], ...over };
}

export function aUser(over: Partial<UserInput> = {}): UserInput {
  return {
    username: 'alice',
    password: PASSWORD,
    email: 'alice@example.com',
    email_verified: true,
    phone_number: '+8613800000001',
    phone_number_verified: true,
    nickname: 'Al',
    picture: 'https://example.com/a.png',
    ...over,
  };
}
