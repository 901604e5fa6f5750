import type { Application } from '../../directory/applications/rules.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';

/** What is known of a grant type before its handler is loaded: the capability declares it with the grant. */
export interface GrantType {
  /** Its tokens are worth nothing to anybody but a client that proves who it is. */
  readonly isConfidential?: boolean;
  /** A user is asked in it, so a client can register itself for it. The others give access without a question. */
  readonly asksUser?: boolean;
  /** Whether it can give a token at an application. Undefined: at each. */
  readonly isOffered?: (application: Application) => boolean;
  /** In the console. Undefined: its name. */
  readonly label?: Readonly<Record<OperatorLocale, string>>;
}

/** The grant types of the server, by their names. */
export type GrantTypes = ReadonlyMap<string, GrantType>;

/** The names of those that can give a token: at an application, or at some. */
export function offeredGrantTypes(grantTypes: GrantTypes, application: Application | undefined): readonly string[] {
  const isOffered = ({ isOffered }: GrantType) => !application || !isOffered || isOffered(application);
  return [...grantTypes].filter(([, type]) => isOffered(type)).map(([name]) => name);
}
