import { z } from 'zod';
import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import { checkedBy, clientField, type DeclaredFields, oneOf } from '../../directory/fields/declaration.fields.ts';
import { registrationFault } from '../authorize/redirect-uri.rules.ts';
import { deliveryModes } from './rules.ts';

/** Section 4: an https address. Plain http only where a redirect address may have it, on this machine. */
const endpoint = checkedBy(uri =>
  /^https?:/i.test(uri) ? registrationFault(uri) : 'must be an https address without a fragment',
);

export const cibaFields: DeclaredFields = {
  client: [
    clientField('backchannel_token_delivery_mode', {
      schema: oneOf(deliveryModes).optional(),
      meaning:
        'How a client with the grant `urn:openid:params:grant-type:ciba` learns that a person has decided: `poll` asks at `/token` again and again, `ping` is told once at `backchannel_client_notification_endpoint` and asks then.',
      see: 'ciba.md',
      byDefault: '`poll`',
      own: 'value',
      section: 'access',
      text: {
        en: [
          'Backchannel delivery mode',
          'For the backchannel grant (CIBA): the client polls, or gets a ping and then fetches its tokens.',
        ],
        zh: ['后端通道交付方式', '用于后端通道授权（CIBA）：客户端轮询，或收到通知后再获取令牌。'],
      },
      choices: { en: { poll: 'Poll', ping: 'Ping' }, zh: { poll: '轮询（poll）', ping: '通知（ping）' } },
      unset: { en: 'Poll', zh: '轮询（poll）' },
    }),
    clientField('backchannel_client_notification_endpoint', {
      schema: endpoint.optional(),
      meaning: 'Where a client of the mode `ping` is told that a person has decided.',
      see: 'ciba.md',
      own: 'value',
      section: 'addresses',
      text: {
        en: [
          'Backchannel notification endpoint',
          'Receives a ping when a person has approved or denied a request (CIBA ping mode).',
        ],
        zh: ['后端通道通知地址', '用户对请求作出决定时收到通知（CIBA，ping 方式）。'],
      },
    }),
    clientField('backchannel_authentication_request_signing_alg', {
      schema: oneOf(asymmetricAlgs).optional(),
      meaning:
        'Its backchannel requests are signed with this algorithm and a key of its `jwks` or `jwks_uri`; one that is not is refused (CIBA section 7.1.1).',
      see: 'ciba.md',
      byDefault: 'none: its requests are not signed',
      own: 'value',
      section: 'authentication',
      text: {
        en: [
          'Backchannel request signing algorithm',
          'For a client that signs its backchannel requests (CIBA). Unsigned requests are then refused.',
        ],
        zh: ['后端通道请求签名算法', '用于签署后端通道请求（CIBA）的客户端；设置后，未签署的请求会被拒绝。'],
      },
      unset: { en: 'Not signed', zh: '不签名' },
    }),
    clientField('backchannel_user_code_parameter', {
      schema: z.boolean().default(false),
      meaning:
        'The client can ask a person for the approval code that this person has set, and sends it as `user_code`.',
      see: 'ciba.md',
      own: 'value',
      section: 'access',
      text: {
        en: [
          'Approval codes (user_code)',
          'The client asks people who have set an approval code for it, and sends it with its backchannel requests.',
        ],
        zh: ['发送批准码', '对于设置了批准码的用户，客户端会询问该码，并随后端通道请求发送。'],
      },
    }),
  ],
};
