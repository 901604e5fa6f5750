import { type Application, issuerOf } from '../../directory/applications/rules.ts';
import type { Services } from '../../services.ts';

/** By the registry's own object, of which each process has one with one base URL. */
const issuers = new WeakMap<Application, string>();

/**
 * The issuer of an application, put together once: it is in every introspection and ID token, and V8 takes twice as long to
 * write JSON with a string that was concatenated just before.
 */
export function issuerFor({ config }: Pick<Services, 'config'>, application: Application): string {
  const known = issuers.get(application);
  if (known !== undefined) return known;
  const issuer = issuerOf(config.baseUrl, application.code);
  issuers.set(application, issuer);
  return issuer;
}
