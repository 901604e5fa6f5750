import { capability, from } from '../../capability.ts';

/** Workloads without secrets: a client authenticates by a token of the platform that it runs on. verify.ts is reached from private_key_jwt. */
export const federatedCredentials = capability('oauth/federated-credentials', {
  fields: from(() => import('./fields.ts'), 'federatedCredentialsFields'),
});
