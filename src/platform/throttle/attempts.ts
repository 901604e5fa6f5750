/** What throttle.ts limits: guesses, and requests of callers without credentials that store or send something. */

export type Attempt =
  | LoginAttempt
  | AccountAttempt
  | BrowserAttempt
  | CodeAttempt
  | ClientAttempt
  | OperatorAttempt
  | MailAttempt
  | AccountMailAttempt
  | NameAttempt
  | PushAttempt
  | ProofAttempt
  | DeviceAttempt
  | UserCodeAttempt
  | LoginHintAttempt
  | ApprovalCodeAttempt
  | DocumentAttempt
  | RegistrationAttempt;

/** A password for a login name, counted before the account is looked up. */
export interface LoginAttempt {
  readonly kind: 'login';
  readonly name: string;
  readonly address: string;
}

/** The same password, counted for the account: a user has several login names, which share one limit. */
export interface AccountAttempt {
  readonly kind: 'account';
  readonly account: string;
  /** Of the caller (`callerNetwork`): account and network together have a count of their own too. */
  readonly network?: string | undefined;
}

/**
 * A password from a browser in which this user has signed in before (people/known-browsers/known-browser.ts). It is counted here and nowhere else: otherwise
 * anybody who knows the user's name could lock the user out.
 */
export interface BrowserAttempt {
  readonly kind: 'browser';
  readonly account: string;
  readonly browser: string;
}

/**
 * An answer of a user who has proved a first factor: a code of an app, a recovery code, a code of a mail, or a passkey. A browser in which
 * this user has proved a second factor before has a count of its own, so that somebody who knows the password cannot lock the user out.
 * Codes have a limit of the day too, one in these browsers together and one in all others. Passkeys cannot be guessed, and have none.
 */
export interface CodeAttempt {
  readonly kind: 'code';
  readonly of: 'factor' | 'passkey' | 'email';
  readonly account: string;
  /** Undefined: the user has proved no second factor in it. */
  readonly browser: string | undefined;
}

export interface ClientAttempt {
  readonly kind: 'client';
  readonly app: string;
  readonly clientId: string;
  readonly address: string;
  /** A digest of the presented secret. */
  readonly secretDigest: string;
}

/** A wrong API key or access token at the admin API. Counted when it was found to be wrong: a right one always works. */
export interface OperatorAttempt {
  readonly kind: 'operator';
  readonly address: string;
}

/** A request of somebody unknown that may send a mail. None is given back: the limit is on mails, not on guesses. */
export interface MailAttempt {
  readonly kind: 'mail';
  readonly address: string;
}

/** The same of a user who has signed in, or is about to: also where the network address is another one each time. */
export interface AccountMailAttempt {
  readonly kind: 'accountMail';
  readonly account: string;
}

/**
 * A name to sign in with that a user gives to the own account: the answer tells whether somebody else has it. None is given back, also
 * if the name was free: a user could change it again and again, and so find out one name after the other.
 */
export interface NameAttempt {
  readonly kind: 'name';
  readonly account: string;
}

/** An authorization request that a client without credentials pushes (RFC 9126): it is stored, whoever sends it. None is given back. */
export interface PushAttempt {
  readonly kind: 'push';
  readonly address: string;
}

/**
 * A DPoP proof of a caller without credentials: anybody can make one, and its jti is stored (RFC 9449 section 11.1). It is given back
 * where the request succeeds, or stored nothing.
 */
export interface ProofAttempt {
  readonly kind: 'proof';
  readonly address: string;
}

/** A device authorization request of a client without credentials (RFC 8628): as for `push`. */
export interface DeviceAttempt {
  readonly kind: 'device';
  readonly address: string;
}

/**
 * A user code of a device (RFC 8628 section 5.1). Visitors who are not signed in share one large limit beside that of their address:
 * who has many addresses cannot guess more. Users who are signed in have a limit each instead, so that nobody can keep them out.
 */
export interface UserCodeAttempt {
  readonly kind: 'userCode';
  readonly address: string;
  /** The `sub`; undefined: nobody is signed in. */
  readonly account: string | undefined;
}

/** A person whom a client names in a backchannel request (CIBA): the answer tells whether there is one. */
export interface LoginHintAttempt {
  readonly kind: 'loginHint';
  readonly app: string;
  readonly clientId: string;
}

/** The code with which a client asks a person who has set one (CIBA, `user_code`). */
export interface ApprovalCodeAttempt {
  readonly kind: 'approvalCode';
  readonly account: string;
}

/** A client_id that is an address which has to be fetched. None is given back: the limit is on requests that this server sends. */
export interface DocumentAttempt {
  readonly kind: 'document';
  readonly address: string;
}

/** A registration of a client by anybody (RFC 7591): it is stored. None is given back. */
export interface RegistrationAttempt {
  readonly kind: 'registration';
  readonly address: string;
}
