import { clientSecretBasic } from './client-secret-basic.ts';
import { clientSecretJwt } from './client-secret-jwt.ts';
import { clientSecretPost } from './client-secret-post.ts';
import type { ClientAuthMethod } from './method.ts';
import { privateKeyJwt } from './private-key-jwt.ts';

/** Every method by which a client presents credentials. With the method `none` it presents none: see public-client.ts. */
export const clientAuthMethods: readonly ClientAuthMethod[] = [
  clientSecretBasic,
  clientSecretPost,
  clientSecretJwt,
  privateKeyJwt,
];

/** The form parameters of client authentication; a public client sends client_id too. */
export const clientAuthParameters: readonly string[] = [
  ...new Set(['client_id', ...clientAuthMethods.flatMap(({ parameters }) => parameters)]),
];
