import { responseLocation } from '../authorize/response-mode.rules.ts';

/** Where the browser is sent after a logout (OpenID Connect RP-Initiated Logout section 3); the address was checked before. */
export interface LogoutReturn {
  /** Registered for the client that sent the browser here; undefined: to the server's own page. */
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
}

/** A logout that waits for the user's confirmation on the page /logout. */
export interface PendingLogout extends LogoutReturn {
  readonly uiLocales: string | undefined;
  /** The application that sent the browser, for the look of the page. */
  readonly app: string;
}

export function logoutLocation(baseUrl: string, { redirectUri, state }: LogoutReturn): string {
  if (redirectUri === undefined) return `${baseUrl}/logout`;
  return responseLocation(redirectUri, 'query', [['state', state]]);
}
