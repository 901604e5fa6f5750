import { capability, from } from '../../capability.ts';

/**
 * Directories: LDAP (RFC 4510 to 4519) and Active Directory. People type name and password into the ordinary form; accounts of this server
 * come first, then the directories of the application (src/people/federation/elsewhere.ts).
 *
 * ber, filter and message.rules.ts are the part of the protocol that is used: a search, a bind, StartTLS. directory.ts checks a password.
 */
export const ldap = capability('people/ldap', {
  passwordCheckers: { ldap: from(() => import('./password-checker.ts'), 'ldap') },
  fields: from(() => import('./fields.ts'), 'ldapFields'),
});
