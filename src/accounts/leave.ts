import { type Answer, redirect } from '../message.ts';
import { responseLocation } from '../protocol/response-mode.ts';

/** After a logout: to the address the client registered and asked for, with its state, or to our own last page. */
export function leave(
  baseUrl: string,
  returnTo: string | undefined,
  state: string | undefined,
  cookies: string[],
): Answer {
  if (returnTo === undefined) return redirect(`${baseUrl}/logout`, 303, cookies);
  return redirect(responseLocation(returnTo, 'query', [['state', state]]), 303, cookies);
}
