import type { Provider, ProviderSecrets } from '../../directory/providers/rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import type { EndedName, NamedSession } from './person.rules.ts';

/**
 * How people are identified by providers of one type. A capability declares its connector by the types that it connects
 * (`connectors`); all that is the same for every provider is here in src/people/federation: state, browser, replay, accounts, pages.
 *
 *   POST /login/provider/{id}      → begin: where the browser goes, and what is kept for the answer
 *   /login/provider/{id}/callback  → finish: who the person is, or why not
 */
export interface Connector {
  begin(asked: Asked): Promise<Begun>;
  /**
   * Where the provider posts what is too large for an address: it is verified where it arrives, without the cookies of the browser. What
   * it says comes to `finish` as `said`.
   */
  receive?(asked: Answered, posted: Posted): Promise<Received>;
  /** New tokens for a refresh token. Undefined: the provider gives none. */
  renew?(asked: Pick<Asked, 'services' | 'provider'>, refreshToken: string): Promise<ProviderTokens | undefined>;
  /** Where the session there is ended. Undefined: the provider does not say how, or does not answer. */
  signOut?(asked: SignOut): Promise<string | undefined>;
  /** The provider ends sessions by itself. Verified, and for the first time. */
  endedThere?(asked: SignOutMessage): Promise<EndedThere>;
  /** The answer arrived in the browser that was sent, for the first time, and with the state of `begin`. */
  finish(asked: Answered & { readonly said?: string | undefined }, answer: Params, kept: Kept): Promise<Finished>;
}

export type Answered = Pick<Asked, 'services' | 'provider' | 'callback'>;

export interface SignOut extends Pick<Asked, 'services' | 'provider'> {
  /** Where the browser comes back, and what it brings as `state`. */
  readonly returnTo: string;
  readonly state: string;
  readonly session: ProviderSession;
}

/** By an address, or by a form. */
export interface SignOutMessage extends Pick<Asked, 'services' | 'provider'> {
  /** At which it arrived. */
  readonly address: string;
  /** As it was sent. */
  readonly query: string;
  readonly posted: Params | undefined;
}

export type EndedThere =
  | {
      readonly kind: 'ended';
      readonly named: EndedName;
      /** What the provider gets to know when the sessions have ended here. Undefined: it does not say where. */
      readonly answer: () => Promise<AnsweredSignOut | undefined>;
    }
  | { readonly kind: 'failed'; readonly fault: ProviderFault };

export type AnsweredSignOut =
  | { readonly kind: 'redirect'; readonly url: string }
  | {
      readonly kind: 'post';
      readonly url: string;
      readonly fields: Readonly<Record<string, string | undefined>>;
    };

/** A provider with its secrets in the clear. */
export interface ConnectedProvider extends Provider {
  readonly secrets: ProviderSecrets;
}

export interface Asked {
  readonly services: Services;
  readonly provider: ConnectedProvider;
  /** The address at which this provider answers. No other provider has it. */
  readonly callback: string;
  /** Names this attempt, in at most 22 characters of base64url. The answer brings it back as `state`, or as `RelayState`. */
  readonly state: string;
  readonly loginHint: string | undefined;
  /** The person has to authenticate anew, or to choose an account. */
  readonly prompt: 'login' | 'select_account' | undefined;
  /** Seconds that may have passed since the person authenticated there. */
  readonly maxAge: number | undefined;
  readonly uiLocales: string | undefined;
}

/** What waits in the browser, sealed, until the answer arrives: a few hundred bytes that JSON can hold. */
export type Kept = Readonly<Record<string, string | number | undefined>>;

export type Begun =
  | { readonly kind: 'redirect'; readonly url: string; readonly kept: Kept }
  /** A page of this server posts these fields there. */
  | {
      readonly kind: 'post';
      readonly url: string;
      readonly fields: Readonly<Record<string, string>>;
      readonly kept: Kept;
    }
  | { readonly kind: 'failed'; readonly fault: ProviderFault };

export interface Posted {
  readonly fields: Params;
  /** Of the page that posted it, as the browser says. */
  readonly origin: string | undefined;
}

/** `state`: of the attempt that it answers. */
export type Received =
  | { readonly kind: 'received'; readonly state: string; readonly said: string }
  /** The provider began by itself, as it may. `isSentByProvider`: a page of the provider posted it, so nobody else made the browser do that. */
  | {
      readonly kind: 'unsolicited';
      readonly said: string;
      /** By which the person knows the account there. */
      readonly label: string;
      readonly isSentByProvider: boolean;
    }
  | { readonly kind: 'failed'; readonly fault: ProviderFault; readonly state: string | undefined };

export type Finished =
  | { readonly kind: 'identified'; readonly identity: Identity }
  | { readonly kind: 'failed'; readonly fault: ProviderFault };

/** Who the person is there. */
export interface Identity {
  /** Never given to another person, and the same at every sign-in. */
  readonly subject: string;
  /** What the provider says about the person, by its own names. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Groups here. Undefined: they are among the claims, by the names that the provider has for them. */
  readonly groups?: readonly string[] | undefined;
  /** When the person authenticated there (`auth_time`, `AuthnInstant`). Undefined: the provider does not say. */
  readonly authTime?: number | undefined;
  /** The value of `acr`, or what stands for it. */
  readonly acr?: string | undefined;
  /** What stays on this server beside the person: for tokens that are kept, and for signing out there. */
  readonly session?: ProviderSession | undefined;
}

export interface ProviderTokens {
  readonly accessToken: string;
  /** Undefined: the provider does not say. */
  readonly expiresAt?: number | undefined;
  readonly scope?: string | undefined;
  readonly refreshToken?: string | undefined;
}

export interface ProviderSession {
  readonly tokens?: ProviderTokens | undefined;
  readonly idToken?: string | undefined;
  /** Of SAML: who the person is there, exactly as it was said, and which session it is. */
  readonly named?: NamedSession | undefined;
}

/**
 * Why nobody was identified. `cancelled`: the person turned back. `unavailable`: no answer, or none that could be used now; the page offers
 * the other ways. `refused`: the provider says no, such as invalid_client: `reason` has its words. `invalid`: what it sent does not hold.
 */
export interface ProviderFault {
  readonly kind: 'cancelled' | 'unavailable' | 'refused' | 'invalid';
  /** The browser has brought it, not the provider itself. */
  readonly isByBrowser?: true;
  /** For log, events and explanations: never a secret, never a value that the provider could fill at will but its error code. */
  readonly reason: string;
}
