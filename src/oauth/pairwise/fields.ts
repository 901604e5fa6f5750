import { z } from 'zod';
import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';
import { subjectTypes } from './rules.ts';

export const pairwiseFields: DeclaredFields = {
  client: [
    clientField('subject_type', {
      schema: z.enum(subjectTypes, 'must be public or pairwise').default('public'),
      meaning:
        'Which `sub` the client sees. `public`: the same as all clients. `pairwise`: one of its own, so that clients of different owners cannot compare their users (OpenID Connect Core section 8).',
      see: 'pairwise.md',
      own: 'value',
      section: 'tokens',
      text: {
        en: [
          'Subject type',
          'Pairwise: each client gets a different sub for the same user, so that clients cannot compare their users. After a later change, the client no longer recognises its users.',
        ],
        zh: ['用户标识（sub）', '成对：客户端看到专属的 sub，无法与其他客户端比对用户。之后更改会使其用户变为陌生人。'],
      },
      choices: {
        en: { public: 'Public: the same for all clients', pairwise: 'Pairwise: different for each client' },
        zh: { public: '公开：所有客户端相同', pairwise: '成对：专属' },
      },
    }),
    clientField('sector_identifier_uri', {
      schema: z
        .string()
        .max(1000, 'must have at most 1000 characters')
        .refine(uri => /^https:\/\/./i.test(uri) && URL.canParse(uri), 'must be an https address')
        .optional(),
      meaning:
        'Clients with the same host here see the same pairwise subjects. Where a client registers itself, the document at the address lists its `redirect_uris`, and with the device grant its `jwks_uri`.',
      see: 'pairwise.md',
      byDefault: 'the host of the `redirect_uris`',
      own: 'value',
      section: 'tokens',
      text: {
        en: ['Sector identifier URI', 'An https URL. Pairwise clients with the same host here get the same sub.'],
        zh: ['成对标识的分区', 'https 地址。此处主机名相同的客户端看到相同的 sub。'],
      },
      whenEmpty: { en: 'The host of the redirect URIs', zh: '重定向 URI 的主机名' },
    }),
  ],
};
