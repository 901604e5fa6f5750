/** Links between accounts and people of identity providers: what they are, and what operators are told of them. Pure. */

/** Who a person is at an identity provider, whom the provider calls `subject`. */
export interface LinkKey {
  readonly provider: string;
  readonly subject: string;
}

/** Of a user. More than the providers of a deployment that people have. */
export const MAX_LINKS_OF_USER = 20;

/** Why a user does not get a link that an operator names. Nothing was written then. `full`: it would have more than MAX_LINKS_OF_USER. */
export interface LinkRefused {
  readonly kind: 'linkRefused';
  readonly link: LinkKey;
  readonly reason: 'taken' | 'noProvider' | 'full';
  /** Whose it is, where it is taken. */
  readonly username: string | undefined;
}
