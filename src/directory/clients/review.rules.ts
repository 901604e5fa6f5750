import { hasWord, neededGrant, type ResponseType } from '../../oauth/authorize/response-type.rules.ts';
import type { AuthMethod } from './rules.ts';

/** What of a client's settings a security review would question, by the documents that it quotes: OAuth 2.0 Security BCP (RFC 9700). */
export const questions = ['pkce', 'secret', 'implicit', 'password'] as const;

export type Question = (typeof questions)[number];

export interface Reviewed {
  readonly grant_types: readonly string[];
  readonly response_types?: readonly ResponseType[] | undefined;
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: AuthMethod;
  readonly require_pkce: boolean;
  readonly require_client_authentication: boolean;
}

export function questionsOf(client: Reviewed): readonly Question[] {
  return questions.filter(each => isOpen[each](client));
}

/** The fields of a change that settles the question. `null`: back to what the grants stand for. */
export type Settlement = Partial<Omit<Reviewed, 'response_types'>> & {
  readonly response_types?: readonly ResponseType[] | null;
};

export function settlementOf(question: Question, { grant_types, response_types }: Reviewed): Settlement {
  switch (question) {
    case 'implicit': {
      const left = response_types?.filter(type => !isInBrowser(type));
      return {
        grant_types: grant_types.filter(each => each !== 'implicit'),
        ...(left && { response_types: left.length > 0 ? left : null }),
      };
    }
    case 'pkce':
      return { require_pkce: true };
    case 'secret':
      return { require_client_authentication: true };
    default:
      return { grant_types: grant_types.filter(each => each !== question) };
  }
}

/** A client that nothing can be sent back to has signed nobody in: no program stops working. The password grant needs no address. */
export function canBreak(question: Question, { redirect_uris }: Reviewed): boolean {
  return question === 'password' || redirect_uris.length > 0;
}

const isOpen: Readonly<Record<Question, (client: Reviewed) => boolean>> = {
  /** RFC 9700 section 2.1.1. A public client always needs PKCE (oauth/authorize/request.rules.ts). */
  pkce: client => hasCodes(client) && isConfidential(client) && !client.require_pkce,
  /** RFC 9700 section 2.5: a client that can authenticate does. */
  secret: client => hasCodes(client) && isConfidential(client) && !client.require_client_authentication,
  /** RFC 9700 section 2.1.2. */
  implicit: ({ grant_types, response_types = [] }) =>
    grant_types.includes('implicit') || response_types.some(type => hasWord(type, 'token')),
  /** RFC 9700 section 2.4. */
  password: ({ grant_types }) => grant_types.includes('password'),
};

/** Without the implicit grant, or an access token in an address, there is none of these. */
function isInBrowser(responseType: ResponseType): boolean {
  return neededGrant(responseType) === 'implicit' || hasWord(responseType, 'token');
}

function hasCodes({ grant_types }: Reviewed): boolean {
  return grant_types.includes('authorization_code');
}

function isConfidential({ token_endpoint_auth_method: method }: Reviewed): boolean {
  return method !== 'none';
}
