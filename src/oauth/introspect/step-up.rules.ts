import { acrOf, satisfies } from '../../people/sign-in/acr.rules.ts';

/** What a resource demands of the login behind an access token (RFC 9470). */
export interface LoginDemands {
  /** One of these classes, or a stronger one. */
  readonly acrValues: readonly string[] | undefined;
  /** In seconds. */
  readonly maxAge: number | undefined;
}

/** The login of an access token. Unknown parts meet no demand. */
export interface TokenLogin {
  readonly authTime: number | null;
  readonly amr: string | null;
}

export function meetsDemands({ acrValues, maxAge }: LoginDemands, login: TokenLogin, now: number): boolean {
  const acr = acrOf(login.amr === null ? [] : login.amr.split(' '));
  if (acrValues !== undefined && !acrValues.some(value => satisfies(acr, value) && acr !== undefined)) return false;
  // The same comparison as for max_age of an authorization request (people/sign-in/next-step.rules.ts).
  return maxAge === undefined || (login.authTime !== null && now - login.authTime <= maxAge);
}

/** RFC 9470 section 3: the parameters that the client passes on to the authorization request. */
export function challengeOfDemands({ acrValues, maxAge }: LoginDemands): string {
  const parts = [
    ...(acrValues === undefined ? [] : [`acr_values="${acrValues.join(' ')}"`]),
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
  ];
  return parts.join(', ');
}
