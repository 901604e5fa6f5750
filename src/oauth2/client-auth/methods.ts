import { clientSecretBasic } from './client-secret-basic.ts';
import { clientSecretPost } from './client-secret-post.ts';
import type { ClientAuthMethod } from './method.ts';

/** Every method by which a client presents credentials. With the method `none` it presents none: see none.ts. */
export const clientAuthMethods: readonly ClientAuthMethod[] = [clientSecretBasic, clientSecretPost];

/** The form parameters of client authentication; a public client sends client_id too. */
export const clientAuthParameters: readonly string[] = [
  ...new Set(['client_id', ...clientAuthMethods.flatMap(({ parameters }) => parameters)]),
];
