import { copied, table } from '../../platform/store/table.ts';

/** People belong to no application: a token of any application is answered with their claims. */
export const userTables = [
  table('users', {
    placement: 'reference',
    copy: copied(
      'sub',
      'sub username nickname picture email email_verified:b phone_number phone_number_verified:b ' +
        'disabled:b updated_at:i standard_claims require_mfa:b require_password_change:b membership email_since:i phone_claimed:b',
    ),
  }),
  table('login_names', { placement: 'reference', copy: copied('login_name', 'login_name sub') }),
];
