import type { PasswordChecker, TypedPassword } from '../federation/password-checker.ts';
import { createDirectory, type Directory } from './directory.ts';

/** Directories that speak LDAP check passwords by a bind (RFC 4513 section 5.1.3). */
export const ldap: PasswordChecker = {
  check: asked => directoryOf(asked).check(asked.username, asked.password, asked.countEntry),
  isStillThere: asked => directoryOf(asked).isStillThere(asked.subject),
};

function directoryOf({ services, provider }: Pick<TypedPassword, 'services' | 'provider'>): Directory {
  return services.providerConnections.of(provider, () => createDirectory(services, provider));
}
