import type { z } from 'zod';
import type { applicationSchema, clientSchema } from '../../src/directory/clients/fields.ts';
import type { userSchema } from '../../src/directory/users/fields.ts';

/** What a test provisions: entries of an apply file, with a value for every field that the test does not set. */
export type ApplicationInput = z.input<typeof applicationSchema>;
export type ClientInput = z.input<typeof clientSchema>;
export type UserInput = z.input<typeof userSchema>;

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
