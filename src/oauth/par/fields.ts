import { z } from 'zod';
import { clientField, type DeclaredFields } from '../../directory/fields/declaration.fields.ts';

export const parFields: DeclaredFields = {
  client: [
    clientField('require_pushed_authorization_requests', {
      schema: z.boolean().default(false),
      meaning:
        'Its authorization requests come by PAR (RFC 9126); one that comes through the browser alone is refused.',
      own: 'demand',
      section: 'authentication',
      text: {
        en: [
          'Require pushed authorization requests (PAR)',
          'The client sends its authorization requests from its server (RFC 9126). Requests that come through the browser alone are refused.',
        ],
        zh: ['要求推送请求', '客户端须从服务器推送授权请求（PAR，RFC 9126）；经浏览器直接发来的请求会被拒绝。'],
      },
    }),
  ],
};
