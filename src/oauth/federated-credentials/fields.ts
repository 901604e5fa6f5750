import { z } from 'zod';
import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { checkIssuer, claimText, issuerShape } from '../trusted-issuers/issuer.fields.ts';
import type { FederatedCredential } from './rules.ts';

const MAX_CREDENTIALS = 20;

const credential: z.ZodType<FederatedCredential> = z
  .strictObject({
    ...issuerShape,
    subject: claimText
      .refine(text => !text.includes('*'), 'is compared exactly: * stands for nothing else')
      .meta({ description: 'The sub of its tokens, compared exactly.' }),
    audience: claimText.optional().meta({ description: 'In their aud. By default the issuer of the application.' }),
  })
  .superRefine((one, context) =>
    checkIssuer(one, (field, message) => context.addIssue({ code: 'custom', path: [field], message })),
  );

export const federatedCredentialsFields: DeclaredFields = {
  client: [
    clientField('federated_credentials', {
      schema: z
        .array(credential, 'must be a list of credentials')
        .max(MAX_CREDENTIALS, `must have at most ${MAX_CREDENTIALS} entries`)
        .optional(),
      meaning:
        'Workloads that are this client, and need no secret: whose platform issues them tokens (Kubernetes, GitHub Actions, GitLab, SPIFFE). Each has `issuer`, `subject`, and `audience` where it is not the issuer of the application; `jwks` or `jwks_uri` where the issuer publishes no metadata. For `private_key_jwt`, which is then the default.',
      see: 'workloads.md',
      section: 'authentication',
      control: 'json',
      text: {
        en: [
          'Workloads (federated credentials)',
          'For private_key_jwt: a JSON list with the issuer, subject and audience of the tokens that Kubernetes, GitHub Actions, GitLab or SPIFFE issues to the workload. The values are compared exactly.',
        ],
        zh: [
          '工作负载（联合凭证）',
          '用于 private_key_jwt：JSON 列表，含 Kubernetes、GitHub Actions、GitLab 或 SPIFFE 向程序签发的令牌的 issuer、subject 和 audience。逐字符比较。',
        ],
      },
    }),
  ],
};
