import type { Columns } from '../postgres/statement.ts';

/** PROFILE_COLUMNS of directory/users/rows.store.ts with their types. */
export const profileTypes: Columns = {
  username: 'text',
  nickname: 'text',
  picture: 'text',
  email: 'text',
  email_verified: 'boolean',
  phone_number: 'text',
  phone_number_verified: 'boolean',
  updated_at: 'bigint',
  standard_claims: 'text',
  membership: 'text',
};

/** What codes and grants say of a token family, in the order of familyValues (grants.ts), after the application. */
export const familyTypes: Columns = {
  client_id: 'text',
  sid: 'text',
  sub: 'text',
  scope: 'text',
  auth_time: 'bigint',
  amr: 'text',
  claims: 'text',
  resources: 'text',
};
